//! Fields of a protocol: types, bounds, defaults, coercions, and what becomes of unknown keys.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use common::{SMALL, faults, load, refused, with};
use snodo_config::policy::Policy;
use snodo_config::protocol::{Delivery, EvaluationPhase, JudgeTool, Scope, ValidatorTool};
use snodo_config::{FaultKind, Rule, Value, WarningKind};
use snodo_workspace::role::Severity;

#[test]
fn defaults_are_snodos() {
    let p = load(SMALL).protocol;
    assert_eq!(p.version, "1.0.0");
    assert_eq!(p.disagreement_policy, Policy::Unanimous);
    assert_eq!(p.write_allowed_prefixes, [".snodo/"]);
    assert_eq!(p.exclusive_tools, ["approve", "merge"]);
    let e = &p.execution;
    assert_eq!(
        (
            e.max_retries,
            e.branch_ttl_days,
            e.max_recovery_depth,
            e.max_total_fix_attempts
        ),
        (3, 7, 3, 10)
    );
    assert_eq!(
        (e.branch_prefix.as_str(), e.delivery_remote.as_str()),
        ("task", "origin")
    );
    assert_eq!(
        (e.delivery, e.auto_merge, e.prepare_command.as_deref()),
        (None, None, None)
    );
    assert_eq!((p.queue.non_blocking, p.queue.parallel_runs), (false, 1));
    let keys = p.validator("keys").unwrap();
    assert_eq!(
        (keys.evaluation_phase, keys.scope),
        (EvaluationPhase::PreExecute, Scope::Task)
    );
    assert_eq!(
        (keys.severity_cap, keys.judges_spec, keys.check_tool_access),
        (None, false, false)
    );
    assert_eq!((keys.model.as_deref(), keys.max_tool_turns), (None, None));
    let mode = p.mode("bake").unwrap();
    assert_eq!(
        (
            mode.description.as_deref(),
            mode.coder.as_deref(),
            mode.max_recovery_depth
        ),
        (None, None, None)
    );
}

#[test]
fn every_field_arrives() {
    let p = load(include_str!("protocols/full.yml")).protocol;
    assert_eq!(
        (p.protocol_id.as_str(), p.name.as_str(), p.version.as_str()),
        ("orchard", "Orchard", "2.1")
    );
    assert_eq!(
        (p.initial_mode.as_str(), p.disagreement_policy),
        ("graft", Policy::Quorum)
    );
    let role = &p.roles[0];
    assert_eq!((role.role_id.as_str(), role.name.as_str()), ("gardener", "Gardener"));
    assert_eq!(
        (&role.permissions[..], &role.responsibilities[..]),
        (&["prune".to_owned()][..], &["water".to_owned()][..])
    );

    let mode = p.mode("graft").unwrap();
    assert_eq!(
        (mode.name.as_str(), mode.description.as_deref()),
        ("Graft", Some("Join what grows"))
    );
    assert_eq!(
        mode.tools.iter().map(|t| t.value.as_str()).collect::<Vec<_>>(),
        ["edit", "dispatch", "prune"]
    );
    assert_eq!(mode.transitions.iter().collect::<Vec<_>>(), [("done", "rest")]);
    assert_eq!(
        mode.validators.iter().map(|v| v.value.as_str()).collect::<Vec<_>>(),
        ["pips", "leaves", "bark"]
    );
    let constraint = &mode.constraints[0];
    assert_eq!(
        (constraint.constraint_id.as_str(), constraint.description.as_str()),
        ("within_rows", "Stay within the rows")
    );
    assert_eq!(
        (constraint.expression.as_str(), constraint.predicate.as_str()),
        ("every path is in a row", "files_in_scope")
    );
    assert_eq!(constraint.severity, Severity::Warn);
    assert!(constraint.params.get("scope_paths").is_some());
    assert_eq!(mode.coder.as_deref(), Some("patch"));
    assert_eq!(mode.coder_config.get("style").and_then(|v| v.as_text()), Some("gentle"));
    assert_eq!(
        (mode.delivery, mode.max_recovery_depth, mode.concurrency),
        (Some(Delivery::PushBranch), Some(5), Some(2))
    );
    assert_eq!(p.mode("rest").unwrap().auto_merge, Some(false));

    let pips = p.validator("pips").unwrap();
    assert_eq!(
        (pips.validator_type.as_str(), &pips.criteria[..]),
        ("scope", &["Only the rows".to_owned()][..])
    );
    assert_eq!(pips.constraints[0].constraint_id, "pips_only");
    assert_eq!((pips.scope, pips.severity_cap), (Scope::Wave, Some(Severity::Warn)));
    assert_eq!(pips.tools, [JudgeTool::ReadFile, JudgeTool::ListFiles]);
    assert!(pips.judges_spec && pips.check_tool_access);
    assert_eq!(
        (pips.model.as_deref(), pips.max_tool_turns),
        (Some("small-one"), Some(9))
    );
    assert_eq!(pips.validator_tools[0], ValidatorTool::Named("ladder".to_owned()));
    assert!(
        matches!(&pips.validator_tools[1], ValidatorTool::Configured { name, options }
        if name == "basket" && options.get("size").unwrap().value == Value::Int(3))
    );

    assert_eq!(p.global_constraints[0].severity, Severity::Blocker);
    assert_eq!(
        p.protected_paths.iter().map(|e| e.value.as_str()).collect::<Vec<_>>(),
        ["fence/", "./gate.txt"]
    );
    assert_eq!(p.write_allowed_prefixes, [".snodo/", "notes/"]);
    let e = &p.execution;
    assert_eq!(
        (
            e.max_retries,
            e.branch_ttl_days,
            e.max_recovery_depth,
            e.max_total_fix_attempts
        ),
        (1, 14, 4, 20)
    );
    assert_eq!(
        (e.branch_prefix.as_str(), e.delivery_remote.as_str()),
        ("twig", "upstream")
    );
    assert_eq!(
        (e.delivery, e.prepare_command.as_deref()),
        (Some(Delivery::ChangeRequest), Some("./dig.sh"))
    );
    assert_eq!((p.queue.non_blocking, p.queue.parallel_runs), (true, 3));
    assert_eq!(
        p.metadata.get("planted").unwrap().value,
        Value::Timestamp("2026-03-01".to_owned())
    );
    assert_eq!(p.exclusive_tools, ["approve", "merge", "prune"]);
    let module = &p.modules[0];
    assert_eq!(
        (module.module_id.as_str(), module.paths[0].value.as_str()),
        ("rows", "rows")
    );
    assert_eq!(
        (module.decisions_path.as_deref(), module.validators[0].value.as_str()),
        (Some("rows/decisions"), "leaves")
    );
    assert!(module.tooling.get("test_command").is_some());
}

#[test]
fn all_faults_of_the_schema_are_listed_in_order() {
    let error = refused(include_str!("protocols/faulty.yml"));
    let lines: Vec<u32> = error.faults().iter().map(|fault| fault.place.line).collect();
    assert_eq!(lines, [2, 3, 7, 8, 9, 10, 13, 15, 16, 17, 20, 23, 24, 25, 27, 28]);
    assert!(error.faults().iter().all(|fault| fault.kind.rule() == Rule::Schema));
    assert_eq!(error.more(), 0);
}

/// What stands behind `execution:` for a number field.
fn retries(value: &str) -> Result<u32, FaultKind> {
    let text = format!("{SMALL}execution: {{max_retries: {value}}}\n");
    match snodo_config::protocol::load_protocol("p.yml", text.as_bytes()) {
        Ok(loaded) => Ok(loaded.protocol.execution.max_retries),
        Err(error) => Err(error.faults()[0].kind.clone()),
    }
}

#[test]
fn whole_numbers_may_be_spelled_in_several_ways() {
    for (value, number) in [
        ("3", 3),
        ("'3'", 3),
        ("\" 3 \"", 3),
        ("7.0", 7),
        ("'7.0'", 7),
        ("true", 1),
        ("0x3", 3),
        ("010", 8),
        ("0b11", 3),
        ("08", 8),
    ] {
        assert_eq!(retries(value), Ok(number), "{value}");
    }
    for value in [
        "3.5",
        "'3.5'",
        "three",
        "''",
        "null",
        "[3]",
        ".nan",
        ".inf",
        "2026-01-01",
    ] {
        assert!(matches!(retries(value), Err(FaultKind::WrongType { .. })), "{value}");
    }
    for value in ["11", "-1", "1:30", "123456789012345678901234567890"] {
        assert!(matches!(retries(value), Err(FaultKind::OutOfRange { .. })), "{value}");
    }
}

#[test]
fn booleans_are_a_dozen_words() {
    let spec = |value: &str| {
        let text = SMALL.replace(
            "validator_type: secrets",
            &format!("validator_type: secrets\n    judges_spec: {value}"),
        );
        snodo_config::protocol::load_protocol("p.yml", text.as_bytes()).map(|l| l.protocol.validators[0].judges_spec)
    };
    for value in ["true", "yes", "On", "1", "1.0", "'true'", "'Y'", "t", "'1'"] {
        assert!(spec(value).unwrap(), "{value}");
    }
    for value in ["false", "no", "OFF", "0", "0.0", "'n'", "F"] {
        assert!(!spec(value).unwrap(), "{value}");
    }
    for value in ["maybe", "2", "0.5", "null", "' true'", "[]"] {
        assert!(spec(value).is_err(), "{value}");
    }
}

#[test]
fn a_text_is_only_a_text() {
    for value in ["1.0", "42", "no", "null", "2026-01-01", "[x]", "{a: b}"] {
        let kinds = faults(&with("name: Bakery", &format!("name: {value}")));
        assert!(
            matches!(&kinds[..], [FaultKind::WrongType { field, .. }] if field == "name"),
            "{value}: {kinds:?}"
        );
    }
    assert_eq!(load(&with("name: Bakery", "name: ''")).protocol.name, "");
}

#[test]
fn nothing_is_no_value_but_where_a_field_may_be_absent() {
    for section in [
        "execution:",
        "queue:",
        "metadata:",
        "modules:",
        "roles:",
        "protected_paths:",
        "version:",
        "disagreement_policy:",
    ] {
        let kinds = faults(&format!("{SMALL}{section}\n"));
        assert!(
            matches!(kinds[..], [FaultKind::WrongType { .. }]),
            "{section} {kinds:?}"
        );
    }
    load(&with(
        "    name: Bake",
        "    name: Bake\n    description:\n    coder:\n    delivery: ~\n    concurrency: null",
    ));
}

#[test]
fn the_queue_is_strict() {
    for (queue, ok) in [
        ("{parallel_runs: 2}", true),
        ("{parallel_runs: 2.0}", false),
        ("{parallel_runs: '2'}", false),
        ("{parallel_runs: true}", false),
        ("{parallel_runs: 0}", false),
        ("{non_blocking: yes}", true),
        ("{non_blocking: 'yes'}", false),
        ("{non_blocking: 1}", false),
        ("{paralel_runs: 2}", false),
    ] {
        let loaded = snodo_config::protocol::load_protocol("p.yml", format!("{SMALL}queue: {queue}\n").as_bytes());
        assert_eq!(loaded.is_ok(), ok, "{queue}");
    }
}

#[test]
fn ids_and_blanks() {
    for (from, to) in [
        ("protocol_id: bakery", "protocol_id: ' '"),
        ("mode_id: bake", "mode_id: ''"),
        ("validator_id: keys", "validator_id: '  '"),
        ("validator_type: secrets", "validator_type: ''"),
        ("initial_mode: bake", "initial_mode: ''"),
    ] {
        let kinds = faults(&with(from, to));
        assert!(matches!(&kinds[0], FaultKind::Blank { .. }), "{to}: {kinds:?}");
    }
    // Neither trimmed nor folded.
    let text = SMALL
        .replace("mode_id: bake", "mode_id: ' Bake'")
        .replace("initial_mode: bake", "initial_mode: ' Bake'");
    assert_eq!(load(&text).protocol.initial_mode, " Bake");
    for (id, ok) in [
        ("a-b_c", true),
        ("é1", true),
        ("日本", true),
        ("a b", false),
        ("a/b", false),
        ("-_", false),
        ("''", false),
    ] {
        let text = format!("{SMALL}global_constraints: [{{constraint_id: {id}, description: d, expression: e}}]\n");
        assert_eq!(
            snodo_config::protocol::load_protocol("p.yml", text.as_bytes()).is_ok(),
            ok,
            "{id}"
        );
    }
}

#[test]
fn words_of_closed_sets_name_the_nearest() {
    let kinds = faults(&format!("{SMALL}disagreement_policy: Unanimous\n"));
    assert!(
        matches!(
            &kinds[..],
            [FaultKind::NotOneOf {
                nearest: Some("unanimous"),
                ..
            }]
        ),
        "{kinds:?}"
    );
    let kinds = faults(&with("evaluation_phase: post_execute", "evaluation_phase: postexecute"));
    assert!(
        matches!(
            &kinds[..],
            [FaultKind::NotOneOf {
                nearest: Some("post_execute"),
                ..
            }]
        ),
        "{kinds:?}"
    );
    let kinds = faults(&with(
        "validator_type: secrets",
        "validator_type: secrets\n    tools: [edit]",
    ));
    assert!(
        matches!(&kinds[..], [FaultKind::NotOneOf { nearest: None, .. }]),
        "{kinds:?}"
    );
}

#[test]
fn unknown_keys_are_ignored_with_a_warning_or_refused() {
    let ignored = [
        (
            "protocol_id: bakery",
            "protocol_id: bakery\nprotectd_paths: [x]",
            Some("protected_paths"),
        ),
        (
            "validator_type: secrets",
            "validator_type: secrets\n    severity-cap: warn",
            Some("severity_cap"),
        ),
        (
            "validator_type: secrets",
            "validator_type: secrets\n    colour: blue",
            None,
        ),
    ];
    for (from, to, expected) in ignored {
        let warnings = load(&with(from, to)).warnings;
        let found = warnings.iter().find_map(|w| match &w.kind {
            WarningKind::UnknownKey { nearest, .. } => Some(*nearest),
            _ => None,
        });
        assert_eq!(found, Some(expected), "{to}");
    }
    let kinds = faults(&with("    name: Bake", "    name: Bake\n    validatrs: [keys]"));
    assert!(
        matches!(
            &kinds[..],
            [FaultKind::UnknownKey {
                nearest: Some("validators"),
                ..
            }]
        ),
        "{kinds:?}"
    );
    let tool = "validator_type: secrets\n    validator_tools: [{name: a, option: {}}]";
    let kinds = faults(&with("validator_type: secrets", tool));
    assert!(
        matches!(
            &kinds[..],
            [FaultKind::UnknownKey {
                nearest: Some("options"),
                ..
            }]
        ),
        "{kinds:?}"
    );
}

#[test]
fn keys_that_are_no_texts() {
    let kinds = faults(&format!("{SMALL}1: 2\n"));
    assert!(matches!(&kinds[..], [FaultKind::KeyNotText { .. }]), "{kinds:?}");
    let kinds = faults(&format!("{SMALL}metadata: {{yes: 2}}\n"));
    assert!(matches!(&kinds[..], [FaultKind::KeyNotText { .. }]), "{kinds:?}");
    // Deeper within free maps anything goes.
    load(&format!("{SMALL}metadata: {{a: {{yes: 2, 1: 3}}}}\n"));
    // Elsewhere snodo ignores it.
    let warnings = load(&with("validator_type: secrets", "validator_type: secrets\n    1: 2")).warnings;
    assert!(
        warnings
            .iter()
            .any(|w| matches!(w.kind, WarningKind::UnknownKey { .. }))
    );
}
