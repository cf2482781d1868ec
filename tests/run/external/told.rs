//! What a coder that is a program is told.

use serde_json::{Value, json};

use super::run;
use crate::support::protocol::simple;
use crate::support::{Finished, Sandbox, guest};

/// Has the coder hand over what it was told, as the files of its change.
const HANDS_OVER: &str = "\
    cat > stdin.txt\n\
    cp \"$SNODO_TASK_FILE\" task.txt\n\
    cp \"$SNODO_CONTEXT_FILE\" context.json\n\
    ! echo x > \"$SNODO_TASK_FILE\" && ! echo x > \"$SNODO_CONTEXT_FILE\" && echo 'they cannot be written' > closed.txt\n";

#[test]
fn the_task_stands_on_standard_input_and_in_a_file() {
    let sandbox = Sandbox::git();
    let program = super::program(&sandbox, HANDS_OVER);
    let task = "Fix it.\n\nWith 'quotes', $HOME, `x` and é.\n";
    sandbox.run(&[task, "--external", &program]).completed();
    sandbox.assert_nothing_is_left();
    assert_eq!(sandbox.read("stdin.txt"), task);
    assert_eq!(sandbox.read("task.txt"), task);
    assert!(sandbox.exists("closed.txt"));
}

#[test]
fn every_field_of_task_and_context_arrives() {
    let protocol = "\
protocol_id: echo
name: Echo
initial_mode: other
protected_paths: [locked/file.txt, vault/]
modes:
  - mode_id: other
    name: Other
    validators: [tests]
  - mode_id: echoing
    name: Echoing
    description: Say everything back.
    tools: [read]
    validators: [tests]
validators:
  - validator_id: tests
    validator_type: quality
    evaluation_phase: post_execute
    tooling: { timeout: 77, test_command: 'sh check.sh --fast' }
";
    let limits = "\
[limits]
memory_mib = 101
compute_seconds = 11
total_seconds = 103
host_calls = 1009
call_mib = 2
read_mib = 107
submit_mib = 5
[runner]
calls = 13
timeout_seconds = 200
";
    let sandbox = Sandbox::git()
        .with(".snodo/protocol.yml", protocol)
        .with("pyproject.toml", "[project]\nname = \"echo\"\n")
        .with("check.sh", "exit 0\n")
        .host_toml(limits);
    let judge = guest("guest_judge");
    let arguments = ["--mode", "echoing", "--model", "some/model", "--validator", &judge];
    let report = run(&sandbox, HANDS_OVER, &arguments).completed();
    let told: Value = serde_json::from_str(&sandbox.read("context.json")).unwrap();
    assert_eq!(
        told,
        json!({
            "schema": "snodo.external.v1",
            "task": {
                "id": report["task"]["id"],
                "spec": "do it",
                "expects": "change",
                "constraints": [],
                "memory_summary": "",
                "project": {
                    "language": "python",
                    "structure": "README.md\ncheck.sh\ndocs/\ndocs/guide.md\npyproject.toml\nsrc/\nsrc/main.py\n",
                    "configuration": [
                        { "path": "pyproject.toml", "text": "[project]\nname = \"echo\"\n", "truncated": false },
                    ],
                },
                "prior_failures": [],
            },
            "context": {
                "job_id": report["run_id"],
                "task_id": report["task"]["id"],
                "mode": "echoing",
                "depth": 0,
                "attempt": 1,
                "model": "some/model",
                "runner": { "argv": ["sh", "check.sh", "--fast"], "takes_path": true, "calls": 13, "timeout_ms": 200_000 },
                "protected_paths": ["locked/file.txt", "vault"],
                "protocol_guidance": "Say everything back.",
                "tools": [],
                "settings": [],
                "limits": {
                    "memory_bytes": 101_u64 << 20, "compute_ms": 11_000, "total_ms": 103_000, "host_calls": 1009,
                    "call_bytes": 2 << 20, "read_bytes": 107_u64 << 20, "submit_bytes": 5 << 20,
                },
            },
        })
    );
}

#[test]
fn without_a_protocol_what_there_is_not_is_null() {
    let sandbox = Sandbox::git();
    let answers = "tee answer.txt < \"$SNODO_CONTEXT_FILE\"";
    let report = run(&sandbox, answers, &["--expect", "findings"]).completed();
    let told: Value = serde_json::from_str(report["coder"]["findings"][0]["detail"].as_str().unwrap()).unwrap();
    assert_eq!(told["task"]["expects"], "findings");
    let context = &told["context"];
    assert_eq!((&context["model"], &context["runner"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&context["mode"], &context["protected_paths"]),
        (&json!("ad-hoc"), &json!([]))
    );
}

#[test]
fn it_gets_the_variables_that_the_user_names_for_it_and_no_other() {
    let sandbox = Sandbox::git();
    let script = sandbox.path().join("mine.sh");
    std::fs::write(&script, "env > env.txt\n").unwrap();
    let config = format!(
        "[runner]\nenv = [\"OF_THE_TESTS\"]\n[external.mine]\nenv = [\"OF_MINE\", \"NOT_SET\"]\ncommand = {}\n",
        json!(["sh", script])
    );
    let sandbox = sandbox.host_toml(&config);
    let mut command = sandbox.command(&["run", "--json", "do it", "--coder", "mine"]);
    command
        .env("OF_MINE", "for-the-coder")
        .env("OF_THE_TESTS", "for-the-tests")
        .env("ACME_TOKEN", "for-nobody");
    let report = Finished::of(&command.output().unwrap()).completed();
    let seen = sandbox.read("env.txt");
    assert!(seen.contains("OF_MINE=for-the-coder"), "{seen}");
    for absent in ["NOT_SET", "OF_THE_TESTS", "for-nobody", "XDG_"] {
        assert!(!seen.contains(absent), "{absent} in {seen}");
    }
    let execution = &report["coder"]["execution"];
    let opened = execution["opened"].as_array().unwrap();
    assert!(opened.contains(&json!("variable OF_MINE")), "{opened:?}");
    assert!(
        !execution.to_string().contains("for-the-coder"),
        "a value in the report"
    );
    for name in ["SNODO_TASK_FILE", "SNODO_CONTEXT_FILE", "HOME", "TMPDIR", "PATH"] {
        assert!(
            execution["environment"].as_array().unwrap().contains(&json!(name)),
            "{name}"
        );
    }
}

#[test]
fn a_home_of_its_own_and_nothing_of_the_users() {
    let sandbox = Sandbox::git().with(".snodo/protocol.yml", simple(""));
    std::fs::write(sandbox.path().join("home/.profile"), "export FROM_PROFILE=1\n").unwrap();
    let judge = guest("guest_judge");
    let script = "ls -A \"$HOME\" > home.txt; sh -lc 'env' > login.txt; ls -A > seen.txt; pwd > place.txt";
    run(&sandbox, script, &["--validator", &judge]).completed();
    assert_eq!(
        sandbox.read("home.txt"),
        ".gitconfig\n",
        "only its own settings for git"
    );
    assert!(!sandbox.read("login.txt").contains("FROM_PROFILE"));
    let seen = sandbox.read("seen.txt");
    assert!(seen.contains(".git\n") && !seen.contains(".snodo"), "{seen}");
}
