//! Several processes at one log: this test's own binary, started anew.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use snodo_audit::repair::Repair;
use snodo_audit::{AuditError, AuditLog, repair};

use crate::world::{PROJECT, World, event, now, open, with};

/// What the child gets. Of these tests only.
const FOLDER: &str = "SNODO_TEST_AUDIT_FOLDER";
const COUNT: &str = "SNODO_TEST_AUDIT_COUNT";
const BYTES: &str = "SNODO_TEST_AUDIT_BYTES";

/// Not a test: appends so many events.
#[test]
#[ignore = "started by the tests below, as a process of its own"]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let number = |name: &str| std::env::var(name).unwrap().parse::<usize>().unwrap();
    let mut log = AuditLog::open(&open(Path::new(&folder)), PROJECT, &[]).unwrap();
    println!("ready");
    for _ in 0..number(COUNT) {
        let pid = u64::from(std::process::id());
        let event = with([("pid", pid.into()), ("text", "é".repeat(number(BYTES) / 2).into())]);
        log.append(SystemTime::now(), &event).unwrap();
    }
}

fn start(folder: &Path, count: usize, bytes: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "processes::child",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, folder)
        .env(COUNT, count.to_string())
        .env(BYTES, bytes.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn wait_until_ready(child: &mut Child) {
    let said = BufReader::new(child.stdout.take().unwrap());
    assert!(said.lines().any(|line| line.unwrap().contains("ready")));
}

#[test]
fn eight_processes_keep_one_chain() {
    let world = World::new();
    let children: Vec<Child> = (0..8).map(|_| start(world.temp.path(), 25, 100)).collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(world.verify().events, 200);
    // They did take turns.
    let pid = |line: &String| {
        line[line.find("\"pid\"").unwrap()..]
            .chars()
            .take(16)
            .collect::<String>()
    };
    let lines = world.lines();
    let changes = lines.windows(2).filter(|two| pid(&two[0]) != pid(&two[1])).count();
    assert!(changes >= 7, "{changes}");
}

/// A writer that is killed gives its locks up, and leaves whole events, or a last line that is not, which is seen and can be repaired.
#[test]
fn a_writer_that_is_killed_leaves_a_log_to_go_on_with() {
    for round in 0..6 {
        let world = World::with_events(1);
        let mut child = start(world.temp.path(), 100_000, 200_000);
        wait_until_ready(&mut child);
        std::thread::sleep(Duration::from_millis(20 + 15 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut log = match world.try_log() {
            Ok(log) => log,
            Err(AuditError::Broken(broken)) => {
                assert_eq!(broken.damage.code(), "torn_tail", "{broken}");
                let Repair::Done(done) = repair(&world.dir, now(), PROJECT, &[]).unwrap() else {
                    panic!("nothing to repair")
                };
                assert_eq!(done.kept.len(), 1);
                world.log()
            }
            Err(error) => panic!("{error}"),
        };
        log.append(now(), &event(0)).unwrap();
        assert_eq!(world.verify().head, log.head());
    }
}

/// The lock of snodo's own: another one that holds either file keeps a writer out, for ten seconds, and no reader of a good log.
#[test]
fn a_lock_that_is_not_given_up_is_waited_for_ten_seconds() {
    std::thread::scope(|scope| {
        for name in ["audit.log", "audit.log.lock"] {
            scope.spawn(move || {
                let world = World::with_events(1);
                let mut log = world.log();
                let holder = std::fs::File::open(world.path(name)).unwrap();
                rustix::fs::flock(&holder, rustix::fs::FlockOperation::LockExclusive).unwrap();
                assert_eq!(world.verify().events, 1);
                let begin = std::time::Instant::now();
                let error = log.append(now(), &event(1)).unwrap_err();
                assert!(begin.elapsed() >= Duration::from_secs(10), "{:?}", begin.elapsed());
                assert_eq!(
                    error.to_string(),
                    format!(
                        "another process holds the lock `.snodo/{name}` for more than 10 s: see whether a snodo hangs, and stop it"
                    )
                );
                drop(holder);
                log.append(now(), &event(1)).unwrap();
            });
        }
    });
}
