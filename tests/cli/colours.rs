//! Colours: on a terminal, and never where somebody does not want them.

use std::process::{Command, Output};

use crate::support::Sandbox;

/// Runs the binary on a pseudo terminal of its own, by util-linux's `script`.
fn on_a_terminal(sandbox: &Sandbox, no_color: Option<&str>) -> Option<Output> {
    if Command::new("script").arg("--version").output().is_err() {
        return None;
    }
    let binary = env!("CARGO_BIN_EXE_snodo-host");
    let mut command = sandbox.command(&[]);
    let environment: Vec<_> = command
        .get_envs()
        .filter_map(|(k, v)| Some((k.to_owned(), v?.to_owned())))
        .collect();
    command = Command::new("script");
    command
        .args([
            "--quiet",
            "--return",
            "--command",
            &format!("{binary} run anything --mock --dry-run"),
            "/dev/null",
        ])
        .env_clear()
        .envs(environment)
        .env("TERM", "xterm-256color")
        .current_dir(sandbox.workspace())
        .stdin(std::process::Stdio::null());
    if let Some(value) = no_color {
        command.env("NO_COLOR", value);
    }
    Some(command.output().unwrap())
}

#[test]
fn a_terminal_gets_colours_and_no_color_takes_them_away() {
    let sandbox = Sandbox::new();
    let Some(shown) = on_a_terminal(&sandbox, None) else {
        return;
    };
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        text.contains("\u{1b}[1m\u{1b}[32mcompleted"),
        "no colours on a terminal: {text:?}"
    );
    let shown = on_a_terminal(&sandbox, Some("1")).unwrap();
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("completed"), "{text:?}");
    assert!(
        !text.contains("\u{1b}[1m") && !text.contains("\u{1b}[32m"),
        "colours in spite of NO_COLOR: {text:?}"
    );
}

#[test]
fn errors_have_no_colours_where_no_terminal_is() {
    let shown = Sandbox::new().call(&["run", "x", "--coder", "nobody"]);
    assert!(
        shown.stderr.starts_with("error: there is no plugin"),
        "{:?}",
        shown.stderr
    );
    assert!(!shown.stderr.contains('\u{1b}'), "{:?}", shown.stderr);
}
