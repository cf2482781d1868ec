//! `snodo-host completions SHELL`.

use crate::support::Sandbox;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands_and_their_flags() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let shown = sandbox.call(&["completions", shell]);
        assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shell}");
        for word in ["snodo-host", "inspect", "test-command", "dry-run"] {
            assert!(shown.stdout.contains(word), "{shell}: no `{word}`");
        }
        assert!(!shown.stdout.contains("__compile"), "{shell} offers the hidden command");
    }
}

#[test]
fn bash_takes_its_script() {
    let sandbox = Sandbox::new();
    let script = sandbox.path().join("completions.bash");
    let shown = sandbox.call(&["completions", "bash"]);
    assert!(shown.stdout.contains("complete -F"), "{}", shown.stdout);
    std::fs::write(&script, shown.stdout).unwrap();
    let checked = std::process::Command::new("bash")
        .arg("-n")
        .arg(&script)
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn an_unknown_shell_is_a_wrong_command_line() {
    let shown = Sandbox::new().call(&["completions", "cmd.exe"]);
    assert_eq!((shown.code, shown.stdout.as_str()), (64, ""));
    assert!(shown.stderr.contains("bash"), "{}", shown.stderr);
}
