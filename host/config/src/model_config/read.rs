//! From nodes to [`ModelConfig`].

use secrecy::SecretString;

use super::value::{address, model, secret, temperature, within};
use super::{
    ClassifierConfig, CloudConfig, CoderConfig, LlmConfig, ModelConfig, ReconConfig, ValidatorConfig, WaveConfig,
    provider,
};
use crate::fault::FaultKind;
use crate::node::{Node, Placed, Value};
use crate::record::value::{boolean, list, placed};
use crate::record::{Extra, Record};
use crate::report::Log;
use crate::warning::WarningKind;

/// Fields at the root that only snodo's other commands read.
const OTHERS: [&str; 4] = ["engine", "notifications", "mcp", "opencode"];

/// The most tokens of an answer that can be asked for: far above any model's.
const MOST_TOKENS: u32 = 100_000_000;

/// The longest time in seconds, and the longest in days: 68 years, and more of them.
const LONGEST: u32 = i32::MAX.unsigned_abs();

/// The whole file.
pub(super) fn root(node: &Node, file: &str, log: &mut Log) -> Option<ModelConfig> {
    if !matches!(node.value, Value::Map(_)) {
        log.fault(node.place, || FaultKind::RootNotAMap {
            found: node.value.kind(),
        });
        return None;
    }
    let mut record = Record::open(node, "", "the model configuration", log)?;
    let of_all = record.optional("model", placed(model));
    let default_model = record.optional("default_model", placed(model));
    let has_providers = given(node, "providers").is_some();
    let providers = record.optional("providers", |node, path, log| provider::read(node, path, file, log));
    let llm = record.optional("llm", llm);
    let cloud = record.optional("cloud", cloud);
    for other in OTHERS {
        record.optional(other, accepted);
    }
    record.optional("api_keys", accepted);
    if let Some(place) = given(node, "api_keys") {
        if has_providers {
            record.log.warn(place, || WarningKind::LegacyApiKeys);
        } else {
            record.log.fault(place, || FaultKind::LegacyApiKeys);
        }
    }
    record.close(Extra::Ignored);
    Some(ModelConfig {
        file: file.to_owned(),
        model: of_all?,
        default_model: default_model?,
        providers: providers?.unwrap_or_default(),
        llm: llm?.unwrap_or_else(LlmConfig::standard),
        cloud: cloud?.unwrap_or_default(),
    })
}

/// Where a field stands, whatever it says.
fn given(node: &Node, field: &str) -> Option<crate::source::Place> {
    let Value::Map(entries) = &node.value else { return None };
    let entry = entries.iter().find(|entry| entry.key.as_text() == Some(field))?;
    Some(entry.key.place)
}

/// A field that is known and not looked at.
#[expect(clippy::unnecessary_wraps, reason = "as every reader")]
pub(super) fn accepted(_: &Node, _: &str, _: &mut Log) -> Option<()> {
    Some(())
}

fn llm(node: &Node, path: &str, log: &mut Log) -> Option<LlmConfig> {
    let standard = LlmConfig::standard();
    let mut record = Record::open(node, path, "the section", log)?;
    let num_retries = record.or("num_retries", standard.num_retries, within(0, 10));
    let coder = record.optional("coder", coder);
    let validator = record.optional("validator", validator);
    let validator_llm = record.optional("validator_llm", only_model);
    let classifier = record.optional("classifier", classifier);
    let classifier_llm = record.optional("classifier_llm", only_model);
    let recon = record.optional("recon", recon);
    let wave = record.optional("wave", wave);
    record.close(Extra::Listed);
    let (wave, moved) = wave?.unwrap_or((standard.wave, Moved::default()));
    let mut classifier = classifier?.unwrap_or(Classifier {
        config: standard.classifier,
        gives_max_tokens: false,
        gives_temperature: false,
    });
    if let Some(max_tokens) = moved.max_tokens {
        let taken = !classifier.gives_max_tokens;
        log.warn(max_tokens.place, || WarningKind::Moved {
            from: "llm.wave.max_tokens",
            to: "llm.classifier.max_tokens",
            taken,
        });
        if taken {
            classifier.config.max_tokens = max_tokens.value;
        }
    }
    if let Some(temperature) = moved.temperature {
        let taken = !classifier.gives_temperature;
        log.warn(temperature.place, || WarningKind::Moved {
            from: "llm.wave.temperature",
            to: "llm.classifier.temperature",
            taken,
        });
        if taken {
            classifier.config.temperature_milli = temperature.value;
        }
    }
    Some(LlmConfig {
        num_retries: num_retries?,
        coder: coder?.unwrap_or(standard.coder),
        validator: validator?.unwrap_or(standard.validator),
        validator_llm: validator_llm?.flatten(),
        classifier: classifier.config,
        classifier_llm: classifier_llm?.flatten(),
        recon: recon?.unwrap_or(standard.recon),
        wave,
    })
}

/// Given as nothing is not the same as not given: a number is meant.
#[expect(clippy::option_option, reason = "faulty, not given, given: the three are told apart")]
fn turns(node: &Node, path: &str, log: &mut Log) -> Option<Option<u32>> {
    within(1, 200)(node, path, log).map(Some)
}

fn coder(node: &Node, path: &str, log: &mut Log) -> Option<CoderConfig> {
    let standard = LlmConfig::standard().coder;
    let mut record = Record::open(node, path, "the section", log)?;
    let model = record.optional("model", placed(model));
    let max_tokens = record.or("max_tokens", standard.max_tokens, within(1, MOST_TOKENS));
    let max_tool_turns = record.or("max_tool_turns", standard.max_tool_turns, turns);
    let timeout_seconds = record.or("timeout_seconds", standard.timeout_seconds, within(1, LONGEST));
    let silence_timeout_seconds = record.or(
        "silence_timeout_seconds",
        standard.silence_timeout_seconds,
        within(0, LONGEST),
    );
    let concurrency = record.or("concurrency", standard.concurrency, within(1, LONGEST));
    let sandboxed = record.or("sandboxed", standard.sandboxed, boolean);
    record.close(Extra::Listed);
    Some(CoderConfig {
        model: model?,
        max_tokens: max_tokens?,
        max_tool_turns: max_tool_turns?,
        timeout_seconds: timeout_seconds?,
        silence_timeout_seconds: silence_timeout_seconds?,
        concurrency: concurrency?,
        sandboxed: sandboxed?,
    })
}

fn validator(node: &Node, path: &str, log: &mut Log) -> Option<ValidatorConfig> {
    let standard = LlmConfig::standard().validator;
    let mut record = Record::open(node, path, "the section", log)?;
    let model = record.optional("model", placed(model));
    let max_tokens = record.or("max_tokens", standard.max_tokens, within(1, MOST_TOKENS));
    let max_tool_turns = record.or("max_tool_turns", standard.max_tool_turns, turns);
    record.close(Extra::Listed);
    Some(ValidatorConfig {
        model: model?,
        max_tokens: max_tokens?,
        max_tool_turns: max_tool_turns?,
    })
}

/// The older sections, which hold a model and nothing else.
#[expect(clippy::option_option, reason = "faulty, absent, given: the three are told apart")]
fn only_model(node: &Node, path: &str, log: &mut Log) -> Option<Option<Placed<String>>> {
    let mut record = Record::open(node, path, "the section", log)?;
    let model = record.optional("model", placed(model));
    record.close(Extra::Listed);
    model
}

struct Classifier {
    config: ClassifierConfig,
    gives_max_tokens: bool,
    gives_temperature: bool,
}

fn classifier(node: &Node, path: &str, log: &mut Log) -> Option<Classifier> {
    let standard = LlmConfig::standard().classifier;
    let mut record = Record::open(node, path, "the section", log)?;
    let model = record.optional("model", placed(model));
    let max_tokens = record.or("max_tokens", standard.max_tokens, within(1, MOST_TOKENS));
    let temperature_milli = record.or("temperature", standard.temperature_milli, temperature);
    let places = record.close(Extra::Listed);
    Some(Classifier {
        config: ClassifierConfig {
            model: model?,
            max_tokens: max_tokens?,
            temperature_milli: temperature_milli?,
        },
        gives_max_tokens: places.is_given("max_tokens"),
        gives_temperature: places.is_given("temperature"),
    })
}

fn recon(node: &Node, path: &str, log: &mut Log) -> Option<ReconConfig> {
    let standard = LlmConfig::standard().recon;
    let mut record = Record::open(node, path, "the section", log)?;
    let num_agents = record.or("num_agents", standard.num_agents, within(1, LONGEST));
    let models = record.or("models", standard.models, list(model));
    let max_tokens = record.or("max_tokens", standard.max_tokens, within(1, MOST_TOKENS));
    let max_tool_turns = record.or("max_tool_turns", standard.max_tool_turns, within(1, LONGEST));
    let deadline_seconds = record.or("deadline_seconds", standard.deadline_seconds, within(1, LONGEST));
    record.close(Extra::Listed);
    Some(ReconConfig {
        num_agents: num_agents?,
        models: models?,
        max_tokens: max_tokens?,
        max_tool_turns: max_tool_turns?,
        deadline_seconds: deadline_seconds?,
    })
}

/// What `llm.wave` still says of the classifier.
#[derive(Default)]
struct Moved {
    max_tokens: Option<Placed<u32>>,
    temperature: Option<Placed<u32>>,
}

fn wave(node: &Node, path: &str, log: &mut Log) -> Option<(WaveConfig, Moved)> {
    let standard = LlmConfig::standard().wave;
    let mut record = Record::open(node, path, "the section", log)?;
    let max_age_days = record.or("max_age_days", standard.max_age_days, within(0, LONGEST));
    let max_idle_days = record.or("max_idle_days", standard.max_idle_days, within(0, LONGEST));
    let max_tokens = record.optional("max_tokens", placed(within(1, MOST_TOKENS)));
    let temperature = record.optional("temperature", placed(temperature));
    record.close(Extra::Listed);
    let wave = WaveConfig {
        max_age_days: max_age_days?,
        max_idle_days: max_idle_days?,
    };
    Some((
        wave,
        Moved {
            max_tokens: max_tokens?,
            temperature: temperature?,
        },
    ))
}

fn cloud(node: &Node, path: &str, log: &mut Log) -> Option<CloudConfig> {
    let mut record = Record::open(node, path, "the section", log)?;
    let api_key: Option<Option<Option<Placed<SecretString>>>> = record.optional("api_key", |node, path, log| {
        let key = secret(node, path, log)?;
        Some(key.map(|value| Placed {
            value,
            place: node.place,
        }))
    });
    let models_url = record.optional("models_url", address);
    for other in [
        "api_url",
        "tunnel_api_url",
        "oauth_metadata_url",
        "sync_enabled",
        "liveness_interval_seconds",
        "liveness_url",
        "liveness_api_url",
        "lease_url",
        "lease_api_url",
    ] {
        record.optional(other, accepted);
    }
    record.close(Extra::Ignored);
    Some(CloudConfig {
        api_key: api_key?.flatten(),
        models_url: models_url?,
    })
}
