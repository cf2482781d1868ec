//! A constraint that cannot be evaluated is violated; before the coder, and without a change, the others hold.

use snodo_workspace::constraint::{Constraint, PREDICATES, Param, Params, Reason};
use snodo_workspace::role::{Phase, Severity};

use crate::world::{World, params, text, texts};

#[test]
fn an_unknown_predicate_is_a_violation_in_both_phases() {
    for phase in [Phase::PreExecute, Phase::PostExecute] {
        let result = World::wrote(&["a"]).look_in(phase, None, "files_in_scop", Params::default());
        assert!(result.violated && result.stops());
        assert_eq!(result.reason, Reason::UnknownPredicate);
        assert_eq!(result.justification, "there is no predicate `files_in_scop`");
    }
}

#[test]
fn a_bad_parameter_is_a_violation_in_both_phases_and_says_which() {
    let list = |items: &[Param]| Param::List(items.to_vec());
    let map = |name: &str, value: Param| Param::Map(vec![(name.to_owned(), value)]);
    for (predicate, parameter, value) in [
        ("files_in_scope", "scope_paths", Param::Null),
        ("files_in_scope", "scope_paths", Param::Number("1".to_owned())),
        ("files_in_scope", "scope_paths", Param::Date("2026-01-31".to_owned())),
        ("files_in_scope", "scope_paths", list(&[text("*"), Param::Bool(true)])),
        ("files_in_scope", "scope_paths", map("a", text("b"))),
        ("tests_exist_for_modified", "test_dir_pattern", Param::Null),
        ("tests_exist_for_modified", "test_dir_pattern", texts(&["tests"])),
        ("tests_exist_for_modified", "test_name_pattern", Param::Bool(false)),
        ("no_secrets_in_diff", "patterns", texts(&["a"])),
        ("no_secrets_in_diff", "patterns", text("a")),
        ("no_secrets_in_diff", "patterns", map("x", Param::Null)),
        ("no_secrets_in_diff", "patterns", map("x", text("("))),
        ("no_secrets_in_diff", "patterns", map("x", text("a(?=b)"))),
        ("no_secrets_in_diff", "patterns", map("x", text(r"(a)\1"))),
        ("no_secrets_in_diff", "patterns", map("x", text("[[:alpha:]]"))),
        ("no_secrets_in_diff", "patterns", map("x", text("((a{100}){100}){100}"))),
        ("no_secrets_in_diff", "patterns", map("x", text(&"a".repeat(70_000)))),
    ] {
        for phase in [Phase::PreExecute, Phase::PostExecute] {
            let result = World::wrote(&["a"]).look_in(phase, None, predicate, params(&[(parameter, value.clone())]));
            assert!(result.violated, "{value:?}");
            assert_eq!(result.reason, Reason::BadParameter, "{result:?}");
            let start = format!("the parameter `{parameter}` ");
            assert!(result.justification.starts_with(&start), "{}", result.justification);
        }
    }
}

#[test]
fn matching_that_takes_too_long_is_a_violation() {
    let name = ["a".repeat(250).as_str(); 16].join("/");
    let names: Vec<String> = (0..40).map(|i| format!("{name}/{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let slow: Vec<String> = (0..50).map(|i| format!("*{}b{i}", "?".repeat(2000))).collect();
    let slow: Vec<&str> = slow.iter().map(String::as_str).collect();
    let result = World::wrote(&names).look("files_in_scope", params(&[("scope_paths", texts(&slow))]));
    assert_eq!(
        (result.violated, result.reason),
        (true, Reason::CannotRun),
        "{result:?}"
    );
}

#[test]
fn a_protocol_full_of_constraints_is_evaluated_in_bounds_and_the_rest_is_violated() {
    let constraint = |predicate: &str, params: Params| Constraint {
        id: "c".to_owned(),
        predicate: predicate.to_owned(),
        params,
        severity: Severity::Blocker,
    };
    let world = World::wrote(&["a"]);
    let many = vec![constraint("files_in_scope", Params::default()); 201];
    let results = world.evaluate(&many, Phase::PostExecute, None);
    assert_eq!(results.iter().position(|result| result.violated), Some(200));

    let patterns: Vec<(String, Param)> = (0..60).map(|i| (format!("p{i}"), text("[a-z]x"))).collect();
    let of_their_own = constraint("no_secrets_in_diff", params(&[("patterns", Param::Map(patterns))]));
    let table = constraint("no_secrets_in_diff", Params::default());
    let results = world.evaluate(&[of_their_own.clone(), of_their_own, table], Phase::PostExecute, None);
    let reasons: Vec<Reason> = results.iter().map(|result| result.reason).collect();
    assert_eq!(reasons, [Reason::Holds, Reason::CannotRun, Reason::Holds]);
}

#[test]
fn before_the_coder_and_without_a_change_they_hold() {
    let never = params(&[("scope_paths", texts(&[]))]);
    for (predicate, _) in PREDICATES {
        let given = if predicate == "files_in_scope" {
            never.clone()
        } else {
            Params::default()
        };
        let before = World::wrote(&["a"]).look_in(Phase::PreExecute, None, predicate, given.clone());
        assert_eq!(
            (before.violated, before.reason),
            (false, Reason::NothingToCheck),
            "{before:?}"
        );
        let nothing = World::with(&[]).look(predicate, given);
        assert_eq!(
            (nothing.violated, nothing.reason),
            (false, Reason::NothingToCheck),
            "{nothing:?}"
        );
    }
}

#[test]
fn results_are_one_for_each_predicate_in_order_and_only_blockers_stop() {
    let constraint = |id: &str, predicate: &str, severity| Constraint {
        id: id.to_owned(),
        predicate: predicate.to_owned(),
        params: params(&[("scope_paths", texts(&[]))]),
        severity,
    };
    let constraints = [
        constraint("b", "files_in_scope", Severity::Warn),
        constraint("for-people", "", Severity::Blocker),
        constraint("a", "files_in_scope", Severity::Blocker),
        constraint("c", "no_secrets_in_diff", Severity::Blocker),
    ];
    let results = World::wrote(&["x"]).evaluate(&constraints, Phase::PostExecute, None);
    let told: Vec<_> = results.iter().map(|r| (r.id.as_str(), r.violated, r.stops())).collect();
    assert_eq!(told, [("b", true, false), ("a", true, true), ("c", false, false)]);
}

#[test]
fn unknown_parameters_are_not_looked_at() {
    let given = params(&[("scope_path", texts(&[])), ("note", Param::Null)]);
    assert!(!World::wrote(&["x"]).look("files_in_scope", given).violated);
}

#[test]
fn the_json_is_this() {
    let result = World::wrote(&["b"]).look("files_in_scope", params(&[("scope_paths", text("a"))]));
    assert_eq!(
        serde_json::to_value(result).unwrap(),
        serde_json::json!({
            "id": "c-1",
            "predicate": "files_in_scope",
            "severity": "blocker",
            "violated": true,
            "reason": "broken",
            "justification": "outside the scope `a`: `b`",
            "evidence": {"out_of_scope_files": ["b"]},
        })
    );
}
