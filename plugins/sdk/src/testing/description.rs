//! What a plugin says of itself, held against the host's rules: they are the host's very own.

use snodo_workspace::role as domain;

use super::role::Role;
use crate::types::{SettingDeclaration, SettingType, SettingValue};
use crate::{Description, Phase};

/// What the host would say against a description.
pub(super) fn check(description: &Description, role: Role) -> Result<(), String> {
    domain::checked(converted(description), matches!(role, Role::Validator)).map(drop)
}

fn converted(description: &Description) -> domain::Description {
    domain::Description {
        name: description.name.clone(),
        version: description.version.clone(),
        summary: description.summary.clone(),
        settings: description.settings.iter().map(setting).collect(),
        phases: description
            .phases
            .iter()
            .map(|phase| match phase {
                Phase::PreExecute => domain::Phase::PreExecute,
                Phase::PostExecute => domain::Phase::PostExecute,
            })
            .collect(),
    }
}

fn setting(declared: &SettingDeclaration) -> domain::SettingDeclaration {
    domain::SettingDeclaration {
        name: declared.name.clone(),
        value_type: match declared.value_type {
            SettingType::Text => domain::SettingType::Text,
            SettingType::Boolean => domain::SettingType::Boolean,
            SettingType::Integer => domain::SettingType::Integer,
            SettingType::TextList => domain::SettingType::TextList,
        },
        default: declared.default.as_ref().map(|value| match value {
            SettingValue::Text(text) => domain::SettingValue::Text(text.clone()),
            SettingValue::Boolean(value) => domain::SettingValue::Boolean(*value),
            SettingValue::Integer(value) => domain::SettingValue::Integer(*value),
            SettingValue::TextList(list) => domain::SettingValue::TextList(list.clone()),
        }),
        meaning: declared.meaning.clone(),
    }
}
