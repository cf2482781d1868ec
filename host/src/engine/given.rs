//! What the command line sets and grants, and whom it is meant for.

use snodo_config::settings::{GivenSetting, parse_set_flag, typed_settings};
use snodo_workspace::role::{Setting, SettingDeclaration};

use super::{RunRequest, SetupError};

/// What the command line sets, parsed.
pub(super) fn given_settings(request: &RunRequest) -> Result<Vec<GivenSetting>, SetupError> {
    request
        .settings
        .iter()
        .map(|text| parse_set_flag(text).map_err(|error| SetupError::Setting(error.to_string())))
        .collect()
}

/// The settings of one plugin in one place: what the protocol says, and what the command line says under the plugin's name or the
/// validator's id.
pub(super) fn settings_of(
    plugin: &str,
    id: &str,
    declared: &[SettingDeclaration],
    of_protocol: Vec<GivenSetting>,
    given: &[GivenSetting],
) -> Result<Vec<Setting>, SetupError> {
    let mut all = of_protocol;
    all.extend(
        given
            .iter()
            .filter(|setting| setting.plugin == plugin || setting.plugin == id)
            .cloned(),
    );
    typed_settings(id, declared, &all).map_err(|error| SetupError::Setting(error.to_string()))
}

/// A setting or a grant for somebody who is not in the run is a mistake that would otherwise be silent.
pub(super) fn check_names(request: &RunRequest, given: &[GivenSetting], known: &[String]) -> Result<(), SetupError> {
    for setting in given {
        if !known.contains(&setting.plugin) {
            let mut names = known.to_vec();
            names.sort();
            names.dedup();
            return Err(SetupError::Setting(format!(
                "`--set {}.{}=…` names `{}`, which is not part of this run; part of it are: {}",
                setting.plugin,
                setting.key,
                setting.plugin,
                names.join(", ")
            )));
        }
    }
    for grant in &request.grants {
        if !known.contains(&grant.plugin) {
            return Err(SetupError::GrantForNobody {
                plugin: grant.plugin.clone(),
                kind: grant.kind.as_str(),
            });
        }
    }
    Ok(())
}
