//! `host.toml`.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use snodo_config::host_config::{HostConfig, Limits, load_host_config};
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

#[test]
fn nothing_is_the_standard() {
    assert_eq!(load(""), HostConfig::standard());
    assert_eq!(load("# nothing\n[limits]\n[runner]\n[read]\n"), HostConfig::standard());
}

#[test]
fn every_key_arrives() {
    let config = load(
        r#"
[limits]
memory_mib = 1
compute_seconds = 2
total_seconds = 3
host_calls = 4
call_mib = 5
read_mib = 6
submit_mib = 7
compile_seconds = 8
compile_mib = 256
component_mib = 9
table_elements = 10
instances = 11
resource_handles = 16
stack_kib = 64
output_kib = 12
progress_lines = 0

[runner]
env = ["CARGO_HOME", "_x1"]
timeout_seconds = 8
calls = 0

[read]
deny = ["*.pem", "vault/**"]
allow_ignored = ["generated/*.rs"]
"#,
    );
    let expected = Limits {
        memory_mib: 1,
        compute_seconds: 2,
        total_seconds: 3,
        host_calls: 4,
        call_mib: 5,
        read_mib: 6,
        submit_mib: 7,
        compile_seconds: 8,
        compile_mib: 256,
        component_mib: 9,
        table_elements: 10,
        instances: 11,
        resource_handles: 16,
        stack_kib: 64,
        output_kib: 12,
        progress_lines: 0,
    };
    assert_eq!(config.limits, expected);
    assert_eq!((config.runner.timeout_seconds, config.runner.calls), (8, 0));
    assert_eq!(config.runner.env, ["CARGO_HOME", "_x1"]);
    assert_eq!(config.read.deny, ["*.pem", "vault/**"]);
    assert_eq!(config.read.allow_ignored, ["generated/*.rs"]);
    let limits = config.limits.invocation();
    assert_eq!(
        (limits.memory_bytes, limits.compute_ms, limits.total_ms),
        (1 << 20, 2000, 3000)
    );
    assert_eq!((limits.host_calls, limits.call_bytes), (4, 5 << 20));
    assert_eq!((limits.read_bytes, limits.submit_bytes), (6 << 20, 7 << 20));
}

#[test]
fn the_standard_is_within_its_own_bounds() {
    let Limits {
        memory_mib,
        compute_seconds,
        total_seconds,
        host_calls,
        call_mib,
        read_mib,
        submit_mib,
        compile_seconds,
        compile_mib,
        component_mib,
        table_elements,
        instances,
        resource_handles,
        stack_kib,
        output_kib,
        progress_lines,
    } = Limits::standard();
    let standard = HostConfig::standard();
    let text = format!(
        "[limits]\nmemory_mib = {memory_mib}\ncompute_seconds = {compute_seconds}\ntotal_seconds = {total_seconds}\n\
         host_calls = {host_calls}\ncall_mib = {call_mib}\nread_mib = {read_mib}\nsubmit_mib = {submit_mib}\ncompile_seconds = {compile_seconds}\n\
         compile_mib = {compile_mib}\ncomponent_mib = {component_mib}\ntable_elements = {table_elements}\n\
         instances = {instances}\nresource_handles = {resource_handles}\nstack_kib = {stack_kib}\noutput_kib = {output_kib}\nprogress_lines = {progress_lines}\n\
         [runner]\ntimeout_seconds = {}\ncalls = {}\n",
        standard.runner.timeout_seconds, standard.runner.calls
    );
    assert_eq!(load(&text), standard);
}

#[test]
fn numbers_are_bounded() {
    for (table, key, least, most) in [
        ("limits", "memory_mib", 1, 4096),
        ("limits", "compute_seconds", 1, 1800),
        ("limits", "total_seconds", 60, 86_400),
        ("limits", "host_calls", 1, 100_000_000),
        ("limits", "call_mib", 1, 256),
        ("limits", "read_mib", 1, 16_384),
        ("limits", "submit_mib", 1, 4096),
        ("limits", "compile_seconds", 1, 3600),
        ("limits", "compile_mib", 256, 65_536),
        ("limits", "component_mib", 1, 256),
        ("limits", "table_elements", 1, 100_000_000),
        ("limits", "instances", 1, 10_000),
        ("limits", "resource_handles", 16, 1_000_000),
        ("limits", "stack_kib", 64, 8192),
        ("limits", "output_kib", 1, 16_384),
        ("limits", "progress_lines", 0, 1_000_000),
        ("runner", "timeout_seconds", 1, 86_400),
        ("runner", "calls", 0, 1000),
    ] {
        let with = |n: i64| load_host_config("host.toml", format!("[{table}]\n{key} = {n}\n").as_bytes());
        assert!(with(least).is_ok() && with(most).is_ok(), "{key}");
        for beyond in [least - 1, most + 1, -1, i64::MAX, i64::MIN] {
            let error = with(beyond).unwrap_err();
            let kind = &error.faults()[0].kind;
            assert!(
                matches!(kind, FaultKind::OutOfRange { .. } | FaultKind::MoreThan { .. }),
                "{key} = {beyond}: {kind}"
            );
        }
        for wrong in ["'1'", "1.0", "true", "[1]", "2026-01-01"] {
            let error = refused(&format!("[{table}]\n{key} = {wrong}\n"));
            assert!(
                matches!(error.faults()[0].kind, FaultKind::WrongType { .. }),
                "{key} = {wrong}"
            );
        }
    }
}

#[test]
fn computing_is_part_of_the_whole() {
    let error = refused("[limits]\ncompute_seconds = 100\ntotal_seconds = 50\n");
    assert!(matches!(
        error.faults()[0].kind,
        FaultKind::MoreThan {
            value: 100,
            most: 50,
            ..
        }
    ));
    // Also against a default.
    let error = refused("[limits]\ntotal_seconds = 30\n");
    assert_eq!(error.faults()[0].place.line, 2);
}

#[test]
fn unknown_keys_name_the_nearest() {
    for (text, expected) in [
        ("[limit]\n", Some("limits")),
        ("[limits]\nmemory-mib = 3\n", Some("memory_mib")),
        ("[runner]\ntimout_seconds = 3\n", Some("timeout_seconds")),
        ("[read]\ncolour = 3\n", None),
        ("sandbox = 'off'\n", None),
    ] {
        let error = refused(text);
        assert!(
            matches!(&error.faults()[0].kind, FaultKind::UnknownKey { nearest, .. } if *nearest == expected),
            "{text}: {}",
            error.plain()
        );
    }
}

#[test]
fn lists_of_names_and_patterns() {
    for (text, why) in [
        ("[runner]\nenv = ['PATH=x']\n", "a variable's name"),
        ("[runner]\nenv = ['']\n", "a variable's name"),
        ("[runner]\nenv = ['1A']\n", "a variable's name"),
        ("[runner]\nenv = ['A', 'A']\n", "twice"),
        ("[read]\ndeny = ['/etc/x']\n", "from the workspace's root"),
        ("[read]\ndeny = ['a/../b']\n", "from the workspace's root"),
        ("[read]\nallow_ignored = [' ']\n", "blank"),
    ] {
        let error = refused(text);
        assert!(error.faults()[0].to_string().contains(why), "{text}: {}", error.plain());
    }
    let many: Vec<String> = (0..257).map(|i| format!("'V{i}'")).collect();
    assert!(
        refused(&format!("[runner]\nenv = [{}]\n", many.join(","))).faults()[0]
            .to_string()
            .contains("256")
    );
    assert!(
        refused(&format!("[read]\ndeny = ['{}']\n", "x".repeat(5000))).faults()[0]
            .to_string()
            .contains("4096")
    );
}

#[test]
fn what_is_no_toml() {
    for text in [
        "[limits\n",
        "a = = 1\n",
        "[limits]\nmemory_mib = 1\nmemory_mib = 2\n",
        "x = 'open\n",
        "\u{1b}[31m = 1\n",
    ] {
        let error = refused(text);
        assert!(
            matches!(
                error.faults()[0].kind,
                FaultKind::Syntax { .. } | FaultKind::ForbiddenCharacter { .. }
            ),
            "{text:?}: {}",
            error.plain()
        );
    }
    assert!(matches!(
        load_host_config("h", b"\xff").unwrap_err().faults()[0].kind,
        FaultKind::NotUtf8 { .. }
    ));
    assert!(matches!(
        refused(&"#".repeat(70_000)).faults()[0].kind,
        FaultKind::TooLarge { .. }
    ));
}

#[test]
fn how_it_is_told() {
    insta::assert_snapshot!(refused("[limits]\nmemory_mib = 8192\ncompute_second = 3\n[runner]\nenv = ['A', 'B=c']\n").plain(), @r#"
    host.toml:2:14: error[SCHEMA]: `limits.memory_mib` must be a whole number from 1 to 4096, not 8192
      help: choose a value within these bounds
    host.toml:3:1: error[SCHEMA]: the table (`limits`) has no field `compute_second`
      help: did you mean `compute_seconds`?
    host.toml:5:13: error[SCHEMA]: `runner.env` cannot be `B=c`: a variable's name is of letters, digits and `_`, and gives no value
      help: correct or remove the entry
    "#);
}
