//! Nobody who stops reading ends what goes on.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::Sandbox;

/// Runs it with both streams closed after the first byte of `first`, or at once.
fn unread(sandbox: &Sandbox, arguments: &[&str], first: usize) -> Option<i32> {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = sandbox
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .unwrap();
    let mut seen = vec![0; first];
    reader.read_exact(&mut seen).unwrap();
    drop(reader);
    child.wait().unwrap().code()
}

#[test]
fn a_run_ends_as_it_would_have() {
    for first in [0, 1] {
        let sandbox = Sandbox::new();
        assert_eq!(
            unread(&sandbox, &["run", "anything", "--mock"], first),
            Some(0),
            "{first}"
        );
        assert_eq!(unread(&sandbox, &["run", "x", "--coder", "nobody"], first), Some(64));
        assert_eq!(
            unread(&sandbox, &["run", "x", "--coder", "nobody", "--json"], first),
            Some(64)
        );
        assert!(sandbox.exists("src/hello.py"), "the run changed nothing");
    }
}

#[test]
fn so_does_every_other_command_that_says_much() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert_eq!(unread(&sandbox, &["completions", shell], 1), Some(0), "{shell}");
    }
    assert_eq!(unread(&sandbox, &["--help"], 1), Some(0));
    assert_eq!(unread(&sandbox, &["coders"], 1), Some(0));
    assert_eq!(unread(&sandbox, &["runs", "list"], 0), Some(0));
}

/// The log goes to standard error as well, and the library that writes it complains there when it cannot.
#[test]
fn a_log_that_nobody_reads_ends_nothing() {
    let sandbox = Sandbox::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let code = sandbox
        .command(&["run", "anything", "--mock"])
        .env("SNODO_LOG", "trace")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(writer)
        .status()
        .unwrap()
        .code();
    assert_eq!(code, Some(0));
}
