//! The provider over a plain socket, as any client sees it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snodo_provider::{Answer, Arguments, Call, Choice, Finish, Id, Provider, Reply, Wire, script};

fn path(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "/v1/chat/completions?k=v",
        Wire::Anthropic => "/v1/messages",
        Wire::Gemini => "/v1beta/models/m:generateContent",
    }
}

fn connect(provider: &Provider, path: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(provider.address()).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

/// Status line and headers, and the body as far as it was announced, or to its end.
fn read(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap() == 0 {
            break;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .map(|count| count.parse::<u64>().unwrap());
    let mut body = Vec::new();
    stream.take(length.unwrap_or(u64::MAX)).read_to_end(&mut body).unwrap();
    (head, body)
}

fn ask(provider: &Provider, wire: Wire, body: &Value) -> Value {
    let (_, said) = read(&mut connect(provider, path(wire), body));
    serde_json::from_slice(&said).unwrap()
}

#[test]
fn a_verdict_in_each_wire_format() {
    let provider = Provider::start(script::always(Reply::verdict("warn", "hm")));
    let arguments = json!({"severity": "warn", "justification": "hm"});

    let said = ask(&provider, Wire::OpenAi, &json!({"model": "m"}));
    assert_eq!(said["choices"][0]["finish_reason"], "tool_calls");
    let function = &said["choices"][0]["message"]["tool_calls"][0]["function"];
    assert_eq!(function["name"], "submit_verdict");
    assert_eq!(
        serde_json::from_str::<Value>(function["arguments"].as_str().unwrap()).unwrap(),
        arguments
    );
    assert_eq!(said["usage"]["completion_tokens"], 7);

    let said = ask(&provider, Wire::Anthropic, &json!({"model": "m"}));
    assert_eq!(said["stop_reason"], "tool_use");
    assert_eq!(said["content"][0]["input"], arguments);

    let said = ask(&provider, Wire::Gemini, &json!({}));
    assert_eq!(
        said["candidates"][0]["content"]["parts"][0]["functionCall"]["args"],
        arguments
    );
    assert_eq!(said["modelVersion"], "m");
}

#[test]
fn what_was_asked_is_told_in_one_form() {
    let provider = Provider::start(script::always(Reply::text("ok")));
    ask(
        &provider,
        Wire::OpenAi,
        &json!({"model": "a", "tools": [{"type": "function", "function": {"name": "t"}}],
                "tool_choice": {"type": "function", "function": {"name": "t"}},
                "messages": [{"role": "assistant"}, {"role": "tool", "content": "r"}]}),
    );
    ask(
        &provider,
        Wire::Anthropic,
        &json!({"model": "a", "tools": [{"name": "t"}], "tool_choice": {"type": "tool", "name": "t"},
                "messages": [{"role": "assistant"}, {"role": "user", "content": [{"type": "tool_result", "content": "r"}]}]}),
    );
    ask(
        &provider,
        Wire::Gemini,
        &json!({"tools": [{"functionDeclarations": [{"name": "t"}]}],
                "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["t"]}},
                "contents": [{"role": "model"}, {"role": "user", "parts": [
                    {"functionResponse": {"name": "t", "response": {"result": "r"}}}]}]}),
    );
    let all = provider.requests();
    assert_eq!(all.iter().map(|seen| seen.wire.unwrap()).collect::<Vec<_>>(), Wire::ALL);
    for seen in &all {
        assert_eq!(seen.model, if seen.wire == Some(Wire::Gemini) { "m" } else { "a" });
        assert_eq!(seen.tools, ["t"]);
        assert_eq!(seen.tool_choice, Choice::Named("t".into()));
        assert_eq!(seen.tool_results(), ["r"]);
        assert_eq!(seen.turn(), 1);
        assert_eq!(seen.header("AUTHORIZATION"), Some("Bearer k"));
    }
    assert_eq!(
        (all[0].path.as_str(), all[0].query.as_str()),
        ("/v1/chat/completions", "k=v")
    );
}

#[test]
fn calls_in_every_form() {
    let calls = || {
        vec![
            Call::raw("a", "{\"cut").id(Id::Missing),
            Call::with("b", Arguments::Bare(json!({"x": 1}))).id(Id::Null),
            Call::with("c", Arguments::Missing).signature("s"),
        ]
    };
    let provider = Provider::start(move |_| {
        Reply::answer(Answer {
            finish: Finish::Missing,
            ..Answer::calls(calls())
        })
    });
    let said = ask(&provider, Wire::OpenAi, &json!({}));
    let choice = &said["choices"][0];
    assert!(choice.get("finish_reason").is_none());
    let calls = &choice["message"]["tool_calls"];
    assert!(calls[0].get("id").is_none() && calls[1]["id"].is_null() && calls[2]["id"] == "call_0_2");
    assert_eq!(calls[0]["function"]["arguments"], "{\"cut");
    assert_eq!(calls[1]["function"]["arguments"], json!({"x": 1}));
    assert!(calls[2]["function"].get("arguments").is_none());
    let said = ask(&provider, Wire::Gemini, &json!({}));
    assert_eq!(said["candidates"][0]["content"]["parts"][2]["thoughtSignature"], "s");
}

#[test]
fn replies_in_turn_and_by_tool() {
    let provider = Provider::start(script::queue([
        Reply::text("1"),
        Reply::error(429, "insufficient_quota", "no").header("Retry-After", "1"),
    ]));
    assert_eq!(ask(&provider, Wire::Anthropic, &json!({}))["content"][0]["text"], "1");
    let (head, body) = read(&mut connect(&provider, path(Wire::OpenAi), &json!({})));
    assert!(head.starts_with("HTTP/1.1 429 ") && head.contains("Retry-After: 1\r\n"));
    assert!(
        String::from_utf8(body)
            .unwrap()
            .contains("\"code\":\"insufficient_quota\"")
    );
    assert!(
        read(&mut connect(&provider, path(Wire::OpenAi), &json!({})))
            .0
            .starts_with("HTTP/1.1 418 ")
    );

    let provider = Provider::start(script::run("blocker", &[("a", "b")]));
    let offer = |tool: &str| json!({"tools": [{"name": tool}]});
    let ask = |body: &Value| ask(&provider, Wire::Anthropic, body)["content"][0].clone();
    assert_eq!(ask(&offer("submit_verdict"))["input"]["severity"], "blocker");
    assert_eq!(ask(&offer("submit_files"))["name"], "submit_files");
    assert_eq!(ask(&json!({}))["text"], "{\"flow_type\":\"feature\"}");
    assert_eq!(ask(&offer("classify_task"))["input"]["flow_type"], "feature");
}

#[test]
fn a_path_of_no_provider_shows_a_page() {
    let provider = Provider::start(script::always(Reply::text("1")));
    let (head, body) = read(&mut connect(&provider, "/v1/v1/other", &json!({})));
    assert!(head.starts_with("HTTP/1.1 404 ") && body.starts_with(b"<!DOCTYPE html>"));
    assert_eq!(provider.requests()[0].path, "/v1/v1/other");
}

#[test]
fn it_goes_wrong_on_the_wire() {
    let provider = Provider::start(script::queue([
        Reply::text("1").cut(5),
        Reply::reset(),
        Reply::text("1").drip(Duration::from_millis(1)),
        Reply::text("1").gzip(),
        Reply::text("1").never_closes(),
        Reply::huge(1_000_000),
        Reply::gzip_bomb(1_000_000),
        Reply::events("1"),
    ]));
    let open = |wire| connect(&provider, path(wire), &json!({}));
    let (head, body) = read(&mut open(Wire::OpenAi));
    assert!(body.len() == 5 && !head.contains("Content-Length: 5\r\n"));
    assert!(open(Wire::OpenAi).read(&mut [0]).is_err());
    let start = Instant::now();
    let (_, body) = read(&mut open(Wire::OpenAi));
    assert!(start.elapsed() >= Duration::from_millis(body.len() as u64));
    let (head, body) = read(&mut open(Wire::OpenAi));
    assert!(head.contains("Content-Encoding: gzip") && body.starts_with(&[0x1f, 0x8b]));
    let mut stream = open(Wire::OpenAi);
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut all = Vec::new();
    assert!(stream.read_to_end(&mut all).is_err());
    assert!(all.ends_with(b"}"));
    assert!(read(&mut open(Wire::OpenAi)).1.len() > 1_000_000);
    assert!(read(&mut open(Wire::OpenAi)).1.len() < 10_000);
    assert!(read(&mut open(Wire::Gemini)).1.starts_with(b"data: {"));
    assert!(provider.bytes_sent() > 1_000_000);
}

/// With the system's own tool: the compressor against itself would show nothing.
#[test]
fn what_is_compressed_can_be_read() {
    let provider = Provider::start(script::queue([Reply::text("1").gzip(), Reply::gzip_bomb(3_000_000)]));
    for (expected, closed) in [(100, true), (2_900_000, false)] {
        let (_, body) = read(&mut connect(&provider, path(Wire::OpenAi), &json!({})));
        let started = std::process::Command::new("gzip")
            .arg("-dc")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn();
        let Ok(mut child) = started else { return };
        let mut input = child.stdin.take().unwrap();
        let writing = std::thread::spawn(move || input.write_all(&body));
        let out = child.wait_with_output().unwrap();
        let _ = writing.join().unwrap();
        assert!(out.stdout.len() > expected, "{}", out.stdout.len());
        assert_eq!(serde_json::from_slice::<Value>(&out.stdout).is_ok(), closed);
    }
}

#[test]
fn dropping_it_ends_stalls_at_once() {
    let provider = Provider::start(script::queue([
        Reply::stall(),
        Reply::text("1").stall_after(3),
        Reply::text("1").delay(Duration::from_mins(1)),
    ]));
    let mut streams: Vec<_> = (0..3)
        .map(|_| connect(&provider, path(Wire::OpenAi), &json!({})))
        .collect();
    assert!(provider.wait_for(3, Duration::from_secs(5)));
    let start = Instant::now();
    drop(provider);
    assert!(start.elapsed() < Duration::from_secs(1));
    for stream in &mut streams {
        let _ = stream.read_to_end(&mut Vec::new());
    }
}
