//! `POST …/v1beta/models/{model}:generateContent`.
//!
//! This format ties a function's response to its call by name and order, and gives calls no ids; ids are the host's. With the newer models a call
//! comes with a signature of the thought that led to it and is refused later without: [`super::signatures`] keeps it.

use serde_json::{Map, Value, json};
use snodo_workspace::capability::{Message, ToolChoice};

use super::signatures::is_ours;
use super::{
    Draft, End, Said, SaidCall, Tokens, Unreadable, Unsendable, by_the_model, earlier, only, schema, text_of,
    thousandths,
};

/// From this generation on the provider wants its own temperature left alone: below it, these models loop.
const OWN_TEMPERATURE: u32 = 3;

/// `models/gemini-3-pro` → 3.
fn generation(model: &str) -> Option<u32> {
    let name = model.rsplit('/').next()?.strip_prefix("gemini-")?;
    let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
    name[..digits].parse().ok()
}

pub(super) fn body(draft: &Draft<'_>) -> Result<Value, Unsendable> {
    let mut body = Map::new();
    let (system, contents) = conversation(draft)?;
    if !system.is_empty() {
        body.insert("systemInstruction".into(), json!({"parts": [{"text": system}]}));
    }
    body.insert("contents".into(), json!(contents));
    let mut generating = Map::new();
    generating.insert("maxOutputTokens".into(), json!(draft.max_tokens));
    if let Some(milli) = draft.temperature_milli
        && !draft.adapted.no_temperature
        && generation(draft.model).is_none_or(|generation| generation < OWN_TEMPERATURE)
    {
        generating.insert("temperature".into(), thousandths(milli));
    }
    body.insert("generationConfig".into(), Value::Object(generating));
    let mut functions = Vec::new();
    for tool in &draft.request.tools {
        // `parameters` takes a part of OpenAPI, this one JSON Schema.
        functions
            .push(json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": schema(tool)?}));
    }
    if !functions.is_empty() {
        body.insert("tools".into(), json!([{"functionDeclarations": functions}]));
        let calling = match &draft.request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({"mode": "NONE"})),
            ToolChoice::Required => Some(json!({"mode": "ANY"})),
            ToolChoice::Named(name) => Some(json!({"mode": "ANY", "allowedFunctionNames": [name]})),
        };
        if let Some(calling) = calling
            && !draft.adapted.no_tool_choice
        {
            body.insert("toolConfig".into(), json!({"functionCallingConfig": calling}));
        }
    }
    Ok(Value::Object(body))
}

/// Instructions apart from the turns; an instruction in the middle stays where it is, as the user's.
fn conversation(draft: &Draft<'_>) -> Result<(String, Vec<Value>), Unsendable> {
    let messages = &draft.request.messages;
    let leading = messages
        .iter()
        .take_while(|message| matches!(message, Message::System(_)))
        .count();
    let leading = if leading == messages.len() {
        leading - 1
    } else {
        leading
    };
    let mut system = Vec::new();
    let mut names: std::collections::BTreeMap<&str, &str> = std::collections::BTreeMap::new();
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        let (role, parts) = match message {
            Message::System(text) if position < leading => {
                system.push(text.as_str());
                continue;
            }
            Message::System(text) | Message::User(text) => ("user", text_part(text)),
            Message::Tool(result) => {
                let name = names
                    .get(result.id.as_str())
                    .ok_or_else(|| Unsendable::Orphan(result.id.clone()))?;
                let mut response = json!({"name": name, "response": {"result": result.text}});
                put_id(&mut response, &result.id);
                ("user", vec![json!({"functionResponse": response})])
            }
            Message::Assistant(turn) => {
                let mut parts = text_part(&turn.text);
                for call in &turn.tool_calls {
                    names.insert(&call.id, &call.name);
                    let mut function = json!({"name": call.name, "args": earlier(&call.name, &call.arguments)?});
                    put_id(&mut function, &call.id);
                    let mut part = json!({"functionCall": function});
                    if let Some(signature) = draft.signatures.of(&call.id) {
                        part["thoughtSignature"] = json!(signature);
                    }
                    parts.push(part);
                }
                ("model", parts)
            }
        };
        match turns.last_mut() {
            Some((last, before)) if *last == role => before.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    turns.retain(|(_, parts)| !parts.is_empty());
    let turns = turns
        .into_iter()
        .map(|(role, parts)| json!({"role": role, "parts": parts}));
    Ok((system.join("\n\n"), turns.collect()))
}

/// An id goes back only where the provider gave it.
fn put_id(object: &mut Value, id: &str) {
    if !is_ours(id) {
        object["id"] = json!(id);
    }
}

fn text_part(text: &str) -> Vec<Value> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![json!({"text": text})]
    }
}

pub(super) fn read(body: &Value) -> Result<Said, Unreadable> {
    let mut said = Said {
        model: text_of(&body["modelVersion"]).map(str::to_owned),
        usage: usage(&body["usageMetadata"]),
        ..Said::default()
    };
    // Nothing is answered where the question was refused.
    if let Some(reason) = text_of(&body["promptFeedback"]["blockReason"]) {
        said.end = End::Filtered(reason.to_owned());
        return Ok(said);
    }
    let candidates = body
        .get("candidates")
        .ok_or(Unreadable::of("an answer without `candidates`"))?;
    let candidates = candidates
        .as_array()
        .ok_or(Unreadable::of("`candidates` that are no list"))?;
    let candidate = only(candidates, "candidate")?;
    by_the_model(candidate["content"].get("role"), "model")?;
    said.end = match &candidate["finishReason"] {
        Value::Null => End::Missing,
        Value::String(word) => end(word),
        _ => return Err(Unreadable::of("a `finishReason` that is no text")),
    };
    let parts = &candidate["content"]["parts"];
    match parts {
        // A candidate that was filtered or cut has no content.
        Value::Null if matches!(said.end, End::Filtered(_) | End::Length | End::Unknown(_)) => {}
        Value::Null if candidate["content"].is_object() => {}
        Value::Array(parts) => {
            for part in parts {
                read_part(part, &mut said)?;
            }
        }
        _ => return Err(Unreadable::of("a candidate without `content`")),
    }
    Ok(said)
}

fn read_part(part: &Value, said: &mut Said) -> Result<(), Unreadable> {
    if part["thought"] == true {
        said.reasoned = true;
        return Ok(());
    }
    if let Some(call) = part.get("functionCall") {
        said.calls.push(SaidCall {
            id: text_of(&call["id"]).map(str::to_owned),
            name: text_of(&call["name"])
                .ok_or(Unreadable::of("a function call without a name"))?
                .to_owned(),
            arguments: call.get("args").cloned(),
            signature: text_of(&part["thoughtSignature"]).map(str::to_owned),
        });
    } else if let Some(text) = part["text"].as_str() {
        said.text.push_str(text);
    }
    Ok(())
}

fn usage(usage: &Value) -> Tokens {
    // What was thought is paid as what was said.
    let thought = usage["thoughtsTokenCount"].as_u64();
    let output = match (usage["candidatesTokenCount"].as_u64(), thought) {
        (None, None) => None,
        (said, thought) => Some(said.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
    };
    Tokens {
        input: usage["promptTokenCount"].as_u64(),
        output,
    }
}

fn end(word: &str) -> End {
    match word {
        "STOP" => End::Turn,
        "MAX_TOKENS" => End::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" | "IMAGE_SAFETY" => {
            End::Filtered(word.to_owned())
        }
        other => End::Unknown(other.to_owned()),
    }
}
