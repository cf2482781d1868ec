//! The protocol engine: gates, constraints, recovery, verification and the audit log, as a run under a protocol has them.
#![allow(
    clippy::print_stdout,
    clippy::type_complexity,
    clippy::semicolon_if_nothing_returned,
    reason = "a case that fails says which it is; tables of cases are read once"
)]

mod audit_log;
mod compatibility;
mod constraints;
mod native;
mod property;
mod recovery;
mod unusable_log;
mod verification;

use serde_json::{Value, json};

use crate::support::script::write;
use crate::support::{Finished, Sandbox, guest};

/// A protocol of one mode, `work`, with these validators (the list of the mode, and their declarations) and more at the root.
fn protocol(policy: &str, listed: &str, declared: &str, more: &str) -> String {
    format!(
        "protocol_id: team\nname: Team\ninitial_mode: work\ndisagreement_policy: {policy}\n\
         modes:\n  - mode_id: work\n    name: Work\n    validators: [{listed}]\n\
         validators:\n{declared}{more}"
    )
}

/// `look` after the coder, which has nothing to say against what these tests write.
const LOOK: &str = "  - { validator_id: look, validator_type: secrets, evaluation_phase: post_execute }\n";

/// Under unanimity, with `look`.
fn unanimous(more: &str) -> String {
    protocol("unanimous", "look", LOOK, more)
}

/// A workspace under a protocol.
fn under(protocol: &str) -> Sandbox {
    Sandbox::git().with(".snodo/protocol.yml", protocol)
}

/// A run of the probe on a script, with the guest judge in both gates on a plan.
fn run(sandbox: &Sandbox, task: &str, plan: &Value, more: &[&str]) -> Finished {
    let (coder, judge, plan) = (
        guest("guest_probe"),
        guest("guest_judge"),
        format!("guest_judge.plan={plan}"),
    );
    let mut arguments = vec![task, "--coder", &coder, "--validator", &judge, "--set", &plan];
    arguments.extend(more);
    sandbox.run(&arguments)
}

/// A task with a script for each attempt.
fn attempts(scripts: &[Value]) -> String {
    json!({ "attempts": scripts }).to_string()
}

/// An attempt that takes these steps.
fn does(steps: Value) -> Value {
    json!({ "steps": steps })
}

/// One script for all attempts: writes `src/new.py`.
fn writes() -> String {
    attempts(&[does(json!([write("src/new.py", "new\n")]))])
}

/// `attempt phase decision` of each gate.
fn gates(report: &Value) -> Vec<String> {
    let gates = report["gates"].as_array().unwrap();
    gates
        .iter()
        .map(|gate| {
            let text = |key: &str| gate[key].as_str().unwrap();
            format!("{} {} {}", gate["attempt"], text("phase"), text("decision"))
        })
        .collect()
}

/// The reason holds these words.
#[track_caller]
fn says(report: &Value, words: &[&str]) {
    let reason = report["reason"].as_str().unwrap();
    for word in words {
        assert!(reason.contains(word), "no `{word}` in {reason}");
    }
}
