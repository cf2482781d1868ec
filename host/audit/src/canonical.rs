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
    if number.is_sign_negative() {
        out.push('-');
    }
    let (digits, exponent) = shortest(number.abs());
    let (first, rest) = digits.split_at(1);
    match usize::try_from(exponent) {
        Ok(before) if before < 16 => {
            let whole = digits.len().min(before + 1);
            let zeros = before + 1 - whole;
            out.push_str(&digits[..whole]);
            out.extend(std::iter::repeat_n('0', zeros));
            out.push('.');
            out.push_str(if whole < digits.len() { &digits[whole..] } else { "0" });
        }
        Err(_) if exponent >= -4 => {
            out.push_str("0.");
            out.extend((exponent + 1..0).map(|_| '0'));
            out.push_str(&digits);
        }
        _ => {
            let (point, sign) = (
                if rest.is_empty() { "" } else { "." },
                if exponent < 0 { '-' } else { '+' },
            );
            let _ = write!(out, "{first}{point}{rest}e{sign}{:02}", exponent.unsigned_abs());
        }
    }
}

/// The fewest digits that read back the same, of those the nearest, of two that are equally near the even one; and the power of ten of the
/// first digit. Rust finds the same but for the last rule: it takes the greater one.
fn shortest(number: f64) -> (String, i32) {
    let parts = |text: String| {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
    };
    let (digits, exponent) = parts(format!("{number:e}"));
    if !may_lie_between(number) {
        return (digits, exponent);
    }
    // Exactly: a number of so many binary places has no more decimal ones.
    let (exact, exact_exponent) = parts(format!("{number:.200e}"));
    let (lower, rest) = exact.split_at(digits.len());
    let odd = lower.ends_with(['1', '3', '5', '7', '9']);
    if exact_exponent != exponent || rest.trim_end_matches('0') != "5" || odd {
        return (digits, exponent);
    }
    // The greater one is odd. At a power of two the lesser one may be too far away to be read back the same.
    let text = format!("{}.{}e{exponent}", &lower[..1], &lower[1..]);
    if text.parse() == Ok(number) {
        (lower.to_owned(), exponent)
    } else {
        (digits, exponent)
    }
}

/// Whether a number can be the middle of two texts of 17 digits or fewer: its own digits then are 18 at most, and so its binary places few.
fn may_lie_between(number: f64) -> bool {
    let bits = number.to_bits();
    let (exponent, mantissa) = (i64::try_from(bits >> 52).unwrap_or(0), bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { mantissa } else { mantissa | 1 << 52 };
    let places = 1075 - exponent.max(1) - i64::from(mantissa.trailing_zeros());
    // 5 to the power of 26 has 19 digits. Of whole numbers, those of more than 18 digits and their zeros are exact at 53 bits only
    // up to 5 to the power of 22 and as many twos.
    (-130..=26).contains(&places)
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
