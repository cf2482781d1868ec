//! A bound that is reached ends the observation, and all that was started; it is no verdict.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{execution, test};
use crate::support::finished::said;
use crate::support::machine::{Without, has_program};
use crate::support::script::{answers, steps};
use crate::support::{Sandbox, guest};

/// Ways to outlive a parent, each ticking in a folder as long as `go` stands there; then it waits for ever.
fn outlives(ticks: &std::path::Path) -> String {
    format!(
        "cd {0}; tick() {{ while test -e go; do echo x >> $1; sleep 0.1; done; }}; \
         (trap '' TERM HUP INT; tick deaf) & \
         setsid sh -c 'while test -e go; do echo x >> session; sleep 0.1; done' & \
         (setsid sh -c '(while test -e go; do echo x >> double; sleep 0.1; done) & exit' & exit); \
         while ! (test -e deaf && test -e session && test -e double); do sleep 0.05; done; ",
        ticks.display()
    )
}

struct Ticks(std::path::PathBuf);

impl Ticks {
    const NAMES: [&str; 3] = ["deaf", "session", "double"];

    fn sizes(&self) -> [u64; 3] {
        Self::NAMES.map(|name| self.0.join(name).metadata().map_or(0, |meta| meta.len()))
    }

    fn began(&self) -> bool {
        self.sizes().iter().all(|size| *size > 0)
    }

    fn go_on(&self) -> [bool; 3] {
        let before = self.sizes();
        std::thread::sleep(Duration::from_millis(600));
        let after = self.sizes();
        std::array::from_fn(|n| before[n] != after[n])
    }

    fn clear(&self) {
        let _ = std::fs::remove_file(self.0.join("go"));
        std::thread::sleep(Duration::from_millis(400));
        for name in Self::NAMES {
            let _ = std::fs::remove_file(self.0.join(name));
        }
        std::fs::write(self.0.join("go"), "").unwrap();
    }
}

#[test]
fn d01_everything_that_was_started_is_ended_with_it() {
    if !has_program("setsid") {
        return;
    }
    let sandbox = Sandbox::git();
    let folder = sandbox.path().join("ticks");
    std::fs::create_dir(&folder).unwrap();
    let ticks = Ticks(folder.clone());
    let sandbox = sandbox.host_toml(&format!(
        "[runner]\njudge_timeout_seconds = 3\n[sandbox]\nwrite = [{}]\n",
        json!(folder)
    ));

    ticks.clear();
    let mut plain = std::process::Command::new("sh")
        // In its own place, so that nothing of the control itself is left when it is ended.
        .args(["-c", &(outlives(&folder) + "exec sleep 600")])
        .spawn()
        .unwrap();
    while !ticks.began() {
        std::thread::sleep(Duration::from_millis(20));
    }
    plain.kill().unwrap();
    plain.wait().unwrap();
    assert_eq!(
        ticks.go_on(),
        [true; 3],
        "the control: ending the child alone ends none of them"
    );

    for without in [None, Some(Without::Namespaces)] {
        if without.is_some() && !sandbox.contains_in("plain", without) {
            continue;
        }
        // It reaches its bound; it ends, and leaves them behind; it ends, and they hold its output.
        for (end, bound) in [("sleep 600", true), ("exit 0", false)] {
            ticks.clear();
            let started = Instant::now();
            let command = outlives(&folder) + end;
            let arguments = ["anything", "--mock", "--dry-run", "--test-command", &command];
            let finished = match without {
                None => sandbox.run(&arguments),
                Some(without) => sandbox.run_without(without, &arguments),
            };
            assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
            assert!(ticks.began(), "they never ticked: {finished:#?}");
            assert_eq!(ticks.go_on(), [false; 3], "{without:?}, `{end}`: {finished:#?}");
            let report = finished.json();
            assert_eq!(execution(&report)["left_running"], json!([]));
            if bound {
                finished.ended(3, "validator_error", Some("validator_error"));
                assert_eq!(execution(&report)["exit"], "wall-clock");
                let quality = said(&report, "post_execute", "quality");
                assert_eq!(quality["error"], true, "a bound is no verdict: {quality:#}");
            } else {
                finished.completed();
            }
            sandbox.assert_nothing_is_left();
        }
    }
    std::fs::remove_file(folder.join("go")).unwrap();
}

#[test]
fn a_coder_is_told_that_the_bound_was_reached_and_goes_on() {
    let sandbox = Sandbox::git().host_toml("[runner]\ntimeout_seconds = 1\n");
    let task = steps(json!([
        { "do": "run-tests", "path": null },
        { "do": "submit-files", "operations": [{ "write": "done", "text": "" }] },
        { "do": "run-tests", "path": null },
    ]));
    let probe = guest("guest_probe");
    let command = "echo begun; test -e done || sleep 600";
    let report = sandbox
        .run(&[&task, "--coder", &probe, "--test-command", command])
        .completed();
    let answers = answers(&report);
    assert_eq!(answers[0]["ok"]["exit"], json!({ "bound": "wall-clock" }));
    assert_eq!(
        answers[0]["ok"]["stdout"]["head"], "begun\n",
        "what came by then is kept"
    );
    assert_eq!(answers[2]["ok"]["exit"], json!({ "code": 0 }));
    assert_eq!(report["runner"][0]["exit"], "wall-clock");
    sandbox.assert_nothing_is_left();
}

#[test]
fn a_shorter_time_of_the_protocols_is_kept_and_a_longer_one_is_not() {
    let protocol = |seconds: u32| {
        crate::support::protocol::simple("").replace(
            "validators: [look]\nvalidators:\n",
            &format!(
                "validators: [look, tests]\nvalidators:\n  - validator_id: tests\n    validator_type: quality\n    \
                 evaluation_phase: post_execute\n    tooling: {{ test_command: sleep 600, timeout: {seconds} }}\n"
            ),
        )
    };
    let judge = guest("guest_judge");
    for (protocol, host) in [(protocol(1), 300), (protocol(3_000), 1)] {
        let sandbox = Sandbox::git()
            .with(".snodo/protocol.yml", protocol)
            .host_toml(&format!("[runner]\njudge_timeout_seconds = {host}\n"));
        let started = Instant::now();
        let report = sandbox.run(&["anything", "--mock", "--validator", &judge]).ended(
            3,
            "validator_error",
            Some("validator_error"),
        );
        assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
        assert_eq!(execution(&report)["exit"], "wall-clock");
    }
}

#[test]
fn what_it_takes_of_the_machine_is_bounded() {
    let sandbox = Sandbox::git().host_toml("[sandbox]\nfile_mib = 1\nopen_files = 64\n");
    let command = "head -c 3000000 /dev/zero > large; test $(wc -c < large) -le 1048576 && test $(ulimit -n) = 64 && test $(ulimit -c) = 0";
    test(&sandbox, command, &[]).completed();
    // The control: the user's own bounds are wider.
    let sandbox = Sandbox::git();
    let report = test(&sandbox, command, &[]).ended(1, "blocker", Some("blocked"));
    assert_eq!(execution(&report)["exit"], json!({ "code": 1 }));
}
