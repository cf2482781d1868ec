//! What a plugin says of itself.

use serde::Serialize;

use super::Phase;

/// A plugin's description of itself. It grants nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Its own name for itself; what it is called by is decided by the host.
    pub name: String,
    /// Its version.
    pub version: String,
    /// One line.
    pub summary: String,
    /// Settings that it honours.
    pub settings: Vec<SettingDeclaration>,
    /// For a validator: where it judges.
    pub phases: Vec<Phase>,
}

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingType {
    /// One text.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Several texts.
    TextList,
}

/// A value of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// One text.
    Text(String),
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Several texts.
    TextList(Vec<String>),
}

impl SettingValue {
    /// Its type.
    pub fn value_type(&self) -> SettingType {
        match self {
            Self::Text(_) => SettingType::Text,
            Self::Boolean(_) => SettingType::Boolean,
            Self::Integer(_) => SettingType::Integer,
            Self::TextList(_) => SettingType::TextList,
        }
    }
}

/// A setting with its value in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// As declared.
    pub name: String,
    /// In force.
    pub value: SettingValue,
}

/// A setting that a plugin honours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingDeclaration {
    /// Lower-case letters, digits and `-`.
    pub name: String,
    /// Its type.
    pub value_type: SettingType,
    /// None: it must be given.
    pub default: Option<SettingValue>,
    /// One sentence.
    pub meaning: String,
}
