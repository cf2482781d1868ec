//! What plugin code relies on, natively.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::coder::RefusedOperation;
use crate::prelude::*;
use crate::types::{BadParameter, BadPath, Limit, Limits, PathRule, Refusal, Setting as InForce, SettingValue};
use crate::{SettingError, SettingType};

fn context(settings: Vec<(&str, SettingValue)>) -> Context {
    Context {
        job_id: String::new(),
        task_id: String::new(),
        mode: String::new(),
        depth: 0,
        attempt: 1,
        model: None,
        runner: None,
        protected_paths: Vec::new(),
        protocol_guidance: String::new(),
        tools: Vec::new(),
        settings: settings
            .into_iter()
            .map(|(name, value)| InForce {
                name: name.to_owned(),
                value,
            })
            .collect(),
        limits: Limits {
            memory_bytes: 0,
            compute_ms: 0,
            total_ms: 0,
            host_calls: 0,
            call_bytes: 0,
            read_bytes: 0,
            submit_bytes: 0,
        },
    }
}

fn limit() -> Limit {
    Limit {
        name: "calls".to_owned(),
        allowed: 7,
    }
}

#[test]
fn settings_are_read_by_their_type() {
    let context = context(vec![
        ("name", "x".into()),
        ("strict", true.into()),
        ("lines", 400.into()),
        ("paths", ["a", "b"].as_slice().into()),
    ]);
    assert_eq!(context.text("name"), Ok("x"));
    assert_eq!(context.boolean("strict"), Ok(true));
    assert_eq!(context.integer("lines"), Ok(400));
    assert_eq!(context.text_list("paths").unwrap(), ["a", "b"]);
    assert_eq!(
        context.text("lines").unwrap_err(),
        SettingError::WrongType {
            name: "lines".to_owned(),
            asked: SettingType::Text,
            found: SettingType::Integer
        }
    );
    assert_eq!(
        Fault::from(context.boolean("absent").unwrap_err()),
        Fault::Setting("the setting `absent` is read, but not declared by the plugin".to_owned())
    );
}

#[test]
fn a_description_is_built_in_the_order_written() {
    let description = Description::new("x", "1.2.3", "Does x.")
        .phase(Phase::PreExecute)
        .phase(Phase::PostExecute)
        .setting(Setting::text_list("paths", "Where."))
        .setting(Setting::boolean("strict", "Whether.").default(true));
    assert_eq!(description.phases, [Phase::PreExecute, Phase::PostExecute]);
    assert_eq!(description.settings[0].default, None);
    assert_eq!(description.settings[1].default, Some(SettingValue::Boolean(true)));
    assert_eq!(description.settings[1].value_type, SettingType::Boolean);
}

#[test]
fn a_reached_limit_stays_one_in_every_role() {
    assert_eq!(
        CoderError::from(read::ReadError::Limit(limit())),
        CoderError::Limit(limit())
    );
    assert_eq!(
        CoderError::from(search::SearchError::Limit(limit())),
        CoderError::Limit(limit())
    );
    assert_eq!(
        CoderError::from(submit::SubmitError::Limit(limit())),
        CoderError::Limit(limit())
    );
    assert_eq!(
        CoderError::from(completion::CompletionError::Limit(limit())),
        CoderError::Limit(limit())
    );
    assert_eq!(Fault::from(read::ReadError::Limit(limit())), Fault::Limit(limit()));
    assert_eq!(Fault::from(search::SearchError::Limit(limit())), Fault::Limit(limit()));
    assert_eq!(Fault::from(change::ChangeError::Limit(limit())), Fault::Limit(limit()));
    assert_eq!(
        Fault::from(change::BeforeError::Read(read::ReadError::Limit(limit()))),
        Fault::Limit(limit())
    );
    assert_eq!(Fault::from(runner::RunnerError::Limit(limit())), Fault::Limit(limit()));
    assert_eq!(
        Fault::from(completion::CompletionError::Limit(limit())),
        Fault::Limit(limit())
    );
}

#[test]
fn what_a_coder_cannot_read_is_named_with_the_reason() {
    assert_eq!(
        CoderError::from(read::ReadError::NotFound("src/a".to_owned())),
        CoderError::Unreadable(RefusedOperation {
            path: "src/a".to_owned(),
            reason: "`src/a` is not there".to_owned()
        })
    );
    // A parameter that cannot be used is the plugin's own mistake, not the workspace's.
    let bad = BadParameter {
        field: "glob".to_owned(),
        reason: "`[` is not closed".to_owned(),
    };
    assert_eq!(
        CoderError::from(read::ReadError::BadParameter(bad)),
        CoderError::Internal("the parameter `glob` cannot be used: `[` is not closed".to_owned())
    );
}

#[test]
fn a_rejected_operation_is_named_with_the_rule() {
    let refusal = Refusal {
        path: ".git/config".to_owned(),
        rule: "`.git` is never opened to plugins".to_owned(),
    };
    let error = submit::SubmitError::Rejected(submit::Rejected {
        index: 2,
        reason: submit::SubmitRefusal::Refused(refusal),
    });
    assert_eq!(
        error.explain(),
        "operation 2: `.git/config` is refused by `.git` is never opened to plugins"
    );
    assert!(matches!(CoderError::from(error), CoderError::Refused(refused) if refused.path == ".git/config"));
}

#[test]
fn what_a_validator_cannot_see_is_a_fault() {
    let bad = BadPath {
        path: "../x".to_owned(),
        rule: PathRule::EscapesRoot,
    };
    assert_eq!(
        Fault::from(read::ReadError::BadPath(bad)),
        Fault::IncompleteView("`../x` is not a usable path: it leads above the workspace's root".to_owned())
    );
    let paths = (0..7).map(|number| number.to_string()).collect();
    assert_eq!(
        Fault::from(change::WholeDiffError::Omitted(paths)),
        Fault::IncompleteView(
            "the change of `0`, `1`, `2`, `3`, `4` and 2 more is too large to be shown whole".to_owned()
        )
    );
}

#[test]
fn a_skipped_verdict_says_why_and_passes() {
    let verdict = Verdict::skipped("no tests");
    assert_eq!(
        (verdict.severity, verdict.skipped.as_deref()),
        (Severity::Pass, Some("no tests"))
    );
}

#[test]
fn kept_output_says_what_was_left_out() {
    let captured = |dropped| runner::Captured {
        head: "start".to_owned(),
        tail: if dropped == 0 { String::new() } else { "end".to_owned() },
        dropped,
        escaped: 0,
    };
    assert_eq!(captured(0).text(), "start");
    assert_eq!(captured(9).text(), "start\n[… 9 bytes left out …]\nend");
}
