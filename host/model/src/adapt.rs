//! What a provider does not take, learned from its refusal.
//!
//! Three parameters are refused by some models: `max_tokens`, a temperature, a tool choice. Each is changed at most once, and what was changed
//! is remembered for the client's later requests once a request went through with it. A second refusal over the same parameter is final.

use serde_json::Value;
use snodo_config::model::Wire;
use snodo_workspace::capability::{Message, Request, ToolChoice};

use crate::wire::failure::Failure;

/// What is sent differently.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Adapted {
    /// `max_completion_tokens` in place of `max_tokens`.
    pub(crate) completion_tokens: bool,
    /// No temperature.
    pub(crate) no_temperature: bool,
    /// No tool choice: an instruction instead.
    pub(crate) no_tool_choice: bool,
}

impl Adapted {
    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            completion_tokens: self.completion_tokens || other.completion_tokens,
            no_temperature: self.no_temperature || other.no_temperature,
            no_tool_choice: self.no_tool_choice || other.no_tool_choice,
        }
    }

    /// Each in a sentence, for the report: those that this request was sent with.
    pub(crate) fn told(self, request: &Request, temperature: Option<u32>, wire: Wire) -> Vec<String> {
        let mut told = Vec::new();
        if self.completion_tokens && wire == Wire::OpenAi {
            told.push("`max_completion_tokens` was sent in place of `max_tokens`, which this model refuses".to_owned());
        }
        if self.no_temperature && temperature.is_some() {
            told.push("no temperature was sent: this model refuses it".to_owned());
        }
        if self.no_tool_choice && chosen(request) {
            told.push(
                "no `tool_choice` was sent, which this model refuses: a message says which tool to call".to_owned(),
            );
        }
        told
    }

    /// What to send differently after that refusal of that body; none where nothing of it is new.
    pub(crate) fn after(self, status: u16, failure: &Failure, body: &Value, wire: Wire) -> Option<Self> {
        if !matches!(status, 400 | 422) {
            return None;
        }
        let about = |names: &[&str]| {
            failure
                .parameter
                .as_deref()
                .is_some_and(|parameter| names.contains(&parameter))
                || (failure.parameter.is_none() && names.iter().any(|name| names_it(&failure.message, name)))
        };
        let mut next = self;
        if wire == Wire::OpenAi && body.get("max_tokens").is_some() && about(&["max_tokens"]) {
            next.completion_tokens = true;
        }
        let temperature = body.get("temperature").is_some() || body["generationConfig"].get("temperature").is_some();
        if temperature && about(&["temperature"]) {
            next.no_temperature = true;
        }
        let choice = body.get("tool_choice").is_some() || body.get("toolConfig").is_some();
        let names = [
            "tool_choice",
            "toolConfig",
            "tool_config",
            "function_calling_config",
            "functionCallingConfig",
        ];
        if choice && about(&names) {
            next.no_tool_choice = true;
        }
        (next != self).then_some(next)
    }
}

/// Whether a message names a parameter: as a word, since `max_tokens` is also the end of other words.
fn names_it(message: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    message
        .match_indices(name)
        .any(|(at, _)| !message[..at].ends_with(part) && !message[at + name.len()..].starts_with(part))
}

fn chosen(request: &Request) -> bool {
    !request.tools.is_empty() && request.tool_choice != ToolChoice::Auto
}

/// The request with its tool choice in words.
pub(crate) fn with_instruction(request: &Request) -> Request {
    let mut request = request.clone();
    let words = match &request.tool_choice {
        ToolChoice::Auto => return request,
        ToolChoice::None => "Answer in words now. Call no tool: a call of a tool is not accepted here.".to_owned(),
        ToolChoice::Required => {
            "Answer by calling one of the tools now. An answer in words is not accepted here.".to_owned()
        }
        ToolChoice::Named(name) => {
            format!(
                "Answer by calling the tool `{name}` now, and only that one. An answer in words, or a call of another tool, is not accepted here."
            )
        }
    };
    request.messages.push(Message::User(words));
    request
}
