//! `config.yml`: snodo's own file of models and providers, in the user's `$SNODO_HOME`.
//!
//! It holds keys. So no fault, no warning and no excerpt repeats what it says as a value, whatever is wrong with it ([`masked`]), and keys
//! are kept in a type that cannot be printed. The format is snodo 0.26's; fields that only snodo's other commands read are accepted and
//! left alone.

mod base_url;
mod key_ref;
mod masked;
mod provider;
mod read;
mod value;

pub use base_url::BaseUrl;
pub use provider::{ModelRoute, ProviderConfig};

pub(crate) use base_url::{Origin, origin};

use secrecy::SecretString;

use crate::node::{Node, Placed, Value};
use crate::printable::printable;
use crate::report::{FileError, Log};
use crate::source::{Place, decodable, decode};
use crate::warning::Warning;
use crate::yaml;

/// The largest `config.yml` that is read, in bytes. snodo's own has some thousand.
pub const MODEL_CONFIG_BYTES: usize = 1 << 20;

/// Models and providers.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// The file's name, for "where does this come from".
    pub file: String,
    /// `model`: of every role that has none of its own. None where the file does not say (then [`crate::model::DEFAULT_MODEL`]
    /// holds); empty where it says that there is none.
    pub model: Option<Placed<String>>,
    /// `default_model`: goes before `model` for the coder, and for nobody else.
    pub default_model: Option<Placed<String>>,
    /// `providers`, in the file's order.
    pub providers: Vec<ProviderConfig>,
    /// `llm`.
    pub llm: LlmConfig,
    /// `cloud`.
    pub cloud: CloudConfig,
}

/// `llm`: of each role.
#[derive(Debug, Clone)]
pub struct LlmConfig {
    /// How often a request is sent again at most. 0 to 10.
    pub num_retries: u32,
    /// `coder`.
    pub coder: CoderConfig,
    /// `validator`.
    pub validator: ValidatorConfig,
    /// `validator_llm.model`, the older place of `validator.model`.
    pub validator_llm: Option<Placed<String>>,
    /// `classifier`.
    pub classifier: ClassifierConfig,
    /// `classifier_llm.model`, the older place of `classifier.model`.
    pub classifier_llm: Option<Placed<String>>,
    /// `recon`.
    pub recon: ReconConfig,
    /// `wave`.
    pub wave: WaveConfig,
}

/// `llm.coder`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoderConfig {
    /// Its model.
    pub model: Option<Placed<String>>,
    /// The longest answer, in tokens. From 1.
    pub max_tokens: u32,
    /// Turns with tools, 1 to 200; none where the file does not say.
    pub max_tool_turns: Option<u32>,
    /// The longest run, in seconds. From 1.
    pub timeout_seconds: u32,
    /// The longest time without output, in seconds.
    pub silence_timeout_seconds: u32,
    /// Coders at a time, in snodo's queues. From 1.
    pub concurrency: u32,
    /// Of snodo's own sandbox.
    pub sandboxed: bool,
}

/// `llm.validator`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatorConfig {
    /// Its model.
    pub model: Option<Placed<String>>,
    /// The longest answer, in tokens. From 1.
    pub max_tokens: u32,
    /// Turns with tools at most, 1 to 200; none where the file does not say.
    pub max_tool_turns: Option<u32>,
}

/// `llm.classifier`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifierConfig {
    /// Its model.
    pub model: Option<Placed<String>>,
    /// The longest answer, in tokens. From 1.
    pub max_tokens: u32,
    /// In thousandths. 0 to 2000.
    pub temperature_milli: u32,
}

/// `llm.recon`, which is snodo's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReconConfig {
    /// Agents at a time. From 1.
    pub num_agents: u32,
    /// Their models.
    pub models: Vec<String>,
    /// The longest answer, in tokens. From 1.
    pub max_tokens: u32,
    /// Turns with tools. From 1.
    pub max_tool_turns: u32,
    /// The longest run, in seconds. From 1.
    pub deadline_seconds: u32,
}

/// `llm.wave`, which is snodo's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveConfig {
    /// Days after which a wave ends.
    pub max_age_days: u32,
    /// Days without a task after which it ends.
    pub max_idle_days: u32,
}

/// `cloud`: of snodo's own service, as far as models go.
#[derive(Debug, Clone, Default)]
pub struct CloudConfig {
    /// The key.
    pub api_key: Option<Placed<SecretString>>,
    /// Where its models are.
    pub models_url: Option<Placed<BaseUrl>>,
}

impl ModelConfig {
    /// What holds without a file. The numbers are snodo's own.
    pub fn standard() -> Self {
        Self {
            file: "config.yml".to_owned(),
            model: None,
            default_model: None,
            providers: Vec::new(),
            llm: LlmConfig::standard(),
            cloud: CloudConfig::default(),
        }
    }

    /// The provider of a name. Case counts.
    pub fn provider(&self, name: &str) -> Option<&ProviderConfig> {
        self.providers.iter().find(|provider| provider.name.value == name)
    }

    /// `config.yml:12`.
    pub(crate) fn at(&self, place: Place) -> String {
        place_text(&self.file, place)
    }
}

impl LlmConfig {
    /// snodo's own.
    fn standard() -> Self {
        Self {
            num_retries: 3,
            coder: CoderConfig {
                model: None,
                max_tokens: 16_000,
                max_tool_turns: None,
                timeout_seconds: 1800,
                silence_timeout_seconds: 600,
                concurrency: 1,
                sandboxed: false,
            },
            validator: ValidatorConfig {
                model: None,
                max_tokens: 1500,
                max_tool_turns: None,
            },
            validator_llm: None,
            classifier: ClassifierConfig {
                model: None,
                max_tokens: 500,
                temperature_milli: 0,
            },
            classifier_llm: None,
            recon: ReconConfig {
                num_agents: 1,
                models: Vec::new(),
                max_tokens: 16_000,
                max_tool_turns: 40,
                deadline_seconds: 300,
            },
            wave: WaveConfig {
                max_age_days: 14,
                max_idle_days: 5,
            },
        }
    }
}

/// `config.yml:12`.
fn place_text(file: &str, place: Place) -> String {
    format!("{}:{}", printable(file), place.line)
}

/// Reads `config.yml`. `name` is for messages, and for saying where a value comes from. An empty file is [`ModelConfig::standard`].
pub fn load_model_config(name: &str, bytes: &[u8]) -> Result<(ModelConfig, Vec<Warning>), FileError> {
    let mut log = Log::default();
    let text = match decode(bytes, MODEL_CONFIG_BYTES) {
        Ok(text) => text,
        Err((place, kind)) => {
            log.fault(place, || kind);
            return Err(refused(log, name, decodable(bytes, MODEL_CONFIG_BYTES)));
        }
    };
    let config = yaml::parse(text, &mut log).and_then(|root| match root.value {
        Value::Null => Some(ModelConfig {
            file: name.to_owned(),
            ..ModelConfig::standard()
        }),
        value => read::root(&Node { value, ..root }, name, &mut log),
    });
    match config.filter(|_| !log.is_faulty()) {
        Some(config) => {
            log.conceal();
            Ok((config, log.take_warnings()))
        }
        None => Err(refused(log, name, text)),
    }
}

fn refused(mut log: Log, name: &str, text: &str) -> FileError {
    log.conceal();
    let shown = masked::masked(text, &log.faulty_lines());
    log.into_error("model configuration", name, &shown)
}
