//! How a coder that is a program comes to its end: by itself, badly, too late, or never.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{program, run};
use crate::support::finished::changes;
use crate::support::machine::Without;
use crate::support::{Sandbox, machine};

/// A coder of `host.toml` with bounds that are reached soon.
fn bounded(script: &str, bounds: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    let path = sandbox.path().join("slow.sh");
    std::fs::write(&path, script).unwrap();
    let command = json!(["sh", path]);
    sandbox.host_toml(&format!("[external.slow]\ncommand = {command}\n{bounds}\n"))
}

/// Runs it; it takes no longer than its bound and what a slow machine adds.
#[track_caller]
fn run_bounded(sandbox: &Sandbox) -> crate::support::Finished {
    let started = Instant::now();
    let finished = sandbox.run(&["do it", "--coder", "slow"]);
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
    sandbox.assert_nothing_is_left();
    finished
}

/// What was left when it was ended is judged, and applied; and it is said that it did not come to its end.
#[track_caller]
fn judged_and_flagged(report: &Value, words: &str) {
    assert_eq!(report["coder"]["cut_short"], true, "{report:#}");
    assert!(report["coder"]["error"].as_str().unwrap().contains(words), "{report:#}");
    assert_eq!(changes(report), ["added half.txt"]);
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("the coder `") && warnings.contains("did not come to its end"),
        "{warnings}"
    );
    assert!(warnings.contains(words), "{warnings}");
}

#[test]
fn a_bad_exit_with_nothing_written_is_a_fault_of_the_coder() {
    for (script, words, exit) in [
        ("exit 3", "exited with 3", json!({ "code": 3 })),
        ("kill -9 $$", "was ended by signal 9", json!({ "signal": 9 })),
        ("kill -TERM $$", "was ended by signal 15", json!({ "signal": 15 })),
    ] {
        let report = run(&Sandbox::git(), script, &[]).ended(4, "environment_error", Some("execution_error"));
        let reason = report["reason"].as_str().unwrap();
        assert_eq!(reason, format!("the coder `mine` failed: {words}"));
        assert_eq!(report["coder"]["execution"]["exit"], exit);
        assert!(
            report["gates"]
                .as_array()
                .unwrap()
                .iter()
                .all(|gate| gate["phase"] == "pre_execute"),
            "nothing was judged"
        );
    }
}

#[test]
fn a_bad_exit_with_work_is_judged_and_flagged() {
    let sandbox = Sandbox::git();
    let report = run(&sandbox, "echo half > half.txt; exit 3", &[]).completed();
    judged_and_flagged(&report, "exited with 3");
    assert_eq!(sandbox.read("half.txt"), "half\n");
}

#[test]
fn one_that_hangs_is_ended_at_its_time() {
    // It prints all the while: silence is not what ends it.
    let hangs = "while true; do echo still here; sleep 0.2; done";
    let report = run_bounded(&bounded(hangs, "timeout_seconds = 2"));
    let report = report.ended(4, "environment_error", Some("timed_out"));
    assert_eq!(
        report["reason"],
        "the coder `slow` failed: did not come to an end within 2 s, and was stopped; the last line that it printed: still here"
    );
    assert_eq!(report["coder"]["execution"]["exit"], "wall-clock");

    let sandbox = bounded(&format!("echo half > half.txt; {hangs}"), "timeout_seconds = 2");
    judged_and_flagged(&run_bounded(&sandbox).completed(), "did not come to an end within 2 s");
    assert_eq!(sandbox.read("half.txt"), "half\n");
}

#[test]
fn one_that_is_silent_is_ended_before_its_time() {
    let silent = "exec sleep 600";
    let report = run_bounded(&bounded(silent, "silence_seconds = 2"));
    let report = report.ended(4, "environment_error", Some("timed_out"));
    assert_eq!(
        report["reason"],
        "the coder `slow` failed: printed nothing for 2 s, and was stopped"
    );
    assert_eq!(report["coder"]["execution"]["exit"], "silence");

    let sandbox = bounded(
        &format!("echo half > half.txt; echo begun; {silent}"),
        "silence_seconds = 2",
    );
    judged_and_flagged(&run_bounded(&sandbox).completed(), "printed nothing for 2 s");
}

#[test]
fn without_a_bound_of_silence_it_may_be_silent() {
    let sandbox = bounded("sleep 3; echo x > a.txt", "silence_seconds = 0\ntimeout_seconds = 60");
    let report = run_bounded(&sandbox).completed();
    assert_eq!(changes(&report), ["added a.txt"]);
    // Whatever comes on either stream is a sign of life.
    let talks = "for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.7; done; echo x > a.txt";
    let report = run_bounded(&bounded(talks, "silence_seconds = 2")).completed();
    assert_eq!(report["coder"]["execution"]["exit"], json!({ "code": 0 }));
}

#[test]
fn one_that_ignores_to_be_asked_is_ended_all_the_same() {
    let deaf = "trap '' TERM INT HUP; while true; do sleep 0.2; done";
    let report = run_bounded(&bounded(deaf, "timeout_seconds = 1"));
    report.ended(4, "environment_error", Some("timed_out"));
}

/// Three ways to outlive one's parent; each ticks in a folder as long as `go` stands there.
const LEAVES_CHILDREN: &str = "\
    tick() { while test -e \"$1/go\"; do echo x >> \"$1/$2\"; sleep 0.1; done; }\n\
    (trap '' TERM HUP; tick \"$1\" deaf) &\n\
    setsid sh -c 'while test -e \"$1/go\"; do echo x >> \"$1/session\"; sleep 0.1; done' sh \"$1\" </dev/null >/dev/null 2>&1 &\n\
    (setsid sh -c '(while test -e \"$1/go\"; do echo x >> \"$1/double\"; sleep 0.1; done) &' sh \"$1\" &)\n\
    while ! { test -e \"$1/deaf\" && test -e \"$1/session\" && test -e \"$1/double\"; }; do sleep 0.05; done\n";

#[test]
fn what_it_leaves_running_is_ended_with_it() {
    if !machine::has_program("setsid") {
        return;
    }
    let sandbox = Sandbox::git();
    let ticks = sandbox.path().join("ticks");
    std::fs::create_dir(&ticks).unwrap();
    std::fs::write(ticks.join("go"), "").unwrap();
    let sizes = || ["deaf", "session", "double"].map(|name| ticks.join(name).metadata().map_or(0, |meta| meta.len()));
    let goes_on = || {
        let before = sizes();
        std::thread::sleep(Duration::from_millis(600));
        std::array::from_fn::<bool, 3, _>(|n| sizes()[n] != before[n])
    };

    // Without us: the script's end, and even its being killed, ends none of them.
    let mut plain = std::process::Command::new("sh");
    plain.args(["-c", LEAVES_CHILDREN, "sh"]).arg(&ticks);
    assert!(plain.status().unwrap().success());
    assert_eq!(goes_on(), [true; 3], "the control");
    std::fs::remove_file(ticks.join("go")).unwrap();
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(goes_on(), [false; 3], "the control has to end");
    for name in ["deaf", "session", "double"] {
        std::fs::remove_file(ticks.join(name)).unwrap();
    }

    for end in ["echo x > a.txt", "sleep 600"] {
        std::fs::write(ticks.join("go"), "").unwrap();
        let script = sandbox.path().join("slow.sh");
        std::fs::write(&script, format!("{LEAVES_CHILDREN}\n{end}\n")).unwrap();
        let config = format!(
            "[external.slow]\ncommand = {}\nwrite = [{}]\ntimeout_seconds = 5\n",
            json!(["sh", script, ticks]),
            json!(ticks)
        );
        std::fs::write(sandbox.path().join("config/snodo-host/host.toml"), config).unwrap();
        let finished = run_bounded(&sandbox);
        assert!(sizes().iter().all(|size| *size > 0), "they never ticked: {finished:#?}");
        assert_eq!(goes_on(), [false; 3], "after `{end}` something goes on: {finished:#?}");
        assert_eq!(finished.json()["coder"]["execution"]["left_running"], json!([]));
    }
}

#[test]
fn an_interrupt_ends_it_and_nothing_is_taken() {
    let sandbox = Sandbox::git();
    let before = sandbox.tree();
    let number = format!("600.{:06}", std::process::id());
    let program = program(&sandbox, &format!("echo half > half.txt; sleep {number}"));
    let running = sandbox.start(&["do it", "--external", &program]);
    let sleeping = format!("sleep {number}");
    let there = (0..3_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !machine::processes_naming(&sleeping).is_empty()
    });
    assert!(there, "it did not start");
    running.signal(Signal::INT);
    let (finished, took) = running.finish();
    assert!(took < Duration::from_secs(2), "it took {took:?}");
    finished.ended(130, "environment_error", Some("interrupted"));
    assert_eq!(machine::processes_naming(&sleeping), [] as [&str; 0]);
    assert_eq!(before, sandbox.tree());
    sandbox.assert_nothing_is_left();
}

#[test]
fn a_program_that_is_missing_is_found_out_before_anybody_judges() {
    let sandbox = Sandbox::git();
    let judge = crate::support::guest("guest_judge");
    std::fs::write(sandbox.path().join("no-program"), "echo x > a.txt\n").unwrap();
    let not_executable = format!("mine={}", sandbox.path().join("no-program").display());
    for (external, words) in [
        ("mine=no-such-program-here --yes", "`no-such-program-here`"),
        ("mine=/no/such/program", "`/no/such/program`"),
        (&not_executable, "cannot be executed"),
    ] {
        let report = sandbox
            .run(&["do it", "--external", external, "--validator", &judge])
            .ended(4, "environment_error", Some("environment_error"));
        assert_eq!((&report["gates"], &report["coder"]), (&json!([]), &Value::Null));
        let reason = report["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("the external coder `mine` cannot be run: ") && reason.contains(words),
            "{reason}"
        );
    }
}

#[test]
fn where_it_cannot_be_contained_it_does_not_work() {
    let sandbox = Sandbox::git();
    let program = program(&sandbox, "echo x > a.txt");
    let arguments = ["do it", "--dry-run", "--external", &program];
    let report = sandbox.run_without(Without::NamespacesAndLandlock, &arguments);
    let report = report.ended(4, "environment_error", Some("environment_error"));
    assert_eq!((&report["gates"], &report["coder"]), (&json!([]), &Value::Null));
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("this machine cannot keep a program from the files"),
        "{report:#}"
    );

    // The user may want it all the same; the workspace is not its own even then.
    for (without, policy, words) in [
        (
            Some(Without::NamespacesAndLandlock),
            "best-effort",
            "offers no boundary for",
        ),
        (None, "off", "the sandbox is off: programs run uncontained"),
    ] {
        let arguments = [&arguments[..], &["--sandbox", policy]].concat();
        let finished = match without {
            Some(without) => sandbox.run_without(without, &arguments),
            None => sandbox.run(&arguments),
        };
        let report = finished.completed();
        assert!(report["warnings"].to_string().contains(words), "{report:#}");
        assert_eq!(changes(&report), ["added a.txt"]);
        sandbox.assert_nothing_is_left();
    }
}
