//! `snodo-host demo`.

use crate::support::{Finished, Sandbox};

/// Cargo's own folders are under the home folder, which the sandbox does not share.
fn demo(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let mut command = sandbox.command(&["demo"]);
    command.args(arguments);
    let home = std::env::home_dir().unwrap();
    for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        command.env(
            variable,
            std::env::var_os(variable).unwrap_or_else(|| home.join(folder).into_os_string()),
        );
    }
    if let Some(toolchain) = std::env::var_os("RUSTUP_TOOLCHAIN") {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    Finished::of(&command.output().unwrap())
}

#[test]
fn it_shows_the_red_test_the_run_and_the_green_test_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let shown = demo(&sandbox, &[]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    let mut rest = shown.stdout.as_str();
    for words in [
        "1. A project with a failing test",
        "$ cargo test --offline --quiet",
        "red",
        "2. A coder is to fix it",
        "$ snodo-host run --task-file",
        "--coder patch",
        "--validator secrets --validator scope",
        "--validator quality --test-command 'cargo test --offline --quiet'",
        "completed  1 file changed",
        "✓ secrets",
        "✓ scope",
        "✓ quality",
        "M src/lib.rs",
        "3. The project now",
        "green",
    ] {
        let at = rest
            .find(words)
            .unwrap_or_else(|| panic!("no `{words}`, or not in its place, in\n{}", shown.stdout));
        rest = &rest[at + words.len()..];
    }
    assert_eq!(
        std::fs::read_dir(sandbox.path().join("tmp")).unwrap().count(),
        0,
        "the project is left behind"
    );
    assert_eq!(before, sandbox.tree());
}
