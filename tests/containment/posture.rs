//! What the standard library finds behind it: nothing (area F; issue 3, section 4).

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::guest;
use crate::support::script::{answers, steps};
use crate::world::{OUTSIDE, World};

#[test]
fn f_wasi_files_variables_programs_threads_and_input_are_not_there() {
    let world = World::new(|_| {});
    let outside = world.real.out.join("secret");
    let at = |how: &str, path: &str| json!({ "do": "std-fs", "how": how, "path": path, "text": "PLANTED" });
    let answers = world.ask(json!([
        at("read", "ok.txt"),
        at("read", outside.to_str().unwrap()),
        at("list", "/"),
        at("list", "."),
        at("write", "planted.txt"),
        at("write", "/tmp/snodo-planted"),
        at("remove", "ok.txt"),
        at("symlink-metadata", "/etc/passwd"),
        { "do": "std-process", "program": "/bin/sh" },
        { "do": "std-thread" },
        { "do": "std-env" },
        { "do": "std-stdin" },
    ]));
    for answer in &answers[..10] {
        assert!(answer["error"].is_object(), "{answer}");
    }
    assert_eq!(answers[10]["ok"], json!({ "variables": [], "arguments": [] }));
    assert_eq!(answers[11]["ok"], json!({ "bytes": 0, "line": "" }));
    assert!(!world.real.exists("planted.txt") && world.real.read("ok.txt") == "ok\n");
    assert!(!std::path::Path::new("/tmp/snodo-planted").exists());
    // Control: here it is all there.
    assert_eq!(world.twin.secret(), OUTSIDE);
    std::fs::write(world.twin.root.join("planted.txt"), "PLANTED").unwrap();
    assert!(std::env::vars().count() > 0 && std::env::args().count() > 0);
    assert!(
        std::process::Command::new("/bin/sh")
            .args(["-c", "true"])
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn f_wasi_the_network_is_refused_at_admission() {
    let world = World::new(|_| {});
    let finished = world.sandbox.run(&["x", "--coder", &guest("guest_net")]);
    assert!(!finished.stderr.contains("compiling"), "{}", finished.stderr);
    let why = finished.refused();
    assert!(
        why.contains("wasi:sockets/tcp@") && why.contains("no plugin is given the network"),
        "{why}"
    );
    // Control: here a listener is reached.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
}

#[test]
fn f_wasi_time_is_the_hosts_and_sleeping_takes_none() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let world = World::new(|_| {});
    let started = Instant::now();
    let (report, answers) = world.run(json!([
        { "do": "std-time" },
        { "do": "std-sleep", "ms": DAY_MS },
        { "do": "std-time" },
    ]));
    assert!(started.elapsed() < Duration::from_mins(1));
    assert!(answers[1]["ok"]["slept-ms"].as_u64().unwrap() >= DAY_MS);
    let began = report["started_at"].as_u64().unwrap();
    let first = answers[0]["ok"]["unix-seconds"].as_u64().unwrap();
    let second = answers[2]["ok"]["unix-seconds"].as_u64().unwrap();
    // It starts with the run, which the report holds, and goes on by what is asked of it.
    assert!((began..began + 2).contains(&first), "{first} after {began}");
    assert!(
        (first + DAY_MS / 1000..first + DAY_MS / 1000 + 2).contains(&second),
        "{second} after {first}"
    );
    // Two looks at the clock are a fixed step apart, however fast or slow the machine is.
    assert_eq!(answers[0]["ok"]["step-ns"], answers[2]["ok"]["step-ns"]);
    // Control: the clock of this machine has moved by seconds only.
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    assert!(now < second, "{now}");
}

#[test]
fn f_wasi_chance_is_the_hosts_and_not_the_machines() {
    let world = World::new(|_| {});
    let task = |n: u32| json!([{ "do": "std-random" }, { "do": "std-random" }, { "do": n.to_string() }]);
    let draws = |n: u32| {
        world.ask(task(n))[..2]
            .iter()
            .map(|answer| answer["ok"].clone())
            .collect::<Vec<_>>()
    };
    let first = draws(1);
    // The same request draws the same, on another day and in another process; another request does not.
    assert_eq!(first, draws(1));
    assert_ne!(first, draws(2));
    // Control: here two processes differ.
    let draw = || std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 1);
    assert_ne!(draw(), draw());
}

#[test]
fn f_wasi_a_plugin_that_ends_itself_ends_nothing_else() {
    let world = World::new(|_| {});
    for status in [0, 3] {
        let finished = world.finish(&steps(json!([{ "do": "exit", "status": status }])));
        let report = finished.ended(4, "environment_error", Some("execution_error"));
        assert!(
            report["reason"]
                .as_str()
                .unwrap()
                .contains("ended itself with exit status"),
            "{report:#}"
        );
        let report = world.finish(&steps(json!([crate::world::read("ok.txt")]))).completed();
        assert!(answers(&report)[0]["ok"].is_object());
    }
    // Control.
    let ended = std::process::Command::new("sh")
        .args(["-c", "exit 3"])
        .status()
        .unwrap();
    assert_eq!(ended.code(), Some(3));
}
