//! `providers.<name>`: where models are reached, and with which key.

use secrecy::ExposeSecret;

use super::key_ref::{KeyRef, variable};
use super::read::accepted;
use super::value::{address, refuse, secret};
use super::{BaseUrl, place_text};
use crate::fault::FaultKind;
use crate::model::{Header, KeySource, catalogue, is_account_id};
use crate::node::{Node, Placed, Value};
use crate::record::value::{list, text, wrong};
use crate::record::{Extra, Record};
use crate::report::Log;
use crate::warning::WarningKind;

/// The most providers of a file, routes of a provider, and headers of a provider.
const MANY: usize = 256;

/// The longest header, in bytes; servers refuse more than that of all headers together.
const HEADER_BYTES: usize = 8192;

/// Headers that belong to the request itself.
const OWN_HEADERS: [&str; 8] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// `providers.<name>`. Fields that a block of a known provider leaves out come from the catalogue, as long as its address does.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// Its name.
    pub name: Placed<String>,
    /// Its own key: `api_key`, else `api_key_ref`, else `api_key_env`.
    pub key: Option<KeySource>,
    /// Its address.
    pub base_url: Option<Placed<BaseUrl>>,
    /// `litellm_provider`: how it is spoken to.
    pub litellm_provider: Option<String>,
    /// The same for some of its models; the first one that fits goes before `litellm_provider`.
    pub model_routes: Vec<ModelRoute>,
    /// `extra_headers`: sent with each request. None where the file does not say.
    pub extra_headers: Option<Vec<Header>>,
    /// `account_id`.
    pub account_id: Option<String>,
    /// `account_id_env`: the variable that holds it.
    pub account_id_env: Option<Placed<String>>,
}

/// How some models of a provider are spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRoute {
    /// Which: a pattern if it holds `*`, `?` or `[`, else the beginning of their names.
    pub matching: String,
    /// How.
    pub litellm_provider: String,
}

/// All providers.
pub(super) fn read(node: &Node, path: &str, file: &str, log: &mut Log) -> Option<Vec<ProviderConfig>> {
    let Value::Map(entries) = &node.value else {
        wrong(node, path, "a map", log);
        return None;
    };
    if let Some(beyond) = entries.get(MANY) {
        return refuse(&beyond.key, path, "a file may have 256 providers", log);
    }
    let mut read = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = entry.key.as_text().unwrap_or_default();
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(fits) {
            const RULE: &str = "a provider's name is of letters, digits, `-`, `_` and `.`, 64 at most";
            let _: Option<()> = refuse(&entry.key, &format!("{path}.NAME"), RULE, log);
            continue;
        }
        let name = Placed {
            value: name.to_owned(),
            place: entry.key.place,
        };
        let of_provider = format!("{path}.{}", name.value);
        if entry.value.value == Value::Null {
            read.push(ProviderConfig::empty(name));
        } else {
            read.extend(one(name, &entry.value, &of_provider, file, log));
        }
    }
    (read.len() == entries.len()).then_some(read)
}

impl ProviderConfig {
    /// A block that says nothing.
    fn empty(name: Placed<String>) -> Self {
        Self {
            name,
            key: None,
            base_url: None,
            litellm_provider: None,
            model_routes: Vec::new(),
            extra_headers: None,
            account_id: None,
            account_id_env: None,
        }
    }
}

fn one(name: Placed<String>, node: &Node, path: &str, file: &str, log: &mut Log) -> Option<ProviderConfig> {
    let mut record = Record::open(node, path, "the provider", log)?;
    let literal = record.optional("api_key", |node, path, log| literal(node, path, file, log));
    let reference = record.optional("api_key_ref", |node, path, log| reference(node, path, file, log));
    let environment = record.optional("api_key_env", |node, path, log| {
        let name = a_variable(node, path, log)?;
        Some(name.map(|name| KeySource::Environment {
            name,
            place: place_text(file, node.place),
        }))
    });
    let base_url = record.optional("base_url", address);
    let litellm_provider = record.optional("litellm_provider", word);
    let model_routes = record.optional("model_routes", list(route));
    let extra_headers = record.optional("extra_headers", headers);
    let account_id = record.optional("account_id", account);
    let account_id_env = record.optional("account_id_env", |node, path, log| {
        let name = a_variable(node, path, log)?;
        Some(name.map(|value| Placed {
            value,
            place: node.place,
        }))
    });
    for other in ["models_endpoint", "probe_model", "catalog_provider"] {
        record.optional(other, accepted);
    }
    record.close(Extra::Ignored);
    let (literal, reference, environment) = (literal?.flatten(), reference?.flatten(), environment?.flatten());
    let provider = ProviderConfig {
        name,
        key: literal.or(reference).or(environment),
        base_url: base_url?,
        litellm_provider: litellm_provider?.filter(|word| !word.is_empty()),
        model_routes: model_routes?.unwrap_or_default(),
        extra_headers: extra_headers?,
        account_id: account_id?.flatten(),
        account_id_env: account_id_env?.flatten(),
    };
    warn(&provider, log);
    Some(provider)
}

fn warn(provider: &ProviderConfig, log: &mut Log) {
    let Some(base_url) = &provider.base_url else { return };
    let name = || provider.name.value.clone();
    if provider.key.is_some() && base_url.value.origin().is_some_and(|origin| origin.is_in_the_clear()) {
        log.warn(base_url.place, || WarningKind::KeyInTheClear { provider: name() });
    }
    if provider.key.is_none()
        && let Some(known) = catalogue(&provider.name.value)
        && let Some(variable) = known.key_variable
        && known.origin() != base_url.value.origin()
    {
        log.warn(base_url.place, || WarningKind::KeyNotInherited {
            provider: name(),
            variable,
        });
    }
}

#[expect(clippy::option_option, reason = "faulty, empty, given: the three are told apart")]
fn literal(node: &Node, path: &str, file: &str, log: &mut Log) -> Option<Option<KeySource>> {
    let Some(key) = secret(node, path, log)? else {
        return Some(None);
    };
    let place = place_text(file, node.place);
    Some(Some(if key.expose_secret().starts_with("@keys/") {
        KeySource::Encrypted {
            reference: key.expose_secret().to_owned(),
            place,
        }
    } else {
        KeySource::Literal { key, place }
    }))
}

#[expect(clippy::option_option, reason = "faulty, empty, given: the three are told apart")]
fn reference(node: &Node, path: &str, file: &str, log: &mut Log) -> Option<Option<KeySource>> {
    let text = text(node, path, log)?;
    if text.trim().is_empty() {
        return Some(None);
    }
    let place = place_text(file, node.place);
    match KeyRef::parse(&text) {
        Ok(KeyRef::Environment(name)) => Some(Some(KeySource::Environment { name, place })),
        Ok(KeyRef::Command(argv)) => Some(Some(KeySource::Command { argv, place })),
        Err(why) => refuse(node, path, why, log),
    }
}

#[expect(clippy::option_option, reason = "faulty, empty, given: the three are told apart")]
fn a_variable(node: &Node, path: &str, log: &mut Log) -> Option<Option<String>> {
    let text = text(node, path, log)?;
    if text.trim().is_empty() {
        return Some(None);
    }
    match variable(text.trim()) {
        Ok(name) => Some(Some(name)),
        Err(why) => refuse(node, path, why, log),
    }
}

#[expect(clippy::option_option, reason = "faulty, empty, given: the three are told apart")]
fn account(node: &Node, path: &str, log: &mut Log) -> Option<Option<String>> {
    let text = text(node, path, log)?;
    match text.trim() {
        "" => Some(None),
        id if is_account_id(id) => Some(Some(id.to_owned())),
        _ => refuse(node, path, "an account id is of letters, digits, `-` and `_`", log),
    }
}

/// The name of a route, or nothing.
fn word(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    let word = text(node, path, log)?;
    let word = word.trim();
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    if word.len() <= 64 && word.bytes().all(fits) {
        Some(word.to_owned())
    } else {
        refuse(node, path, "it is the name of a provider, such as `openai`", log)
    }
}

fn route(node: &Node, path: &str, log: &mut Log) -> Option<ModelRoute> {
    let mut record = Record::open(node, path, "the route", log)?;
    let matching = record.required("match", |node, path, log| {
        let pattern = text(node, path, log)?;
        if pattern.is_empty() || pattern.len() > 256 {
            return refuse(node, path, "it has 1 to 256 bytes", log);
        }
        Some(pattern)
    });
    let litellm_provider = record.required("litellm_provider", |node, path, log| {
        let word = word(node, path, log)?;
        if word.is_empty() {
            log.fault(node.place, || FaultKind::Blank { field: path.to_owned() });
            return None;
        }
        Some(word)
    });
    record.close(Extra::Ignored);
    Some(ModelRoute {
        matching: matching?,
        litellm_provider: litellm_provider?,
    })
}

/// Names and values. No message repeats either: a key may stand in the wrong one.
fn headers(node: &Node, path: &str, log: &mut Log) -> Option<Vec<Header>> {
    let Value::Map(entries) = &node.value else {
        wrong(node, path, "a map", log);
        return None;
    };
    if entries.len() > MANY {
        return refuse(node, path, "a provider may have 256 headers", log);
    }
    let mut headers: Vec<Header> = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = entry.key.as_text().unwrap_or_default();
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        let refused = if name.is_empty() || name.len() > 256 || !name.bytes().all(token) {
            Some("a header's name is of letters, digits and `-`")
        } else if OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            Some("this header belongs to the request itself")
        } else if headers.iter().any(|header| header.name.eq_ignore_ascii_case(name)) {
            Some("another header has the same name in other letter case")
        } else {
            None
        };
        if let Some(why) = refused {
            let _: Option<()> = refuse(&entry.key, path, why, log);
            continue;
        }
        let Some(value) = text(&entry.value, path, log) else {
            continue;
        };
        let value = value.trim();
        if value.len() > HEADER_BYTES || !value.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
            const RULE: &str = "a header's value is of visible ASCII characters and blanks, 8192 at most";
            let _: Option<()> = refuse(&entry.value, path, RULE, log);
            continue;
        }
        headers.push(Header {
            name: name.to_owned(),
            value: value.into(),
        });
    }
    (headers.len() == entries.len()).then_some(headers)
}
