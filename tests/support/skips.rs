//! Tests that were not run, and why. `.ci/run` names a file for them, since what a test prints is not shown when it passes; it fails for
//! every line about a layer that `snodo-host doctor` reports present.

use std::fs::OpenOptions;
use std::io::Write as _;

use serde_json::Value;

/// The variable that names the file.
const FILE: &str = "SNODO_TEST_SKIPS";

/// Says that a program (or what else of a machine's software) is not there.
pub fn program(name: &str, why: &str) {
    note(&format!("program {name}: {why}"));
}

/// Says that layers are missing, each by what `doctor --json` itself says about it. A test that is skipped although all of them are offered
/// has failed.
#[track_caller]
pub fn layers(layers: &[&str], doctor: &Value) {
    let mut missing = 0;
    for name in layers {
        let layer = &doctor["machine"]["layers"][name];
        if layer["offered"] != true {
            missing += 1;
            note(&format!(
                "layer {name}: {}",
                layer["reason"].as_str().unwrap_or_default()
            ));
        }
    }
    assert!(
        missing > 0,
        "a test would be skipped although doctor reports {layers:?} present: {doctor:#}"
    );
}

#[expect(
    clippy::print_stderr,
    reason = "a test that is skipped says so where its output goes"
)]
fn note(line: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    eprintln!("skipped: {test}: {line}");
    if let Some(file) = std::env::var_os(FILE) {
        let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
        // In one piece: tests run beside each other.
        file.write_all(format!("{line} ({test})\n").as_bytes()).unwrap();
    }
}
