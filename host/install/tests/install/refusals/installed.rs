//! What is said of installed and pinned plugins.

use std::io;
use std::path::PathBuf;

use snodo_admission::{Digest, Grant, Role};
use snodo_config::pins::{Pins, load_pins};
use snodo_install::{
    BytesFault, Candidate, Difference, InstallError, Origin, Problem, RecordFault, Reserved, ReservedBy, Trouble,
    Versions, check_pin,
};
use snodo_workspace::capability::EntryKind;

use super::Told;
use crate::bed::{Bed, MODEL, MODEL_VALIDATOR, NONE, VALIDATOR, admit_again, admitted, name, plugin, request};

pub(crate) fn tell(told: &mut Told) {
    installing(told);
    spoiled(told);
    folders(told);
    pinned(told);
    pins(told);
}

fn take(told: &mut Told, error: &InstallError) {
    told.say(error);
    told.by("InstallError", error);
    match error {
        InstallError::Trouble(inner) => trouble(told, inner),
        InstallError::Record { fault, .. } => record(told, fault),
        InstallError::Bytes { fault, .. } => bytes(told, fault),
        InstallError::Reserved { by, .. } | InstallError::Shadowed { by, .. } => told.by("ReservedBy", by),
        InstallError::Twin { .. }
        | InstallError::NotInstalled { .. }
        | InstallError::Changed { .. }
        | InstallError::NotGranted { .. } => {}
    }
}

fn record(told: &mut Told, fault: &RecordFault) {
    told.say(fault);
    told.by("RecordFault", fault);
    if let RecordFault::Trouble(inner) = fault {
        trouble(told, inner);
    }
}

fn bytes(told: &mut Told, fault: &BytesFault) {
    told.say(fault);
    told.by("BytesFault", fault);
    if let BytesFault::Trouble(inner) = fault {
        trouble(told, inner);
    }
}

fn trouble(told: &mut Told, trouble: &Trouble) {
    told.say(trouble);
    told.by("Trouble", trouble);
}

fn installing(told: &mut Told) {
    let bed = Bed::new();
    let one = plugin(VALIDATOR, "1");
    bed.add(&one, "guard", NONE).unwrap();
    let installed = bed.installed();
    for (called, reserved) in [("secrets", ReservedBy::BuiltIn), ("helper", ReservedBy::External)] {
        assert_eq!(installed.reserved(&name(called)), Some(reserved));
        take(told, &bed.add(&one, called, NONE).unwrap_err());
    }
    take(told, &bed.add(&one, "Guard", NONE).unwrap_err());
    take(told, &installed.show(&name("other")).unwrap_err());
    take(told, &installed.show(&name("GUARD")).unwrap_err());
    let newer = bed.installed_with(Reserved::new(["guard"], []));
    take(told, &newer.find(&name("guard")).unwrap_err());
    for problem in newer.verify(&name("guard"), admit_again).unwrap().problems {
        told.say(&problem);
        told.by("Problem", &problem);
    }
    // What was admitted with a grant that the user did not give.
    let asking = plugin(MODEL_VALIDATOR, "2");
    let seen = admitted(&asking, "asking", MODEL);
    take(told, &installed.plan_add(&seen, &request(NONE)).unwrap_err());
    // Another command between the plan and the act.
    let (two, three) = (plugin(VALIDATOR, "2"), plugin(VALIDATOR, "3"));
    let seen = admitted(&two, "guard", NONE);
    let plan = installed.plan_add(&seen, &request(NONE)).unwrap();
    bed.add(&three, "guard", NONE).unwrap();
    take(told, &installed.add(&plan).unwrap_err());
}

fn spoiled(told: &mut Told) {
    let one = plugin(VALIDATOR, "1");
    let spoil = |spoil: &dyn Fn(&Bed)| {
        let bed = Bed::new();
        bed.add(&one, "x", NONE).unwrap();
        spoil(&bed);
        bed
    };
    let rewrite = |from: &'static str, to: &'static str| {
        move |bed: &Bed| {
            let text = std::fs::read_to_string(bed.record("x")).unwrap();
            assert!(text.contains(from));
            std::fs::write(bed.record("x"), text.replace(from, to)).unwrap();
        }
    };
    for bed in [
        spoil(&rewrite("format = 1", "format = 9")),
        spoil(&rewrite("name = \"x\"", "name = \"y\"")),
        spoil(&|bed| {
            std::fs::remove_file(bed.record("x")).unwrap();
            std::fs::create_dir(bed.record("x")).unwrap();
        }),
        spoil(&|bed| std::fs::remove_file(bed.stored(&one)).unwrap()),
        spoil(&|bed| std::fs::write(bed.stored(&one), plugin(VALIDATOR, "2")).unwrap()),
        spoil(&|bed| std::fs::write(bed.stored(&one), "").unwrap()),
        spoil(&|bed| {
            std::fs::remove_file(bed.stored(&one)).unwrap();
            std::fs::create_dir(bed.stored(&one)).unwrap();
        }),
    ] {
        take(told, &bed.installed().find(&name("x")).unwrap_err());
        problems(told, &bed);
    }
    problems(told, &spoil(&rewrite("role = \"validator\"", "role = \"coder\"")));
    problems(
        told,
        &spoil(&|bed| {
            let text = std::fs::read_to_string(bed.record("x")).unwrap();
            std::fs::write(bed.record("X"), text.replace("\"x\"", "\"X\"")).unwrap();
            set_mode(&bed.record("X"), 0o600);
        }),
    );
    // What the record does not grant any more is admission's to refuse.
    let bed = Bed::new();
    bed.add(&plugin(MODEL_VALIDATOR, "1"), "x", MODEL).unwrap();
    rewrite("grants = [\"model\"]", "grants = []")(&bed);
    let problems = bed.installed().verify(&name("x"), admit_again).unwrap().problems;
    assert!(matches!(problems[..], [Problem::Refused(_)]));
    told.by("Problem", &problems[0]);
}

fn problems(told: &mut Told, bed: &Bed) {
    let problems = bed.installed().verify(&name("x"), admit_again).unwrap().problems;
    assert!(!problems.is_empty());
    for problem in problems {
        told.say(&problem);
        told.by("Problem", &problem);
    }
}

/// A folder's troubles. Those that take another user, a full disk or a minute are made as the library makes them.
fn folders(told: &mut Told) {
    let bed = Bed::new();
    bed.add(&plugin(VALIDATOR, "1"), "x", NONE).unwrap();
    set_mode(&bed.records(), 0o777);
    take(told, &bed.installed().list().unwrap_err());
    let path = || PathBuf::from("CONFIG/plugins/x.toml");
    let error = || io::Error::from_raw_os_error(5);
    for made in [
        Trouble::WrongKind {
            path: path(),
            kind: EntryKind::Directory,
            needed: EntryKind::File,
        },
        Trouble::NotOurs {
            path: path(),
            owner: 1,
            user: 2,
        },
        Trouble::TooLarge { path: path(), limit: 9 },
        Trouble::Full {
            path: path(),
            error: error(),
        },
        Trouble::Denied {
            path: path(),
            error: error(),
        },
        Trouble::Busy { path: path() },
        Trouble::Io {
            path: path(),
            error: error(),
        },
    ] {
        trouble(told, &made);
    }
}

fn pinned(told: &mut Told) {
    let one = plugin(VALIDATOR, "1");
    let digest = Digest::of(b"other");
    let text = format!(
        "[[plugin]]\nname = \"x\"\ndigest = \"{digest}\"\nrole = \"coder\"\nimports = [\"snodo:plugin/submit@0.1.0\", \"snodo:plugin/read@0.1.9\"]\n"
    );
    let pins: Pins = load_pins(".snodo/plugins.toml", text.as_bytes()).unwrap();
    for origin in [Origin::BuiltIn, Origin::File, Origin::Installed] {
        let candidate = Candidate::of(&admitted(&one, "x", NONE), origin);
        let refusal = check_pin(&pins, &candidate).unwrap_err();
        for line in refusal.to_string().lines() {
            told.say(&line.trim());
        }
        told.by("Origin", &origin);
    }
    // Every line of a difference: a field that is added and has no row here does not compile.
    let every = Difference {
        digest: Some(Versions {
            old: digest,
            new: Digest::of(&one),
        }),
        size: Some(Versions { old: 1, new: 2 }),
        role: Some(Versions {
            old: Role::Coder,
            new: Role::Validator,
        }),
        imports_moved: vec![Versions {
            old: "snodo:plugin/read@0.1.0".to_owned(),
            new: "snodo:plugin/read@0.1.1".to_owned(),
        }],
        imports_added: vec!["snodo:plugin/search@0.1.0".to_owned()],
        imports_removed: vec!["snodo:plugin/change@0.1.0".to_owned()],
        grants_added: vec![Grant::Model],
        grants_dropped: vec![Grant::Runner],
        grants_kept: vec![Grant::Model],
    };
    let lines = every.lines();
    assert_eq!(lines.len(), 9);
    for line in lines {
        told.say(&line);
    }
}

/// Faults of the file of pins that are about pins; the others are those of any file of settings.
fn pins(told: &mut Told) {
    let pin = |name: &str| format!("[[plugin]]\nname = \"{name}\"\ndigest = \"{}\"\n", Digest::of(b"x"));
    let many = (0..129).fold(String::new(), |all, n| all + &pin(&format!("p{n}")));
    for text in [
        format!("{}grants = [\"model\"]\n", pin("a")),
        pin("a") + &pin("a"),
        pin("a") + &pin("A"),
        many,
    ] {
        let error = load_pins(".snodo/plugins.toml", text.as_bytes()).unwrap_err();
        assert_eq!(error.faults().len(), 1);
        told.say(&error.faults()[0].kind);
    }
}

fn set_mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
