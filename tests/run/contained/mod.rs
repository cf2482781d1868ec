//! The declared tests, contained: what runs is code that a plugin may just have written.
//!
//! Each attack is run by a plain process too, where it gets through.

mod declared;
mod ending;
mod hidden;
mod less;
mod machine;
mod observed;
mod opened;
mod paths;
mod written;

use std::process::Command;

use serde_json::Value;

use crate::support::{Finished, Sandbox};

/// Has the mock work and the tests judge, without applying anything; whatever they do, nothing of it is left.
pub(super) fn test(sandbox: &Sandbox, command: &str, arguments: &[&str]) -> Finished {
    let finished = sandbox.run(
        &[
            &["anything", "--mock", "--dry-run", "--test-command", command],
            arguments,
        ]
        .concat(),
    );
    sandbox.assert_nothing_is_left();
    finished
}

/// The one execution of a run.
#[track_caller]
pub(super) fn execution(report: &Value) -> &Value {
    let runs = report["runner"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "{report:#}");
    &runs[0]
}

/// What a command printed in the sandbox, where it ended with 0.
#[track_caller]
pub(super) fn printed(sandbox: &Sandbox, command: &str) -> String {
    let report = test(sandbox, command, &[]).completed();
    execution(&report)["output_tail"].as_str().unwrap().to_owned()
}

/// What a command prints in the workspace, run by a plain process.
pub(super) fn plainly(sandbox: &Sandbox, command: &str) -> (bool, String) {
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(sandbox.workspace())
        .env("HOME", sandbox.path().join("home"))
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}
