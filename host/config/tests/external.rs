//! `[external.NAME]` of `host.toml`: coders that are programs.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use snodo_config::host_config::{
    ExternalCommand, ExternalConfig, ExternalName, HostConfig, MOST_EXTERNALS, Program, UserPath, load_host_config,
};
use snodo_config::{FaultKind, FileError};

fn load(text: &str) -> HostConfig {
    match load_host_config("host.toml", text.as_bytes()) {
        Ok(config) => config,
        Err(error) => panic!("{}", error.plain()),
    }
}

fn refused(text: &str) -> FileError {
    load_host_config("host.toml", text.as_bytes()).unwrap_err()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn every_key_arrives() {
    let config = load(
        r#"
[external.agent]
command = ["agent", "--headless", "", "a b", "$HOME/*"]

[external.Other_2]
command = ["~/bin/other"]
timeout_seconds = 1
silence_seconds = 0
env = ["API_KEY"]
network = true
read = ["~/.config/other", "/opt/other"]
write = ["~/.cache/other", "node_modules"]
"#,
    );
    let command = ExternalCommand::of_words(&words(&["agent", "--headless", "", "a b", "$HOME/*"])).unwrap();
    assert_eq!(command.program, Program::OnPath("agent".to_owned()));
    assert_eq!(command.arguments, ["--headless", "", "a b", "$HOME/*"]);
    let agent = ExternalConfig::standard(ExternalName::parse("agent").unwrap(), command);
    assert_eq!((agent.timeout_seconds, agent.silence_seconds), (1800, 300));
    assert!(!agent.network && agent.env.is_empty() && agent.read.is_empty() && agent.write.is_empty());
    let other = ExternalConfig {
        name: ExternalName::parse("Other_2").unwrap(),
        command: ExternalCommand {
            program: Program::At(UserPath::Home("bin/other".to_owned())),
            arguments: Vec::new(),
        },
        timeout_seconds: 1,
        silence_seconds: 0,
        env: words(&["API_KEY"]),
        network: true,
        read: vec![
            UserPath::Home(".config/other".to_owned()),
            UserPath::Absolute("/opt/other".to_owned()),
        ],
        write: vec![
            UserPath::Home(".cache/other".to_owned()),
            UserPath::writable("node_modules").unwrap(),
        ],
    };
    assert_eq!(config.external, [agent, other]);
    assert_eq!(config.external("Other_2").unwrap().timeout_seconds, 1);
    assert_eq!(config.external("other_2"), None);
}

#[test]
fn names_are_one_safe_segment() {
    let long = "n".repeat(64);
    for name in ["a", "claude", "My_Agent-2", "_x", "9lives", "com10", "console", &long] {
        assert_eq!(ExternalName::parse(name).unwrap().as_str(), name);
        assert_eq!(
            load(&format!("[external.{name}]\ncommand = ['x']\n")).external[0]
                .name
                .to_string(),
            name
        );
    }
    let longer = "n".repeat(65);
    for (name, why) in [
        ("", "letters"),
        ("a.b", "letters"),
        ("../x", "letters"),
        ("a/b", "letters"),
        ("a b", "letters"),
        ("-x", "letters"),
        ("naïve", "letters"),
        ("\u{202e}x", "letters"),
        ("con", "device"),
        ("NUL", "device"),
        ("Lpt9", "device"),
        (&longer, "64 characters"),
    ] {
        assert!(ExternalName::parse(name).unwrap_err().contains(why), "{name:?}");
        if name.starts_with('\u{202e}') {
            // Of no use in a key of a file: it is refused as a character.
            continue;
        }
        let error = refused(&format!("[external.'{name}']\ncommand = ['x']\n"));
        let kind = &error.faults()[0].kind;
        assert!(kind.to_string().contains(why), "{name:?}: {kind}");
    }
    // A point in a bare name is a table within a table.
    assert!(matches!(
        refused("[external.a.b]\ncommand = ['x']\n").faults()[0].kind,
        FaultKind::Missing { field: "command", .. }
    ));
}

#[test]
fn no_two_names_fold_alike() {
    let error = refused("[external.Guard]\ncommand = ['x']\n[external.guard]\ncommand = ['y']\n");
    assert_eq!((error.faults().len(), error.faults()[0].place.line), (1, 3));
    assert!(error.plain().contains("letter case only"), "{}", error.plain());
    // TOML's own rule.
    let error = refused("[external.a]\ncommand = ['x']\n[external.a]\ncommand = ['y']\n");
    assert!(matches!(error.faults()[0].kind, FaultKind::Syntax { .. }));
}

#[test]
fn a_command_is_a_program_and_words() {
    for (command, why) in [
        ("[]", "at least one item"),
        ("['']", "blank"),
        ("[' ', 'x']", "blank"),
        ("['agent --headless']", "an entry of its own"),
        ("['./agent']", "looked up on PATH"),
        ("['bin/agent']", "looked up on PATH"),
        ("['../agent']", "looked up on PATH"),
        ("['/']", "whole machine"),
        ("['/srv/../agent']", "`..`"),
        ("['~']", "whole home folder"),
        ("['~bob/agent']", "your own home folder"),
        ("['/proc/self/exe']", "/proc"),
        ("[\"a\\u0000b\"]", "NUL"),
        ("['agent', \"a\\u0000b\"]", "NUL"),
        ("'agent'", "a list"),
        ("['agent', 1]", "a text"),
        ("{a = 1}", "a list"),
    ] {
        let error = refused(&format!("[external.x]\ncommand = {command}\n"));
        let told = error.faults()[0].to_string();
        assert!(
            told.contains(why) && told.contains("external.x.command"),
            "{command}: {told}"
        );
    }
    assert!(matches!(
        refused("[external.x]\nnetwork = true\n").faults()[0].kind,
        FaultKind::Missing { field: "command", .. }
    ));
    let many = vec!["'x'"; 257].join(",");
    assert!(
        refused(&format!("[external.x]\ncommand = [{many}]\n"))
            .plain()
            .contains("256 entries")
    );
    assert_eq!(ExternalCommand::of_words(&[]).unwrap_err().0, 0);
    let at = load("[external.x]\ncommand = ['/opt//agent/bin/run', '-v']\n");
    assert_eq!(
        at.external[0].command.program,
        Program::At(UserPath::Absolute("/opt/agent/bin/run".to_owned()))
    );
}

#[test]
fn numbers_are_bounded_and_values_typed() {
    let with = |key: &str, value: &str| {
        load_host_config(
            "host.toml",
            format!("[external.x]\ncommand = ['x']\n{key} = {value}\n").as_bytes(),
        )
    };
    for (key, least, most) in [("timeout_seconds", 1, 86_400), ("silence_seconds", 0, 86_400_i64)] {
        assert!(with(key, &least.to_string()).is_ok() && with(key, &most.to_string()).is_ok());
        for beyond in [least - 1, most + 1, i64::MIN] {
            let error = with(key, &beyond.to_string()).unwrap_err();
            assert!(
                matches!(error.faults()[0].kind, FaultKind::OutOfRange { .. }),
                "{key} = {beyond}"
            );
        }
    }
    for key in ["timeout_seconds", "silence_seconds", "env", "network", "read", "write"] {
        for wrong in ["'1'", "1.0", "[1]", "2026-01-01"] {
            let error = with(key, wrong).unwrap_err();
            assert!(
                matches!(error.faults()[0].kind, FaultKind::WrongType { .. }),
                "{key} = {wrong}"
            );
        }
    }
    for (key, value, why) in [
        ("env", "['A=b']", "a variable's name"),
        ("read", "['src']", "absolute path"),
        ("write", "['.git/hooks']", "never opened for writing"),
        ("write", "['a', 'a']", "twice"),
    ] {
        assert!(with(key, value).unwrap_err().plain().contains(why), "{key} = {value}");
    }
}

#[test]
fn a_file_declares_so_many() {
    let of = |count: usize| {
        (0..count).fold(String::new(), |text, i| {
            text + &format!("[external.x{i}]\ncommand = ['x']\n")
        })
    };
    assert_eq!(load(&of(MOST_EXTERNALS)).external.len(), MOST_EXTERNALS);
    let error = refused(&of(MOST_EXTERNALS + 1));
    assert_eq!(error.faults().len(), 1);
    assert!(error.plain().contains("64 external coders"), "{}", error.plain());
}

#[test]
fn how_it_is_told() {
    let text = "[external]\ncommand = ['x']\n[external.a]\ncomand = ['x']\n[external.B]\ncommand = ['./x']\nsilence_second = 4\n[external.b]\n[external.'a/b']\n";
    insta::assert_snapshot!(refused(text).plain(), @r#"
    host.toml:2:11: error[SCHEMA]: `external.command` must be a table, not a list
      help: write `key = value` lines below its name in brackets
    host.toml:3:1: error[SCHEMA]: the field `command` is missing in the table (`external.a`)
      help: add `command`
    host.toml:4:1: error[SCHEMA]: the table (`external.a`) has no field `comand`
      help: did you mean `command`?
    host.toml:6:12: error[SCHEMA]: `external.B.command` cannot be `./x`: a program is a name that is looked up on PATH, an absolute path, or one that begins with `~/`
      help: correct or remove the entry
    host.toml:7:1: error[SCHEMA]: the table (`external.B`) has no field `silence_second`
      help: did you mean `silence_seconds`?
    host.toml:8:11: error[SCHEMA]: `external.NAME` cannot be `b`: another one differs from it in letter case only
      help: correct or remove the entry
    host.toml:9:11: error[SCHEMA]: `external.NAME` cannot be `a/b`: a name is of letters (a-z, A-Z), digits, `-` and `_`, and does not start with `-`
      help: correct or remove the entry
    "#);
}
