//! A file far larger than memory (case A16).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::script::{answers, steps};
use crate::support::{Finished, guest};
use crate::world::{World, batch, in_calls, lines, list, listed, read, search, skipped, submit, write};

const SIZE: u64 = 60 << 30;

/// Runs these steps; also the most memory that the process held, in bytes, as the system counts it.
pub(crate) fn measured(world: &World, task: &str) -> (Finished, u64) {
    let file = world.sandbox.path().join("task.json");
    std::fs::write(&file, task).unwrap();
    let probe = guest("guest_probe");
    let mut command = world.sandbox.command(&[
        "run",
        "--json",
        "--task-file",
        file.to_str().unwrap(),
        "--coder",
        &probe,
    ]);
    let child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (most, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let output = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The kernel keeps the peak: the last look is the one that counts.
            while !over.load(Ordering::Relaxed) {
                let kib = std::fs::read_to_string(&status).ok().and_then(|text| {
                    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?.to_owned();
                    line.split_whitespace().nth(1)?.parse::<u64>().ok()
                });
                most.fetch_max(kib.unwrap_or(0) * 1024, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let output = child.wait_with_output().unwrap();
        over.store(true, Ordering::Relaxed);
        output
    });
    let finished = Finished::of(&output);
    finished.check_against_the_schema();
    (finished, most.into_inner())
}

#[test]
fn a16_a_sixty_gigabyte_file_takes_neither_memory_nor_time() {
    let world = World::new(|place| {
        let big = std::fs::File::create(place.root.join("big")).unwrap();
        big.set_len(SIZE).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&big, b"one\ntwo\nthree\n", 0).unwrap();
    });
    // Compiled before, so that what is measured is the calls.
    measured(&world, &steps(json!([write("warm.txt")]))).0.completed();
    let task = steps(json!([
        read("big"),
        lines("big", 1, 3),
        lines("big", 1_000_000_000, 1_000_000_005),
        batch(&["big", "ok.txt"]),
        list(""),
        search("needle"),
        { "do": "search-text", "pattern": "needle", "under": "big" },
        submit(json!([{ "write": "big", "text": "PLANTED" }])),
        submit(json!([{ "rename": "big", "to": "small" }])),
        write("new.txt"),
    ]));
    let started = Instant::now();
    let (finished, memory) = measured(&world, &task);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let report = finished.completed();
    let answers = answers(&report);
    let too_large = |answer: &Value| {
        assert_eq!(
            (&answer["error"]["kind"], &answer["error"]["size"]),
            (&json!("too-large"), &json!(SIZE)),
            "{answer}"
        );
    };
    too_large(&answers[0]);
    assert_eq!(answers[1]["ok"]["content"]["text"], "one\ntwo\nthree\n");
    assert!(answers[1]["ok"]["total"]["at-least"].is_u64(), "{}", answers[1]);
    assert!(
        answers[2]["error"].is_object() || answers[2]["ok"]["truncated"] == true,
        "{}",
        answers[2]
    );
    too_large(&answers[3]["ok"][0]["outcome"]);
    assert_eq!(answers[3]["ok"][1]["outcome"]["ok"]["content"]["text"], "ok\n");
    assert!(listed(&answers[4]).contains(&"big".to_owned()));
    // Its beginning shows that it is no text, before its size counts.
    for answer in &answers[5..7] {
        assert_eq!(skipped(answer, "too-large") + skipped(answer, "binary"), 1, "{answer}");
    }
    too_large(&answers[7]);
    too_large(&answers[8]);
    assert!(in_calls(&report) < 5000, "{}", in_calls(&report));
    assert!(memory > 1 << 20 && memory < 300 << 20, "{memory} bytes at the most");
    assert_eq!(world.real.read("new.txt"), "PLANTED");
    // Control: by name there are that many bytes to be had, and nothing says to stop.
    let mut big = std::fs::File::open(world.twin.root.join("big")).unwrap();
    assert_eq!(big.metadata().unwrap().len(), SIZE);
    let mut some = vec![0; 400 << 20];
    std::io::Read::read_exact(&mut big, &mut some).unwrap();
    assert_eq!(&some[..4], b"one\n");
}
