//! A provider's error, read by its fields.

use serde_json::Value;

pub(crate) use super::excerpt::{of_body, of_text};

/// What an error object says.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// `insufficient_quota`, `overloaded_error`, `RESOURCE_EXHAUSTED`.
    pub(crate) codes: Vec<String>,
    /// The parameter that it is about, where it says so.
    pub(crate) parameter: Option<String>,
    /// Its words, whole: who shows them cuts them.
    pub(crate) message: String,
    /// A status in its fields, where servers put their upstream's.
    pub(crate) status: Option<u16>,
}

/// The error object of a body, if it holds one.
pub(crate) fn of(body: &Value) -> Option<Failure> {
    // Gemini wraps it into a list on some paths.
    let body = body.as_array().and_then(|all| all.first()).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null())?;
    if let Some(message) = error.as_str() {
        return Some(Failure {
            message: message.to_owned(),
            ..Failure::default()
        });
    }
    let error = error.as_object()?;
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = error
        .get("code")
        .or_else(|| error.get("status"))
        .and_then(Value::as_u64);
    Some(Failure {
        codes: ["code", "type", "status"].into_iter().filter_map(text).collect(),
        parameter: text("param"),
        message: text("message").unwrap_or_default(),
        status: number
            .and_then(|number| u16::try_from(number).ok())
            .filter(|status| (400..600).contains(status)),
    })
}

/// The same where the status already says that it is a failure: other servers' forms too, and a text as it is.
pub(crate) fn of_failed(body: &[u8]) -> Failure {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Failure {
            message: of_body(body),
            ..Failure::default()
        };
    };
    if let Some(failure) = of(&value) {
        return failure;
    }
    let message = ["message", "detail", "error_description"]
        .iter()
        .find_map(|name| value.get(*name));
    Failure {
        message: message.map_or_else(
            || value.to_string(),
            |found| found.as_str().map_or_else(|| found.to_string(), str::to_owned),
        ),
        ..Failure::default()
    }
}
