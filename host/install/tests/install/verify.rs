//! What is installed against what was agreed to.

use std::os::unix::fs::PermissionsExt as _;

use snodo_admission::{Bodies, Context, Grants, Limits, Served, admit_hashed};
use snodo_install::{InstallError, Problem, Reserved};

use crate::bed::{Bed, MODEL, MODEL_VALIDATOR, NONE, VALIDATOR, admit_again, name, plugin};

fn rewrite(bed: &Bed, from: &str, to: &str) {
    let text = std::fs::read_to_string(bed.record("x")).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(bed.record("x"), text.replace(from, to)).unwrap();
    std::fs::set_permissions(bed.record("x"), std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn problems(bed: &Bed) -> Vec<String> {
    let verified = bed.installed().verify(&name("x"), admit_again).unwrap();
    assert_eq!(verified.is_ok(), verified.way_out().is_none());
    verified.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_as_it_was_installed_verifies() {
    let bed = Bed::new();
    bed.add(&plugin(MODEL_VALIDATOR, "1"), "x", MODEL).unwrap();
    let verified = bed.installed().verify(&name("x"), admit_again).unwrap();
    assert!(verified.is_ok(), "{:?}", verified.problems);
    assert_eq!(verified.record.unwrap().grants, MODEL);
    assert!(matches!(
        bed.installed().verify(&name("y"), admit_again),
        Err(InstallError::NotInstalled { .. })
    ));
}

#[test]
fn an_edited_record_is_told() {
    let bed = Bed::new();
    bed.add(&plugin(VALIDATOR, "1"), "x", NONE).unwrap();
    rewrite(&bed, "    \"snodo:plugin/change@0.1.0\",\n", "");
    rewrite(&bed, "role = \"validator\"", "role = \"coder\"");
    rewrite(&bed, "grants = []", "grants = [\"model\"]");
    assert_eq!(
        problems(&bed),
        [
            "the record does not say what the plugin is: role: coder -> validator; import added: `snodo:plugin/change@0.1.0`; \
             grant dropped: `model` (nothing of the new bytes needs it)"
        ]
    );
    // Before a run the same is asked of what was found.
    let found = bed.installed().find(&name("x")).unwrap().unwrap();
    let hashed = found.bytes.hashed();
    let admitted = admit_again(&found.record, &hashed).unwrap();
    assert!(!found.differs_from(&admitted).is_empty());
}

#[test]
fn a_grant_that_was_taken_away_in_the_record_is_a_refusal() {
    let bed = Bed::new();
    bed.add(&plugin(MODEL_VALIDATOR, "1"), "x", MODEL).unwrap();
    rewrite(&bed, "grants = [\"model\"]", "grants = []");
    let problems = problems(&bed);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].starts_with("plugin `x` is refused: `snodo:plugin/completion@0.1.0`: to talk to a language model takes the grant `model`"),
        "{problems:?}"
    );
}

#[test]
fn spoiled_and_missing_bytes_and_damaged_records_are_problems_and_no_errors() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&bytes, "x", NONE).unwrap();
    std::fs::write(bed.stored(&bytes), plugin(VALIDATOR, "2")).unwrap();
    assert!(problems(&bed)[0].starts_with("its bytes are not what was installed: the record says sha256:"));
    std::fs::remove_file(bed.stored(&bytes)).unwrap();
    assert!(problems(&bed)[0].ends_with("are not in the store"));
    rewrite(&bed, "format = 1", "format = 9");
    let verified = bed.installed().verify(&name("x"), admit_again).unwrap();
    assert!(verified.record.is_none() && matches!(verified.problems[..], [Problem::Record(_)]));
    assert_eq!(
        verified.way_out().unwrap(),
        "`snodo-host plugin add FILE --as x` installs it anew, `snodo-host plugin remove x` removes it"
    );
}

#[test]
fn a_host_that_serves_less_says_so() {
    let bed = Bed::new();
    bed.add(&plugin(MODEL_VALIDATOR, "1"), "x", MODEL).unwrap();
    let installed = bed.installed_with(Reserved::new(["X"], []));
    let verified = installed
        .verify(&name("x"), |record, bytes| {
            let context = Context {
                name: &record.name,
                role_expected: None,
                grants: Grants::NONE,
                served: Served { completion: false },
                bodies: Bodies::Validate,
            };
            admit_hashed(bytes, &context, &Limits::standard())
        })
        .unwrap();
    let problems: Vec<String> = verified.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 2);
    assert_eq!(problems[0], "its name is the name of a built-in now");
    assert!(problems[1].contains("this build does not serve `completion`"));
}
