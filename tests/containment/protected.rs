//! What no coder may change: git's, the host's, the protocol's.

use serde_json::{Value, json};

use crate::support::finished::changes;
use crate::world::{Place, World, delete, git, mutations, read, rename, submit, write};

#[test]
fn a06_git_is_protected_at_any_depth_as_folder_and_as_file() {
    let make = |place: &Place| {
        place.folder("vendor/sub");
        assert!(git(&place.root.join("vendor/sub"), &["init", "-q"]).status.success());
        place.put("tree/.git", "gitdir: ../elsewhere\n");
    };
    let world = World::new(make);
    let attacks = [
        mutations("vendor/sub/.git/hooks/pre-commit"),
        mutations("vendor/sub/.git/config"),
        mutations("tree/.git"),
        mutations(".git"),
        mutations("new/.git/config"),
        vec![
            rename("vendor/sub/.git/config", "x"),
            read("tree/.git"),
            read("vendor/sub/.git/config"),
        ],
    ];
    let kinds = world.refused(attacks.concat());
    assert!(kinds.iter().all(|kind| kind == "refused"), "{kinds:?}");

    // Control: planted by name, the hook runs with the next commit.
    let hook = world.twin.root.join("vendor/sub/.git/hooks/pre-commit");
    world
        .twin
        .put("vendor/sub/.git/hooks/pre-commit", "#!/bin/sh\ntouch ../../PWNED\n");
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    git(
        &world.twin.root.join("vendor/sub"),
        &["commit", "-q", "--allow-empty", "-m", "x"],
    );
    assert!(world.twin.exists("PWNED"));
    std::fs::write(world.twin.root.join("tree/.git"), "gitdir: ./evil\n").unwrap();
}

#[test]
fn a06_what_git_would_execute_elsewhere_is_named_in_the_report() {
    let make = |place: &Place| {
        assert!(git(&place.root, &["init", "-q"]).status.success());
        assert!(
            git(&place.root, &["config", "core.hooksPath", "my-hooks"])
                .status
                .success()
        );
    };
    let world = World::new(make);
    let hook = json!({ "write": "my-hooks/pre-commit", "text": "#!/bin/sh\ntouch PWNED\n", "executable": true });
    let bare = ["x.git/HEAD", "x.git/config", "x.git/objects/info/x"].map(|path| json!({ "write": path, "text": "" }));
    let innocent = ["HEAD", "docs/objects/a.md", "hooks/pre-commit"].map(|path| json!({ "write": path, "text": "" }));
    let (report, _) = world.run(json!([
        submit(json!([hook])),
        submit(json!(bare)),
        submit(json!(innocent))
    ]));
    let warnings = report["warnings"].as_array().unwrap();
    let named = |path: &str| {
        warnings
            .iter()
            .any(|warning| warning.as_str().unwrap().starts_with(&format!("`{path}` ")))
    };
    assert!(named("my-hooks/pre-commit") && named("x.git/HEAD"), "{warnings:#?}");
    assert!(
        !named("HEAD") && !named("docs/objects/a.md") && !named("hooks/pre-commit"),
        "{warnings:#?}"
    );
    // Control: put there by name, it runs with the next commit.
    world.twin.put("my-hooks/pre-commit", "#!/bin/sh\ntouch PWNED\n");
    let planted = world.twin.root.join("my-hooks/pre-commit");
    std::fs::set_permissions(planted, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    git(&world.twin.root, &["commit", "-q", "--allow-empty", "-m", "x"]);
    assert!(world.twin.exists("PWNED"));
}

#[test]
fn a14_protection_holds_before_there_is_anything_to_protect() {
    let world = World::protecting(&["secrets/", "infra/prod.tf"], |_| {});
    let attacks = vec![
        write("secrets/a"),
        write("infra/prod.tf"),
        write("secrets"),
        write("infra"),
        rename("ok.txt", "secrets/a"),
        rename("ok.txt", "SECRETS"),
        submit(json!([{ "write": "fine.txt", "text": "x" }, { "write": "./infra/../infra/prod.tf", "text": "x" }])),
    ];
    let kinds = world.refused(attacks);
    assert!(kinds.iter().all(|kind| kind == "refused"), "{kinds:?}");
    // What only looks like them is written.
    let (report, _) = world.run(json!([write("infra/dev.tf"), write("secrets.md")]));
    assert_eq!(changes(&report), ["added infra/dev.tf", "added secrets.md"]);
    // Control.
    world.twin.put("secrets/a", "PLANTED");
    world.twin.put("infra/prod.tf", "PLANTED");
}

#[test]
fn a14_the_parent_of_a_protected_path_cannot_be_moved_or_replaced() {
    let world = World::protecting(&["infra/prod.tf"], |place| place.put("infra/prod.tf", "kept"));
    let kinds = world.refused([mutations("infra/prod.tf"), mutations("infra")].concat());
    assert!(
        kinds
            .iter()
            .all(|kind| ["refused", "wrong-kind", "conflict"].contains(&kind.as_str())),
        "{kinds:?}"
    );
    assert_eq!(kinds[..5], ["refused"; 5]);
    // Control.
    std::fs::rename(world.twin.root.join("infra"), world.twin.root.join("gone")).unwrap();
    assert!(!world.twin.exists("infra/prod.tf"));
}

#[test]
fn a17_a_state_folder_that_leads_elsewhere_ends_the_run_before_it_begins() {
    type Make = fn(&Place);
    let cases: [(Make, &str); 5] = [
        (|place| place.link("../out", ".snodo"), ".snodo"),
        (|place| place.put(".snodo", "a file"), ".snodo"),
        (
            |place| {
                place.folder(".snodo");
                place.link("../../out/secret", ".snodo/audit.log");
            },
            ".snodo/audit.log",
        ),
        (
            |place| {
                place.folder(".snodo");
                place.link("../../out", ".snodo/runs");
            },
            ".snodo/runs",
        ),
        (
            |place| {
                place.folder(".snodo");
                std::fs::hard_link(place.out.join("secret"), place.root.join(".snodo/audit.log")).unwrap();
            },
            ".snodo/audit.log",
        ),
    ];
    for (make, at) in cases {
        let world = World::new(make);
        let message = world.finish(&json!({ "steps": [write("x")] }).to_string()).refused();
        assert!(message.contains(at), "{message}");
        assert!(!world.real.exists("x"));
    }
    // Control: what is appended by name ends up outside.
    let world = World::new(cases[2].0);
    let mut log = std::fs::OpenOptions::new()
        .append(true)
        .open(world.twin.root.join(".snodo/audit.log"))
        .unwrap();
    std::io::Write::write_all(&mut log, b"entry").unwrap();
    assert!(world.twin.secret().ends_with("entry"));
}

#[test]
fn a14_the_hosts_own_folder_is_nobodys_to_write_and_little_of_it_is_read() {
    let world = World::protecting(&[], |place| {
        place.put(".snodo/plans/a.md", "a plan");
    });
    // The log is the host's: it is there as soon as a run begins.
    let mut attacks: Vec<Value> = [
        ".snodo",
        ".snodo/protocol.yml",
        ".snodo/audit.log",
        "pkg/.snodo/x",
        "./.snodo/x",
        "a/../.snodo/x",
    ]
    .iter()
    .flat_map(|path| [write(path), delete(path), rename("ok.txt", path)])
    .collect();
    attacks.push(read(".snodo/audit.log"));
    let kinds = world.refused(attacks);
    assert!(kinds.iter().all(|kind| kind == "refused"), "{kinds:?}");
    let answers = world.ask(json!([read(".snodo/plans/a.md"), read(".snodo/protocol.yml")]));
    assert!(answers.iter().all(|answer| answer["ok"].is_object()), "{answers:?}");
    // Control.
    std::fs::write(world.twin.root.join(".snodo/protocol.yml"), "PLANTED").unwrap();
}

#[test]
fn a14_no_switch_of_the_binary_disables_a_rule() {
    let make = |place: &Place| {
        place.put(".gitignore", ".env\n");
        place.put(".env", "KEY=1\n");
        place.put("id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\n");
        place.put(".git/config", "[core]\n");
        place.link("../out/secret", "in");
    };
    // Everything that loosens anything, at once: by flag, by the user's file, by a protocol that protects nothing.
    let world = World::protecting(&[], make)
        .with(&[
            "--read-ignored",
            "**",
            "--read-ignored",
            ".git/**",
            "--read-ignored",
            ".env",
        ])
        .with(&["--grant", "guest_judge:runner", "--test-command", "true"]);
    std::fs::write(
        world.sandbox.path().join("config/snodo-host/host.toml"),
        "[read]\nallow_ignored = ['**', '.git/**', '.snodo/**']\ndeny = []\n",
    )
    .unwrap();
    let mut attacks: Vec<Value> = [
        ".git/config",
        ".snodo/audit.log",
        "in",
        "../out/secret",
        ".env",
        "id_rsa",
    ]
    .map(read)
    .to_vec();
    attacks.extend(
        [
            ".git/config",
            ".snodo/audit.log",
            "in",
            "../out/secret",
            ".git/hooks/x",
            ".snodo/protocol.yml",
        ]
        .map(write),
    );
    let kinds = world.refused(attacks);
    assert!(
        kinds
            .iter()
            .all(|kind| ["refused", "symlink", "bad-path"].contains(&kind.as_str())),
        "{kinds:?}"
    );
    // Control: by name, all of it is open.
    world.twin.put(".snodo/audit.log", "log\n");
    for path in [
        ".git/config",
        ".snodo/audit.log",
        "in",
        "../out/secret",
        ".env",
        "id_rsa",
    ] {
        assert!(!world.twin.read(path).is_empty());
    }
}
