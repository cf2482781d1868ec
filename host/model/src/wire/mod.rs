//! The three wire formats: what is sent, and what is read out of what comes back.
//!
//! A format's file turns a request into JSON and an answer's JSON into [`Said`], and knows nothing of what is acceptable. What is acceptable is
//! one rule for all ([`accept`]).

pub(crate) mod accept;
pub(crate) mod anthropic;
pub(crate) mod arguments;
mod excerpt;
pub(crate) mod failure;
pub(crate) mod gemini;
pub(crate) mod openai;
mod reasoning;
pub(crate) mod signatures;

use std::borrow::Cow;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use snodo_config::model::Wire;
use snodo_workspace::capability::{Request, Tool, Usage};

pub(crate) use accept::{Accepted, accept};

use crate::adapt::Adapted;
use signatures::Signatures;

/// What is to be sent.
pub(crate) struct Draft<'a> {
    pub(crate) request: &'a Request,
    /// As the provider names it.
    pub(crate) model: &'a str,
    pub(crate) max_tokens: u32,
    pub(crate) temperature_milli: Option<u32>,
    /// What this provider does not take.
    pub(crate) adapted: Adapted,
    pub(crate) signatures: &'a Signatures,
}

/// Something in a request that cannot be put into the format. It never left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsendable {
    #[error("the parameters of the tool `{0}` are not one JSON object: they have to be a JSON Schema")]
    Parameters(String),
    #[error("the arguments of an earlier call of `{0}` are not one JSON object")]
    Arguments(String),
    #[error("a tool's result names the call `{0}`, and no call of that id is in the conversation before it")]
    Orphan(String),
    #[error("the tool `{0}` has to be called and is not on offer")]
    NotOffered(String),
    #[error("a tool has to be called and none is on offer")]
    NoTools,
    #[error("the conversation holds no message")]
    Empty,
}

/// What a provider answered, before it is judged.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// There was reasoning beside the answer. What it was is not kept.
    pub(crate) reasoned: bool,
    pub(crate) calls: Vec<SaidCall>,
    pub(crate) end: End,
    pub(crate) usage: Tokens,
    pub(crate) model: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) input: Option<u64>,
    pub(crate) output: Option<u64>,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
        }
    }
}

#[derive(Debug)]
pub(crate) struct SaidCall {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Option<Value>,
    pub(crate) signature: Option<String>,
}

/// Why the model stopped, in the provider's words put into ours.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing is said about it.
    #[default]
    Missing,
    Turn,
    Tools,
    Length,
    Filtered(String),
    Unknown(String),
}

/// Why an answer cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) Cow<'static, str>);

impl Unreadable {
    const fn of(why: &'static str) -> Self {
        Self(Cow::Borrowed(why))
    }
}

/// The request's body.
pub(crate) fn body(wire: Wire, draft: &Draft<'_>) -> Result<Value, Unsendable> {
    if draft.request.messages.is_empty() {
        return Err(Unsendable::Empty);
    }
    match wire {
        Wire::OpenAi => openai::body(draft),
        Wire::Anthropic => anthropic::body(draft),
        Wire::Gemini => gemini::body(draft),
    }
}

/// What an answer says.
pub(crate) fn read(wire: Wire, body: &Value) -> Result<Said, Unreadable> {
    match wire {
        Wire::OpenAi => openai::read(body),
        Wire::Anthropic => anthropic::read(body),
        Wire::Gemini => gemini::read(body),
    }
}

/// The headers of every request. The key's value prints as `Sensitive`.
pub(crate) fn headers(wire: Wire, key: Option<&SecretString>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if wire == Wire::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = key {
        let key = key.expose_secret();
        let (name, value) = match wire {
            Wire::OpenAi => ("authorization", format!("Bearer {key}")),
            Wire::Anthropic => ("x-api-key", key.to_owned()),
            Wire::Gemini => ("x-goog-api-key", key.to_owned()),
        };
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Some(headers)
}

/// A tool's schema as JSON.
fn schema(tool: &Tool) -> Result<Value, Unsendable> {
    match serde_json::from_str(&tool.parameters) {
        Ok(schema @ Value::Object(_)) => Ok(schema),
        _ => Err(Unsendable::Parameters(tool.name.clone())),
    }
}

/// Earlier arguments as JSON.
fn earlier(name: &str, arguments: &str) -> Result<Value, Unsendable> {
    match serde_json::from_str(arguments) {
        Ok(object @ Value::Object(_)) => Ok(object),
        _ => Err(Unsendable::Arguments(name.to_owned())),
    }
}

/// Thousandths as the number that is sent.
fn thousandths(milli: u32) -> Value {
    Value::from(f64::from(milli) / 1000.0)
}

/// The only one of several answers: which of more than one would count is nobody's to guess.
fn only<'a>(all: &'a [Value], what: &str) -> Result<&'a Value, Unreadable> {
    match all {
        [] => Err(Unreadable(format!("an answer without a single {what} in it").into())),
        [one] => Ok(one),
        more => Err(Unreadable(
            format!("{} {what}s in one answer, where one was asked for", more.len()).into(),
        )),
    }
}

/// Whose message it is, where that is said: only the model's own is an answer.
fn by_the_model(role: Option<&Value>, expected: &str) -> Result<(), Unreadable> {
    match role {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(role)) if role.is_empty() || role == expected => Ok(()),
        Some(Value::String(role)) => Err(Unreadable(
            format!("a message of the role `{role}`, where `{expected}` answers").into(),
        )),
        Some(_) => Err(Unreadable::of("a `role` that is no text")),
    }
}

/// A non-empty text.
fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
