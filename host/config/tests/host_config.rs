//! `host.toml`.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use snodo_config::host_config::{
    HostConfig, Limits, ReadConfig, RunnerConfig, SandboxConfig, SandboxPolicy, ScratchConfig, SearchConfig,
    SubmitConfig, UserPath, load_host_config,
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

#[test]
fn nothing_is_the_standard() {
    assert_eq!(load(""), HostConfig::standard());
    let empty = "# nothing\n[limits]\n[runner]\n[sandbox]\n[external]\n[read]\n[search]\n[submit]\n[scratch]\n";
    assert_eq!(load(empty), HostConfig::standard());
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
judge_timeout_seconds = 9
calls = 0

[sandbox]
policy = "best-effort"
network = true
git = true
read = ["/opt/tools/", "~/.m2"]
write = ["target", "~/.cargo/registry", "/srv//cache"]
processes = 16
file_mib = 1
open_files = 64

[read]
deny = ["*.pem", "vault/**"]
allow_ignored = ["generated/*.rs"]
file_mib = 3
lines_mib = 1
scan_mib = 2
batch_paths = 4
batch_mib = 5

[search]
results = 1
answer_mib = 2
line_bytes = 40
context_lines = 0
pattern_bytes = 16

[submit]
file_mib = 2
pending_mib = 3
pending_paths = 4
call_operations = 5

[scratch]
total_mib = 6
entries = 7
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
    let expected = RunnerConfig {
        env: vec!["CARGO_HOME".to_owned(), "_x1".to_owned()],
        timeout_seconds: 8,
        judge_timeout_seconds: 9,
        calls: 0,
    };
    assert_eq!(config.runner, expected);
    // A validator that may run the tests can do so once at least.
    assert_eq!(
        (config.runner.judge_calls(), RunnerConfig::standard().judge_calls()),
        (1, 12)
    );
    let expected = SandboxConfig {
        policy: SandboxPolicy::BestEffort,
        network: true,
        git: true,
        read: vec![
            UserPath::Absolute("/opt/tools".to_owned()),
            UserPath::Home(".m2".to_owned()),
        ],
        write: vec![
            UserPath::writable("target").unwrap(),
            UserPath::Home(".cargo/registry".to_owned()),
            UserPath::Absolute("/srv/cache".to_owned()),
        ],
        processes: 16,
        file_mib: 1,
        open_files: 64,
    };
    assert_eq!(config.sandbox, expected);
    let expected = ReadConfig {
        deny: vec!["*.pem".to_owned(), "vault/**".to_owned()],
        allow_ignored: vec!["generated/*.rs".to_owned()],
        file_mib: 3,
        lines_mib: 1,
        scan_mib: 2,
        batch_paths: 4,
        batch_mib: 5,
    };
    assert_eq!(config.read, expected);
    let expected = SearchConfig {
        results: 1,
        answer_mib: 2,
        line_bytes: 40,
        context_lines: 0,
        pattern_bytes: 16,
    };
    assert_eq!(config.search, expected);
    let expected = SubmitConfig {
        file_mib: 2,
        pending_mib: 3,
        pending_paths: 4,
        call_operations: 5,
    };
    assert_eq!(config.submit, expected);
    let expected = ScratchConfig {
        total_mib: 6,
        entries: 7,
    };
    assert_eq!(config.scratch, expected);
    let limits = config.limits.invocation();
    assert_eq!(
        (limits.memory_bytes, limits.compute_ms, limits.total_ms),
        (1 << 20, 2000, 3000)
    );
    assert_eq!((limits.host_calls, limits.call_bytes), (4, 5 << 20));
    assert_eq!((limits.read_bytes, limits.submit_bytes), (6 << 20, 7 << 20));
}

#[test]
fn unknown_keys_name_the_nearest() {
    for (text, expected) in [
        ("[limit]\n", Some("limits")),
        ("[limits]\nmemory-mib = 3\n", Some("memory_mib")),
        ("[runner]\ntimout_seconds = 3\n", Some("timeout_seconds")),
        ("[runner]\njudge_timeout = 3\n", None),
        ("[sand-box]\n", Some("sandbox")),
        ("[sandbox]\npolice = 'off'\n", Some("policy")),
        ("[sandbox]\nopenfiles = 9\n", Some("open_files")),
        ("[externals.x]\n", Some("external")),
        ("[read]\ncolour = 3\n", None),
        ("[read]\nfiles_mib = 3\n", Some("file_mib")),
        ("[search]\nresult = 3\n", Some("results")),
        ("[submit]\npending_path = 3\n", Some("pending_paths")),
        ("[scratch]\nentrys = 3\n", Some("entries")),
        ("[workspace]\n", None),
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
        ("[sandbox]\nread = ['target']\n", "absolute path"),
        ("[sandbox]\nread = ['/']\n", "whole machine"),
        ("[sandbox]\nread = ['/a', '/a/']\n", "twice"),
        ("[sandbox]\nwrite = ['.git']\n", "never opened for writing"),
        ("[sandbox]\nwrite = ['.']\n", "whole workspace"),
        ("[sandbox]\nwrite = ['target', './target/']\n", "twice"),
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
fn the_policy_is_one_of_three_words() {
    for (word, policy) in SandboxPolicy::WORDS.iter().zip(SandboxPolicy::ALL) {
        assert_eq!(load(&format!("[sandbox]\npolicy = '{word}'\n")).sandbox.policy, *policy);
        assert_eq!(policy.as_str(), *word);
    }
    for (wrong, near) in [
        ("Required", Some("required")),
        ("best_effort", Some("best-effort")),
        ("none", None),
    ] {
        let error = refused(&format!("[sandbox]\npolicy = '{wrong}'\n"));
        assert!(
            matches!(&error.faults()[0].kind, FaultKind::NotOneOf { nearest, .. } if *nearest == near),
            "{wrong}: {}",
            error.plain()
        );
    }
}

#[test]
fn values_of_another_type() {
    for key in [
        "runner.env",
        "sandbox.policy",
        "sandbox.network",
        "sandbox.git",
        "sandbox.read",
        "sandbox.write",
        "read.deny",
        "read.allow_ignored",
        "limits",
        "runner",
        "sandbox",
        "external",
        "read",
        "search",
        "submit",
        "scratch",
    ] {
        for wrong in ["1", "1.5", "[1]", "2026-01-01"] {
            let error = refused(&format!("{key} = {wrong}\n"));
            assert!(
                matches!(&error.faults()[0].kind, FaultKind::WrongType { field, .. } if field.starts_with(key)),
                "{key} = {wrong}: {}",
                error.plain()
            );
        }
    }
    // `true` and `false`, and no words for them.
    for wrong in ["'true'", "'yes'", "1", "0"] {
        let error = refused(&format!("[sandbox]\nnetwork = {wrong}\n"));
        assert!(matches!(error.faults()[0].kind, FaultKind::WrongType { .. }), "{wrong}");
    }
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
fn how_a_sandbox_is_told() {
    let text = "sandbox = 'off'\n[runner]\nenv = 'HOME'\ncalls = 1001\n[scratch]\nentries = '9'\n";
    insta::assert_snapshot!(refused(text).plain(), @r#"
    host.toml:1:11: error[SCHEMA]: `sandbox` must be a table, not a text (`off`)
      help: write `key = value` lines below its name in brackets
    host.toml:3:7: error[SCHEMA]: `runner.env` must be a list, not a text (`HOME`)
      help: write `[item, …]`, or in YAML `- item` lines below it
    host.toml:4:9: error[SCHEMA]: `runner.calls` must be a whole number from 0 to 1000, not 1001
      help: choose a value within these bounds
    host.toml:6:11: error[SCHEMA]: `scratch.entries` must be a whole number, not a text (`9`)
      help: write a number, without quotes or fraction
    "#);
    let text = "[sandbox]\npolicy = 'of'\nnetwork = 'yes'\nread = ['cache', '~', '/srv/*']\nwrite = ['/proc/x', 'a/.GIT', '$HOME/x']\n";
    insta::assert_snapshot!(refused(text).plain(), @r#"
    host.toml:2:10: error[SCHEMA]: `sandbox.policy` cannot be `of`
      help: did you mean `off`?
    host.toml:3:11: error[SCHEMA]: `sandbox.network` must be true or false, not a text (`yes`)
      help: write `true` or `false`
    host.toml:4:9: error[SCHEMA]: `sandbox.read` cannot be `cache`: give an absolute path, or one that begins with `~/`
      help: correct or remove the entry
    host.toml:4:18: error[SCHEMA]: `sandbox.read` cannot be `~`: it would open the whole home folder, with its keys: name what is needed
      help: correct or remove the entry
    host.toml:4:23: error[SCHEMA]: `sandbox.read` cannot be `/srv/*`: paths are literal, without wildcards: name the folder itself
      help: correct or remove the entry
    host.toml:5:10: error[SCHEMA]: `sandbox.write` cannot be `/proc/x`: the machine's `/proc` shows other programs' secrets: a program has its own
      help: correct or remove the entry
    host.toml:5:21: error[SCHEMA]: `sandbox.write` cannot be `a/.GIT`: `.git` and `.snodo` are never opened for writing
      help: correct or remove the entry
    host.toml:5:31: error[SCHEMA]: `sandbox.write` cannot be `$HOME/x`: variables are not filled in: write the path out, or begin it with `~/`
      help: correct or remove the entry
    "#);
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
