//! Readers of what files say of plugins: names, digests, roles, imports.
//!
//! The rules are admission's own types; here they become faults with a place.

use std::fmt::Write as _;

use snodo_admission::{Digest, Grant, Grants, NameRule, PluginName, Role};

use crate::fault::FaultKind;
use crate::node::{Node, Placed};
use crate::printable::is_unprintable;
use crate::record::value::{list, one_of, placed, text};
use crate::report::Log;
use crate::source::Place;

/// The most imports of a list: what admission lets a component have.
const MOST_IMPORTS: usize = 256;

/// The longest import, in bytes. The longest of the contract and of inert WASI have some 40; longer names are cut in an inspection.
const IMPORT_BYTES: usize = 200;

/// The name of a plugin.
pub(crate) fn plugin_name(node: &Node, path: &str, log: &mut Log) -> Option<PluginName> {
    let given = text(node, path, log)?;
    match PluginName::parse(&given) {
        Ok(name) => Some(name),
        Err(bad) => {
            let why = match bad.rule {
                NameRule::Empty => "it is empty",
                NameRule::TooLong { .. } => "a name has 64 characters at most",
                NameRule::Start { .. } => "a name starts with a letter, a digit or `_`",
                NameRule::TrailingDot => "a name does not end in a dot",
                NameRule::Device => "it is the name of a device on some systems",
                _ => "a name is of letters (a-z, A-Z), digits, `-`, `_` and `.`",
            };
            unusable(node.place, path, &given, why, log);
            None
        }
    }
}

/// The digest of a plugin's bytes.
pub(crate) fn digest(node: &Node, path: &str, log: &mut Log) -> Option<Digest> {
    let given = text(node, path, log)?;
    let digest = Digest::parse(&given);
    if digest.is_none() {
        let why = "a digest is `sha256:` and 64 hex digits in lower case";
        unusable(node.place, path, &given, why, log);
    }
    digest
}

/// What a plugin is for.
pub(crate) fn role(node: &Node, path: &str, log: &mut Log) -> Option<Role> {
    one_of(&["coder", "validator"], &[Role::Coder, Role::Validator])(node, path, log)
}

/// Grants; none twice.
pub(crate) fn grants(node: &Node, path: &str, log: &mut Log) -> Option<Grants> {
    let one = one_of(&["model", "runner"], &[Grant::Model, Grant::Runner]);
    let given: Vec<Placed<Grant>> = list(placed(one))(node, path, log)?;
    for (at, grant) in given.iter().enumerate() {
        if given[..at].iter().any(|before| before.value == grant.value) {
            unusable(grant.place, path, grant.value.name(), "it is there twice", log);
            return None;
        }
    }
    Some(Grants::of(&given.iter().map(|grant| grant.value).collect::<Vec<_>>()))
}

/// Imports with their versions, in any order; sorted here, none twice.
pub(crate) fn imports(node: &Node, path: &str, log: &mut Log) -> Option<Vec<String>> {
    let given: Vec<Placed<String>> = list(placed(text))(node, path, log)?;
    let mut faulty = false;
    let mut refuse = |place, found: &str, why| {
        faulty = true;
        unusable(place, path, found, why, log);
    };
    if let Some(beyond) = given.get(MOST_IMPORTS) {
        refuse(beyond.place, &beyond.value, "a plugin has 256 imports at most");
    }
    let mut imports: Vec<String> = Vec::new();
    for Placed { value, place } in given.into_iter().take(MOST_IMPORTS) {
        if value.is_empty() || value.len() > IMPORT_BYTES || !value.bytes().all(|b| b.is_ascii_graphic()) {
            let why = "an import is the name of an interface, as in `snodo:plugin/read@0.1.0`";
            refuse(place, &value, why);
        } else if imports.contains(&value) {
            refuse(place, &value, "it is there twice");
        } else {
            imports.push(value);
        }
    }
    imports.sort();
    (!faulty).then_some(imports)
}

/// A text that a rule refuses.
pub(crate) fn unusable(place: Place, field: &str, found: &str, why: &'static str, log: &mut Log) {
    log.fault(place, || FaultKind::Unusable {
        field: field.to_owned(),
        found: found.to_owned(),
        why,
    });
}

/// A text as TOML writes one in quotes on one line; whatever could act on a reader is escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // The last two are refused in files.
            c if is_unprintable(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {
                let code = u32::from(c);
                // Writing to a text cannot fail.
                let _ = if code > 0xFFFF {
                    write!(out, "\\U{code:08X}")
                } else {
                    write!(out, "\\u{code:04X}")
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of texts: one line for each, or `[]`.
pub(crate) fn quoted_list<S: AsRef<str>>(items: &[S]) -> String {
    if items.is_empty() {
        return "[]".to_owned();
    }
    let lines: Vec<String> = items
        .iter()
        .map(|item| format!("    {},\n", quoted(item.as_ref())))
        .collect();
    format!("[\n{}]", lines.concat())
}
