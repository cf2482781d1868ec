//! How CPython's `json.dumps` writes: what is hashed (keys sorted, ASCII only), and what is counted (as it is).
//!
//! | what | how |
//! |---|---|
//! | separators | `, ` and `: `, no other space |
//! | objects | sorted by the code points of the keys |
//! | text | all outside of 0x20 to 0x7e escaped: `\b \t \n \f \r`, else `\uXXXX` in lower case, pairs of surrogates above U+FFFF |
//! | integers | plain decimal |
//! | floats | the shortest text that reads back the same: `1.0`, `1e-05`, `1e+16`; `NaN`, `Infinity`, `-Infinity` |

use std::fmt::Write as _;

use crate::value::{Float, Text, Value};

/// The canonical text of a value: what its hash is taken over.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

/// The same, at the end of a text.
pub(crate) fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(number) => out.push_str(number.as_str()),
        Value::Float(number) => write_float(out, *number),
        Value::Text(text) => write_text(out, text),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_text(out, key);
                out.push_str(": ");
                write(out, member);
            }
            out.push('}');
        }
    }
}

/// Text in quotes, ASCII only.
pub(crate) fn write_text(out: &mut String, text: &Text) {
    out.push('"');
    for point in text.code_points() {
        match point {
            0x20..=0x7e => match char::from_u32(point) {
                Some(c @ ('"' | '\\')) => out.extend(['\\', c]),
                Some(c) => out.push(c),
                None => {}
            },
            0x08 => out.push_str("\\b"),
            0x09 => out.push_str("\\t"),
            0x0a => out.push_str("\\n"),
            0x0c => out.push_str("\\f"),
            0x0d => out.push_str("\\r"),
            0x1_0000.. => {
                let over = point - 0x1_0000;
                escape(out, 0xd800 + (over >> 10));
                escape(out, 0xdc00 + (over & 0x3ff));
            }
            _ => escape(out, point),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, unit: u32) {
    // Writing to a `String` does not fail.
    let _ = write!(out, "\\u{unit:04x}");
}

/// Python's `repr`: fixed from 1e-4 up to but not including 1e16, else with an exponent of a sign and two digits at least.
fn write_float(out: &mut String, Float(number): Float) {
    if number.is_nan() {
        return out.push_str("NaN");
    }
    if number.is_infinite() {
        return out.push_str(if number < 0.0 { "-Infinity" } else { "Infinity" });
    }
    // The shortest digits that read back the same, as `-d.ddde-7`.
    let shortest = format!("{number:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let fixed = number.to_string();
        out.push_str(&fixed);
        if !fixed.contains('.') {
            out.push_str(".0");
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
}

/// How many bytes a value takes when everything beyond ASCII stays as it is: what the limit of an event is counted in.
pub(crate) fn plain_bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => plain_text_bytes(text.bytes()),
        Value::List(items) => {
            let separators = 2 * items.len().saturating_sub(1);
            2 + separators + items.iter().map(plain_bytes).sum::<usize>()
        }
        Value::Object(members) => {
            let separators = 2 * members.len().saturating_sub(1);
            let all = members.iter();
            2 + separators
                + all
                    .map(|(key, member)| plain_text_bytes(key.bytes()) + 2 + plain_bytes(member))
                    .sum::<usize>()
        }
        other => canonical(other).len(),
    }
}

/// The same of text, in quotes: quotes, backslashes and control characters below 0x20 are escaped even then.
pub(crate) fn plain_text_bytes(text: &[u8]) -> usize {
    2 + text
        .iter()
        .map(|byte| match byte {
            b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum::<usize>()
}
