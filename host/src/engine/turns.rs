//! How many turns a model gets: a setting of the plugin that asks it, whose value the user's `config.yml` and a protocol may name in their
//! own words.

use snodo_config::resolve::ResolvedValidator;
use snodo_config::settings::{GivenSetting, GivenValue, Origin};
use snodo_workspace::role::{SettingDeclaration, SettingType, SettingValue};

/// By which name a plugin declares it.
const TURNS: &str = "max-tool-turns";

fn is_turns(declaration: &SettingDeclaration) -> bool {
    declaration.name == TURNS && declaration.value_type == SettingType::Integer
}

/// What the user's file says goes before what the plugin holds for usual, and after everything else.
pub(super) fn by_default(declared: &mut [SettingDeclaration], turns: Option<u32>) {
    if let Some(turns) = turns
        && let Some(declaration) = declared.iter_mut().find(|declaration| is_turns(declaration))
    {
        declaration.default = Some(SettingValue::Integer(turns.into()));
    }
}

/// What the protocol says of one validator: part of a gate, which no flag replaces. A repository only tightens: what the user's file allows is
/// the most.
pub(super) fn of_protocol(
    validator: &ResolvedValidator,
    plugin: &str,
    declared: &[SettingDeclaration],
    allowed: Option<u32>,
) -> Option<GivenSetting> {
    let turns = validator.max_tool_turns?;
    let turns = allowed.map_or(turns, |allowed| turns.min(allowed));
    declared.iter().any(is_turns).then(|| GivenSetting {
        plugin: plugin.to_owned(),
        key: TURNS.to_owned(),
        value: GivenValue::Typed(SettingValue::Integer(turns.into())),
        origin: Origin::Tooling { line: validator.line },
    })
}
