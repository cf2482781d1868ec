//! Readers of values that only this file has.

use secrecy::SecretString;

use super::BaseUrl;
use crate::fault::FaultKind;
use crate::model::checked_model;
use crate::node::{Node, Placed, Value};
use crate::record::value::{number, text, wrong};
use crate::report::Log;

/// The longest credential, in bytes. A signed token with many claims has some thousand.
const SECRET_BYTES: usize = 8192;

/// A text that a rule refuses. What it says is taken out where the fault is concealed.
pub(super) fn refuse<T>(node: &Node, path: &str, why: &'static str, log: &mut Log) -> Option<T> {
    log.fault(node.place, || FaultKind::Unusable {
        field: path.to_owned(),
        found: String::new(),
        why,
    });
    None
}

/// A number whose bounds fit 32 bits.
pub(super) fn within(least: u32, most: u32) -> impl Fn(&Node, &str, &mut Log) -> Option<u32> {
    let read = number(i64::from(least), Some(i64::from(most)));
    move |node, path, log| read(node, path, log).and_then(|n| u32::try_from(n).ok())
}

/// A model's name, or nothing.
pub(super) fn model(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    let name = text(node, path, log)?;
    let name = name.trim();
    if name.is_empty() {
        return Some(String::new());
    }
    match checked_model(name) {
        Ok(()) => Some(name.to_owned()),
        Err(why) => refuse(node, path, why, log),
    }
}

/// A credential; none if it is empty.
#[expect(clippy::option_option, reason = "faulty, empty, given: the three are told apart")]
pub(super) fn secret(node: &Node, path: &str, log: &mut Log) -> Option<Option<SecretString>> {
    let text = text(node, path, log)?;
    let key = text.trim();
    if key.is_empty() {
        return Some(None);
    }
    if key.len() > SECRET_BYTES {
        return refuse(node, path, "a key may have 8192 bytes", log);
    }
    if !key.bytes().all(|b| b.is_ascii_graphic()) {
        // It is sent in a header.
        return refuse(node, path, "a key is of visible ASCII characters, without blanks", log);
    }
    Some(Some(key.into()))
}

/// An address.
pub(super) fn address(node: &Node, path: &str, log: &mut Log) -> Option<Placed<BaseUrl>> {
    let text = text(node, path, log)?;
    match BaseUrl::parse(text.trim()) {
        Ok(value) => Some(Placed {
            value,
            place: node.place,
        }),
        Err(why) => refuse(node, path, why, log),
    }
}

/// A temperature, 0 to 2, in thousandths.
pub(super) fn temperature(node: &Node, path: &str, log: &mut Log) -> Option<u32> {
    let value = match &node.value {
        #[expect(clippy::cast_precision_loss, reason = "far beyond the bounds where it loses any")]
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    let Some(value) = value else {
        wrong(node, path, "a number", log);
        return None;
    };
    if !(0.0..=2.0).contains(&value) {
        return refuse(node, path, "it is from 0 to 2", log);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2000")]
    let milli = (value * 1000.0).round() as u32;
    Some(milli)
}
