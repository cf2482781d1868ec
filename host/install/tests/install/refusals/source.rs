//! The source's side: variants of errors, and the messages of what cannot be had here, since it belongs to the runtime.

use std::collections::BTreeSet;

use super::page::normal;

/// The enums that messages are made of, each with its source. Not one variant of them is left out by the tests beside this.
pub(crate) const ENUMS: &[(&str, &str)] = &[
    ("Rule", include_str!("../../../../admission/src/finding.rs")),
    ("FileKind", include_str!("../../../../admission/src/kind.rs")),
    ("RefusalReason", include_str!("../../../../admission/src/import.rs")),
    ("NameRule", include_str!("../../../../admission/src/name.rs")),
    ("SetFlagError", include_str!("../../../../config/src/settings.rs")),
    ("SettingError", include_str!("../../../../config/src/settings.rs")),
    ("InstallError", include_str!("../../../src/error.rs")),
    ("ReservedBy", include_str!("../../../src/reserved.rs")),
    ("RecordFault", include_str!("../../../src/records.rs")),
    ("BytesFault", include_str!("../../../src/store.rs")),
    ("Trouble", include_str!("../../../src/shelf.rs")),
    ("Problem", include_str!("../../../src/verify.rs")),
    ("Origin", include_str!("../../../src/pin.rs")),
];

/// Where the words of refusals stand, beside the errors.
const WORDS: &[&str] = &[
    include_str!("../../../../admission/src/explain/file.rs"),
    include_str!("../../../../admission/src/explain/import.rs"),
    include_str!("../../../../admission/src/export.rs"),
    include_str!("../../../../admission/src/limits.rs"),
    include_str!("../../../../admission/src/differences.rs"),
    include_str!("../../../../workspace/src/role/checked.rs"),
    include_str!("../../../src/difference.rs"),
    include_str!("../../../src/pin.rs"),
];

/// Words there that are told elsewhere: what `inspect` calls a file that has a refusal of its own, and values of `wit diff`.
const NO_REFUSAL: &[&str] = &[
    "a WebAssembly component that is cut off",
    "a damaged WebAssembly component",
    "an import of it",
    "it for export only",
];

/// What an embedder or the command line says of plugins: source, the error, and the variants that are about something else or that only
/// hand on what another one says.
const ERRORS: &[(&str, &str, &[&str])] = &[
    (HALT, "PluginFailure", &["Limit", "ClosedImport"]),
    (HALT, "ClosedImport", &[]),
    // Refused in admission's own words.
    (
        include_str!("../../../../src/plugin/load.rs"),
        "LoadError",
        &["NotAdmitted"],
    ),
    (include_str!("../../../../src/plugin/compile.rs"), "CompileError", &[]),
    (include_str!("../../../../src/plugin/registry.rs"), "FindError", &[]),
    (
        include_str!("../../../../src/engine/request.rs"),
        "SetupError",
        &[
            // About the task, the workspace, the protocol or the host itself.
            "EmptyTask",
            "TaskFile",
            "Workspace",
            "OwnFolderInWorkspace",
            "Protocol",
            "ProtocolFaults",
            "NotServed",
            "WithoutProtocol",
            // In the words of what is inside.
            "NotAdmitted",
            "NotInstalled",
            "Pins",
            "Load",
            "Setting",
        ],
    ),
];

const HALT: &str = include_str!("../../../../src/plugin/halt.rs");
const ADD: &str = include_str!("../../../../src/cli/plugin/add.rs");

/// The messages of the runtime's side, as the source has them.
pub(crate) fn messages() -> BTreeSet<String> {
    let mut messages = BTreeSet::new();
    for (text, error, exempt) in ERRORS {
        let found: Vec<_> = errors(text).into_iter().filter(|(owner, ..)| owner == error).collect();
        assert!(!found.is_empty(), "{error} is not there");
        for exempt in *exempt {
            assert!(
                found.iter().any(|(_, variant, _)| variant == exempt),
                "{error}::{exempt} is not there"
            );
        }
        let told = found
            .into_iter()
            .filter(|(_, variant, _)| !exempt.contains(&variant.as_str()));
        messages.extend(told.map(|(.., message)| message));
    }
    let bounds = arms(HALT, "Bound");
    let declared = variants(HALT, "Bound");
    assert_eq!(bounds.iter().map(|(b, _)| b.clone()).collect::<BTreeSet<_>>(), declared);
    messages.extend(bounds.into_iter().filter_map(|(_, literal)| literal));
    messages.extend(traps());
    // The one message of a command line that has no error of its own.
    let (_, from) = ADD.split_once("SetupError::Setting(format!(").unwrap();
    messages.insert(normal(&literal(from).unwrap().0));
    messages
}

/// Every text of some words that those sources hold: a message that no test above brings about shows here.
pub(crate) fn words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for source in WORDS {
        let source = source.split("#[cfg(test)]").next().unwrap();
        // The names of the proposals of WebAssembly: one row is about them all.
        let (before, proposals) = source.split_once("\nfn feature_words(").unwrap_or((source, ""));
        assert_eq!(proposals.is_empty(), !source.contains("feature_words"));
        let code: Vec<&str> = before
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let code = code.join("\n");
        let mut rest = code.as_str();
        while let Some((text, after)) = literal(rest) {
            let text = text.trim();
            if text.split(' ').count() > 2 && !NO_REFUSAL.contains(&text) {
                words.insert(normal(text));
            }
            rest = after;
        }
    }
    assert!(words.len() > 80, "{}", words.len());
    words
}

/// Each trap with what it usually means.
fn traps() -> Vec<String> {
    let body = |name: &str| {
        HALT.split_once(&format!("fn {name}("))
            .unwrap()
            .1
            .split("\n}")
            .next()
            .unwrap()
    };
    let hints = arms(body("hint"), "T");
    let traps = arms(body("describe_trap"), "T");
    assert!(traps.len() > 5 && !hints.is_empty());
    let mut messages: Vec<String> = traps
        .into_iter()
        .map(|(trap, words)| {
            let hint = hints.iter().find(|(hinted, _)| *hinted == trap);
            let hint = hint.map_or_else(String::new, |(_, hint)| format!(" ({})", hint.as_ref().unwrap()));
            format!("trapped: {}{hint}", words.unwrap())
        })
        .collect();
    let exit = HALT.find("\"the plugin ended itself").unwrap();
    let (words, rest) = literal(&HALT[exit..]).unwrap();
    let (hint, _) = literal(rest).unwrap();
    messages.push(normal(&format!("trapped: {words} ({hint})")));
    messages
}

/// The arms `enumeration::Variant => …"text"…` of a source; no text where the arm has none on its line.
fn arms(source: &str, enumeration: &str) -> Vec<(String, Option<String>)> {
    let start = format!("{enumeration}::");
    source
        .lines()
        .filter_map(|line| {
            let (variant, body) = line.trim().strip_prefix(&start)?.split_once(" => ")?;
            Some((variant.to_owned(), literal(body).map(|(text, _)| normal(&text))))
        })
        .collect()
}

/// The variants of an enum.
pub(crate) fn variants(source: &str, name: &str) -> BTreeSet<String> {
    let (_, body) = source.split_once(&format!("enum {name} {{\n")).unwrap();
    let lines = body.split("\n}").next().unwrap().lines();
    let variants: BTreeSet<String> = lines
        .filter(|line| line.starts_with("    ") && line[4..].starts_with(|c: char| c.is_ascii_uppercase()))
        .map(ident)
        .collect();
    assert!(!variants.is_empty());
    variants
}

/// Each `#[error("…")]` of a source: of what, of which variant (or of the thing itself), and the message.
pub(crate) fn errors(source: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some((_, after)) = rest.split_once("#[error(") {
        let before = &source[..source.len() - after.len()];
        rest = after;
        if after.starts_with("transparent") {
            continue;
        }
        let Some((message, behind)) = literal(after) else {
            continue;
        };
        // Further attributes may stand between the message and the item.
        let item = behind
            .split_once(")]\n")
            .and_then(|(_, items)| {
                items.lines().find(|line| {
                    let line = line.trim_start();
                    line.starts_with(|c: char| c.is_ascii_uppercase()) || line.starts_with("pub")
                })
            })
            .unwrap();
        let (owner, variant) = if let Some((_, name)) = item.split_once("struct ").or_else(|| item.split_once("enum "))
        {
            (ident(name), ident(name))
        } else {
            let (_, owner) = before.rsplit_once("enum ").unwrap();
            (ident(owner), ident(item))
        };
        found.push((owner, variant, normal(&message)));
    }
    found
}

fn ident(text: &str) -> String {
    text.trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The first text literal of a source, with `…` for each thing that is put in; and what stands behind it.
fn literal(source: &str) -> Option<(String, &str)> {
    let (_, mut rest) = source.split_once('"')?;
    let mut text = String::new();
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Some((text, rest)),
            '\\' => {
                let escaped = rest.chars().next()?;
                rest = &rest[escaped.len_utf8()..];
                match escaped {
                    '\n' => rest = rest.trim_start(),
                    'n' => text.push('\n'),
                    other => text.push(other),
                }
            }
            '{' | '}' if rest.starts_with(c) => {
                text.push(c);
                rest = &rest[1..];
            }
            '{' => {
                rest = rest.split_once('}')?.1;
                text.push('…');
            }
            other => text.push(other),
        }
    }
}
