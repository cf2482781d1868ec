//! How large an event may be: snodo's limit and snodo's mark for what was cut.
//!
//! Counted are the bytes of `{event_type, project_id, data}` with everything beyond ASCII as it is. What is over is taken from text values in
//! `data`: the deepest first, of those the longest first, each cut to a beginning and the mark, until it fits.
//!
//! snodo goes on when it fits already, and so puts `… [truncated: 0 bytes removed]` behind every other text of the event, its task's id among
//! them; here the rest stays as it is. What text cannot give (numbers, keys, thousands of short texts) stays over the limit, as in
//! snodo; [`crate::append`] refuses only what could not be read back.

use std::cmp::Reverse;

use crate::canonical::{plain_bytes, plain_text_bytes};
use crate::value::{Object, Text, Value};

/// The most bytes of `{event_type, project_id, data}`.
pub const MAX_EVENT_BYTES: usize = 256 * 1024;

/// What snodo cuts beyond what it must.
const SPARE: usize = 1024;

fn mark(removed: usize) -> String {
    format!("… [truncated: {removed} bytes removed]")
}

/// Cuts text values of `data` until the event fits, or nothing is left to cut.
pub(crate) fn cap(data: Value, event_type: &str, project_id: &str) -> Value {
    let envelope = Object::from([
        ("event_type".into(), event_type.into()),
        ("project_id".into(), project_id.into()),
        ("data".into(), Value::Null),
    ]);
    let around = plain_bytes(&Value::Object(envelope)) - "null".len();
    let mut bytes = around + plain_bytes(&data);
    if bytes <= MAX_EVENT_BYTES {
        return data;
    }
    let mut data = data;
    let mut texts = Vec::new();
    collect(&mut data, 0, &mut texts);
    // A stable sort: of equals, the first one goes first.
    texts.sort_by_key(|(depth, text)| Reverse((*depth, text.bytes().len())));
    for (_, text) in texts {
        let Some(excess) = bytes.checked_sub(MAX_EVENT_BYTES).filter(|excess| *excess > 0) else {
            break;
        };
        let length = text.bytes().len();
        let keep = length.saturating_sub(excess + mark(0).len() + SPARE);
        let cut = beginning(text, keep);
        let removed = length - cut.bytes().len();
        let mut shortened = cut;
        shortened.push_str(&mark(removed));
        let (before, after) = (plain_text_bytes(text.bytes()), plain_text_bytes(shortened.bytes()));
        if after < before {
            bytes -= before - after;
            *text = shortened;
        }
    }
    data
}

fn collect<'a>(value: &'a mut Value, depth: usize, into: &mut Vec<(usize, &'a mut Text)>) {
    match value {
        Value::Text(text) => into.push((depth, text)),
        Value::List(items) => items.iter_mut().for_each(|item| collect(item, depth + 1, into)),
        Value::Object(members) => members.values_mut().for_each(|member| collect(member, depth + 1, into)),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {}
    }
}

/// As many whole code points as fit into so many bytes.
fn beginning(text: &Text, most: usize) -> Text {
    let bytes = text.bytes();
    // A byte that continues a code point is of the form 0b10xx_xxxx.
    let end = (0..=most.min(bytes.len()))
        .rev()
        .find(|&end| bytes.get(end).is_none_or(|byte| byte & 0xc0 != 0x80))
        .unwrap_or(0);
    text.first(end)
}
