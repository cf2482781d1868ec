//! A log that cannot be used, and a `.snodo` that is none: one clear end each, and nothing is made worse.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use super::{attempts, does, run, unanimous, under, writes};
use crate::support::chain::{of, replay};
use crate::support::script::write;
use crate::support::{Finished, Sandbox, guest};

const LOG: &str = ".snodo/audit.log";

fn more() -> String {
    attempts(&[does(json!([write("src/more.py", "more\n")]))])
}

/// A workspace in which a run completed.
fn with_a_log() -> Sandbox {
    let sandbox = under(&unanimous(""));
    run(&sandbox, &writes(), &json!({}), &[]).completed();
    sandbox
}

/// The run stops before anybody is asked, and the log is left as it is.
#[track_caller]
fn stops(sandbox: &Sandbox, words: &[&str]) {
    let log = || fs::read(sandbox.workspace().join(LOG)).ok();
    let before = (log(), sandbox.tree());
    let report = run(sandbox, &more(), &json!({}), &[]).ended(3, "validator_error", Some("validator_error"));
    assert_eq!(
        (&report["coder"], &report["gates"], &report["audit"]),
        (&Value::Null, &json!([]), &Value::Null)
    );
    let reason = report["reason"].as_str().unwrap();
    for word in words {
        assert!(reason.contains(word), "no `{word}` in {reason}");
    }
    assert_eq!(before, (log(), sandbox.tree()));
}

/// The log's text, changed.
fn rewrite(sandbox: &Sandbox, change: impl FnOnce(&str) -> String) {
    let text = sandbox.read(LOG);
    let changed = change(&text);
    assert_ne!(text, changed);
    sandbox.put(LOG, changed);
}

#[test]
fn an_event_that_was_changed_is_found_before_anything_is_done() {
    let sandbox = with_a_log();
    rewrite(&sandbox, |text| text.replacen("\"pass\"", "\"warn\"", 1));
    stops(&sandbox, &["the audit log does not verify", "snodo-host audit repair"]);
    // The way out that it names.
    assert_eq!(sandbox.call(&["audit", "verify"]).code, 1);
}

#[test]
fn every_kind_of_damage_stops_the_run() {
    type Change = fn(&str) -> String;
    let damages: [(&str, Change); 5] = [
        ("a line without its end", |text| text[..text.len() - 40].to_owned()),
        ("a line that is missing", |text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.remove(3);
            lines.join("\n") + "\n"
        }),
        ("two lines the other way round", |text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.swap(3, 4);
            lines.join("\n") + "\n"
        }),
        ("what is no event", |text| format!("{text}{{}}\n")),
        ("what is no text", |text| format!("{text}\u{0}\n")),
    ];
    for (what, damage) in damages {
        println!("{what}");
        let sandbox = with_a_log();
        rewrite(&sandbox, damage);
        stops(&sandbox, &["the audit log does not verify"]);
    }
}

#[test]
fn a_tail_that_was_taken_away_since_the_last_run_is_found() {
    for keep in [0, 1, 8] {
        let sandbox = with_a_log();
        // What is left is a log that verifies by itself.
        rewrite(&sandbox, |text| text.split_inclusive('\n').take(keep).collect());
        stops(&sandbox, &["the audit log does not verify"]);
    }
    let sandbox = with_a_log();
    fs::remove_file(sandbox.workspace().join(LOG)).unwrap();
    let report = run(&sandbox, &more(), &json!({}), &[]).ended(3, "validator_error", Some("validator_error"));
    assert_eq!(report["coder"], Value::Null);
    // The control: a workspace that this user's state knows nothing of.
    let sandbox = with_a_log();
    rewrite(&sandbox, |text| text.split_inclusive('\n').take(8).collect());
    for entry in fs::read_dir(sandbox.state()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        }
    }
    run(&sandbox, &more(), &json!({}), &[]).completed();
}

#[test]
fn a_chain_that_was_made_anew_is_found() {
    let sandbox = with_a_log();
    // Of another workspace: it verifies, and is not the one that was.
    let other = with_a_log();
    rewrite(&sandbox, |_| other.read(LOG));
    stops(&sandbox, &["the audit log does not verify"]);
}

#[test]
fn a_folder_that_is_gone_is_said() {
    let sandbox = with_a_log();
    fs::remove_dir_all(sandbox.workspace().join(".snodo")).unwrap();
    let report = run(&sandbox, &more(), &json!({}), &[]).completed();
    assert_eq!(report["audit"], Value::Null);
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("this workspace had an audit log up to event"),
        "{warnings}"
    );
}

#[test]
fn a_log_that_is_no_file_is_not_opened() {
    let outside = |sandbox: &Sandbox| sandbox.path().join("outside");
    let kinds: [(&str, fn(&std::path::Path, &std::path::Path)); 4] = [
        ("link", |log, outside| symlink(outside, log).unwrap()),
        ("dangling", |log, outside| {
            symlink(outside.with_extension("no"), log).unwrap()
        }),
        ("fifo", |log, _| {
            assert!(Command::new("mkfifo").arg(log).status().unwrap().success())
        }),
        ("folder", |log, _| fs::create_dir(log).unwrap()),
    ];
    for file in [LOG, ".snodo/audit.log.lock"] {
        for (what, make) in kinds {
            println!("{file}: {what}");
            let sandbox = under(&unanimous(""));
            fs::write(outside(&sandbox), "mine\n").unwrap();
            make(&sandbox.workspace().join(file), &outside(&sandbox));
            let before = sandbox.tree();
            let finished = run(&sandbox, &writes(), &json!({}), &[]);
            // Seen before anything begins, or when the log is opened.
            let why = if finished.code == 64 {
                finished.refused()
            } else {
                let report = finished.ended(3, "validator_error", Some("validator_error"));
                assert_eq!(report["coder"], Value::Null);
                report["reason"].as_str().unwrap().to_owned()
            };
            assert!(why.contains(file), "{why}");
            assert_eq!(before, sandbox.tree());
            assert_eq!(fs::read_to_string(outside(&sandbox)).unwrap(), "mine\n");
            assert!(!outside(&sandbox).with_extension("no").exists());
        }
    }
}

#[test]
fn a_snodo_that_is_no_folder_is_no_place_for_a_log() {
    let kinds: [(&str, fn(&std::path::Path, &std::path::Path)); 3] = [
        ("file", |path, _| fs::write(path, "x").unwrap()),
        ("link", |path, outside| symlink(outside, path).unwrap()),
        ("fifo", |path, _| {
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success())
        }),
    ];
    for (what, make) in kinds {
        println!("{what}");
        let sandbox = Sandbox::git();
        let outside = sandbox.path().join("outside");
        fs::create_dir(&outside).unwrap();
        make(&sandbox.workspace().join(".snodo"), &outside);
        let file = sandbox.path().join("team.yml");
        fs::write(&file, unanimous("")).unwrap();
        // It could hold a protocol, and with one from elsewhere it would hold the log.
        for more in [&[][..], &["--protocol", file.to_str().unwrap()]] {
            let why = run(&sandbox, &writes(), &json!({}), more).refused();
            assert!(why.contains("`.snodo` in the workspace is a"), "{why}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}

/// Runs the binary where a script has prepared `.snodo`, in a mount namespace of its own; none, with the reason printed, where the machine
/// has none for us.
fn mounted(sandbox: &Sandbox, prepare: &str, task: &str) -> Option<Finished> {
    let (coder, judge) = (guest("guest_probe"), guest("guest_judge"));
    let inner = sandbox.command(&["run", "--json", task, "--coder", &coder, "--validator", &judge]);
    let mut command = Command::new("unshare");
    command
        .args(["-Urm", "sh", "-euc"])
        .arg(format!("{{ {prepare}; }} || exit 99; exec \"$@\""))
        .arg("sh")
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(sandbox.workspace())
        .env_clear();
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let output = match command.output() {
        Ok(output) if output.status.code() != Some(99) && !output.stdout.is_empty() => output,
        other => {
            println!("skipped: no mount namespace to be had here: {other:?}");
            return None;
        }
    };
    let finished = Finished::of(&output);
    finished.check_against_the_schema();
    Some(finished)
}

#[test]
fn a_snodo_that_cannot_be_written_to_stops_the_run() {
    for (what, sandbox) in [("new", under(&unanimous(""))), ("old", with_a_log())] {
        println!("{what}");
        let before = sandbox.tree();
        let prepare = "mount --bind .snodo .snodo && mount -o remount,ro,bind .snodo";
        let Some(finished) = mounted(&sandbox, prepare, &more()) else {
            return;
        };
        let report = finished.ended(3, "validator_error", Some("validator_error"));
        let reason = report["reason"].as_str().unwrap();
        assert!(
            reason.contains("the audit log cannot be used") && reason.contains("Read-only"),
            "{reason}"
        );
        assert_eq!(report["coder"], Value::Null);
        assert_eq!(before, sandbox.tree());
    }
}

#[test]
fn a_disk_that_is_full_stops_the_run_wherever_that_happens() {
    // From room for nothing to room for all events.
    let mut ends = std::collections::BTreeSet::new();
    for kib in (0..=16).step_by(4) {
        let sandbox = under(&unanimous(""));
        let before = sandbox.tree();
        // Whole pages: the protocol takes one, and a file what the log shall not have.
        let prepare = format!(
            "cp .snodo/protocol.yml ../protocol.yml; mount -t tmpfs -o size=64k tmpfs .snodo; cp ../protocol.yml .snodo/; \
             dd if=/dev/zero of=.snodo/filler bs=1024 count={} status=none",
            60 - kib
        );
        let Some(finished) = mounted(&sandbox, &prepare, &writes()) else {
            return;
        };
        let report = finished.json();
        let end = (
            report["outcome"].as_str().unwrap().to_owned(),
            report["applied"] == true,
        );
        println!("{kib} KiB: {end:?} {}", report["reason"]);
        let changed = before.differences(&sandbox.tree());
        if report["applied"] == true {
            assert_eq!(report["outcome"], "completed");
            assert!(changed.contains(&"src/new.py".to_owned()));
        } else {
            assert_eq!(changed, [] as [&str; 0]);
            assert_eq!(finished.code, 4, "{report:#}");
            assert!(
                report["reason"]
                    .as_str()
                    .unwrap()
                    .contains("the audit log could not be written"),
                "{report:#}"
            );
        }
        ends.insert(end);
    }
    let all = [("completed".to_owned(), true), ("environment_error".to_owned(), false)];
    assert_eq!(ends, all.into());
}

#[test]
fn a_run_under_a_log_that_was_repaired_goes_on() {
    let sandbox = with_a_log();
    rewrite(&sandbox, |text| text[..text.len() - 40].to_owned());
    stops(&sandbox, &["the audit log does not verify"]);
    let repaired = sandbox.call(&["audit", "repair"]);
    assert_eq!(repaired.code, 0, "{repaired:#?}");
    let report = run(&sandbox, &more(), &json!({}), &[]).completed();
    let log = replay(&sandbox, &report);
    assert!(!of(&log, "task_complete").is_empty());
}

#[test]
fn an_end_that_was_kept_and_cannot_be_read_is_not_taken_for_none() {
    let sandbox = with_a_log();
    let workspaces = fs::read_dir(sandbox.state().join("workspaces")).unwrap();
    let kept: Vec<_> = workspaces
        .map(|entry| entry.unwrap().path().join("audit-head.json"))
        .collect();
    assert_eq!(kept.len(), 1);
    fs::write(&kept[0], "{}").unwrap();
    stops(
        &sandbox,
        &["the end of the audit log that the last run left cannot be read"],
    );
}
