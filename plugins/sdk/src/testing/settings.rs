//! From what a test sets to typed values: each setting that the plugin declares, and no other, as the host hands them over.

use crate::types::{Setting, SettingDeclaration, SettingType, SettingValue};

/// A value before the declaration is looked at.
#[derive(Debug, Clone)]
pub(super) enum Given {
    /// As behind `--set`: read by the declared type.
    Raw(String),
    /// Must be of the declared type.
    Typed(SettingValue),
}

/// Every declared setting with the value in force, in the order of the declaration.
pub(super) fn typed(
    plugin: &str,
    declared: &[SettingDeclaration],
    given: &[(String, Given)],
) -> Result<Vec<Setting>, String> {
    for (name, _) in given {
        if !declared.iter().any(|declaration| declaration.name == *name) {
            let all: Vec<String> = declared.iter().map(|one| format!("`{}`", one.name)).collect();
            let instead = match all.as_slice() {
                [] => "it has none".to_owned(),
                all => format!("it has {}", all.join(", ")),
            };
            return Err(format!("`{plugin}` has no setting `{name}`; {instead}"));
        }
    }
    declared
        .iter()
        .map(|declaration| in_force(plugin, declaration, given))
        .collect()
}

fn in_force(plugin: &str, declaration: &SettingDeclaration, given: &[(String, Given)]) -> Result<Setting, String> {
    let name = &declaration.name;
    let mut value: Option<SettingValue> = None;
    for (_, one) in given.iter().filter(|(given, _)| given == name) {
        let further = read(one, declaration.value_type).ok_or_else(|| {
            format!(
                "the setting `{plugin}.{name}` is {}; `{}` is not",
                words(declaration.value_type),
                shown(one)
            )
        })?;
        value = match (value, further) {
            (None, further) => Some(further),
            (Some(SettingValue::TextList(mut list)), SettingValue::TextList(more)) => {
                list.extend(more);
                Some(SettingValue::TextList(list))
            }
            _ => {
                return Err(format!(
                    "the setting `{plugin}.{name}` is given twice; only a text list may be repeated"
                ));
            }
        };
    }
    let Some(value) = value.or_else(|| declaration.default.clone()) else {
        return Err(format!(
            "`{plugin}` needs the setting `{name}` ({}): {}",
            words(declaration.value_type),
            declaration.meaning
        ));
    };
    Ok(Setting {
        name: name.clone(),
        value,
    })
}

fn read(given: &Given, value_type: SettingType) -> Option<SettingValue> {
    match given {
        Given::Typed(value) => (value.value_type() == value_type).then(|| value.clone()),
        Given::Raw(raw) => from_text(raw, value_type),
    }
}

/// A flag's text by the declared type. A text list is separated by commas, with blanks around items taken off.
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
            (!items.iter().any(String::is_empty)).then_some(SettingValue::TextList(items))
        }
    }
}

fn words(of: SettingType) -> &'static str {
    match of {
        SettingType::Text => "a text",
        SettingType::Boolean => "`true` or `false`",
        SettingType::Integer => "a whole number",
        SettingType::TextList => "a list of texts",
    }
}

fn shown(given: &Given) -> String {
    match given {
        Given::Raw(raw) => raw.clone(),
        Given::Typed(SettingValue::Text(text)) => text.clone(),
        Given::Typed(SettingValue::Boolean(value)) => value.to_string(),
        Given::Typed(SettingValue::Integer(number)) => number.to_string(),
        Given::Typed(SettingValue::TextList(items)) => format!("[{}]", items.join(", ")),
    }
}
