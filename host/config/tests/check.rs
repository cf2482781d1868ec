//! `protocol check`: what is said of a file without a run.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use common::{SMALL, with};
use serde_json::Value;
use snodo_config::WarningKind;
use snodo_config::check::{CheckReport, check_protocol};
use snodo_config::resolve::Effect;
use snodo_config::resolve::EffectKind::{self, None, Refused};

const KNOWN: [&str; 3] = ["quality", "secrets", "scope"];

fn check(text: &str) -> CheckReport {
    check_protocol("protocol.yml", text.as_bytes(), &KNOWN)
}

/// Field and what becomes of it.
fn effects(text: &str) -> Vec<(String, EffectKind)> {
    let report = check(text);
    assert!(report.is_ok(), "{:?}", report.faults());
    report
        .effects
        .into_iter()
        .map(|effect| (effect.field, effect.effect))
        .collect()
}

fn as_the_schema_says(report: &CheckReport) -> Value {
    let schema: Value =
        serde_json::from_str(include_str!("../../../docs/schema/snodo.protocol-check.v1.json")).unwrap();
    let value = serde_json::to_value(report).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = schema
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
    value
}

#[test]
fn a_right_one() {
    let report = check(SMALL);
    let json = as_the_schema_says(&report);
    assert!(report.is_ok() && report.faults().is_empty());
    assert_eq!(json["ok"], true);
    assert_eq!(json["protocol_id"], report.protocol_id.clone().unwrap());
    assert_eq!(json["digest"].as_str().unwrap().len(), 64);
}

#[test]
fn a_wrong_one_has_every_fault_with_its_place_and_the_way_out() {
    let text = with("initial_mode", "inital_mode").replace("validator_type: secrets", "validator_type: 7");
    let json = as_the_schema_says(&check(&text));
    assert_eq!((&json["ok"], &json["protocol_id"]), (&Value::Bool(false), &Value::Null));
    let faults = json["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 2, "{json:#}");
    for fault in faults {
        assert_eq!(fault["rule"], "SCHEMA");
        assert!(fault["line"].as_u64().unwrap() >= 1 && fault["column"].as_u64().unwrap() >= 1);
        assert!(!fault["message"].as_str().unwrap().is_empty() && !fault["help"].as_str().unwrap().is_empty());
    }
    // The warnings that were found are said all the same.
    let near = json["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|w| w["help"] == "did you mean `initial_mode`?");
    assert!(near, "{json:#}");
    assert_eq!(json["effects"], serde_json::json!([]));
}

#[test]
fn bytes_that_are_no_text_are_one_fault() {
    let report = check_protocol("p\u{1b}", b"a: \xff", &KNOWN);
    let json = as_the_schema_says(&report);
    assert_eq!(json["faults"][0]["rule"], "FILE");
}

#[test]
fn a_type_that_nothing_answers_for_is_a_warning_and_no_fault() {
    let report = check(&with("validator_type: secrets", "validator_type: secretz"));
    assert!(report.is_ok());
    let warned = report.warnings.iter().find_map(|w| match &w.kind {
        WarningKind::UnknownValidatorType { nearest, .. } => Some(nearest.clone()),
        _ => Option::None,
    });
    assert_eq!(warned, Some(Some("secrets".to_owned())));
    let offsets: Vec<u32> = report.warnings.iter().map(|w| w.place.line).collect();
    assert!(offsets.is_sorted());
    assert!(
        report
            .effects
            .iter()
            .all(|effect| !effect.field.ends_with("validator_type"))
    );
}

#[test]
fn what_has_no_effect_is_said_of_every_mode() {
    let text = r"
protocol_id: p
name: P
initial_mode: one
roles: [{role_id: r, name: R}]
execution: {branch_ttl_days: 3, delivery: local_merge, prepare_command: none}
queue: {parallel_runs: 2}
protected_paths: ['*.lock']
modes:
  - mode_id: one
    name: One
    validators: [a]
    transitions: {done: two}
  - mode_id: two
    name: Two
    validators: [a, b]
    coder_config: {model: m}
    max_recovery_depth: 2
validators:
  - {validator_id: a, validator_type: secrets, judges_spec: true}
  - {validator_id: b, validator_type: secrets, scope: wave}
  - {validator_id: c, validator_type: quality, evaluation_phase: post_execute}
";

    let found = effects(text);
    let found: Vec<(&str, EffectKind)> = found.iter().map(|(field, effect)| (field.as_str(), *effect)).collect();
    for expected in [
        ("roles", None),
        ("execution.branch_ttl_days", None),
        ("execution.delivery", None),
        ("queue", None),
        ("protected_paths", Refused),
        ("modes.one.transitions", None),
        ("coder_config.model", Refused),
        ("validators.a.judges_spec", None),
        ("validators.b.scope", Refused),
        ("validators.c", None),
    ] {
        // Once, though both modes lead to it.
        assert_eq!(
            found.iter().filter(|one| **one == expected).count(),
            1,
            "{expected:?} in {found:#?}"
        );
    }
    assert!(
        found
            .iter()
            .all(|(field, _)| !["execution.prepare_command", "modes.two.max_recovery_depth"].contains(field)),
        "snodo's word for nothing, and what is in force"
    );
    as_the_schema_says(&check(text));
}

#[test]
fn a_mode_in_which_nobody_judges_before_execution_is_named() {
    let text = r"
protocol_id: p
name: P
initial_mode: one
modes:
  - {mode_id: one, name: One, validators: [a, b]}
  - {mode_id: two, name: Two, validators: [b]}
validators:
  - {validator_id: a, validator_type: secrets}
  - {validator_id: b, validator_type: secrets, evaluation_phase: post_execute}
";
    let halting: Vec<Effect> = check(text)
        .effects
        .into_iter()
        .filter(|effect| effect.why.contains("wf3"))
        .collect();
    assert!(
        matches!(&halting[..], [Effect { field, line: 7, effect: Refused, .. }] if field == "modes.two.validators"),
        "{halting:#?}"
    );
}
