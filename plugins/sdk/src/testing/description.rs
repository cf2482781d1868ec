//! What a plugin says of itself, held against the host's rules.

use std::collections::BTreeSet;

use super::role::Role;
use crate::Description;
use crate::types::{SettingDeclaration, SettingValue};

// The host's figures.
const MAX_SETTINGS: usize = 64;
const MAX_NAME: usize = 64;
const MAX_VALUE_BYTES: usize = 16 * 1024;

/// What the host would say against a description.
pub(super) fn check(description: &Description, role: Role) -> Result<(), String> {
    if description.name.trim().is_empty() {
        return Err("`describe` answers without a name".to_owned());
    }
    let count = description.settings.len();
    if count > MAX_SETTINGS {
        return Err(format!(
            "`describe` answers {count} settings; at most {MAX_SETTINGS} are taken"
        ));
    }
    let mut names = BTreeSet::new();
    for declared in &description.settings {
        check_setting(declared, &mut names)?;
    }
    match role {
        Role::Validator if description.phases.is_empty() => {
            Err("`describe` answers no phase: a validator says in which phases it judges".to_owned())
        }
        Role::Coder if !description.phases.is_empty() => {
            Err("`describe` answers phases: a coder judges in none".to_owned())
        }
        Role::Coder | Role::Validator => Ok(()),
    }
}

fn check_setting<'a>(declared: &'a SettingDeclaration, names: &mut BTreeSet<&'a str>) -> Result<(), String> {
    let name = declared.name.as_str();
    let mut characters = name.chars();
    let well_formed = characters.next().is_some_and(|c| c.is_ascii_lowercase())
        && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && name.len() <= MAX_NAME;
    if !well_formed {
        return Err(format!(
            "`describe` answers a setting `{name}`: a setting's name is lower-case letters, digits and `-`, and starts with a letter"
        ));
    }
    if !names.insert(name) {
        return Err(format!("`describe` answers the setting `{name}` twice"));
    }
    let Some(default) = &declared.default else {
        return Ok(());
    };
    if default.value_type() != declared.value_type {
        return Err(format!(
            "`describe` answers a default of another type for the setting `{name}`"
        ));
    }
    let size = match default {
        SettingValue::Text(text) => text.len(),
        SettingValue::TextList(list) => list.iter().map(String::len).sum::<usize>() + list.len(),
        SettingValue::Boolean(_) | SettingValue::Integer(_) => 0,
    };
    if size > MAX_VALUE_BYTES {
        return Err(format!(
            "`describe` answers a default of {size} bytes for the setting `{name}`"
        ));
    }
    Ok(())
}
