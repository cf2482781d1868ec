//! A conversation over several turns, and what is sent with each request.

use serde_json::json;
use snodo_config::model::{Header, KeySource, Wire};
use snodo_model::{Clients, LanguageModel as _};
use snodo_provider::{Answer, Call, Id, Provider, Reply, script};
use snodo_workspace::capability::{AssistantTurn, Message, ToolResult};

use crate::{KEY, WIRES, ask, binding, client, client_with, http, request, settings, spoken, terms};

#[tokio::test]
async fn calls_of_one_turn_are_all_answered_in_the_next() {
    for wire in WIRES {
        let provider = Provider::start(|seen| {
            if seen.turn() > 0 {
                return Reply::text(seen.tool_results().join("+"));
            }
            Reply::answer(Answer::calls(vec![
                Call::new("read_file", &json!({"path": "a"})).signature("signed"),
                Call::new("read_file", &json!({"path": "b"})).id(Id::Missing),
            ]))
        });
        let client = client(&provider, wire);
        let mut request = request();
        let first = client.ask(&request, &terms()).await.result.unwrap();
        request.messages.push(Message::Assistant(AssistantTurn {
            text: first.text,
            tool_calls: first.tool_calls.clone(),
        }));
        for (call, text) in first.tool_calls.iter().zip(["1", "2"]) {
            request.messages.push(Message::Tool(ToolResult {
                id: call.id.clone(),
                text: text.to_owned(),
            }));
        }
        let second = client.ask(&request, &terms()).await.result.unwrap();
        assert_eq!(second.text, "1+2", "{wire:?}");
        if wire == Wire::Gemini {
            let body = &provider.requests()[1].body;
            let parts = &body["contents"][1]["parts"];
            assert_eq!(parts[0]["thoughtSignature"], "signed");
            assert!(
                parts[1].get("thoughtSignature").is_none() && parts[0]["functionCall"].get("id").is_none(),
                "{parts}"
            );
        }
    }
}

#[tokio::test]
async fn keys_and_headers_are_where_each_format_wants_them() {
    let provider = Provider::start(script::always(Reply::text("ok")));
    for (wire, name, value) in [
        (Wire::OpenAi, "authorization", format!("Bearer {KEY}")),
        (Wire::Anthropic, "x-api-key", KEY.to_owned()),
        (Wire::Gemini, "x-goog-api-key", KEY.to_owned()),
    ] {
        let mut binding = binding(wire, provider.base_url(spoken(wire)));
        binding.headers.push(Header {
            name: "X-Session-Affinity".to_owned(),
            value: "run {task_id}".into(),
        });
        binding.headers.push(Header {
            name: "X-Title".to_owned(),
            value: "mine".into(),
        });
        assert!(ask(&client_with(binding, settings())).await.result.is_ok());
        let seen = provider.requests().pop().unwrap();
        assert_eq!(seen.header(name), Some(value.as_str()));
        assert_eq!(seen.header("x-session-affinity"), Some("run task-1"));
        assert_eq!(seen.header("x-title"), Some("mine"));
        assert_eq!(seen.header("anthropic-version").is_some(), wire == Wire::Anthropic);
        assert!(seen.header("user-agent").unwrap().starts_with("snodo-host/"));
        assert!(seen.header("cookie").is_none() && seen.query.is_empty());
        assert_eq!(seen.model, "m");
        let temperature = if wire == Wire::Gemini {
            &seen.body["generationConfig"]["temperature"]
        } else {
            &seen.body["temperature"]
        };
        assert_eq!(temperature.as_f64(), Some(0.0));
    }
}

#[tokio::test]
async fn a_task_id_cannot_become_another_header() {
    let provider = Provider::start(script::always(Reply::text("ok")));
    let mut binding = binding(Wire::OpenAi, provider.base_url(spoken(Wire::OpenAi)));
    binding.headers.push(Header {
        name: "x-task".to_owned(),
        value: "{task_id}".into(),
    });
    let mut terms = terms();
    terms.task_id = "a\r\nx-evil: 1\u{0}ä".to_owned();
    assert!(
        client_with(binding, settings())
            .ask(&request(), &terms)
            .await
            .result
            .is_ok()
    );
    let seen = provider.requests().pop().unwrap();
    assert_eq!(
        (seen.header("x-task"), seen.header("x-evil")),
        (Some("ax-evil:1"), None)
    );
}

#[tokio::test]
async fn roles_that_resolve_to_one_model_share_one_client() {
    let clients = Clients::new(http(), settings());
    let none = |_: &str| None;
    let one = clients
        .client(&binding(Wire::OpenAi, "http://127.0.0.1:9"), none)
        .await
        .unwrap();
    let same = clients
        .client(&binding(Wire::OpenAi, "http://127.0.0.1:9"), none)
        .await
        .unwrap();
    let other = clients
        .client(&binding(Wire::OpenAi, "http://127.0.0.1:10"), none)
        .await
        .unwrap();
    assert!(std::sync::Arc::ptr_eq(&one, &same) && !std::sync::Arc::ptr_eq(&one, &other));

    // A key that is not there is looked for once.
    let mut keyed = binding(Wire::OpenAi, "http://127.0.0.1:11");
    keyed.key = KeySource::Environment {
        name: "UNSET".to_owned(),
        place: "config.yml:9".to_owned(),
    };
    let looked = std::cell::Cell::new(0);
    for _ in 0..2 {
        let fault = clients
            .client(&keyed, |_| {
                looked.set(looked.get() + 1);
                None
            })
            .await
            .unwrap_err();
        assert!(
            fault.to_string().contains("`UNSET` is not set (config.yml:9)"),
            "{fault}"
        );
    }
    assert_eq!(looked.get(), 1);
}
