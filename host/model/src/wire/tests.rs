#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::json;
use snodo_workspace::capability::{AssistantTurn, Message, Tool, ToolCall, ToolChoice, ToolResult};

use super::*;

fn conversation() -> Vec<Message> {
    let call = |id: &str, name: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: "{\"path\":\"a\"}".to_owned(),
    };
    let result = |id: &str, text: &str| {
        Message::Tool(ToolResult {
            id: id.to_owned(),
            text: text.to_owned(),
        })
    };
    vec![
        Message::System("one".to_owned()),
        Message::System("two".to_owned()),
        Message::User("question".to_owned()),
        Message::Assistant(AssistantTurn {
            text: "looking".to_owned(),
            tool_calls: vec![call("given", "read_file"), call("host_call_0", "list_files")],
        }),
        result("given", "content"),
        result("host_call_0", ""),
        Message::System("hurry".to_owned()),
    ]
}

fn request(messages: Vec<Message>, tool_choice: ToolChoice) -> Request {
    Request {
        messages,
        tools: vec![Tool {
            name: "read_file".to_owned(),
            description: "Reads.".to_owned(),
            parameters: "{\"type\":\"object\"}".to_owned(),
        }],
        tool_choice,
        max_tokens: None,
        temperature_milli: None,
    }
}

fn sent(wire: Wire, model: &str, request: &Request, adapted: Adapted) -> Result<Value, Unsendable> {
    let signatures = Signatures::default();
    signatures.keep("given", "thought".to_owned());
    let draft = Draft {
        request,
        model,
        max_tokens: 1500,
        temperature_milli: Some(700),
        adapted,
        signatures: &signatures,
    };
    body(wire, &draft)
}

#[test]
fn a_conversation_in_the_openai_format() {
    let request = request(conversation(), ToolChoice::Named("read_file".to_owned()));
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"path\":\"a\"}"}});
    assert_eq!(
        sent(Wire::OpenAi, "m", &request, Adapted::default()).unwrap(),
        json!({
            "model": "m", "max_tokens": 1500, "temperature": 0.7,
            "messages": [
                {"role": "system", "content": "one"},
                {"role": "system", "content": "two"},
                {"role": "user", "content": "question"},
                {"role": "assistant", "content": "looking", "tool_calls": [call("given", "read_file"), call("host_call_0", "list_files")]},
                {"role": "tool", "tool_call_id": "given", "content": "content"},
                {"role": "tool", "tool_call_id": "host_call_0", "content": ""},
                {"role": "system", "content": "hurry"},
            ],
            "tools": [{"type": "function", "function": {"name": "read_file", "description": "Reads.", "parameters": {"type": "object"}}}],
            "tool_choice": {"type": "function", "function": {"name": "read_file"}},
        })
    );
}

#[test]
fn a_conversation_in_the_anthropic_format() {
    let request = request(conversation(), ToolChoice::Named("read_file".to_owned()));
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {"path": "a"}});
    assert_eq!(
        sent(Wire::Anthropic, "m", &request, Adapted::default()).unwrap(),
        json!({
            "model": "m", "max_tokens": 1500, "temperature": 0.7, "system": "one\n\ntwo",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "question"}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "looking"}, call("given", "read_file"), call("host_call_0", "list_files")]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "given", "content": "content"},
                    {"type": "tool_result", "tool_use_id": "host_call_0", "content": ""},
                    {"type": "text", "text": "hurry"}]},
            ],
            "tools": [{"name": "read_file", "description": "Reads.", "input_schema": {"type": "object"}}],
            "tool_choice": {"type": "tool", "name": "read_file"},
        })
    );
}

#[test]
fn a_conversation_in_the_gemini_format() {
    let request = request(conversation(), ToolChoice::Named("read_file".to_owned()));
    assert_eq!(
        sent(Wire::Gemini, "gemini-2.5-pro", &request, Adapted::default()).unwrap(),
        json!({
            "systemInstruction": {"parts": [{"text": "one\n\ntwo"}]},
            "contents": [
                {"role": "user", "parts": [{"text": "question"}]},
                {"role": "model", "parts": [
                    {"text": "looking"},
                    {"functionCall": {"name": "read_file", "args": {"path": "a"}, "id": "given"}, "thoughtSignature": "thought"},
                    {"functionCall": {"name": "list_files", "args": {"path": "a"}}}]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "read_file", "response": {"result": "content"}, "id": "given"}},
                    {"functionResponse": {"name": "list_files", "response": {"result": ""}}},
                    {"text": "hurry"}]},
            ],
            "generationConfig": {"maxOutputTokens": 1500, "temperature": 0.7},
            "tools": [{"functionDeclarations": [
                {"name": "read_file", "description": "Reads.", "parametersJsonSchema": {"type": "object"}}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read_file"]}},
        })
    );
}

#[test]
fn every_tool_choice() {
    let choices = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required];
    for (choice, openai, anthropic, gemini) in [
        (&choices[0], json!(null), json!(null), json!(null)),
        (
            &choices[1],
            json!("none"),
            json!({"type": "none"}),
            json!({"mode": "NONE"}),
        ),
        (
            &choices[2],
            json!("required"),
            json!({"type": "any"}),
            json!({"mode": "ANY"}),
        ),
    ] {
        let mut request = request(conversation(), choice.clone());
        let of = |wire| sent(wire, "m", &request, Adapted::default()).unwrap();
        assert_eq!(of(Wire::OpenAi)["tool_choice"], openai);
        assert_eq!(of(Wire::Anthropic)["tool_choice"], anthropic);
        assert_eq!(of(Wire::Gemini)["toolConfig"]["functionCallingConfig"], gemini);
        // Without tools there is nothing to choose from, and servers refuse the choice.
        request.tools.clear();
        for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
            let body = sent(wire, "m", &request, Adapted::default()).unwrap();
            assert!(
                ["tools", "tool_choice", "toolConfig"]
                    .iter()
                    .all(|name| body.get(name).is_none()),
                "{body}"
            );
        }
    }
}

#[test]
fn models_that_take_no_temperature_get_none() {
    let request = request(conversation(), ToolChoice::Auto);
    let of = |wire, model: &str| sent(wire, model, &request, Adapted::default()).unwrap();
    for model in ["o3-mini", "openai/o4", "gpt-5.1"] {
        let body = of(Wire::OpenAi, model);
        assert!(
            body.get("temperature").is_none() && body.get("max_tokens").is_none(),
            "{body}"
        );
        assert_eq!(body["max_completion_tokens"], 1500);
    }
    for (model, temperature) in [
        ("gemini-3-pro", false),
        ("models/gemini-3.5-flash", false),
        ("gemini-10", false),
        ("gemini-2.5-flash", true),
        ("gemini-1.5-pro", true),
        ("gemma-3", true),
    ] {
        assert_eq!(
            of(Wire::Gemini, model)["generationConfig"].get("temperature").is_some(),
            temperature,
            "{model}"
        );
    }
    let adapted = Adapted {
        completion_tokens: true,
        no_temperature: true,
        no_tool_choice: true,
    };
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
        let body = sent(wire, "m", &request, adapted).unwrap().to_string();
        assert!(
            !body.contains("temperature") && !body.contains("tool_choice") && !body.contains("toolConfig"),
            "{body}"
        );
    }
}

#[test]
fn what_cannot_be_sent_is_said_before_it_is() {
    let with = |messages: Vec<Message>| request(messages, ToolChoice::Auto);
    let fault = |wire, request: &Request| sent(wire, "m", request, Adapted::default()).unwrap_err();
    let mut bad_schema = with(conversation());
    bad_schema.tools[0].parameters = "[]".to_owned();
    let bad_arguments = with(vec![Message::Assistant(AssistantTurn {
        text: String::new(),
        tool_calls: vec![ToolCall {
            id: "1".to_owned(),
            name: "t".to_owned(),
            arguments: "[1]".to_owned(),
        }],
    })]);
    let orphan = with(vec![Message::Tool(ToolResult {
        id: "1".to_owned(),
        text: String::new(),
    })]);
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
        assert_eq!(fault(wire, &with(Vec::new())), Unsendable::Empty);
        assert_eq!(fault(wire, &bad_schema), Unsendable::Parameters("read_file".to_owned()));
    }
    for wire in [Wire::Anthropic, Wire::Gemini] {
        assert_eq!(fault(wire, &bad_arguments), Unsendable::Arguments("t".to_owned()));
    }
    assert_eq!(fault(Wire::Gemini, &orphan), Unsendable::Orphan("1".to_owned()));
}

#[test]
fn instructions_alone_are_asked_as_a_question() {
    let request = request(
        vec![Message::System("one".to_owned()), Message::System("two".to_owned())],
        ToolChoice::Auto,
    );
    let body = sent(Wire::Anthropic, "m", &request, Adapted::default()).unwrap();
    assert_eq!(
        (&body["system"], &body["messages"][0]["content"][0]["text"]),
        (&json!("one"), &json!("two"))
    );
    let body = sent(Wire::Gemini, "m", &request, Adapted::default()).unwrap();
    assert_eq!(body["contents"][0]["parts"][0]["text"], "two");
}

#[test]
fn usage_counts_what_was_cached_and_what_was_thought() {
    let said = read(
        Wire::Anthropic,
        &json!({"content": [], "usage": {"input_tokens": 1, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 4, "output_tokens": 8}}),
    );
    assert_eq!(
        said.unwrap().usage,
        Tokens {
            input: Some(7),
            output: Some(8)
        }
    );
    let said = read(
        Wire::Gemini,
        &json!({"candidates": [{"content": {}}], "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "thoughtsTokenCount": 4}}),
    );
    assert_eq!(
        said.unwrap().usage,
        Tokens {
            input: Some(1),
            output: Some(6)
        }
    );
}

/// Every value of a document, by its place.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(n, item)| places(item, &format!("{at}/{n}"), all)),
        Value::Object(items) => items
            .iter()
            .for_each(|(name, item)| places(item, &format!("{at}/{name}"), all)),
        _ => {}
    }
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!("stop")),
        Just(json!("{\"severity\": \"pass\"")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(
                prop::sample::select(vec![
                    "type",
                    "text",
                    "name",
                    "id",
                    "function",
                    "arguments",
                    "functionCall",
                    "content",
                    "parts"
                ]),
                inner,
                0..4
            )
            .prop_map(|map| map.into_iter().collect::<Value>()),
        ]
    })
}

fn whole(wire: Wire) -> Value {
    match wire {
        Wire::OpenAi => {
            json!({"model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 1}, "choices": [{"finish_reason": "tool_calls", "message": {
            "content": "see", "reasoning_content": "r", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "t", "arguments": "{\"a\":1}"}}]}}]})
        }
        Wire::Anthropic => {
            json!({"model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}, "stop_reason": "tool_use", "content": [
            {"type": "thinking", "thinking": "r"}, {"type": "text", "text": "see"}, {"type": "tool_use", "id": "1", "name": "t", "input": {"a": 1}}]})
        }
        Wire::Gemini => {
            json!({"modelVersion": "m", "usageMetadata": {"promptTokenCount": 1}, "candidates": [{"finishReason": "STOP", "content": {"parts": [
            {"text": "r", "thought": true}, {"text": "see"}, {"functionCall": {"name": "t", "args": {"a": 1}}, "thoughtSignature": "s"}]}}]})
        }
    }
}

proptest! {
    /// An answer with anything at all in any of its places: it is read or refused, and what is accepted can be acted upon.
    #[test]
    fn whatever_is_in_an_answer_it_is_accepted_whole_or_not_at_all(
        wire in prop::sample::select(vec![Wire::OpenAi, Wire::Anthropic, Wire::Gemini]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), anything()), 0..4),
    ) {
        let mut body = whole(wire);
        for (place, value) in changes {
            let mut all = Vec::new();
            places(&body, "", &mut all);
            let place = place.get(&all);
            *body.pointer_mut(place).unwrap() = value;
        }
        let signatures = Signatures::default();
        if let Ok(said) = read(wire, &body)
            && let Ok(accepted) = accept(said, &signatures)
        {
            prop_assert!(!accepted.text.trim().is_empty() || !accepted.tool_calls.is_empty());
            for call in &accepted.tool_calls {
                prop_assert!(!call.id.is_empty() && !call.name.is_empty());
                prop_assert!(serde_json::from_str::<Value>(&call.arguments).unwrap().is_object());
            }
        }
        let _ = failure::of(&body);
        let _ = failure::of_failed(body.to_string().as_bytes());
    }
}
