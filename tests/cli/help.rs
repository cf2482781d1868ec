//! Help, version, and command lines that are none.

use crate::support::Sandbox;

#[test]
fn help_and_version_are_answers() {
    let sandbox = Sandbox::new();
    for (arguments, words) in [
        (&["--help"][..], "Run coders and validators"),
        (&["--version"], "snodo-host 0.1.0"),
        (&["run", "--help"], "--test-command <CMD>"),
        (&["inspect", "--help"], "runs and compiles nothing of it"),
    ] {
        let shown = sandbox.call(arguments);
        assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(shown.stdout.contains(words), "{}", shown.stdout);
        assert!(!shown.stdout.contains("__compile"), "the hidden command is shown");
    }
}

#[test]
fn every_flag_of_run_has_a_line_of_help() {
    let help = Sandbox::new().call(&["run", "--help"]).stdout;
    for flag in [
        "--task-file",
        "--workspace",
        "--coder",
        "--validator",
        "--protocol",
        "--mode",
        "-m, --model",
        "--test-command",
        "--set",
        "--grant",
        "--expect",
        "--dry-run",
        "--commit",
        "--json",
        "--mock",
    ] {
        assert!(help.contains(flag), "no {flag} in {help}");
    }
}

#[test]
fn no_command_and_an_unknown_command_are_wrong_command_lines() {
    let sandbox = Sandbox::new();
    for arguments in [&[][..], &["rnu"], &["run", "--bogus", "x"]] {
        let shown = sandbox.call(arguments);
        assert_eq!(
            (shown.code, shown.stdout.as_str()),
            (64, ""),
            "{arguments:?}: {shown:#?}"
        );
        assert!(!shown.stderr.is_empty());
    }
}

#[test]
fn the_hidden_command_is_not_for_people() {
    let shown = Sandbox::new().call(&["__compile"]);
    assert_ne!(shown.code, 0);
    assert!(shown.stderr.contains("run by snodo-host itself"), "{}", shown.stderr);
}
