//! The declared test command: it runs in a copy, and its exit status decides.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::finished::{gate, handed_over, said};
use crate::support::script::{answers, steps, write};
use crate::support::{Sandbox, guest};

#[test]
fn a_green_test_passes_and_the_report_shows_the_execution() {
    let sandbox = Sandbox::git();
    let finished = sandbox.run(&["anything", "--mock", "--test-command", "grep -q world src/hello.py"]);
    assert!(!finished.stderr.contains("warning"), "{}", finished.stderr);
    let report = finished.completed();
    let quality = said(&report, "post_execute", "quality");
    assert_eq!(quality["severity"], "pass");
    assert!(
        quality["justification"]
            .as_str()
            .unwrap()
            .starts_with("`grep -q world src/hello.py` exited with 0"),
        "{quality:#}"
    );
    assert_eq!(quality["examined"], json!(["grep -q world src/hello.py"]));
    let runs = report["runner"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["argv"], json!(["grep", "-q", "world", "src/hello.py"]));
    assert_eq!(
        (&runs[0]["exit"], &runs[0]["by"]),
        (&json!({ "code": 0 }), &json!("quality"))
    );
    assert!(!runs[0]["sandbox"].as_array().unwrap().is_empty(), "{report:#}");
    assert_eq!(report["warnings"], json!([]));
    assert_eq!(report["protocol"]["test_command"], "grep -q world src/hello.py");
}

#[test]
fn a_red_test_blocks_and_shows_the_end_of_the_output() {
    let sandbox = Sandbox::git();
    let before = sandbox.tree();
    let report = sandbox
        .run(&[
            "anything",
            "--mock",
            "--test-command",
            "echo all is well; echo 0 failed; echo 'assertion: 1 is not 2' >&2; exit 7",
        ])
        .ended(1, "blocker", Some("blocked"));
    let why = said(&report, "post_execute", "quality")["justification"]
        .as_str()
        .unwrap();
    for words in ["exited with 7", "0 failed", "assertion: 1 is not 2"] {
        assert!(why.contains(words), "no `{words}` in {why}");
    }
    assert_eq!(before, sandbox.tree());
    assert_eq!(report["runner"][0]["exit"], json!({ "code": 7 }));
}

#[test]
fn a_program_that_is_missing_is_found_out_before_the_coder_works() {
    for command in ["no-such-program-here --all", "./no-such-script.sh"] {
        let sandbox = Sandbox::new();
        let before = sandbox.tree();
        let report = sandbox.run(&["anything", "--mock", "--test-command", command]).ended(
            3,
            "validator_error",
            Some("validator_error"),
        );
        assert_eq!(report["coder"], Value::Null, "the coder had its turn");
        assert_eq!(report["gates"], json!([]));
        let reason = report["reason"].as_str().unwrap();
        assert!(
            reason.contains(&format!("the declared test command `{command}` cannot be run")),
            "{reason}"
        );
        assert_eq!(before, sandbox.tree());
    }
}

#[test]
fn a_program_that_may_not_be_run_is_not_run() {
    let sandbox = Sandbox::new().with("test.sh", "#!/bin/sh\nexit 0\n");
    sandbox
        .run(&["anything", "--mock", "--test-command", "./test.sh"])
        .ended(3, "validator_error", Some("validator_error"));
}

#[test]
fn a_command_that_does_not_end_is_ended_and_no_verdict() {
    let sandbox = Sandbox::new().host_toml("[runner]\njudge_timeout_seconds = 1\n");
    let before = sandbox.tree();
    let report = sandbox
        .run(&["anything", "--mock", "--test-command", "sleep 600"])
        .ended(3, "validator_error", Some("validator_error"));
    let quality = said(&report, "post_execute", "quality");
    assert_eq!(quality["error"], true);
    assert!(
        quality["justification"]
            .as_str()
            .unwrap()
            .contains("did not come to an end within 1."),
        "{quality:#}"
    );
    assert_eq!(report["runner"][0]["exit"], "wall-clock");
    assert_eq!(before, sandbox.tree());
}

#[test]
fn quality_without_a_command_is_skipped_and_the_run_says_untested() {
    let sandbox = Sandbox::new();
    let report = sandbox
        .run(&["anything", "--mock", "--validator", "quality"])
        .completed();
    let quality = said(&report, "post_execute", "quality");
    assert_eq!(
        (&quality["skipped"], &quality["severity"]),
        (&json!(true), &json!("pass"))
    );
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("untested: no test command is declared"),
        "{report:#}"
    );
    assert_eq!(report["runner"], json!([]));
}

#[test]
fn a_test_command_that_nobody_runs_is_said() {
    let sandbox = Sandbox::new();
    let report = sandbox
        .run(&["anything", "--mock", "--validator", "secrets", "--test-command", "true"])
        .completed();
    assert!(
        report["warnings"]
            .to_string()
            .contains("no validator of this run runs `true`"),
        "{report:#}"
    );
    assert_eq!(report["runner"], json!([]));
}

#[test]
fn the_tests_run_in_a_scratch_and_what_they_write_is_gone() {
    let sandbox = Sandbox::git();
    let before = sandbox.tree();
    let command = "test -e src/hello.py && test -e README.md && echo trace > trace.txt && rm README.md && echo x >> docs/guide.md";
    let report = sandbox
        .run(&["anything", "--mock", "--dry-run", "--test-command", command])
        .completed();
    assert_eq!(before, sandbox.tree());
    assert_eq!(report["runner"][0]["written_total"], 3, "{report:#}");
    sandbox.assert_nothing_is_left();
}

#[test]
fn the_command_gets_a_few_variables_and_no_other() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["run", "--json", "anything", "--mock", "--test-command", "env; exit 1"]);
    command.env("SECRET_OF_MINE", "do-not-tell").env("AWS_PROFILE", "prod");
    let finished = crate::support::Finished::of(&command.output().unwrap());
    assert!(!finished.stdout.contains("do-not-tell"), "{}", finished.stdout);
    let report = finished.ended(1, "blocker", Some("blocked"));
    let passed: Vec<&str> = report["runner"][0]["environment"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect();
    assert!(
        passed.contains(&"PATH") && !passed.contains(&"SECRET_OF_MINE") && !passed.contains(&"AWS_PROFILE"),
        "{passed:?}"
    );
}

#[test]
fn the_user_can_name_further_variables() {
    let sandbox = Sandbox::new().host_toml("[runner]\nenv = [\"OF_MINE\", \"NOT_SET\"]\n");
    let mut command = sandbox.command(&[
        "run",
        "--json",
        "anything",
        "--mock",
        "--test-command",
        "test \"$OF_MINE\" = shown && test -z \"$NOT_NAMED\"",
    ]);
    command.env("OF_MINE", "shown").env("NOT_NAMED", "x");
    let report = crate::support::Finished::of(&command.output().unwrap()).completed();
    let passed = report["runner"][0]["environment"].as_array().unwrap();
    assert!(
        passed.contains(&json!("OF_MINE")) && !passed.contains(&json!("NOT_SET")),
        "{passed:?}"
    );
}

#[test]
fn a_coder_can_run_the_tests_on_what_it_has_submitted() {
    let sandbox = Sandbox::new().with("check.sh", "#!/bin/sh\ntest -e new.txt && echo \"args: $*\"\n");
    std::fs::set_permissions(
        sandbox.workspace().join("check.sh"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let run = |path: Value| json!({ "do": "run-tests", "path": path });
    let task = steps(json!([
        run(Value::Null),
        write("new.txt", "new\n"),
        run(Value::Null),
        run(json!("new.txt")),
        run(json!("--help")),
        run(json!("missing.txt")),
        run(json!("../outside")),
    ]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--test-command", "./check.sh"])
        .completed();
    let answers = answers(&report);
    assert_eq!(answers[0]["ok"]["exit"], json!({ "code": 1 }), "before the submission");
    assert_eq!(answers[2]["ok"]["exit"], json!({ "code": 0 }), "after it");
    assert_eq!(answers[3]["ok"]["stdout"]["head"], "args: new.txt\n");
    assert_eq!(answers[4]["error"]["kind"], "refused");
    assert_eq!(
        answers[5]["error"],
        json!({ "kind": "not-found", "path": "missing.txt" })
    );
    assert_eq!(answers[6]["error"]["kind"], "bad-path");
    let left = |n: usize| answers[n]["ok"]["calls-left"].as_u64().unwrap();
    assert_eq!((left(2), left(3)), (left(0) - 1, left(0) - 2));
    let by: Vec<&str> = report["runner"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["by"].as_str().unwrap())
        .collect();
    assert_eq!(by, ["guest_probe", "guest_probe", "guest_probe", "quality"]);
    assert_eq!(report["coder"]["observes_tests"], true);
}

#[test]
fn a_coder_without_a_declared_command_is_told_so() {
    let sandbox = Sandbox::new();
    let task = steps(json!([{ "do": "run-tests", "path": null }]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"])
        .completed();
    assert_eq!(answers(&report)[0]["error"], json!({ "kind": "not-declared" }));
}

#[test]
fn a_shell_command_takes_no_path() {
    let sandbox = Sandbox::new();
    let task = steps(json!([{ "do": "run-tests", "path": "README.md" }]));
    let arguments = [
        task.as_str(),
        "--coder",
        &guest("guest_probe"),
        "--expect",
        "findings",
        "--test-command",
        "true && true",
    ];
    let report = sandbox.run(&arguments).completed();
    assert_eq!(answers(&report)[0]["error"], json!({ "kind": "path-not-taken" }));
}

#[test]
fn the_user_bounds_how_often_the_tests_run() {
    let sandbox = Sandbox::new().host_toml("[runner]\ncalls = 2\n");
    let run = json!({ "do": "run-tests", "path": null });
    let task = steps(json!([run, run, run]));
    let arguments = [
        task.as_str(),
        "--coder",
        &guest("guest_probe"),
        "--expect",
        "findings",
        "--test-command",
        "true",
    ];
    let report = sandbox.run(&arguments).completed();
    let answers = answers(&report);
    assert_eq!(answers[1]["ok"]["calls-left"], 0);
    assert_eq!(
        (&answers[2]["error"]["kind"], &answers[2]["error"]["allowed"]),
        (&json!("limit"), &json!(2))
    );
}

#[test]
fn what_a_program_prints_is_shown_harmless_and_cut_in_the_middle() {
    let sandbox = Sandbox::new();
    let command = "printf '\\033[2Jstart\\n'; yes filler | head -c 200000; printf 'end\\n'; exit 1";
    let judge = guest("guest_runner");
    let report = sandbox
        .run(&[
            "anything",
            "--mock",
            "--validator",
            &judge,
            "--grant",
            "guest_runner:runner",
            "--test-command",
            command,
        ])
        .ended(1, "blocker", Some("blocked"));
    let seen = handed_over(said(&report, "post_execute", "guest_runner"));
    let stdout = &seen[0]["ok"]["stdout"];
    assert!(
        stdout["head"].as_str().unwrap().starts_with("\\u{1b}[2Jstart\n"),
        "{stdout}"
    );
    assert!(stdout["tail"].as_str().unwrap().ends_with("end\n"), "{stdout}");
    assert!(stdout["dropped"].as_u64().unwrap() > 100_000);
    assert_eq!(gate(&report, "post_execute")["decision"], "halt");
}
