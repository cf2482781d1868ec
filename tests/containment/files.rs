//! FIFOs, sockets, devices (case A07).

use std::os::unix::net::UnixListener;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::world::{Place, World, batch, in_calls, lines, list, mutations, read, search, skipped, write};

fn special(place: &Place) {
    mknodat(CWD, place.root.join("p"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    drop(UnixListener::bind(place.root.join("s")).unwrap());
    place.link("/dev/zero", "z");
}

#[test]
fn a07_special_files_never_block_and_are_named() {
    let world = World::new(special);
    let mut attacks = Vec::new();
    for path in ["p", "s", "z"] {
        attacks.extend([read(path), lines(path, 1, 5)]);
        attacks.extend(mutations(path));
    }
    // Deleting a link takes the link.
    attacks.retain(|step| step["operations"][0]["delete"] != "z");
    let answers = world.ask(Value::from(attacks.clone()));
    for (step, answer) in attacks.iter().zip(&answers) {
        let error = &answer["error"];
        let named = match error["kind"].as_str() {
            Some("wrong-kind") => error["is"] == "fifo" || error["is"] == "socket",
            Some("symlink") => error["path"] == "z",
            // A file may not be moved on top of it.
            Some("conflict") => step["operations"][0]["rename"] == "ok.txt",
            _ => false,
        };
        assert!(named, "{step}: {answer}");
    }
    let (report, answers) = world.run(json!([batch(&["p", "ok.txt", "s", "z"]), search("ok"), list("")]));
    assert!(in_calls(&report) < 1000, "{report:#}");
    let outcomes = answers[0]["ok"].as_array().unwrap();
    let good: Vec<bool> = outcomes.iter().map(|one| one["outcome"]["ok"].is_object()).collect();
    assert_eq!(good, [false, true, false, false]);
    assert_eq!(crate::world::found(&answers[1]), ["ok.txt"]);
    assert_eq!(
        (skipped(&answers[1], "special"), skipped(&answers[1], "symlink")),
        (2, 1)
    );
    let kinds: Vec<(&Value, &Value)> = answers[2]["ok"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (&e["path"], &e["kind"]))
        .collect();
    for (path, kind) in [("p", "fifo"), ("s", "socket"), ("z", "symlink")] {
        assert!(kinds.contains(&(&json!(path), &json!(kind))), "{kinds:?}");
    }
    // Control: reading the FIFO by name blocks.
    let pipe = world.twin.root.join("p");
    let (done, ended) = std::sync::mpsc::channel();
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            let _ = std::fs::read(pipe);
            let _ = done.send(());
        })
    };
    assert!(
        ended.recv_timeout(Duration::from_millis(200)).is_err(),
        "it does not block"
    );
    drop(std::fs::File::options().write(true).open(pipe).unwrap());
    reader.join().unwrap();
}

#[test]
fn a07_a_change_is_computed_tested_and_applied_beside_special_files() {
    let world = World::new(special).with(&["--test-command", "test -e new.txt"]);
    let started = std::time::Instant::now();
    let (report, answers) = world.run(json!([write("new.txt"), { "do": "run-tests" }]));
    assert_eq!(answers[1]["ok"]["exit"]["code"], 0, "{answers:?}");
    assert_eq!(
        (&report["applied"], world.real.read("new.txt").as_str()),
        (&json!(true), "PLANTED")
    );
    assert!(started.elapsed() < Duration::from_secs(30));
    // Control: copying the folder by name blocks at the first FIFO.
    let copy = std::process::Command::new("timeout")
        .args(["0.3", "cat", "p", "ok.txt"])
        .current_dir(&world.twin.root)
        .status()
        .unwrap();
    assert_eq!(copy.code(), Some(124), "it does not block");
}
