//! `host.toml`: whatever it holds, it is a configuration within its bounds, or an error that is fit to be printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snodo_config::host_config::{
    ExternalConfig, ExternalName, HostConfig, MOST_EXTERNALS, Program, UserPath, load_host_config,
};

#[path = "../support/faults.rs"]
mod faults;
#[path = "../support/printed.rs"]
mod printed;

fuzz_target!(|data: &[u8]| {
    let name = "host.toml";
    match load_host_config(name, data) {
        Ok(config) => check(&config),
        Err(error) => faults::check(error),
    }
});

fn check(config: &HostConfig) {
    let limits = &config.limits;
    assert!((1..=4096).contains(&limits.memory_mib));
    assert!((1..=3600).contains(&limits.compute_seconds) && limits.compute_seconds <= limits.total_seconds);
    assert!(limits.total_seconds <= 86_400 && (1..=3600).contains(&limits.compile_seconds));
    assert!((1..=100_000_000).contains(&limits.host_calls));
    assert!((1..=256).contains(&limits.call_mib));
    assert!((1..=16_384).contains(&limits.read_mib));
    assert!((1..=4096).contains(&limits.submit_mib));
    // In bytes and milliseconds nothing overflows: that would panic here.
    let told = limits.invocation();
    assert_eq!(told.memory_bytes >> 20, u64::from(limits.memory_mib));
    let runner = &config.runner;
    assert!((1..=86_400).contains(&runner.timeout_seconds) && runner.calls <= 1000);
    assert!((1..=86_400).contains(&runner.judge_timeout_seconds) && runner.judge_calls() >= 1);
    variables(&runner.env);
    let sandbox = &config.sandbox;
    assert!((16..=1_000_000).contains(&sandbox.processes) && (64..=1 << 20).contains(&sandbox.open_files));
    assert!((1..=1 << 20).contains(&sandbox.file_mib));
    opened(&sandbox.read, &sandbox.write);
    externals(&config.external);
    // What can be submitted can be read back; in bytes nothing overflows.
    assert!(config.submit.submit_limits().file_bytes <= config.read.file_limits().whole_bytes);
    assert!(config.search.search_limits().results <= 10_000 && config.search.context_lines <= 20);
    assert_eq!(
        config.scratch.scratch_limits().bytes >> 20,
        u64::from(config.scratch.total_mib)
    );
    for list in [&runner.env, &config.read.deny, &config.read.allow_ignored] {
        assert!(list.len() <= 256 && list.iter().all(|entry| entry.len() <= 4096));
    }
    for pattern in config.read.deny.iter().chain(&config.read.allow_ignored) {
        assert!(!pattern.trim().is_empty() && !pattern.starts_with('/') && !pattern.contains('\\'));
        assert!(pattern.split('/').all(|part| part != ".."), "{pattern:?}");
    }
}

fn variables(names: &[String]) {
    for (at, name) in names.iter().enumerate() {
        assert!(!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()));
        assert!(name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()), "{name:?}");
        assert!(!names[..at].contains(name), "{name:?} twice");
    }
}

fn externals(externals: &[ExternalConfig]) {
    assert!(externals.len() <= MOST_EXTERNALS);
    for (at, external) in externals.iter().enumerate() {
        assert_eq!(ExternalName::parse(external.name.as_str()).as_ref(), Ok(&external.name));
        let folded = external.name.folds_like();
        assert!(externals[..at].iter().all(|other| other.name.folds_like() != folded));
        match &external.command.program {
            Program::OnPath(name) => assert!(!name.is_empty() && !name.contains(['/', '\0'])),
            Program::At(path) => opened(std::slice::from_ref(path), &[]),
        }
        assert!(
            external
                .command
                .arguments
                .iter()
                .all(|argument| !argument.contains('\0'))
        );
        assert!((1..=86_400).contains(&external.timeout_seconds) && external.silence_seconds <= 86_400);
        variables(&external.env);
        opened(&external.read, &external.write);
    }
}

/// Nothing of the workspace is among what may be read, nothing whole is opened, and what is said is what is meant.
fn opened(read: &[UserPath], write: &[UserPath]) {
    assert!(read.iter().all(|path| !matches!(path, UserPath::Workspace(_))));
    for path in read {
        assert_eq!(UserPath::readable(&path.to_string()).as_ref(), Ok(path));
    }
    for path in write {
        assert_eq!(UserPath::writable(&path.to_string()).as_ref(), Ok(path));
    }
    for path in read.iter().chain(write) {
        let text = path.to_string();
        let below = text.trim_start_matches("~/").trim_start_matches('/');
        assert!(
            !below.is_empty() && below.split('/').all(|part| !matches!(part, "" | "." | "..")),
            "{text:?}"
        );
    }
    for path in write {
        let text = path.to_string().to_ascii_lowercase();
        assert!(
            text.split('/').all(|part| part != ".git" && part != ".snodo"),
            "{text:?}"
        );
    }
}
