//! What is usable but probably not meant.

use crate::fault::{HIDDEN, Rule, is_word};
use crate::printable::{listed, printable};
use crate::source::Place;

/// A warning: the file is used, and somebody should look.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: WarningKind,
}

impl Warning {
    /// Whether it only counts others.
    pub(crate) fn is_count(&self) -> bool {
        matches!(self.kind, WarningKind::More { .. })
    }
}

/// What is probably not meant.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WarningKind {
    /// A key that the record does not have, and that is ignored.
    #[error("{record} has no field `{}`; it is ignored", printable(.key))]
    UnknownKey {
        /// The key.
        key: String,
        /// The record.
        record: String,
        /// What it has.
        known: Vec<&'static str>,
        /// The nearest.
        nearest: Option<&'static str>,
    },
    /// A key twice in one map: the last one counts.
    #[error("the key `{}` stands twice (first on line {first}); the last one counts", printable(.key))]
    DuplicateKey {
        /// The key.
        key: String,
        /// Line of the one that is overridden.
        first: u32,
    },
    /// A capability name that snodo does not know.
    #[error("the mode `{}` holds a tool `{}` that has no meaning", printable(.mode), printable(.tool))]
    UnknownModeTool {
        /// The mode.
        mode: String,
        /// The tool.
        tool: String,
        /// The nearest that has one.
        nearest: Option<&'static str>,
    },
    /// A validator type that is neither first-party nor installed.
    #[error("the validator `{}` is of the type `{}`, which nothing here answers for", printable(.validator), printable(.validator_type))]
    UnknownValidatorType {
        /// The validator.
        validator: String,
        /// Its type.
        validator_type: String,
        /// The nearest known type.
        nearest: Option<String>,
    },
    /// WF4: a quorum of one or two.
    #[error("the policy `quorum` over {validators} validator(s): below three it decides as `unanimous`")]
    SmallQuorum {
        /// How many there are.
        validators: usize,
    },
    /// WF4: one judge after the coder under `unanimous`.
    #[error("`{}` is the only post_execute validator under the policy `unanimous`: every warning of it stops the run", printable(.validator))]
    LoneJudge {
        /// Which.
        validator: String,
    },
    /// WF4: failing tests that cannot stop a run.
    #[error("`{}` is the only quality validator and its findings are capped at `{cap}`: failing tests cannot stop a run under the policy `{policy}`", printable(.validator))]
    QualityCapped {
        /// Which.
        validator: String,
        /// At what.
        cap: &'static str,
        /// Under which policy.
        policy: &'static str,
    },
    /// WF5: only a predicate.
    #[error("the constraint `{}` has a predicate and no expression to say what it means", printable(.id))]
    NoExpression {
        /// Which.
        id: String,
    },
    /// WF5: a parameter with which a predicate cannot be evaluated.
    #[error("the constraint `{}` cannot be evaluated: {problem}", printable(.id))]
    NotEvaluable {
        /// Which.
        id: String,
        /// Why. Fit to be printed.
        problem: String,
    },
    /// Modules: a path in two modules.
    #[error("the modules `{}` and `{}` both hold `{}`", printable(.one), printable(.other), printable(.path))]
    OverlappingModules {
        /// The outer module.
        one: String,
        /// The inner one.
        other: String,
        /// The inner path.
        path: String,
    },
    /// A protected path that snodo takes literally.
    #[error("the protected path `{}` looks like a pattern; snodo takes it for a name and so protects nothing", printable(.path))]
    ProtectedPattern {
        /// As written.
        path: String,
    },
    /// A protected path outside, or the root.
    #[error("the protected path `{}` names nothing below the workspace's root", printable(.path))]
    ProtectedOutside {
        /// As written.
        path: String,
    },
    /// snodo's older place of keys, beside the newer one.
    #[error("`api_keys` is the older form of this file and is not read; `providers` is")]
    LegacyApiKeys,
    /// A setting at its older place.
    #[error("`{from}` has moved to `{to}`; {}", if *.taken { "it is read from here" } else { "what stands there counts" })]
    Moved {
        /// The older place.
        from: &'static str,
        /// The newer one.
        to: &'static str,
        /// Whether it is used.
        taken: bool,
    },
    /// A known provider at another address, with no key.
    #[error(
        "`providers.{provider}` has another address and no key of its own: no key is sent there, `{variable}` belongs to the provider's own address"
    )]
    KeyNotInherited {
        /// The provider.
        provider: String,
        /// Of the catalogue.
        variable: &'static str,
    },
    /// A key on its way without encryption.
    #[error("the key of `providers.{provider}` is sent over `http` to another machine, readable on its way")]
    KeyInTheClear {
        /// The provider.
        provider: String,
    },
    /// So many warnings that the rest is only counted.
    #[error("{count} more warning(s)")]
    More {
        /// How many.
        count: usize,
    },
}

impl WarningKind {
    /// The same of a file that holds credentials: what it says is repeated only where it is a known word, or nearly one.
    pub(crate) fn concealed(mut self) -> Self {
        match &mut self {
            Self::UnknownKey { key, nearest, .. } if nearest.is_none() && !is_word(key) => HIDDEN.clone_into(key),
            Self::DuplicateKey { key, .. } if !is_word(key) => HIDDEN.clone_into(key),
            _ => {}
        }
        self
    }

    /// The rule that it belongs to.
    pub fn rule(&self) -> Rule {
        match self {
            Self::DuplicateKey { .. } => Rule::Syntax,
            Self::UnknownKey { .. }
            | Self::UnknownModeTool { .. }
            | Self::UnknownValidatorType { .. }
            | Self::LegacyApiKeys
            | Self::Moved { .. }
            | Self::KeyNotInherited { .. }
            | Self::KeyInTheClear { .. }
            | Self::More { .. } => Rule::Schema,
            Self::SmallQuorum { .. } | Self::LoneJudge { .. } | Self::QualityCapped { .. } => Rule::Wf4,
            Self::NoExpression { .. } | Self::NotEvaluable { .. } => Rule::Wf5,
            Self::OverlappingModules { .. } => Rule::Modules,
            Self::ProtectedPattern { .. } | Self::ProtectedOutside { .. } => Rule::Protected,
        }
    }

    /// The way out.
    pub fn help(&self) -> String {
        let near = |nearest: Option<&str>, or: String| {
            nearest.map_or(or, |near| format!("did you mean `{}`?", printable(near)))
        };
        match self {
            Self::UnknownKey { known, nearest, .. } => near(*nearest, format!("it has {}", listed(known))),
            Self::DuplicateKey { .. } => "remove one of the two".to_owned(),
            Self::UnknownModeTool { nearest, .. } => {
                near(*nearest, format!("known are {}", listed(&crate::protocol::MODE_TOOLS)))
            }
            Self::UnknownValidatorType { nearest, .. } => near(
                nearest.as_deref(),
                "a type names a first-party validator or an installed plugin; a run with this one is refused"
                    .to_owned(),
            ),
            Self::SmallQuorum { .. } => "declare three validators, or say `unanimous`".to_owned(),
            Self::LoneJudge { .. } => "add a second post_execute validator, or choose another policy".to_owned(),
            Self::QualityCapped { .. } => "remove its `severity_cap`, or choose `unanimous`".to_owned(),
            Self::NoExpression { .. } => "say in `expression` what is demanded; it is for readers only".to_owned(),
            Self::NotEvaluable { .. } => {
                "correct the parameter, or leave it out for its default; what cannot be evaluated counts as broken"
                    .to_owned()
            }
            Self::OverlappingModules { .. } => "let each path belong to one module".to_owned(),
            Self::ProtectedPattern { .. } => {
                "name the folder or the file; a folder protects everything below it".to_owned()
            }
            Self::ProtectedOutside { .. } => "name a path from the workspace's root, without `..`".to_owned(),
            Self::LegacyApiKeys => "remove `api_keys`".to_owned(),
            Self::Moved { from, to, .. } => format!("write `{to}` and remove `{from}`"),
            Self::KeyNotInherited { .. } => {
                "name the key in `api_key_env`, `api_key_ref` or `api_key` if the server there wants one".to_owned()
            }
            Self::KeyInTheClear { .. } => "use `https`".to_owned(),
            Self::More { .. } => "deal with the ones above first".to_owned(),
        }
    }
}
