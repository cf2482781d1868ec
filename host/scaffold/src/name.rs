//! What a new plugin may be called.

use snodo_admission::PluginName;

use crate::Language;

/// The name of a new plugin: lower-case words with `-` between them, so that one name serves the plugin, its folder, its file and its
/// package in every language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectName {
    kebab: String,
    snake: String,
}

impl ProjectName {
    /// Checks a name that somebody gave for a plugin in a language. Nothing is trimmed, folded or replaced.
    ///
    /// `built_in` are the names that no other plugin may have, in any letter case.
    ///
    /// # Errors
    ///
    /// The rule that the name breaks.
    pub fn parse(given: &str, language: Language, built_in: &[&str]) -> Result<Self, BadName> {
        let plugin = PluginName::parse(given)?;
        if !is_kebab(given) {
            return Err(BadName::Shape {
                given: given.to_owned(),
                suggestion: suggestion(given),
            });
        }
        let snake = given.replace('-', "_");
        // A Rust plugin's file is called by the second form, and a plugin given as a file by the file.
        let taken = |name: &&&str| name.eq_ignore_ascii_case(&plugin.folds_like()) || name.eq_ignore_ascii_case(&snake);
        if built_in.iter().any(|name| taken(&name)) {
            return Err(BadName::BuiltIn {
                given: given.to_owned(),
            });
        }
        if language.reserved().contains(&given) {
            return Err(BadName::Reserved {
                given: given.to_owned(),
                language,
            });
        }
        Ok(Self {
            kebab: given.to_owned(),
            snake,
        })
    }

    /// The name: `my-plugin`.
    pub fn as_str(&self) -> &str {
        &self.kebab
    }

    /// As an identifier: `my_plugin`.
    pub fn snake(&self) -> &str {
        &self.snake
    }
}

/// Why a new plugin cannot be called so. The text is for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// No plugin can.
    #[error(transparent)]
    Plugin(#[from] snodo_admission::BadName),
    /// Not every language's tools take it.
    #[error(
        "`{given}` cannot be the name of a new plugin: one name serves the plugin, its file and its package, so it is lower-case letters and digits in words, each after the first following a `-`, and starts with a letter{}",
        suggestion.as_ref().map(|name| format!(": `{name}` would do")).unwrap_or_default()
    )]
    Shape {
        /// As given.
        given: String,
        /// The nearest name that would do.
        suggestion: Option<String>,
    },
    /// A plugin that is part of the host is called so.
    #[error("`{given}` is the name of a built-in plugin; choose another one")]
    BuiltIn {
        /// As given.
        given: String,
    },
    /// The language's tools do not take it.
    #[error("`{given}` cannot be the name of a package in {language}; choose another one")]
    Reserved {
        /// As given.
        given: String,
        /// The language.
        language: Language,
    },
}

fn is_kebab(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

/// The name with its words written as they have to be.
fn suggestion(given: &str) -> Option<String> {
    let lower = given.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
    Some(words.join("-")).filter(|name| is_kebab(name))
}
