//! A validator's `tooling`: the test command and its timeout for `quality`, settings for every other type.

use super::{NoEffect, QUALITY, Refusal, ResolvedValidator};
use crate::node::Value;
use crate::protocol::{Module, Validator};
use crate::settings::{GivenSetting, GivenValue, Origin, from_node};

/// What snodo writes where a team has yet to name its command; the first without its quotes.
const PLACEHOLDERS: [&str; 2] = [
    "echo snodo: no test_command configured; no tests executed",
    "REPLACE_ME",
];

/// The longest timeout of a test command, in seconds: a day. What it runs under is the smaller of this and the user's
/// own.
const LONGEST_TIMEOUT: i64 = 24 * 60 * 60;

/// The typed content of `tooling`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tooling {
    /// `quality` only: the command, unless it is one of snodo's placeholders.
    pub test_command: Option<String>,
    /// `quality` only: of one run of the command, in seconds.
    pub timeout_seconds: Option<u32>,
    /// Everything else: settings of the plugin that answers for the type.
    pub settings: Vec<GivenSetting>,
}

pub(super) fn read(validator: &Validator, refusals: &mut Vec<Refusal>) -> Tooling {
    let mut tooling = Tooling {
        test_command: None,
        timeout_seconds: None,
        settings: Vec::new(),
    };
    for (key, node) in validator.tooling.iter() {
        let field = || format!("validators.{}.tooling.{}", validator.validator_id, key.value);
        let line = key.place.line;
        match key.value.as_str() {
            "test_command" if validator.validator_type == QUALITY => match &node.value {
                Value::Text(command) if is_open(command) => {}
                Value::Text(command) => tooling.test_command = Some(command.clone()),
                Value::Null => {}
                _ => refusals.push(no_command(field(), line)),
            },
            "timeout" if validator.validator_type == QUALITY => match node.value {
                Value::Int(seconds) if (1..=LONGEST_TIMEOUT).contains(&seconds) => {
                    tooling.timeout_seconds = u32::try_from(seconds).ok();
                }
                Value::Null => {}
                _ => refusals.push(Refusal::BadTooling {
                    field: field(),
                    line,
                    expected: "a whole number of seconds from 1 to 86400",
                }),
            },
            _ => match from_node(node) {
                Some(value) => tooling.settings.push(GivenSetting {
                    plugin: super::plugin_of(&validator.validator_type).to_owned(),
                    key: key.value.clone(),
                    value: GivenValue::Typed(value),
                    origin: Origin::Tooling { line },
                }),
                None => refusals.push(Refusal::BadSetting {
                    field: field(),
                    line,
                    found: node.value.kind(),
                }),
            },
        }
    }
    tooling
}

/// The test command of a module; none if it leaves that open.
pub(super) fn of_module(module: &Module, notices: &mut Vec<NoEffect>) -> Result<Option<String>, Refusal> {
    let mut command = None;
    for (key, node) in module.tooling.iter() {
        let field = format!("modules.{}.tooling.{}", module.module_id, key.value);
        let line = key.place.line;
        match &node.value {
            _ if key.value != "test_command" => notices.push(NoEffect::new(
                field,
                line,
                "of a module's tooling only `test_command` is acted upon",
            )),
            Value::Text(text) => command = (!is_open(text)).then(|| text.clone()),
            Value::Null => {}
            _ => return Err(no_command(field, line)),
        }
    }
    Ok(command)
}

fn no_command(field: String, line: u32) -> Refusal {
    Refusal::BadTooling {
        field,
        line,
        expected: "a command as a text",
    }
}

/// Whether a command is one that snodo writes where a team has yet to name its own (`echo 'snodo: no test_command
/// configured; no tests executed'`, `REPLACE_ME`): it passes without running anything, so that it counts as none.
///
/// Blanks and the kind of quotes are no matter, since tools that rewrite a protocol change them.
pub fn is_placeholder(command: &str) -> bool {
    let unquoted: String = command.chars().filter(|c| !matches!(c, '\'' | '"')).collect();
    let words: Vec<&str> = unquoted.split_whitespace().collect();
    PLACEHOLDERS.contains(&words.join(" ").as_str())
}

/// Whether a command names none: it is blank, or a placeholder.
pub fn is_open(command: &str) -> bool {
    command.trim().is_empty() || is_placeholder(command)
}

/// The one test command of a mode.
pub(super) fn test_command(validators: &[ResolvedValidator], refusals: &mut Vec<Refusal>) -> Option<String> {
    let mut declaring = validators
        .iter()
        .filter_map(|v| v.tooling.test_command.as_ref().map(|command| (v, command)));
    let (first, command) = declaring.next()?;
    for (other, _) in declaring.filter(|(_, other)| *other != command) {
        refusals.push(Refusal::TwoTestCommands {
            one: first.id.clone(),
            other: other.id.clone(),
            line: other.line,
        });
    }
    Some(command.clone())
}
