//! The client against a real server on loopback, over each wire format.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod addresses;
mod answers;
mod bounds;
mod counted;
mod encryption;
mod parameters;
mod proxies;
mod retries;
mod secrets;
mod silence;
mod turns;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use secrecy::SecretString;
use snodo_config::model::{Binding, KeySource, Wire};
use snodo_model::{Asked, Backoff, Client, Http, LanguageModel as _, Proxies, Settings, Terms, Timing};
use snodo_provider::Provider;
use snodo_workspace::capability::{CompletionError, Message, Request, Tool, ToolChoice};

pub(crate) const KEY: &str = "sk-sentinel-0123456789abcdefXYZ";
pub(crate) const WIRES: [Wire; 3] = [Wire::OpenAi, Wire::Anthropic, Wire::Gemini];

pub(crate) fn spoken(wire: Wire) -> snodo_provider::Wire {
    match wire {
        Wire::OpenAi => snodo_provider::Wire::OpenAi,
        Wire::Anthropic => snodo_provider::Wire::Anthropic,
        Wire::Gemini => snodo_provider::Wire::Gemini,
    }
}

pub(crate) fn binding(wire: Wire, base_url: impl Into<String>) -> Binding {
    Binding {
        model: "test/m".to_owned(),
        provider: "test".to_owned(),
        wire,
        sent_as: "m".to_owned(),
        base_url: base_url.into(),
        base_url_source: "config.yml:3".to_owned(),
        account: None,
        key: KeySource::None,
        headers: Vec::new(),
        retries: 3,
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        timing: Timing {
            connect: Duration::from_secs(2),
            first_byte: Duration::from_mins(1),
            idle: Duration::from_mins(1),
            total: Duration::from_mins(1),
        },
        backoff: Backoff {
            first: Duration::from_millis(10),
            longest: Duration::from_millis(100),
        },
        max_request_bytes: 1 << 20,
        max_answer_bytes: 16 << 20,
        seed: 7,
        clock: Arc::new(|| SystemTime::UNIX_EPOCH),
    }
}

pub(crate) fn http() -> Arc<Http> {
    Arc::new(Http::new(Proxies::none(), Duration::from_secs(2)))
}

pub(crate) fn client_with(binding: Binding, settings: Settings) -> Client {
    Client::new(binding, Some(&SecretString::from(KEY)), http(), settings).unwrap()
}

pub(crate) fn client(provider: &Provider, wire: Wire) -> Client {
    client_with(binding(wire, provider.base_url(spoken(wire))), settings())
}

pub(crate) fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: "A tool.".to_owned(),
        parameters: "{\"type\":\"object\"}".to_owned(),
    }
}

pub(crate) fn request() -> Request {
    Request {
        messages: vec![Message::User("hello".to_owned())],
        tools: vec![tool("submit_verdict"), tool("read_file")],
        tool_choice: ToolChoice::Auto,
        max_tokens: None,
        temperature_milli: None,
    }
}

pub(crate) fn terms() -> Terms {
    Terms {
        max_tokens: 500,
        temperature_milli: Some(0),
        task_id: "task-1".to_owned(),
    }
}

pub(crate) async fn ask(client: &Client) -> Asked {
    client.ask(&request(), &terms()).await
}

/// The kind of an error, for tables.
pub(crate) fn kind(asked: &Asked) -> &'static str {
    match &asked.result {
        Ok(_) => "answered",
        Err(CompletionError::NoClient(_)) => "no client",
        Err(CompletionError::Refused(_)) => "refused",
        Err(CompletionError::RateLimited(_)) => "rate limited",
        Err(CompletionError::Timeout(_)) => "timeout",
        Err(CompletionError::Truncated(_)) => "truncated",
        Err(CompletionError::Filtered(_)) => "filtered",
        Err(CompletionError::Malformed(_)) => "malformed",
        Err(CompletionError::Unavailable(_)) => "unavailable",
        Err(CompletionError::BudgetSpent { .. }) => "budget spent",
        Err(CompletionError::Limit(_)) => "limit",
    }
}

/// What an error says.
pub(crate) fn words(asked: &Asked) -> String {
    asked.result.as_ref().expect_err("an error").to_string()
}
