//! What a plugin may try that is no call of the contract.

use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use guest_steps::{number, text};
use serde_json::{Value, json};
use snodo_plugin::prelude::*;

/// Tries it. Some of these never return.
pub fn act(act: &str, step: &Value) -> Value {
    match act {
        "loop-forever" => loop {
            black_box(());
        },
        "allocate" => allocate(number(step, "bytes", 10 * 1024 * 1024 * 1024)),
        "unreachable" => unreachable(),
        "panic" => panic!("{}", text(step, "message")),
        "divide-by-zero" => divide_by_zero(),
        "recurse" => json!({ "ok": recurse(0, [0; 64]) }),
        "exit" => std::process::exit(i32::try_from(number(step, "status", 0)).unwrap_or(1)),
        "print" => print(step),
        "flood" => flood(step),
        "std-fs" => std_fs(step),
        "std-env" => std_env(),
        "std-process" => attempt(
            std::process::Command::new(text(step, "program"))
                .status()
                .map(|s| json!(s.code())),
        ),
        "std-thread" => {
            let started = std::thread::Builder::new().spawn(|| ());
            attempt(started.map(|_| Value::Null))
        }
        "std-stdin" => {
            let mut line = String::new();
            attempt(
                std::io::stdin()
                    .read_line(&mut line)
                    .map(|read| json!({ "bytes": read, "line": line })),
            )
        }
        "std-time" => time(),
        "std-sleep" => {
            let before = Instant::now();
            std::thread::sleep(Duration::from_millis(number(step, "ms", 1000)));
            json!({ "ok": { "slept-ms": u64::try_from(before.elapsed().as_millis()).unwrap_or(u64::MAX) } })
        }
        "std-random" => random(),
        _ => json!({ "error": { "kind": "no-such-step" } }),
    }
}

fn attempt(outcome: std::io::Result<Value>) -> Value {
    guest_steps::json::outcome(
        outcome,
        |error| json!({ "kind": format!("{:?}", error.kind()), "words": error.to_string() }),
    )
}

/// Takes memory in large pieces and writes to each, so that none of it is a promise only.
fn allocate(bytes: u64) -> Value {
    const PIECE: usize = 16 * 1024 * 1024;
    let mut held: Vec<Vec<u8>> = Vec::new();
    let mut taken = 0;
    while taken < bytes {
        held.push(black_box(vec![1; PIECE]));
        taken += PIECE as u64;
    }
    json!({ "ok": held.len() })
}

#[cfg(target_arch = "wasm32")]
fn unreachable() -> Value {
    core::arch::wasm32::unreachable()
}

#[cfg(not(target_arch = "wasm32"))]
fn unreachable() -> Value {
    panic!("only as a component")
}

/// The instruction itself: safe Rust looks at the divisor first.
fn divide_by_zero() -> Value {
    // SAFETY: none; that the plugin has no right to do this is the point, and the instruction is defined to trap.
    let zero = unsafe { std::num::NonZeroU32::new_unchecked(black_box(0)) };
    json!({ "ok": black_box(7_u32) / zero })
}

#[expect(unconditional_recursion, reason = "it is to overflow the stack")]
fn recurse(depth: u64, held: [u64; 64]) -> u64 {
    let mut mine = black_box(held);
    mine[0] = depth;
    recurse(depth + 1, mine) + black_box(mine)[0]
}

fn print(step: &Value) -> Value {
    let (text, times) = (text(step, "text"), number(step, "times", 1));
    let bytes = text.repeat(usize::try_from(times).unwrap_or(1));
    let written = match step["to"].as_str() {
        Some("stderr") => std::io::stderr().write_all(bytes.as_bytes()),
        _ => {
            let mut out = std::io::stdout();
            out.write_all(bytes.as_bytes()).and_then(|()| out.flush())
        }
    };
    attempt(written.map(|()| json!(bytes.len())))
}

/// Calls an import over and over.
fn flood(step: &Value) -> Value {
    for n in 0..number(step, "times", u64::MAX) {
        match step["call"].as_str() {
            Some("progress") => submit::progress(format!("flood {n}")),
            Some("run-tests") => drop(runner::run_tests(None)),
            Some("submit-files") => drop(submit::files(vec![submit::write("flood.txt", n.to_string())])),
            _ => drop(read::file(&text(step, "path"))),
        }
    }
    json!({ "ok": null })
}

fn std_fs(step: &Value) -> Value {
    let path = text(step, "path");
    match step["how"].as_str() {
        Some("write") => attempt(std::fs::write(&path, text(step, "text")).map(|()| Value::Null)),
        Some("remove") => attempt(std::fs::remove_file(&path).map(|()| Value::Null)),
        Some("list") => attempt(std::fs::read_dir(&path).map(|entries| {
            entries
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect::<Value>()
        })),
        Some("symlink-metadata") => attempt(std::fs::symlink_metadata(&path).map(|found| json!(found.len()))),
        _ => attempt(std::fs::read_to_string(&path).map(Value::from)),
    }
}

fn std_env() -> Value {
    let variables: Vec<String> = std::env::vars()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let arguments: Vec<String> = std::env::args().collect();
    json!({ "ok": { "variables": variables, "arguments": arguments } })
}

fn time() -> Value {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let first = Instant::now();
    let second = Instant::now();
    json!({ "ok": { "unix-seconds": wall.as_secs(), "step-ns": u64::try_from((second - first).as_nanos()).unwrap_or(0) } })
}

/// What the standard library draws its hash keys from.
fn random() -> Value {
    use std::hash::{BuildHasher as _, Hasher as _};
    let draws: Vec<u64> = (0..2)
        .map(|_| std::hash::RandomState::new().build_hasher().finish())
        .collect();
    json!({ "ok": draws })
}
