//! A key is in nothing that the product writes, whatever the provider says back, and wherever the key comes from.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;
use snodo_provider::{Answer, Call, Id, Reply, Seen, Wire};

use crate::support::Finished;
use crate::world::{KEY, PATCH, World};

/// Of a header that the user adds.
const HEADER_KEY: &str = "sentinel-9876543210-of-a-header";

/// Everything that the provider was sent, and the keys once more.
fn echo(seen: &Seen) -> String {
    format!(
        "{KEY} {HEADER_KEY} {:?} {}",
        seen.headers,
        String::from_utf8_lossy(&seen.raw)
    )
}

/// What a provider may say that shows what it got.
fn replies() -> Vec<fn(&Seen) -> Reply> {
    vec![
        |seen| {
            Reply::error(
                401,
                "invalid_api_key",
                format!("Incorrect API key provided: {}", echo(seen)),
            )
        },
        |seen| Reply::error(400, echo(seen), echo(seen)),
        |_| {
            Reply::error(503, "x", "later")
                .header("x-echo", KEY)
                .header("Retry-After", "0")
        },
        |_| Reply::redirect(302, format!("http://{KEY}.invalid/{KEY}?k={HEADER_KEY}")),
        |seen| Reply::verbatim(200, "text/html", format!("<html>{}", echo(seen))),
        |_| Reply::verbatim(500, "text/plain", format!("{}{KEY}", "x".repeat(280))).header("Retry-After", "0"),
        |seen| Reply::text(echo(seen)),
        |seen| Reply::verdict("warn", &echo(seen)),
        |seen| Reply::verdict("pass", &echo(seen)).model(echo(seen)),
        |seen| {
            Reply::calls(vec![
                Call::new(KEY, &json!({ "a": echo(seen) })).id(Id::Given(KEY.to_owned())),
            ])
        },
        |seen| {
            Reply::answer(Answer {
                reasoning: Some(echo(seen)),
                ..Answer::default()
            })
        },
        |seen| Reply::submit_files(&[("notes.md", &format!("{KEY} {HEADER_KEY}\n{}", seen.path))]),
    ]
}

/// Where the key comes from: what `config.yml` says, and what the environment holds.
fn sources(world: &World) -> Vec<(&'static str, String, bool)> {
    let script = world.sandbox.path().join("show-key");
    fs::write(&script, format!("#!/bin/sh\necho '{KEY}'\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    vec![
        ("literal", format!("api_key: {KEY}"), false),
        ("environment", "api_key_env: STUB_KEY".to_owned(), true),
        ("command", format!("api_key_ref: 'command:{}'", script.display()), false),
    ]
}

/// Looks for keys, and for half of one, which cutting before removing would leave.
#[track_caller]
fn clean(place: &str, bytes: &[u8]) {
    for key in [KEY, HEADER_KEY] {
        let half = &key.as_bytes()[..key.len() * 2 / 3];
        if let Some(at) = bytes.windows(half.len()).position(|window| window == half) {
            let around = &bytes[at.saturating_sub(300)..(at + 100).min(bytes.len())];
            panic!("a key is in {place}: …{}…", String::from_utf8_lossy(around));
        }
    }
}

/// Every file below a folder but those in which a key was put.
fn clean_below(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            clean_below(&path);
        } else if meta.is_file() && !path.ends_with("home/.snodo/config.yml") && !path.ends_with("show-key") {
            clean(&path.display().to_string(), path.to_str().unwrap().as_bytes());
            clean(&path.display().to_string(), &fs::read(&path).unwrap());
        }
    }
}

fn call(world: &World, in_environment: bool, arguments: &[&str]) -> Finished {
    let mut command = world.sandbox.command(arguments);
    command.env("SNODO_LOG", "trace");
    if in_environment {
        command.env("STUB_KEY", KEY);
    }
    let finished = Finished::of(&command.output().unwrap());
    // The control: that much is logged, by whoever asks.
    let silent = finished.code == 64 || arguments[1] == "resolve";
    assert!(silent || finished.stderr.contains("TRACE"), "{finished:#?}");
    clean("standard output", finished.stdout.as_bytes());
    clean("standard error", finished.stderr.as_bytes());
    finished
}

fn of_wire(wire: Wire) {
    let reply = std::sync::Arc::new(std::sync::Mutex::new(replies()[0]));
    let shared = std::sync::Arc::clone(&reply);
    let world = World::over(wire, move |seen: &Seen| {
        let reply = *shared.lock().unwrap();
        reply(seen)
    });
    let route = ["openai", "anthropic", "gemini"][Wire::ALL.iter().position(|known| *known == wire).unwrap()];
    let base = world.provider.base_url(wire);
    let sources = sources(&world);
    for (number, one) in replies().into_iter().enumerate() {
        *reply.lock().unwrap() = one;
        // Each reply with one source, in turn; and all of them over the formats.
        let (_, key, in_environment) = &sources[number % sources.len()];
        world.config(&format!(
            "model: stub/m\nllm: {{ num_retries: 1 }}\nproviders:\n  stub:\n    base_url: {base}\n    litellm_provider: {route}\n    {key}\n    extra_headers: {{ x-team-key: {HEADER_KEY} }}\n"
        ));
        for arguments in [
            &["run", "--json", "--coder", "agent", "Call it the project"][..],
            &["run", "--coder", "patch", PATCH],
            &["validate", "--phase", "pre_execute", "anything"],
            &["model", "check", "--json"],
            &["model", "check"],
            &["model", "resolve", "--json"],
            &["model", "resolve"],
        ] {
            call(&world, *in_environment, arguments);
        }
    }
    // The control: both were there to be said back.
    let asked = world.provider.requests();
    assert!(asked.len() > 40);
    for seen in &asked {
        for key in [KEY, HEADER_KEY] {
            assert!(seen.headers.iter().any(|(_, value)| value.contains(key)), "{seen:?}");
        }
    }
    clean_below(world.sandbox.path());
}

#[test]
fn no_key_is_in_anything_that_is_written_over_openais_format() {
    of_wire(Wire::OpenAi);
}

#[test]
fn no_key_is_in_anything_that_is_written_over_anthropics_format() {
    of_wire(Wire::Anthropic);
}

#[test]
fn no_key_is_in_anything_that_is_written_over_geminis_format() {
    of_wire(Wire::Gemini);
}

/// Without a protocol nothing judges before the coder, so that it is the coder who is told all that; and compiled plugins hold nothing of it.
#[test]
fn no_key_comes_to_a_plugin_or_stays_in_what_is_compiled() {
    for (number, reply) in replies().into_iter().enumerate() {
        let mut world = World::over(Wire::OpenAi, reply).without_a_protocol();
        if number == 0 {
            world.sandbox =
                std::mem::replace(&mut world.sandbox, crate::support::Sandbox::empty()).with_cache_of_its_own();
        }
        world.config(&format!(
            "model: stub/m\nllm: {{ num_retries: 1 }}\nproviders:\n  stub:\n    base_url: {}\n    litellm_provider: openai\n    api_key: {KEY}\n    extra_headers: {{ x-team-key: {HEADER_KEY} }}\n",
            world.provider.base_url(Wire::OpenAi)
        ));
        call(
            &world,
            false,
            &["run", "--json", "--coder", "agent", "Call it the project"],
        );
        let asker = crate::support::guest("guest_asker");
        let finished = call(
            &world,
            false,
            &[
                "run",
                "--json",
                "--coder",
                &asker,
                "--grant",
                "guest_asker:model",
                "Say what you know",
            ],
        );
        assert!(finished.json().get("outcome").is_some(), "{finished:#?}");
        clean_below(world.sandbox.path());
    }
}

#[test]
fn a_key_within_an_address_is_refused_and_not_repeated() {
    let world = World::new(|_: &Seen| Reply::text("ready"));
    for address in [
        format!("http://{KEY}@127.0.0.1/v1"),
        format!("http://me:{KEY}@127.0.0.1/v1"),
        format!("http://127.0.0.1/v1?key={KEY}"),
    ] {
        world.config(&format!(
            "model: stub/m\nproviders:\n  stub: {{ base_url: '{address}' }}\n"
        ));
        for arguments in [
            &["run", "--json", "--coder", "agent", "x"][..],
            &["run", "--coder", "agent", "x"],
            &["model", "resolve", "--json"],
            &["model", "resolve"],
            &["model", "check"],
        ] {
            let finished = call(&world, false, arguments);
            assert_eq!(finished.code, 64, "{finished:#?}");
        }
    }
    clean_below(world.sandbox.path());
    assert!(world.provider.requests().is_empty());
}
