//! Ctrl-C, and two runs at once.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::machine::processes_naming;
use crate::support::script::{steps, write};
use crate::support::{Sandbox, guest};

/// As long as a person waits without wondering.
const SOON: Duration = Duration::from_secs(1);

fn loops() -> String {
    steps(json!([write("half.txt", "half\n"), { "do": "loop-forever" }]))
}

#[track_caller]
fn interrupted(sandbox: &Sandbox, arguments: &[&str], when: &str, signal: Signal) -> Value {
    let before = sandbox.tree();
    let mut running = sandbox.start(arguments);
    running.wait_for(when);
    running.signal(signal);
    let (finished, took) = running.finish();
    assert!(took < SOON, "it took {took:?}");
    finished.check_against_the_schema();
    assert_eq!(before, sandbox.tree());
    finished.ended(130, "environment_error", Some("interrupted"))
}

#[test]
fn a_coder_that_loops_is_left_within_a_second() {
    for signal in [Signal::INT, Signal::TERM] {
        let sandbox = Sandbox::git();
        let report = interrupted(
            &sandbox,
            &[&loops(), "--coder", &guest("guest_probe")],
            "coder `guest_probe` works",
            signal,
        );
        assert_eq!(report["applied"], false);
        assert!(
            report["reason"].as_str().unwrap().contains("nothing was changed"),
            "{report:#}"
        );
    }
}

#[test]
fn a_validator_that_loops_is_left_within_a_second() {
    let sandbox = Sandbox::git();
    let arguments = [
        "anything",
        "--mock",
        "--validator",
        &guest("guest_judge"),
        "--set",
        "guest_judge.behaviour=loop",
    ];
    interrupted(&sandbox, &arguments, "gate before execution", Signal::INT);
}

#[test]
fn a_test_command_is_ended_with_the_run_and_its_scratch_removed() {
    for flags in [&[][..], &["--sandbox", "off"]] {
        let sandbox = Sandbox::git();
        // It would sleep for ten minutes, in a session of its own, for a time that no other process of the machine sleeps for.
        let sleeps = format!(
            "sleep 600.{}",
            sandbox
                .path()
                .display()
                .to_string()
                .replace(|c: char| !c.is_ascii_digit(), "")
                + &std::process::id().to_string()
        );
        let command = format!("setsid {sleeps} & wait");
        let before = sandbox.tree();
        let running = sandbox.start(&[&["anything", "--mock", "--test-command", &command], flags].concat());
        // The second is the shell, whose argument it is.
        wait_until("it did not start", || {
            processes_naming(&sleeps).iter().any(|line| line.starts_with("sleep"))
        });
        running.signal(Signal::INT);
        let (finished, took) = running.finish();
        assert!(took < SOON, "it took {took:?}");
        finished.ended(130, "environment_error", Some("interrupted"));
        assert_eq!(
            processes_naming(&sleeps),
            [] as [&str; 0],
            "a program of the run is still there"
        );
        assert_eq!(before, sandbox.tree());
        sandbox.assert_nothing_is_left();
    }
}

#[track_caller]
fn wait_until(else_: &str, is_so: impl Fn() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{else_}");
}

#[test]
fn a_second_run_in_the_same_workspace_is_told_who_works_there() {
    let sandbox = Sandbox::git();
    let mut first = sandbox.start(&[&loops(), "--coder", &guest("guest_probe")]);
    first.wait_for("coder `guest_probe` works");
    let before = sandbox.tree();
    let second = sandbox
        .run(&["anything", "--mock"])
        .ended(4, "environment_error", Some("environment_error"));
    let reason = second["reason"].as_str().unwrap();
    assert!(
        reason.contains(&format!(
            "another run (process {}) is at work in this workspace",
            first.id()
        )),
        "{reason}"
    );
    assert_eq!((&second["coder"], &second["gates"]), (&Value::Null, &json!([])));
    assert_eq!(before, sandbox.tree());

    // In another workspace of the same user there is no such thing.
    std::fs::create_dir(sandbox.path().join("elsewhere")).unwrap();
    sandbox
        .run(&["anything", "--mock", "--workspace", "../elsewhere"])
        .completed();

    first.signal(Signal::INT);
    first.finish().0.ended(130, "environment_error", Some("interrupted"));
    sandbox.run(&["anything", "--mock"]).completed();
}

#[test]
fn the_lock_of_a_run_that_was_killed_is_taken_over_and_that_is_said() {
    let sandbox = Sandbox::git();
    let mut first = sandbox.start(&[&loops(), "--coder", &guest("guest_probe")]);
    first.wait_for("coder `guest_probe` works");
    let id = first.id();
    first.signal(Signal::KILL);
    first.finish();
    assert!(!sandbox.exists("half.txt"));
    let report = sandbox.run(&["anything", "--mock"]).completed();
    let words = format!("the lock of process {id}, which no longer runs, was taken over");
    assert!(report["warnings"].to_string().contains(&words), "{report:#}");
    let report = sandbox.run(&["anything", "--mock", "--dry-run"]);
    assert!(!report.stdout.contains("taken over"), "said again: {}", report.stdout);
}

#[test]
fn an_interrupt_for_people_says_that_nothing_was_changed() {
    let sandbox = Sandbox::git();
    let mut command = sandbox.command(&["run", &loops(), "--coder", &guest("guest_probe")]);
    let mut running = crate::support::process::Running::of(command.spawn().unwrap());
    running.wait_for("coder `guest_probe` works");
    running.signal(Signal::INT);
    let (finished, _) = running.finish();
    assert_eq!(finished.code, 130);
    assert!(
        finished.stdout.contains("interrupted") && finished.stdout.contains("nothing was changed"),
        "{finished:#?}"
    );
}
