//! Why a protocol that is right cannot be run here.

use std::fmt;

use miette::Diagnostic;
use serde::Serialize;

use crate::printable::{listed, printable};

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// `--mode` names no mode.
    #[error("the protocol has no mode `{}`", printable(.mode))]
    UnknownMode {
        /// Asked for.
        mode: String,
        /// What there is.
        modes: Vec<String>,
        /// The nearest of it.
        nearest: Option<String>,
    },
    /// `--module` names no module.
    #[error("the protocol has no module `{}`", printable(.module))]
    UnknownModule {
        /// Asked for.
        module: String,
        /// What there is.
        modules: Vec<String>,
        /// The nearest of it.
        nearest: Option<String>,
    },
    /// A field that would decide about the run, and that this build does not serve.
    #[error("`{}` (line {line}) is not served: {why}", printable(.field))]
    NotServed {
        /// Which.
        field: String,
        /// Where.
        line: u32,
        /// Why.
        why: String,
    },
    /// A validator type that nothing answers for. snodo would ask a language model instead.
    #[error("the validator `{}` (line {line}) is of the type `{}`, which is neither first-party nor an installed plugin", printable(.validator), printable(.validator_type))]
    UnknownType {
        /// Which validator.
        validator: String,
        /// Its type.
        validator_type: String,
        /// Where.
        line: u32,
        /// What there is.
        known: Vec<String>,
        /// The nearest of it.
        nearest: Option<String>,
    },
    /// A validator twice in one mode: it would count twice.
    #[error("the mode `{}` lists the validator `{}` twice (line {line})", printable(.mode), printable(.validator))]
    ListedTwice {
        /// Which mode.
        mode: String,
        /// Which validator.
        validator: String,
        /// Where the second one stands.
        line: u32,
    },
    /// A protected path that cannot be honoured.
    #[error("the protected path `{}` (line {line}) cannot be honoured: {why}", printable(.path))]
    ProtectedPath {
        /// As written.
        path: String,
        /// Where.
        line: u32,
        /// Why.
        why: &'static str,
    },
    /// A model in `coder_config`.
    #[error("`coder_config.model` (line {line}) is not served; snodo fails on it too")]
    CoderModel {
        /// Where.
        line: u32,
    },
    /// A value that no setting can be.
    #[error("`{}` (line {line}) is {found}; a setting is a text, true or false, a whole number, or a list of texts", printable(.field))]
    BadSetting {
        /// Which.
        field: String,
        /// Where.
        line: u32,
        /// What it is.
        found: &'static str,
    },
    /// A timeout or a command that is none.
    #[error("`{}` (line {line}) must be {expected}", printable(.field))]
    BadTooling {
        /// Which.
        field: String,
        /// Where.
        line: u32,
        /// What it must be.
        expected: &'static str,
    },
    /// Two test commands in one mode: a run has one declared runner.
    #[error("the validators `{}` and `{}` (line {line}) declare different test commands; a run has one", printable(.one), printable(.other))]
    TwoTestCommands {
        /// The first.
        one: String,
        /// The second.
        other: String,
        /// Where the second stands.
        line: u32,
    },
}

impl Refusal {
    /// Line of the protocol; none for what the protocol does not say.
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::UnknownMode { .. } | Self::UnknownModule { .. } => None,
            Self::NotServed { line, .. }
            | Self::UnknownType { line, .. }
            | Self::ListedTwice { line, .. }
            | Self::ProtectedPath { line, .. }
            | Self::CoderModel { line }
            | Self::BadSetting { line, .. }
            | Self::BadTooling { line, .. }
            | Self::TwoTestCommands { line, .. } => Some(*line),
        }
    }

    /// The field that it is about, by its path; none where it is about no single one.
    pub fn field(&self) -> Option<String> {
        match self {
            Self::UnknownMode { .. } | Self::UnknownModule { .. } => None,
            Self::NotServed { field, .. } | Self::BadSetting { field, .. } | Self::BadTooling { field, .. } => {
                Some(field.clone())
            }
            Self::UnknownType { validator, .. } => Some(format!("validators.{validator}.validator_type")),
            Self::ListedTwice { mode, .. } => Some(format!("modes.{mode}.validators")),
            Self::ProtectedPath { .. } => Some("protected_paths".to_owned()),
            Self::CoderModel { .. } => Some("coder_config.model".to_owned()),
            Self::TwoTestCommands { other, .. } => Some(format!("validators.{other}.tooling.test_command")),
        }
    }

    /// The way out.
    pub fn help(&self) -> String {
        let near = |nearest: Option<&String>, or: String| {
            nearest.map_or(or, |near| format!("did you mean `{}`?", printable(near)))
        };
        match self {
            Self::UnknownMode { modes, nearest, .. } => near(nearest.as_ref(), format!("it has {}", listed(modes))),
            Self::UnknownModule { modules, nearest, .. } => {
                let all = if modules.is_empty() {
                    "it declares none".to_owned()
                } else {
                    format!("it has {}", listed(modules))
                };
                near(nearest.as_ref(), all)
            }
            Self::NotServed { .. } => {
                "run in a mode without it, or use `--protocol` with a file that leaves it out".to_owned()
            }
            Self::UnknownType { known, nearest, .. } => near(
                nearest.as_ref(),
                format!("install the plugin, or use one of {}", listed(known)),
            ),
            Self::ListedTwice { .. } => "list it once".to_owned(),
            Self::ProtectedPath { .. } => {
                "name a file or a folder from the workspace's root; a folder protects everything below it".to_owned()
            }
            Self::CoderModel { .. } => "remove it and choose the model with `--model`".to_owned(),
            Self::BadSetting { .. } => "put it in quotes if it is meant as a text, or remove it".to_owned(),
            Self::BadTooling { expected, .. } => format!("give {expected}"),
            Self::TwoTestCommands { .. } => {
                "let them share one command, for instance a script that runs both".to_owned()
            }
        }
    }
}

/// A protocol that is right and cannot be run here: every reason, in the file's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveError {
    refusals: Vec<Refusal>,
}

impl ResolveError {
    pub(super) fn new(mut refusals: Vec<Refusal>) -> Self {
        refusals.sort_by_key(Refusal::line);
        Self { refusals }
    }

    pub(super) fn one(refusal: Refusal) -> Self {
        Self {
            refusals: vec![refusal],
        }
    }

    /// At least one.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = &self.refusals[..] {
            return write!(f, "the protocol cannot be run here: {only}");
        }
        write!(
            f,
            "the protocol cannot be run here, for {} reasons",
            self.refusals.len()
        )
    }
}

impl std::error::Error for ResolveError {}

impl Diagnostic for ResolveError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        if let [only] = &self.refusals[..] {
            Some(Box::new(only.help()))
        } else {
            None
        }
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        if self.refusals.len() == 1 {
            return None;
        }
        Some(Box::new(self.refusals.iter().map(|refusal| refusal as &dyn Diagnostic)))
    }
}

impl Diagnostic for Refusal {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(Refusal::help(self)))
    }
}

impl Serialize for Refusal {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told {
            line: Option<u32>,
            message: String,
            help: String,
        }
        Told {
            line: self.line(),
            message: self.to_string(),
            help: Refusal::help(self),
        }
        .serialize(to)
    }
}

impl Serialize for ResolveError {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.refusals.serialize(to)
    }
}
