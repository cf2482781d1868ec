//! Readers of values that several tables have.

use super::UserPath;
use crate::fault::FaultKind;
use crate::node::{Node, Placed};
use crate::record::value::{list, placed, strict_number, text};
use crate::report::Log;
use crate::source::Place;

/// The most entries of a list; a list that is longer was not written by a person.
pub(super) const LIST: usize = 256;

/// The longest entry, in bytes. Linux's longest path.
const ENTRY_BYTES: usize = 4096;

/// A whole number within bounds.
pub(super) fn within(least: u32, most: u32) -> impl Fn(&Node, &str, &mut Log) -> Option<u32> {
    let read = strict_number(i64::from(least), Some(i64::from(most)));
    move |node, path, log| read(node, path, log).and_then(|n| u32::try_from(n).ok())
}

/// Names of environment variables.
pub(super) fn variables(node: &Node, path: &str, log: &mut Log) -> Option<Vec<String>> {
    entries(node, path, log, variable)
}

/// Patterns of paths in the workspace.
pub(super) fn patterns(node: &Node, path: &str, log: &mut Log) -> Option<Vec<String>> {
    entries(node, path, log, pattern)
}

/// Files and folders that a program may read.
pub(super) fn readable(node: &Node, path: &str, log: &mut Log) -> Option<Vec<UserPath>> {
    entries(node, path, log, UserPath::readable)
}

/// Folders that a program may write.
pub(super) fn writable(node: &Node, path: &str, log: &mut Log) -> Option<Vec<UserPath>> {
    entries(node, path, log, UserPath::writable)
}

/// A list of entries, each of which a rule makes a value of or refuses with its reason. No value is there twice.
fn entries<T: PartialEq>(
    node: &Node,
    path: &str,
    log: &mut Log,
    rule: impl Fn(&str) -> Result<T, &'static str>,
) -> Option<Vec<T>> {
    let entries: Vec<Placed<String>> = list(placed(text))(node, path, log)?;
    let mut faulty = false;
    let mut refuse = |place: Place, found: &str, why| {
        faulty = true;
        unusable(place, path, found, why, log);
    };
    if let Some(beyond) = entries.get(LIST) {
        refuse(beyond.place, &beyond.value, "a list may hold 256 entries");
    }
    let mut values: Vec<T> = Vec::new();
    for entry in entries.iter().take(LIST) {
        let read = if entry.value.len() > ENTRY_BYTES {
            Err("an entry may have 4096 bytes")
        } else {
            rule(&entry.value)
        };
        match read {
            Err(why) => refuse(entry.place, &entry.value, why),
            Ok(value) if values.contains(&value) => refuse(entry.place, &entry.value, "it is there twice"),
            Ok(value) => values.push(value),
        }
    }
    (!faulty).then_some(values)
}

/// A text that a rule refuses.
pub(super) fn unusable(place: Place, field: &str, found: &str, why: &'static str, log: &mut Log) {
    log.fault(place, || FaultKind::Unusable {
        field: field.to_owned(),
        found: found.to_owned(),
        why,
    });
}

/// The name of an environment variable.
fn variable(name: &str) -> Result<String, &'static str> {
    let fits = !name.is_empty()
        && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
        && !name.as_bytes()[0].is_ascii_digit();
    if fits {
        Ok(name.to_owned())
    } else {
        Err("a variable's name is of letters, digits and `_`, and gives no value")
    }
}

/// A pattern of paths. Its syntax is looked at where patterns are compiled.
fn pattern(pattern: &str) -> Result<String, &'static str> {
    if pattern.trim().is_empty() {
        Err("it is blank")
    } else if pattern.starts_with('/') || pattern.contains('\\') || pattern.split('/').any(|part| part == "..") {
        Err("patterns are from the workspace's root, with `/` between names and without `..`")
    } else {
        Ok(pattern.to_owned())
    }
}
