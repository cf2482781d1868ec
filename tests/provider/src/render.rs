//! An answer in each of the wire formats.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Arguments, Call, Finish, Id};
use crate::seen::{Seen, Wire};

/// The body of an answer.
pub(crate) fn answer(answer: &Answer, seen: &Seen, wire: Wire) -> Value {
    let model = answer.model.clone().unwrap_or_else(|| seen.model.clone());
    match wire {
        Wire::OpenAi => openai(answer, &model, seen.number),
        Wire::Anthropic => anthropic(answer, &model, seen.number),
        Wire::Gemini => gemini(answer, &model),
    }
}

/// An answer without any choice in it.
pub(crate) fn no_choices(wire: Wire) -> Value {
    match wire {
        Wire::OpenAi => json!({"id": "chatcmpl-0", "object": "chat.completion", "model": "m", "choices": []}),
        Wire::Anthropic => {
            json!({"id": "msg_0", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": "end_turn"})
        }
        Wire::Gemini => json!({"candidates": [], "modelVersion": "m"}),
    }
}

/// An answer in which the message is null.
pub(crate) fn null_message(wire: Wire) -> Value {
    match wire {
        Wire::OpenAi => json!({"choices": [{"index": 0, "message": null, "finish_reason": "stop"}]}),
        Wire::Anthropic => json!({"type": "message", "role": "assistant", "content": null, "stop_reason": "end_turn"}),
        Wire::Gemini => json!({"candidates": [{"content": null, "finishReason": "STOP"}]}),
    }
}

/// An error object.
pub(crate) fn error(status: u16, code: &str, message: &str, wire: Wire) -> Value {
    match wire {
        Wire::OpenAi => json!({"error": {"message": message, "type": code, "param": null, "code": code}}),
        Wire::Anthropic => json!({"type": "error", "error": {"type": code, "message": message}}),
        Wire::Gemini => json!({"error": {"code": status, "message": message, "status": code}}),
    }
}

/// What a server says that streams although nobody asked it to.
pub(crate) fn events(body: &Value) -> String {
    format!("data: {body}\n\ndata: [DONE]\n\n")
}

fn finish(answer: &Answer, natural: &str, length: &str, filtered: &str) -> Option<Value> {
    match &answer.finish {
        Finish::Natural => Some(json!(natural)),
        Finish::Length => Some(json!(length)),
        Finish::Filtered => Some(json!(filtered)),
        Finish::Word(word) => Some(json!(word)),
        Finish::Null => Some(Value::Null),
        Finish::Missing => None,
    }
}

fn put(into: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        into.insert(key.to_owned(), value);
    }
}

fn id(call: &Call, position: usize, number: usize) -> Option<Value> {
    match &call.id {
        Id::Made => Some(json!(format!("call_{number}_{position}"))),
        Id::Given(id) => Some(json!(id)),
        Id::Null => Some(Value::Null),
        Id::Missing => None,
    }
}

fn bare(arguments: &Arguments) -> Option<Value> {
    match arguments {
        Arguments::Text(text) => Some(serde_json::from_str(text).unwrap_or_else(|_| json!(text))),
        Arguments::Bare(value) => Some(value.clone()),
        Arguments::Null => Some(Value::Null),
        Arguments::Missing => None,
    }
}

fn openai(answer: &Answer, model: &str, number: usize) -> Value {
    let mut message = Map::new();
    message.insert("role".into(), json!("assistant"));
    message.insert("content".into(), json!(answer.text));
    put(
        &mut message,
        "reasoning_content",
        answer.reasoning.as_ref().map(|text| json!(text)),
    );
    if !answer.calls.is_empty() {
        let calls: Vec<Value> = answer
            .calls
            .iter()
            .enumerate()
            .map(|(position, call)| {
                let mut function = Map::new();
                function.insert("name".into(), json!(call.name));
                let arguments = match &call.arguments {
                    Arguments::Text(text) => Some(json!(text)),
                    other => bare(other),
                };
                put(&mut function, "arguments", arguments);
                let mut object = Map::new();
                put(&mut object, "id", id(call, position, number));
                object.insert("type".into(), json!("function"));
                object.insert("function".into(), Value::Object(function));
                Value::Object(object)
            })
            .collect();
        message.insert("tool_calls".into(), json!(calls));
    }
    let mut choice = Map::new();
    choice.insert("index".into(), json!(0));
    choice.insert("message".into(), Value::Object(message));
    let natural = if answer.calls.is_empty() { "stop" } else { "tool_calls" };
    put(
        &mut choice,
        "finish_reason",
        finish(answer, natural, "length", "content_filter"),
    );
    let mut body = Map::new();
    body.insert("id".into(), json!(format!("chatcmpl-{number}")));
    body.insert("object".into(), json!("chat.completion"));
    body.insert("created".into(), json!(1_700_000_000));
    body.insert("model".into(), json!(model));
    body.insert("choices".into(), json!([choice]));
    let usage = answer.usage.map(
        |(input, output)| json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input.saturating_add(output)}),
    );
    put(&mut body, "usage", usage);
    Value::Object(body)
}

fn anthropic(answer: &Answer, model: &str, number: usize) -> Value {
    let mut content = Vec::new();
    if let Some(reasoning) = &answer.reasoning {
        content.push(json!({"type": "thinking", "thinking": reasoning, "signature": "c2lnbmF0dXJl"}));
    }
    if let Some(text) = &answer.text {
        content.push(json!({"type": "text", "text": text}));
    }
    for (position, call) in answer.calls.iter().enumerate() {
        let mut block = Map::new();
        block.insert("type".into(), json!("tool_use"));
        put(&mut block, "id", id(call, position, number));
        block.insert("name".into(), json!(call.name));
        put(&mut block, "input", bare(&call.arguments));
        content.push(Value::Object(block));
    }
    let mut body = Map::new();
    body.insert("id".into(), json!(format!("msg_{number}")));
    body.insert("type".into(), json!("message"));
    body.insert("role".into(), json!("assistant"));
    body.insert("model".into(), json!(model));
    body.insert("content".into(), json!(content));
    let natural = if answer.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    put(
        &mut body,
        "stop_reason",
        finish(answer, natural, "max_tokens", "refusal"),
    );
    body.insert("stop_sequence".into(), Value::Null);
    put(
        &mut body,
        "usage",
        answer
            .usage
            .map(|(input, output)| json!({"input_tokens": input, "output_tokens": output})),
    );
    Value::Object(body)
}

fn gemini(answer: &Answer, model: &str) -> Value {
    let mut parts = Vec::new();
    if let Some(reasoning) = &answer.reasoning {
        parts.push(json!({"text": reasoning, "thought": true}));
    }
    if let Some(text) = &answer.text {
        parts.push(json!({"text": text}));
    }
    for call in &answer.calls {
        let mut function = Map::new();
        function.insert("name".into(), json!(call.name));
        put(&mut function, "args", bare(&call.arguments));
        // Gemini gives no ids of itself.
        if let Id::Given(id) = &call.id {
            function.insert("id".into(), json!(id));
        }
        let mut part = Map::new();
        part.insert("functionCall".into(), Value::Object(function));
        put(
            &mut part,
            "thoughtSignature",
            call.signature.as_ref().map(|text| json!(text)),
        );
        parts.push(Value::Object(part));
    }
    let mut candidate = Map::new();
    candidate.insert("index".into(), json!(0));
    candidate.insert("content".into(), json!({"role": "model", "parts": parts}));
    put(
        &mut candidate,
        "finishReason",
        finish(answer, "STOP", "MAX_TOKENS", "SAFETY"),
    );
    let mut body = Map::new();
    body.insert("candidates".into(), json!([candidate]));
    body.insert("modelVersion".into(), json!(model));
    let usage = answer
        .usage
        .map(|(input, output)| json!({"promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input.saturating_add(output)}));
    put(&mut body, "usageMetadata", usage);
    Value::Object(body)
}
