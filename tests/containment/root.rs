//! The workspace's own name (case A12).

use serde_json::json;

use crate::support::guest;
use crate::support::script::{answers, steps};
use crate::world::{World, batch, read, write};

#[test]
fn a12_a_root_given_through_a_link_works_and_refuses_the_same() {
    let make = |place: &crate::world::Place| place.link("../out/secret", "in");
    let world = World::new(make);
    std::os::unix::fs::symlink(&world.real.root, world.real.root.with_file_name("linked")).unwrap();
    std::os::unix::fs::symlink(&world.twin.root, world.twin.root.with_file_name("linked")).unwrap();
    let task = steps(json!([
        read("ok.txt"),
        read("in"),
        write("../linked/x"),
        write(".git/config"),
        batch(&["ok.txt"]),
        write("new.txt")
    ]));
    let resolved = world.real.root.canonicalize().unwrap();
    for given in [
        "../linked",
        "../linked/",
        "./../workspace",
        "../workspace/",
        "../linked/../workspace/.",
    ] {
        let probe = guest("guest_probe");
        let finished = world
            .sandbox
            .run_beside_somebody_else(&[&task, "--coder", &probe, "--workspace", given]);
        let report = finished.completed();
        let answers = answers(&report);
        assert_eq!(answers[0]["ok"]["content"]["text"], "ok\n", "{given}");
        let kinds: Vec<&serde_json::Value> = answers[1..4].iter().map(|a| &a["error"]["kind"]).collect();
        assert_eq!(kinds, ["symlink", "bad-path", "refused"], "{given}");
        assert_eq!(report["workspace"]["given"], given);
        assert_eq!(report["workspace"]["root"], resolved.to_str().unwrap());
        assert_eq!(world.real.read("new.txt"), "PLANTED");
        std::fs::remove_file(world.real.root.join("new.txt")).unwrap();
    }
    // Control: a check of resolved names against the name as given refuses every file.
    let linked = world.twin.root.with_file_name("linked");
    assert!(!linked.join("ok.txt").canonicalize().unwrap().starts_with(&linked));
}
