//! For each check of the suite somebody who fails by it. What a plugin cannot do wrong, since the host keeps it from it, is failed by a coder of
//! an embedder's (`other_kinds`), by a file (`admission`), or beside the check itself (`host/src/conform`).

use snodo_host::conform::{CHECKS, CheckResult};
use snodo_host::engine::GrantKind;

use crate::world::{ids, of_guest, result};

const CODER: &str = "guest_broken_coder";
const JUDGE: &str = "guest_broken_judge";

/// A coder's behaviour, and the checks that it fails by, all of them.
const CODERS: &[(&str, &[&str])] = &[
    ("needs-a-job", &["context.empty"]),
    ("needs-few-attempts", &["context.full"]),
    ("chatty", &["output.quiet"]),
    ("wordy", &["output.quiet"]),
    ("lies", &["work.account"]),
    (
        "needs-to-submit",
        &[
            "work.nothing-is-a-fault",
            "refusals.protected",
            "refusals.git",
            "refusals.snodo",
            "refusals.limit",
        ],
    ),
    ("needs-a-readme", &["refusals.reads", "hostile.empty"]),
    (
        "needs-room",
        &[
            "bounds.host-calls",
            "bounds.compute",
            "bounds.total",
            "bounds.call-bytes",
            "bounds.read-bytes",
            "bounds.submit-bytes",
            "bounds.memory",
        ],
    ),
    (
        "fussy",
        &[
            "refusals.reads",
            "hostile.empty",
            "hostile.huge-file",
            "hostile.names",
            "hostile.many-files",
            "hostile.bytes",
        ],
    ),
];

/// The same of a validator.
const JUDGES: &[(&str, &[&str])] = &[
    ("needs-criteria", &["context.empty", "verdict.criteria", "gate.judges"]),
    ("groundless", &["verdict.grounds"]),
    ("cites-anything", &["verdict.grounds"]),
    ("fickle", &["verdict.deterministic"]),
    ("blind", &["verdict.incomplete-view"]),
    (
        "needs-tools",
        &[
            "refusals.reads",
            "hostile.empty",
            "verdict.incomplete-view",
            "tools.narrowed",
        ],
    ),
    (
        "fussy",
        &["verdict.empty-change", "verdict.huge-change", "verdict.binary-change"],
    ),
];

#[test]
fn a_coder_that_is_whole_fails_by_nothing() {
    let report = of_guest(CODER, &[], &[]);
    assert_eq!(ids(&report, CheckResult::Fail), [""; 0], "{report:#?}");
    assert!(report.ok, "{report:#?}");
}

#[test]
fn a_validator_that_is_whole_fails_by_nothing() {
    let report = of_guest(JUDGE, &[], &[]);
    assert!(report.ok, "{report:#?}");
}

/// It fails by those of the table, and by nothing else.
fn fails_by(guest: &str, table: &[(&str, &[&str])]) {
    for (behaviour, expected) in table {
        let report = of_guest(guest, &[&format!("behaviour={behaviour}")], &[]);
        let failed = ids(&report, CheckResult::Fail);
        for id in *expected {
            assert!(
                failed.contains(id),
                "{behaviour} does not fail by {id}: {:#?}",
                result(&report, id)
            );
            assert_ne!(result(&report, id).seen, "", "{behaviour}, {id}");
        }
        let further: Vec<&&str> = failed.iter().filter(|id| !expected.contains(id)).collect();
        assert!(further.is_empty(), "{behaviour} fails by {further:?}, too: {report:#?}");
        assert!(!report.ok);
    }
}

#[test]
fn broken_coders_fail_by_what_is_broken() {
    fails_by(CODER, &CODERS[..5]);
}

#[test]
fn coders_that_are_no_match_for_their_surroundings_fail_by_that() {
    fails_by(CODER, &CODERS[5..]);
}

#[test]
fn broken_validators_fail_by_what_is_broken() {
    fails_by(JUDGE, JUDGES);
}

#[test]
fn a_panic_is_told_with_its_words() {
    let report = of_guest(CODER, &["behaviour=panics"], &[]);
    for id in ["context.empty", "context.full", "work.produces", "hostile.empty"] {
        assert_eq!(result(&report, id).result, CheckResult::Fail, "{report:#?}");
    }
    assert!(result(&report, "context.empty").seen.contains("as told"), "{report:#?}");
    let report = of_guest(JUDGE, &["behaviour=panics"], &[]);
    for id in ["context.empty", "gate.judges", "verdict.criteria"] {
        assert_eq!(result(&report, id).result, CheckResult::Fail, "{report:#?}");
    }
}

#[test]
fn one_that_never_ends_is_waited_for_once() {
    let report = of_guest(CODER, &["behaviour=loops"], &[]);
    let ends = result(&report, "bounds.ends");
    assert_eq!(ends.result, CheckResult::Fail, "{report:#?}");
    assert!(ends.seen.contains("computing time limit 2 s"), "{ends:#?}");
    assert_eq!(ids(&report, CheckResult::Fail), ["context.empty", "bounds.ends"]);
    assert_eq!(result(&report, "work.produces").result, CheckResult::Skip);
}

/// Every field of the contract that holds a text comes to the plugin as it is: quotes, markup and letters of all kinds.
#[test]
fn every_field_is_told_whole() {
    let report = of_guest(CODER, &["behaviour=echoes"], &[]);
    let seen = &result(&report, "context.full").seen;
    for field in [
        "task.id",
        "task.spec",
        "task.constraints",
        "task.memory-summary",
        "project.language",
        "project.structure",
        "configuration.path",
        "configuration.text",
        "prior.validator-id",
        "prior.justification",
        "context.job-id",
        "context.task-id",
        "context.mode",
        "context.model",
        "context.protected-paths",
        "context.protocol-guidance",
        "context.settings",
        "context.tools",
        "runner.argv",
    ] {
        assert!(seen.contains(field), "{field}: {seen}");
    }
    let report = of_guest(JUDGE, &["behaviour=echoes"], &[]);
    let seen = &result(&report, "context.full").seen;
    for field in [
        "evaluation.validator-id",
        "evaluation.criteria",
        "mode.id",
        "mode.name",
        "mode.description",
        "mode.tools",
        "evidence.validator-id",
        "evidence.justification",
        "test-governing.path",
        "test-governing.reason",
    ] {
        assert!(seen.contains(field), "{field}: {seen}");
    }
}

#[test]
fn nothing_is_no_work() {
    let report = of_guest(CODER, &["behaviour=idle"], &[]);
    assert_eq!(ids(&report, CheckResult::Fail), [""; 0], "{report:#?}");
    let unproven = ids(&report, CheckResult::Unproven);
    assert!(
        unproven.contains(&"work.produces") && unproven.contains(&"gates.asked"),
        "{unproven:?}"
    );
    assert!(
        result(&report, "work.produces").seen.contains("--task FILE"),
        "{report:#?}"
    );
    assert!(!report.ok);
}

#[test]
fn what_is_said_of_itself_is_looked_at() {
    let failed = |guest| ids(&of_guest(guest, &[], &[]), CheckResult::Fail);
    assert_eq!(
        failed("guest_unstable"),
        ["describe.complete", "describe.settings", "describe.stable"]
    );
    assert_eq!(failed("guest_mute"), ["describe.answers"]);
    assert_eq!(failed("guest_early"), ["describe.answers", "describe.imports-closed"]);
    assert_eq!(failed("guest_liar"), ["describe.phases"]);
}

#[test]
fn a_validator_that_passes_whatever_its_model_does_is_found_out() {
    let report = of_guest("guest_asking_judge", &[], &[GrantKind::Model]);
    assert_eq!(
        ids(&report, CheckResult::Fail),
        ["model.missing", "model.failing"],
        "{report:#?}"
    );
}

/// Who fails by what is said nowhere but here and there: no check is without one.
#[test]
fn every_check_can_fail() {
    let of_describe = [
        "describe.answers",
        "describe.imports-closed",
        "describe.complete",
        "describe.settings",
        "describe.phases",
        "describe.stable",
    ];
    let of_others = [
        "bounds.ends",
        "work.produces",
        "gate.judges",
        "model.missing",
        "model.failing",
    ];
    let here = CODERS.iter().chain(JUDGES).flat_map(|(_, ids)| ids.iter().copied());
    let mut found: Vec<&str> = here
        .chain(of_describe)
        .chain(of_others)
        .chain(crate::admission::FAILED)
        .chain(crate::other_kinds::FAILED)
        .collect();
    // The host keeps everybody from these: `gates.rs` and `work.rs` of the suite hold each against a run that is not so.
    found.extend([
        "gates.asked",
        "gates.halt-before",
        "gates.halt-after",
        "gates.no-model",
        "commit.refused",
    ]);
    found.extend(["work.paths-exist"]);
    let unproved: Vec<&str> = CHECKS
        .iter()
        .map(|check| check.id)
        .filter(|id| !found.contains(id))
        .collect();
    assert!(unproved.is_empty(), "nobody fails by {unproved:?}");
}
