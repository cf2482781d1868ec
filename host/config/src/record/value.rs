//! Readers of single values.
//!
//! The rules are pydantic's, as snodo uses it: a text is only a text; a whole number may be written as a text or as
//! `7.0`; a boolean may be one of a dozen words; nothing (`null`) is no value. The strict readers take no such
//! liberties.

use super::near;
use crate::fault::FaultKind;
use crate::node::{FreeMap, Node, Placed, Value};
use crate::printable::printable;
use crate::report::Log;

/// A value of the wrong type.
pub(crate) fn wrong(node: &Node, path: &str, expected: &'static str, log: &mut Log) {
    log.fault(node.place, || FaultKind::WrongType {
        field: path.to_owned(),
        expected,
        found: found(node),
    });
}

/// What stands there, for a message: its kind, and for a scalar what it says.
fn found(node: &Node) -> String {
    let said = match &node.value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(f) => f.to_string(),
        Value::BigInt(s) | Value::Text(s) | Value::Timestamp(s) => printable(s).to_string(),
        Value::Null | Value::List(_) | Value::Map(_) => return node.value.kind().to_owned(),
    };
    format!("{} (`{said}`)", node.value.kind())
}

/// A text.
pub(crate) fn text(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    if let Some(text) = node.as_text() {
        return Some(text.to_owned());
    }
    wrong(node, path, "a text", log);
    None
}

/// A text that is more than blanks.
pub(crate) fn nonblank(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    let text = text(node, path, log)?;
    if text.trim().is_empty() {
        log.fault(node.place, || FaultKind::Blank { field: path.to_owned() });
        return None;
    }
    Some(text)
}

/// A text with at least one character, blank or not.
pub(crate) fn nonempty(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    let text = text(node, path, log)?;
    if text.is_empty() {
        log.fault(node.place, || FaultKind::Blank { field: path.to_owned() });
        return None;
    }
    Some(text)
}

/// An id of letters, digits, `-` and `_`, of any script, with at least one letter or digit.
pub(crate) fn id(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    let text = text(node, path, log)?;
    let mut others = text.chars().filter(|c| !matches!(c, '-' | '_')).peekable();
    if others.peek().is_none() || !others.all(char::is_alphanumeric) {
        log.fault(node.place, || FaultKind::BadId {
            field: path.to_owned(),
            found: text.clone(),
        });
        return None;
    }
    Some(text)
}

/// With its place.
pub(crate) fn placed<T>(
    read: impl Fn(&Node, &str, &mut Log) -> Option<T>,
) -> impl Fn(&Node, &str, &mut Log) -> Option<Placed<T>> {
    move |node, path, log| {
        read(node, path, log).map(|value| Placed {
            value,
            place: node.place,
        })
    }
}

/// A list; every item that does not fit is a fault of its own.
pub(crate) fn list<T>(
    read: impl Fn(&Node, &str, &mut Log) -> Option<T>,
) -> impl Fn(&Node, &str, &mut Log) -> Option<Vec<T>> {
    move |node, path, log| {
        let Value::List(items) = &node.value else {
            wrong(node, path, "a list", log);
            return None;
        };
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(i, item)| read(item, &format!("{path}[{i}]"), log))
            .collect();
        read.into_iter().collect()
    }
}

/// A list with at least one item.
pub(crate) fn some<T>(
    read: impl Fn(&Node, &str, &mut Log) -> Option<T>,
) -> impl Fn(&Node, &str, &mut Log) -> Option<Vec<T>> {
    let read = list(read);
    move |node, path, log| {
        let items = read(node, path, log)?;
        if items.is_empty() {
            log.fault(node.place, || FaultKind::TooFew { field: path.to_owned() });
            return None;
        }
        Some(items)
    }
}

/// A map of texts to anything.
pub(crate) fn free_map(node: &Node, path: &str, log: &mut Log) -> Option<FreeMap> {
    map(|node, _, _| Some(node.clone()))(node, path, log).map(FreeMap)
}

/// Keys with their places, and values.
type Pairs<T> = Vec<(Placed<String>, T)>;

/// A map of texts to values of one type.
pub(crate) fn map<T>(
    read: impl Fn(&Node, &str, &mut Log) -> Option<T>,
) -> impl Fn(&Node, &str, &mut Log) -> Option<Pairs<T>> {
    move |node, path, log| {
        let Value::Map(entries) = &node.value else {
            wrong(node, path, "a map", log);
            return None;
        };
        let mut whole = true;
        let mut out = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(key) = entry.key.as_text() else {
                log.fault(entry.key.place, || FaultKind::KeyNotText {
                    record: format!("`{path}`"),
                    found: entry.key.value.kind(),
                });
                whole = false;
                continue;
            };
            match read(&entry.value, &format!("{path}.{}", printable(key)), log) {
                Some(value) => out.push((
                    Placed {
                        value: key.to_owned(),
                        place: entry.key.place,
                    },
                    value,
                )),
                None => whole = false,
            }
        }
        whole.then_some(out)
    }
}

/// A boolean, or 0, 1, or one of the words for it.
pub(crate) fn boolean(node: &Node, path: &str, log: &mut Log) -> Option<bool> {
    let value = match &node.value {
        Value::Bool(b) => Some(*b),
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        #[expect(clippy::float_cmp, reason = "exactly these two are accepted")]
        Value::Float(f) if *f == 0.0 || *f == 1.0 => Some(*f == 1.0),
        Value::Text(word) => match word.to_ascii_lowercase().as_str() {
            "1" | "true" | "t" | "yes" | "y" | "on" => Some(true),
            "0" | "false" | "f" | "no" | "n" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    };
    if value.is_none() {
        wrong(node, path, "true or false", log);
    }
    value
}

/// Only `true` and `false`, no other words for it.
pub(crate) fn strict_boolean(node: &Node, path: &str, log: &mut Log) -> Option<bool> {
    let Value::Bool(b) = node.value else {
        wrong(node, path, "true or false", log);
        return None;
    };
    Some(b)
}

/// A whole number within bounds, also written as a text or with a zero fraction.
pub(crate) fn number(least: i64, most: Option<i64>) -> impl Fn(&Node, &str, &mut Log) -> Option<i64> {
    move |node, path, log| {
        let value = match &node.value {
            Value::Int(i) => Some(*i),
            Value::Bool(b) => Some(i64::from(*b)),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::float_cmp,
                reason = "exactly the whole floats that an i64 holds without loss"
            )]
            Value::Float(f) if f.trunc() == *f && f.abs() < 9.0e15 => Some(*f as i64),
            Value::Text(text) => whole(text),
            Value::BigInt(_) => {
                out_of_range(node, path, least, most, log);
                return None;
            }
            _ => None,
        };
        let Some(value) = value else {
            wrong(node, path, "a whole number", log);
            return None;
        };
        bounded(value, node, path, least, most, log)
    }
}

/// A whole number within bounds that is written as one.
pub(crate) fn strict_number(least: i64, most: Option<i64>) -> impl Fn(&Node, &str, &mut Log) -> Option<i64> {
    move |node, path, log| match &node.value {
        Value::Int(i) => bounded(*i, node, path, least, most, log),
        Value::BigInt(_) => {
            out_of_range(node, path, least, most, log);
            None
        }
        _ => {
            wrong(node, path, "a whole number", log);
            None
        }
    }
}

fn bounded(value: i64, node: &Node, path: &str, least: i64, most: Option<i64>, log: &mut Log) -> Option<i64> {
    if value < least || most.is_some_and(|most| value > most) {
        out_of_range(node, path, least, most, log);
        return None;
    }
    Some(value)
}

fn out_of_range(node: &Node, path: &str, least: i64, most: Option<i64>, log: &mut Log) {
    let found = match &node.value {
        Value::Text(s) | Value::BigInt(s) => printable(s).to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(f) => f.to_string(),
        Value::Bool(b) => b.to_string(),
        other => other.kind().to_owned(),
    };
    log.fault(node.place, || FaultKind::OutOfRange {
        field: path.to_owned(),
        least,
        most,
        found,
    });
}

/// A whole number in a text: blanks around it, a sign, `_` between digits, and a fraction of zeros are allowed.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let text = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let shaped = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b == b'_' || b.is_ascii_digit())
        && !digits.contains("__");
    if shaped {
        text.replace('_', "").parse().ok()
    } else {
        None
    }
}

/// A word of a closed set, as its value. Case counts.
pub(crate) fn one_of<T: Copy>(
    names: &'static [&'static str],
    values: &'static [T],
) -> impl Fn(&Node, &str, &mut Log) -> Option<T> {
    move |node, path, log| {
        let word = text(node, path, log)?;
        if let Some((_, value)) = names.iter().zip(values).find(|(name, _)| **name == word) {
            return Some(*value);
        }
        log.fault(node.place, || FaultKind::NotOneOf {
            field: path.to_owned(),
            nearest: near(&word, names),
            found: word,
            allowed: names,
        });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn numbers_in_texts() {
        for (text, number) in [
            ("3", 3),
            (" 3 ", 3),
            ("+3", 3),
            ("-3", -3),
            ("1_000", 1000),
            ("003", 3),
            ("7.0", 7),
            ("7.00", 7),
        ] {
            assert_eq!(whole(text), Some(number), "{text:?}");
        }
        for text in [
            "",
            "3.5",
            "3.",
            "_3",
            "3_",
            "1__0",
            "three",
            "0x3",
            "3e1",
            "--3",
            ".0",
            "99999999999999999999",
        ] {
            assert_eq!(whole(text), None, "{text:?}");
        }
    }
}
