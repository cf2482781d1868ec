//! Which test command a run has: protocol, flag, or what the base stands for.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use common::{SMALL, load, with};
use snodo_config::resolve::{
    CommandSource, ResolvedRun, TestCommand, TestCommandError, is_open, is_placeholder, resolve, test_command,
};

const ECHO: &str = "echo 'snodo: no test_command configured; no tests executed'";

fn run(text: &str) -> ResolvedRun {
    resolve(&load(text).protocol, None, &["quality", "secrets"]).unwrap()
}

/// `SMALL` with this command, in any quotes of YAML's.
fn declaring(command: &str) -> ResolvedRun {
    run(&with("test_command: make check", &format!("test_command: {command:?}")))
}

/// `SMALL` with a `quality` validator that says nothing of a command.
fn silent() -> ResolvedRun {
    run(&with("    tooling:\n      test_command: make check\n", ""))
}

/// `SMALL` without a `quality` validator in its mode.
fn without_quality() -> ResolvedRun {
    run(&with("validator_type: quality", "validator_type: secrets").replace("make check", "x"))
}

fn chosen(run: Option<&ResolvedRun>, flag: Option<&str>, files: &[&str]) -> Option<(String, CommandSource)> {
    test_command(run, flag, files.iter().copied())
        .unwrap()
        .map(|TestCommand { text, source }| (text, source))
}

fn refused(run: Option<&ResolvedRun>, flag: &str) -> TestCommandError {
    test_command(run, Some(flag), ["Cargo.toml"]).unwrap_err()
}

#[test]
fn placeholders_and_blanks_name_no_command() {
    for command in [
        ECHO,
        "echo \"snodo: no test_command configured; no tests executed\"",
        "  echo  'snodo: no test_command configured;  no tests executed' ",
        "REPLACE_ME",
        " REPLACE_ME\n",
        "'REPLACE_ME'",
    ] {
        assert!(is_placeholder(command) && is_open(command), "{command:?}");
        assert_eq!(declaring(command).test_command, None, "{command:?}");
    }
    for command in ["", "  ", "\t", "\n \n"] {
        assert!(!is_placeholder(command) && is_open(command), "{command:?}");
        assert_eq!(declaring(command).test_command, None, "{command:?}");
    }
    for command in [
        "echo REPLACE_ME",
        "replace_me",
        "REPLACE_ME && make",
        "make check",
        "true",
        &format!("{ECHO}; make"),
        "echo snodo",
    ] {
        assert!(!is_placeholder(command) && !is_open(command), "{command:?}");
        assert_eq!(declaring(command).test_command.as_deref(), Some(command));
    }
}

#[test]
fn the_protocol_goes_before_all() {
    let validator = "tests".to_owned();
    let expected = Some(("make check".to_owned(), CommandSource::Protocol { validator }));
    assert_eq!(chosen(Some(&run(SMALL)), None, &["package.json"]), expected);
    assert_eq!(chosen(Some(&declaring(" make check ")), None, &[]), expected);
    // What a gate is given is replaced by no flag, not even by the same words.
    for flag in ["make check", "true", "", "REPLACE_ME"] {
        assert!(matches!(
            refused(Some(&run(SMALL)), flag),
            TestCommandError::Declared { declared } if declared == "make check"
        ));
    }
}

#[test]
fn the_flag_fills_in_what_is_open() {
    let (open, quiet, none) = (declaring(ECHO), silent(), without_quality());
    for resolved in [None, Some(&open), Some(&quiet), Some(&none)] {
        assert_eq!(
            chosen(resolved, Some(" tox -q "), &["Cargo.toml"]),
            Some(("tox -q".to_owned(), CommandSource::Flag))
        );
        for blank in ["", " \n"] {
            assert_eq!(refused(resolved, blank), TestCommandError::Blank);
        }
        for placeholder in [ECHO, "REPLACE_ME"] {
            assert!(matches!(
                refused(resolved, placeholder),
                TestCommandError::Placeholder { .. }
            ));
        }
    }
}

#[test]
fn the_base_is_asked_last_and_only_for_a_protocols_quality_validator() {
    let cargo = Some((
        "cargo test".to_owned(),
        CommandSource::Detected { marker: "Cargo.toml" },
    ));
    for command in [ECHO, "REPLACE_ME", "", "  "] {
        assert_eq!(
            chosen(Some(&declaring(command)), None, &["go.mod", "Cargo.toml"]),
            cargo,
            "{command:?}"
        );
    }
    assert_eq!(chosen(Some(&silent()), None, &["Cargo.toml"]), cargo);
    // Nothing to go by.
    assert_eq!(chosen(Some(&silent()), None, &["README.md"]), None);
    assert_eq!(chosen(Some(&silent()), None, &[]), None);
    // No such validator, or no protocol.
    assert_eq!(chosen(Some(&without_quality()), None, &["Cargo.toml"]), None);
    assert_eq!(chosen(None, None, &["Cargo.toml"]), None);
}

#[test]
fn what_the_tasks_module_declares_goes_before_all() {
    let text = format!(
        "{SMALL}modules: [{{module_id: m, paths: [x], tooling: {{test_command: ' tox '}}}}, {{module_id: n, paths: [y]}}]\n"
    );
    let protocol = load(&text).protocol;
    let for_module = |id: &str| {
        let run = resolve(&protocol, None, &["quality", "secrets"]).unwrap();
        run.for_module(&protocol, id).unwrap()
    };
    let of_module = CommandSource::Module { module: "m".to_owned() };
    assert_eq!(
        chosen(Some(&for_module("m")), None, &["Cargo.toml"]),
        Some(("tox".to_owned(), of_module))
    );
    assert!(
        matches!(refused(Some(&for_module("m")), "true"), TestCommandError::Declared { declared } if declared.trim() == "tox")
    );
    // A module that says nothing leaves the validator's.
    let of_validator = CommandSource::Protocol {
        validator: "tests".to_owned(),
    };
    assert_eq!(
        chosen(Some(&for_module("n")), None, &[]),
        Some(("make check".to_owned(), of_validator))
    );
}

#[test]
fn how_it_is_told() {
    let declared = refused(Some(&run(SMALL)), "true");
    insta::assert_snapshot!(declared, @"the protocol declares the test command `make check`; `--test-command` fills in what a protocol leaves open and replaces nothing");
    insta::assert_snapshot!(refused(None, " "), @"`--test-command` is blank: give the command that runs the tests, or leave the flag out");
    insta::assert_snapshot!(refused(None, "REPLACE_ME"), @"`--test-command REPLACE_ME` is a placeholder that runs no test: give the command that runs the tests, or leave the flag out");
}
