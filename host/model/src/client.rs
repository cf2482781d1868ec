//! A provider's client: one configured model, asked over one wire format.

mod outcome;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use snodo_config::model::{Binding, Header};
use snodo_workspace::capability::{CompletionError, LimitReached, ProviderFailure, Request, ToolChoice, Usage};
use tokio::time::Instant;

use crate::adapt::{Adapted, with_instruction};
use crate::endpoint::{Endpoint, EndpointFault};
use crate::http::{Http, HttpFault, Timing};
use crate::redact::{Redactor, may_be_secret};
use crate::retry::{Backoff, Jitter};
use crate::wire::failure;
use crate::wire::signatures::Signatures;
use crate::wire::{self, Draft, Unsendable};
use crate::{Asked, LanguageModel, Terms};
use outcome::{Outcome, Told};

/// What stands for the task's id in a header's value.
const TASK_ID: &str = "{task_id}";
/// Most bytes of what in a header's value is a flag or a separator, and no secret.
const FLAG: usize = 3;
/// Headers that belong to the connection and not to the user.
const NOT_THE_USERS: [&str; 7] = [
    "host",
    "content-length",
    "content-type",
    "content-encoding",
    "transfer-encoding",
    "connection",
    "accept-encoding",
];

/// How a client behaves.
#[derive(Clone)]
pub struct Settings {
    /// How long is waited.
    pub timing: Timing,
    /// How long between attempts.
    pub backoff: Backoff,
    /// Most bytes of a request.
    pub max_request_bytes: usize,
    /// Most bytes of an answer, decompressed.
    pub max_answer_bytes: usize,
    /// Spreads the waits of several clients.
    pub seed: u64,
    /// The time, for a provider that names a date and does not say what time it is.
    pub clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

/// Why a client cannot be made of a configuration. No run begins with one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientFault {
    /// The base URL.
    #[error("provider `{provider}` ({place}): {fault}")]
    Endpoint {
        /// The provider.
        provider: String,
        /// Where its base URL stands.
        place: String,
        /// What is wrong with it.
        fault: EndpointFault,
    },
    /// A header of the user's.
    #[error("provider `{provider}`: the header `{name}` in `extra_headers` {what}")]
    Header {
        /// The provider.
        provider: String,
        /// The header.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The key cannot be sent.
    #[error("provider `{provider}`: the key is not one line of printable ASCII, and cannot be sent")]
    Key {
        /// The provider.
        provider: String,
    },
}

/// The client of one [`Binding`].
pub struct Client {
    binding: Binding,
    endpoint: Endpoint,
    headers: HeaderMap,
    /// Those with the task's id in them.
    per_task: Vec<Header>,
    redactor: Redactor,
    http: Arc<Http>,
    settings: Settings,
    jitter: Jitter,
    signatures: Signatures,
    adapted: Mutex<Adapted>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("model", &self.binding.model)
            .field("url", &self.endpoint.shown())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client, without a connection.
    ///
    /// # Errors
    /// What in the configuration cannot be sent to.
    pub fn new(
        binding: Binding,
        key: Option<&SecretString>,
        http: Arc<Http>,
        settings: Settings,
    ) -> Result<Self, ClientFault> {
        let endpoint = Endpoint::new(&binding.base_url, binding.wire, &binding.sent_as).map_err(|fault| {
            ClientFault::Endpoint {
                provider: binding.provider.clone(),
                place: binding.base_url_source.clone(),
                fault,
            }
        })?;
        let mut headers = wire::headers(binding.wire, key).ok_or_else(|| ClientFault::Key {
            provider: binding.provider.clone(),
        })?;
        let mut per_task = Vec::new();
        let mut secrets: Vec<SecretString> = key.into_iter().cloned().collect();
        secrets.extend(endpoint.query_values().map(SecretString::from));
        secrets.extend(http.proxy_secrets());
        for extra in &binding.headers {
            let fault = |what| ClientFault::Header {
                provider: binding.provider.clone(),
                name: extra.name.clone(),
                what,
            };
            let (name, value) = user_header(extra).map_err(fault)?;
            if may_be_secret(&extra.name, extra.value.expose_secret()) {
                // Around the task's id, which is none. A flag such as `1` is none either, and stands in every address.
                let parts = extra.value.expose_secret().split(TASK_ID);
                secrets.extend(parts.filter(|part| part.trim().len() > FLAG).map(SecretString::from));
            }
            if extra.value.expose_secret().contains(TASK_ID) {
                per_task.push(extra.clone());
            } else {
                headers.insert(name, value);
            }
        }
        Ok(Self {
            endpoint,
            headers,
            per_task,
            redactor: Redactor::new(&secrets),
            http,
            jitter: Jitter::new(settings.seed),
            settings,
            signatures: Signatures::default(),
            adapted: Mutex::default(),
            binding,
        })
    }

    /// The URL that is asked, without what in it could be a key.
    pub fn url(&self) -> String {
        self.endpoint.shown()
    }

    fn headers(&self, task_id: &str) -> HeaderMap {
        let mut headers = self.headers.clone();
        // An id is the engine's and plain; what is not could become another header.
        let task_id: String = task_id.chars().filter(char::is_ascii_graphic).collect();
        for extra in &self.per_task {
            let value = SecretString::from(extra.value.expose_secret().replace(TASK_ID, &task_id));
            let extra = Header {
                name: extra.name.clone(),
                value,
            };
            if let Ok((name, value)) = user_header(&extra) {
                headers.insert(name, value);
            }
        }
        headers
    }

    fn adapted(&self) -> Adapted {
        *self.adapted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, adapted: Adapted) {
        let mut known = self.adapted.lock().unwrap_or_else(PoisonError::into_inner);
        *known = known.and(adapted);
    }

    /// The body of a request, as JSON and as bytes.
    fn body(&self, request: &Request, terms: &Terms, adapted: Adapted) -> Result<(Value, Vec<u8>), CompletionError> {
        let instructed = adapted.no_tool_choice.then(|| with_instruction(request));
        let request = instructed.as_ref().unwrap_or(request);
        let draft = Draft {
            request,
            model: &self.binding.sent_as,
            max_tokens: terms.max_tokens,
            temperature_milli: terms.temperature_milli,
            adapted,
            signatures: &self.signatures,
        };
        let body = wire::body(self.binding.wire, &draft).map_err(|fault| unsendable(&fault))?;
        let bytes = body.to_string().into_bytes();
        if bytes.len() > self.settings.max_request_bytes {
            return Err(CompletionError::Limit(LimitReached {
                name: "model_request_bytes",
                allowed: u64::try_from(self.settings.max_request_bytes).unwrap_or(u64::MAX),
            }));
        }
        Ok((body, bytes))
    }
}

#[async_trait]
impl LanguageModel for Client {
    fn model(&self) -> &str {
        &self.binding.model
    }

    async fn ask(&self, request: &Request, terms: &Terms) -> Asked {
        let started = Instant::now();
        let deadline = started + self.settings.timing.total;
        let wire = self.binding.wire;
        let mut told = Told {
            usage: Usage {
                input_tokens: None,
                output_tokens: None,
            },
            served: None,
        };
        let mut adapted = self.adapted();
        let mut attempts = 0;
        let mut lost = 0;
        // Requests sent again because the one before failed; one that was adapted is a different request.
        let mut again = 0;
        let headers = self.headers(&terms.task_id);
        let result = loop {
            if let Err(fault) = checked(request) {
                break Err(unsendable(&fault));
            }
            let (body, bytes) = match self.body(request, terms, adapted) {
                Ok(body) => body,
                Err(error) => break Err(error),
            };
            attempts += 1;
            let timing = &self.settings.timing;
            let sent = self
                .http
                .post(
                    self.endpoint.url(),
                    headers.clone(),
                    bytes,
                    timing,
                    self.settings.max_answer_bytes,
                    deadline,
                )
                .await;
            let broke = matches!(sent, Err(HttpFault::Broken(_)));
            let outcome = match sent {
                Ok(received) => self.received(received, terms, &mut told),
                Err(fault) => self.unreached(fault, started),
            };
            let (error, asked) = match outcome {
                Outcome::Answer(answer) => {
                    self.remember(adapted);
                    break Ok(answer);
                }
                Outcome::End(error) => break Err(error),
                Outcome::Refused { status, failed, error } => match adapted.after(status, &failed, &body, wire) {
                    Some(next) => {
                        tracing::debug!(
                            model = self.model(),
                            attempts,
                            "the provider refuses a parameter: asked without it"
                        );
                        adapted = next;
                        continue;
                    }
                    None => break Err(error),
                },
                Outcome::Again { error, asked } => (error, asked),
            };
            if again >= self.binding.retries {
                break Err(error);
            }
            again += 1;
            let wait = self.settings.backoff.wait(again, asked, &self.jitter);
            if Instant::now() + wait >= deadline {
                break Err(error);
            }
            tracing::debug!(model = self.model(), attempts, wait_ms = wait.as_millis(), %error, "asked again");
            // The last attempt is told by the result.
            lost += u32::from(broke);
            tokio::time::sleep(wait).await;
        };
        tracing::debug!(
            model = self.model(),
            attempts,
            url = self.url(),
            ok = result.is_ok(),
            "the model was asked"
        );
        Asked {
            result,
            usage: told.usage,
            served: told.served,
            attempts,
            lost,
            adaptations: adapted.told(request, terms.temperature_milli, wire),
        }
    }
}

/// What no format could say.
fn checked(request: &Request) -> Result<(), Unsendable> {
    match &request.tool_choice {
        ToolChoice::Named(name) if request.tools.iter().all(|tool| tool.name != *name) => {
            Err(Unsendable::NotOffered(name.clone()))
        }
        ToolChoice::Required if request.tools.is_empty() => Err(Unsendable::NoTools),
        _ => Ok(()),
    }
}

fn unsendable(fault: &Unsendable) -> CompletionError {
    CompletionError::Refused(ProviderFailure {
        status: None,
        message: failure::of_text(&format!("the request was not sent: {fault}")),
    })
}

fn user_header(extra: &Header) -> Result<(HeaderName, HeaderValue), &'static str> {
    let name = HeaderName::try_from(extra.name.as_str()).map_err(|_| "has no name that HTTP knows")?;
    if NOT_THE_USERS.contains(&name.as_str()) {
        return Err("belongs to the connection and cannot be set");
    }
    let mut value = HeaderValue::from_str(extra.value.expose_secret())
        .map_err(|_| "has a value that is not one line of printable ASCII")?;
    value.set_sensitive(true);
    Ok((name, value))
}
