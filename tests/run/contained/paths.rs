//! D03: a test path is one argument, within the workspace, that can be no option.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::script::{answers, steps};
use crate::support::{Sandbox, guest};

/// Shows each argument.
const SHOWS: &str = "#!/bin/sh\necho \"$#\"\nfor a in \"$@\"; do echo \"[$a]\"; done\n";

/// What each path is answered, where the command is `./show.sh --all`.
#[track_caller]
fn asked(sandbox: Sandbox, paths: &[&str]) -> Vec<Value> {
    let sandbox = sandbox.with("show.sh", SHOWS).host_toml("[runner]\ncalls = 50\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.workspace().join("show.sh"), mode).unwrap();
    let task = steps(
        paths
            .iter()
            .map(|path| json!({ "do": "run-tests", "path": path }))
            .collect(),
    );
    let probe = guest("guest_probe");
    let arguments = [
        &task,
        "--coder",
        &probe,
        "--expect",
        "findings",
        "--test-command",
        "./show.sh --all",
    ];
    let report = sandbox.run(&arguments).completed();
    sandbox.assert_nothing_is_left();
    answers(&report)
}

#[test]
fn d03_what_could_be_an_option_is_refused() {
    let paths = [
        "-p evil",
        "-pevil",
        "-c/tmp/x.ini",
        "-k",
        "--override-ini=addopts=",
        "--collect-only",
        "--rootdir=/",
        "--help",
        "-",
        "--",
        "@args.txt",
        "-x::test",
        "",
        "a\0b",
        "/etc/passwd",
        "../outside",
        "sub/../../outside",
        ".git/config",
        ".snodo",
        ".env",
        "ok.txt::a\nb",
    ];
    // Files of these names are there: it is not that nothing is found.
    let mut sandbox = Sandbox::git().with("ok.txt", "").with(".env", "");
    for name in ["--help", "-k", "@args.txt", "-p evil", "--collect-only", "-x"] {
        sandbox = sandbox.with(name, "");
    }
    for (path, answer) in paths.iter().zip(asked(sandbox, &paths)) {
        let kind = answer["error"]["kind"].as_str();
        assert!(
            matches!(kind, Some("refused" | "bad-path" | "not-found")),
            "{path:?}: {answer}"
        );
    }
}

#[test]
fn d03_d06_what_is_a_path_is_one_argument_as_it_stands() {
    let sandbox = Sandbox::git()
        .with("a b", "")
        .with("a\nb", "")
        .with(";true", "")
        .with("$(id)", "")
        .with("*.py", "")
        .with("x=y", "")
        .with("é.py", "")
        .with("t.py", "");
    let paths = [
        ("a b", "[a b]"),
        ("a\nb", "[a\nb]"),
        (";true", "[;true]"),
        ("$(id)", "[$(id)]"),
        ("*.py", "[*.py]"),
        ("x=y", "[x=y]"),
        ("é.py", "[é.py]"),
        ("./t.py", "[t.py]"),
        ("src", "[src]"),
        ("src/", "[src]"),
        ("t.py::test_p[../x]", "[t.py::test_p[../x]]"),
        ("t.py::test_p[a b]", "[t.py::test_p[a b]]"),
        ("t.py::T::test[-x]", "[t.py::T::test[-x]]"),
    ];
    let asked = asked(sandbox, &paths.map(|(path, _)| path));
    for ((path, shown), answer) in paths.iter().zip(asked) {
        let expected = format!("2\n[--all]\n{shown}\n");
        assert_eq!(answer["ok"]["stdout"]["head"], expected, "{path}: {answer}");
    }
}

#[test]
fn d03_a_link_out_is_no_test_path() {
    let sandbox = Sandbox::git();
    std::os::unix::fs::symlink("/etc", sandbox.workspace().join("etc")).unwrap();
    for answer in asked(sandbox, &["etc/passwd", "etc"]) {
        assert!(answer["error"].is_object(), "{answer}");
    }
}

#[test]
fn d06_exit_codes_of_no_tests_are_what_they_are() {
    for code in [4, 5] {
        let sandbox = Sandbox::git();
        let report = super::test(&sandbox, &format!("exit {code} #"), &[]).ended(1, "blocker", Some("blocked"));
        assert_eq!(super::execution(&report)["exit"], json!({ "code": code }));
    }
}
