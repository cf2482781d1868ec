//! `POST …/messages`, version 2023-06-01.

use serde_json::{Map, Value, json};
use snodo_workspace::capability::{Message, ToolChoice};

use super::{
    Draft, End, Said, SaidCall, Tokens, Unreadable, Unsendable, by_the_model, earlier, schema, text_of, thousandths,
};

/// The highest temperature of this format, in thousandths.
const HOTTEST: u32 = 1000;

pub(super) fn body(draft: &Draft<'_>) -> Result<Value, Unsendable> {
    let mut body = Map::new();
    body.insert("model".into(), json!(draft.model));
    body.insert("max_tokens".into(), json!(draft.max_tokens));
    let (system, messages) = conversation(&draft.request.messages)?;
    if !system.is_empty() {
        body.insert("system".into(), json!(system));
    }
    body.insert("messages".into(), json!(messages));
    if let Some(milli) = draft.temperature_milli
        && !draft.adapted.no_temperature
    {
        body.insert("temperature".into(), thousandths(milli.min(HOTTEST)));
    }
    let mut tools = Vec::new();
    for tool in &draft.request.tools {
        tools.push(json!({"name": tool.name, "description": tool.description, "input_schema": schema(tool)?}));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), json!(tools));
        let choice = match &draft.request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({"type": "none"})),
            ToolChoice::Required => Some(json!({"type": "any"})),
            ToolChoice::Named(name) => Some(json!({"type": "tool", "name": name})),
        };
        if let Some(choice) = choice
            && !draft.adapted.no_tool_choice
        {
            body.insert("tool_choice".into(), choice);
        }
    }
    Ok(Value::Object(body))
}

/// Instructions apart from the turns, and turns that alternate: neighbours of one side become one message, since this format refuses two. An
/// instruction in the middle of a conversation stays where it is, as the user's.
fn conversation(messages: &[Message]) -> Result<(String, Vec<Value>), Unsendable> {
    let leading = messages
        .iter()
        .take_while(|message| matches!(message, Message::System(_)))
        .count();
    // A conversation of nothing but instructions needs someone who asks.
    let leading = if leading == messages.len() {
        leading - 1
    } else {
        leading
    };
    let mut system = Vec::new();
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        let (role, blocks) = match message {
            Message::System(text) if position < leading => {
                system.push(text.as_str());
                continue;
            }
            Message::System(text) | Message::User(text) => ("user", text_block(text)),
            Message::Tool(result) => {
                let block = json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text});
                ("user", vec![block])
            }
            Message::Assistant(turn) => {
                let mut blocks = text_block(&turn.text);
                for call in &turn.tool_calls {
                    let input = earlier(&call.name, &call.arguments)?;
                    blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
                }
                ("assistant", blocks)
            }
        };
        match turns.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    // Empty blocks and empty messages are refused.
    turns.retain(|(_, blocks)| !blocks.is_empty());
    let turns = turns
        .into_iter()
        .map(|(role, blocks)| json!({"role": role, "content": blocks}));
    Ok((system.join("\n\n"), turns.collect()))
}

fn text_block(text: &str) -> Vec<Value> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    vec![json!({"type": "text", "text": text})]
}

pub(super) fn read(body: &Value) -> Result<Said, Unreadable> {
    let content = body
        .get("content")
        .ok_or(Unreadable::of("an answer without `content`"))?;
    let content = content
        .as_array()
        .ok_or(Unreadable::of("a `content` that is no list"))?;
    by_the_model(body.get("role"), "assistant")?;
    let usage = &body["usage"];
    // What was read from the provider's cache was sent all the same.
    let cached = ["cache_read_input_tokens", "cache_creation_input_tokens"];
    let cached: u64 = cached
        .iter()
        .filter_map(|name| usage[*name].as_u64())
        .fold(0, u64::saturating_add);
    let mut said = Said {
        model: text_of(&body["model"]).map(str::to_owned),
        usage: Tokens {
            input: usage["input_tokens"].as_u64().map(|input| input.saturating_add(cached)),
            output: usage["output_tokens"].as_u64(),
        },
        end: match &body["stop_reason"] {
            Value::Null => End::Missing,
            Value::String(word) => end(word),
            _ => return Err(Unreadable::of("a `stop_reason` that is no text")),
        },
        ..Said::default()
    };
    for block in content {
        match block["type"].as_str() {
            Some("text") => said.text.push_str(
                block["text"]
                    .as_str()
                    .ok_or(Unreadable::of("a text block without text"))?,
            ),
            Some("thinking" | "redacted_thinking") => said.reasoned = true,
            Some("tool_use") => said.calls.push(SaidCall {
                id: text_of(&block["id"]).map(str::to_owned),
                name: text_of(&block["name"])
                    .ok_or(Unreadable::of("a tool call without a name"))?
                    .to_owned(),
                arguments: block.get("input").cloned(),
                signature: None,
            }),
            // What the provider's own tools did, which nobody asked for.
            Some(_) => {}
            None => return Err(Unreadable::of("a block of `content` without a type")),
        }
    }
    Ok(said)
}

fn end(word: &str) -> End {
    match word {
        "end_turn" | "stop_sequence" => End::Turn,
        "tool_use" => End::Tools,
        "max_tokens" | "model_context_window_exceeded" => End::Length,
        "refusal" => End::Filtered("refusal".to_owned()),
        other => End::Unknown(other.to_owned()),
    }
}
