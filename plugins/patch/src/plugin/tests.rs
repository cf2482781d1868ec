//! What the plugin makes of the library's answers, and of the host's.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that fails here says where")]

use super::*;
use snodo_plugin::SettingValue;
use snodo_plugin::types::{BadPath, IoFailure, Limit, PathRule, Refusal};

fn answer(error: read::ReadError) -> Result<Option<files::File>, CoderError> {
    missing_or_failure("p", error).map_err(|failure| coder_error(failure.into()))
}

#[test]
fn a_missing_file_is_an_answer() {
    assert!(matches!(answer(read::ReadError::NotFound("p".to_owned())), Ok(None)));
}

#[test]
fn rules_refuse_and_damage_is_unreadable() {
    let path = || "p".to_owned();
    let rule = || "`.snodo` is never changed".to_owned();
    let bad = BadPath {
        path: path(),
        rule: PathRule::EscapesRoot,
    };
    let refusal = Refusal {
        path: path(),
        rule: rule(),
    };
    for error in [read::ReadError::BadPath(bad), read::ReadError::Refused(refusal)] {
        let Err(CoderError::Refused(refused)) = answer(error) else {
            panic!("not refused")
        };
        assert_eq!(refused.path, "p");
        assert!(refused.reason.contains("root") || refused.reason.contains(&rule()));
    }
    let failure = IoFailure {
        path: path(),
        reason: "no".to_owned(),
    };
    for error in [read::ReadError::Symlink(path()), read::ReadError::Io(failure)] {
        assert!(matches!(answer(error), Err(CoderError::Unreadable(refused)) if refused.path == "p"));
    }
    let limit = Limit {
        name: "bytes-read".to_owned(),
        allowed: 7,
    };
    assert!(matches!(
        answer(read::ReadError::Limit(limit)),
        Err(CoderError::Limit(limit)) if limit.allowed == 7
    ));
}

#[test]
fn errors_keep_what_a_person_needs() {
    let misfit = Misfit {
        path: "x".to_owned(),
        hunk: 2,
        nearest_line: 5,
        reason: "why".to_owned(),
    };
    for error in [
        PatchError::DoesNotApply(misfit.clone()),
        PatchError::AlreadyApplied(misfit),
    ] {
        let CoderError::DoesNotApply(mismatch) = coder_error(error) else {
            panic!("another error")
        };
        assert_eq!(
            (mismatch.path.as_str(), mismatch.hunk, mismatch.nearest_line),
            ("x", 2, 5)
        );
    }
    let error = PatchError::Unsupported {
        line: 3,
        path: Some("i.png".to_owned()),
        reason: "a binary patch".to_owned(),
    };
    assert!(matches!(
        coder_error(error),
        CoderError::UnusableTask(text) if text == "Line 3 of the task, for `i.png`: a binary patch."
    ));
    let error = PatchError::NotText { path: "x".to_owned() };
    assert!(matches!(coder_error(error), CoderError::Unreadable(refused) if refused.path == "x"));
}

#[test]
fn settings_have_their_defaults() {
    let description = Patch::describe();
    let defaults: Vec<_> = description
        .settings
        .iter()
        .map(|setting| (setting.name.as_str(), setting.default.clone()))
        .collect();
    assert_eq!(
        defaults,
        [
            ("max-offset", Some(SettingValue::Integer(200))),
            ("strip", Some(SettingValue::Integer(-1)))
        ]
    );
}

#[test]
fn long_accounts_are_cut() {
    let plan = Plan {
        edits: vec![Edit::Delete { path: "x".to_owned() }],
        account: (0..250).map(|number| format!("part {number}")).collect(),
    };
    let report = report(&plan);
    assert!(report.notes.ends_with("part 99\nand 150 more"), "{}", report.notes);
    assert_eq!(report.files.len(), 1);
}

mod called;
