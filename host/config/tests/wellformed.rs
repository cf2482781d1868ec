//! WF1–WF5 and the module rules.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use common::{SMALL, faults, load, refused, with};
use snodo_config::{FaultKind, Rule, WarningKind};
use snodo_workspace::constraint::{Param, Params};

#[test]
fn every_violation_of_every_rule_is_listed() {
    let error = refused(include_str!("protocols/ill_formed.yml"));
    let found: Vec<(u32, Rule)> = error.faults().iter().map(|f| (f.place.line, f.kind.rule())).collect();
    let expected = [
        (4, Rule::Wf3),
        (5, Rule::Wf4),
        (8, Rule::Wf2),
        (12, Rule::Wf3),
        (13, Rule::Wf3),
        (16, Rule::Wf1),
        (18, Rule::Wf5),
        (24, Rule::Wf5),
        (25, Rule::Wf5),
        (27, Rule::Modules),
        (28, Rule::Modules),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_schema_comes_first() {
    // With a fault in a field, nothing is said of rules over fields.
    let text = include_str!("protocols/ill_formed.yml").replace("name: Ferry", "name: 1");
    let error = refused(&text);
    assert!(error.faults().iter().all(|f| f.kind.rule() == Rule::Schema));
}

fn two_modes(first: &str, second: &str) -> String {
    with("tools: [edit, dispatch]", &format!("tools: [{first}]")).replace(
        "modes:\n",
        &format!("modes:\n  - {{mode_id: other, name: Other, tools: [{second}]}}\n"),
    )
}

#[test]
fn wf1_an_exclusive_tool_is_held_once() {
    for tool in ["approve", "merge"] {
        let kinds = faults(&two_modes(tool, tool));
        assert!(
            matches!(&kinds[..], [FaultKind::ExclusiveTool { modes, .. }] if modes.len() == 2),
            "{kinds:?}"
        );
    }
    load(&two_modes("merge, edit", "approve, edit"));
    let kinds = faults(&format!("{}exclusive_tools: [edit]\n", two_modes("edit", "edit")));
    assert!(
        matches!(&kinds[..], [FaultKind::ExclusiveTool { tool, .. }] if tool == "edit"),
        "{kinds:?}"
    );
    // What the file lists adds to the two; it takes neither away.
    faults(&format!("{}exclusive_tools: []\n", two_modes("merge", "merge")));
    // An entry twice in one mode counts twice, as in snodo.
    faults(&with("[edit, dispatch]", "[merge, merge]"));
}

#[test]
fn wf2_roles_are_unique() {
    let kinds = faults(&format!(
        "{SMALL}roles: [{{role_id: a, name: A}}, {{role_id: a, name: B}}]\n"
    ));
    assert!(
        matches!(&kinds[..], [FaultKind::DuplicateRole { id, .. }] if id == "a"),
        "{kinds:?}"
    );
}

#[test]
fn wf3_references_and_the_gate() {
    let kinds = faults(&with("validators: [keys, tests]", "validators: [keys, test]"));
    assert!(
        matches!(&kinds[..], [FaultKind::UndefinedValidator { nearest: Some(n), .. }] if n == "tests"),
        "{kinds:?}"
    );
    let kinds = faults(&with("initial_mode: bake", "initial_mode: boil"));
    assert!(
        matches!(&kinds[..], [FaultKind::UndefinedInitialMode { .. }]),
        "{kinds:?}"
    );
    let kinds = faults(&with("validators: [keys, tests]", "validators: [tests]"));
    assert!(
        matches!(&kinds[..], [FaultKind::DispatchWithoutGate { mode }] if mode == "bake"),
        "{kinds:?}"
    );
    // Without `dispatch` a mode needs no gate to be well-formed.
    load(
        &SMALL
            .replace("[edit, dispatch]", "[edit]")
            .replace("validators: [keys, tests]", "validators: [tests]"),
    );
    // Targets of transitions are not looked at.
    load(&with("    name: Bake", "    name: Bake\n    transitions: {x: nowhere}"));
}

#[test]
fn wf4_policy_and_number() {
    let one = SMALL
        .split("  - validator_id: tests")
        .next()
        .unwrap()
        .replace("[keys, tests]", "[keys]");
    let kinds = faults(&format!("{one}disagreement_policy: majority\n"));
    assert!(
        matches!(
            &kinds[..],
            [FaultKind::TooFewValidators {
                needed: 2,
                found: 1,
                ..
            }]
        ),
        "{kinds:?}"
    );
    for policy in ["unanimous", "quorum", "any"] {
        load(&format!("{one}disagreement_policy: {policy}\n"));
    }
    let warnings = |text: &str| load(text).warnings.into_iter().map(|w| w.kind).collect::<Vec<_>>();
    assert!(matches!(&warnings(SMALL)[..], [WarningKind::LoneJudge { validator }] if validator == "tests"));
    let quorum = format!("{SMALL}disagreement_policy: quorum\n");
    assert!(matches!(
        &warnings(&quorum)[..],
        [WarningKind::SmallQuorum { validators: 2 }]
    ));
    let capped = with(
        "validator_type: quality",
        "validator_type: quality\n    severity_cap: warn",
    );
    let any = format!("{capped}disagreement_policy: any\n");
    assert!(matches!(
        &warnings(&any)[..],
        [WarningKind::QualityCapped {
            cap: "warn",
            policy: "any",
            ..
        }]
    ));
    assert!(
        !warnings(&capped)
            .iter()
            .any(|w| matches!(w, WarningKind::QualityCapped { .. }))
    );
    let blocker = with(
        "validator_type: quality",
        "validator_type: quality\n    severity_cap: blocker",
    );
    assert!(warnings(&format!("{blocker}disagreement_policy: any\n")).is_empty());
}

#[test]
fn wf5_constraints_of_every_scope() {
    let global = |inner: &str| format!("{SMALL}global_constraints: [{{constraint_id: c, description: d, {inner}}}]\n");
    load(&global("expression: e"));
    let kinds = faults(&global("severity: warn"));
    assert!(matches!(&kinds[..], [FaultKind::EmptyConstraint { .. }]), "{kinds:?}");
    let kinds = faults(&global("predicate: no_secrets_in_dif"));
    assert!(
        matches!(
            &kinds[..],
            [FaultKind::UnknownPredicate {
                nearest: Some("no_secrets_in_diff"),
                ..
            }]
        ),
        "{kinds:?}"
    );
    let loaded = load(&global("predicate: tests_exist_for_modified"));
    assert!(
        loaded
            .warnings
            .iter()
            .any(|w| matches!(&w.kind, WarningKind::NoExpression { id } if id == "c"))
    );

    // What a predicate does not know, and what it cannot use.
    let loaded = load(&global(
        "predicate: files_in_scope, expression: e, params: {scope_path: [a], scope_paths: 7}",
    ));
    let warned: Vec<String> = loaded
        .warnings
        .iter()
        .map(|w| format!("{w} {}", w.kind.help()))
        .collect();
    for expected in [
        "the predicate `files_in_scope` has no field `scope_path`; it is ignored did you mean `scope_paths`?",
        "the constraint `c` cannot be evaluated: the parameter `scope_paths` must be a text or a list of texts; it is a number",
    ] {
        assert!(warned.iter().any(|w| w.starts_with(expected)), "{warned:#?}");
    }

    let scoped = "\n    constraints: [{constraint_id: c, description: d, expression: e}]";
    let in_validator = SMALL.replace("validator_type: secrets", &format!("validator_type: secrets{scoped}"));
    let in_both = in_validator.replace("    name: Bake", &format!("    name: Bake{scoped}"));
    load(&in_validator);
    let error = refused(&in_both);
    assert!(
        matches!(&error.faults()[0].kind, FaultKind::DuplicateConstraint { first: 8, .. }),
        "{}",
        error.plain()
    );
}

#[test]
fn constraints_of_a_run_are_the_global_ones_and_the_modes() {
    let one = |id: &str| {
        format!("{{constraint_id: {id}, description: d, predicate: files_in_scope, params: {{scope_paths: [{id}]}}}}")
    };
    let in_mode = SMALL.replace(
        "    name: Bake",
        &format!("    name: Bake\n    constraints: [{}]", one("own")),
    );
    let protocol = load(&format!("{in_mode}global_constraints: [{}]\n", one("global"))).protocol;
    let mode = protocol.mode(&protocol.initial_mode).unwrap();
    let ids: Vec<String> = protocol.constraints_in(mode).into_iter().map(|c| c.id).collect();
    assert_eq!(ids, ["global", "own"]);
    let all = protocol.constraints_in(mode);
    assert!(all.iter().all(|constraint| constraint.check().is_ok()));
    let given = Params(vec![(
        "scope_paths".to_owned(),
        Param::List(vec![Param::Text("global".to_owned())]),
    )]);
    assert_eq!(all[0].params, given);
}

#[test]
fn modules() {
    let kinds = faults(&format!(
        "{SMALL}modules: [{{module_id: a, paths: [x]}}, {{module_id: a, paths: [y], validators: [kees]}}]\n"
    ));
    assert!(
        matches!(&kinds[..], [FaultKind::DuplicateModule { .. }, FaultKind::ModuleValidator { nearest: Some(n), .. }] if n == "keys"),
        "{kinds:?}"
    );
    let overlapping = |one: &str, other: &str| {
        let text = format!("{SMALL}modules: [{{module_id: a, paths: [{one}]}}, {{module_id: b, paths: [{other}]}}]\n");
        load(&text)
            .warnings
            .into_iter()
            .filter(|w| matches!(w.kind, WarningKind::OverlappingModules { .. }))
            .count()
    };
    for (one, other) in [
        ("x", "x"),
        ("x", "x/y"),
        ("x/y/", "x"),
        ("./x", "x//y"),
        ("q, x, p", "a, x/z"),
    ] {
        assert_eq!(overlapping(one, other), 1, "{one} and {other}");
    }
    for (one, other) in [("x", "xy"), ("x/y", "x/yz"), ("x, x/y", "z"), ("x-y", "x")] {
        assert_eq!(overlapping(one, other), 0, "{one} and {other}");
    }
}

#[test]
fn names_that_mean_nothing_are_warned_of() {
    let loaded = load(&with("[edit, dispatch]", "[edit, dispach, teleport]"));
    let found: Vec<_> = loaded
        .warnings
        .iter()
        .filter_map(|w| match &w.kind {
            WarningKind::UnknownModeTool { tool, nearest, .. } => Some((tool.as_str(), *nearest)),
            _ => None,
        })
        .collect();
    assert_eq!(found, [("dispach", Some("dispatch")), ("teleport", None)]);

    let protocol = load(&with("validator_type: secrets", "validator_type: secret")).protocol;
    let warnings = snodo_config::resolve::unknown_types(&protocol, &["quality", "secrets"]);
    assert!(
        matches!(&warnings[..], [w] if matches!(&w.kind, WarningKind::UnknownValidatorType { nearest: Some(n), .. } if n == "secrets"))
    );
    // snodo's own types are known where somebody judges by criteria.
    let protocol = load(&with("validator_type: secrets", "validator_type: security")).protocol;
    assert!(snodo_config::resolve::unknown_types(&protocol, &["quality", "judge"]).is_empty());
}

#[test]
fn protected_paths_that_protect_other_than_it_seems() {
    let loaded = load(&format!(
        "{SMALL}protected_paths: [docs, /etc, 'docs/**', '*.lock', ../x, .]\n"
    ));
    let found: Vec<_> = loaded
        .warnings
        .iter()
        .filter_map(|w| match &w.kind {
            WarningKind::ProtectedPattern { path } | WarningKind::ProtectedOutside { path } => Some(path.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(found, ["docs/**", "*.lock", "../x", "."]);
}
