//! What a plugin says of itself.

pub use crate::types::Description;
use crate::types::{Phase, SettingDeclaration, SettingType, SettingValue};

impl Description {
    /// A plugin's own name for itself, its version, and what it does in one line.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// let description = Description::new("scope", "1.0.0", "Keeps a change inside the paths that were given.")
    ///     .phase(Phase::PostExecute)
    ///     .setting(Setting::text_list("paths", "Patterns of paths that may be changed."));
    /// assert_eq!(description.settings[0].default, None); // none: it must be given
    /// ```
    pub fn new(name: impl Into<String>, version: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            summary: summary.into(),
            settings: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// For a validator: judges in this phase too.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// let both = Description::new("x", "1.0.0", "…").phase(Phase::PreExecute).phase(Phase::PostExecute);
    /// assert_eq!(both.phases.len(), 2);
    /// ```
    #[must_use]
    pub fn phase(mut self, phase: Phase) -> Self {
        self.phases.push(phase);
        self
    }

    /// Honours this setting too.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// let one = Description::new("x", "1.0.0", "…").setting(Setting::text("file", "Where.").default("a"));
    /// assert_eq!(one.settings[0].name, "file");
    /// ```
    #[must_use]
    pub fn setting(mut self, setting: Setting) -> Self {
        self.settings.push(setting.0);
        self
    }
}

/// A setting that a plugin honours, as it declares it. The host checks names, types and defaults, and hands over a value for every
/// setting declared: read it with [`Context::text`](crate::Context::text) and its sisters.
///
/// Names are lower-case letters, digits and `-`, starting with a letter.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let settings = [
/// Setting::text("file", "The changelog's path.").default("CHANGELOG.md"),
/// Setting::boolean("strict", "Stop the change; otherwise only warn.").default(true),
/// Setting::integer("lines", "How many added lines are allowed.").default(400),
/// Setting::text_list("exempt", "Folders whose changes need no entry.").default(["docs", "tests"]),
/// # ];
/// # assert_eq!(settings.len(), 4);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting(SettingDeclaration);

impl Setting {
    fn new(name: impl Into<String>, value_type: SettingType, meaning: impl Into<String>) -> Self {
        Self(SettingDeclaration {
            name: name.into(),
            value_type,
            default: None,
            meaning: meaning.into(),
        })
    }

    /// One text.
    pub fn text(name: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self::new(name, SettingType::Text, meaning)
    }

    /// Yes or no.
    pub fn boolean(name: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self::new(name, SettingType::Boolean, meaning)
    }

    /// A whole number.
    pub fn integer(name: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self::new(name, SettingType::Integer, meaning)
    }

    /// Several texts.
    pub fn text_list(name: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self::new(name, SettingType::TextList, meaning)
    }

    /// The value in force when none is given. Without one the setting must be given.
    #[must_use]
    pub fn default(mut self, value: impl Into<SettingValue>) -> Self {
        self.0.default = Some(value.into());
        self
    }
}

impl From<&str> for SettingValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SettingValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for SettingValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for SettingValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<Vec<String>> for SettingValue {
    fn from(texts: Vec<String>) -> Self {
        Self::TextList(texts)
    }
}

impl<const N: usize> From<[&str; N]> for SettingValue {
    fn from(texts: [&str; N]) -> Self {
        texts.as_slice().into()
    }
}

impl From<&[&str]> for SettingValue {
    fn from(texts: &[&str]) -> Self {
        Self::TextList(texts.iter().map(|&text| text.to_owned()).collect())
    }
}
