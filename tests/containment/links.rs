//! Links, hard links, and names that only look as if they lay inside.

use serde_json::{Value, json};

use crate::world::{OUTSIDE, World, batch, delete, list, listed, looks, mutations, read, submit, write};

#[test]
fn a02_a_sibling_whose_name_starts_with_the_roots_is_outside() {
    let world = World::new(|place| {
        let sibling = place.root.with_file_name("workspace-evil");
        std::fs::create_dir(&sibling).unwrap();
        std::fs::write(sibling.join("f"), OUTSIDE).unwrap();
        place.link("../out/secret", "in");
        place.link("../out", "folder");
        place.link("../workspace-evil", "evil");
    });
    let absolute = world.real.root.with_file_name("workspace-evil").join("f");
    let paths = [
        "../workspace-evil/f",
        "sub/../../workspace-evil/f",
        "./../workspace-evil/f",
        "../out/secret",
        absolute.to_str().unwrap(),
        "in",
        "evil/f",
        "folder/secret",
    ];
    for path in paths {
        let kinds = world.refused([looks(path), mutations(path)[..1].to_vec()].concat());
        let expected = if path.starts_with('/') || path.contains("..") {
            "bad-path"
        } else {
            "symlink"
        };
        assert_eq!(kinds, [expected; 6], "{path}");
    }
    // In a batch each has its own answer, and the good one is given.
    let answers = world.ask(json!([batch(&["in", "../out/secret", "ok.txt"])]));
    let outcomes = answers[0]["ok"].as_array().unwrap();
    assert!(outcomes[0]["outcome"]["error"].is_object() && outcomes[1]["outcome"]["error"].is_object());
    assert_eq!(outcomes[2]["outcome"]["ok"]["content"]["text"], "ok\n");

    // Control: by name, each of them is what lies outside.
    let twin = world.twin.root.with_file_name("workspace-evil").join("f");
    for path in [
        "../workspace-evil/f",
        "in",
        "evil/f",
        "folder/secret",
        twin.to_str().unwrap(),
    ] {
        assert_eq!(
            std::fs::read_to_string(world.twin.root.join(path)).unwrap(),
            OUTSIDE,
            "{path}"
        );
    }
    std::fs::write(world.twin.root.join("folder/planted"), "x").unwrap();
    assert!(world.twin.out.join("planted").exists());
}

#[test]
fn a02_links_that_stay_inside_or_lead_into_proc_are_not_followed_either() {
    let world = World::new(|place| {
        place.put("real/f", "inside");
        place.link("real", "to-folder");
        place.link("real/f", "to-file");
        place.link("/proc/self/root", "proc");
        place.link("/proc/self/cwd", "cwd");
        place.link("/proc/self/fd", "fd");
        place.link("/dev/stdin", "stdin");
    });
    let outside = format!("proc{}", world.real.out.join("secret").display());
    for path in [
        "to-folder/f",
        "to-file",
        outside.as_str(),
        "cwd/ok.txt",
        "fd/0",
        "stdin",
    ] {
        let kinds = world.refused(vec![read(path), write(path)]);
        assert!(kinds.iter().all(|kind| kind == "symlink"), "{path}: {kinds:?}");
    }
    let names = listed(&world.ask(json!([list("")]))[0]);
    assert!(
        names.contains(&"proc".to_owned()) && names.contains(&"real/f".to_owned()),
        "{names:?}"
    );
    assert!(
        !names
            .iter()
            .any(|name| name.starts_with("proc/") || name.starts_with("to-folder/")),
        "{names:?}"
    );
    // Control.
    let outside = format!("proc{}", world.twin.out.join("secret").display());
    assert_eq!(world.twin.read(&outside), OUTSIDE);
    assert_eq!(world.twin.read("to-folder/f"), "inside");
}

#[test]
fn a08_a_hard_link_is_no_way_to_write_outside() {
    let make = |place: &crate::world::Place| {
        std::fs::hard_link(place.out.join("secret"), place.root.join("hl")).unwrap();
        place.put("one", "1\n");
        std::fs::hard_link(place.root.join("one"), place.root.join("two")).unwrap();
    };
    let world = World::new(make);
    let (report, answers) = world.run(json!([read("hl"), write("hl"), read("hl"), write("one"), read("two")]));
    assert_eq!(
        answers[0]["ok"]["content"]["text"], OUTSIDE,
        "hard-linked files are read"
    );
    assert_eq!(answers[2]["ok"]["content"]["text"], "PLANTED");
    assert_eq!(answers[4]["ok"]["content"]["text"], "1\n");
    // What became of the other names stands in the report.
    let warnings = report["warnings"].to_string();
    for path in ["`hl`", "`one`"] {
        assert!(
            warnings.contains(&format!("{path} had further names (hard links)")),
            "{warnings}"
        );
    }
    assert_eq!(
        (world.real.read("hl").as_str(), world.real.read("two").as_str()),
        ("PLANTED", "1\n")
    );
    assert_eq!(world.real.secret(), OUTSIDE);
    // Control: written in place, the other name changes too.
    std::fs::write(world.twin.root.join("hl"), "PLANTED").unwrap();
    assert_eq!(world.twin.secret(), "PLANTED");
}

#[test]
fn b06_writing_a_link_is_refused_and_deleting_one_takes_the_link_only() {
    let world = World::new(|place| {
        place.put("A.md", "target");
        place.link("A.md", "L.md");
        place.link("../out/secret", "outside");
        place.link("nowhere", "dangling");
    });
    assert_eq!(
        world.refused(["L.md", "outside", "dangling"].map(write).to_vec()),
        ["symlink"; 3],
        "nothing is written through a link, and none is silently replaced by a file"
    );
    assert!(world.real.root.join("L.md").is_symlink());
    let (report, _) = world.run(json!(["L.md", "outside", "dangling"].map(delete)));
    assert_eq!(report["applied"], true);
    for gone in ["L.md", "outside", "dangling", "nowhere"] {
        assert!(!world.real.exists(gone), "{gone}");
    }
    assert_eq!(world.real.read("A.md"), "target");
    assert_eq!(world.real.secret(), OUTSIDE);
    // Control: what is written by name goes through.
    std::fs::write(world.twin.root.join("outside"), "PLANTED").unwrap();
    std::fs::write(world.twin.root.join("L.md"), "PLANTED").unwrap();
    assert_eq!(
        (world.twin.secret().as_str(), world.twin.read("A.md").as_str()),
        ("PLANTED", "PLANTED")
    );
}

#[test]
fn c04_loops_of_links_end_at_once_and_each_file_is_met_once() {
    let make = |place: &crate::world::Place| {
        place.put("a/b/f.txt", "needle\n");
        place.link("..", "a/b/loop");
        place.link("self", "self");
        place.link("y", "x");
        place.link("x", "y");
        place.link(".", "r");
    };
    let world = World::new(make);
    let (report, answers) = world.run(json!([list(""), crate::world::search("needle")]));
    let names = listed(&answers[0]);
    assert_eq!(
        names,
        ["a", "a/b", "a/b/f.txt", "a/b/loop", "ok.txt", "r", "self", "x", "y"]
    );
    let kinds: Vec<&Value> = answers[0]["ok"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["kind"])
        .collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "symlink").count(), 5);
    assert_eq!(crate::world::found(&answers[1]), ["a/b/f.txt"]);
    assert!(crate::world::in_calls(&report) < 1000);
    // Control: by name, the same file is found again and again.
    assert_eq!(world.twin.read("a/b/loop/b/loop/b/f.txt"), "needle\n");
    assert_eq!(world.twin.read("r/r/r/a/b/f.txt"), "needle\n");
}

#[test]
fn a15_a_link_or_a_second_name_is_no_way_to_a_protected_file() {
    let world = World::protecting(&["policy.md"], |place| {
        place.put("policy.md", "policy");
        place.put(".snodo/x", "state");
        place.link("policy.md", "alias.md");
        place.link(".snodo", "pd");
        std::fs::hard_link(place.root.join("policy.md"), place.root.join("hard.md")).unwrap();
    });
    let kinds = world.refused(vec![
        write("alias.md"),
        write("pd/x"),
        write("pd/new"),
        delete("pd/x"),
        read("pd/x"),
    ]);
    assert_eq!(kinds, ["symlink"; 5]);
    let (_, answers) = world.run(json!([submit(json!([{ "write": "hard.md", "text": "PLANTED" }]))]));
    assert!(answers[0]["ok"].is_object(), "{answers:?}");
    assert_eq!(world.real.read("policy.md"), "policy", "written through its other name");
    assert_eq!(world.real.read(".snodo/x"), "state");
    // Control.
    std::fs::write(world.twin.root.join("alias.md"), "PLANTED").unwrap();
    assert_eq!(world.twin.read("policy.md"), "PLANTED");
    std::fs::remove_file(world.twin.root.join("pd/x")).unwrap();
    assert!(!world.twin.exists(".snodo/x"));
}

#[test]
fn a02_a_validator_gets_no_further_than_a_coder() {
    let world = World::new(|place| {
        place.link("../out/secret", "in");
        place.link("../out", "folder");
        place.put(".git/config", "[core]\n");
    });
    let attacks: Vec<Value> = ["in", "folder/secret", "../out/secret", ".git/config"]
        .iter()
        .flat_map(|path| [read(path), json!({ "do": "before", "path": path })])
        .chain([batch(&["in", "ok.txt"]), crate::world::search(OUTSIDE)])
        .collect();
    let script = format!("guest_judge.script={}", Value::from(attacks));
    let judge = crate::support::guest("guest_judge");
    let arguments = [
        "x",
        "--mock",
        "--dry-run",
        "--validator",
        &judge,
        "--set",
        "guest_judge.behaviour=script",
        "--set",
        &script,
    ];
    let finished = world.sandbox.run(&arguments);
    let report = finished.completed();
    for phase in ["pre_execute", "post_execute"] {
        let answers =
            crate::support::finished::handed_over(crate::support::finished::said(&report, phase, "guest_judge"));
        assert!(!answers.to_string().contains(OUTSIDE), "it was told what lies outside");
        for answer in &answers.as_array().unwrap()[..8] {
            assert!(answer["error"].is_object(), "{phase}: {answer}");
        }
        assert!(answers[8]["ok"][0]["outcome"]["error"].is_object(), "{}", answers[8]);
        assert_eq!(answers[8]["ok"][1]["outcome"]["ok"]["content"]["text"], "ok\n");
        assert_eq!(crate::world::found(&answers[9]), [] as [&str; 0]);
    }
    // Control.
    assert_eq!(world.twin.read("in"), OUTSIDE);
    assert_eq!(world.twin.read("folder/secret"), OUTSIDE);
}
