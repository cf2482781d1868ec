//! What the binary answered.

use std::process::Output;
use std::sync::LazyLock;

use serde_json::Value;

/// Exit status and both streams of one call.
#[derive(Debug)]
pub struct Finished {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = super::repository().join("docs/schema/snodo.run.v1.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

impl Finished {
    pub fn of(output: &Output) -> Self {
        Self {
            // -1: a signal ended it, which none of these tests expects.
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Standard output as the one JSON object that it has to be, on one line.
    pub fn json(&self) -> Value {
        let line = self
            .stdout
            .strip_suffix('\n')
            .unwrap_or_else(|| panic!("no line: {self:#?}"));
        assert!(!line.contains('\n'), "more than one line: {self:#?}");
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Whatever `run --json` prints is what the schema says.
    pub fn check_against_the_schema(&self) {
        let value = self.json();
        let errors: Vec<String> = SCHEMA
            .iter_errors(&value)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "not what the schema says: {errors:#?}\n{value:#}");
        if let Some(code) = value.get("exit_code") {
            assert_eq!(code, self.code, "the exit code in the report");
            assert_eq!(value["ok"], value["outcome"] == "completed");
        }
    }

    /// The run ended so: exit code, outcome, reason.
    #[track_caller]
    pub fn ended(self, code: i32, outcome: &str, halt_type: Option<&str>) -> Value {
        let report = self.json();
        let found = (self.code, report["outcome"].as_str(), report["halt_type"].as_str());
        assert_eq!(found, (code, Some(outcome), halt_type), "{report:#}\n{}", self.stderr);
        report
    }

    /// The run completed.
    #[track_caller]
    pub fn completed(self) -> Value {
        self.ended(0, "completed", None)
    }

    /// The run could not begin: exit code 64, and one object that says why.
    #[track_caller]
    pub fn refused(self) -> String {
        let value = self.json();
        assert_eq!(self.code, 64, "{value:#}");
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["error", "ok", "schema"], "{value:#}");
        assert_eq!(
            (&value["schema"], &value["ok"]),
            (&"snodo.run.v1".into(), &false.into())
        );
        assert!(!self.stderr.contains("error"), "said twice: {}", self.stderr);
        value["error"].as_str().unwrap().to_owned()
    }
}

/// What of a gate's results a test looks at: id, severity, whether it could not judge, whether it had nothing to judge.
pub fn results(report: &Value, phase: &str) -> Vec<(String, String, bool, bool)> {
    gate(report, phase)["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            let text = |key: &str| r[key].as_str().unwrap().to_owned();
            (
                text("validator_id"),
                text("severity"),
                r["error"].as_bool().unwrap(),
                r["skipped"].as_bool().unwrap(),
            )
        })
        .collect()
}

/// The gate of a phase.
#[track_caller]
pub fn gate<'a>(report: &'a Value, phase: &str) -> &'a Value {
    let gates = report["gates"].as_array().unwrap();
    gates
        .iter()
        .find(|gate| gate["phase"] == phase)
        .unwrap_or_else(|| panic!("no gate {phase}: {report:#}"))
}

/// What one validator said in a gate.
#[track_caller]
pub fn said<'a>(report: &'a Value, phase: &str, id: &str) -> &'a Value {
    let results = gate(report, phase)["results"].as_array().unwrap();
    results
        .iter()
        .find(|r| r["validator_id"] == id)
        .unwrap_or_else(|| panic!("{id} did not judge: {report:#}"))
}

/// JSON that a test guest hands over in pieces, as what it examined.
#[track_caller]
pub fn handed_over(result: &Value) -> Value {
    let pieces: String = result["examined"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| piece.as_str().unwrap())
        .collect();
    serde_json::from_str(&pieces).unwrap_or_else(|error| panic!("{error}: {pieces}"))
}

/// `kind path` of each change.
pub fn changes(report: &Value) -> Vec<String> {
    let changes = report["changes"].as_array().unwrap();
    changes
        .iter()
        .map(|c| format!("{} {}", c["kind"].as_str().unwrap(), c["path"].as_str().unwrap()))
        .collect()
}

/// One plugin of the report.
#[track_caller]
pub fn plugin<'a>(report: &'a Value, name: &str) -> &'a Value {
    let plugins = report["plugins"].as_array().unwrap();
    plugins
        .iter()
        .find(|p| p["name"] == name)
        .unwrap_or_else(|| panic!("no plugin {name}: {report:#}"))
}
