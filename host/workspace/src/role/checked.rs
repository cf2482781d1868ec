//! What a plugin says of itself, checked: it is a stranger's text, and the host prints and decides by it.

use std::collections::BTreeSet;

use super::description::{Description, SettingDeclaration, SettingValue};
use crate::escape::one_line;

/// Bounds of a description: what a person reads at one sitting.
const MAX_SETTINGS: usize = 64;
const MAX_NAME: usize = 64;
const MAX_LINE: usize = 300;
const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Checks a description and makes its text harmless.
///
/// # Errors
/// What breaks the contract, in one sentence.
pub fn checked(description: Description, of_validator: bool) -> Result<Description, String> {
    let Description {
        name,
        version,
        summary,
        settings,
        mut phases,
    } = description;
    if name.trim().is_empty() {
        return Err("`describe` answers without a name".to_owned());
    }
    if settings.len() > MAX_SETTINGS {
        return Err(format!(
            "`describe` answers {} settings; at most {MAX_SETTINGS} are taken",
            settings.len()
        ));
    }
    let mut names = BTreeSet::new();
    let settings = settings
        .into_iter()
        .map(|s| setting(s, &mut names))
        .collect::<Result<Vec<_>, _>>()?;
    phases.sort_unstable();
    phases.dedup();
    if of_validator && phases.is_empty() {
        return Err("`describe` answers no phase: a validator says in which phases it judges".to_owned());
    }
    if !of_validator && !phases.is_empty() {
        return Err("`describe` answers phases: a coder judges in none".to_owned());
    }
    Ok(Description {
        name: one_line(&name, MAX_NAME),
        version: one_line(&version, MAX_NAME),
        summary: one_line(&summary, MAX_LINE),
        settings,
        phases,
    })
}

fn setting(declared: SettingDeclaration, names: &mut BTreeSet<String>) -> Result<SettingDeclaration, String> {
    let SettingDeclaration {
        name,
        value_type,
        default,
        meaning,
    } = declared;
    let shown = one_line(&name, MAX_NAME);
    let mut characters = name.chars();
    let well_formed = characters.next().is_some_and(|c| c.is_ascii_lowercase())
        && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && name.len() <= MAX_NAME;
    if !well_formed {
        return Err(format!(
            "`describe` answers a setting `{shown}`: a setting's name is lower-case letters, digits and `-`, and starts with a letter"
        ));
    }
    if !names.insert(name.clone()) {
        return Err(format!("`describe` answers the setting `{shown}` twice"));
    }
    if default
        .as_ref()
        .is_some_and(|default| default.value_type() != value_type)
    {
        return Err(format!(
            "`describe` answers a default of another type for the setting `{shown}`"
        ));
    }
    let size = match &default {
        Some(SettingValue::Text(text)) => text.len(),
        Some(SettingValue::TextList(list)) => list.iter().map(String::len).sum::<usize>() + list.len(),
        Some(SettingValue::Boolean(_) | SettingValue::Integer(_)) | None => 0,
    };
    if size > MAX_VALUE_BYTES {
        return Err(format!(
            "`describe` answers a default of {size} bytes for the setting `{shown}`"
        ));
    }
    Ok(SettingDeclaration {
        name,
        value_type,
        default,
        meaning: one_line(&meaning, MAX_LINE),
    })
}
