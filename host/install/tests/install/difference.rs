//! Differences as data and as lines.

use snodo_admission::{Digest, Grants, Role};
use snodo_install::{Difference, InstallRecord, Moment, Source};

use crate::bed::name;

fn record(imports: &[&str]) -> InstallRecord {
    InstallRecord {
        name: name("x"),
        role: Role::Validator,
        digest: Digest::of(b"a"),
        size: 1,
        imports: imports.iter().map(|i| (*i).to_owned()).collect(),
        grants: Grants::NONE,
        contract: "0.1.0".to_owned(),
        installed: Moment::parse("2026-11-30T12:00:00Z").unwrap(),
        source: Source::file("x"),
    }
}

#[test]
fn nothing_differs_from_itself_whenever_and_from_wherever() {
    let one = record(&["a:b/c@1.0.0"]);
    let other = InstallRecord {
        contract: "0.1.1".to_owned(),
        installed: Moment::parse("2027-01-01T00:00:00Z").unwrap(),
        source: Source::url("y"),
        grants: Grants::NONE,
        ..one.clone()
    };
    let difference = Difference::between(&one, &other);
    assert!(difference.is_empty() && difference.lines().is_empty() && !difference.widens());
}

#[test]
fn an_interface_in_another_version_is_one_line() {
    let old = record(&["a:b/c@1.0.0", "a:b/d@1.0.0", "a:b/plain"]);
    let new = record(&["a:b/c@1.1.0", "a:b/e@1.0.0", "a:b/plain"]);
    let difference = Difference::between(&old, &new);
    assert_eq!(
        difference.lines(),
        [
            "import added: `a:b/e@1.0.0`",
            "import removed: `a:b/d@1.0.0`",
            "import in another version: `a:b/c@1.0.0` -> `a:b/c@1.1.0`",
        ]
    );
    assert!(difference.widens());
}

#[test]
fn two_versions_of_one_interface_are_both_told() {
    let old = record(&["a:b/c@1.0.0"]);
    let new = record(&["a:b/c@1.1.0", "a:b/c@2.0.0"]);
    let difference = Difference::between(&old, &new);
    assert_eq!(difference.imports_moved.len(), 1);
    assert_eq!(difference.imports_added.len(), 1);
}

#[test]
fn programs_are_told_by_field() {
    let difference = Difference::between(&record(&["a:b/c"]), &record(&["a:b/d"]));
    let json = serde_json::to_value(&difference).unwrap();
    assert_eq!(json["imports_added"], serde_json::json!(["a:b/d"]));
    assert_eq!(json["imports_removed"], serde_json::json!(["a:b/c"]));
    assert!(json["digest"].is_null());
}
