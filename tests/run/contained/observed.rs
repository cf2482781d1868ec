//! How an execution ended, kept as it is; and what it printed.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{execution, plainly, printed, test};
use crate::support::finished::{handed_over, said};
use crate::support::script::{answers, steps};
use crate::support::{Finished, Sandbox, guest};

/// A workspace with a script that may be executed.
fn with_script(text: &str) -> Sandbox {
    let sandbox = Sandbox::git().with("t.sh", text);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.workspace().join("t.sh"), mode).unwrap();
    sandbox
}

#[test]
fn d11_codes_and_signals_are_not_the_same() {
    for (command, exit) in [
        ("exit 1;", json!({ "code": 1 })),
        ("exit 255;", json!({ "code": 255 })),
        ("kill -9 $$", json!({ "signal": 9 })),
        ("kill -SEGV $$", json!({ "signal": 11 })),
        ("kill -TERM $$", json!({ "signal": 15 })),
    ] {
        let report = test(&Sandbox::git(), command, &[]).ended(1, "blocker", Some("blocked"));
        assert_eq!(execution(&report)["exit"], exit, "{command}");
        let why = said(&report, "post_execute", "quality")["justification"]
            .as_str()
            .unwrap();
        let words = match exit["code"].as_i64() {
            Some(code) => format!("exited with {code}"),
            None => format!("was ended by signal {}", exit["signal"]),
        };
        assert!(why.contains(&words), "{why}");
    }
}

#[test]
fn d11_codes_126_and_127_of_a_script_are_its_own_and_of_the_shell_are_not() {
    for code in [126, 127] {
        let sandbox = with_script(&format!("#!/bin/sh\nexit {code}\n"));
        let report = test(&sandbox, "./t.sh", &[]).ended(1, "blocker", Some("blocked"));
        assert_eq!(execution(&report)["exit"], json!({ "code": code }));
    }
    let report = test(&Sandbox::git(), "no-such-program && true", &[]);
    let report = report.ended(3, "validator_error", Some("validator_error"));
    let why = said(&report, "post_execute", "quality")["justification"]
        .as_str()
        .unwrap();
    assert!(
        why.contains("the shell ended with 127") && why.contains("no-such-program"),
        "{why}"
    );
    assert_eq!(execution(&report)["exit"], json!({ "code": 127 }));
}

/// What a coder is answered, and what the validator makes of it.
#[track_caller]
fn not_run(sandbox: &Sandbox, command: &str) -> (Value, String) {
    let task = steps(json!([
        { "do": "submit-files", "operations": [{ "write": "a.txt", "text": "a\n" }] },
        { "do": "run-tests", "path": null },
    ]));
    let probe = guest("guest_probe");
    let finished = sandbox.run(&[&task, "--coder", &probe, "--test-command", command]);
    sandbox.assert_nothing_is_left();
    let report = finished.ended(3, "validator_error", Some("validator_error"));
    assert_eq!(report["runner"], json!([]), "nothing was executed");
    let why = said(&report, "post_execute", "quality")["justification"]
        .as_str()
        .unwrap()
        .to_owned();
    (answers(&report)[1]["error"].clone(), why)
}

#[test]
fn d11_what_cannot_be_started_is_told_by_its_reason() {
    // It may be executed as far as anybody can tell before.
    let (error, why) = not_run(&with_script("#!/no/such/interpreter -x\n"), "./t.sh");
    assert!(
        why.contains("its interpreter `/no/such/interpreter` is not there"),
        "{why}"
    );
    assert!(error.to_string().contains("/no/such/interpreter"), "{error}");
    assert_ne!(error["kind"], "program-not-found");

    // Before the coder: a folder, and a file that may not be executed.
    for (command, words) in [
        ("./src", "is there and cannot be executed"),
        ("./README.md", "cannot be executed"),
    ] {
        let report = test(&Sandbox::git(), command, &[]).ended(3, "validator_error", Some("validator_error"));
        assert_eq!(report["coder"], Value::Null);
        assert!(report["reason"].as_str().unwrap().contains(words), "{report:#}");
    }
}

#[test]
fn a_program_that_the_coder_took_away_is_not_found() {
    let sandbox = with_script("#!/bin/sh\nexit 0\n");
    let task = steps(json!([
        { "do": "submit-files", "operations": [{ "delete": "t.sh" }] },
        { "do": "run-tests", "path": null },
    ]));
    let probe = guest("guest_probe");
    let finished = sandbox.run(&[&task, "--coder", &probe, "--test-command", "./t.sh"]);
    let report = finished.ended(3, "validator_error", Some("validator_error"));
    assert_eq!(
        answers(&report)[1]["error"],
        json!({ "kind": "program-not-found", "program": "./t.sh" })
    );
}

#[test]
fn d10_standard_input_is_empty_and_there_is_no_terminal() {
    let sandbox = Sandbox::git();
    let started = Instant::now();
    let command = "cat; echo \"cat: $?\"; read x; echo \"read: $?\"; sort | wc -l; \
                   (echo x > /dev/tty) 2>/dev/null; echo \"tty: $?\"; set -- $(sed 's/.*) //' /proc/self/stat); echo \"terminal: $5\"";
    let seen = printed(&sandbox, command);
    for line in ["cat: 0", "read: 1", "0", "terminal: 0"] {
        assert!(seen.lines().any(|l| l.trim() == line), "no `{line}` in {seen}");
    }
    assert!(!seen.contains("tty: 0"), "{seen}");
    assert!(started.elapsed() < Duration::from_mins(1), "it waited");
}

#[test]
fn d10_what_the_host_is_given_as_input_is_not_theirs() {
    let sandbox = Sandbox::git();
    let given = sandbox.path().join("given");
    std::fs::write(&given, "typed-by-the-user\n").unwrap();
    let open = || std::fs::File::open(&given).unwrap();
    let plain = std::process::Command::new("cat").stdin(open()).output().unwrap();
    assert_eq!(plain.stdout, b"typed-by-the-user\n", "the control");
    for flags in [&[][..], &["--sandbox", "off"]] {
        let arguments = [
            &[
                "run",
                "--json",
                "anything",
                "--mock",
                "--dry-run",
                "--test-command",
                "cat",
            ],
            flags,
        ]
        .concat();
        let finished = Finished::of(&sandbox.command(&arguments).stdin(open()).output().unwrap());
        assert_eq!(execution(&finished.completed())["output_tail"], "");
    }
}

#[test]
fn d10_a_session_of_its_own() {
    let sandbox = Sandbox::git();
    let session = |text: &str| -> Vec<String> { text.split_whitespace().map(ToOwned::to_owned).collect() };
    let command = "sed 's/.*) //' /proc/$$/stat | cut -d' ' -f4; echo $$";
    let seen = session(&printed(&sandbox, command));
    assert_eq!(seen[0], seen[1], "it leads its session");
    let plain = session(&plainly(&sandbox, command).1);
    assert_ne!(plain[0], plain[1], "the control");
}

#[test]
fn d09_two_gigabytes_of_output_are_drained_in_little_memory() {
    let sandbox = Sandbox::git();
    let command = "echo first; yes filler | head -c 2100000000; echo last; echo last of errors >&2; exit 1";
    let mut running = sandbox.start(&["anything", "--mock", "--test-command", command]);
    running.wait_for("running `");
    let status = format!("/proc/{}/status", running.id());
    let highest = || -> Option<u64> {
        let status = std::fs::read_to_string(&status).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let before = highest().unwrap();
    let watching = std::thread::spawn({
        let status = status.clone();
        move || {
            let mut highest = 0;
            while let Ok(text) = std::fs::read_to_string(&status) {
                let Some(line) = text.lines().find(|line| line.starts_with("VmHWM:")) else {
                    break;
                };
                highest = line.split_whitespace().nth(1).unwrap().parse().unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
            highest
        }
    });
    let (finished, _) = running.finish();
    let after: u64 = watching.join().unwrap();
    assert!(after < before + 64 * 1024, "from {before} to {after} KiB");
    let report = finished.ended(1, "blocker", Some("blocked"));
    assert_eq!(execution(&report)["exit"], json!({ "code": 1 }));
    let tail = execution(&report)["output_tail"].as_str().unwrap();
    assert!(
        tail.contains("filler\nlast\n") && tail.ends_with("last of errors\n"),
        "{tail}"
    );
    sandbox.assert_nothing_is_left();
}

/// What the runner guest was answered.
#[track_caller]
fn seen(command: &str) -> Value {
    let judge = guest("guest_runner");
    let arguments = ["--validator", &judge, "--grant", "guest_runner:runner"];
    let report = test(&Sandbox::git(), command, &arguments).json();
    handed_over(said(&report, "post_execute", "guest_runner"))[0]["ok"].clone()
}

#[test]
fn d09_head_and_tail_are_kept_and_the_bytes_between_counted() {
    let seen = seen("echo first; yes filler | head -c 2100000; echo last");
    let out = &seen["stdout"];
    let (head, tail) = (out["head"].as_str().unwrap(), out["tail"].as_str().unwrap());
    assert!(
        head.starts_with("first\nfiller\n") && tail.ends_with("filler\nlast\n"),
        "{out}"
    );
    let kept = u64::try_from(head.len() + tail.len()).unwrap();
    assert_eq!(out["dropped"].as_u64().unwrap() + kept, 2_100_000 + 6 + 5);
}

#[test]
fn d09_whatever_bytes_it_prints_are_harmless() {
    let seen = seen(
        "printf '\\377\\376\\000'; printf '\\033[2J\\033]8;;http://x\\007\\033]52;c;eA==\\007'; printf 'a 10%%\\ra 20%%\\r\\n'; \
         printf '\\342\\200\\256rtl' >&2",
    );
    let out = seen["stdout"]["head"].as_str().unwrap();
    assert!(out.starts_with("\\xff\\xfe"), "{out}");
    for raw in ['\0', '\u{1b}', '\u{7}', '\r'] {
        assert!(!out.contains(raw), "{out:?}");
    }
    assert!(seen["stdout"]["escaped"].as_u64().unwrap() >= 6, "{seen:#}");
    assert!(
        !seen["stderr"]["head"].as_str().unwrap().contains('\u{202e}'),
        "{seen:#}"
    );
}

#[test]
fn d09_both_streams_in_turn_with_a_full_pipe_of_errors() {
    // Whoever reads one stream to its end before the other never comes to the end of this.
    let command = "for n in 1 2 3; do yes e | head -c 300000 >&2; yes o | head -c 300000; done; echo end";
    let seen = seen(command);
    assert_eq!(seen["exit"], json!({ "code": 0 }));
    assert!(seen["stdout"]["tail"].as_str().unwrap().ends_with("end\n"));
    // One line without an end.
    let long = self::seen("head -c 10000000 /dev/zero | tr '\\0' x");
    assert!(long["stdout"]["dropped"].as_u64().unwrap() > 9_000_000);
}
