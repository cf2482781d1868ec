//! Which model a role has, and who says so.

use std::fmt;

use super::binding::ModelRole;
use crate::model_config::ModelConfig;
use crate::node::Placed;
use crate::printable::printable;

/// What holds where nobody says anything: snodo 0.26's own.
pub const DEFAULT_MODEL: &str = "claude-sonnet-4-20250514";

/// The longest name of a model, in bytes.
const MODEL_BYTES: usize = 256;

/// A model that somebody declares outside `config.yml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared<'a> {
    /// The model; blank for none.
    pub model: &'a str,
    /// Who: "the protocol, line 12".
    pub source: &'a str,
}

/// What is known of a role beside `config.yml`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoleContext<'a> {
    /// `--model`. Of the coder; nobody else looks at it.
    pub flag: Option<&'a str>,
    /// A validator's own `model:`. Of validators; nobody else looks at it.
    pub own: Option<Declared<'a>>,
    /// The model of the coder: its own declaration if the coder is asked for, and what it has if a judge is. Only the name of a model,
    /// never a string that names a coder ([`super::coder_prefix`]).
    pub coder: Option<Declared<'a>>,
}

/// A model and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleModel {
    /// As it is configured.
    pub model: String,
    /// Who says so.
    pub source: ModelSource,
}

impl RoleModel {
    /// Whether somebody chose it: it is not what holds where nobody says anything.
    pub fn is_chosen(&self) -> bool {
        self.source != ModelSource::Default
    }
}

/// Who says which model a role has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// `--model`.
    Flag,
    /// The user's file.
    Config {
        /// `config.yml:3`.
        place: String,
        /// `llm.validator.model`.
        key: &'static str,
    },
    /// Somebody else.
    Declared(String),
    /// Nobody.
    Default,
}

impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("`--model`"),
            Self::Config { place, key } => write!(f, "{place} `{key}`"),
            Self::Declared(source) => write!(f, "{}", printable(source)),
            Self::Default => f.write_str("built-in default"),
        }
    }
}

/// Bounds of a role's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleLimits {
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// In thousandths.
    pub temperature_milli: u32,
    /// Turns with tools at most, which a protocol can lower and not raise; none where the file does not say.
    pub max_tool_turns: Option<u32>,
}

/// The model of a role, in snodo's order.
///
/// The coder: `--model`, `llm.coder.model`, `default_model`, `model`. A validator: its own, `llm.validator.model`,
/// `llm.validator_llm.model`, `model`. The classifier: `llm.classifier.model`, `llm.classifier_llm.model`, `model`. Then, where the file says
/// that `model` is empty, the coder's; then [`DEFAULT_MODEL`]. Where the file does not say what `model` is, it is [`DEFAULT_MODEL`].
pub fn role_model(config: &ModelConfig, role: ModelRole, context: RoleContext<'_>) -> RoleModel {
    let (first, configured) = match role {
        ModelRole::Coder => (
            context.flag.and_then(|flag| said(flag, ModelSource::Flag)),
            [
                (&config.llm.coder.model, "llm.coder.model"),
                (&config.default_model, "default_model"),
            ],
        ),
        ModelRole::Validator => (
            context.own.and_then(declared),
            [
                (&config.llm.validator.model, "llm.validator.model"),
                (&config.llm.validator_llm, "llm.validator_llm.model"),
            ],
        ),
        ModelRole::Classifier => (
            None,
            [
                (&config.llm.classifier.model, "llm.classifier.model"),
                (&config.llm.classifier_llm, "llm.classifier_llm.model"),
            ],
        ),
    };
    let placed = |(value, key): (&Option<Placed<String>>, &'static str)| {
        let value = value.as_ref()?;
        let place = config.at(value.place);
        said(&value.value, ModelSource::Config { place, key })
    };
    let default = || RoleModel {
        model: DEFAULT_MODEL.to_owned(),
        source: ModelSource::Default,
    };
    let of_all = || match config.model {
        None => Some(default()),
        Some(_) => placed((&config.model, "model")),
    };
    first
        .or_else(|| configured.into_iter().find_map(placed))
        .or_else(of_all)
        .or_else(|| context.coder.and_then(declared))
        .unwrap_or_else(default)
}

fn declared(declared: Declared<'_>) -> Option<RoleModel> {
    said(declared.model, ModelSource::Declared(declared.source.to_owned()))
}

fn said(model: &str, source: ModelSource) -> Option<RoleModel> {
    let model = model.trim();
    (!model.is_empty()).then(|| RoleModel {
        model: model.to_owned(),
        source,
    })
}

/// The bounds of a role's calls.
pub fn role_limits(config: &ModelConfig, role: ModelRole) -> RoleLimits {
    let llm = &config.llm;
    match role {
        ModelRole::Coder => RoleLimits {
            max_tokens: llm.coder.max_tokens,
            // snodo's own: trying the same thing again should be able to end otherwise.
            temperature_milli: 700,
            max_tool_turns: llm.coder.max_tool_turns,
        },
        ModelRole::Validator => RoleLimits {
            max_tokens: llm.validator.max_tokens,
            // snodo's own: the same change should get the same verdict.
            temperature_milli: 0,
            max_tool_turns: llm.validator.max_tool_turns,
        },
        ModelRole::Classifier => RoleLimits {
            max_tokens: llm.classifier.max_tokens,
            temperature_milli: llm.classifier.temperature_milli,
            // It has no tools: one question, one answer.
            max_tool_turns: Some(1),
        },
    }
}

/// Whether a text can be the name of a model. It becomes part of addresses, requests, reports and lines on a screen.
pub(crate) fn checked_model(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("a model's name is not empty")
    } else if name.len() > MODEL_BYTES {
        Err("a model's name may have 256 bytes")
    } else if !name.bytes().all(|b| b.is_ascii_graphic()) {
        Err("a model's name is of visible ASCII characters, without blanks")
    } else if name.contains(['?', '#', '\\', '"', '\'', '`'])
        || name.split('/').any(|part| matches!(part, "" | "." | ".."))
    {
        Err("a model's name has no `?`, `#`, `\\` or quotes, and no empty part between `/`")
    } else {
        Ok(())
    }
}
