//! `host.toml`: whatever it holds, it is a configuration within its bounds, or an error that is fit to be printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snodo_config::host_config::{HostConfig, load_host_config};

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
    for (at, name) in runner.env.iter().enumerate() {
        assert!(!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()));
        assert!(name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()), "{name:?}");
        assert!(!runner.env[..at].contains(name), "{name:?} twice");
    }
    for list in [&runner.env, &config.read.deny, &config.read.allow_ignored] {
        assert!(list.len() <= 256 && list.iter().all(|entry| entry.len() <= 4096));
    }
    for pattern in config.read.deny.iter().chain(&config.read.allow_ignored) {
        assert!(!pattern.trim().is_empty() && !pattern.starts_with('/') && !pattern.contains('\\'));
        assert!(pattern.split('/').all(|part| part != ".."), "{pattern:?}");
    }
}
