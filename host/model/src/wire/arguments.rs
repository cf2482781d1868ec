//! The arguments of a tool call, in the forms in which providers send them.
//!
//! | on the wire | arguments |
//! |---|---|
//! | missing, null, `""`, `"null"`, `{}`, `"{}"` | `{}` |
//! | an object | that object |
//! | a text that is an object | that text, unchanged |
//! | a text that is JSON of a text that is an object | that inner text: one decoding, never a second |
//! | anything else: a list, a number, prose, JSON that was cut | refused |
//!
//! Nothing is repaired: half an object that a model was cut in is never an object.

use serde_json::Value;

/// The arguments as the text of one JSON object; none where they are none.
pub(crate) fn normal(arguments: Option<&Value>) -> Option<String> {
    match arguments {
        None | Some(Value::Null) => Some("{}".to_owned()),
        Some(object @ Value::Object(_)) => Some(object.to_string()),
        Some(Value::String(text)) => of_text(text, true),
        Some(_) => None,
    }
}

fn of_text(text: &str, again: bool) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return Some("{}".to_owned());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(_)) => Some(text.to_owned()),
        Ok(Value::Null) => Some("{}".to_owned()),
        Ok(Value::String(inner)) if again => of_text(&inner, false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_table() {
        let empty = Some("{}".to_owned());
        assert_eq!(normal(None), empty);
        for value in [
            json!(null),
            json!(""),
            json!("  "),
            json!("null"),
            json!({}),
            json!("{}"),
            json!("\"\""),
            json!("\"{}\""),
        ] {
            assert_eq!(normal(Some(&value)), empty, "{value}");
        }
        assert_eq!(normal(Some(&json!({"a": 1}))), Some("{\"a\":1}".to_owned()));
        // As it was written: a number that a float cannot hold stays what it is.
        let text = "{ \"b\": 123456789012345678901234567890, \"a\": 1 }";
        assert_eq!(normal(Some(&json!(text))).as_deref(), Some(text));
        let once = json!({"a": 1}).to_string();
        let twice = json!(once).to_string();
        let thrice = json!(twice).to_string();
        assert_eq!(normal(Some(&json!(once))), Some(once.clone()));
        assert_eq!(normal(Some(&json!(twice))), Some(once));
        assert_eq!(normal(Some(&json!(thrice))), None);
        for value in [
            json!([1]),
            json!(1),
            json!(true),
            json!("[1]"),
            json!("1"),
            json!("prose"),
            json!("{\"verdict\":\"pa"),
            json!("{} {}"),
        ] {
            assert_eq!(normal(Some(&value)), None, "{value}");
        }
    }
}
