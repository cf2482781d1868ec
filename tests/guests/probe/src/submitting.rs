//! The import `submit`.

use guest_steps::{json, small, text, texts};
use serde_json::{Value, json};
use snodo_plugin::prelude::*;

/// Takes one step, if it is one of this import's.
pub fn submit(step: &Value) -> Option<Value> {
    Some(match step["do"].as_str()? {
        "submit-files" => {
            let operations = step["operations"]
                .as_array()
                .into_iter()
                .flatten()
                .map(operation)
                .collect();
            json::outcome(submit::files(operations).map(json::submission), json::submit_error)
        }
        "withdraw" => json::outcome(
            submit::withdraw(&texts(step, "paths")).map(Value::from),
            json::submit_error,
        ),
        "progress" => {
            match step["total"].as_u64() {
                Some(_) => submit::step(text(step, "message"), small(step, "done", 0), small(step, "total", 0)),
                None => submit::progress(text(step, "message")),
            }
            json!({ "ok": null })
        }
        _ => return None,
    })
}

/// `{"write": path, "text": … | "bytes": […] | "fill": length, "executable": …}`, `{"delete": path}`, `{"rename": from, "to": to}`,
/// `{"set-executable": path, "executable": …}`.
fn operation(operation: &Value) -> submit::Operation {
    let executable = operation["executable"].as_bool();
    if let Some(path) = operation["write"].as_str() {
        let content = content(operation);
        return match executable {
            Some(executable) => submit::write_with_mode(path, content, executable),
            None => submit::write(path, content),
        };
    }
    if let Some(path) = operation["set-executable"].as_str() {
        return submit::set_executable(path, executable.unwrap_or_default());
    }
    if let Some(from) = operation["rename"].as_str() {
        return submit::rename(from, text(operation, "to"));
    }
    submit::delete(text(operation, "delete"))
}

fn content(operation: &Value) -> Content {
    if let Some(bytes) = operation["bytes"].as_array() {
        let bytes: Vec<u8> = bytes
            .iter()
            .filter_map(|b| b.as_u64().and_then(|b| u8::try_from(b).ok()))
            .collect();
        return bytes.into();
    }
    match operation["fill"].as_u64().and_then(|n| usize::try_from(n).ok()) {
        Some(length) => "x".repeat(length).into(),
        None => text(operation, "text").into(),
    }
}
