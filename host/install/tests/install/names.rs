//! F11: names.

use snodo_install::{InstallError, Reserved, ReservedBy};

use crate::bed::{Bed, NONE, VALIDATOR, admitted, message, name, plugin, request};

#[test]
fn f11_folded_twins_are_refused_naming_both() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&bytes, "guard", NONE).unwrap();
    assert_eq!(
        message(bed.add(&bytes, "Guard", NONE)),
        "`Guard` and the installed `guard` differ in letter case only: choose another name, or `snodo-host plugin remove guard`"
    );
    // A plan from before the other one came.
    let installed = bed.installed();
    let seen = admitted(&bytes, "Other", NONE);
    let plan = installed.plan_add(&seen, &request(NONE)).unwrap();
    bed.add(&bytes, "other", NONE).unwrap();
    assert!(matches!(installed.add(&plan), Err(InstallError::Twin { .. })));
    // The control: another name is free.
    bed.add(&bytes, "guard2", NONE).unwrap();
    // Asked for in another spelling it is not there, and the answer names the one that is.
    assert!(installed.find(&name("GUARD")).unwrap().is_none());
    assert_eq!(
        message(installed.show(&name("GUARD"))),
        "no plugin `GUARD` is installed (`guard` is); `snodo-host plugin list` lists them"
    );
}

#[test]
fn f11_a_copy_by_hand_makes_neither_usable() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&bytes, "guard", NONE).unwrap();
    let text = std::fs::read_to_string(bed.record("guard")).unwrap();
    let twin = bed.record("GUARD");
    std::fs::write(&twin, text.replace("\"guard\"", "\"GUARD\"")).unwrap();
    set_mode(&twin, 0o600);
    let installed = bed.installed();
    for one in ["guard", "GUARD"] {
        assert!(matches!(installed.find(&name(one)), Err(InstallError::Twin { .. })));
    }
    let listing = installed.list().unwrap();
    assert_eq!(listing.plugins.len(), 2);
    assert!(listing.plugins.iter().all(|p| p.twin.is_some() && p.record.is_ok()));
    // The way out.
    installed.remove(&name("GUARD")).unwrap();
    assert!(installed.find(&name("guard")).unwrap().is_some());
}

#[test]
fn built_in_and_external_names_are_reserved_for_both_kinds() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    assert_eq!(
        message(bed.add(&bytes, "secrets", NONE)),
        "no plugin can be installed as `secrets`, which is the name of a built-in: choose another name with `--as NAME`"
    );
    // `demo` is a built-in coder; this is a validator.
    assert!(message(bed.add(&bytes, "Demo", NONE)).contains("`Demo`, which is the name of a built-in"));
    assert!(message(bed.add(&bytes, "helper", NONE)).contains("which is the name of an external coder in `host.toml`"));
    assert!(Bed::names(&bed.config()).is_empty());
}

#[test]
fn a_name_that_a_newer_host_reserves_is_not_used_and_can_be_removed() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&bytes, "reviewer", NONE).unwrap();
    let newer = bed.installed_with(Reserved::new(["reviewer"], []));
    assert_eq!(
        message(newer.find(&name("reviewer"))),
        "the installed plugin `reviewer` cannot be used: that is the name of a built-in now; `snodo-host plugin remove reviewer`, and install it under another name with `--as`"
    );
    assert_eq!(newer.list().unwrap().plugins[0].reserved, Some(ReservedBy::BuiltIn));
    newer.remove(&name("reviewer")).unwrap();
    assert!(newer.list().unwrap().plugins.is_empty());
}

#[test]
fn other_files_in_the_folder_are_told_and_left() {
    let bed = Bed::new();
    bed.add(&plugin(VALIDATOR, "1"), "guard", NONE).unwrap();
    for stray in ["notes.txt", "a b.toml", "con.toml", "\u{1b}[2J.toml"] {
        std::fs::write(bed.records().join(stray), "x").unwrap();
    }
    let listing = bed.installed().list().unwrap();
    assert_eq!(listing.plugins.len(), 1);
    assert_eq!(listing.strays, ["\\u{1b}[2J.toml", "a b.toml", "con.toml", "notes.txt"]);
    bed.installed().remove(&name("guard")).unwrap();
    assert_eq!(Bed::names(&bed.records()).len(), 5);
}

fn set_mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
