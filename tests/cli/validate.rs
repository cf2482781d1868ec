//! `snodo-host validate`: one gate without a coder.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::support::finished::{changes, handed_over};
use crate::support::{Finished, Sandbox, guest};

const STATUSES: [(&str, i32); 5] = [
    ("pass", 0),
    ("blocker", 1),
    ("escalate", 2),
    ("validator_error", 3),
    ("could_not_run", 4),
];

/// What it answers, held against the schema; nothing in the workspace is written, whatever the answer.
fn answer(sandbox: &Sandbox, arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["validate", "anything", "--json"];
    all.extend(arguments);
    let before = sandbox.tree();
    let finished = sandbox.call(&all);
    assert_eq!(before.differences(&sandbox.tree()), [] as [&str; 0], "{finished:#?}");
    check(&finished);
    (finished.code, finished.json())
}

fn check(finished: &Finished) {
    let value = finished.json();
    let path = crate::support::repository().join("docs/schema/snodo.validate.v1.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}\n{}", finished.stderr);
    assert_eq!(value["ok"] == true, finished.code == 0, "{value:#}");
    if finished.code != 64 {
        let expected = STATUSES.iter().find(|(status, _)| value["status"] == *status);
        assert_eq!(expected.map(|(_, code)| *code), Some(finished.code), "{value:#}");
    }
}

fn post(sandbox: &Sandbox, arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["--phase", "post_execute"];
    all.extend(arguments);
    answer(sandbox, &all)
}

/// The guest judge with these settings, in this phase.
fn judged(sandbox: &Sandbox, phase: &str, settings: &[&str]) -> (i32, Value) {
    let judge = guest("guest_judge");
    let settings: Vec<String> = settings.iter().map(|s| format!("guest_judge.{s}")).collect();
    let mut arguments = vec!["--phase", phase, "--validator", &judge];
    for setting in &settings {
        arguments.extend(["--set", setting]);
    }
    answer(sandbox, &arguments)
}

fn paths(value: &Value, key: &str) -> Vec<String> {
    let list = value[key].as_array().unwrap();
    list.iter()
        .map(|one| one["path"].as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn says(value: &Value, words: &str) {
    let reason = value["reason"].as_str().unwrap();
    assert!(reason.contains(words), "no `{words}` in: {reason}");
}

/// In a repository, with a change that is not committed.
fn edited() -> Sandbox {
    Sandbox::git().with("README.md", "# Another\n")
}

#[test]
fn each_phase_ends_in_each_of_the_five_ways() {
    let sandbox = edited().host_toml("[limits]\ncompute_seconds = 1\n");
    for phase in ["pre_execute", "post_execute"] {
        for (behaviour, status, decision) in [
            ("pass", "pass", "proceed"),
            ("blocker", "blocker", "halt"),
            ("warn", "escalate", "escalate"),
            ("panic", "validator_error", "halt"),
            ("fault-runner", "validator_error", "halt"),
            ("uncheckable", "blocker", "halt"),
        ] {
            let (_, value) = judged(&sandbox, phase, &[&format!("behaviour={behaviour}"), "words=so it is"]);
            let found = [
                &value["status"],
                &value["policy_decision"],
                &value["phase"],
                &value["mode"],
            ];
            assert_eq!(found, [status, decision, phase, "ad-hoc"], "{value:#}");
            let result = &value["results"][0];
            assert_eq!(value["results"].as_array().unwrap().len(), 1);
            assert_eq!(result["error"], status == "validator_error", "{value:#}");
            assert_eq!(value["base"].is_null(), phase == "pre_execute");
            assert_eq!(value["task_id"], "task_ee0874170b7f", "as snodo names `anything`");
        }
    }
    // The fifth: nobody to judge, nothing to judge.
    let (code, value) = answer(&sandbox, &["--phase", "pre_execute"]);
    assert_eq!(code, 4);
    says(&value, "no validator judges in pre_execute");
    let (code, value) = post(&Sandbox::git(), &[]);
    assert_eq!((code, &value["results"]), (4, &json!([])));
    says(&value, "does not differ from `HEAD`: there is nothing to judge");
    assert!(value["instruction"].as_str().unwrap().contains("--base"));
}

#[test]
fn before_execution_no_repository_is_needed() {
    let (code, value) = judged(&Sandbox::new(), "pre_execute", &["behaviour=echo"]);
    assert_eq!(code, 0, "{value:#}");
    let told = handed_over(&value["results"][0]);
    assert_eq!(told["evaluation"]["task"]["spec"], "anything");
    assert_eq!(value["changes"], json!([]));
}

#[test]
fn after_execution_a_repository_with_a_commit_is_needed() {
    let (code, value) = post(&Sandbox::new(), &[]);
    assert_eq!(code, 4);
    says(&value, "is in no git repository");
    let sandbox = Sandbox::new();
    sandbox.git_command(&["init", "--quiet"]);
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(code, 4);
    says(&value, "HEAD has no commit yet");
    let sandbox = edited();
    fs::write(sandbox.workspace().join(".git/HEAD"), "ref: refs/heads/../../x\n").unwrap();
    assert_eq!(post(&sandbox, &[]).0, 4);
}

/// 18: there, both are judged as before the coder, and over `HEAD~1..HEAD`.
#[test]
fn the_phase_is_its_own_and_the_difference_is_to_the_working_tree() {
    let protocol = "protocol_id: team\nname: Team\ninitial_mode: work\ndisagreement_policy: unanimous\n\
        modes:\n  - mode_id: work\n    name: Work\n    validators: [late]\n\
        validators:\n  - { validator_id: late, validator_type: secrets, evaluation_phase: post_execute }\n";
    let sandbox = Sandbox::new().with(".snodo/protocol.yml", protocol).committed();
    sandbox.put("second.txt", "of the last commit\n");
    sandbox.git_command(&["add", "--all"]);
    sandbox.git_command(&["commit", "--quiet", "--message=second"]);
    sandbox.put("third.txt", "of the working tree\n");
    let ids = |value: &Value| -> Vec<String> {
        let results = value["results"].as_array().unwrap();
        results
            .iter()
            .map(|r| r["validator_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let plan = json!({ "pre-execute": ["blocker"], "post-execute": ["warn"] });
    let judged = |phase: &str| judged(&sandbox, phase, &[&format!("plan={plan}")]);
    let (code, value) = judged("pre_execute");
    assert_eq!(
        (code, ids(&value), changes(&value)),
        (1, vec!["guest_judge".to_owned()], vec![]),
        "{value:#}"
    );
    let (code, value) = judged("post_execute");
    assert_eq!(
        (code, ids(&value)),
        (2, vec!["late".to_owned(), "guest_judge".to_owned()]),
        "{value:#}"
    );
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(
        (code, ids(&value), changes(&value)),
        (0, vec!["late".to_owned()], vec!["added third.txt".to_owned()])
    );
    assert_eq!(
        (&value["mode"], &value["protocol"]),
        (&json!("work"), &json!(".snodo/protocol.yml"))
    );
}

#[test]
fn the_base_is_a_branch_a_tag_or_a_hash() {
    let sandbox = Sandbox::git();
    let first = sandbox.git_command(&["rev-parse", "HEAD"]).trim().to_owned();
    sandbox.git_command(&["tag", "light"]);
    sandbox.git_command(&["tag", "--annotate", "--message=x", "heavy"]);
    sandbox.git_command(&["branch", "feature/old"]);
    sandbox.git_command(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    sandbox.put("src/main.py", "print(1)\n");
    sandbox.git_command(&["commit", "--quiet", "--all", "--message=second"]);
    sandbox.put("README.md", "# Another\n");
    let both = ["modified README.md", "modified src/main.py"];
    for packed in [false, true] {
        if packed {
            sandbox.git_command(&["pack-refs", "--all"]);
            sandbox.git_command(&["gc", "--quiet"]);
        }
        for base in [
            "light",
            "heavy",
            "feature/old",
            "refs/heads/feature/old",
            "origin/main",
            &first,
            &first[..8],
        ] {
            let (code, value) = post(&sandbox, &["--base", base]);
            assert_eq!(
                (code, changes(&value)),
                (0, both.map(str::to_owned).to_vec()),
                "{base}: {value:#}"
            );
            assert_eq!(value["base"], json!({ "revision": base, "commit": first }));
        }
        for base in [&["--base", "HEAD"][..], &["--base", "main"], &[]] {
            assert_eq!(changes(&post(&sandbox, base).1), ["modified README.md"]);
        }
    }
    let tree = sandbox.git_command(&["rev-parse", "HEAD^{tree}"]);
    for unknown in ["nowhere", "0000000", &"0".repeat(40), tree.trim(), &tree[..10]] {
        let (code, value) = post(&sandbox, &["--base", unknown]);
        assert_eq!(code, 4, "{value:#}");
        says(&value, "is no branch, tag or commit of this repository");
    }
    sandbox.git_command(&["tag", "both", &first]);
    sandbox.git_command(&["branch", "both", "main"]);
    let (code, value) = post(&sandbox, &["--base", "both"]);
    assert_eq!(code, 4);
    says(&value, "`refs/tags/both` and `refs/heads/both`");
}

#[test]
fn g07_what_is_no_name_of_a_commit_is_refused_by_form() {
    let sandbox = edited();
    for base in [
        "--output=pwn",
        "-O",
        "HEAD~1",
        "HEAD^",
        "a..b",
        "main@{1}",
        "@",
        "HEAD:README.md",
        ":/start",
        "",
        "a b",
    ] {
        let argument = format!("--base={base}");
        for form in [&["--base", base][..], &[&argument]] {
            let (code, value) = post(&sandbox, form);
            let error = value["error"].as_str().unwrap();
            assert!(code == 64 && error.contains("--base"), "{base}: {value:#}");
        }
    }
    let refused = sandbox.call(&["validate", "x", "--phase", "post_execute", "--base", "--output=pwn"]);
    assert_eq!(refused.code, 64);
    assert!(
        refused.stderr.contains("the name of a branch or tag"),
        "{}",
        refused.stderr
    );
    assert!(!sandbox.exists("pwn"));
    // Git itself takes it for a flag, and writes the file.
    sandbox.git_command(&["diff", "--output=pwn"]);
    assert!(sandbox.exists("pwn"), "the control does nothing");
}

#[test]
fn wrong_flags_are_wrong_flags() {
    let sandbox = edited();
    for flags in [
        &[][..],
        &["--phase", "execute"],
        &["--phase", "pre_execute", "--base", "HEAD"],
        &["--phase", "pre_execute", "--coder", "mock"],
        &["--phase", "pre_execute", "--mode", "x"],
        &["--phase", "pre_execute", "--validator", "nobody"],
        &["--phase", "post_execute", "--set", "nobody.x=1"],
    ] {
        let (code, value) = answer(&sandbox, flags);
        assert_eq!(code, 64, "{flags:?}: {value:#}");
    }
}

#[test]
fn the_working_tree_is_what_stands_there() {
    let sandbox = Sandbox::new()
        .with(".gitignore", "*.log\nbuild/\n")
        .with("kept.log", "tracked all the same\n")
        .with("gone.txt", "one\ntwo\n")
        .with("run.sh", "true\n")
        .with("same.txt", "same\n")
        .with("becomes/a/folder", "a\n")
        .with("becomes-one", "b\n")
        .committed();
    sandbox.git_command(&["add", "--force", "kept.log"]);
    sandbox.git_command(&["commit", "--quiet", "--message=log"]);
    sandbox.put("kept.log", "changed\n");
    fs::remove_file(sandbox.workspace().join("gone.txt")).unwrap();
    fs::set_permissions(sandbox.workspace().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    // Written anew, with another time and the same content.
    sandbox.put("same.txt", "same\n");
    fs::remove_dir_all(sandbox.workspace().join("becomes")).unwrap();
    sandbox.put("becomes", "a file\n");
    fs::remove_file(sandbox.workspace().join("becomes-one")).unwrap();
    sandbox.put("becomes-one/file", "x\n");
    sandbox.put("untracked.txt", "new\n");
    sandbox.put("other.log", "ignored\n");
    sandbox.put("build/out.txt", "ignored\n");
    sandbox.put("staged.txt", "staged\n");
    sandbox.git_command(&["add", "staged.txt"]);
    sandbox.put("staged.txt", "and edited\n");
    sandbox.put("forced.log", "ignored, and in the index\n");
    sandbox.git_command(&["add", "--force", "forced.log"]);
    sandbox.put(".hidden", "new\n");
    let (code, value) = post(&sandbox, &[]);
    let mut found = changes(&value);
    found.sort();
    assert_eq!(
        found,
        [
            "added .hidden",
            "added becomes",
            "added becomes-one/file",
            "added forced.log",
            "added staged.txt",
            "added untracked.txt",
            "deleted becomes-one",
            "deleted becomes/a/folder",
            "deleted gone.txt",
            "mode-changed run.sh",
            "modified kept.log",
        ]
    );
    assert_eq!((code, &value["not_looked_at"]), (0, &json!([])), "{value:#}");
    // What git says of the same.
    let mut of_git: Vec<String> = sandbox
        .git_command(&["diff", "HEAD", "--name-only", "--no-renames"])
        .lines()
        .chain(
            sandbox
                .git_command(&["ls-files", "--others", "--exclude-standard"])
                .lines(),
        )
        .map(str::to_owned)
        .collect();
    of_git.sort();
    assert_eq!(paths(&value, "changes"), of_git);
}

#[test]
fn a_workspace_below_the_top_is_judged_alone() {
    let sandbox = Sandbox::git()
        .with("README.md", "# Another\n")
        .with("docs/new.md", "new\n")
        .with("docs/guide.md", "other\n");
    let docs = sandbox.workspace().join("docs");
    let (code, value) = post(&sandbox, &["--workspace", docs.to_str().unwrap()]);
    assert_eq!(
        (code, changes(&value)),
        (0, vec!["modified guide.md".to_owned(), "added new.md".to_owned()])
    );
    fs::create_dir(sandbox.workspace().join("fresh")).unwrap();
    sandbox.put("fresh/a", "a\n");
    let fresh = sandbox.workspace().join("fresh");
    assert_eq!(
        changes(&post(&sandbox, &["--workspace", fresh.to_str().unwrap()]).1),
        ["added a"]
    );
}

#[test]
fn ignore_files_above_a_workspace_count() {
    let sandbox = Sandbox::new()
        .with(".gitignore", "*.log\n/docs/build/\n")
        .committed()
        .with("docs/new.md", "new\n")
        .with("docs/new.log", "ignored\n")
        .with("docs/build/out", "ignored\n");
    let docs = sandbox.workspace().join("docs");
    let (_, value) = post(&sandbox, &["--workspace", docs.to_str().unwrap()]);
    assert_eq!(changes(&value), ["added new.md"], "{value:#}");
}

/// Such a file would hide whatever is new in its folder.
#[test]
fn an_ignore_file_that_cannot_be_used_hides_nothing_in_silence() {
    for folder in ["", "src/"] {
        let sandbox = edited()
            .with(&format!("{folder}.gitignore"), "x\n".repeat(1 << 20))
            .with(&format!("{folder}planted.py"), "x\n");
        let (code, value) = post(&sandbox, &[]);
        assert_eq!(code, 4, "{value:#}");
        says(&value, "has a `.gitignore` that cannot be used");
    }
}

#[test]
fn what_has_no_place_in_a_change_is_named() {
    let sandbox = Sandbox::new();
    symlink("README.md", sandbox.workspace().join("stays")).unwrap();
    symlink("README.md", sandbox.workspace().join("moves")).unwrap();
    symlink("README.md", sandbox.workspace().join("goes")).unwrap();
    let sandbox = sandbox.committed();
    for name in ["moves", "goes"] {
        fs::remove_file(sandbox.workspace().join(name)).unwrap();
    }
    symlink("/etc/passwd", sandbox.workspace().join("moves")).unwrap();
    symlink("/etc", sandbox.workspace().join("new-link")).unwrap();
    // A tracked folder that is a link now: what was in it is gone, and nothing is read through it.
    fs::rename(sandbox.workspace().join("docs"), sandbox.path().join("elsewhere")).unwrap();
    symlink(sandbox.path().join("elsewhere"), sandbox.workspace().join("docs")).unwrap();
    let inner = sandbox.workspace().join("vendored");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("file"), "of another repository\n").unwrap();
    sandbox.git_command(&["init", "--quiet", "vendored"]);
    // In a folder that the commit knows, a `.git` hides nothing.
    fs::create_dir(sandbox.workspace().join("src/.git")).unwrap();
    sandbox.put("src/planted.py", "x\n");
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(code, 0, "{value:#}");
    assert_eq!(
        changes(&value),
        ["deleted docs/guide.md", "deleted goes", "added src/planted.py"]
    );
    assert_eq!(
        paths(&value, "not_looked_at"),
        ["docs", "moves", "new-link", "vendored"]
    );
    assert!(value["warnings"].to_string().contains("not looked at: `docs` (a link)"));
}

/// What no plugin may read is not shown by this way, and the host itself looks at it.
#[test]
fn a_file_of_secrets_is_judged_and_not_shown() {
    let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
    let protocol = "protocol_id: team\nname: Team\ninitial_mode: work\n\
        global_constraints:\n  - { constraint_id: clean, description: d, predicate: no_secrets_in_diff }\n\
        modes:\n  - mode_id: work\n    name: Work\n    validators: [late]\n\
        validators:\n  - { validator_id: late, validator_type: secrets, evaluation_phase: post_execute }\n";
    let sandbox = edited().with(".env", format!("key = \"{key}\"\n"));
    let script = r#"[{"do":"diff"},{"do":"read-file","path":".env"}]"#;
    let (_, value) = judged(
        &sandbox,
        "post_execute",
        &["behaviour=script", &format!("script={script}")],
    );
    let told = handed_over(&value["results"][0]);
    assert!(changes(&value).contains(&"added .env".to_owned()), "{value:#}");
    assert!(told.to_string().contains("README.md"), "{told:#}");
    assert!(!told.to_string().contains(&key), "{told:#}");
    // The same in a file that may be read is shown: the control.
    let shown = edited().with("env.txt", format!("key = \"{key}\"\n"));
    let (_, value) = judged(
        &shown,
        "post_execute",
        &["behaviour=script", &format!("script={script}")],
    );
    assert!(handed_over(&value["results"][0]).to_string().contains(&key));
    let sandbox = sandbox.with(".snodo/protocol.yml", protocol);
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(
        (code, &value["constraints"][0]["violated"]),
        (1, &json!(true)),
        "{value:#}"
    );
    assert!(!value.to_string().contains(&key), "{value:#}");
}

#[test]
fn constraints_and_protected_paths_are_held_as_in_a_run() {
    let protocol = |more: &str| {
        format!(
            "protocol_id: team\nname: Team\ninitial_mode: work\nprotected_paths: [locked]\n{more}\
             modes:\n  - mode_id: work\n    name: Work\n    validators: [late]\n\
             validators:\n  - {{ validator_id: late, validator_type: secrets, evaluation_phase: post_execute }}\n"
        )
    };
    let scope = |severity: &str| {
        protocol(&format!(
            "global_constraints:\n  - {{ constraint_id: scope, description: d, predicate: files_in_scope, severity: {severity}, params: {{ scope_paths: ['src/*'] }} }}\n"
        ))
    };
    let sandbox = edited().with(".snodo/protocol.yml", scope("blocker"));
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(
        (code, &value["policy_decision"], &value["results"]),
        (1, &Value::Null, &json!([]))
    );
    says(&value, "breaks the protocol's constraints (scope:");
    sandbox.put(".snodo/protocol.yml", scope("warn"));
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(
        (code, &value["constraints"][0]["violated"]),
        (0, &json!(true)),
        "{value:#}"
    );

    sandbox.put(".snodo/protocol.yml", protocol(""));
    assert_eq!(post(&sandbox, &[]).0, 0);
    sandbox.put("locked/file", "x\n");
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(code, 1);
    says(&value, "touches what no run may change (`locked/file`");

    // The protocol itself is protected where it is tracked; what is written beside it while one works is left out by name.
    let sandbox = edited()
        .with(".snodo/protocol.yml", protocol(""))
        .with(".snodo/audit.log", "")
        .with("src/a.py", "a\n")
        .committed();
    sandbox.put("src/a.py", "b\n");
    sandbox.put(".snodo/audit.log", "more\n");
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(
        (code, changes(&value)),
        (0, vec!["modified src/a.py".to_owned()]),
        "{value:#}"
    );
    assert_eq!(paths(&value, "not_looked_at"), [".snodo/audit.log"]);
    sandbox.put(".snodo/protocol.yml", protocol("# edited\n"));
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(code, 1);
    says(&value, "`.snodo/protocol.yml`");
    // Nobody judges before the coder, as the protocol wants it.
    let (code, value) = answer(&sandbox, &["--phase", "pre_execute"]);
    assert_eq!(code, 1);
    says(
        &value,
        "no validator judges in pre_execute, and the protocol's mode `work` asks for one",
    );
}

#[test]
fn declared_tests_run_over_the_working_tree() {
    let sandbox = edited();
    for (command, status) in [
        ("grep -q Another README.md", "pass"),
        ("grep -q project README.md", "blocker"),
        ("no-such-program-here", "validator_error"),
    ] {
        let (_, value) = post(&sandbox, &["--test-command", command]);
        assert_eq!(value["status"], status, "{value:#}");
        let executions = value["executions"].as_array().unwrap().len();
        assert_eq!(executions, usize::from(status != "validator_error"), "{value:#}");
    }
}

#[test]
fn g07_no_program_of_the_repository_is_run() {
    let sandbox = Sandbox::new()
        .with(".gitattributes", "*.md filter=x diff=x\n")
        .committed();
    sandbox.put("README.md", "# Another\n");
    let marker = |name: &str, then: &str| {
        let program = sandbox.path().join(name);
        let ran = sandbox.path().join("ran").join(name);
        fs::create_dir_all(ran.parent().unwrap()).unwrap();
        fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n{then}\n", ran.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program.to_str().unwrap().to_owned()
    };
    let ran = || -> Vec<String> {
        let entries = fs::read_dir(sandbox.path().join("ran")).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let included = sandbox.path().join("included");
    fs::write(&included, format!("[core]\n\tfsmonitor = {}\n", marker("monitor", ""))).unwrap();
    let external = marker("external", "");
    for (key, value) in [
        ("filter.x.clean", marker("clean", "cat")),
        ("diff.x.textconv", marker("textconv", "cat \"$1\"")),
        ("core.pager", marker("pager", "cat")),
        (
            "core.hooksPath",
            sandbox.path().join("hooks").to_str().unwrap().to_owned(),
        ),
        ("include.path", included.to_str().unwrap().to_owned()),
    ] {
        sandbox.git_command(&["config", key, &value]);
    }
    for name in fs::read_dir(sandbox.path().join("ran")).unwrap() {
        fs::remove_file(name.unwrap().path()).unwrap();
    }
    let run_ours = || {
        let (code, value) = post(&sandbox, &[]);
        assert_eq!(
            (code, changes(&value)),
            (0, vec!["modified README.md".to_owned()]),
            "{value:#}"
        );
        assert_eq!(post(&sandbox, &["--base", "main"]).0, 0);
    };
    run_ours();
    assert_eq!(ran(), [] as [&str; 0]);
    // Git runs them.
    sandbox.git_command(&["diff", "HEAD"]);
    assert_eq!(ran(), ["clean", "monitor", "textconv"], "the control does nothing");
    for name in ["clean", "monitor", "textconv"] {
        fs::remove_file(sandbox.path().join("ran").join(name)).unwrap();
    }
    sandbox.git_command(&["config", "diff.external", &external]);
    for name in fs::read_dir(sandbox.path().join("ran")).unwrap() {
        fs::remove_file(name.unwrap().path()).unwrap();
    }
    run_ours();
    assert_eq!(ran(), [] as [&str; 0]);
    sandbox.git_command(&["-c", "core.fsmonitor=false", "diff", "HEAD"]);
    assert!(ran().contains(&"external".to_owned()), "the control does nothing");
}

#[test]
fn what_is_too_much_is_not_judged_in_part() {
    let sandbox = edited().host_toml("[submit]\nfile_mib = 1\n");
    sandbox.put("large.bin", vec![7; 2 << 20]);
    let (code, value) = post(&sandbox, &[]);
    assert_eq!((code, &value["results"]), (4, &json!([])), "{value:#}");
    says(&value, "`large.bin` differs and has 2097152 bytes");
    // One that does not differ is no matter, however large it is.
    let sandbox = sandbox.committed();
    sandbox.put("README.md", "# A third\n");
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(
        (code, changes(&value)),
        (0, vec!["modified README.md".to_owned()]),
        "{value:#}"
    );
}

#[test]
fn a_person_sees_the_gate_and_what_to_do() {
    let sandbox = edited();
    let shown = sandbox.call(&["validate", "x", "--phase", "post_execute"]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    for words in [
        "pass",
        "gate after execution",
        "secrets",
        "against HEAD",
        "README.md",
        "Go on",
    ] {
        assert!(shown.stdout.contains(words), "no `{words}` in {}", shown.stdout);
    }
    let help = sandbox.call(&["validate", "--help"]).stdout;
    assert!(help.contains("--base <REF>") && help.contains("post_execute"), "{help}");
    let shown = Sandbox::new().call(&["validate", "x", "--phase", "post_execute"]);
    assert_eq!(shown.code, 4);
    assert!(shown.stdout.contains("could not run") && shown.stdout.contains("is in no git repository"));
}

/// As in a run: a gate that a cap lets pass verifies nothing.
#[test]
fn tests_that_failed_under_a_cap_do_not_pass() {
    let protocol = "protocol_id: team\nname: Team\ninitial_mode: work\ndisagreement_policy: any\n\
        modes:\n  - mode_id: work\n    name: Work\n    validators: [tests, late]\n\
        validators:\n  - { validator_id: tests, validator_type: quality, evaluation_phase: post_execute, severity_cap: warn, tooling: { test_command: 'false' } }\n  \
        - { validator_id: late, validator_type: secrets, evaluation_phase: post_execute }\n";
    let sandbox = edited().with(".snodo/protocol.yml", protocol);
    let (code, value) = post(&sandbox, &[]);
    assert_eq!((code, &value["policy_decision"]), (1, &json!("log")), "{value:#}");
    says(&value, "a cap does not change that");
    sandbox.put(".snodo/protocol.yml", protocol.replace("'false'", "'true'"));
    assert_eq!(post(&sandbox, &[]).0, 0);
}

/// What a sparse checkout leaves out was not deleted.
#[test]
fn what_is_not_checked_out_is_not_deleted() {
    let sandbox = Sandbox::git();
    sandbox.git_command(&["sparse-checkout", "set", "--no-cone", "/README.md", "/src/"]);
    assert!(!sandbox.exists("docs/guide.md"));
    sandbox.put("README.md", "# Another\n");
    let (code, value) = post(&sandbox, &[]);
    assert_eq!(
        (code, changes(&value)),
        (0, vec!["modified README.md".to_owned()]),
        "{value:#}"
    );
    assert_eq!(paths(&value, "not_looked_at"), ["docs/guide.md"]);
}

/// A linked working tree is compared with its own HEAD.
#[test]
fn a_linked_working_tree_is_one() {
    let sandbox = Sandbox::git();
    let linked = sandbox.path().join("linked");
    sandbox.git_command(&["worktree", "add", "--quiet", "-b", "other", linked.to_str().unwrap()]);
    fs::write(linked.join("README.md"), "# Another\n").unwrap();
    sandbox.put("src/main.py", "print(1)\n");
    let workspace = ["--workspace", linked.to_str().unwrap()];
    assert_eq!(changes(&post(&sandbox, &workspace).1), ["modified README.md"]);
    assert_eq!(changes(&post(&sandbox, &[]).1), ["modified src/main.py"]);
}
