//! The mock on a machine without a network.

use std::process::Command;

use serde_json::Value;
use snodo_provider::{Wire, script};

use crate::support::finished::said;
use crate::support::{Finished, skips};
use crate::world::{KEY, PATCH, World, ended, not_judged};

/// A protocol as snodo's `solo` has it, with judges before and after the coder and the tests after it.
const SOLO: &str = include_str!("../support/solo.yml");

/// The binary in a network namespace of its own, in which not even loopback is up; none where the machine makes none.
fn without_network(world: &World, arguments: &[&str]) -> Option<Finished> {
    let command = world.sandbox.command(arguments);
    let mut unshared = Command::new("unshare");
    unshared
        .args(["--map-root-user", "--net", "--"])
        .arg(command.get_program());
    unshared
        .args(command.get_args())
        .env_clear()
        .current_dir(world.sandbox.workspace());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            unshared.env(name, value);
        }
    }
    unshared.env("STUB_KEY", KEY);
    let there = Command::new("unshare")
        .args(["--map-root-user", "--net", "--", "cat", "/proc/net/route"])
        .output();
    match there {
        Ok(output) if output.status.success() => {
            // A line of headings at most: not one interface with a route.
            assert!(String::from_utf8(output.stdout).unwrap().lines().count() <= 1);
            Some(Finished::of(&unshared.output().unwrap()))
        }
        other => {
            skips::program("unshare", &format!("it makes no network namespace here: {other:?}"));
            None
        }
    }
}

#[test]
fn the_mock_needs_no_network_no_configuration_and_no_key() {
    let world = World::new(script::run("blocker", &[]));
    world.sandbox.put(".snodo/protocol.yml", SOLO);
    // Read, it would be refused; and a program that is to print a key would leave a trace.
    let trace = world.sandbox.path().join("asked-for-a-key");
    world.config(&format!(
        "providers: [[[ api_key_ref: 'command:touch {}'",
        trace.display()
    ));
    let Some(finished) = without_network(&world, &["run", "--json", "--mock", "Greet the world"]) else {
        return;
    };
    finished.check_against_the_schema();
    let report = finished.completed();
    for (phase, id) in [
        ("pre_execute", "security"),
        ("pre_execute", "architecture"),
        ("pre_execute", "meta-spec"),
        ("post_execute", "acceptance"),
    ] {
        let result = said(&report, phase, id);
        assert_eq!(
            (&result["severity"], &result["mock"]),
            (&"pass".into(), &true.into()),
            "{result:#}"
        );
    }
    // Tests are run all the same, and are no mock.
    let quality = said(&report, "post_execute", "quality");
    assert_eq!(
        (&quality["severity"], &quality["mock"]),
        (&"pass".into(), &false.into())
    );
    assert_eq!(report["classification"]["mock"], true);
    assert!(world.sandbox.exists("src/hello.py"), "{report:#}");
    assert!(!trace.exists());
    assert_eq!(world.provider.connections(), 0);
    // The control of the configuration: whoever does read it is told.
    let why = world.run(&["--coder", "patch", PATCH]).refused();
    assert!(why.contains("config.yml"), "{why}");
}

/// The control of the namespace: who does ask cannot.
#[test]
fn without_a_network_nobody_is_asked_and_nothing_passes() {
    let world = World::impatient(Wire::OpenAi, script::run("pass", &[]));
    let Some(finished) = without_network(&world, &["run", "--json", "--coder", "patch", PATCH]) else {
        return;
    };
    let report = finished.ended(3, "validator_error", Some("validator_error"));
    not_judged(&report, "pre_execute", "plan");
    assert_eq!(ended(&report, "validator"), "unavailable");
    assert_eq!(report["coder"], Value::Null);
    assert_eq!(world.provider.connections(), 0);
}
