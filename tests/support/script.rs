//! Tasks for the probe guest, and what it answers.

use serde_json::{Value, json};

/// A task: these steps, and then a plain return.
pub fn steps(steps: Value) -> String {
    script(steps, Value::Null)
}

/// A task: these steps, and this end.
#[expect(clippy::needless_pass_by_value, reason = "written as literals")]
pub fn script(steps: Value, end: Value) -> String {
    json!({ "steps": steps, "end": end }).to_string()
}

/// One step that writes a file.
pub fn write(path: &str, text: &str) -> Value {
    json!({ "do": "submit-files", "operations": [{ "write": path, "text": text }] })
}

/// What the probe answered, step by step.
#[track_caller]
pub fn answers(report: &Value) -> Vec<Value> {
    let findings = report["coder"]["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("no coder: {report:#}"));
    findings
        .iter()
        .map(|f| serde_json::from_str(f["detail"].as_str().unwrap()).unwrap())
        .collect()
}
