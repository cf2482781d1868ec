//! The plugins that are part of the product. One that does not conform fails the build.

use snodo_host::conform::{CheckResult, ConformRequest, SubjectRole, Subjects};
use snodo_host::engine::Host;

use crate::support::Sandbox;
use crate::world::{check, environment, ids, result};

#[test]
fn every_registered_coder_and_validator_conforms() {
    let sandbox = Sandbox::new();
    let host = Host::open(environment(&sandbox)).unwrap();
    let report = check(&sandbox, &host, &ConformRequest::of(Subjects::All));
    let names: Vec<&str> = report.subjects.iter().map(|subject| subject.name.as_str()).collect();
    assert!(names.contains(&"patch") && names.contains(&"judge"), "{names:?}");
    for subject in &report.subjects {
        let name = &subject.name;
        assert_eq!(ids(subject, CheckResult::Fail), [""; 0], "{name}: {subject:#?}");
        assert_eq!(ids(subject, CheckResult::Unproven), [""; 0], "{name}: {subject:#?}");
        // What asks no model cannot be without one. Nothing else is left out of what is ours.
        let skipped = ids(subject, CheckResult::Skip);
        let without_a_model = ["scope", "secrets", "quality"].contains(&name.as_str());
        let expected: &[&str] = if without_a_model {
            &["model.missing", "model.failing"]
        } else {
            &[]
        };
        assert_eq!(skipped, expected, "{name}");
    }
    assert_eq!((report.ok, report.exit_code), (true, 0));
    // With criteria, and a model that passes them, it is heard in both gates.
    let judge = report.subjects.iter().find(|subject| subject.name == "judge").unwrap();
    let heard = &result(judge, "gate.judges").seen;
    assert!(
        heard.starts_with("pre_execute: pass, post_execute: pass; the run ended as completed"),
        "{heard}"
    );
    for subject in report
        .subjects
        .iter()
        .filter(|subject| subject.role == Some(SubjectRole::Coder))
    {
        assert!(
            result(subject, "gates.asked").seen.contains("asked for 2 verdicts"),
            "{subject:#?}"
        );
    }
}
