//! What the test guests share: calls of the contract as steps of a script, and every answer as JSON.

pub mod json;
mod look;

use serde_json::Value;

pub use look::look;

/// A text in pieces that are short enough for one line of a report each.
pub fn chunks(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(250).map(|chunk| chunk.iter().collect()).collect()
}

/// A text of a step; empty when it is not given.
pub fn text(step: &Value, key: &str) -> String {
    step[key].as_str().unwrap_or_default().to_owned()
}

/// A number of a step.
pub fn number(step: &Value, key: &str, default: u64) -> u64 {
    step[key].as_u64().unwrap_or(default)
}

/// A number of a step, in 32 bits.
pub fn small(step: &Value, key: &str, default: u32) -> u32 {
    step[key]
        .as_u64()
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or(default)
}

/// A flag of a step.
pub fn flag(step: &Value, key: &str) -> bool {
    step[key].as_bool().unwrap_or_default()
}

/// Texts of a step.
pub fn texts(step: &Value, key: &str) -> Vec<String> {
    step[key]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|text| text.as_str().map(ToOwned::to_owned))
        .collect()
}
