//! The name under which a plugin is known: one safe segment.

use std::fmt;

use serde::Serialize;

use crate::text::shown;

/// Longest name, in characters (which are bytes: a name is ASCII).
pub const NAME_MAX: usize = 64;

/// A plugin's name: 1 to 64 ASCII letters, digits, `-`, `_` and `.`, that starts with a letter, a digit or `_`, does not end
/// in a dot and is no device name of any system. So it is one segment of a path everywhere, cannot be taken for a flag or
/// for a pattern, and needs no escaping in a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct PluginName(String);

impl PluginName {
    /// Checks a name that somebody gave. Nothing is trimmed, folded or replaced.
    pub fn parse(given: &str) -> Result<Self, BadName> {
        match broken_rule(given) {
            None => Ok(Self(given.to_owned())),
            Some(rule) => Err(BadName {
                given: shown(given),
                rule,
            }),
        }
    }

    /// The name of a plugin that is given as a file: the file's name without `.wasm` (in any letter case).
    ///
    /// `file_name` is the last component of a path. A separator in it is refused like any other character that no name holds.
    pub fn of_file(file_name: &str) -> Result<Self, BadName> {
        let stem = match file_name.char_indices().rev().nth(4) {
            Some((at, _)) if at > 0 && file_name[at..].eq_ignore_ascii_case(".wasm") => &file_name[..at],
            _ => file_name,
        };
        Self::parse(stem)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What two names have in common that some file system, or some reader, takes for one: `A` and `a`. Two plugins whose
    /// names fold alike cannot be known at once.
    pub fn folds_like(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for PluginName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A name that no plugin can have. The text is for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[error(
    "`{given}` cannot be the name of a plugin: {rule}; a name is 1 to 64 letters (a-z, A-Z), digits, `-`, `_` and `.`, and starts with a letter, a digit or `_`"
)]
pub struct BadName {
    /// As given; escaped and cut for printing.
    pub given: String,
    /// The rule it broke.
    pub rule: NameRule,
}

/// The rule that a name broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NameRule {
    /// There is nothing.
    Empty,
    /// Over [`NAME_MAX`].
    TooLong {
        /// Its length in characters.
        length: usize,
    },
    /// Starts with `.` or `-`.
    Start {
        /// With what.
        character: char,
    },
    /// Holds a character that no name holds: a separator, a space, a control character, a letter outside ASCII.
    Character {
        /// The first one.
        character: char,
    },
    /// Ends in a dot, which some systems drop.
    TrailingDot,
    /// A device name on some systems, alone or before a dot: `con`, `NUL.x`, `com1`.
    Device,
}

impl fmt::Display for NameRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong { length } => write!(f, "it has {length} characters, and {NAME_MAX} are the most"),
            Self::Start { character } => write!(f, "it starts with `{character}`"),
            Self::Character { character } => write!(f, "it holds `{}`", shown(&character.to_string())),
            Self::TrailingDot => f.write_str("it ends in a dot"),
            Self::Device => f.write_str("it is the name of a device on some systems"),
        }
    }
}

fn broken_rule(name: &str) -> Option<NameRule> {
    let first = name.chars().next();
    let Some(first) = first else {
        return Some(NameRule::Empty);
    };
    if let Some(character) = name
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
    {
        return Some(NameRule::Character { character });
    }
    if matches!(first, '.' | '-') {
        return Some(NameRule::Start { character: first });
    }
    if name.len() > NAME_MAX {
        return Some(NameRule::TooLong { length: name.len() });
    }
    if name.ends_with('.') {
        return Some(NameRule::TrailingDot);
    }
    is_device(name).then_some(NameRule::Device)
}

/// Windows takes these names for devices in every folder, in any letter case and with anything after a dot.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        s => s
            .strip_prefix("com")
            .or_else(|| s.strip_prefix("lpt"))
            .is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::PluginName;

    fn refusal(name: &str) -> String {
        let text = PluginName::parse(name).unwrap_err().to_string();
        let (front, rule) = text.split_once("; a name is 1 to 64 letters").unwrap();
        assert!(rule.starts_with(" (a-z, A-Z), digits"), "{rule}");
        front.to_owned()
    }

    #[test]
    fn ordinary_names_are_taken_as_they_are() {
        for name in [
            "a",
            "secrets",
            "My_Plugin-2.0",
            "_x",
            "9lives",
            "a..b",
            "com10",
            "console",
            &"x".repeat(64),
        ] {
            assert_eq!(PluginName::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn f11_names_that_are_no_safe_segment_are_refused_with_the_rule() {
        assert_eq!(refusal(""), "`` cannot be the name of a plugin: it is empty");
        assert_eq!(refusal("../x"), "`../x` cannot be the name of a plugin: it holds `/`");
        assert_eq!(refusal("a/b"), "`a/b` cannot be the name of a plugin: it holds `/`");
        assert_eq!(refusal("a\\b"), "`a\\b` cannot be the name of a plugin: it holds `\\`");
        assert_eq!(refusal("."), "`.` cannot be the name of a plugin: it starts with `.`");
        assert_eq!(refusal(".."), "`..` cannot be the name of a plugin: it starts with `.`");
        assert_eq!(
            refusal("--grant"),
            "`--grant` cannot be the name of a plugin: it starts with `-`"
        );
        assert_eq!(refusal("a "), "`a ` cannot be the name of a plugin: it holds ` `");
        assert_eq!(refusal("a."), "`a.` cannot be the name of a plugin: it ends in a dot");
        assert_eq!(
            refusal("CON"),
            "`CON` cannot be the name of a plugin: it is the name of a device on some systems"
        );
        assert_eq!(
            refusal("nul.tar"),
            "`nul.tar` cannot be the name of a plugin: it is the name of a device on some systems"
        );
        assert_eq!(
            refusal("Lpt9"),
            "`Lpt9` cannot be the name of a plugin: it is the name of a device on some systems"
        );
        assert_eq!(
            refusal("\u{1b}[2Jx"),
            "`\\u{1b}[2Jx` cannot be the name of a plugin: it holds `\\u{1b}`"
        );
        assert_eq!(refusal("naïve"), "`naïve` cannot be the name of a plugin: it holds `ï`");
        assert_eq!(
            refusal(&"n".repeat(300)),
            format!(
                "`{}…` cannot be the name of a plugin: it has 300 characters, and 64 are the most",
                "n".repeat(200)
            )
        );
    }

    #[test]
    fn names_that_fold_together_are_told() {
        let (a, b) = (PluginName::parse("Guard").unwrap(), PluginName::parse("guARD").unwrap());
        assert_ne!(a, b);
        assert_eq!(a.folds_like(), b.folds_like());
        assert_ne!(a.folds_like(), PluginName::parse("guard2").unwrap().folds_like());
    }

    #[test]
    fn a_file_names_its_plugin_by_its_stem() {
        assert_eq!(PluginName::of_file("reviewer.wasm").unwrap().as_str(), "reviewer");
        assert_eq!(PluginName::of_file("reviewer.v2.WASM").unwrap().as_str(), "reviewer.v2");
        assert_eq!(PluginName::of_file("reviewer").unwrap().as_str(), "reviewer");
        assert!(PluginName::of_file(".wasm").is_err());
        assert!(PluginName::of_file("é.wasm").is_err());
        assert!(PluginName::of_file("日本語日本").is_err());
        assert!(PluginName::of_file("con.wasm").is_err());
    }
}
