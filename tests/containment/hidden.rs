//! Files that are hidden, ignored, or many (case C03).

use serde_json::{Value, json};

use crate::world::{Place, World, found, git, in_calls, listed, read, search, skipped};

const MANY: usize = 30_000;

fn make(place: &Place) {
    place.put(".github/w.yml", "needle\n");
    place.put("gen/x.txt", "needle\n");
    place.put("src/a.txt", "needle\n");
    place.put(".gitignore", "# made\nnode_modules/\ngen/\n");
    // Above the root, and for all repositories of a user: no business of this workspace.
    std::fs::write(place.root.with_file_name(".gitignore"), "*\n").unwrap();
    git(&place.root, &["init", "-q"]);
    place.put(".git/info/exclude", "src/\n");
}

#[test]
fn c03_what_is_passed_over_is_counted_and_found_when_asked_for() {
    let world = World::new(|place| {
        make(place);
        place.folder("node_modules/p");
        // For the control, the last one is enough.
        let first = if place.root.ends_with("twin/workspace") {
            MANY - 1
        } else {
            0
        };
        for n in first..MANY {
            // One file with many names is as many to whoever looks.
            std::fs::hard_link(
                place.root.join("src/a.txt"),
                place.root.join(format!("node_modules/p/{n}.js")),
            )
            .unwrap();
        }
    });
    let with = |extra: Value| {
        let mut step = search("needle");
        step.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        step
    };
    let (report, answers) = world.run(json!([
        search("needle"),
        with(json!({ "hidden": true })),
        with(json!({ "under": ".github" })),
        read("gen/x.txt"),
        read("node_modules/p/0.js"),
        with(json!({ "ignored": true, "limit": 50 })),
        { "do": "list-files", "under": "", "limit": 100 },
    ]));
    let plain = found(&answers[0]);
    assert!(
        plain.contains(&"src/a.txt".to_owned()) && !plain.contains(&"gen/x.txt".to_owned()),
        "{plain:?}"
    );
    assert!(
        skipped(&answers[0], "hidden") > 0 && skipped(&answers[0], "ignored") > 0,
        "{}",
        answers[0]
    );
    assert!(
        found(&answers[1]).contains(&".github/w.yml".to_owned()),
        "{}",
        answers[1]
    );
    assert_eq!(found(&answers[2]), [".github/w.yml"], "what is named is not hidden");
    for (answer, rule) in [
        (&answers[3], ".gitignore:3 `gen/`"),
        (&answers[4], ".gitignore:2 `node_modules/`"),
    ] {
        assert_eq!(answer["error"]["kind"], "refused");
        assert!(answer["error"]["rule"].as_str().unwrap().starts_with(rule), "{answer}");
    }
    assert!(found(&answers[5]).len() <= 50);
    assert!(answers[5].to_string().len() < 10_000);
    assert!(!listed(&answers[6]).iter().any(|path| path.starts_with("node_modules/")));
    assert!(in_calls(&report) < 10_000, "{}", in_calls(&report));
    // Control: they are all there to be read.
    assert_eq!(world.twin.read("gen/x.txt"), "needle\n");
    assert_eq!(world.twin.read("node_modules/p/29999.js"), "needle\n");
}

#[test]
fn c03_the_user_may_allow_ignored_files_and_allows_no_secrets_with_them() {
    let make = |place: &Place| {
        make(place);
        place.put(".gitignore", "gen/\n.env\n");
        place.put(".env", "KEY=needle\n");
    };
    let world = World::new(make).with(&["--read-ignored", "gen/**", "--read-ignored", ".env"]);
    let answers = world.ask(json!([
        read("gen/x.txt"),
        { "do": "search-text", "pattern": "needle", "ignored": true, "hidden": true },
        read(".env"),
    ]));
    assert_eq!(answers[0]["ok"]["content"]["text"], "needle\n");
    let paths = found(&answers[1]);
    assert!(
        paths.contains(&"gen/x.txt".to_owned()) && !paths.contains(&".env".to_owned()),
        "{paths:?}"
    );
    assert_eq!(answers[2]["error"]["kind"], "refused");
    assert!(
        answers[2]["error"]["rule"].as_str().unwrap().contains("secrets"),
        "{}",
        answers[2]
    );
    // Control.
    assert_eq!(world.twin.read(".env"), "KEY=needle\n");
}
