//! Edits arrive byte for byte, once, and with the mode that was there.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::finished::changes;
use crate::support::script::steps;
use crate::support::{Finished, guest};
use crate::world::{Place, World, delete, git, lines, read, submit, write};

#[test]
fn b01_line_endings_are_read_and_written_as_they_are() {
    const MIXED: &str = "a\r\nb\nc\r";
    let world = World::new(|place| place.put("f", MIXED));
    let same = json!([{ "write": "f", "text": MIXED }]);
    let (report, answers) = world.run(json!([read("f"), lines("f", 1, 2), lines("f", 3, 3), submit(same)]));
    assert_eq!(answers[0]["ok"]["content"]["text"], MIXED);
    assert_eq!(answers[1]["ok"]["content"]["text"], "a\r\nb\n");
    assert_eq!(answers[2]["ok"]["content"]["text"], "c\r");
    assert_eq!(answers[3]["ok"]["unchanged"], json!(["f"]));
    assert_eq!((&report["changes"], &report["applied"]), (&json!([]), &json!(false)));

    let more = "a\r\nb\nnew\nc\r";
    let (report, _) = world.run(json!([submit(json!([{ "write": "f", "text": more }]))]));
    let change = &report["changes"][0];
    assert_eq!(
        (&change["added"], &change["deleted"]),
        (&json!(1), &json!(0)),
        "{report:#}"
    );
    assert_eq!(world.real.read("f"), more);
    // Control: the usual way of reading lines and writing them back changes the file.
    let read = world.twin.read("f");
    let normalised = read.lines().fold(String::new(), |text, line| text + line + "\n");
    assert_ne!(normalised, MIXED);
}

fn modes(place: &Place) {
    place.put("run.sh", "#!/bin/sh\n");
    place.put("ro.txt", "read only\n");
    for n in 0..60 {
        place.put(&format!("keys/{n}"), "secret\n");
    }
    let set = |path: &str, mode| {
        std::fs::set_permissions(place.root.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("run.sh", 0o755);
    set("ro.txt", 0o444);
    (0..60).for_each(|n| set(&format!("keys/{n}"), 0o600));
}

/// A run under a umask.
fn under_umask(world: &World, umask: &str, task: &str) -> Finished {
    let inner = world
        .sandbox
        .command(&["run", "--json", task, "--coder", &guest("guest_probe")]);
    let mut outer = Command::new("sh");
    outer
        .args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\"")])
        .arg(inner.get_program())
        .args(inner.get_args());
    outer.env_clear().current_dir(inner.get_current_dir().unwrap());
    for (name, value) in inner.get_envs() {
        outer.env(name, value.unwrap_or_default());
    }
    Finished::of(&outer.output().unwrap())
}

#[test]
fn b04_modes_are_kept_and_nothing_is_open_wider_on_the_way() {
    for (umask, new) in [("022", 0o644), ("077", 0o600)] {
        let world = World::new(modes);
        let mut operations: Vec<Value> = (0..60)
            .map(|n| json!({ "write": format!("keys/{n}"), "text": "other\n" }))
            .collect();
        operations.extend(["run.sh", "ro.txt", "new.txt"].map(|path| json!({ "write": path, "text": "other\n" })));
        let task = steps(json!([submit(operations.into())]));
        // Somebody who looks at all times: the widest mode under each name in `keys`.
        let (over, folder) = (AtomicBool::new(false), world.real.root.join("keys"));
        let (report, seen) = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut seen: BTreeMap<String, u32> = BTreeMap::new();
                while !over.load(Ordering::Relaxed) {
                    for entry in std::fs::read_dir(&folder).unwrap().flatten() {
                        if let Ok(meta) = entry.path().symlink_metadata() {
                            *seen.entry(entry.file_name().to_str().unwrap().to_owned()).or_default() |=
                                meta.permissions().mode() & 0o777;
                        }
                    }
                }
                seen
            });
            let finished = under_umask(&world, umask, &task);
            over.store(true, Ordering::Relaxed);
            (finished.completed(), watcher.join().unwrap())
        });
        assert_eq!(report["applied"], true);
        assert!(seen.len() > 60, "no temporary file was seen: {}", seen.len());
        assert!(!seen.values().any(|mode| mode & 0o077 != 0), "open to others: {seen:?}");
        for (path, mode) in [
            ("run.sh", 0o755),
            ("ro.txt", 0o444),
            ("keys/0", 0o600),
            ("new.txt", new),
        ] {
            assert_eq!(world.sandbox.mode(path), mode, "{path} under {umask}");
            assert_eq!(world.real.read(path), "other\n");
        }
        // Control: written to a new file that takes the old one's place, the mode is lost.
        std::fs::write(world.twin.root.join("keys/new"), "other\n").unwrap();
        std::fs::rename(world.twin.root.join("keys/new"), world.twin.root.join("keys/0")).unwrap();
        let lost = std::fs::metadata(world.twin.root.join("keys/0"))
            .unwrap()
            .permissions()
            .mode();
        assert_ne!(lost & 0o077, 0, "the umask of this test hides it");
    }
}

#[test]
fn b08_one_path_under_several_spellings_is_one_path() {
    let make = |place: &Place| {
        place.put("f", "old\n");
        place.put("d/g", "old\n");
        place.folder("a");
    };
    let world = World::new(make);
    let text = |path: &str, text: &str| json!({ "write": path, "text": text });
    for (one, two, path) in [
        ("./f", "f", "f"),
        ("a/../f", "f", "f"),
        ("d//g", "d/g", "d/g"),
        ("d/./g", "d/g", "d/g"),
    ] {
        let answers = world.ask(json!([
            submit(json!([text(one, "1"), text(two, "2")])),
            submit(json!([text(one, "1"), { "delete": two }])),
        ]));
        for answer in answers {
            let error = &answer["error"];
            assert_eq!(
                (&error["kind"], &error["path"], &error["first"], &error["second"]),
                (&json!("duplicate"), &json!(path), &json!(0), &json!(1)),
                "{answer}"
            );
        }
    }
    // Over two calls the later wins, and that is said.
    let (report, answers) = world.run(json!([
        submit(json!([text("./f", "1")])),
        submit(json!([text("a/../f", "2")])),
    ]));
    assert_eq!(answers[1]["ok"]["superseded"], json!(["f"]));
    assert_eq!(answers[1]["ok"]["pending"], 1);
    assert_eq!(changes(&report), ["modified f"]);
    assert_eq!(world.real.read("f"), "2");
    // Control: by name, the last silently wins.
    for spelling in ["./f", "a/../f"] {
        std::fs::write(world.twin.root.join(spelling), spelling).unwrap();
    }
    assert_eq!(world.twin.read("f"), "a/../f");
}

#[test]
fn b13_bytes_stay_bytes_and_nothing_is_invented() {
    let make = |place: &Place| {
        place.put("img.bin", [0, 0xff, 0xfe, b'\n']);
        place.put("gone.txt", "staged\n");
        place.put("closed", "closed\n");
        git(&place.root, &["init", "-q"]);
        git(&place.root, &["add", "."]);
        git(&place.root, &["rm", "-q", "--cached", "gone.txt"]);
        std::fs::set_permissions(place.root.join("closed"), std::fs::Permissions::from_mode(0o000)).unwrap();
    };
    let world = World::new(make);
    let answers = world.ask(json!([read("img.bin"), read("closed")]));
    assert_eq!(answers[0]["ok"]["content"]["bytes"], json!([0, 255, 254, 10]));
    // The superuser reads everything; nobody gets an empty text.
    let told = answers[1]["error"]["path"] == "closed" || answers[1]["ok"]["content"]["text"] == "closed\n";
    assert!(told, "{}", answers[1]);
    let (report, _) = world.run(json!([submit(
        json!([{ "write": "img.bin", "bytes": [255, 0, 1] }, { "delete": "gone.txt" }])
    ),]));
    assert_eq!(changes(&report), ["deleted gone.txt", "modified img.bin"]);
    assert_eq!(report["changes"][1]["binary"], true);
    assert_eq!(std::fs::read(world.real.root.join("img.bin")).unwrap(), [255, 0, 1]);
    assert!(!world.real.exists("gone.txt"), "a deletion came back");
    // Control: what is read as text and written back is another file.
    let bytes = std::fs::read(world.twin.root.join("img.bin")).unwrap();
    assert_ne!(String::from_utf8_lossy(&bytes).into_owned().into_bytes(), bytes);
}

#[test]
fn b14_deleting_what_is_not_there_is_refused_and_leaves_everything() {
    let world = World::new(|place| place.put("sub/kept.txt", "kept\n"));
    let kinds = world.refused(vec![
        delete("missing.txt"),
        delete("absent/missing.txt"),
        // One bad operation, and nothing of its call is taken.
        submit(json!([{ "write": "fine.txt", "text": "x" }, { "delete": "missing.txt" }])),
        submit(json!([{ "delete": "ok.txt" }, { "rename": "missing.txt", "to": "found.txt" }])),
    ]);
    assert_eq!(kinds, ["not-found"; 4]);
    let (report, answers) = world.run(json!([
        write("new.txt"),
        submit(json!([{ "delete": "ok.txt" }, { "delete": "missing.txt" }])),
    ]));
    assert_eq!(answers[1]["error"]["index"], 1);
    assert_eq!(
        changes(&report),
        ["added new.txt"],
        "the run goes on with what was taken"
    );
    // Control: done one by one, half of it happens.
    std::fs::remove_file(world.twin.root.join("ok.txt")).unwrap();
    assert!(std::fs::remove_file(world.twin.root.join("missing.txt")).is_err());
    assert!(!world.twin.exists("ok.txt"));
}
