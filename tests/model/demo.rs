//! The demo project: its test fails, a model mends it, and the tests are run by whoever is to believe it.

use std::ffi::OsString;

use serde_json::json;
use snodo_provider::{Reply, Seen, Wire};

use crate::support::finished::{changes, said};
use crate::support::{Sandbox, repository};
use crate::world::{KEY, World, calls};

const PROTOCOL: &str = "\
protocol_id: demo
name: Demo
initial_mode: work
modes:
  - { mode_id: work, name: Work, tools: [edit, dispatch], validators: [plan, tests, review] }
validators:
  - { validator_id: plan, validator_type: architecture, criteria: [The task can be understood.] }
  - { validator_id: tests, validator_type: quality, evaluation_phase: post_execute, tooling: { test_command: cargo test --offline --quiet } }
  - { validator_id: review, validator_type: acceptance, evaluation_phase: post_execute, criteria: [Nothing else is changed.] }
";

const TASK: &str = "An hour has 3600 seconds, and a number that is too large is no duration rather than a panic.\n\n\
## Acceptance\n\nThe tests pass.\n";

fn example(path: &str) -> String {
    std::fs::read_to_string(repository().join("examples/demo").join(path)).unwrap()
}

fn mended() -> String {
    example("src/lib.rs")
        .replace("'m' => Some(number * 60)", "'m' => number.checked_mul(60)")
        .replace("'h' => Some(number * 60)", "'h' => number.checked_mul(3600)")
}

/// As a model works: it looks, it runs the tests, it submits, it runs them again, and it says that it is done.
fn coder(seen: &Seen) -> Reply {
    match seen.turn() {
        0 => Reply::calls(vec![
            snodo_provider::Call::new("read_files", &json!({ "paths": ["src/lib.rs", "tests/duration.rs"] })),
            snodo_provider::Call::new("run_tests", &json!({})),
        ]),
        1 => Reply::submit_files(&[("src/lib.rs", &mended())]),
        2 => Reply::call("run_tests", &json!({})),
        _ => Reply::text("An hour has 3600 seconds now, and what is too large is none."),
    }
}

#[test]
fn a_model_mends_it_over_every_wire_format() {
    std::thread::scope(|scope| {
        for wire in Wire::ALL {
            scope.spawn(move || mends(wire));
        }
    });
}

fn mends(wire: Wire) {
    let mut world = World::over(wire, |seen: &Seen| {
        if seen.offers("submit_verdict") {
            Reply::verdict("pass", "it does what the task says")
        } else if seen.offers("submit_files") {
            coder(seen)
        } else {
            Reply::classify("defect")
        }
    });
    let sandbox = Sandbox::empty();
    for path in ["Cargo.toml", "Cargo.lock", "src/lib.rs", "tests/duration.rs"] {
        sandbox.put(path, example(path));
    }
    sandbox.put(".snodo/protocol.yml", PROTOCOL);
    world.sandbox = sandbox;
    world.config_with("", wire);

    let mut command = world.sandbox.command(&["run", "--json", "--coder", "agent", TASK]);
    command.env("STUB_KEY", KEY);
    toolchain(&mut command);
    let report = world.finish(command).completed();

    assert_eq!(changes(&report), ["modified src/lib.rs"]);
    assert_eq!(world.sandbox.read("src/lib.rs"), mended());
    assert_eq!(said(&report, "post_execute", "tests")["severity"], "pass");
    assert_eq!(said(&report, "post_execute", "review")["severity"], "pass");
    assert_eq!(report["coder"]["claimed_but_missing"], json!([]));
    assert_eq!(report["classification"]["flow_type"], "defect");
    // Red, then green, then green once more for who judges.
    let runs: Vec<_> = report["runner"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| (&run["by"], &run["exit"]))
        .collect();
    let (red, green) = (json!({ "code": 101 }), json!({ "code": 0 }));
    assert_eq!(
        runs,
        [
            (&json!("agent"), &red),
            (&json!("agent"), &green),
            (&json!("tests"), &green)
        ],
        "{report:#}"
    );
    let asked: Vec<String> = calls(&report).into_iter().map(|(role, ..)| role).collect();
    assert_eq!(
        asked,
        [
            "classifier",
            "validator",
            "coder",
            "coder",
            "coder",
            "coder",
            "validator"
        ]
    );
    // The model read what stands there, and was told what the tests say.
    let told = world.provider.requests()[3].tool_results().join("\n");
    assert!(
        told.contains("pub fn seconds") && told.contains("units_are_told_apart"),
        "{told}"
    );
}

/// Cargo's own folders are under the home folder, which the sandbox does not share.
fn toolchain(command: &mut std::process::Command) {
    let home = std::env::home_dir().unwrap();
    for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let value: OsString = std::env::var_os(variable).unwrap_or_else(|| home.join(folder).into_os_string());
        command.env(variable, value);
    }
    if let Some(toolchain) = std::env::var_os("RUSTUP_TOOLCHAIN") {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
}
