//! What contained programs can and cannot do: each test is a process of its own, the host, which has its programs run by the real helper
//! (this same binary); as root and as an ordinary user, in a view of its own and beside the machine's.
//!
//! An attack is a program that says whether it got through. The same program is first run uncontained and has to get through, or the test
//! would show nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that panics has failed, and one that is skipped says why"
)]

mod attack;
mod bounds;
mod escapes;
mod signs;
mod views;
mod world;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};
use world::{Kind, World};

/// The exit code of a test that was not run, having said why.
const SKIPPED: i32 = 77;

/// A test, by its name.
type Test = (&'static str, fn(&World));

/// The user as whom tests run that are not run as root.
const ORDINARY: u32 = 65_533;

fn tests() -> Vec<Test> {
    [bounds::TESTS, escapes::TESTS, signs::TESTS].concat()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(snodo_sandbox::HELPER_COMMAND) => return snodo_sandbox::helper_main().into(),
        Some("__attack") => return attack::main(&arguments[2..]),
        Some("__host") => return host(Path::new(&arguments[2])),
        Some("__one") => return one(&arguments[2], &arguments[3], Path::new(&arguments[4])),
        _ => {}
    }
    let folder = tempfile::Builder::new().prefix("contained-").tempdir().unwrap();
    let open = std::fs::Permissions::from_mode(0o1777);
    std::fs::set_permissions(folder.path(), open).unwrap();
    // Where anybody may execute it: a build folder can be in a home that is closed.
    let binary = folder.path().join("contained");
    std::fs::copy(std::env::current_exe().unwrap(), &binary).unwrap();
    let root = rustix::process::geteuid().is_root();
    if !root {
        println!("not run as root: the half of the tests that is about root's programs is not run");
    }
    let mut trials = Vec::new();
    for as_root in [true, false] {
        if as_root && !root {
            continue;
        }
        let user = if as_root { "root" } else { "user" };
        for kind in Kind::ALL {
            let tests = match kind {
                Kind::View => [tests(), views::TESTS.to_vec()].concat(),
                Kind::Plain => tests(),
                Kind::Forbidden => views::FORBIDDEN.to_vec(),
                Kind::Covered => views::COVERED.to_vec(),
            };
            for (name, _) in tests {
                let (binary, place) = (binary.clone(), folder.path().to_owned());
                let title = format!("{user}::{}::{name}", kind.name());
                let shown = title.clone();
                trials.push(Trial::test(title, move || {
                    let mut command = Command::new(binary);
                    command.args(["__one", kind.name(), name]).arg(place);
                    command.env(world::SENTINEL.0, world::SENTINEL.1);
                    if !as_root && root {
                        command.uid(ORDINARY).gid(ORDINARY);
                    }
                    let output = command.output()?;
                    let text = String::from_utf8_lossy(&output.stderr).into_owned();
                    match output.status.code() {
                        Some(0) => Ok(()),
                        Some(SKIPPED) if text.trim().is_empty() => Err("skipped, and no layer is missing".into()),
                        Some(SKIPPED) => {
                            eprintln!("skipped {shown}: {}", text.trim());
                            note_skip(&shown, text.trim())?;
                            Ok(())
                        }
                        _ => Err(format!("{}\n{text}", output.status).into()),
                    }
                }));
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Notes a test that was skipped where `.ci/run` looks for them. What is missing was found out by what `doctor` asks too, but for an ordinary
/// user's programs, to whom a machine may give less than it gives to root.
fn note_skip(test: &str, why: &str) -> std::io::Result<()> {
    let Some(file) = std::env::var_os("SNODO_TEST_SKIPS") else {
        return Ok(());
    };
    let of_user = rustix::process::geteuid().is_root() && test.starts_with("user::");
    let whose = if of_user { "a user's layer" } else { "layer" };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file)?;
    let lines: Vec<_> = why.lines().map(|line| format!("{whose} {line} ({test})\n")).collect();
    file.write_all(lines.concat().as_bytes())
}

/// One test, in this process.
fn one(kind: &str, name: &str, place: &Path) -> ExitCode {
    let kind = Kind::ALL.into_iter().find(|k| k.name() == kind).unwrap();
    if kind == Kind::Forbidden {
        views::forbid_namespaces();
    }
    if kind == Kind::Covered
        && let Err(reason) = views::cover_proc()
    {
        eprintln!("private-proc: {reason}");
        return ExitCode::from(u8::try_from(SKIPPED).unwrap());
    }
    let all = [
        tests(),
        views::TESTS.to_vec(),
        views::FORBIDDEN.to_vec(),
        views::COVERED.to_vec(),
    ]
    .concat();
    let (_, test) = all.into_iter().find(|(n, _)| *n == name).unwrap();
    match World::new(kind, place) {
        Ok(world) => test(&world),
        Err(missing) => {
            eprintln!("{missing}");
            return ExitCode::from(u8::try_from(SKIPPED).unwrap());
        }
    }
    ExitCode::SUCCESS
}

/// A host that runs one plan, and is killed.
fn host(plan: &Path) -> ExitCode {
    let plan = serde_json::from_slice(&std::fs::read(plan).unwrap()).unwrap();
    let binary = std::env::current_exe().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (_here, abandoned) = tokio::sync::oneshot::channel();
    let bounds = world::seconds(60);
    runtime
        .block_on(snodo_sandbox::launch::launch(&binary, &[], &plan, bounds, abandoned))
        .unwrap();
    ExitCode::SUCCESS
}
