//! The policy arithmetic: a table over what can come together, and the properties that no table shows.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use proptest::prelude::*;
use snodo_config::policy::{Action, Class, Judged, Lowered, Policy, Route, after_post_execute, decide, settle};
use snodo_workspace::role::{Phase, Severity};

const PRE: Phase = Phase::PreExecute;
const POST: Phase = Phase::PostExecute;

/// `p` passes, `w` warns, `b` blocks, `e` could not decide, `r` refuses for want of a tool.
fn results(letters: &str) -> Vec<Judged> {
    letters
        .chars()
        .map(|letter| match letter {
            'p' => Judged::verdict(Severity::Pass),
            'w' => Judged::verdict(Severity::Warn),
            'b' => Judged::verdict(Severity::Blocker),
            'e' => Judged::error(),
            'r' => Judged {
                access_refused: true,
                ..Judged::verdict(Severity::Pass)
            },
            other => panic!("{other}"),
        })
        .collect()
}

#[test]
fn the_table() {
    use Action::{Escalate as E, Halt as H, Log as L, Proceed as P};
    // results: unanimous, majority, quorum, any
    let table = [
        ("", [H, H, H, H]),
        ("p", [P, P, P, P]),
        ("w", [E, E, E, E]),
        ("b", [H, H, H, H]),
        ("e", [H, H, H, H]),
        ("r", [H, H, H, H]),
        ("pp", [P, P, P, P]),
        // Majority of two needs both; so does a quorum.
        ("pw", [E, E, E, L]),
        ("ww", [E, E, E, E]),
        ("pb", [H, H, H, H]),
        ("pe", [H, H, H, H]),
        ("be", [H, H, H, H]),
        ("ppp", [P, P, P, P]),
        // 2 of 3 is 0.667, below 0.67.
        ("ppw", [E, L, E, L]),
        ("pww", [E, E, E, L]),
        ("www", [E, E, E, E]),
        ("ppb", [H, H, H, H]),
        ("pwe", [H, H, H, H]),
        ("pppw", [E, L, L, L]),
        // Exactly half is no majority.
        ("ppww", [E, E, E, L]),
        ("ppppww", [E, L, E, L]),
        ("pppppww", [E, L, L, L]),
    ];
    for (letters, expected) in table {
        for (policy, expected) in Policy::ALL.iter().zip(expected) {
            for phase in [PRE, POST] {
                let decision = decide(*policy, &results(letters), phase, false);
                assert_eq!(
                    decision.action, expected,
                    "{letters:?} under {policy:?}: {}",
                    decision.justification
                );
            }
            // After the coder, recovery changes nothing.
            assert_eq!(
                decide(*policy, &results(letters), POST, true).action,
                expected,
                "{letters:?} under {policy:?}"
            );
        }
    }
}

#[test]
fn what_judges_before_the_coder_find_in_recovery_is_handed_on() {
    use Action::{Halt as H, Log as L, Proceed as P};
    for (letters, expected) in [
        ("", H),
        ("p", P),
        ("w", L),
        ("b", L),
        ("pwb", L),
        ("e", H),
        ("be", H),
        ("r", H),
        ("br", H),
        ("pr", H),
    ] {
        for policy in Policy::ALL {
            let decision = decide(*policy, &results(letters), PRE, true);
            assert_eq!(decision.action, expected, "{letters:?} under {policy:?}");
        }
    }
    let counts = decide(Policy::Unanimous, &results("pwb"), PRE, true).counts;
    assert_eq!((counts.pass, counts.warn, counts.blocker, counts.total), (3, 2, 0, 3));
}

#[test]
fn counts_and_words() {
    let decision = |policy, letters| decide(policy, &results(letters), POST, false);
    let counts = decision(Policy::Any, "ppwbe").counts;
    assert_eq!(
        (counts.pass, counts.warn, counts.blocker, counts.total, counts.errors),
        (2, 1, 2, 5, 1)
    );
    assert!(decision(Policy::Any, "pe").is_validator_error());
    assert!(!decision(Policy::Any, "pb").is_validator_error());
    for (policy, letters, words) in [
        (Policy::Any, "", "nobody judged"),
        (Policy::Any, "pee", "2 of 3 could not judge"),
        (Policy::Any, "pbb", "2 of 3 block"),
        (Policy::Unanimous, "pp", "unanimous: 2 of 2 pass"),
        (Policy::Unanimous, "pw", "unanimous needs all of them: 1 of 2 pass"),
        (Policy::Majority, "ppw", "majority: 2 of 3 pass, 1 warn"),
        (Policy::Majority, "pw", "majority needs more than half: 1 of 2 pass"),
        (Policy::Quorum, "pp", "quorum: 2 of 2 pass"),
        (Policy::Quorum, "pppw", "quorum: 3 of 4 pass, 1 warn"),
        (Policy::Quorum, "ppw", "quorum needs at least 2.0: 2 of 3 pass"),
        (Policy::Any, "pww", "any: 1 of 3 pass, 2 warn"),
        (Policy::Any, "ww", "any needs one: 0 of 2 pass"),
    ] {
        assert_eq!(decision(policy, letters).justification, words);
    }
}

#[test]
fn caps_are_for_findings() {
    let verdict = Judged::verdict;
    for (severity, cap, after) in [
        (Severity::Blocker, Some(Severity::Warn), Severity::Warn),
        (Severity::Blocker, Some(Severity::Pass), Severity::Pass),
        (Severity::Warn, Some(Severity::Pass), Severity::Pass),
        (Severity::Warn, Some(Severity::Warn), Severity::Warn),
        (Severity::Pass, Some(Severity::Warn), Severity::Pass),
        (Severity::Blocker, Some(Severity::Blocker), Severity::Blocker),
        (Severity::Blocker, None, Severity::Blocker),
    ] {
        let settled = settle(verdict(severity), cap, POST, false);
        assert_eq!(settled.judged.severity, after);
        let lowered = (severity != after).then_some((severity, Lowered::SeverityCap));
        assert_eq!(settled.lowered, lowered);
    }
    // An error and a refusal are no findings.
    let error = settle(Judged::error(), Some(Severity::Pass), PRE, true);
    assert_eq!((error.judged, error.lowered), (Judged::error(), None));
    let refusal = settle(results("r")[0], Some(Severity::Pass), PRE, true);
    assert_eq!((refusal.judged.severity, refusal.lowered), (Severity::Blocker, None));
    // In recovery, before the coder, a finding is eased whatever the cap.
    let eased = settle(verdict(Severity::Blocker), Some(Severity::Warn), PRE, true);
    assert_eq!(eased.judged.severity, Severity::Pass);
    assert_eq!(
        eased.lowered,
        Some((Severity::Blocker, Lowered::PreExecuteRecoveryTreeState))
    );
    assert_eq!(
        settle(verdict(Severity::Blocker), Some(Severity::Warn), POST, true)
            .judged
            .severity,
        Severity::Warn
    );
}

/// How many of each letter, with at most `most` in all.
fn mixtures(most: usize) -> Vec<[usize; 5]> {
    let mut all = vec![[0; 5]];
    for letter in 0..5 {
        let with_more = all.iter().flat_map(|mixture| {
            let used: usize = mixture.iter().sum();
            (0..=most - used).map(move |count| {
                let mut mixture = *mixture;
                mixture[letter] = count;
                mixture
            })
        });
        all = with_more.collect();
    }
    all
}

/// Every mixture of up to six results under every policy, in each phase, in and out of recovery, against the rules as they stand in the
/// page on compatibility, in whole numbers.
#[test]
fn every_combination() {
    let mut seen = std::collections::BTreeSet::new();
    let mixtures = mixtures(6);
    assert_eq!(mixtures.len(), 462);
    for mixture in mixtures {
        let [pass, warn, block, error, refuse] = mixture;
        let letters: String = "pwber"
            .chars()
            .zip(mixture)
            .map(|(c, n)| c.to_string().repeat(n))
            .collect();
        let total: usize = mixture.iter().sum();
        for policy in Policy::ALL {
            for (phase, recovery) in [(PRE, false), (PRE, true), (POST, false), (POST, true)] {
                let enough = match policy {
                    Policy::Unanimous => pass == total,
                    Policy::Majority => 2 * pass > total,
                    Policy::Quorum => 100 * pass >= 67 * total,
                    Policy::Any => pass > 0,
                };
                let expected = if total == 0 || error > 0 {
                    Action::Halt
                } else if phase == PRE && recovery && refuse == 0 && warn + block > 0 {
                    Action::Log
                } else if block + refuse > 0 {
                    Action::Halt
                } else if !enough {
                    Action::Escalate
                } else if warn > 0 {
                    Action::Log
                } else {
                    Action::Proceed
                };
                let decision = decide(*policy, &results(&letters), phase, recovery);
                assert_eq!(decision.action, expected, "{letters:?} {policy:?} {phase:?} {recovery}");
                let class = match expected {
                    Action::Proceed | Action::Log => Class::Pass,
                    Action::Escalate => Class::Escalate,
                    Action::Halt if error > 0 => Class::ValidatorError,
                    Action::Halt => Class::Blocker,
                };
                assert_eq!(decision.class(), class, "{letters:?} {policy:?}");
                assert_eq!(decision.consensus_achieved(), class == Class::Pass);
                seen.insert((policy.as_str(), class.as_str(), expected));
            }
        }
    }
    // Five ways to end under each of the four.
    assert_eq!(seen.len(), 20);
}

#[test]
fn after_the_coder_what_can_be_repaired_goes_back() {
    let with_caps = |letters: &str, caps: &str| -> Vec<(Judged, bool)> {
        results(letters)
            .into_iter()
            .zip(caps.chars().map(|c| c == 'c'))
            .collect()
    };
    for (letters, caps, expected) in [
        ("pp", "--", Route::Proceed),
        ("pw", "--", Route::Recover),
        ("pb", "--", Route::Stop(Class::Blocker)),
        ("pb", "-c", Route::Recover),
        ("bb", "cc", Route::Recover),
        ("bb", "c-", Route::Stop(Class::Blocker)),
        // The cap of somebody else does not help.
        ("pb", "c-", Route::Stop(Class::Blocker)),
        ("r", "-", Route::Stop(Class::Blocker)),
        ("pe", "cc", Route::Stop(Class::ValidatorError)),
        ("be", "cc", Route::Stop(Class::ValidatorError)),
        ("", "", Route::Stop(Class::Blocker)),
    ] {
        let decision = decide(Policy::Unanimous, &results(letters), POST, false);
        assert_eq!(
            after_post_execute(&decision, &with_caps(letters, caps)),
            expected,
            "{letters} {caps}"
        );
    }
}

fn any_policy() -> impl Strategy<Value = Policy> {
    prop::sample::select(Policy::ALL)
}

fn any_phase() -> impl Strategy<Value = Phase> {
    prop::sample::select(&[PRE, POST][..])
}

fn any_severity() -> impl Strategy<Value = Severity> {
    prop::sample::select(&[Severity::Pass, Severity::Warn, Severity::Blocker][..])
}

fn any_result() -> impl Strategy<Value = Judged> {
    let flags = (prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    (any_severity(), flags).prop_map(|(severity, (error, access_refused))| Judged {
        severity,
        error,
        access_refused,
    })
}

fn some_results() -> impl Strategy<Value = Vec<Judged>> {
    prop::collection::vec(any_result(), 1..9)
}

proptest! {
    /// Whatever severity came with it.
    #[test]
    fn an_error_never_passes(policy in any_policy(), phase in any_phase(), recovery: bool, mut results in some_results(),
        severity in any_severity(), at: prop::sample::Index) {
        let at = at.index(results.len());
        results[at].error = true;
        results[at].severity = severity;
        let decision = decide(policy, &results, phase, recovery);
        prop_assert_eq!(decision.action, Action::Halt);
        prop_assert!(decision.is_validator_error());
    }

    #[test]
    fn a_refusal_for_want_of_a_tool_never_passes(policy in any_policy(), phase in any_phase(), recovery: bool,
        mut results in some_results(), at: prop::sample::Index) {
        let at = at.index(results.len());
        results[at].access_refused = true;
        prop_assert_eq!(decide(policy, &results, phase, recovery).action, Action::Halt);
    }

    #[test]
    fn adding_a_blocker_never_helps(policy in any_policy(), phase in any_phase(), recovery: bool, mut results in some_results()) {
        let before = decide(policy, &results, phase, recovery).action;
        results.push(Judged::verdict(Severity::Blocker));
        prop_assert!(decide(policy, &results, phase, recovery).action >= before);
    }

    #[test]
    fn outside_the_easing_a_blocker_halts(policy in any_policy(), results in some_results(), recovery: bool) {
        let mut results = results;
        results.push(Judged::verdict(Severity::Blocker));
        prop_assert_eq!(decide(policy, &results, POST, recovery).action, Action::Halt);
        prop_assert_eq!(decide(policy, &results, PRE, false).action, Action::Halt);
    }

    #[test]
    fn a_graver_verdict_never_helps(policy in any_policy(), phase in any_phase(), recovery: bool, mut results in some_results(),
        at: prop::sample::Index, severity in any_severity()) {
        let at = at.index(results.len());
        prop_assume!(severity >= results[at].severity);
        let before = decide(policy, &results, phase, recovery).action;
        results[at].severity = severity;
        prop_assert!(decide(policy, &results, phase, recovery).action >= before);
    }

    #[test]
    fn the_order_of_results_is_no_matter(policy in any_policy(), phase in any_phase(), recovery: bool, results in some_results()) {
        let mut turned = results.clone();
        turned.reverse();
        prop_assert_eq!(decide(policy, &results, phase, recovery), decide(policy, &turned, phase, recovery));
    }

    #[test]
    fn settling_lowers_findings_and_nothing_else(judged in any_result(), cap in prop::option::of(any_severity()), phase in any_phase(), recovery: bool) {
        let settled = settle(judged, cap, phase, recovery);
        prop_assert_eq!(settled.judged.error, judged.error);
        prop_assert_eq!(settled.judged.access_refused, judged.access_refused);
        if judged.error || judged.access_refused {
            prop_assert!(settled.lowered.is_none() && settled.judged.severity >= judged.severity);
        } else {
            prop_assert!(settled.judged.severity <= judged.severity);
            prop_assert_eq!(settled.lowered.is_some(), settled.judged.severity != judged.severity);
        }
    }

    #[test]
    fn stricter_policies_pass_no_more(results in some_results()) {
        let action = |policy| decide(policy, &results, POST, false).action;
        let (unanimous, quorum, majority, any) = (action(Policy::Unanimous), action(Policy::Quorum), action(Policy::Majority), action(Policy::Any));
        prop_assert!(unanimous >= quorum && quorum >= majority && majority >= any);
    }
}
