//! `POST …/chat/completions`, of `OpenAI` and of everything that speaks like it.

use serde_json::{Map, Value, json};
use snodo_workspace::capability::{Message, ToolChoice};

use super::{
    Draft, End, Said, SaidCall, Tokens, Unreadable, Unsendable, by_the_model, only, schema, text_of, thousandths,
};

/// Models that take neither `max_tokens` nor a temperature, by how their names begin (behind the last `/`). One that is missing here costs one refused
/// request ([`crate::adapt`]).
const REASONING: [&str; 4] = ["o1", "o3", "o4", "gpt-5"];

fn reasons(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or_default();
    REASONING.iter().any(|start| name.starts_with(start))
}

pub(super) fn body(draft: &Draft<'_>) -> Result<Value, Unsendable> {
    let mut body = Map::new();
    body.insert("model".into(), json!(draft.model));
    let messages: Vec<Value> = draft.request.messages.iter().map(message).collect();
    body.insert("messages".into(), json!(messages));
    let reasons = reasons(draft.model);
    let limit = if reasons || draft.adapted.completion_tokens {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    body.insert(limit.into(), json!(draft.max_tokens));
    if let Some(milli) = draft.temperature_milli
        && !reasons
        && !draft.adapted.no_temperature
    {
        body.insert("temperature".into(), thousandths(milli));
    }
    let mut tools = Vec::new();
    for tool in &draft.request.tools {
        let function = json!({"name": tool.name, "description": tool.description, "parameters": schema(tool)?});
        tools.push(json!({"type": "function", "function": function}));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), json!(tools));
        let choice = match &draft.request.tool_choice {
            // The default, which some servers take only unsaid. Several calls in one turn are the default too.
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required => Some(json!("required")),
            ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
        };
        if let Some(choice) = choice
            && !draft.adapted.no_tool_choice
        {
            body.insert("tool_choice".into(), choice);
        }
    }
    Ok(Value::Object(body))
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Tool(result) => json!({"role": "tool", "tool_call_id": result.id, "content": result.text}),
        Message::Assistant(turn) => {
            let mut object = Map::new();
            object.insert("role".into(), json!("assistant"));
            // A null content is refused by some servers where there are no calls, an empty one by others where there are.
            let content = if turn.text.is_empty() && !turn.tool_calls.is_empty() {
                Value::Null
            } else {
                json!(turn.text)
            };
            object.insert("content".into(), content);
            if !turn.tool_calls.is_empty() {
                let calls = turn.tool_calls.iter().map(|call| {
                    let function = json!({"name": call.name, "arguments": call.arguments});
                    json!({"id": call.id, "type": "function", "function": function})
                });
                object.insert("tool_calls".into(), calls.collect());
            }
            Value::Object(object)
        }
    }
}

pub(super) fn read(body: &Value) -> Result<Said, Unreadable> {
    let choices = body
        .get("choices")
        .ok_or(Unreadable::of("an answer without `choices`"))?;
    let choices = choices.as_array().ok_or(Unreadable::of("`choices` that are no list"))?;
    let choice = only(choices, "choice")?;
    let message = choice["message"]
        .as_object()
        .ok_or(Unreadable::of("a choice whose message is no object"))?;
    by_the_model(message.get("role"), "assistant")?;
    let mut said = Said {
        model: text_of(&body["model"]).map(str::to_owned),
        usage: Tokens {
            input: body["usage"]["prompt_tokens"].as_u64(),
            output: body["usage"]["completion_tokens"].as_u64(),
        },
        end: match &choice["finish_reason"] {
            Value::Null => End::Missing,
            Value::String(word) => end(word),
            _ => return Err(Unreadable::of("a `finish_reason` that is no text")),
        },
        ..Said::default()
    };
    match message.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => said.text.clone_from(text),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| content_part(part, &mut said)),
        Some(_) => return Err(Unreadable::of("a `content` that is neither text nor parts")),
    }
    // Three names for one thing: DeepSeek and vLLM, OpenRouter, and what OpenRouter keeps of it.
    said.reasoned |= ["reasoning_content", "reasoning", "reasoning_details"]
        .iter()
        .any(|name| {
            message
                .get(*name)
                .is_some_and(|value| text_of(value).is_some() || value.as_array().is_some_and(|all| !all.is_empty()))
        });
    if let Some(refusal) = message.get("refusal").and_then(text_of) {
        said.end = End::Filtered(refusal.to_owned());
    }
    match message.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) => {
            for call in calls {
                said.calls.push(tool_call(call)?);
            }
        }
        Some(_) => return Err(Unreadable::of("`tool_calls` that are no list")),
    }
    Ok(said)
}

/// Content in parts, as Mistral sends it.
fn content_part(part: &Value, said: &mut Said) {
    if part["type"] == "thinking" {
        said.reasoned = true;
    } else if let Some(text) = part["text"].as_str() {
        said.text.push_str(text);
    }
}

fn tool_call(call: &Value) -> Result<SaidCall, Unreadable> {
    let function = call["function"]
        .as_object()
        .ok_or(Unreadable::of("a tool call without a function"))?;
    let name = function
        .get("name")
        .and_then(text_of)
        .ok_or(Unreadable::of("a tool call without a name"))?;
    Ok(SaidCall {
        id: text_of(&call["id"]).map(str::to_owned),
        name: name.to_owned(),
        arguments: function.get("arguments").cloned(),
        signature: None,
    })
}

fn end(word: &str) -> End {
    match word {
        // The last three are those of text-generation servers that speak this format.
        "stop" | "stop_sequence" | "eos" | "eos_token" => End::Turn,
        "tool_calls" | "function_call" => End::Tools,
        "length" | "max_tokens" => End::Length,
        "content_filter" => End::Filtered("content_filter".to_owned()),
        other => End::Unknown(other.to_owned()),
    }
}
