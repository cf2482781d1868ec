//! The mock: it answers as a contented model would, and asks nobody. What is decided by it is marked, and is evidence of nothing.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use snodo_workspace::capability::{Answer, Request, Stop, Tool, ToolCall, ToolChoice, Usage};

use crate::{Asked, LanguageModel, Terms};

/// The tool by which a judge's model gives its verdict.
const VERDICT: &str = "submit_verdict";
/// What it says of itself.
const WORDS: &str = "the mock model was asked, which judges nothing";

/// Answers without a model: no network, no key, the same answer to the same request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mock;

#[async_trait]
impl LanguageModel for Mock {
    fn model(&self) -> &'static str {
        "mock"
    }

    fn is_mock(&self) -> bool {
        true
    }

    async fn ask(&self, request: &Request, _: &Terms) -> Asked {
        let call = called(request).map(|(name, arguments)| ToolCall {
            id: format!("mock_{}", request.messages.len()),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        });
        let usage = Usage {
            input_tokens: Some(0),
            output_tokens: Some(0),
        };
        Asked {
            result: Ok(Answer {
                text: if call.is_some() {
                    String::new()
                } else {
                    WORDS.to_owned()
                },
                stop: if call.is_some() {
                    Stop::ToolCalls
                } else {
                    Stop::EndOfTurn
                },
                tool_calls: call.into_iter().collect(),
                model: "mock".to_owned(),
                usage,
            }),
            usage,
            served: Some("mock".to_owned()),
            attempts: 0,
            lost: 0,
            adaptations: Vec::new(),
        }
    }
}

/// The verdict where one can be given; else a tool that has to be called, with the first arguments that its schema allows.
fn called(request: &Request) -> Option<(&str, Value)> {
    let offered = |name: &str| request.tools.iter().find(|tool| tool.name == name);
    if request.tool_choice == ToolChoice::None {
        return None;
    }
    if let Some(tool) = offered(VERDICT) {
        let mut arguments = first_of(&schema(tool), 0);
        arguments["severity"] = json!("pass");
        arguments["justification"] = json!(WORDS);
        return Some((VERDICT, arguments));
    }
    let tool: &Tool = match &request.tool_choice {
        ToolChoice::Named(name) => offered(name)?,
        ToolChoice::Required => request.tools.first()?,
        ToolChoice::Auto | ToolChoice::None => return None,
    };
    Some((&tool.name, first_of(&schema(tool), 0)))
}

fn schema(tool: &Tool) -> Value {
    serde_json::from_str(&tool.parameters).unwrap_or(Value::Null)
}

/// The first value that a schema allows, as far as tools' schemas go: constants, enumerations, and what has to be there of an object.
fn first_of(schema: &Value, depth: u32) -> Value {
    const DEEPEST: u32 = 8;
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|all| all.first()) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => json!(WORDS),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") | None if depth < DEEPEST => {
            let names = schema.get("required").and_then(Value::as_array);
            let required = names.into_iter().flatten().filter_map(Value::as_str);
            let object: Map<String, Value> = required
                .map(|name| (name.to_owned(), first_of(&schema["properties"][name], depth + 1)))
                .collect();
            Value::Object(object)
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn tool(name: &str, parameters: &Value) -> Tool {
        Tool {
            name: name.to_owned(),
            description: String::new(),
            parameters: parameters.to_string(),
        }
    }

    fn request(tools: Vec<Tool>, tool_choice: ToolChoice) -> Request {
        Request {
            messages: Vec::new(),
            tools,
            tool_choice,
            max_tokens: None,
            temperature_milli: None,
        }
    }

    #[test]
    fn it_passes_where_a_verdict_is_asked_for() {
        let request = request(
            vec![tool("read_file", &json!({})), tool(VERDICT, &json!({}))],
            ToolChoice::Auto,
        );
        let (name, arguments) = called(&request).unwrap();
        assert_eq!((name, &arguments["severity"]), (VERDICT, &json!("pass")));
        assert!(
            arguments["justification"].as_str().unwrap().contains("mock"),
            "{arguments}"
        );
    }

    #[test]
    fn a_tool_that_has_to_be_called_gets_what_its_schema_asks_for() {
        let schema = json!({
            "type": "object",
            "required": ["kind", "count", "inner"],
            "properties": {
                "kind": { "type": "string", "enum": ["feature", "defect"] },
                "count": { "type": "integer", "minimum": 2 },
                "inner": { "type": "object", "required": ["on"], "properties": { "on": { "type": "boolean" } } },
                "left_out": { "type": "string" },
            },
        });
        let request = request(vec![tool("other", &schema)], ToolChoice::Named("other".to_owned()));
        let expected = json!({ "kind": "feature", "count": 2, "inner": { "on": false } });
        assert_eq!(called(&request), Some(("other", expected)));
    }

    #[test]
    fn it_calls_nothing_that_is_not_asked_for() {
        for choice in [
            ToolChoice::Auto,
            ToolChoice::None,
            ToolChoice::Named("missing".to_owned()),
        ] {
            assert_eq!(called(&request(vec![tool("read_file", &json!({}))], choice)), None);
        }
        assert_eq!(
            called(&request(vec![tool(VERDICT, &json!({}))], ToolChoice::None)),
            None
        );
    }
}
