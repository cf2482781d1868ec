//! Settings of plugins: from flags and from the protocol to typed values.
//!
//! A plugin declares its settings in `describe`; a person gives them by `--set NAME.KEY=VALUE`, a protocol by a
//! validator's `tooling` or a mode's `coder_config`. Nothing untyped ever reaches a plugin, and it always gets every
//! setting that it declared.

use snodo_workspace::role::{Setting, SettingDeclaration, SettingType, SettingValue};

use crate::nearest::nearest;
use crate::node::{Node, Value};
use crate::printable::{listed, printable};

/// Where a setting was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// `--set`, by whoever runs.
    Flag,
    /// A validator's `tooling`: part of a gate, which no flag replaces.
    Tooling {
        /// Of the protocol.
        line: u32,
    },
    /// A mode's `coder_config`: a default of the team's; a flag goes before it.
    CoderConfig {
        /// Of the protocol.
        line: u32,
    },
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag => f.write_str("--set"),
            Self::Tooling { line } => write!(f, "`tooling`, line {line} of the protocol"),
            Self::CoderConfig { line } => write!(f, "`coder_config`, line {line} of the protocol"),
        }
    }
}

/// A value before the declaration is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenValue {
    /// From a flag: read by the declared type.
    Raw(String),
    /// From the protocol: must be of the declared type.
    Typed(SettingValue),
}

/// A setting as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenSetting {
    /// The plugin's name.
    pub plugin: String,
    /// The setting's name. `_` counts as `-`, since protocols are written with `_`.
    pub key: String,
    /// What was given.
    pub value: GivenValue,
    /// Where.
    pub origin: Origin,
}

/// A `--set` flag that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetFlagError {
    /// No `=`.
    #[error("`--set {}` has no `=`: write NAME.KEY=VALUE", printable(.0))]
    NoValue(String),
    /// No `.` before the `=`.
    #[error("`--set {}` names no plugin: write NAME.KEY=VALUE", printable(.0))]
    NoPlugin(String),
    /// Nothing before or behind the `.`.
    #[error("`--set {}` leaves the plugin's name or the setting's name empty: write NAME.KEY=VALUE", printable(.0))]
    EmptyName(String),
}

/// Reads a `--set` flag's argument, `NAME.KEY=VALUE`. NAME may hold points itself; the value may hold anything.
pub fn parse_set_flag(argument: &str) -> Result<GivenSetting, SetFlagError> {
    let (name, value) = argument
        .split_once('=')
        .ok_or_else(|| SetFlagError::NoValue(argument.to_owned()))?;
    let (plugin, key) = name
        .rsplit_once('.')
        .ok_or_else(|| SetFlagError::NoPlugin(argument.to_owned()))?;
    if plugin.is_empty() || key.is_empty() {
        return Err(SetFlagError::EmptyName(argument.to_owned()));
    }
    Ok(GivenSetting {
        plugin: plugin.to_owned(),
        key: key.to_owned(),
        value: GivenValue::Raw(value.to_owned()),
        origin: Origin::Flag,
    })
}

/// A value of the protocol as a setting; none for what no setting can be (nothing, a number with a point, a date, a
/// map).
pub(crate) fn from_node(node: &Node) -> Option<SettingValue> {
    match &node.value {
        Value::Text(text) => Some(SettingValue::Text(text.clone())),
        Value::Bool(b) => Some(SettingValue::Boolean(*b)),
        Value::Int(i) => Some(SettingValue::Integer(*i)),
        Value::List(items) => items
            .iter()
            .map(|item| item.as_text().map(str::to_owned))
            .collect::<Option<_>>()
            .map(SettingValue::TextList),
        Value::Null | Value::BigInt(_) | Value::Float(_) | Value::Timestamp(_) | Value::Map(_) => None,
    }
}

/// Settings that do not fit what a plugin declares.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// Not declared.
    #[error("`{}` has no setting `{}` (given by {origin}); {}", printable(.plugin), printable(.key), instead(.nearest.as_ref(), .declared))]
    Unknown {
        /// Whose.
        plugin: String,
        /// As given.
        key: String,
        /// What there is.
        declared: Vec<String>,
        /// The nearest of it.
        nearest: Option<String>,
        /// Where it was given.
        origin: Origin,
    },
    /// Declared without a default, and not given.
    #[error("`{}` needs the setting `{}` ({}): {}; give it by `--set {}.{}=…`", printable(.plugin), printable(.key), type_name(*.value_type),
        printable(.meaning), printable(.plugin), printable(.key))]
    Missing {
        /// Whose.
        plugin: String,
        /// Which.
        key: String,
        /// Its type.
        value_type: SettingType,
        /// What the plugin says of it.
        meaning: String,
    },
    /// A value of another type.
    #[error("the setting `{}.{}` is {}; `{}` (given by {origin}) is not", printable(.plugin), printable(.key), type_name(*.expected), printable(.found))]
    WrongType {
        /// Whose.
        plugin: String,
        /// Which.
        key: String,
        /// Declared.
        expected: SettingType,
        /// Given.
        found: String,
        /// Where it was given.
        origin: Origin,
    },
    /// Two flags for one value.
    #[error("the setting `{}.{}` is given twice; only a text list may be repeated", printable(.plugin), printable(.key))]
    Twice {
        /// Whose.
        plugin: String,
        /// Which.
        key: String,
    },
    /// A flag for what the protocol's gate fixes.
    #[error("the protocol sets `{}.{}` (line {line}); a flag cannot replace what a gate is given", printable(.plugin), printable(.key))]
    FixedByProtocol {
        /// Whose.
        plugin: String,
        /// Which.
        key: String,
        /// Of the protocol.
        line: u32,
    },
    /// The plugin's own declaration contradicts itself.
    #[error("the plugin `{}` declares its setting `{}` wrongly: {why}", printable(.plugin), printable(.key))]
    BadDeclaration {
        /// Whose.
        plugin: String,
        /// Which.
        key: String,
        /// How.
        why: &'static str,
    },
}

fn instead(nearest: Option<&String>, declared: &[String]) -> String {
    match nearest {
        Some(near) => format!("did you mean `{}`?", printable(near)),
        None if declared.is_empty() => "it has none".to_owned(),
        None => format!("it has {}", listed(declared)),
    }
}

fn type_name(of: SettingType) -> &'static str {
    match of {
        SettingType::Text => "a text",
        SettingType::Boolean => "`true` or `false`",
        SettingType::Integer => "a whole number",
        SettingType::TextList => "a list of texts",
    }
}

/// Knobs of snodo's own coders that protocols carry in `coder_config`. A coder that does not declare them is not
/// bothered with them; `resolve` says so.
pub(crate) const CODER_KNOBS: [&str; 6] = [
    "max_tokens",
    "max_tool_turns",
    "timeout_seconds",
    "silence_timeout_seconds",
    "sandboxed",
    "concurrency",
];

/// Every declared setting with the value in force, in the order of the declaration.
///
/// `given` holds what is meant for this plugin: what the protocol says and what flags say, in any order. A flag goes
/// before `coder_config` and never before `tooling`.
pub fn typed_settings(
    plugin: &str,
    declared: &[SettingDeclaration],
    given: &[GivenSetting],
) -> Result<Vec<Setting>, SettingError> {
    for (i, declaration) in declared.iter().enumerate() {
        check_declaration(plugin, declaration, &declared[..i])?;
    }
    for setting in given {
        let is_known = declared.iter().any(|d| is_named(setting, d));
        let is_knob =
            matches!(setting.origin, Origin::CoderConfig { .. }) && CODER_KNOBS.contains(&setting.key.as_str());
        if !is_known && !is_knob {
            let dashed = setting.key.replace('_', "-");
            return Err(SettingError::Unknown {
                plugin: plugin.to_owned(),
                key: setting.key.clone(),
                declared: declared.iter().map(|d| d.name.clone()).collect(),
                nearest: nearest(&dashed, declared.iter().map(|d| d.name.as_str())).map(str::to_owned),
                origin: setting.origin,
            });
        }
    }
    declared
        .iter()
        .map(|declaration| in_force(plugin, declaration, given))
        .collect()
}

fn check_declaration(
    plugin: &str,
    declaration: &SettingDeclaration,
    before: &[SettingDeclaration],
) -> Result<(), SettingError> {
    let bad = |why| SettingError::BadDeclaration {
        plugin: plugin.to_owned(),
        key: declaration.name.clone(),
        why,
    };
    if declaration
        .default
        .as_ref()
        .is_some_and(|value| value.value_type() != declaration.value_type)
    {
        return Err(bad("its default is of another type"));
    }
    if before.iter().any(|other| other.name == declaration.name) {
        return Err(bad("it is declared twice"));
    }
    Ok(())
}

fn is_named(setting: &GivenSetting, declaration: &SettingDeclaration) -> bool {
    setting.key == declaration.name || setting.key.replace('_', "-") == declaration.name
}

fn in_force(plugin: &str, declaration: &SettingDeclaration, given: &[GivenSetting]) -> Result<Setting, SettingError> {
    let key = || declaration.name.clone();
    let given: Vec<&GivenSetting> = given.iter().filter(|setting| is_named(setting, declaration)).collect();
    let (flags, of_protocol): (Vec<&GivenSetting>, Vec<&GivenSetting>) =
        given.into_iter().partition(|s| s.origin == Origin::Flag);
    let fixed = of_protocol.iter().find_map(|s| {
        if let Origin::Tooling { line } = s.origin {
            Some(line)
        } else {
            None
        }
    });
    if let (Some(line), false) = (fixed, flags.is_empty()) {
        return Err(SettingError::FixedByProtocol {
            plugin: plugin.to_owned(),
            key: key(),
            line,
        });
    }
    let chosen = if flags.is_empty() { of_protocol } else { flags };
    let mut value: Option<SettingValue> = None;
    for setting in chosen {
        let further = read(plugin, declaration, setting)?;
        value = match (value, further) {
            (None, further) => Some(further),
            (Some(SettingValue::TextList(mut list)), SettingValue::TextList(more)) => {
                list.extend(more);
                Some(SettingValue::TextList(list))
            }
            _ => {
                return Err(SettingError::Twice {
                    plugin: plugin.to_owned(),
                    key: key(),
                });
            }
        };
    }
    let Some(value) = value.or_else(|| declaration.default.clone()) else {
        return Err(SettingError::Missing {
            plugin: plugin.to_owned(),
            key: key(),
            value_type: declaration.value_type,
            meaning: declaration.meaning.clone(),
        });
    };
    Ok(Setting { name: key(), value })
}

fn read(plugin: &str, declaration: &SettingDeclaration, setting: &GivenSetting) -> Result<SettingValue, SettingError> {
    let read = match &setting.value {
        GivenValue::Typed(value) if value.value_type() == declaration.value_type => Some(value.clone()),
        GivenValue::Typed(_) => None,
        GivenValue::Raw(raw) => from_text(raw, declaration.value_type),
    };
    read.ok_or_else(|| SettingError::WrongType {
        plugin: plugin.to_owned(),
        key: declaration.name.clone(),
        expected: declaration.value_type,
        found: shown(&setting.value),
        origin: setting.origin,
    })
}

/// A flag's text by the declared type. A text list is separated by commas, with blanks around items taken off;
/// nothing at all is the empty list, and an empty item is no item that anybody meant.
fn from_text(raw: &str, value_type: SettingType) -> Option<SettingValue> {
    match value_type {
        SettingType::Text => Some(SettingValue::Text(raw.to_owned())),
        SettingType::Boolean => match raw {
            "true" => Some(SettingValue::Boolean(true)),
            "false" => Some(SettingValue::Boolean(false)),
            _ => None,
        },
        SettingType::Integer => raw.trim().parse().ok().map(SettingValue::Integer),
        SettingType::TextList if raw.trim().is_empty() => Some(SettingValue::TextList(Vec::new())),
        SettingType::TextList => {
            let items: Vec<String> = raw.split(',').map(|item| item.trim().to_owned()).collect();
            if items.iter().any(String::is_empty) {
                None
            } else {
                Some(SettingValue::TextList(items))
            }
        }
    }
}

fn shown(value: &GivenValue) -> String {
    match value {
        GivenValue::Raw(raw) => raw.clone(),
        GivenValue::Typed(SettingValue::Text(text)) => text.clone(),
        GivenValue::Typed(SettingValue::Boolean(b)) => b.to_string(),
        GivenValue::Typed(SettingValue::Integer(i)) => i.to_string(),
        GivenValue::Typed(SettingValue::TextList(items)) => format!("[{}]", items.join(", ")),
    }
}
