//! Each bound ends the plugin by its name, and the host and the next plugin go on (cases F02, F06).

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::attack;
use crate::support::finished::{plugin, results};
use crate::support::script::{answers, steps, write};
use crate::support::{Sandbox, guest};

/// Small, so that each is reached at once. Time is bounded in whole seconds.
const TIGHT: &str = "[limits]\nmemory_mib = 64\ncompute_seconds = 1\ntotal_seconds = 30\nhost_calls = 1000\ncall_mib = 1\nread_mib = 1\nsubmit_mib = 2\n";

/// A coder that reaches a bound, and then one that does not: the host goes on.
#[track_caller]
fn ends(task: &str, words: &str) -> Value {
    let sandbox = Sandbox::new().with("large.txt", "x".repeat(600_000)).host_toml(TIGHT);
    let report =
        sandbox
            .run(&[task, "--coder", &guest("guest_probe")])
            .ended(4, "environment_error", Some("limit_reached"));
    assert!(report["reason"].as_str().unwrap().contains(words), "{report:#}");
    let next = sandbox
        .run(&[&steps(json!([write("a.txt", "a\n")])), "--coder", &guest("guest_probe")])
        .completed();
    assert_eq!(next["applied"], true);
    report
}

#[test]
fn f06_memory_that_grows_is_ended_by_name() {
    let report = ends(
        &steps(json!([{ "do": "allocate", "bytes": 1_u64 << 32 }])),
        "memory limit 64 MiB reached",
    );
    let used = plugin(&report, "guest_probe")["usage"]["memory_bytes"]
        .as_u64()
        .unwrap();
    assert!(used <= 64 << 20, "{used}");
    // Control: outside, the same amount is there to be had.
    let held: Vec<Vec<u8>> = (0..5).map(|_| std::hint::black_box(vec![1; 16 << 20])).collect();
    assert_eq!(held.iter().map(Vec::len).sum::<usize>(), 80 << 20);
}

#[test]
fn f06_an_endless_loop_is_ended_by_name() {
    let started = Instant::now();
    ends(
        &steps(json!([{ "do": "loop-forever" }])),
        "computing time limit 1 s reached (an endless loop?)",
    );
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn f06_a_flood_of_calls_is_ended_by_name() {
    for call in ["read-file", "progress", "run-tests"] {
        ends(
            &steps(json!([{ "do": "flood", "call": call, "path": "README.md" }])),
            "limit of 1000 host calls reached",
        );
    }
}

#[test]
fn f06_bytes_in_both_directions_are_bounded() {
    let read = json!({ "do": "read-file", "path": "large.txt", "take": ["/ok/size"] });
    ends(&steps(json!([read, read])), "limit of 1 MiB read in all reached");
    let big = json!({ "do": "submit-files", "operations": [{ "write": "big.txt", "fill": 20_000_000 }] });
    ends(&steps(json!([big])), "limit of 1 MiB handed over in one call reached");
    // A path is handed over too.
    let path = json!({ "do": "read-lines", "path": "p/".repeat(600_000), "first": 1, "last": 1 });
    let sandbox = Sandbox::new().host_toml(TIGHT);
    let file = attack::file(&sandbox, "task.json", steps(json!([path])).as_bytes());
    let report = sandbox
        .run(&["--task-file", &file, "--coder", &guest("guest_probe")])
        .ended(4, "environment_error", Some("limit_reached"));
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("limit of 1 MiB handed over in one call reached"),
        "{report:#}"
    );
}

#[test]
fn f06_what_is_submitted_in_all_is_bounded_and_what_was_taken_is_judged() {
    let sandbox = Sandbox::new().host_toml(TIGHT);
    let write =
        |n: u32| json!({ "do": "submit-files", "operations": [{ "write": format!("{n}.txt"), "fill": 900_000 }] });
    let task = steps((0..4).map(write).collect());
    let judge = guest("guest_judge");
    let report = sandbox
        .run(&[
            &task,
            "--coder",
            &guest("guest_probe"),
            "--validator",
            &judge,
            "--dry-run",
        ])
        .completed();
    assert_eq!(
        (
            &report["coder"]["cut_short"],
            report["changes"].as_array().unwrap().len()
        ),
        (&json!(true), 2)
    );
    let error = report["coder"]["error"].as_str().unwrap();
    assert!(error.contains("limit of 2 MiB submitted in all reached"), "{error}");
}

/// A coder that attacks while it is started; the message.
#[track_caller]
fn at_the_start(module: &str, words: &[&str]) {
    refused_at_the_start(&attack::starting(module), TIGHT, words);
}

#[track_caller]
fn refused_at_the_start(component: &[u8], settings: &str, words: &[&str]) {
    let sandbox = Sandbox::new().host_toml(settings);
    let coder = attack::file(&sandbox, "attacker.wasm", component);
    let started = Instant::now();
    let why = sandbox.run(&["x", "--coder", &coder]).refused();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    for words in words {
        assert!(why.contains(words), "no `{words}` in {why}");
    }
    // The next one goes on.
    sandbox.run(&["anything", "--mock"]).completed();
}

#[test]
fn f06_a_start_that_takes_memory_tables_stack_or_time_is_ended_by_name() {
    // Initial: the user's bound, not only the one that holds without a setting.
    at_the_start("(module (memory 2000))", &["of memory; the limit is 64 MiB"]);
    // In sum: each below, all of them together above.
    at_the_start(
        "(module (memory 400) (memory 400) (memory 400))",
        &["of memory; the limit is 64 MiB"],
    );
    at_the_start(
        "(module (memory 1) (func $f (loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))) (start $f))",
        &["memory limit 64 MiB reached"],
    );
    at_the_start(
        "(module (table 1 funcref) (func $f (loop $l (br_if $l (i32.ne (table.grow (ref.null func) (i32.const 50000)) (i32.const -1))))) (start $f))",
        &["table limit of 1000000 elements reached"],
    );
    at_the_start(
        "(module (func $f (call $f)) (start $f))",
        &["stack limit 512 KiB reached (endless recursion?)"],
    );
    at_the_start(
        "(module (func $f (loop $l (br $l))) (start $f))",
        &["computing time limit 1 s reached"],
    );
    at_the_start(
        "(module (func $f unreachable) (start $f))",
        &["trapped: reached an `unreachable` instruction"],
    );
}

/// A component that makes so many handles of a resource of its own, and keeps them.
fn handles(many: u32) -> Vec<u8> {
    attack::starting_component(&format!(
        r#"(component
            (type $r (resource (rep i32)))
            (core func $new (canon resource.new $r))
            (core module $m
                (import "" "new" (func $new (param i32) (result i32)))
                (func $f (local $n i32)
                    (loop $l
                        (drop (call $new (i32.const 1)))
                        (local.set $n (i32.add (local.get $n) (i32.const 1)))
                        (br_if $l (i32.lt_u (local.get $n) (i32.const {many})))))
                (start $f))
            (core instance (instantiate $m (with "" (instance (export "new" (func $new)))))))"#
    ))
}

#[test]
fn f06_handles_that_pile_up_are_ended_by_name() {
    let few = format!("{TIGHT}resource_handles = 1000\n");
    refused_at_the_start(&handles(2000), &few, &["limit of 1000 resource handles reached"]);
    // Control: within the bound the same component starts.
    let sandbox = Sandbox::new().host_toml(&few);
    let coder = attack::file(&sandbox, "quiet.wasm", &handles(100));
    let report = sandbox.run(&["x", "--coder", &coder]);
    assert!(!report.stdout.contains("resource handles"), "{report:#?}");
}

#[test]
fn f06_a_bound_that_the_user_sets_is_the_one_in_force() {
    let tighter = "[limits]\ntable_elements = 300\nstack_kib = 64\n";
    refused_at_the_start(
        &attack::starting("(module (table 500 funcref))"),
        tighter,
        &["the limit is 300"],
    );
    refused_at_the_start(
        &attack::starting("(module (func $f (call $f)) (start $f))"),
        tighter,
        &["stack limit 64 KiB reached"],
    );
}

#[test]
fn f06_a_start_that_is_within_its_bounds_is_none_of_these() {
    // The control of the test above: the same shape, with little of everything, is started.
    let sandbox = Sandbox::new().host_toml(TIGHT);
    let quiet = attack::starting("(module (memory 100) (table 100 funcref) (func $f nop) (start $f))");
    let coder = attack::file(&sandbox, "quiet.wasm", &quiet);
    let why = sandbox.run(&["x", "--coder", &coder]).refused();
    assert!(
        why.contains("cannot describe itself") && why.contains("trapped"),
        "its `describe` is empty: {why}"
    );
    assert!(!why.contains("limit"), "{why}");
}

#[test]
fn f06_bombs_are_refused_by_their_figures_before_anything_is_compiled() {
    let many = |n: usize| attack::starting_bytes(&attack::many_functions(n, 0));
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (many(1_000_000), "functions; the limit is 100,000"),
        (
            attack::starting_bytes(&attack::many_functions(1, 700_000)),
            "of code; the limit is 1 MiB",
        ),
        (
            attack::starting("(module (memory 49152))"),
            "of memory; the limit is 512 MiB",
        ),
        (
            attack::starting("(module (table 5000000 funcref))"),
            "elements; the limit is 1,000,000",
        ),
        (attack::many_instances(10_000), "instances; the limit is"),
        (vec![b' '; (64 << 20) + 1], "the limit is 64 MiB"),
    ];
    let sandbox = Sandbox::new();
    for (bytes, words) in cases {
        let coder = attack::file(&sandbox, "bomb.wasm", &bytes);
        let started = Instant::now();
        let finished = sandbox.run(&["x", "--coder", &coder]);
        assert!(!finished.stderr.contains("compiling"), "{}", finished.stderr);
        let why = finished.refused();
        assert!(why.contains(words), "no `{words}` in {why}");
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{words}: {:?}",
            started.elapsed()
        );
    }
}

#[test]
fn f06_a_compile_bomb_within_admissions_bounds_ends_by_name_and_can_be_interrupted() {
    // Twenty thousand functions, each of which costs its time.
    let bomb = attack::starting_bytes(&attack::many_functions(20_000, 60));
    let sandbox = Sandbox::new()
        .with_cache_of_its_own()
        .host_toml("[limits]\ncompile_seconds = 1\n");
    let coder = attack::file(&sandbox, "bomb.wasm", &bomb);
    let started = Instant::now();
    let finished = sandbox.run(&["x", "--coder", &coder]);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(finished.stderr.contains("compiling `bomb` ("), "{}", finished.stderr);
    let why = finished.refused();
    assert!(why.contains("compile time limit 1 s reached"), "{why}");
    // The control: with the time that it takes by default it is still at it, and a person need not wait.
    let sandbox = Sandbox::new().with_cache_of_its_own();
    let coder = attack::file(&sandbox, "bomb.wasm", &bomb);
    let mut running = sandbox.start(&["x", "--coder", &coder]);
    running.wait_for("compiling `bomb` (");
    running.signal(Signal::INT);
    let (finished, took) = running.finish();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(finished.code, 130, "{finished:#?}");
}

#[test]
fn f06_a_compilation_that_takes_more_memory_than_its_bound_ends_by_name() {
    // Two functions that admission lets through, with 150,000 values at a time.
    let bomb = attack::starting_bytes(&attack::many_values(2, 150_000));
    // The least that may be set; and so much time that it is none of its limits.
    let settings = "[limits]\ncompile_mib = 256\ncompile_seconds = 120\n";
    let sandbox = Sandbox::new().with_cache_of_its_own().host_toml(settings);
    let coder = attack::file(&sandbox, "bomb.wasm", &bomb);
    let started = Instant::now();
    let finished = sandbox.run(&["x", "--coder", &coder]);
    assert!(started.elapsed() < Duration::from_mins(1), "{:?}", started.elapsed());
    assert!(finished.stderr.contains("compiling `bomb` ("), "{}", finished.stderr);
    let why = finished.refused();
    assert!(why.contains("compile memory limit 256 MiB reached"), "{why}");
    // Nothing of it was kept, and the next one, which takes less, goes on under the same bound.
    let kept = std::fs::read_dir(sandbox.compiled()).map_or(0, Iterator::count);
    assert_eq!(kept, 0, "something lies in the cache");
    let next = sandbox.run(&[&steps(json!([write("a.txt", "a\n")])), "--coder", &guest("guest_probe")]);
    assert!(next.stderr.contains("compiling `guest_probe` ("), "{}", next.stderr);
    assert_eq!(next.completed()["applied"], true);
    // Control: with the bound that holds without a setting, the same bomb is compiled, and comes to its (empty) `describe`.
    let sandbox = Sandbox::new().with_cache_of_its_own();
    let coder = attack::file(&sandbox, "bomb.wasm", &bomb);
    let why = sandbox.run(&["x", "--coder", &coder]).refused();
    assert!(
        why.contains("cannot describe itself") && !why.contains("limit"),
        "{why}"
    );
}

#[test]
fn f02_time_in_host_calls_is_not_the_plugins_own() {
    let sandbox = Sandbox::new().host_toml(TIGHT);
    let task = steps(json!([{ "do": "run-tests" }, { "do": "run-tests" }, { "do": "read-file", "path": "README.md" }]));
    let command = [
        "--test-command",
        "sleep 0.8",
        "--validator",
        "secrets",
        "--expect",
        "findings",
    ];
    let probe = guest("guest_probe");
    let arguments = [&[task.as_str(), "--coder", &probe], &command[..]].concat();
    let report = sandbox.run(&arguments).completed();
    assert!(answers(&report)[2]["ok"].is_object());
    let usage = &plugin(&report, "guest_probe")["usage"];
    let (own, inside) = (
        usage["compute_ms"].as_u64().unwrap(),
        usage["host_ms"].as_u64().unwrap(),
    );
    assert!(inside >= 1600 && own < 1000, "{usage}");
    assert_eq!(plugin(&report, "guest_probe")["limits"]["compute_ms"], 1000);
    // Control: counted together, the clock on the wall is over the plugin's limit.
    assert!(own + inside > 1000);
}

#[test]
fn f02_time_in_host_calls_has_a_limit_of_its_own() {
    let sandbox = Sandbox::new().host_toml("[limits]\ncompute_seconds = 1\ntotal_seconds = 2\n");
    let task = steps(json!([{ "do": "run-tests" }]));
    let probe = guest("guest_probe");
    let started = Instant::now();
    let finished = sandbox.run(&[
        &task,
        "--coder",
        &probe,
        "--test-command",
        "sleep 60",
        "--validator",
        "secrets",
    ]);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(finished.code, 4, "{finished:#?}");
    let reason = finished.json()["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("time limit 2 s for the whole call reached"), "{reason}");
}

#[test]
fn f06_a_validator_that_reaches_a_bound_is_an_error_and_the_others_judge() {
    let sandbox = Sandbox::new().host_toml(TIGHT);
    for behaviour in ["allocate", "loop"] {
        let set = format!("guest_judge.behaviour={behaviour}");
        let judge = guest("guest_judge");
        let arguments = [
            "x",
            "--mock",
            "--validator",
            &judge,
            "--validator",
            "secrets",
            "--set",
            &set,
            "--set",
            "guest_judge.in=post-execute",
        ];
        let finished = sandbox.run(&arguments);
        assert_ne!(finished.code, 0, "{finished:#?}");
        let report = finished.json();
        let post = results(&report, "post_execute");
        assert!(
            post.iter().any(|(id, _, error, _)| id == "guest_judge" && *error),
            "{post:?}"
        );
        assert!(
            post.iter()
                .any(|(id, severity, error, _)| id == "secrets" && severity == "pass" && !error),
            "{post:?}"
        );
        assert_eq!(report["applied"], false);
    }
}
