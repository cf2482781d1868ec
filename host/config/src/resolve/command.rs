//! Which test command a run has, and who says so.

use serde::Serialize;

use super::detect::detect;
use super::tooling::{is_open, is_placeholder};
use super::{QUALITY, ResolvedRun};
use crate::printable::printable;

/// Who says what the test command is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum CommandSource {
    /// A `quality` validator's `tooling.test_command`.
    Protocol {
        /// The validator's id.
        validator: String,
    },
    /// The `tooling.test_command` of the module that the task is for.
    Module {
        /// The module's id.
        module: String,
    },
    /// `--test-command`.
    Flag,
    /// A file in the base's root.
    Detected {
        /// The file's name.
        marker: &'static str,
    },
}

/// The test command of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestCommand {
    /// As it was declared, without blanks around it; never empty, never a placeholder.
    pub text: String,
    /// Who says so.
    pub source: CommandSource,
}

/// A `--test-command` that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TestCommandError {
    /// The protocol has one, which is part of its gate.
    #[error("the protocol declares the test command `{}`; `--test-command` fills in what a protocol leaves open and replaces nothing", printable(.declared))]
    Declared {
        /// The protocol's.
        declared: String,
    },
    /// Nothing but blanks.
    #[error("`--test-command` is blank: give the command that runs the tests, or leave the flag out")]
    Blank,
    /// One of snodo's placeholders.
    #[error("`--test-command {}` is a placeholder that runs no test: give the command that runs the tests, or leave the flag out", printable(.given))]
    Placeholder {
        /// As given.
        given: String,
    },
}

/// The test command of a run, in snodo's order: what the task's module declares, else what a `quality` validator of the mode declares, else `--test-command`,
/// else, where the protocol has a `quality` validator in the mode, what the base's root stands for ([`detect`]). None
/// leaves such a validator with nothing to run, which is "completed, untested" and no evidence.
///
/// `root_files` are the names of the regular files in the base's root, before a coder starts.
pub fn test_command<'a>(
    resolved: Option<&ResolvedRun>,
    flag: Option<&str>,
    root_files: impl IntoIterator<Item = &'a str>,
) -> Result<Option<TestCommand>, TestCommandError> {
    let made = |text: &str, source| {
        Some(TestCommand {
            text: text.trim().to_owned(),
            source,
        })
    };
    let module = resolved.and_then(|run| run.module.as_ref());
    if let Some((module, declared)) = module.and_then(|m| m.test_command.as_ref().map(|command| (m, command))) {
        if flag.is_some() {
            return Err(TestCommandError::Declared {
                declared: declared.clone(),
            });
        }
        let module = module.id.clone();
        return Ok(made(declared, CommandSource::Module { module }));
    }
    let declaring = resolved
        .iter()
        .flat_map(|run| &run.validators)
        .find_map(|v| v.tooling.test_command.as_ref().map(|command| (v, command)));
    match (declaring, flag) {
        (Some((_, declared)), Some(_)) => Err(TestCommandError::Declared {
            declared: declared.clone(),
        }),
        (Some((validator, declared)), None) => {
            let validator = validator.id.clone();
            Ok(made(declared, CommandSource::Protocol { validator }))
        }
        (None, Some(given)) if is_placeholder(given) => Err(TestCommandError::Placeholder {
            given: given.to_owned(),
        }),
        (None, Some(given)) if is_open(given) => Err(TestCommandError::Blank),
        (None, Some(given)) => Ok(made(given, CommandSource::Flag)),
        (None, None) => {
            let in_force = resolved.is_some_and(|run| run.validators.iter().any(|v| v.validator_type == QUALITY));
            let detected = in_force.then(|| detect(root_files)).flatten();
            Ok(detected.and_then(|d| made(d.command, CommandSource::Detected { marker: d.marker })))
        }
    }
}
