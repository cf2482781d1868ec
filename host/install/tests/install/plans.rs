//! What installing tells beforehand, and does.

use snodo_admission::{Digest, Grant};
use snodo_install::{Change, InstallError, Source};

use crate::bed::{
    Bed, CODER, MODEL, MODEL_VALIDATOR, NONE, RUNNER, RUNNER_VALIDATOR, VALIDATOR, admitted, looked_at, message, name,
    plugin, request,
};

#[test]
fn a_plugin_is_installed_found_listed_and_removed() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    let installed = bed.installed();
    assert!(installed.find(&name("reviewer")).unwrap().is_none());
    assert!(installed.list().unwrap().plugins.is_empty());
    assert!(
        Bed::names(&bed.config()).is_empty() && Bed::names(&bed.state()).is_empty(),
        "looking makes nothing"
    );

    let seen = admitted(&bytes, "reviewer", NONE);
    let plan = installed.plan_add(&seen, &request(NONE)).unwrap();
    assert!(matches!(plan.change(), Change::New) && plan.needs_consent());
    assert!(Bed::names(&bed.config()).is_empty(), "planning makes nothing");
    let added = installed.add(&plan).unwrap();
    assert!(added.recorded && added.stored && added.freed == 0);

    let found = installed.find(&name("reviewer")).unwrap().unwrap();
    assert_eq!(found.bytes.bytes(), bytes);
    assert_eq!(found.bytes.digest(), Digest::of(&bytes));
    assert_eq!(&found.record, plan.record());
    assert!(found.differs_from(&seen).is_empty());
    assert_eq!(installed.show(&name("reviewer")).unwrap(), found.record);
    let listing = installed.list().unwrap();
    assert_eq!(listing.plugins.len(), 1);
    assert_eq!(listing.plugins[0].record.as_ref().unwrap(), &found.record);
    assert!(listing.strays.is_empty());

    let removed = installed.remove(&name("reviewer")).unwrap();
    assert_eq!(removed.freed, bytes.len() as u64);
    assert!(installed.find(&name("reviewer")).unwrap().is_none());
    assert_eq!(Bed::names(&bed.store()), [".lock"]);
    assert_eq!(Bed::names(&bed.records()), [".lock"]);
    assert_eq!(
        message(installed.remove(&name("reviewer"))),
        "no plugin `reviewer` is installed; `snodo-host plugin list` lists them"
    );
}

#[test]
fn the_same_again_changes_nothing_and_puts_bytes_back() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&bytes, "reviewer", NONE).unwrap();
    let before = std::fs::read(bed.record("reviewer")).unwrap();

    let installed = bed.installed();
    let seen = admitted(&bytes, "reviewer", NONE);
    let mut again = request(NONE);
    again.source = Source::url("https://example.org/x");
    let plan = installed.plan_add(&seen, &again).unwrap();
    assert!(matches!(plan.change(), Change::Same) && !plan.needs_consent());
    let added = installed.add(&plan).unwrap();
    assert!(!added.recorded && !added.stored);
    assert_eq!(std::fs::read(bed.record("reviewer")).unwrap(), before);

    std::fs::remove_file(bed.stored(&bytes)).unwrap();
    assert!(
        message(installed.find(&name("reviewer")))
            .contains("are not in the store; `snodo-host plugin add FILE --as reviewer` puts the bytes back")
    );
    let added = installed.add(&installed.plan_add(&seen, &again).unwrap()).unwrap();
    assert!(!added.recorded && added.stored);
    assert!(installed.find(&name("reviewer")).unwrap().is_some());
}

#[test]
fn an_update_lists_what_is_different() {
    let bed = Bed::new();
    let one = plugin(RUNNER_VALIDATOR, "1");
    let two = plugin(
        "import snodo:plugin/read@0.1.0; import snodo:plugin/completion@0.1.0; export snodo:plugin/coding@0.1.0;",
        "2",
    );
    bed.add(&one, "reviewer", RUNNER).unwrap();
    let installed = bed.installed();
    let all = installed.grants_for(&name("reviewer"), MODEL).unwrap();
    assert!(all.model && all.runner);
    let seen = admitted(&two, "reviewer", all);
    let plan = installed.plan_add(&seen, &request(MODEL)).unwrap();
    let Change::Replaces { old, difference } = plan.change() else {
        panic!("{:?}", plan.change())
    };
    assert_eq!(old.digest, Digest::of(&one));
    assert!(difference.widens());
    let lines = difference.lines();
    let sizes = format!("size: {} -> {} bytes", one.len(), two.len());
    let digests = format!("digest: {} -> {}", Digest::of(&one), Digest::of(&two));
    assert_eq!(
        lines,
        [
            "role: validator -> coder",
            &digests,
            &sizes,
            "import added: `snodo:plugin/completion@0.1.0`",
            "import removed: `snodo:plugin/change@0.1.0`",
            "import removed: `snodo:plugin/runner@0.1.0`",
            "import removed: `snodo:plugin/search@0.1.0`",
            "grant added: `model`",
            "grant dropped: `runner` (nothing of the new bytes needs it)",
        ]
    );
    let added = installed.add(&plan).unwrap();
    assert_eq!(added.freed, one.len() as u64, "the old bytes are nobody's any more");
    let record = installed.show(&name("reviewer")).unwrap();
    assert_eq!(record.grants, MODEL);
}

#[test]
fn a_grant_stays_only_as_long_as_an_import_stands_on_it() {
    let bed = Bed::new();
    let with = |mark: &str| plugin(MODEL_VALIDATOR, mark);
    let without = plugin(VALIDATOR, "2");
    bed.add(&with("1"), "reviewer", MODEL).unwrap();
    // Kept, without being given again.
    let three = with("3");
    let installed = bed.installed();
    let held = installed.grants_for(&name("reviewer"), NONE).unwrap();
    assert_eq!(held, MODEL);
    let seen = admitted(&three, "reviewer", held);
    let plan = installed.plan_add(&seen, &request(NONE)).unwrap();
    let Change::Replaces { difference, .. } = plan.change() else {
        panic!("{:?}", plan.change())
    };
    assert_eq!(difference.grants_kept, [Grant::Model]);
    assert!(!difference.widens());
    assert_eq!(difference.lines().last().unwrap(), "grant kept: `model`");
    installed.add(&plan).unwrap();
    // Dropped with the import, and not there when the import comes back.
    bed.add(&without, "reviewer", NONE).unwrap();
    assert_eq!(installed.show(&name("reviewer")).unwrap().grants, NONE);
    assert_eq!(installed.grants_for(&name("reviewer"), NONE).unwrap(), NONE);
}

#[test]
fn nothing_is_granted_silently() {
    let bed = Bed::new();
    let bytes = plugin(MODEL_VALIDATOR, "1");
    let installed = bed.installed();
    // Admitted with a grant that the user did not give: whoever calls made a mistake, and it does no harm.
    let seen = admitted(&bytes, "reviewer", MODEL);
    assert_eq!(
        message(installed.plan_add(&seen, &request(NONE))),
        "`reviewer` needs the grant `model`, and nobody gave it: nothing is granted silently. `--grant model` gives it"
    );
    // The control: given, it passes.
    installed.plan_add(&seen, &request(MODEL)).unwrap();
    // Nor from what another plugin holds.
    bed.add(&bytes, "other", MODEL).unwrap();
    assert!(matches!(
        installed.plan_add(&seen, &request(NONE)),
        Err(InstallError::NotGranted {
            grant: Grant::Model,
            ..
        })
    ));
    // Nor from what was held for a role and bytes that are gone.
    installed.remove(&name("other")).unwrap();
    let seen = admitted(&bytes, "other", MODEL);
    assert!(installed.plan_add(&seen, &request(NONE)).is_err());
}

#[test]
fn what_is_not_admitted_yet_is_compared_all_the_same() {
    let bed = Bed::new();
    let (one, two) = (plugin(VALIDATOR, "1"), plugin(MODEL_VALIDATOR, "2"));
    let installed = bed.installed();
    let seen = looked_at(&two, "reviewer");
    assert!(installed.difference_to(&seen).unwrap().is_none());
    bed.add(&one, "reviewer", NONE).unwrap();
    assert_eq!(
        installed.difference_to(&seen).unwrap().unwrap().lines(),
        [
            format!("digest: {} -> {}", Digest::of(&one), Digest::of(&two)),
            "import added: `snodo:plugin/completion@0.1.0`".to_owned(),
        ]
    );
    // A change of the role takes what was granted to the old one.
    bed.add(&two, "reviewer", MODEL).unwrap();
    let coder = plugin("include snodo:plugin/model-coder@0.1.0;", "3");
    assert!(matches!(
        bed.add(&coder, "reviewer", NONE),
        Err(InstallError::NotGranted {
            grant: Grant::Model,
            ..
        })
    ));
    bed.add(&coder, "reviewer", MODEL).unwrap();
}

#[test]
fn a_grant_that_nothing_needs_is_told_and_not_kept() {
    let bed = Bed::new();
    let bytes = plugin(CODER, "1");
    let installed = bed.installed();
    // A coder has the runner without a grant.
    let given = snodo_admission::Grants {
        model: true,
        runner: true,
    };
    let seen = admitted(&bytes, "fixer", given);
    let plan = installed.plan_add(&seen, &request(given)).unwrap();
    assert_eq!(plan.unused_grants(), [Grant::Model, Grant::Runner]);
    assert_eq!(plan.record().grants, NONE);
    installed.add(&plan).unwrap();
    assert_eq!(installed.show(&name("fixer")).unwrap().grants, NONE);
}

#[test]
fn two_names_may_share_bytes() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    assert!(bed.add(&bytes, "a", NONE).unwrap().stored);
    assert!(!bed.add(&bytes, "b", NONE).unwrap().stored);
    let installed = bed.installed();
    assert_eq!(installed.remove(&name("a")).unwrap().freed, 0);
    assert_eq!(installed.find(&name("b")).unwrap().unwrap().bytes.bytes(), bytes);
    assert_eq!(installed.remove(&name("b")).unwrap().freed, bytes.len() as u64);
}

#[test]
fn a_plan_that_is_no_longer_true_changes_nothing() {
    let bed = Bed::new();
    let (one, two, three) = (plugin(VALIDATOR, "1"), plugin(VALIDATOR, "2"), plugin(VALIDATOR, "3"));
    let installed = bed.installed();
    let (seen_one, seen_two) = (admitted(&one, "x", NONE), admitted(&two, "x", NONE));
    let plan_one = installed.plan_add(&seen_one, &request(NONE)).unwrap();
    let plan_two = installed.plan_add(&seen_two, &request(NONE)).unwrap();
    let again = installed.plan_add(&seen_one, &request(NONE)).unwrap();
    installed.add(&plan_one).unwrap();
    assert_eq!(
        message(installed.add(&plan_two)),
        "the installed plugin `x` was changed by another command meanwhile, and was not touched: look with `snodo-host plugin show x`, and start again"
    );
    assert_eq!(installed.find(&name("x")).unwrap().unwrap().bytes.bytes(), one);
    // What would have come to the same is no conflict.
    assert!(!installed.add(&again).unwrap().recorded);
    // Removed meanwhile.
    let seen_three = admitted(&three, "x", NONE);
    let plan = installed.plan_add(&seen_three, &request(NONE)).unwrap();
    installed.remove(&name("x")).unwrap();
    assert!(matches!(installed.add(&plan), Err(InstallError::Changed { .. })));
    assert!(installed.find(&name("x")).unwrap().is_none());
    assert_eq!(Bed::names(&bed.store()), [".lock"]);
}
