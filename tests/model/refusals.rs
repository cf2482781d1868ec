//! What a provider refuses, and when it is asked again: cases E08 and E11.

use std::fmt::Write as _;
use std::io::{Read as _, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snodo_provider::{Provider, Reply, Seen, Wire, script};

use crate::world::{KEY, PATCH, World, call, ended, not_judged};

/// The judge before the coder is answered by these, one after the other; everybody else as they should be.
fn judged_by(wire: Wire, replies: Vec<Reply>) -> World {
    let queue = script::queue(replies);
    World::over(wire, move |seen: &Seen| {
        match seen.mentions("The task can be understood.") {
            true => queue(seen),
            false if seen.offers("submit_verdict") => Reply::verdict("pass", "good"),
            false => Reply::classify("feature"),
        }
    })
}

fn times_judged(world: &World) -> Vec<Instant> {
    let asked = world.provider.requests();
    let judge = asked.iter().filter(|seen| seen.mentions("The task can be understood."));
    judge.map(|seen| seen.at).collect()
}

#[test]
fn what_passes_by_is_tried_again_and_counted() {
    for (wire, replies) in [
        (
            Wire::OpenAi,
            vec![Reply::error(429, "rate_limit_exceeded", "later").header("Retry-After", "1")],
        ),
        (
            Wire::Anthropic,
            vec![Reply::error(529, "overloaded_error", "busy").header("Retry-After", "0")],
        ),
        (
            Wire::Gemini,
            vec![
                Reply::error(500, "INTERNAL", "oops").header("Retry-After", "0"),
                Reply::error(503, "UNAVAILABLE", "busy").header("Retry-After", "0"),
            ],
        ),
        (Wire::OpenAi, vec![Reply::reset()]),
        (Wire::OpenAi, vec![Reply::verdict("pass", "good").cut(20)]),
        (
            Wire::OpenAi,
            vec![Reply::error(429, "rate_limit_exceeded", "later").header("Retry-After", "abc")],
        ),
        (
            Wire::OpenAi,
            vec![Reply::error(503, "x", "later").header("Retry-After", "-1")],
        ),
    ] {
        let sent = replies.len() + 1;
        let world = judged_by(wire, [replies.clone(), vec![Reply::verdict("pass", "good")]].concat());
        let report = world.run(&["--coder", "patch", "--dry-run", PATCH]).completed();
        let calls = report["models"]["calls"].as_array().unwrap();
        let judge = calls.iter().find(|call| call["validator_id"] == "plan").unwrap();
        assert_eq!(judge["attempts"], sent, "{replies:?} {report:#}");
        let times = times_judged(&world);
        assert_eq!(times.len(), sent, "{replies:?}");
        if format!("{replies:?}").contains("\"Retry-After\", \"1\"") {
            assert!(times[1] - times[0] >= Duration::from_secs(1));
        }
    }
}

#[test]
fn what_does_not_pass_by_is_not_tried_again() {
    for (reply, kind) in [
        (
            Reply::error(400, "invalid_request_error", "429 Too Many Requests, rate limit, 503"),
            "refused",
        ),
        (Reply::error(401, "invalid_api_key", "no such key"), "refused"),
        (Reply::error(403, "x", "no"), "refused"),
        (Reply::error(404, "x", "no such model"), "refused"),
        (
            Reply::error(429, "insufficient_quota", "You exceeded your current quota"),
            "refused",
        ),
    ] {
        let world = judged_by(Wire::OpenAi, vec![reply.clone(), Reply::verdict("pass", "too late")]);
        let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
        not_judged(&report, "pre_execute", "plan");
        assert_eq!(ended(&report, "validator"), kind, "{reply:?}");
        assert_eq!(call(&report, "validator")["attempts"], 1);
        assert_eq!(times_judged(&world).len(), 1, "{reply:?}");
    }
}

#[test]
fn a_wait_that_is_asked_for_keeps_within_the_time_for_everything() {
    for asked in ["99999", "Thu, 01 Jan 2099 00:00:00 GMT"] {
        let world = judged_by(
            Wire::OpenAi,
            vec![
                Reply::error(429, "rate_limit_exceeded", "later").header("Retry-After", asked),
                Reply::verdict("pass", "too late"),
            ],
        );
        world.host_toml("[model]\nidle_seconds = 1\ntotal_seconds = 2\n");
        let started = Instant::now();
        let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
        assert!(started.elapsed() < Duration::from_secs(8), "{asked}");
        not_judged(&report, "pre_execute", "plan");
        assert_eq!(ended(&report, "validator"), "rate_limited", "{asked}");
        assert_eq!(times_judged(&world).len(), 1);
    }
}

#[test]
fn retries_end_where_the_user_says() {
    let world = World::new(|seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::error(503, "x", "busy now").header("Retry-After", "0"),
        false => Reply::classify("feature"),
    });
    world.config_with("llm: { num_retries: 2 }\n", Wire::OpenAi);
    let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
    assert!(not_judged(&report, "pre_execute", "plan").contains("busy now"));
    assert_eq!(ended(&report, "validator"), "unavailable");
    assert_eq!(call(&report, "validator")["attempts"], 3);
}

/// E08: to another host the key does not go, whatever kind of redirect says so.
#[test]
fn a_redirect_to_another_host_takes_no_key_along() {
    for (wire, status) in [(Wire::OpenAi, 307), (Wire::Anthropic, 308), (Wire::Gemini, 302)] {
        let other = Provider::start(script::run("pass", &[]));
        let target = format!("{}/chat/completions", other.base_url(Wire::OpenAi));
        let there = target.clone();
        let world = World::over(wire, move |_: &Seen| Reply::redirect(status, there.clone()));
        let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
        let why = not_judged(&report, "pre_execute", "plan");
        assert!(why.contains("redirect"), "{why}");
        assert_eq!(ended(&report, "validator"), "refused");
        assert_eq!(other.connections(), 0, "{wire:?}");

        // The control: whoever does follow it brings the key there.
        let asked = world.provider.requests();
        follow(&asked[0], &target, other.address());
        let got = other.requests();
        assert!(got[0].headers.iter().any(|(_, value)| value.contains(KEY)), "{got:?}");
    }
}

/// Sends a request again, to where a redirect leads, as a client does that knows no better.
fn follow(seen: &Seen, target: &str, address: SocketAddr) {
    let mut stream = TcpStream::connect(address).unwrap();
    let path = target.split_once(&address.to_string()).unwrap().1;
    let mut request = format!("POST {path} HTTP/1.1\r\n");
    for (name, value) in &seen.headers {
        write!(request, "{name}: {value}\r\n").unwrap();
    }
    stream.write_all(request.as_bytes()).unwrap();
    stream.write_all(b"\r\n").unwrap();
    stream.write_all(&seen.raw).unwrap();
    let _ = stream.read(&mut [0; 64]).unwrap();
}

/// Refuses a request that has one of these parameters.
fn particular(parameters: &'static [&'static str]) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    let content = script::run("pass", &[("README.md", "# The project\n")]);
    move |seen| {
        let Some(refused) = parameters.iter().find(|name| !seen.body[**name].is_null()) else {
            return content(seen);
        };
        let error = json!({ "error": {
            "message": format!("Unsupported parameter: '{refused}' is not supported with this model."),
            "type": "invalid_request_error", "param": refused, "code": "unsupported_parameter",
        }});
        Reply::verbatim(400, "application/json", error.to_string())
    }
}

/// E11
#[test]
fn a_parameter_that_a_model_does_not_take_is_left_out_and_that_is_said() {
    for (refused, adaptations) in [
        (&["max_tokens"][..], 1),
        (&["temperature"], 1),
        (&["max_tokens", "temperature"], 2),
        (&["temperature", "max_tokens"], 2),
    ] {
        let world = World::new(particular(refused));
        let report = world.run(&["--coder", "agent", "Call it the project"]).completed();
        for call in report["models"]["calls"].as_array().unwrap() {
            assert_eq!(call["adaptations"].as_array().unwrap().len(), adaptations, "{call:#}");
        }
        // It is learned once for all who share the client.
        let all = world.provider.requests().len();
        let calls = report["models"]["calls"].as_array().unwrap().len();
        assert_eq!(all, calls + adaptations, "{report:#}");
    }
    let world = World::new(particular(&["max_tokens", "max_completion_tokens", "temperature"]));
    let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
    assert!(not_judged(&report, "pre_execute", "plan").contains("max_completion_tokens"));
    assert_eq!(report["coder"], Value::Null);
    // Each of the two that asked (the classifier, the judge) was sent twice at most.
    assert!(world.provider.requests().len() <= 4);
}
