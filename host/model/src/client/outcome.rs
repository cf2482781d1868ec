//! What an attempt comes to: an answer, an end, or a reason to ask once more.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, LOCATION};
use serde_json::Value;
use snodo_workspace::capability::{Answer, CompletionError, ProviderFailure, Usage};
use tokio::time::Instant;

use super::Client;
use crate::Terms;
use crate::ask::believed;
use crate::http::{HttpFault, Received, header};
use crate::retry::{is_passing, is_quota, retry_after};
use crate::wire::accept::Rejected;
use crate::wire::failure::{self, Failure};
use crate::wire::{self};

/// What one attempt came to.
pub(super) enum Outcome {
    Answer(Answer),
    End(CompletionError),
    /// The provider refused: it may take the request in another form.
    Refused {
        status: u16,
        failed: Failure,
        error: CompletionError,
    },
    /// It may go better in a moment.
    Again {
        error: CompletionError,
        asked: Option<Duration>,
    },
}

impl Outcome {
    pub(super) fn again(error: CompletionError) -> Self {
        Self::Again { error, asked: None }
    }
}

/// What an answer told beside what it says.
pub(super) struct Told {
    pub(super) usage: Usage,
    pub(super) served: Option<String>,
}

impl Client {
    fn provider(&self, status: Option<u16>, message: &str) -> ProviderFailure {
        ProviderFailure {
            status,
            message: failure::of_text(&self.redactor.failure(message)),
        }
    }

    /// What becomes of a request that was answered: the answer, or an end, or another attempt.
    pub(super) fn received(&self, received: Received, terms: &Terms, usage: &mut Told) -> Outcome {
        let status = received.status.as_u16();
        let body = self.redactor.bytes(received.body);
        if received.status.is_redirection() {
            return Outcome::End(CompletionError::Refused(self.redirected(status, &received.headers)));
        }
        let asked = retry_after(&received.headers, (self.settings.clock)());
        if !received.status.is_success() {
            let failed = failure::of_failed(&body);
            return self.failed(status, failed, asked);
        }
        let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_slice(&body) else {
            let what = format!("the answer is no JSON object: {}", failure::of_body(&body));
            return Outcome::End(CompletionError::Malformed(self.provider(Some(status), &what)));
        };
        // Servers in front of others answer 200 and put the other's status into the error.
        if let Some(failed) = failure::of(&value) {
            return self.failed(failed.status.unwrap_or(status), failed, asked);
        }
        let mut said = match wire::read(self.binding.wire, &value) {
            Ok(said) => said,
            Err(unreadable) => {
                let what = format!("{}: {}", unreadable.0, failure::of_body(&body));
                return Outcome::End(CompletionError::Malformed(self.provider(Some(status), &what)));
            }
        };
        for call in &mut said.calls {
            // An id goes to the plugin too; one that spells a secret is as good as none.
            call.id = call.id.take().filter(|id| self.redactor.text(id.clone()) == *id);
        }
        usage.usage = believed(said.usage.into());
        usage.served = said
            .model
            .clone()
            .map(|model| failure::of_text(&self.redactor.text(model)));
        Outcome::End(match wire::accept(said, &self.signatures) {
            Ok(accepted) => return Outcome::Answer(self.answer(accepted, usage)),
            Err(Rejected::Truncated) => CompletionError::Truncated(terms.max_tokens),
            Err(Rejected::Filtered(reason)) => CompletionError::Filtered(self.provider(None, &reason).message),
            Err(Rejected::Malformed(what)) => CompletionError::Malformed(self.provider(None, &what)),
        })
    }

    fn answer(&self, mut accepted: wire::Accepted, told: &Told) -> Answer {
        for call in &mut accepted.tool_calls {
            call.name = self.redactor.text(std::mem::take(&mut call.name));
            call.arguments = self.redactor.text(std::mem::take(&mut call.arguments));
        }
        Answer {
            text: self.redactor.text(accepted.text),
            tool_calls: accepted.tool_calls,
            stop: accepted.stop,
            model: told.served.clone().unwrap_or_else(|| self.binding.model.clone()),
            usage: told.usage,
        }
    }

    fn redirected(&self, status: u16, headers: &HeaderMap) -> ProviderFailure {
        // Before it is read: a host's name is written in lower case then, and a key in it would be another word.
        let location = header(headers, LOCATION).map(|location| self.redactor.text(location.to_owned()));
        let to = location.and_then(|location| self.endpoint.url().join(&location).ok());
        let host = to
            .as_ref()
            .and_then(Url::host_str)
            .unwrap_or("nowhere that can be read");
        let what = format!(
            "{} redirects to `{host}`. Redirects are not followed, so that the key goes nowhere else: set `base_url` to where the provider is",
            self.url()
        );
        self.provider(Some(status), &what)
    }

    fn failed(&self, status: u16, failed: Failure, asked: Option<Duration>) -> Outcome {
        let quota = status == 402 || failed.codes.iter().any(|code| is_quota(code));
        let words = if failed.message.trim().is_empty() {
            failed.codes.join(", ")
        } else {
            failed.message.clone()
        };
        let error = match status {
            _ if quota => CompletionError::Refused(
                self.provider(Some(status), &format!("the provider's quota is used up: {words}")),
            ),
            429 => CompletionError::RateLimited(self.provider(Some(status), &words)),
            // Which URL is what a wrong base URL shows by.
            404 | 405 => {
                CompletionError::Refused(self.provider(Some(status), &format!("{status} at {}: {words}", self.url())))
            }
            _ if is_passing(status) => CompletionError::Unavailable(self.provider(Some(status), &words)),
            500..=599 => CompletionError::Unavailable(self.provider(Some(status), &words)),
            _ => CompletionError::Refused(self.provider(Some(status), &words)),
        };
        if quota || !is_passing(status) {
            return Outcome::Refused { status, failed, error };
        }
        Outcome::Again { error, asked }
    }

    pub(super) fn unreached(&self, fault: HttpFault, started: Instant) -> Outcome {
        let unavailable = |what: String| CompletionError::Unavailable(self.provider(None, &what));
        let waited = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let url = self.url();
        match fault {
            HttpFault::Connect(reason) => Outcome::again(unavailable(format!("no connection to {url}: {reason}"))),
            HttpFault::ConnectTimeout => Outcome::again(unavailable(format!(
                "no connection to {url} within {} ms",
                self.settings.timing.connect.as_millis()
            ))),
            HttpFault::Broken(reason) => {
                Outcome::again(unavailable(format!("the connection to {url} broke: {reason}")))
            }
            HttpFault::Silent(_) | HttpFault::TotalTimeout => Outcome::End(CompletionError::Timeout(waited())),
            HttpFault::TooLarge(most) => Outcome::End(CompletionError::Malformed(self.provider(
                None,
                &format!("the answer is larger than {most} bytes, and is not read further"),
            ))),
            HttpFault::Encoding(reason) => Outcome::End(CompletionError::Malformed(
                self.provider(None, &format!("the answer cannot be decompressed: {reason}")),
            )),
            HttpFault::Setup(reason) => Outcome::End(unavailable(reason)),
        }
    }
}
