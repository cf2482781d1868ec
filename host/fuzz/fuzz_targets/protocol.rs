//! Protocols: what comes with a repository is a protocol, or an error that is fit to be printed; and any protocol resolves, or says why not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snodo_config::protocol::load_protocol;
use snodo_config::resolve::{QUALITY, in_one_line, resolve, unknown_types};
use snodo_config::{Warning, plain_warnings};

#[path = "../support/faults.rs"]
mod faults;
#[path = "../support/printed.rs"]
mod printed;

fuzz_target!(|data: &[u8]| {
    let loaded = match load_protocol("protocol.yml", data) {
        Ok(loaded) => loaded,
        Err(error) => return faults::check(error),
    };
    assert_eq!(loaded.digest, blake3::hash(data).to_hex().as_str());
    let protocol = &loaded.protocol;
    // WF1: a run can start, and every transition arrives.
    assert!(protocol.mode(&protocol.initial_mode).is_some());
    check_warnings(&loaded.warnings);
    let known = ["scope", "secrets", "mock", QUALITY];
    check_warnings(&unknown_types(protocol, &known));
    let modes = protocol.modes.iter().map(|mode| Some(mode.mode_id.as_str()));
    for mode in modes.take(8).chain([None, Some(""), Some("no such mode")]) {
        match resolve(protocol, mode, &known) {
            Ok(run) => {
                assert_eq!(run.mode.id, mode.unwrap_or(&protocol.initial_mode));
                for validator in &run.validators {
                    assert!(protocol.validator(&validator.id).is_some());
                    assert!(
                        known.contains(&validator.validator_type.as_str()),
                        "{}",
                        validator.validator_type
                    );
                }
                if let Some(line) = in_one_line(&run.notices) {
                    printed::check(&line, 4000);
                }
            }
            Err(error) => {
                assert!(!error.refusals().is_empty());
                printed::check_lines(&error.to_string(), 8000);
                for refusal in error.refusals() {
                    printed::check_lines(&format!("{refusal}\n{}", refusal.help()), 8000);
                }
            }
        }
    }
});

fn check_warnings(warnings: &[Warning]) {
    printed::check_lines(&plain_warnings("protocol.yml", warnings), (warnings.len() + 1) * 8000);
}
