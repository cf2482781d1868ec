//! Programs that print a key: the user's, and nobody else's.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use snodo_provider::{Wire, script};

use crate::support::machine::processes_naming;
use crate::world::{KEY, PATCH, World, not_judged};

fn program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
}

fn configure(world: &World, command: &str) {
    let block = world.provider_block("stub", Wire::OpenAi);
    let block = block.replace("api_key_env: STUB_KEY", &format!("api_key_ref: 'command:{command}'"));
    world.config(&format!("model: stub/m\n{block}"));
}

#[test]
fn a_program_of_the_workspace_is_never_run_for_a_key() {
    let world = World::new(script::run("pass", &[]));
    let trace = world.sandbox.path().join("it-ran");
    let script = format!("touch '{}'; echo {KEY}", trace.display());
    program(&world.sandbox.workspace().join("show-key"), &script);
    for command in ["./show-key", "show-key", "workspace/../show-key"] {
        configure(&world, command);
        let mut run = world.sandbox.command(&["run", "--json", "--coder", "patch", PATCH]);
        let path = std::env::var("PATH").unwrap();
        run.env("PATH", format!(".::{path}"));
        let report = world.finish(run).ended(3, "validator_error", Some("validator_error"));
        let why = not_judged(&report, "pre_execute", "plan");
        assert!(why.contains("no model client: ") && why.contains("show-key"), "{why}");
        assert!(!trace.exists(), "{command}");
    }
    assert_eq!(world.provider.connections(), 0);
    // The control: it is one that works, where the user names it as their own.
    configure(&world, world.sandbox.workspace().join("show-key").to_str().unwrap());
    world.run_with(&["--coder", "patch", PATCH], &[]).completed();
    assert!(trace.exists());
    let expected = format!("Bearer {KEY}");
    assert_eq!(
        world.provider.requests()[0].header("authorization"),
        Some(expected.as_str())
    );
}

#[test]
fn a_program_that_prints_no_key_is_ended_with_the_run_and_all_that_it_started() {
    let world = World::new(script::run("pass", &[]));
    let path = world.sandbox.path().join("waits-for-ever");
    let mark = world.sandbox.path().join("it-waits");
    program(
        &path,
        &format!("sh -c 'touch {0}; sleep 600; : {0}' & wait", mark.display()),
    );
    configure(&world, path.to_str().unwrap());
    let running = world.start(&["--coder", "patch", PATCH]);
    let until = Instant::now() + Duration::from_mins(1);
    while !mark.exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.signal(Signal::INT);
    let (finished, took) = running.finish();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!([64, 130].contains(&finished.code), "{finished:#?}");
    assert!(finished.stdout.contains("interrupted"), "{finished:#?}");
    // The end of a process that was killed is seen a moment later.
    let own = mark.to_str().unwrap();
    let until = Instant::now() + Duration::from_secs(5);
    while !processes_naming(own).is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(processes_naming(own), [] as [String; 0]);
    assert_eq!(world.provider.connections(), 0);
}
