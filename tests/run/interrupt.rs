//! Ctrl-C, and two runs at once.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

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
fn a_test_command_is_ended_with_the_run_and_its_copy_removed() {
    let sandbox = Sandbox::git();
    let mark = sandbox.path().join("started");
    // The command says when it has started, by a file; then it would sleep for ten minutes, in a process of its own.
    let command = format!("echo $$ > {}; sleep 600 & wait", mark.display());
    let before = sandbox.tree();
    let running = sandbox.start(&["anything", "--mock", "--test-command", &command]);
    let group = wait_for_number(&mark);
    assert!(!alive_in(group).is_empty(), "it cannot be seen");
    running.signal(Signal::INT);
    let (finished, took) = running.finish();
    assert!(took < SOON, "it took {took:?}");
    finished.ended(130, "environment_error", Some("interrupted"));
    assert_eq!(before, sandbox.tree());
    assert_eq!(
        std::fs::read_dir(sandbox.state().join("scratch")).map_or(0, Iterator::count),
        0,
        "a copy is left"
    );
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        alive_in(group).is_empty()
    });
    assert!(gone, "a program of the run is still there");
}

/// Processes of a group that are more than an entry nobody has collected yet.
fn alive_in(group: i32) -> Vec<String> {
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    stats
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| {
            // `id (name) state parent group …`; the name may hold anything.
            let mut rest = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
            let (state, group_found) = (rest.next(), rest.nth(1));
            state != Some("Z") && group_found == Some(group.to_string().as_str())
        })
        .collect()
}

fn wait_for_number(file: &std::path::Path) -> i32 {
    for _ in 0..3_000 {
        if let Some(number) = std::fs::read_to_string(file)
            .ok()
            .and_then(|text| text.trim().parse().ok())
        {
            return number;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the test command did not start");
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
