//! How a coder can fail: each with its outcome, one clear sentence, and a workspace that is as before.

use serde_json::{Value, json};

use crate::support::finished::{changes, plugin};
use crate::support::script::{script, steps, write};
use crate::support::{Sandbox, guest};

/// Small enough to be reached soon; computing is bounded in whole seconds.
const TIGHT: &str = "[limits]\nmemory_mib = 64\ncompute_seconds = 1\ntotal_seconds = 30\nhost_calls = 1000\ncall_mib = 1\nread_mib = 1\nsubmit_mib = 2\n";

/// Runs a task under tight limits; answers the reason.
#[track_caller]
fn fails(task: &str, halt_type: &str) -> (String, Value) {
    let sandbox = Sandbox::git().host_toml(TIGHT);
    let before = sandbox.tree();
    let report = sandbox
        .run(&[task, "--coder", &guest("guest_probe")])
        .ended(4, "environment_error", Some(halt_type));
    assert_eq!(before, sandbox.tree(), "the workspace");
    assert_eq!((&report["applied"], &report["changes"]), (&json!(false), &json!([])));
    assert_eq!(report["coder"]["cut_short"], false);
    assert!(
        report["gates"]
            .as_array()
            .unwrap()
            .iter()
            .all(|gate| gate["phase"] == "pre_execute"),
        "nothing was judged"
    );
    let reason = report["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("the coder `guest_probe` failed: "), "{reason}");
    assert!(!reason.contains('\n'), "{reason}");
    (reason, report)
}

#[test]
fn the_errors_of_the_contract_each_keep_their_words() {
    let cases = [
        (
            json!({ "error": "unusable-task", "why": "no patch in it" }),
            "execution_error",
            "no patch in it",
        ),
        (
            json!({ "error": "unreadable", "path": "a.txt", "why": "torn" }),
            "execution_error",
            "`a.txt` could not be read: torn",
        ),
        (
            json!({ "error": "refused", "path": ".git/config", "why": "protected" }),
            "execution_error",
            "the host refused `.git/config`: protected",
        ),
        (
            json!({ "error": "model", "why": "no answer" }),
            "execution_error",
            "model: no answer",
        ),
        (
            json!({ "error": "turn-budget", "turns": 17 }),
            "turn_budget_exhausted",
            "the turn budget of 17 is used up",
        ),
        (
            json!({ "error": "limit", "why": "calls", "allowed": 9 }),
            "limit_reached",
            "the limit `calls` of 9 is reached",
        ),
        (
            json!({ "error": "internal", "why": "oops \u{1b}[1m" }),
            "execution_error",
            "the plugin failed: oops \\u{1b}[1m",
        ),
    ];
    for (end, halt_type, words) in cases {
        let (reason, report) = fails(&script(json!([]), end), halt_type);
        assert!(reason.contains(words), "no `{words}` in {reason}");
        assert!(report["coder"]["error"].as_str().unwrap().contains(words), "{report:#}");
    }
}

#[test]
fn a_mismatch_names_file_hunk_and_nearest_line() {
    let end = json!({ "error": "does-not-apply", "path": "a.py", "hunk": 2, "nearest-line": 41, "why": "not there" });
    let (reason, _) = fails(&script(json!([]), end), "execution_error");
    assert!(
        reason.contains("`a.py`, hunk 2, nearest line 41: not there"),
        "{reason}"
    );
}

#[test]
fn a_trap_says_what_happened_and_where() {
    for (act, words) in [
        ("unreachable", "reached an `unreachable` instruction"),
        ("panic", "reached an `unreachable` instruction"),
        ("divide-by-zero", "divided by zero"),
    ] {
        let (reason, report) = fails(
            &steps(json!([{ "do": act, "message": "my last words" }])),
            "execution_error",
        );
        assert!(
            reason.contains("trapped: ") && reason.contains(words),
            "{act}: {reason}"
        );
        assert!(reason.contains(" in "), "no function is named: {reason}");
        if act == "panic" {
            let log = plugin(&report, "guest_probe")["log"]["stderr"].as_str().unwrap();
            assert!(log.contains("my last words"), "{log}");
        }
    }
}

#[test]
fn a_coder_that_exits_ends_itself_and_not_the_host() {
    for status in [0, 3] {
        let (reason, _) = fails(&steps(json!([{ "do": "exit", "status": status }])), "execution_error");
        assert!(reason.contains("ended itself with exit status"), "{reason}");
    }
}

#[test]
fn a_coder_that_loops_for_ever_is_ended() {
    let (reason, report) = fails(&steps(json!([{ "do": "loop-forever" }])), "limit_reached");
    assert!(
        reason.contains("computing time limit 1 s reached (an endless loop?)"),
        "{reason}"
    );
    assert!(plugin(&report, "guest_probe")["usage"]["compute_ms"].as_u64().unwrap() >= 1000);
}

#[test]
fn a_coder_that_asks_for_ten_gigabytes_is_ended() {
    let (reason, report) = fails(
        &steps(json!([{ "do": "allocate", "bytes": 10_737_418_240_u64 }])),
        "limit_reached",
    );
    assert!(reason.contains("memory limit 64 MiB reached"), "{reason}");
    assert!(
        plugin(&report, "guest_probe")["usage"]["memory_bytes"]
            .as_u64()
            .unwrap()
            <= 64 << 20
    );
}

#[test]
fn ten_gigabytes_are_too_much_without_any_setting_of_the_users() {
    let sandbox = Sandbox::new();
    let task = steps(json!([{ "do": "allocate", "bytes": 10_737_418_240_u64 }]));
    let report =
        sandbox
            .run(&[&task, "--coder", &guest("guest_probe")])
            .ended(4, "environment_error", Some("limit_reached"));
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("memory limit 512 MiB reached"),
        "{report:#}"
    );
}

#[test]
fn deep_recursion_is_a_fault_of_the_coder() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let task = steps(json!([{ "do": "recurse" }]));
    let finished = sandbox.run(&[&task, "--coder", &guest("guest_probe")]);
    // Rust's own stack lies in linear memory and may overflow before the engine's does: either way it is named for the author.
    let report = finished.json();
    assert_eq!(
        (finished.code, &report["outcome"]),
        (4, &json!("environment_error")),
        "{report:#}"
    );
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.contains("stack"), "{reason}");
    assert_eq!(before, sandbox.tree());
}

#[test]
fn a_flood_of_calls_is_ended() {
    let (reason, _) = fails(
        &steps(json!([{ "do": "flood", "call": "read-file", "path": "README.md" }])),
        "limit_reached",
    );
    assert!(reason.contains("limit of 1000 host calls reached"), "{reason}");
}

#[test]
fn a_call_that_hands_over_too_much_is_ended() {
    let big = json!({ "do": "submit-files", "operations": [{ "write": "big.txt", "fill": 3_000_000 }] });
    let (reason, _) = fails(&steps(json!([big])), "limit_reached");
    assert!(
        reason.contains("limit of 1 MiB handed over in one call reached"),
        "{reason}"
    );
}

#[test]
fn reading_and_submitting_too_much_in_all_is_ended() {
    let sandbox = Sandbox::new().with("large.txt", "x".repeat(400_000)).host_toml(TIGHT);
    let before = sandbox.tree();
    let read = json!({ "do": "read-file", "path": "large.txt" });
    let task = steps(json!([read, read, read, read]));
    let report =
        sandbox
            .run(&[&task, "--coder", &guest("guest_probe")])
            .ended(4, "environment_error", Some("limit_reached"));
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("limit of 1 MiB read in all reached"),
        "{report:#}"
    );
    let write = |n: u32| json!({ "do": "submit-files", "operations": [{ "write": format!("{n}.txt"), "fill": 900_000 }, { "delete": "docs/guide.md" }] });
    let task = steps(json!([write(1), write(2), write(3), write(4)]));
    let finished = sandbox.run(&[&task, "--coder", &guest("guest_probe"), "--dry-run"]);
    let report = finished.completed();
    assert_eq!(report["coder"]["cut_short"], true);
    assert!(
        report["coder"]["error"]
            .as_str()
            .unwrap()
            .contains("limit of 2 MiB submitted in all reached"),
        "{report:#}"
    );
    assert_eq!(before, sandbox.tree());
}

#[test]
fn a_coder_that_waits_too_long_is_out_of_time() {
    // It waits for a program: that is none of its own computing, and counts for the whole invocation.
    let limits = "[limits]\ncompute_seconds = 1\ntotal_seconds = 1\n";
    let sandbox = Sandbox::new().host_toml(limits);
    let task = steps(json!([{ "do": "run-tests", "path": null }]));
    let started = std::time::Instant::now();
    let arguments = [
        task.as_str(),
        "--coder",
        &guest("guest_probe"),
        "--test-command",
        "sleep 600",
    ];
    let report = sandbox.run(&arguments).ended(4, "environment_error", Some("timed_out"));
    assert!(
        started.elapsed() < std::time::Duration::from_mins(1),
        "it waited for the program"
    );
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.contains("time limit 1 s for the whole call reached"), "{reason}");
    assert_eq!(report["runner"][0]["exit"], "interrupted");
}

#[test]
fn work_that_was_delivered_before_a_trap_is_judged_and_flagged() {
    for act in ["unreachable", "loop-forever", "exit"] {
        let sandbox = Sandbox::new().host_toml(TIGHT);
        let task = steps(json!([write("half.txt", "half of it\n"), { "do": act }]));
        let report = sandbox.run(&[&task, "--coder", &guest("guest_probe")]).completed();
        assert_eq!(changes(&report), ["added half.txt"]);
        assert_eq!(
            (&report["coder"]["cut_short"], &report["applied"]),
            (&json!(true), &json!(true)),
            "{act}"
        );
        assert!(report["coder"]["error"].is_string(), "{report:#}");
        assert_eq!(sandbox.read("half.txt"), "half of it\n");
        let warnings = report["warnings"].to_string();
        assert!(
            warnings.contains("did not come to its end") && warnings.contains("are judged"),
            "{warnings}"
        );
    }
}

#[test]
fn work_that_was_delivered_before_an_error_can_be_blocked_too() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let task = script(
        json!([write("half.txt", "half of it\n")]),
        json!({ "error": "internal", "why": "gave up" }),
    );
    let arguments = [
        task.as_str(),
        "--coder",
        &guest("guest_probe"),
        "--validator",
        "scope",
        "--set",
        "scope.paths=src",
    ];
    let report = sandbox.run(&arguments).ended(1, "blocker", Some("blocked"));
    assert_eq!(report["coder"]["cut_short"], true);
    assert_eq!(before, sandbox.tree());
}

#[test]
fn sleeping_costs_no_time_and_the_clock_is_the_hosts() {
    let sandbox = Sandbox::new();
    let day = 24 * 60 * 60 * 1000;
    let task = steps(json!([{ "do": "std-sleep", "ms": day }, { "do": "std-time" }]));
    let started = std::time::Instant::now();
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"])
        .completed();
    assert!(started.elapsed() < std::time::Duration::from_mins(1));
    let answers = crate::support::script::answers(&report);
    assert!(answers[0]["ok"]["slept-ms"].as_u64().unwrap() >= day, "{answers:?}");
    let shown = answers[1]["ok"]["unix-seconds"].as_u64().unwrap();
    let start = report["started_at"].as_u64().unwrap();
    assert!(
        (start + day / 1000..start + day / 1000 + 60).contains(&shown),
        "{shown} after {start}"
    );
}

#[test]
fn the_standard_library_finds_nothing_of_the_machine() {
    let sandbox = Sandbox::new();
    let task = steps(json!([
        { "do": "std-fs", "how": "read", "path": "README.md" },
        { "do": "std-fs", "how": "list", "path": "/" },
        { "do": "std-fs", "how": "write", "path": "/tmp/snodo-escape", "text": "x" },
        { "do": "std-env" },
        { "do": "std-process", "program": "/bin/true" },
        { "do": "std-thread" },
        { "do": "std-stdin" },
    ]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"])
        .completed();
    let answers = crate::support::script::answers(&report);
    for n in [0, 1, 2, 4, 5] {
        assert!(answers[n]["error"].is_object(), "step {n}: {:#}", answers[n]);
    }
    assert_eq!(answers[3]["ok"], json!({ "variables": [], "arguments": [] }));
    assert_eq!(answers[6]["ok"], json!({ "bytes": 0, "line": "" }));
    assert!(!std::path::Path::new("/tmp/snodo-escape").exists());
}
