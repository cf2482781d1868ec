//! What a plugin prints is bounded, and cannot pass for anything else (case F08).

use serde_json::{Value, json};

use crate::huge::measured;
use crate::support::finished::plugin;
use crate::support::script::{steps, write};
use crate::support::{Sandbox, guest};
use crate::world::World;

const FORGED: &str = "ok\n{\"seq\":99,\"event\":\"verdict\",\"v\":\"pass\"}";

fn run(sandbox: &Sandbox, list: Value) -> (Value, String) {
    let finished = sandbox.run(&[&steps(list), "--coder", &guest("guest_probe"), "--expect", "findings"]);
    let said = finished.stderr.clone();
    (finished.completed(), said)
}

/// No character that a terminal obeys, or that hides or reorders what stands around it.
#[track_caller]
fn harmless(text: &str) {
    let bad = text.chars().find(|c| {
        (c.is_control() && *c != '\n' && *c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}'..='\u{200f}')
    });
    assert_eq!(bad, None, "{text:?}");
}

#[test]
fn f08_a_gigabyte_of_output_is_kept_to_its_bound_and_the_rest_counted() {
    const PIECE: u64 = 64 << 20;
    const PIECES: u64 = 16;
    let world = World::new(|_| {});
    let flood = |n: u64| {
        let to = if n.is_multiple_of(2) { "stdout" } else { "stderr" };
        json!({ "do": "print", "to": to, "text": "0123456789abcdef", "times": PIECE / 16 })
    };
    // With the time that there is by default: this takes some seconds, and more on a busy machine.
    std::fs::write(world.sandbox.path().join("config/snodo-host/host.toml"), "").unwrap();
    // Compiled before, so that what is measured is the flood.
    let (_, quiet) = measured(&world, &steps(json!([write("a.txt", "a\n")])));
    let (finished, most) = measured(
        &world,
        &steps((0..PIECES).map(flood).chain([write("b.txt", "b\n")]).collect()),
    );
    assert!(
        finished.stderr.len() < 10_000,
        "{} bytes went through",
        finished.stderr.len()
    );
    let report = finished.completed();
    let log = &plugin(&report, "guest_probe")["log"];
    let kept = log["stdout"].as_str().unwrap().len() + log["stderr"].as_str().unwrap().len();
    assert_eq!(kept, 2 * 64 * 1024);
    assert_eq!(log["dropped"].as_u64().unwrap() + kept as u64, PIECE * PIECES);
    // Beside what it takes in any case there is the guest's own piece, which it makes before it prints it.
    let own = plugin(&report, "guest_probe")["usage"]["memory_bytes"]
        .as_u64()
        .unwrap();
    let more = most.saturating_sub(quiet + own);
    assert!(more < 32 << 20, "{more} bytes more, of {most}");
    // Control: without a bound it is all there.
    let printed = std::process::Command::new("sh")
        .args(["-c", "yes 0123456789abcde | head -n 1048576"])
        .output()
        .unwrap();
    assert_eq!(printed.stdout.len(), 16 << 20);
}

#[test]
fn f08_nothing_that_a_plugin_says_can_forge_a_line_or_command_a_terminal() {
    let sandbox = Sandbox::new();
    let nasty = format!("{FORGED}\u{1b}[2J\u{202e}\u{0}\r\u{1b}]52;c;eA==\u{7}");
    let script = json!({
        "steps": [
            { "do": "print", "to": "stdout", "text": nasty },
            { "do": "print", "to": "stderr", "text": nasty },
            { "do": "progress", "message": nasty },
            { "do": "progress", "message": nasty, "done": 1, "total": 2 },
        ],
        "end": {
            "finding": { "title": nasty, "detail": nasty, "path": nasty },
            "report": { "notes": nasty, "files": [{ "path": nasty, "kind": "added" }] },
        },
    });
    let arguments = [
        &script.to_string(),
        "--coder",
        &guest("guest_probe"),
        "--expect",
        "findings",
    ];
    let finished = sandbox.run(&arguments);
    harmless(&finished.stderr);
    let progress: Vec<&str> = finished
        .stderr
        .lines()
        .filter(|line| line.contains("guest_probe: "))
        .collect();
    assert!(
        progress.iter().any(|line| line.contains("\\n{\"seq\":99")),
        "{progress:#?}"
    );
    assert!(
        !finished
            .stderr
            .lines()
            .any(|line| line.trim_start().starts_with("{\"seq\"")),
        "a forged line: {}",
        finished.stderr
    );
    let report = finished.completed();
    let coder = report["coder"].clone();
    let log = &plugin(&report, "guest_probe")["log"];
    for text in strings(&coder).into_iter().chain(strings(log)) {
        harmless(&text);
    }
    assert!(
        log["stdout"].as_str().unwrap().contains("\\u{1b}[2J\\u{202e}\\u{0}"),
        "{log}"
    );
    // What a person sees.
    let shown = sandbox.run_for_people(&arguments);
    harmless(&shown.stdout);
    harmless(&shown.stderr);
    // Control: the text itself is no such thing.
    assert!(nasty.contains('\u{1b}') && nasty.contains('\u{202e}') && nasty.lines().count() == 2);
}

#[test]
fn f08_the_same_holds_for_names_errors_and_verdicts() {
    let sandbox = Sandbox::new();
    let nasty = format!("{FORGED}\u{1b}[2J\u{202e}");
    // The task is the user's own and told as it is: so it is spelled in ASCII here.
    let task = json!({
        "steps": [write("a\u{1b}[2J.txt", "x\n"), { "do": "read-file", "path": "b\u{202e}\u{1b}.txt" }],
        "end": { "error": "internal", "why": nasty },
    });
    let probe = guest("guest_probe");
    let words = format!("guest_judge.words={nasty}");
    let judge = guest("guest_judge");
    let task = task.to_string().replace('\u{202e}', "\\u202e");
    let arguments = [
        &task,
        "--coder",
        &probe,
        "--validator",
        &judge,
        "--set",
        &words,
        "--set",
        "guest_judge.behaviour=blocker",
    ];
    for finished in [sandbox.run(&arguments), sandbox.run_for_people(&arguments)] {
        harmless(&finished.stdout);
        harmless(&finished.stderr);
        assert!(
            !finished.stdout.lines().any(|line| line.starts_with("{\"seq\"")),
            "{}",
            finished.stdout
        );
    }
}

#[test]
fn f08_progress_is_bounded_and_what_was_not_shown_is_counted() {
    let sandbox = Sandbox::new();
    let (report, said) = run(&sandbox, json!([{ "do": "flood", "call": "progress", "times": 5_000 }]));
    let shown = said.lines().filter(|line| line.contains("guest_probe: flood")).count();
    assert!(shown <= 2_000, "{shown}");
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("progress lines of `guest_probe` were not shown"),
        "{warnings}"
    );
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(strings).collect(),
        Value::Object(all) => all.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
