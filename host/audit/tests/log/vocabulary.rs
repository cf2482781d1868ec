//! Names and fields of events, as snodo has them.

use snodo_audit::value::Value;
use snodo_audit::vocabulary::{
    Applied, AttemptLimit, ChangeSize, Event, LineCounts, Phase, PolicyAction, RecordedResult, TestMutation, TimeLimit,
    TurnBudget, ValidateOutcome, VerificationOutcome,
};

use crate::world::{World, now};

const LIMIT: TimeLimit = TimeLimit {
    seconds: 1800,
    silence: true,
};

fn s(text: &str) -> String {
    text.to_owned()
}

/// Each event, with the keys that snodo's has (without `session_id`, which is never written).
fn all() -> Vec<(Event, &'static str)> {
    let task_ref = || s("task_1");
    let result = RecordedResult {
        validator_id: s("v"),
        severity: s("warn"),
        justification: s("j"),
        examined: vec![s("a")],
        reused: true,
        severity_original: Some(s("blocker")),
    };
    let size = ChangeSize {
        base_sha: s("b"),
        head_sha: s("h"),
        files_changed: 1,
        paths: vec![s("p")],
        counts: Some(LineCounts {
            files_added: 1,
            files_deleted: 0,
            files_renamed: 0,
            files_mode_only: 0,
            files_binary: 0,
            lines_added: 3,
            lines_deleted: 0,
        }),
    };
    let validate = |outcome| Event::Validate {
        task_ref: task_ref(),
        validators_invoked: vec![s("v")],
        results: vec![result.clone()],
        outcome,
        usage: vec![],
    };
    let dispatch = |timed_out| Event::Dispatch {
        task_ref: task_ref(),
        mode: s("m"),
        coder: s("c"),
        coder_model: None,
        judging_model: Some(s("x")),
        artifacts_count: 1,
        timed_out,
    };
    let exhausted = |limit| Event::RecoveryExhausted {
        task_ref: task_ref(),
        depth: 3,
        limit,
    };
    let turns = |left| Event::CoderTurnBudgetExhausted {
        task_ref: task_ref(),
        left,
    };
    let capped = |reason| Event::SeverityCapApplied {
        validator_id: s("v"),
        original: s("blocker"),
        capped: s("warn"),
        reason,
    };
    let pre = ValidateOutcome::Pre {
        outcome: "passed",
        policy: Some(PolicyAction::Proceed),
    };
    vec![
        (
            Event::TaskClassified {
                task_ref: task_ref(),
                flow_type: s("defect"),
                task_summary: s("t"),
            },
            "op task_ref flow_type wave_id task_summary",
        ),
        (
            Event::GovernanceCheck {
                task_ref: task_ref(),
                mode: s("m"),
                constraints_passed: true,
            },
            "op task_ref mode constraints_checked",
        ),
        (
            Event::ConstraintViolation {
                constraint_id: s("c"),
                predicate: s("p"),
                severity: s("blocker"),
                justification: s("j"),
                evidence: Value::Null,
                phase: Phase::PreExecute,
            },
            "op constraint_id predicate severity justification evidence phase",
        ),
        (
            validate(pre),
            "op phase task_ref validators_invoked results outcome policy_decision usage",
        ),
        (
            validate(ValidateOutcome::Post("recovery")),
            "op phase task_ref validators_invoked results outcome usage",
        ),
        (capped(None), "validator_id original capped"),
        (capped(Some(s("r"))), "validator_id original capped reason"),
        (
            Event::DisagreementEscalated {
                task_ref: task_ref(),
                phase: Phase::PostExecute,
                policy: s("majority"),
            },
            "op phase task_ref policy",
        ),
        (
            Event::Wf3RuntimeViolation {
                task_ref: task_ref(),
                mode: s("m"),
                phase: Phase::PreExecute,
            },
            "task_ref mode phase",
        ),
        (Event::TokenConsumed { task_ref: task_ref() }, "op task_ref"),
        (
            dispatch(None),
            "op task_ref token_id mode coder coder_model judging_model artifacts_count",
        ),
        (
            dispatch(Some(LIMIT)),
            "op task_ref token_id mode coder coder_model judging_model artifacts_count timed_out timeout_seconds timeout_limit",
        ),
        (
            Event::CoderTestRun {
                task_ref: task_ref(),
                turn_index: 0,
                test_path: s(""),
                command_type: s("pytest"),
                exit_code: -1,
            },
            "turn_index test_path command_type exit_code job_id task_id",
        ),
        (
            Event::TestModified {
                task_ref: task_ref(),
                mutations: vec![TestMutation {
                    path: s("p"),
                    kind: s("test"),
                }],
            },
            "mutations job_id task_id",
        ),
        (
            Event::VerificationExecuted {
                task_ref: task_ref(),
                validator_id: s("q"),
                command: s("c"),
                commit: s(""),
                returncode: 0,
                outcome: VerificationOutcome::NoTests,
                working_directory: s("/w"),
                output_tail: s("ü").repeat(1000),
            },
            "op command commit returncode outcome validator_id task_ref session_id working_directory output_tail",
        ),
        (
            Event::NoFileOperations {
                task_ref: task_ref(),
                error: s("e"),
            },
            "op task_ref error",
        ),
        (
            Event::SnodoMutationBlocked {
                task_ref: task_ref(),
                mode: s("m"),
                paths: vec![s(".snodo/x")],
                error: s("e"),
            },
            "op task_ref mode paths error",
        ),
        (
            Event::ProtectedPathBlocked {
                task_ref: task_ref(),
                justification: s("j"),
            },
            "op task_ref justification",
        ),
        (
            Event::CoderTimedOut {
                task_ref: task_ref(),
                mode: s("m"),
                limit: LIMIT,
                artifacts_count: 0,
                output_tail: s(""),
            },
            "op task_ref mode timeout_seconds timeout_limit artifacts_count output_tail",
        ),
        (
            Event::CoderUnavailable {
                task_ref: task_ref(),
                mode: s("m"),
                binary: None,
                error: s("e"),
            },
            "op task_ref mode binary error",
        ),
        (turns(TurnBudget::Nothing { error: s("e") }), "op task_ref error"),
        (
            turns(TurnBudget::Work {
                mode: s("m"),
                artifacts_count: 2,
            }),
            "op task_ref mode artifacts_count",
        ),
        (
            Event::ExecutionFailed {
                task_ref: task_ref(),
                error: s("e"),
            },
            "op task_ref error",
        ),
        (
            Event::ValidatorContradictionDetected {
                task_ref: task_ref(),
                execution_validator: s("q"),
                execution_justification: s("j"),
                acceptance_justification: s("a"),
            },
            "op task_ref execution_validator execution_justification acceptance_justification",
        ),
        (
            Event::PostValidateBypassed {
                task_ref: task_ref(),
                mode: s("m"),
                reason: s("r"),
            },
            "task_ref mode reason",
        ),
        (
            Event::PostValidationRoute {
                task_ref: task_ref(),
                decision: "move_next",
            },
            "op task_ref decision",
        ),
        (
            Event::SubtaskSpawned {
                parent_ref: s("t"),
                task_ref: task_ref(),
                depth: 1,
                triggering_validator_ids: vec![s("v")],
            },
            "op parent_ref task_ref depth triggering_validator_ids",
        ),
        (
            exhausted(AttemptLimit::Depth { max_depth: 2 }),
            "op task_ref depth max_depth reason",
        ),
        (
            exhausted(AttemptLimit::Total),
            "op task_ref depth global_remaining reason",
        ),
        (
            Event::RecoveryStalled {
                task_ref: task_ref(),
                depth: 1,
                validator_ids: vec![s("v")],
            },
            "op task_ref depth validator_ids",
        ),
        (
            Event::RecoveryResolved {
                task_ref: task_ref(),
                depth: 0,
                attempts_used: 1,
            },
            "op task_ref depth attempts_used",
        ),
        (
            Event::RecoveryInternalError {
                task_ref: task_ref(),
                depth: 0,
                error: s("e"),
            },
            "op task_ref depth error",
        ),
        (
            Event::Transition {
                task_ref: task_ref(),
                from_mode: s("m"),
                to_mode: s("complete"),
            },
            "op task_ref from_mode to_mode",
        ),
        (
            Event::TaskComplete {
                task_ref: task_ref(),
                artifacts: vec![s("p")],
                commit: None,
                change_size: Some(size),
                usage: vec![],
                timed_out: None,
            },
            "op task_ref artifacts commit change_size usage",
        ),
        (
            Event::Halt {
                task_ref: task_ref(),
                reason: s("r"),
                blocker_validators: vec![],
                halt_type: s("blocker"),
                raw_halt_type: s("blocked"),
                usage: vec![],
                timed_out: Some(LIMIT),
            },
            "op task_ref reason blocker_validators halt_type raw_halt_type usage timed_out timeout_seconds timeout_limit",
        ),
        (
            Event::PluginCalled {
                task_ref: task_ref(),
                role: "coder",
                plugin: s("p"),
                digest: None,
                attempt: 1,
                outcome: s("ok"),
                detail: s(""),
            },
            "op task_ref role plugin digest attempt outcome detail",
        ),
        (
            Event::OperationRefused {
                task_ref: task_ref(),
                plugin: s("p"),
                operation: s("write"),
                path: s(".git/x"),
                rule: s("r"),
            },
            "op task_ref plugin operation path rule",
        ),
        (
            Event::ChangeApplied(Applied {
                task_ref: task_ref(),
                run_id: s("r"),
                change_set: s("d"),
                files_changed: 1,
                paths: vec![s("p")],
                undone: false,
            }),
            "op task_ref run_id change_set files_changed paths undone",
        ),
    ]
}

#[test]
fn names_and_fields_are_snodos() {
    let world = World::new();
    let mut log = world.log();
    for (event, keys) in all() {
        let recorded = event.record(None);
        let mut expected: Vec<&str> = keys.split(' ').collect();
        expected.sort_unstable();
        let found: Vec<_> = recorded.data.keys().map(|key| key.as_str().unwrap()).collect();
        assert_eq!(found, expected, "{}", event.name());
        if let Some(op) = recorded.data.get(&"op".into()) {
            assert_eq!(op.as_str(), Some(recorded.event_type));
        }
        log.append(now(), &recorded).unwrap();
        // With a job: as the engine adds it, and no session in either case.
        let recorded = event.record(Some("job_7"));
        let job = recorded.data.get(&"job_id".into()).and_then(Value::as_str);
        let has_one = expected.contains(&"op") || expected.contains(&"job_id");
        assert_eq!(job, has_one.then_some("job_7"), "{}", event.name());
    }
    assert_eq!(world.verify().events, all().len() as u64);
}

#[test]
fn long_lists_and_long_output_are_cut() {
    let event = all()
        .into_iter()
        .find(|(event, _)| event.name() == "verification_executed")
        .unwrap()
        .0;
    let data = event.record(None).data;
    assert_eq!(data[&"output_tail".into()].as_str().unwrap(), "ü".repeat(400));
    let paths: Vec<String> = (0..2000).map(|n| format!("p{n}")).collect();
    let event = Event::TaskComplete {
        task_ref: s("t"),
        artifacts: paths.clone(),
        commit: Some(s("c")),
        change_size: Some(ChangeSize {
            base_sha: s(""),
            head_sha: s(""),
            files_changed: 2000,
            paths,
            counts: None,
        }),
        usage: vec![],
        timed_out: None,
    };
    let data = event.record(None).data;
    let size = &data[&"change_size".into()];
    assert_eq!(size.get("capped"), Some(&Value::Bool(true)));
    assert_eq!(size.get("lines_added"), Some(&Value::Null));
    for list in [&data[&"artifacts".into()], size.get("paths").unwrap()] {
        assert!(matches!(list, Value::List(items) if items.len() == 500));
    }
}
