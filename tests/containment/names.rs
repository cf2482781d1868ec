//! Names: aliases, devices, streams, lengths, and that everything else is literal.

use serde_json::{Value, json};

use crate::world::{Place, World, delete, list, listed, looks, mutations, read, submit, write};

#[test]
fn a10_aliases_of_protected_names_are_refused() {
    let world = World::protecting(&["caf\u{e9}.md"], |place| {
        place.folder(".git");
        place.put("caf\u{e9}.md", "protected");
    });
    let aliases = [
        ".sn\u{200c}odo/x",
        ".snodo./x",
        ".snodo /x",
        ".git\u{200d}/config",
        ".GIT/config",
        "GIT~1/config",
        "cafe\u{301}.md",
        "CAF\u{c9}.md",
    ];
    let attacks: Vec<Value> = aliases.iter().flat_map(|alias| mutations(alias)).collect();
    let kinds = world.refused(attacks);
    assert!(kinds.iter().all(|kind| kind == "refused"), "{kinds:?}");
    // Control: this system makes all of them, and a system that folds takes them for the protected ones.
    for alias in aliases {
        world.twin.put(alias, "PLANTED");
        assert_eq!(world.twin.read(alias), "PLANTED");
    }
}

#[test]
fn a10_everything_else_is_literal() {
    let make = |place: &Place| {
        place.put("\u{e9}.txt", "composed");
        place.put("e\u{301}.txt", "decomposed");
        place.put("a b.txt", "plain space");
    };
    let world = World::new(make);
    let narrow = "a\u{202f}b.txt";
    let answers = world.ask(json!([
        read("\u{e9}.txt"),
        read("e\u{301}.txt"),
        read(narrow),
        write(narrow),
        read(narrow),
        write("\u{e9}.txt")
    ]));
    assert_eq!(answers[0]["ok"]["content"]["text"], "composed");
    assert_eq!(answers[1]["ok"]["content"]["text"], "decomposed");
    assert_eq!(answers[2]["error"]["kind"], "not-found", "another file was opened");
    assert_eq!(answers[4]["ok"]["content"]["text"], "PLANTED");
    assert_eq!(world.real.read(narrow), "PLANTED");
    assert_eq!(world.real.read("a b.txt"), "plain space");
    assert_eq!(world.real.read("\u{e9}.txt"), "PLANTED");
    assert_eq!(world.real.read("e\u{301}.txt"), "decomposed", "both stay two files");
    // Control: a tool that makes a plain space of it opens the wrong one.
    assert_eq!(world.twin.read(&narrow.replace('\u{202f}', " ")), "plain space");
}

#[test]
fn a11_what_is_no_path_is_refused_alike_by_every_call() {
    let world = World::new(|_| {});
    let long = "n".repeat(5000);
    let deep = vec!["d"; 300].join("/");
    let rules = [
        ("nul", "reserved-name"),
        ("sub/CON.txt", "reserved-name"),
        ("COM\u{b9}", "reserved-name"),
        ("a:b", "reserved-character"),
        ("a\\..\\..\\b", "reserved-character"),
        ("a\0b", "nul"),
        ("", "empty"),
        (".", "empty"),
        ("/", "absolute"),
        (long.as_str(), "too-long"),
        (deep.as_str(), "too-deep"),
    ];
    for (path, rule) in rules {
        // The root itself may be listed and searched.
        let skip = if path.is_empty() || path == "." {
            2
        } else {
            looks(path).len()
        };
        let attacks = [looks(path)[..skip].to_vec(), mutations(path)].concat();
        let answers = world.ask(Value::from(attacks.clone()));
        for (step, answer) in attacks.iter().zip(&answers) {
            let found = (&answer["error"]["kind"], &answer["error"]["rule"]);
            assert_eq!(found, (&json!("bad-path"), &json!(rule)), "{step}: {answer}");
        }
    }
    assert_eq!(listed(&world.ask(json!([list("")]))[0]), ["ok.txt"]);
    // Control: this system makes files of such names.
    for name in ["nul", "a:b", "a\\..\\..\\b", "COM\u{b9}"] {
        world.twin.put(name, "x");
    }
}

#[test]
fn c06_names_that_look_like_globs_options_and_variables_are_names() {
    let names = [
        "app/[id]/(group)/[[...slug]]/p.tsx",
        "-f",
        "~x",
        "a*b",
        "aXb",
        "$HOME",
        "%20",
        "{a,b}",
        "a?b",
        "with space",
    ];
    let make = |place: &Place| {
        for name in names {
            place.put(name, format!("needle in {name}\n"));
        }
    };
    let world = World::new(make).with(&["--test-command", "cat"]);
    let answers = world.ask(Value::from(names.map(read).to_vec()));
    for (name, answer) in names.iter().zip(&answers) {
        assert_eq!(answer["ok"]["content"]["text"], format!("needle in {name}\n"));
    }
    let under = |path: &str| json!({ "do": "search-text", "pattern": "needle", "under": path });
    let answers = world.ask(json!([
        { "do": "list-files", "under": "app/[id]" },
        under("app/[id]/(group)"),
        under("a*b"),
        under("{a,b}"),
        // A glob only where one is asked for.
        { "do": "list-files", "under": "", "glob": "a*b" },
        { "do": "run-tests", "path": "a*b" },
        { "do": "run-tests", "path": "-f" },
        { "do": "run-tests", "path": "$HOME" },
    ]));
    assert_eq!(
        listed(&answers[0]),
        [
            "app/[id]/(group)",
            "app/[id]/(group)/[[...slug]]",
            "app/[id]/(group)/[[...slug]]/p.tsx"
        ]
    );
    assert_eq!(crate::world::found(&answers[1]), ["app/[id]/(group)/[[...slug]]/p.tsx"]);
    assert_eq!(crate::world::found(&answers[2]), ["a*b"]);
    assert_eq!(crate::world::found(&answers[3]), ["{a,b}"]);
    assert_eq!(listed(&answers[4]), ["a*b", "a?b", "aXb"]);
    for (n, name) in [(5, "a*b"), (6, "-f"), (7, "$HOME")] {
        // A command that takes no path says so; one that takes it gets it as one word, and never as an option.
        let answer = &answers[n];
        let taken = answer["ok"]["stdout"]["head"] == format!("needle in {name}\n");
        let refused = name.starts_with('-') && answer["error"]["kind"] == "refused";
        assert!(
            taken || refused || answer["error"]["kind"] == "path-not-taken",
            "{name}: {answer}"
        );
    }
    let (report, _) = world.run(json!([delete("a*b"), write("{a,b}"), delete("-f")]));
    assert_eq!(report["applied"], true);
    assert!(!world.real.exists("a*b") && !world.real.exists("-f"));
    assert_eq!(world.real.read("aXb"), "needle in aXb\n");
    assert_eq!(world.real.read("{a,b}"), "PLANTED");
    // Control: taken as a pattern, the same name takes another file with it.
    let shell = std::process::Command::new("sh")
        .args(["-c", "rm a*b"])
        .current_dir(&world.twin.root)
        .status();
    assert!(shell.unwrap().success());
    assert!(!world.twin.exists("aXb"));
}

#[test]
fn b09_what_is_no_file_is_neither_written_nor_deleted_as_one() {
    let make = |place: &Place| {
        place.put("target.txt", "kept");
        place.put("dir/inside.txt", "kept");
        place.put("f", "a file");
    };
    let world = World::new(make);
    let kinds = world.refused(vec![
        write("target.txt/"),
        write("dir"),
        write("f/x"),
        delete("dir"),
        delete("dir/"),
    ]);
    assert_eq!(kinds, ["bad-path", "wrong-kind", "conflict", "wrong-kind", "bad-path"]);
    let (report, _) = world.run(json!([submit(json!([
        { "write": "e.txt", "text": "" },
        { "write": "n.txt", "text": "abc" },
    ]))]));
    assert_eq!(report["applied"], true);
    assert_eq!(
        (world.real.read("e.txt").as_str(), world.real.read("n.txt").as_str()),
        ("", "abc")
    );
    // Control: a tool that trims the slash overwrites; one that clears the way loses the folder.
    std::fs::write(world.twin.root.join("target.txt/".trim_end_matches('/')), "PLANTED").unwrap();
    assert_eq!(world.twin.read("target.txt"), "PLANTED");
    std::fs::remove_dir_all(world.twin.root.join("dir")).unwrap();
}
