//! Read the settings in force.

use std::fmt;

use crate::types::{Context, SettingType, SettingValue};

/// Why a setting has no such value. The host checks every setting against what the plugin declared, so this is a plugin that reads what
/// it did not declare. It becomes each role's own error by `?`.
///
/// ```
/// # use snodo_plugin::{Fault, SettingError, testing};
/// let error = testing::context().text("file").unwrap_err();
/// assert_eq!(error, SettingError::Undeclared { name: "file".to_owned() });
/// assert!(matches!(Fault::from(error), Fault::Setting(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingError {
    /// [`describe`](crate::Coder::describe) does not declare it.
    Undeclared {
        /// Which.
        name: String,
    },
    /// It is declared with another type.
    WrongType {
        /// Which.
        name: String,
        /// What was asked for.
        asked: SettingType,
        /// What it is.
        found: SettingType,
    },
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undeclared { name } => write!(f, "the setting `{name}` is read, but not declared by the plugin"),
            Self::WrongType { name, asked, found } => {
                write!(
                    f,
                    "the setting `{name}` is read as {}, but declared as {}",
                    word(*asked),
                    word(*found)
                )
            }
        }
    }
}

impl std::error::Error for SettingError {}

fn word(value_type: SettingType) -> &'static str {
    match value_type {
        SettingType::Text => "text",
        SettingType::Boolean => "boolean",
        SettingType::Integer => "integer",
        SettingType::TextList => "text-list",
    }
}

impl SettingValue {
    /// Its type.
    ///
    /// ```
    /// # use snodo_plugin::{SettingType, SettingValue};
    /// assert_eq!(SettingValue::from(["a", "b"]).value_type(), SettingType::TextList);
    /// ```
    pub fn value_type(&self) -> SettingType {
        match self {
            Self::Text(_) => SettingType::Text,
            Self::Boolean(_) => SettingType::Boolean,
            Self::Integer(_) => SettingType::Integer,
            Self::TextList(_) => SettingType::TextList,
        }
    }
}

/// Settings by name and type.
///
/// ```
/// use snodo_plugin::prelude::*;
/// # use snodo_plugin::testing::Workspace;
///
/// struct Sized;
///
/// impl Validator for Sized {
///     fn describe() -> Description {
///         Description::new("sized", "1.0.0", "…")
///             .phase(Phase::PostExecute)
///             .setting(Setting::integer("lines", "How many lines are allowed.").default(400))
///             .setting(Setting::text_list("exempt", "Folders that do not count.").default(["docs"]))
///     }
///
///     fn evaluate(_evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
///         let lines = context.integer("lines")?;
///         let exempt = context.text_list("exempt")?;
///         Ok(Verdict::pass(format!("{lines} {exempt:?}")))
///     }
/// }
///
/// # let call = Workspace::new().validator::<Sized>().set("lines", "10").set("exempt", "docs, tests");
/// # assert_eq!(call.run().verdict().justification, r#"10 ["docs", "tests"]"#);
/// ```
impl Context {
    /// The value of a setting declared with [`Setting::text`](crate::Setting::text).
    ///
    /// # Errors
    ///
    /// The setting is not declared, or with another type.
    pub fn text(&self, name: &str) -> Result<&str, SettingError> {
        match self.value(name)? {
            SettingValue::Text(text) => Ok(text),
            other => Err(wrong(name, SettingType::Text, other)),
        }
    }

    /// The value of a setting declared with [`Setting::boolean`](crate::Setting::boolean).
    ///
    /// # Errors
    ///
    /// The setting is not declared, or with another type.
    pub fn boolean(&self, name: &str) -> Result<bool, SettingError> {
        match self.value(name)? {
            SettingValue::Boolean(value) => Ok(*value),
            other => Err(wrong(name, SettingType::Boolean, other)),
        }
    }

    /// The value of a setting declared with [`Setting::integer`](crate::Setting::integer).
    ///
    /// # Errors
    ///
    /// The setting is not declared, or with another type.
    pub fn integer(&self, name: &str) -> Result<i64, SettingError> {
        match self.value(name)? {
            SettingValue::Integer(value) => Ok(*value),
            other => Err(wrong(name, SettingType::Integer, other)),
        }
    }

    /// The value of a setting declared with [`Setting::text_list`](crate::Setting::text_list).
    ///
    /// # Errors
    ///
    /// The setting is not declared, or with another type.
    pub fn text_list(&self, name: &str) -> Result<&[String], SettingError> {
        match self.value(name)? {
            SettingValue::TextList(texts) => Ok(texts),
            other => Err(wrong(name, SettingType::TextList, other)),
        }
    }

    fn value(&self, name: &str) -> Result<&SettingValue, SettingError> {
        self.settings
            .iter()
            .find(|setting| setting.name == name)
            .map(|setting| &setting.value)
            .ok_or_else(|| SettingError::Undeclared { name: name.to_owned() })
    }
}

fn wrong(name: &str, asked: SettingType, found: &SettingValue) -> SettingError {
    SettingError::WrongType {
        name: name.to_owned(),
        asked,
        found: found.value_type(),
    }
}
