#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

use proptest::prelude::*;

use super::*;

fn path(given: &str) -> WorkspacePath {
    WorkspacePath::parse(given).unwrap()
}

fn rules(protected: &[&str]) -> AccessRules {
    let protected: Vec<String> = protected.iter().map(ToString::to_string).collect();
    AccessRules::new(&protected, DenyList::standard(), IgnoredReads::refuse_all()).unwrap()
}

fn refused_write(rules: &AccessRules, given: &str) -> Option<String> {
    rules.check_write(&path(given)).err().map(|refusal| refusal.rule)
}

#[test]
fn git_is_never_opened_nor_changed_at_any_depth() {
    let rules = rules(&[]);
    for inside in [
        ".git",
        ".git/config",
        "vendor/sub/.git/hooks/pre-commit",
        "worktree/.git",
        ".GIT/config",
        ".git\u{200d}/config",
        ".git./config",
        ".git /config",
        "GIT~1/config",
        "git~1",
        "a/GIT~2/x",
        "\u{ff0e}git/x",
    ] {
        assert!(refused_write(&rules, inside).is_some(), "{inside:?}");
        assert_eq!(rules.check_read(&path(inside)).unwrap_err().rule, NO_GIT, "{inside:?}");
        assert!(rules.check_enter(&path(inside)).is_err(), "{inside:?}");
    }
    for beside in [
        ".github/w.yml",
        ".gitignore",
        ".gitmodules",
        "x.git/HEAD",
        "git",
        "gitx~1",
        "src/.gitkeep",
    ] {
        assert_eq!(refused_write(&rules, beside), None, "{beside:?}");
        rules.check_read(&path(beside)).unwrap();
    }
}

#[test]
fn snodo_is_never_changed_at_any_depth_and_mostly_not_read() {
    let rules = rules(&[]);
    for inside in [
        ".snodo",
        ".snodo/protocol.yml",
        ".snodo/plans/a.md",
        "pkg/.snodo/x",
        ".SNODO/x",
        ".sn\u{200c}odo/x",
        ".snodo./x",
        ".snodo /x",
        "SNODO~1/x",
        ".\u{17f}nodo/x",
    ] {
        assert!(refused_write(&rules, inside).is_some(), "{inside:?}");
    }
    for open in [
        ".snodo/protocol.yml",
        ".snodo/plans/a.md",
        ".snodo/plans/sub/b.yaml",
        ".snodo/plans/c.yml",
    ] {
        rules.check_read(&path(open)).unwrap();
    }
    for closed in [
        ".snodo",
        ".snodo/audit.log",
        ".snodo/project.json",
        ".snodo/protocol.yml/x",
        ".snodo/plans",
        ".snodo/plans/a.txt",
        ".snodo/plans/.md",
        ".snodo/plans/.git/a.md",
        ".snodo/plans/.snodo/a.md",
        ".snodo/plansx/a.md",
        ".snodo/a.md",
        ".snodo/Protocol.yml",
        ".SNODO/protocol.yml",
        "pkg/.snodo/protocol.yml",
        "pkg/.snodo/plans/a.md",
    ] {
        assert!(rules.check_read(&path(closed)).is_err(), "{closed:?}");
    }
    rules.check_enter(&path(".snodo")).unwrap();
    rules.check_enter(&path(".snodo/plans")).unwrap();
    rules.check_enter(&path(".snodo/plans/sub")).unwrap();
    for closed in [".snodo/runs", "pkg/.snodo", ".SNODO", ".snodo/plans/.snodo"] {
        assert!(rules.check_enter(&path(closed)).is_err(), "{closed:?}");
    }
}

#[test]
fn declared_paths_are_protected_with_what_is_below_and_above() {
    let rules = rules(&[
        "secrets/",
        "infra/prod.tf",
        "caf\u{e9}.md",
        "./docs/",
        "[a]*",
        "infrastructure",
    ]);
    for inside in [
        "secrets",
        "secrets/a",
        "SECRETS/a",
        "infra/prod.tf",
        "infra/PROD.tf",
        "infra/prod.tf/x",
        "Infra/Prod.TF",
        "cafe\u{301}.md",
        "CAFE\u{301}.MD",
        "docs/a/b",
        "[a]*",
        "[a]*/x",
        "INFRAS~1",
        "INFRAS~1/x",
    ] {
        let rule = refused_write(&rules, inside).unwrap_or_default();
        assert!(rule.contains("protected by the protocol"), "{inside:?}: {rule:?}");
        rules.check_read(&path(inside)).unwrap();
    }
    assert_eq!(
        refused_write(&rules, "infra").unwrap(),
        "the protected path `infra/prod.tf` of the protocol lies below it, so no file can stand here"
    );
    assert!(refused_write(&rules, "INFRA").is_some());
    for beside in [
        "secretsx",
        "secrets.md",
        "infra/dev.tf",
        "infra/prod.tf.bak",
        "cafe.md",
        "docsx/y",
        "a",
        "[b]x",
        "x/secrets",
    ] {
        assert_eq!(refused_write(&rules, beside), None, "{beside:?}");
    }
    let shown: Vec<&str> = rules.protected_paths().iter().map(WorkspacePath::as_str).collect();
    assert_eq!(
        shown,
        [
            "secrets",
            "infra/prod.tf",
            "caf\u{e9}.md",
            "docs",
            "[a]*",
            "infrastructure"
        ]
    );
}

#[test]
fn a_bad_declaration_is_an_error_that_names_it() {
    for bad in ["", ".", "docs/..", "..", "../x", "/etc", "C:\\x", "a:b", "a\0b", "nul"] {
        let error = AccessRules::new(&[bad.to_owned()], DenyList::standard(), IgnoredReads::refuse_all()).unwrap_err();
        assert_eq!(error.declared, bad);
        assert!(
            error.to_string().contains("the protected paths of the protocol"),
            "{error}"
        );
    }
    DenyList::new(&["[".to_owned()], "host.toml").unwrap_err();
    DenyList::new(&["!".to_owned()], "host.toml").unwrap_err();
    DenyList::new(&["/".to_owned()], "host.toml").unwrap_err();
    IgnoredReads::allowing(&["a{b".to_owned()], "--read-ignored").unwrap_err();
}

#[test]
fn secrets_are_not_read_by_default() {
    let rules = rules(&[]);
    for secret in [
        ".env",
        "sub/.env",
        ".env.local",
        ".ENV",
        ".env.",
        ".e\u{200b}nv",
        ".envrc",
        "certs/server.pem",
        "server.KEY",
        "id_rsa",
        "home/.ssh/config",
        "id_ed25519",
        ".npmrc",
        ".pypirc",
        ".netrc",
        ".aws/credentials",
        "sub/.aws/credentials",
        ".env/x",
        ".env.example/.env",
    ] {
        let rule = rules.check_read(&path(secret)).unwrap_err().rule;
        assert!(rule.contains("the host's list of secrets"), "{secret:?}: {rule}");
        // They may be written: nothing is learned by it.
        assert_eq!(refused_write(&rules, secret), None, "{secret:?}");
    }
    for open in [
        ".env.example",
        ".env.sample",
        ".env.template",
        "sub/.env.example",
        "env",
        "id_rsa.pub",
        "key",
        "keyboard.rs",
        "a.pem.txt",
        ".aws/config",
        "credentials",
        ".ssh",
    ] {
        rules.check_read(&path(open)).unwrap();
    }
    assert_eq!(
        rules.check_read(&path(".env.local")).unwrap_err().rule,
        "`.env.*` is not read (the host's list of secrets)"
    );
    assert!(rules.check_enter(&path("home/.ssh")).is_err());
    assert!(rules.check_enter(&path("home/.ssh/deeper")).is_err());
    assert!(rules.check_read_in_entered(&path("a/.env")).is_err());
    rules.check_read_in_entered(&path("a/b.rs")).unwrap();
}

#[test]
fn the_deny_list_is_the_users() {
    let mut deny = DenyList::standard();
    deny.add(
        &["!.npmrc".to_owned(), "/data/*.csv".to_owned(), "Private/".to_owned()],
        "host.toml",
    )
    .unwrap();
    let rules = AccessRules::new(&[], deny, IgnoredReads::refuse_all()).unwrap();
    rules.check_read(&path(".npmrc")).unwrap();
    rules.check_read(&path("x/data/a.csv")).unwrap();
    rules.check_read(&path("data/sub/a.csv")).unwrap();
    rules.check_read(&path("private")).unwrap();
    for denied in ["data/a.csv", "DATA/A.CSV", "private/x", "sub/PRIVATE/y/z", ".env"] {
        assert!(rules.check_read(&path(denied)).is_err(), "{denied}");
    }
    assert_eq!(
        rules.check_read(&path("data/a.csv")).unwrap_err().rule,
        "`/data/*.csv` is not read (host.toml)"
    );
}

#[test]
fn ignored_files_are_allowed_literally() {
    let allowed = IgnoredReads::allowing(
        &["gen/**".to_owned(), "*.log".to_owned(), "!secret.log".to_owned()],
        "--read-ignored",
    )
    .unwrap();
    for open in ["gen/x.txt", "gen/a/b", "a/b.log"] {
        assert!(allowed.allows(&path(open)), "{open}");
    }
    for closed in ["other/x", "GEN/x.txt", "a/secret.log", "a.LOG"] {
        assert!(!allowed.allows(&path(closed)), "{closed}");
    }
    assert!(!IgnoredReads::refuse_all().allows(&path("gen/x.txt")));
}

/// Spellings that some file system takes for the same name.
fn alias_of(name: &'static str) -> impl Strategy<Value = String> {
    let unseen = prop_oneof![
        Just(""),
        Just("\u{200b}"),
        Just("\u{200d}"),
        Just("\u{feff}"),
        Just("\u{2060}"),
        Just("\u{e0041}")
    ];
    let end = prop_oneof![Just(""), Just("."), Just(" "), Just(". ."), Just("\u{a0}")];
    (
        proptest::collection::vec((any::<bool>(), unseen), name.chars().count()),
        end,
    )
        .prop_map(move |(choices, end)| {
            let mut alias = String::new();
            for (c, (upper, unseen)) in name.chars().zip(choices) {
                if upper {
                    alias.extend(c.to_uppercase());
                } else {
                    alias.push(c);
                }
                alias.push_str(unseen);
            }
            alias + end
        })
}

proptest! {
    #[test]
    fn no_alias_of_a_protected_name_gets_through(
        git in alias_of(".git"),
        snodo in alias_of(".snodo"),
        declared in alias_of("stra\u{df}e"),
        before in "[b-m]{0,3}",
    ) {
        let rules = rules(&["stra\u{df}e"]);
        let nested = |name: &str| if before.is_empty() { name.to_owned() } else { format!("{before}/{name}") };
        let inside = [nested(&git), format!("{}/x", nested(&snodo)), format!("{declared}/x")];
        for alias in &inside {
            prop_assert!(refused_write(&rules, alias).is_some(), "{:?}", alias);
        }
        prop_assert!(rules.check_read(&path(&nested(&git))).is_err());
    }

    #[test]
    fn any_path_has_an_answer(given in "\\PC{1,40}") {
        if let Ok(path) = WorkspacePath::parse(&given) {
            let rules = rules(&["a/b", "x"]);
            let _ = (rules.check_read(&path), rules.check_write(&path), rules.check_enter(&path), rules.check_read_in_entered(&path));
        }
    }
}
