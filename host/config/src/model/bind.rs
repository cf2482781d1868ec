//! From a model's name to everything that it takes to call it.

use super::binding::{ACCOUNT_MARK, AccountSource, Binding, Header, KeySource, Wire};
use super::catalogue::{CLOUDFLARE_ACCOUNT, Known, PROVIDER_NAMES, SNODO_CLOUD, catalogue};
use super::coder::coder_prefix;
use super::role::checked_model;
use crate::model_config::{ModelConfig, ProviderConfig, origin};
use crate::nearest::nearest;
use crate::printable::{listed, printable};

/// Names of models, by their beginnings, whose provider needs no prefix. In snodo's order, and before every other rule.
const FIXED: [(&str, &str); 12] = [
    ("gpt-", "openai"),
    ("o1-", "openai"),
    ("o3-", "openai"),
    ("claude-", "anthropic"),
    ("gemini/", "google"),
    ("gemini-", "google"),
    ("cloudflare/", "cloudflare"),
    ("openai/@cf/", "cloudflare"),
    ("@cf/", "cloudflare"),
    ("deepseek/", "deepseek"),
    ("snodo-cloud/", SNODO_CLOUD),
    // Behind all of snodo's: litellm knows these too.
    ("chatgpt-", "openai"),
];

/// The same for whole names without `/`, which litellm knows as those of `openai`.
const OPENAI_BARE: [&str; 3] = ["o1", "o3", "o4-"];

/// Routes of litellm's that sign requests or make addresses in ways of their own.
const NOT_SERVED: [&str; 8] = [
    "azure",
    "azure_ai",
    "bedrock",
    "bedrock_converse",
    "sagemaker",
    "vertex_ai",
    "vertex_ai_beta",
    "watsonx",
];

const CATALOGUE: &str = "the catalogue";

/// Why a model cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindFault {
    /// No name of a model.
    #[error("`{}` cannot be the name of a model: {why}", printable(.model))]
    BadName {
        /// It.
        model: String,
        /// Why not.
        why: &'static str,
    },
    /// It names a coder.
    #[error("`{}` names the coder `{}`, not a model that can be asked", printable(.model), printable(.coder))]
    NamesACoder {
        /// It.
        model: String,
        /// The coder.
        coder: String,
    },
    /// Nobody is known to serve it.
    #[error("no provider is known for the model `{}`", printable(.model))]
    UnknownProvider {
        /// It.
        model: String,
        /// Providers of the user's file.
        configured: Vec<String>,
        /// What was probably meant by the part before `/`.
        nearest: Option<String>,
    },
    /// Its provider has no address.
    #[error("the provider `{}` of the model `{}` has no address", printable(.provider), printable(.model))]
    NoAddress {
        /// The model.
        model: String,
        /// The provider.
        provider: String,
    },
    /// Spoken to in a way that this host does not know.
    #[error("the provider `{}` of the model `{}` is spoken to as `{}`, which is not served", printable(.provider), printable(.model), printable(.route))]
    RouteNotServed {
        /// The model.
        model: String,
        /// The provider.
        provider: String,
        /// `litellm_provider`, or of a rule in `model_routes`.
        route: String,
    },
}

impl BindFault {
    /// The way out.
    pub fn help(&self) -> String {
        match self {
            Self::BadName { .. } => {
                "name a model as its provider does, such as `gpt-4o` or `ollama/qwen3:8b`".to_owned()
            }
            Self::NamesACoder { .. } => {
                "name a model here; a coder is chosen with `--coder`, in the protocol, or by the coder's own model"
                    .to_owned()
            }
            Self::UnknownProvider {
                configured, nearest, ..
            } => match nearest {
                Some(near) => format!("did you mean `{}/…`?", printable(near)),
                None if configured.is_empty() => format!(
                    "write `PROVIDER/MODEL` with one of {}, or declare `providers.NAME` with a `base_url` in config.yml",
                    names(&PROVIDER_NAMES)
                ),
                None => format!(
                    "write `PROVIDER/MODEL` with one of {} (config.yml) or {}",
                    listed(configured),
                    names(&PROVIDER_NAMES)
                ),
            },
            Self::NoAddress { provider, .. } if provider == SNODO_CLOUD => {
                "give `cloud.models_url` and `cloud.api_key` in config.yml".to_owned()
            }
            Self::NoAddress { provider, .. } => format!(
                "give `providers.{0}.base_url` in config.yml, or `providers.{0}.litellm_provider` if it is one of the known ones",
                printable(provider)
            ),
            Self::RouteNotServed { .. } => {
                "put an OpenAI-compatible gateway before it, and declare that as a provider with a `base_url`"
                    .to_owned()
            }
        }
    }
}

/// All of them, unlike [`listed`].
fn names(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Everything that it takes to call a model. Nothing is fetched: the binding says from where.
pub fn bind(config: &ModelConfig, model: &str) -> Result<Binding, BindFault> {
    let model = model.trim();
    checked_model(model).map_err(|why| BindFault::BadName {
        model: model.to_owned(),
        why,
    })?;
    if let Some((coder, _)) = coder_prefix(model, &[]) {
        return Err(BindFault::NamesACoder {
            model: model.to_owned(),
            coder: coder.to_owned(),
        });
    }
    let provider = provider_of(config, model)?;
    Call {
        config,
        model,
        provider,
        block: config.provider(provider),
        known: catalogue(provider),
    }
    .bind()
}

/// The provider of a model: by a fixed beginning of its name; by the part before `/`, if that is configured or known; by what litellm knows.
fn provider_of<'a>(config: &'a ModelConfig, model: &'a str) -> Result<&'a str, BindFault> {
    if let Some((_, provider)) = FIXED.iter().find(|(prefix, _)| model.starts_with(prefix)) {
        return Ok(provider);
    }
    let segment = model.split_once('/').map(|(segment, _)| segment);
    if let Some(segment) = segment {
        if config.provider(segment).is_some() {
            return Ok(segment);
        }
        if let Some(known) = catalogue(segment) {
            return Ok(known.name);
        }
    } else if OPENAI_BARE.iter().any(|name| {
        if name.ends_with('-') {
            model.starts_with(name)
        } else {
            model == *name
        }
    }) {
        return Ok("openai");
    }
    let configured: Vec<String> = config.providers.iter().map(|p| p.name.value.clone()).collect();
    let candidates = configured.iter().map(String::as_str).chain(PROVIDER_NAMES);
    Err(BindFault::UnknownProvider {
        model: model.to_owned(),
        nearest: segment.and_then(|s| nearest(s, candidates)).map(str::to_owned),
        configured,
    })
}

/// A model on its way to a binding.
struct Call<'a> {
    config: &'a ModelConfig,
    model: &'a str,
    provider: &'a str,
    block: Option<&'a ProviderConfig>,
    known: Option<&'static Known>,
}

impl Call<'_> {
    fn bind(&self) -> Result<Binding, BindFault> {
        let bare = self.without_provider();
        let route = self.route(bare);
        if let Some(route) = route
            && NOT_SERVED.contains(&route)
        {
            return Err(BindFault::RouteNotServed {
                model: self.model.to_owned(),
                provider: self.provider.to_owned(),
                route: route.to_owned(),
            });
        }
        let sent_as = without_route(bare, route);
        let spoken = route.and_then(catalogue);
        let wire = match (route, spoken, self.known) {
            (_, Some(spoken), _) => spoken.wire,
            (None, None, Some(known)) => known.wire,
            // Every other name of litellm's is a server that speaks as OpenAI's do.
            (_, None, _) => Wire::OpenAi,
        };
        let (base_url, base_url_source) = self.address(wire, spoken)?;
        // What the catalogue gives belongs to the catalogue's address, and never goes to another one.
        let of_address = [self.known, spoken].into_iter().flatten();
        let home = of_address
            .into_iter()
            .find(|known| known.origin().is_some() && known.origin() == origin(&base_url));
        let mut binding = Binding {
            model: self.model.to_owned(),
            provider: self.provider.to_owned(),
            wire,
            sent_as: sent_as.to_owned(),
            base_url: for_wire(&base_url, wire).to_owned(),
            base_url_source,
            account: None,
            key: self.key(&base_url, home),
            headers: self.headers(home),
            retries: self.config.llm.num_retries,
        };
        if binding.base_url.contains(ACCOUNT_MARK) {
            self.account(&mut binding);
        }
        Ok(binding)
    }

    /// The name without the provider before it.
    fn without_provider(&self) -> &str {
        let with_slash = |prefix: &str| self.model.strip_prefix(prefix)?.strip_prefix('/');
        with_slash(self.provider)
            .or_else(|| {
                // Other names of the same: `gemini/…` is Google's, `ollama_chat/…` Ollama's.
                let (segment, rest) = self.model.split_once('/')?;
                let known = catalogue(segment)?;
                (known.name == self.provider).then_some(rest)
            })
            .unwrap_or(self.model)
    }

    /// How the provider is spoken to, if that is said: for this model, for all of its models, or in the catalogue.
    fn route(&self, bare: &str) -> Option<&str> {
        let of_block = self.block.and_then(|block| {
            let rule = block
                .model_routes
                .iter()
                .find(|rule| rule.is_for(bare) || rule.is_for(self.model));
            rule.map(|rule| rule.litellm_provider.as_str())
                .or(block.litellm_provider.as_deref())
        });
        of_block.or_else(|| self.known.and_then(|known| known.route))
    }

    fn address(&self, wire: Wire, spoken: Option<&Known>) -> Result<(String, String), BindFault> {
        if self.provider == SNODO_CLOUD
            && let Some(url) = &self.config.cloud.models_url
        {
            return Ok((url.value.as_str().to_owned(), self.config.at(url.place)));
        }
        if let Some(url) = self.block.and_then(|block| block.base_url.as_ref()) {
            return Ok((url.value.as_str().to_owned(), self.config.at(url.place)));
        }
        // A known provider's own, if it is spoken to as it is there. Whoever is spoken to as another one at no address of its own is
        // not called at the other's: the key in its block is not for that host. A name that is nobody's stands for whom it is spoken to as.
        self.known
            .or(spoken)
            .filter(|known| known.wire == wire && !known.base_url.is_empty())
            .map(|known| (known.base_url.to_owned(), CATALOGUE.to_owned()))
            .ok_or_else(|| BindFault::NoAddress {
                model: self.model.to_owned(),
                provider: self.provider.to_owned(),
            })
    }

    fn key(&self, base_url: &str, home: Option<&Known>) -> KeySource {
        if let Some(key) = self.block.and_then(|block| block.key.clone()) {
            return key;
        }
        if self.provider == SNODO_CLOUD {
            let cloud = &self.config.cloud;
            let is_there = cloud
                .models_url
                .as_ref()
                .is_some_and(|url| url.value.as_str() == base_url);
            return match &cloud.api_key {
                Some(key) if is_there => KeySource::Literal {
                    key: key.value.clone(),
                    place: self.config.at(key.place),
                },
                _ => KeySource::None,
            };
        }
        match home.and_then(|home| home.key_variable) {
            Some(variable) => KeySource::Environment {
                name: variable.to_owned(),
                place: CATALOGUE.to_owned(),
            },
            None => KeySource::None,
        }
    }

    fn headers(&self, home: Option<&Known>) -> Vec<Header> {
        if let Some(headers) = self.block.and_then(|block| block.extra_headers.clone()) {
            return headers;
        }
        let headers = home.map_or(&[][..], |home| home.headers).iter();
        headers
            .map(|(name, value)| Header {
                name: (*name).to_owned(),
                value: (*value).into(),
            })
            .collect()
    }

    /// The account in the address: put in, or where it comes from.
    fn account(&self, binding: &mut Binding) {
        if let Some(id) = self.block.and_then(|block| block.account_id.as_deref()) {
            binding.base_url = binding.base_url.replace(ACCOUNT_MARK, id);
            return;
        }
        let named = self.block.and_then(|block| block.account_id_env.as_ref());
        binding.account = match named {
            Some(name) => Some(AccountSource {
                variable: name.value.clone(),
                place: self.config.at(name.place),
            }),
            None if self.known.is_some_and(|known| known.base_url.contains(ACCOUNT_MARK)) => Some(AccountSource {
                variable: CLOUDFLARE_ACCOUNT.to_owned(),
                place: CATALOGUE.to_owned(),
            }),
            None => None,
        };
    }
}

/// litellm is told `ROUTE/NAME` (snodo puts `ROUTE/` before the name unless it is there) and takes `ROUTE/` off again.
fn without_route<'m>(bare: &'m str, route: Option<&str>) -> &'m str {
    route
        .and_then(|route| bare.strip_prefix(route)?.strip_prefix('/'))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(bare)
}

/// The address without what the wire format adds.
fn for_wire(base_url: &str, wire: Wire) -> &str {
    let own = match wire {
        Wire::OpenAi => "",
        Wire::Anthropic => "/v1",
        Wire::Gemini => "/v1beta",
    };
    base_url.strip_suffix(own).unwrap_or(base_url).trim_end_matches('/')
}
