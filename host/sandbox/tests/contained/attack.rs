//! The attacks themselves: what a hostile program would do. Each says whether it got through.

#![allow(unsafe_code, reason = "attacks make the system calls that no library would")]

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::process::ExitCode;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType};

/// It got through.
pub(crate) const DID: i32 = 0;
/// It did not.
pub(crate) const HELD: i32 = 10;

pub(crate) fn main(words: &[String]) -> ExitCode {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let code = match attack(&words) {
        Ok(text) => {
            println!("{text}");
            DID
        }
        Err(error) => {
            println!("{error}");
            HELD
        }
    };
    ExitCode::from(u8::try_from(code).unwrap())
}

fn attack(words: &[&str]) -> io::Result<String> {
    let done = |()| String::from("done");
    let number = |text: &str| text.parse::<i32>().unwrap();
    match *words {
        ["read", path] => Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned()),
        ["list", path] => Ok(format!("{} entries", fs::read_dir(path)?.count())),
        ["append", path] => OpenOptions::new()
            .append(true)
            .open(path)?
            .write_all(b"attacked\n")
            .map(done),
        ["create", path] => fs::write(path, "attacked\n").map(done),
        ["empty", path] => {
            let path = std::ffi::CString::new(path)?;
            // SAFETY: the path is a C string.
            answer(unsafe { libc::truncate(path.as_ptr(), 0) }.into())
        }
        ["delete", path] => fs::remove_file(path).map(done),
        ["move", from, to] => fs::rename(from, to).map(done),
        ["link", from, to] => fs::hard_link(from, to).map(done),
        ["mode", path] => fs::set_permissions(path, Permissions::from_mode(0o606)).map(done),
        ["times", path] => {
            let now = rustix::fs::Timestamps {
                last_access: now(),
                last_modification: now(),
            };
            rustix::fs::utimensat(rustix::fs::CWD, path, &now, rustix::fs::AtFlags::empty())?;
            Ok("done".into())
        }
        ["connect", port] => TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse().unwrap())).map(|_| "done".into()),
        ["send", port] => UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?
            .send_to(b"attacked", (Ipv4Addr::LOCALHOST, port.parse().unwrap()))
            .map(|_| "done".into()),
        ["netlink"] => {
            rustix::net::socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
            Ok("done".into())
        }
        ["named", path] => UnixStream::connect(path).map(|_| "done".into()),
        ["abstract", name] => UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(|_| "done".into()),
        ["pair"] => UnixStream::pair().map(|_| "done".into()),
        ["trace", pid] => {
            // SAFETY: no memory of ours is handed over.
            answer(unsafe { libc::ptrace(libc::PTRACE_SEIZE, number(pid), 0, 0) })
        }
        ["signal", pid, signal] => {
            // SAFETY: no memory is touched.
            answer(unsafe { libc::kill(number(pid), number(signal)) }.into())
        }
        ["namespace"] => {
            // SAFETY: this process has one thread.
            answer(unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) }.into())
        }
        ["clone", flag] => clone(number(flag)),
        ["calls", ref calls @ ..] => {
            for call in calls {
                // SAFETY: arguments that no call takes for memory.
                let refused = answer(unsafe { libc::syscall(call.parse().unwrap(), -1, 0, 0, 0, 0) });
                println!("{call} {refused:?}");
            }
            Ok("all".into())
        }
        ["old-call"] => old_call(),
        ["shared"] => {
            // SAFETY: no memory is handed over.
            answer(unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, libc::IPC_CREAT | 0o600) }.into())
        }
        ["limit", pid] => {
            let limit = libc::rlimit {
                rlim_cur: 0,
                rlim_max: libc::RLIM_INFINITY,
            };
            // SAFETY: one structure is read, none is written.
            answer(
                unsafe { libc::prlimit(number(pid), libc::RLIMIT_CORE, &raw const limit, std::ptr::null_mut()) }.into(),
            )
        }
        ["mount", at] => mount(at),
        ["forks", wanted] => forks(number(wanted)),
        ["descriptors"] => descriptors(),
        ["print", bytes] => print(bytes.parse().unwrap()),
        ["grow", path, bytes] => OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)?
            .set_len(bytes.parse().unwrap())
            .map(done),
        ["stubborn", path] => {
            // SAFETY: ignoring a signal runs no code.
            unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
            tick(path)
        }
        ["session", path] => {
            if fork()? == 0 {
                rustix::process::setsid()?;
                tick(path)?;
            }
            Ok("done".into())
        }
        ["twice", path] => {
            if fork()? == 0 {
                if fork()? == 0 {
                    rustix::process::setsid()?;
                    tick(path)?;
                }
                std::process::exit(0);
            }
            Ok("done".into())
        }
        ["input"] => {
            let mut all = String::new();
            io::stdin().read_to_string(&mut all).map(|_| all)
        }
        _ => panic!("no such attack: {words:?}"),
    }
}

fn now() -> rustix::fs::Timespec {
    rustix::fs::Timespec {
        tv_sec: 0,
        tv_nsec: rustix::fs::UTIME_NOW,
    }
}

fn answer(answer: i64) -> io::Result<String> {
    if answer == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok("done".into())
}

fn fork() -> io::Result<i32> {
    // SAFETY: this process has one thread.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(pid)
}

fn clone(flag: i32) -> io::Result<String> {
    // SAFETY: a copy of a process of one thread, on the same addresses of its own.
    let pid = unsafe { libc::syscall(libc::SYS_clone, i64::from(flag | libc::SIGCHLD), 0, 0, 0, 0) };
    if pid == 0 {
        std::process::exit(0);
    }
    answer(pid)
}

/// Asks for the process's own number in the way of 32-bit programs, whose calls have other numbers.
#[cfg(target_arch = "x86_64")]
fn old_call() -> io::Result<String> {
    let number: i64;
    // SAFETY: the call touches no memory, and returns in the register that it is asked by.
    unsafe {
        std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => number, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    answer(number)
}

#[cfg(not(target_arch = "x86_64"))]
fn old_call() -> io::Result<String> {
    Err(io::Error::other("there is none"))
}

/// Tries a mount that would stay: first as it is, then as root of a namespace.
fn mount(at: &str) -> io::Result<String> {
    let tried = || rustix::mount::mount("none", at, "tmpfs", rustix::mount::MountFlags::empty(), None);
    if tried().is_ok() {
        rustix::mount::unmount(at, rustix::mount::UnmountFlags::DETACH)?;
        return Ok("done".into());
    }
    attack(&["namespace"])?;
    tried()?;
    Ok("done".into())
}

/// Starts so many at a time, and says how many there were.
fn forks(wanted: i32) -> io::Result<String> {
    let mut running = Vec::new();
    let mut failed = None;
    for _ in 0..wanted {
        match fork() {
            Ok(0) => loop {
                std::thread::sleep(Duration::from_mins(1));
            },
            Ok(pid) => running.push(pid),
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    let count = running.len();
    if failed.is_none() {
        for pid in running {
            // SAFETY: no memory is touched.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
    match failed {
        // What was started stays: who ends it is part of what is tried.
        Some(error) => Err(io::Error::other(format!("{count} and then {error}"))),
        None => Ok(format!("{count}")),
    }
}

/// Writes a line that looks like the helper's into whatever is open but the standard three.
fn descriptors() -> io::Result<String> {
    let line = b"{\"ended\":{\"code\":0,\"signal\":null}}\n";
    let mut heard = Vec::new();
    for number in 3..1024 {
        // SAFETY: the memory is there, and a number that is not open is an error.
        if unsafe { libc::write(number, line.as_ptr().cast(), line.len()) } > 0 {
            heard.push(format!("descriptor {number}"));
        }
    }
    // And by way of the processes of the helper.
    // SAFETY: no memory is touched.
    let parent = unsafe { libc::getppid() };
    for pid in (parent.saturating_sub(2)..=parent).filter(|pid| *pid > 0) {
        for number in 0..16 {
            let path = format!("/proc/{pid}/fd/{number}");
            if number != 1
                && number != 2
                && OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .is_ok_and(|mut file| file.write_all(line).is_ok())
            {
                heard.push(path);
            }
        }
    }
    if heard.is_empty() {
        return Err(io::Error::other("nothing is open"));
    }
    Ok(heard.join(", "))
}

fn print(bytes: u64) -> io::Result<String> {
    let line = vec![b'y'; 1 << 16];
    let mut out = io::stdout().lock();
    let mut left = bytes;
    while left > 0 {
        let n = left.min(line.len() as u64);
        out.write_all(&line[..usize::try_from(n).unwrap()])?;
        left -= n;
    }
    Ok("last".into())
}

/// Writes into a file for ever.
fn tick(path: &str) -> io::Result<String> {
    loop {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)?
            .write_all(b".")?;
        std::thread::sleep(Duration::from_millis(20));
    }
}
