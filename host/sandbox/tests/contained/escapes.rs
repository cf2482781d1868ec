//! Ways out: files, network, other processes, the kernel.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;

use snodo_sandbox::Layer;
use snodo_sandbox::launch::Ending;

use crate::Test;
use crate::attack::{DID, HELD};
use crate::world::{Kind, World, whiteout};

pub(crate) const TESTS: &[Test] = &[
    ("files_outside_are_not_read", files_outside_are_not_read),
    ("files_outside_are_not_changed", files_outside_are_not_changed),
    (
        "toolchains_are_read_and_not_changed",
        toolchains_are_read_and_not_changed,
    ),
    (
        "attributes_of_files_outside_are_not_changed",
        attributes_of_files_outside,
    ),
    ("the_workspace_is_not_written", the_workspace_is_not_written),
    ("git_is_hidden", git_is_hidden),
    ("the_host_s_environment_is_not_read", environment_of_the_host),
    ("listeners_of_the_host_are_not_reached", listeners),
    ("sockets_by_name_are_not_reached", sockets_by_name),
    ("the_kernel_s_sockets_are_not_made", kernel_sockets),
    ("pairs_of_sockets_work", pairs_of_sockets_work),
    ("the_host_is_not_traced", the_host_is_not_traced),
    ("the_host_is_not_signalled", the_host_is_not_signalled),
    ("a_signal_to_all_reaches_only_its_own", a_signal_to_all),
    ("namespaces_are_not_made", namespaces_are_not_made),
    ("nothing_is_mounted", nothing_is_mounted),
    ("calls_into_the_kernel_are_refused", calls_are_refused),
    ("calls_of_old_programs_end_it", old_calls),
    ("shared_memory_of_the_host_is_not_reached", shared_memory),
    ("the_host_is_not_bounded", the_host_is_not_bounded),
    ("the_helper_s_socket_is_out_of_reach", helper_s_socket),
];

fn str(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn files_outside_are_not_read(world: &World) {
    fs::create_dir_all(world.path("person/.ssh")).unwrap();
    fs::write(world.path("person/.ssh/id_ed25519"), "key").unwrap();
    world.holds(&["read", str(&world.path("person/.ssh/id_ed25519"))]);
    world.holds(&["read", str(&world.path("beside/secret"))]);
    world.holds(&["list", str(&world.path("person"))]);
    // By a way that begins where the program may be.
    world.holds(&["read", "../beside/secret"]);
    let end = world.sh("ln -s ../beside/secret there; cat there");
    assert_ne!(end.ending, Ending::Code(0), "{end:?}");
    if world.is_root() {
        world.holds(&["read", "/etc/shadow"]);
        world.held(&["list", "/root"]);
    }
    // What may be read is read.
    assert_eq!(world.attack(&["read", "/etc/passwd"]).ending, Ending::Code(DID));
}

fn files_outside_are_not_changed(world: &World) {
    let secret = world.path("beside/secret");
    let (inside, other) = (world.path("tmp/taken"), world.path("beside/other"));
    for words in [
        &["append", str(&secret)][..],
        &["create", str(&other)],
        &["move", str(&secret), str(&inside)],
        &["link", str(&secret), str(&inside)],
        &["empty", str(&secret)],
        &["delete", str(&secret)],
    ] {
        fs::write(&secret, "kept\n").unwrap();
        world.control(words);
        let _ = (fs::remove_file(&other), fs::remove_file(&inside));
        fs::write(&secret, "kept\n").unwrap();
        world.held(words);
        assert_eq!(fs::read_to_string(&secret).unwrap(), "kept\n", "{words:?}");
        assert!(!other.exists(), "{words:?}");
    }
}

fn toolchains_are_read_and_not_changed(world: &World) {
    let tool = world.path("toolchain/tool");
    let added = world.path("toolchain/added");
    fs::create_dir_all(world.path("toolchain")).unwrap();
    let binary = str(&world.binary);
    for words in [
        &["append", str(&tool)][..],
        &["empty", str(&tool)],
        &["create", str(&added)],
        &["delete", str(&tool)],
    ] {
        fs::write(&tool, "kept\n").unwrap();
        world.control(words);
        let _ = fs::remove_file(&added);
        fs::write(&tool, "kept\n").unwrap();
        let mut plan = world.plan(&[&[binary, "__attack"], words].concat());
        plan.read.push(world.path("toolchain"));
        let end = world.launch(&plan);
        assert_eq!(end.ending, Ending::Code(HELD), "{words:?}: {end:?}");
        assert_eq!(fs::read_to_string(&tool).unwrap(), "kept\n", "{words:?}");
        assert!(!added.exists());
    }
    let mut plan = world.plan(&["cat", str(&tool)]);
    plan.read.push(world.path("toolchain"));
    assert_eq!(world.launch(&plan).stdout.head, "kept\n");
}

fn attributes_of_files_outside(world: &World) {
    let secret = world.path("beside/secret");
    for words in [&["mode", str(&secret)][..], &["times", str(&secret)]] {
        let reset = || {
            fs::set_permissions(&secret, fs::Permissions::from_mode(0o644)).unwrap();
            let file = fs::File::options().write(true).open(&secret).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        };
        reset();
        world.control(words);
        reset();
        if world.kind == Kind::Plain && !world.is_root() {
            // What Landlock does not hold is said, and is no secret.
            let end = world.attack(words);
            assert_eq!(end.ending, Ending::Code(DID), "{end:?}");
            assert!(
                end.notes.iter().any(|note| note.contains("Landlock does not hold")),
                "{end:?}"
            );
            continue;
        }
        world.held(words);
        let meta = secret.metadata().unwrap();
        assert_eq!((meta.mode() & 0o777, meta.mtime()), (0o644, 0), "{words:?}");
    }
}

fn the_workspace_is_not_written(world: &World) {
    let end = world
        .sh("echo changed > src/a.txt; echo new > b.txt; mkdir -p deep/er && echo x > deep/er/c; cat src/a.txt b.txt");
    assert_eq!(
        (end.ending, &*end.stdout.head),
        (Ending::Code(0), "changed\nnew\n"),
        "{end:?}"
    );
    assert_eq!(fs::read_to_string(world.path("workspace/src/a.txt")).unwrap(), "kept\n");
    assert!(!world.path("workspace/b.txt").exists() && !world.path("workspace/deep").exists());
    assert_eq!(fs::read_to_string(world.written().join("b.txt")).unwrap(), "new\n");
    assert_eq!(
        fs::read_to_string(world.written().join("src/a.txt")).unwrap(),
        "changed\n"
    );
    if world.kind == Kind::Plain {
        world.holds(&["append", str(&world.path("workspace/src/a.txt"))]);
    }
}

fn git_is_hidden(world: &World) {
    let config = world.path("workspace/.git/config");
    world.control(&["read", str(&config)]);
    if world.kind == Kind::View {
        whiteout(&world.path("upper/.git"));
    }
    world.held(&["read", str(&config)]);
    world.held(&["list", str(&world.path("workspace/.git"))]);
    // A scratch that does not hide what the plan says is hidden: nothing is executed.
    if world.kind == Kind::View {
        fs::remove_file(world.path("upper/.git")).unwrap();
        let mut plan = world.plan(&["true"]);
        plan.absent.push(world.path("workspace/.git"));
        let error = world.try_launch(&plan, crate::world::seconds(60)).unwrap_err();
        assert!(error.to_string().contains("has to be hidden"), "{error}");
    }
}

fn environment_of_the_host(world: &World) {
    let (name, secret) = crate::world::SENTINEL;
    let own = std::process::id();
    world.control(&["read", &format!("/proc/{own}/environ")]);
    assert_eq!(std::env::var(name).unwrap(), secret);
    let end = world.sh("env; cat /proc/*/environ /proc/*/task/*/environ");
    assert!(
        end.stdout.head.contains("HOME=") && !end.stdout.head.contains(secret),
        "{end:?}"
    );
    // Even where the user let all of `/proc` be read.
    let mut plan = world.plan(&["sh", "-c", "cat /proc/*/environ /proc/*/cmdline"]);
    plan.read.push("/proc".into());
    let end = world.launch(&plan);
    assert!(!end.stdout.head.contains(secret), "{end:?}");
    for what in ["environ", "mem", "maps", "fd/0"] {
        let path = format!("/proc/{own}/{what}");
        world.held(&["read", &path]);
        let mut plan = world.plan(&[str(&world.binary), "__attack", "read", &path]);
        plan.read.push("/proc".into());
        let end = world.launch(&plan);
        assert_eq!(end.ending, Ending::Code(HELD), "{what}: {end:?}");
    }
    if world.layers.has(Layer::PrivateProc) {
        let end = world.sh("cat /proc/*/cmdline | tr '\\0' '\\n'; ls /proc | grep -c '^[0-9]'");
        assert!(!end.stdout.head.contains("__one"), "{end:?}");
    }
}

fn listeners(world: &World) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    world.holds(&["connect", &port]);
    let receiver = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    receiver.set_nonblocking(true).unwrap();
    let port = receiver.local_addr().unwrap().port().to_string();
    world.control(&["send", &port]);
    assert!(receiver.recv(&mut [0; 64]).is_ok());
    world.held(&["send", &port]);
    assert!(receiver.recv(&mut [0; 64]).is_err());
    let end = world.sh("exec 3<>/dev/tcp/169.254.169.254/80");
    assert_ne!(end.ending, Ending::Code(0));
}

fn sockets_by_name(world: &World) {
    let path = world.path("beside/socket");
    let listener = UnixListener::bind(&path).unwrap();
    world.holds(&["named", str(&path)]);
    let name = format!("contained-{}", std::process::id());
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    world.holds(&["abstract", &name]);
    drop((listener, hidden));
    // One of the host's in the workspace itself.
    let path = world.path("workspace/socket");
    let listener = UnixListener::bind(&path).unwrap();
    world.holds(&["named", str(&path)]);
    drop(listener);
}

fn kernel_sockets(world: &World) {
    world.holds(&["netlink"]);
}

fn pairs_of_sockets_work(world: &World) {
    assert_eq!(world.attack(&["pair"]).ending, Ending::Code(DID));
}

fn the_host_is_not_traced(world: &World) {
    let own = std::process::id().to_string();
    world.control(&["trace", &own]);
    world.held(&["trace", &own]);
    let parent = world.sh("echo $PPID").stdout.head;
    assert!(!parent.trim().is_empty());
    // Its own first process, whichever number that has.
    world.held(&["trace", "1"]);
}

fn the_host_is_not_signalled(world: &World) {
    let own = std::process::id().to_string();
    let goes_on = libc::SIGCONT.to_string();
    world.control(&["signal", &own, &goes_on]);
    if world.kind == Kind::Plain && !world.is_root() && !world.layers.has(Layer::LandlockScope) {
        eprintln!("landlock-scope: not there, so signals are not held");
        return;
    }
    world.held(&["signal", &own, &goes_on]);
    world.held(&["signal", &own, "9"]);
}

fn a_signal_to_all(world: &World) {
    if !world.layers.has(Layer::PidNamespace) && !world.layers.has(Layer::LandlockScope) {
        return;
    }
    // The shell ends itself with all that it may signal; the helper and the host live, and tell of it.
    let end = world.sh("kill -9 -1; kill -9 1; kill -9 $PPID; kill -9 $$");
    assert!(matches!(end.ending, Ending::Signal(9) | Ending::Code(_)), "{end:?}");
    let end = world.sh("kill -9 0");
    assert_eq!(end.ending, Ending::Signal(9), "{end:?}");
}

fn namespaces_are_not_made(world: &World) {
    world.holds(&["namespace"]);
    for flag in [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ] {
        if flag == libc::CLONE_NEWUSER || world.is_root() {
            world.control(&["clone", &flag.to_string()]);
        }
        world.held(&["clone", &flag.to_string()]);
    }
    assert_eq!(world.attack(&["clone", "0"]).ending, Ending::Code(DID));
}

fn nothing_is_mounted(world: &World) {
    let at = world.folder().join("src");
    if world.is_root() {
        world.control(&["mount", str(&at)]);
    }
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let before = mounts().lines().filter(|line| line.contains("contained-")).count();
    world.held(&["mount", str(&at)]);
    let after = mounts().lines().filter(|line| line.contains("contained-")).count();
    assert!(after <= before, "a mount was left:\n{}", mounts());
}

fn calls_are_refused(world: &World) {
    let refused = [
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_move_mount,
        libc::SYS_open_tree,
        libc::SYS_fsopen,
        libc::SYS_mount_setattr,
        libc::SYS_bpf,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_perf_event_open,
        libc::SYS_open_by_handle_at,
        libc::SYS_chroot,
        libc::SYS_pidfd_getfd,
        libc::SYS_clock_settime,
    ];
    let mut words = vec!["calls".to_owned()];
    words.extend(
        refused
            .into_iter()
            .chain([libc::SYS_clone3])
            .flat_map(numbers)
            .map(|n| n.to_string()),
    );
    let end = world.attack(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(end.ending, Ending::Code(DID), "{end:?}");
    for (number, line) in words[1..].iter().zip(end.stdout.head.lines()) {
        let clone3 = numbers(libc::SYS_clone3).iter().any(|n| n.to_string() == *number);
        let code = if clone3 { libc::ENOSYS } else { libc::EPERM };
        assert!(line.starts_with(&format!("{number} Err(Os {{ code: {code},")), "{line}");
    }
}

/// A call's numbers: on x86-64 there is a second one.
fn numbers(call: i64) -> Vec<i64> {
    let mut numbers = vec![call];
    if cfg!(target_arch = "x86_64") {
        numbers.push(call | 0x4000_0000);
    }
    numbers
}

fn old_calls(world: &World) {
    if !world.gets_through(&["old-call"]) {
        // Nothing to hold: the kernel does not know them.
        return;
    }
    let end = world.attack(&["old-call"]);
    assert_eq!(end.ending, Ending::Signal(libc::SIGSYS), "{end:?}");
}

fn shared_memory(world: &World) {
    if world.kind == Kind::View {
        // Its own.
        assert_eq!(world.attack(&["shared"]).ending, Ending::Code(DID));
    } else {
        world.holds(&["shared"]);
    }
}

fn the_host_is_not_bounded(world: &World) {
    world.holds(&["limit", &std::process::id().to_string()]);
}

fn helper_s_socket(world: &World) {
    let end = world.held(&["descriptors"]);
    assert!(end.stdout.head.contains("nothing is open"), "{end:?}");
    let mut plan = world.plan(&[str(&world.binary), "__attack", "descriptors"]);
    plan.read.push("/proc".into());
    assert_eq!(world.launch(&plan).ending, Ending::Code(HELD));
    let end = world.sh("echo '{\"ended\":{\"code\":0,\"signal\":null}}' | tee /dev/stderr; exit 3");
    assert_eq!(end.ending, Ending::Code(3), "{end:?}");
}
