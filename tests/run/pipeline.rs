//! From a task to an applied change, and what a run says of itself.

use serde_json::{Value, json};

use crate::support::finished::{changes, gate, plugin, results};
use crate::support::script::{steps, write};
use crate::support::{Sandbox, guest};

#[test]
fn the_mock_writes_exactly_its_two_files() {
    let sandbox = Sandbox::git();
    let before = sandbox.tree();
    let report = sandbox.run(&["anything", "--mock"]).completed();
    assert_eq!(changes(&report), ["added src/hello.py", "added tests/test_hello.py"]);
    assert_eq!(
        before.differences(&sandbox.tree()),
        ["src/hello.py", "tests", "tests/test_hello.py"]
    );
    assert!(sandbox.read("src/hello.py").contains("def hello() -> str:"));
    assert!(sandbox.read("tests/test_hello.py").contains("from hello import hello"));
    assert_eq!((&report["applied"], &report["dry_run"]), (&json!(true), &json!(false)));
    assert_eq!(
        report["changes"][1]["test_governing"].as_str().map(str::is_empty),
        Some(false),
        "{report:#}"
    );
    assert_eq!(report["changes"][0]["test_governing"], Value::Null);
    assert!(
        report["coder"]["report"]["notes"]
            .as_str()
            .unwrap()
            .contains("the task was not read")
    );
}

#[test]
fn mock_goes_before_any_other_coder() {
    let sandbox = Sandbox::new();
    let report = sandbox.run(&["anything", "--coder", "patch", "--mock"]).completed();
    assert_eq!(report["coder"]["name"], "mock");
}

#[test]
fn a_dry_run_judges_and_changes_nothing() {
    let sandbox = Sandbox::git();
    let before = sandbox.tree();
    let report = sandbox.run(&["anything", "--mock", "--dry-run"]).completed();
    assert_eq!(before, sandbox.tree());
    assert_eq!((&report["applied"], &report["dry_run"]), (&json!(false), &json!(true)));
    assert_eq!(changes(&report), ["added src/hello.py", "added tests/test_hello.py"]);
    assert_eq!(
        results(&report, "post_execute"),
        [("secrets".to_owned(), "pass".to_owned(), false, false)]
    );
}

#[test]
fn an_ad_hoc_run_is_judged_by_secrets_and_says_that_nobody_judged_before() {
    let sandbox = Sandbox::new();
    let report = sandbox.run(&["anything", "--mock"]).completed();
    assert_eq!(report["protocol"]["file"], Value::Null);
    assert_eq!(
        (&report["protocol"]["id"], &report["protocol"]["policy"]),
        (&json!("ad hoc"), &json!("unanimous"))
    );
    let before = gate(&report, "pre_execute");
    assert_eq!((&before["decision"], &before["results"]), (&json!("none"), &json!([])));
    assert_eq!(gate(&report, "post_execute")["decision"], "proceed");
    assert_eq!(
        results(&report, "post_execute"),
        [("secrets".to_owned(), "pass".to_owned(), false, false)]
    );
}

#[test]
fn a_test_command_brings_quality_and_validators_named_replace_the_default_ones() {
    let sandbox = Sandbox::new();
    let ids = |report: &Value| -> Vec<String> { results(report, "post_execute").into_iter().map(|r| r.0).collect() };
    let report = sandbox
        .run(&["anything", "--mock", "--dry-run", "--test-command", "true"])
        .completed();
    assert_eq!(ids(&report), ["secrets", "quality"]);
    let report = sandbox
        .run(&[
            "anything",
            "--mock",
            "--dry-run",
            "--validator",
            "scope",
            "--set",
            "scope.paths=src,tests",
        ])
        .completed();
    assert_eq!(ids(&report), ["scope"]);
}

#[test]
fn json_is_one_object_on_standard_output_and_everything_else_goes_to_standard_error() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["run", "--json", "anything", "--mock"]);
    command.env("SNODO_LOG", "debug");
    let finished = crate::support::Finished::of(&command.output().unwrap());
    finished.check_against_the_schema();
    assert!(finished.stderr.contains("coder `mock` works"), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("gate after execution: 1 validator"),
        "{}",
        finished.stderr
    );
    assert!(
        finished
            .stderr
            .contains("mock: writing the stub's function and its test"),
        "{}",
        finished.stderr
    );
    finished.completed();
}

#[test]
fn a_person_reads_outcome_verdicts_stat_and_where_the_report_is() {
    let sandbox = Sandbox::new();
    let finished = sandbox.run_for_people(&["anything", "--mock"]);
    assert_eq!(finished.code, 0);
    for words in [
        "completed  2 files changed",
        "gate before execution  empty: no validator judges in pre_execute",
        "gate after execution  proceed (unanimous: 1 of 1 pass)",
        "✓ secrets  pass",
        "A src/hello.py",
        "A tests/test_hello.py",
        "governs tests",
        "2 files,",
        "report ",
    ] {
        assert!(finished.stdout.contains(words), "no `{words}` in\n{}", finished.stdout);
    }
    assert!(
        !finished.stdout.contains('\u{1b}'),
        "colours where no terminal is: {:?}",
        finished.stdout
    );
    assert!(finished.stderr.contains("applying 2 files"), "{}", finished.stderr);
}

#[test]
fn the_report_is_kept_in_the_state_folder_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let report = sandbox.run(&["anything", "--mock"]).completed();
    let path = std::path::Path::new(report["report_path"].as_str().unwrap());
    assert!(path.starts_with(sandbox.state()), "{}", path.display());
    let kept: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(kept, report);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o077, 0);
    let patch = std::fs::read_to_string(path.with_file_name("change.patch")).unwrap();
    assert!(patch.contains("+++ b/src/hello.py"), "{patch}");
}

#[test]
fn the_report_says_what_each_plugin_is_may_and_used() {
    let sandbox = Sandbox::new();
    let probe = guest("guest_probe");
    let task = steps(
        json!([{ "do": "read-file", "path": "README.md" }, write("new.txt", "twelve bytes"), { "do": "progress", "message": "hello" }]),
    );
    let report = sandbox.run(&[&task, "--coder", &probe]).completed();
    let coder = plugin(&report, "guest_probe");
    assert_eq!((&coder["role"], &coder["origin"]), (&json!("coder"), &json!(probe)));
    let bytes = std::fs::read(&probe).unwrap();
    assert_eq!(coder["size"], bytes.len());
    let imports: Vec<&str> = coder["imports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i.as_str().unwrap())
        .collect();
    for import in ["read", "search", "submit", "runner"] {
        assert!(
            imports.contains(&format!("snodo:plugin/{import}@0.1.0").as_str()),
            "{imports:?}"
        );
    }
    let usage = &coder["usage"];
    assert_eq!(usage["host_calls"], 3, "{usage}");
    assert!(
        usage["read_bytes"].as_u64().unwrap() >= sandbox.read("README.md").len() as u64,
        "{usage}"
    );
    assert!(usage["submit_bytes"].as_u64().unwrap() >= 12, "{usage}");
    assert!(usage["memory_bytes"].as_u64().unwrap() >= 64 * 1024, "{usage}");
    let secrets = plugin(&report, "secrets");
    assert_eq!(
        (&secrets["role"], &secrets["origin"], &secrets["grants"]),
        (&json!("validator"), &json!("built-in"), &json!([]))
    );
    assert_eq!(report["task"]["spec"], task);
}

#[test]
fn what_a_coder_reports_stands_beside_what_it_did_and_moves_nothing() {
    let sandbox = Sandbox::new();
    let task = crate::support::script::script(
        json!([write("done.txt", "x\n"), write("silent.txt", "y\n")]),
        json!({ "report": { "files": [{ "path": "done.txt" }, { "path": "claimed.txt" }], "turns-used": 3, "notes": "all \u{1b}[31mgood" } }),
    );
    let report = sandbox.run(&[&task, "--coder", &guest("guest_probe")]).completed();
    assert_eq!(changes(&report), ["added done.txt", "added silent.txt"]);
    assert_eq!(report["coder"]["claimed_but_missing"], json!(["claimed.txt"]));
    assert_eq!(report["coder"]["unclaimed_but_present"], json!(["silent.txt"]));
    assert_eq!(report["coder"]["report"]["turns_used"], 3);
    assert_eq!(report["coder"]["report"]["notes"], "all \\u{1b}[31mgood");
    assert!(!sandbox.exists("claimed.txt"));
}

#[test]
fn the_plugins_own_progress_is_shown_and_made_harmless() {
    let sandbox = Sandbox::new();
    let task = steps(json!([
        { "do": "progress", "message": "half \u{1b}[2J of it\n", "done": 1, "total": 2 },
        write("a.txt", "a\n"),
    ]));
    let finished = sandbox.run_for_people(&[&task, "--coder", &guest("guest_probe")]);
    assert_eq!(finished.code, 0, "{finished:#?}");
    assert!(
        finished.stderr.contains("guest_probe: half \\u{1b}[2J of it\\n (1/2)"),
        "{}",
        finished.stderr
    );
    assert!(!finished.stderr.contains('\u{1b}'));
}

#[test]
fn what_a_plugin_prints_is_kept_capped_and_escaped_in_its_log_and_nowhere_else() {
    let sandbox = Sandbox::new();
    let task = steps(json!([
        { "do": "print", "to": "stdout", "text": "\u{1b}]0;title\u{7}visible\n", "times": 1 },
        { "do": "print", "to": "stderr", "text": "x", "times": 100_000 },
        write("a.txt", "a\n"),
    ]));
    let finished = sandbox.run(&[&task, "--coder", &guest("guest_probe")]);
    assert!(
        !finished.stdout.contains('\u{1b}') && !finished.stderr.contains("visible"),
        "{finished:#?}"
    );
    let report = finished.completed();
    let log = &plugin(&report, "guest_probe")["log"];
    assert_eq!(log["stdout"], "\\u{1b}]0;title\\u{7}visible\n");
    assert_eq!(log["stderr"].as_str().unwrap().len(), 65_536);
    assert_eq!(log["dropped"], 100_000 - 65_536);
}

#[test]
fn the_task_can_come_from_a_file_or_from_standard_input() {
    use std::io::Write as _;
    let sandbox = Sandbox::new();
    let task = steps(json!([write("from.txt", "a file\n")]));
    let file = sandbox.path().join("task.json");
    std::fs::write(&file, &task).unwrap();
    let probe = guest("guest_probe");
    let report = sandbox
        .run(&["--task-file", file.to_str().unwrap(), "--coder", &probe])
        .completed();
    assert_eq!(report["task"]["spec"], task);

    let mut command = sandbox.command(&["run", "--json", "--task-file", "-", "--coder", &probe, "--dry-run"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let other = steps(json!([write("from.txt", "standard input\n")]));
    child.stdin.take().unwrap().write_all(other.as_bytes()).unwrap();
    let report = crate::support::Finished::of(&child.wait_with_output().unwrap()).completed();
    assert_eq!(report["task"]["spec"], other);
}

#[test]
fn the_same_run_gives_the_same_change_and_the_same_random_numbers() {
    let sandbox = Sandbox::new();
    let task = steps(json!([{ "do": "std-random" }, write("a.txt", "a\n")]));
    let run = || {
        sandbox
            .run(&[&task, "--coder", &guest("guest_probe"), "--dry-run"])
            .completed()
    };
    let (one, other) = (run(), run());
    assert_eq!(one["change_digest"], other["change_digest"]);
    assert!(one["change_digest"].is_string());
    assert_eq!(one["coder"]["findings"], other["coder"]["findings"]);
    assert_ne!(one["run_id"], other["run_id"]);
}
