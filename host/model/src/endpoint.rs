//! From a base URL to the URL that is asked.
//!
//! One rule, with one exception for what the providers' own tools do differently:
//!
//! 1. A base whose path already ends as the request's does (`/chat/completions`, `/messages`, `:generateContent`) is taken as it stands.
//! 2. Else the request's own end is put behind the base's path, with exactly one slash between.
//! 3. In front of that end goes the version (`v1`, of Gemini `v1beta`) unless the base's path ends with a version (`v` and a digit). **Of the
//!    `OpenAI` format a path of any kind is taken to be complete**, since that format's base URLs hold the version by custom
//!    (`https://openrouter.ai/api/v1`, `…/v1beta/openai`, `…/ai/v1`): there the version is put in only where there is no path at all.
//! 4. A query is kept, behind the whole.
//!
//! | base | `OpenAI` | Anthropic |
//! |---|---|---|
//! | `h`, `h/` | `h/v1/chat/completions` | `h/v1/messages` |
//! | `h/v1`, `h/v1/` | `h/v1/chat/completions` | `h/v1/messages` |
//! | `h/proxy/x` | `h/proxy/x/chat/completions` | `h/proxy/x/v1/messages` |
//! | `h/v1?k=v` | `h/v1/chat/completions?k=v` | `h/v1/messages?k=v` |
//! | `h/v1/chat/completions` | the same | – |

use reqwest::Url;
use snodo_config::model::Wire;

/// Where requests go.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    url: Url,
}

/// Why a base URL is none. What it says of the URL holds no part that could be a credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointFault {
    /// `localhost:11434`
    #[error(
        "the base URL `{shown}` has no scheme: write `http://…` for a server of your own, `https://…` for any other"
    )]
    NoScheme {
        /// The URL.
        shown: String,
    },
    /// `ftp://…`
    #[error("the base URL `{shown}` has the scheme `{scheme}`: only `http` and `https` are spoken")]
    Scheme {
        /// The URL.
        shown: String,
        /// Its scheme.
        scheme: String,
    },
    /// No URL at all.
    #[error("the base URL `{shown}` is no URL: {reason}")]
    NoUrl {
        /// The URL.
        shown: String,
        /// The parser's words.
        reason: String,
    },
    /// `http://user:password@…`
    #[error(
        "the base URL of `{shown}` holds a name or a password: put what it takes into `api_key` or into `extra_headers`, where it is kept"
    )]
    Credentials {
        /// The host.
        shown: String,
    },
    /// `http://…#…`
    #[error("the base URL `{shown}` ends with a fragment (`#…`), which is never sent: leave it out")]
    Fragment {
        /// The URL.
        shown: String,
    },
    /// The model's name cannot stand in a path.
    #[error("the model's name is empty")]
    NoModel,
}

impl Endpoint {
    /// Of a configured base URL, for that model.
    pub(crate) fn new(base: &str, wire: Wire, model: &str) -> Result<Self, EndpointFault> {
        let base = base.trim();
        if model.trim().is_empty() {
            return Err(EndpointFault::NoModel);
        }
        // `localhost:11434` would parse, with the scheme `localhost`.
        if !base.contains("://") {
            return Err(EndpointFault::NoScheme { shown: unparsed(base) });
        }
        let mut url = Url::parse(base).map_err(|error| EndpointFault::NoUrl {
            shown: unparsed(base),
            reason: error.to_string(),
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointFault::Scheme {
                shown: shown(&url),
                scheme: url.scheme().to_owned(),
            });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EndpointFault::Credentials {
                shown: url.host_str().unwrap_or_default().to_owned(),
            });
        }
        if url.fragment().is_some() {
            return Err(EndpointFault::Fragment { shown: shown(&url) });
        }
        complete(&mut url, wire, model);
        Ok(Self { url })
    }

    /// All of it, query included: for sending, never for showing.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// For people: without the query, which can hold a key.
    pub(crate) fn shown(&self) -> String {
        shown(&self.url)
    }

    /// The values of the query: what in a URL can be a credential.
    pub(crate) fn query_values(&self) -> impl Iterator<Item = String> + '_ {
        self.url.query_pairs().map(|(_, value)| value.into_owned())
    }
}

/// A URL without what could be a credential.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Fails only for URLs that can have neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// The same of what is no URL.
fn unparsed(text: &str) -> String {
    let start = text.split(['?', '#']).next().unwrap_or_default();
    let behind = start.rsplit('@').next().unwrap_or_default();
    snodo_workspace::escape::escaped(&behind.chars().take(200).collect::<String>()).into_owned()
}

fn complete(url: &mut Url, wire: Wire, model: &str) {
    let path: Vec<String> = url
        .path()
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(str::to_owned)
        .collect();
    let has_version = path.last().is_some_and(|last| is_version(last));
    let end: Vec<String> = match wire {
        Wire::OpenAi => owned(&["chat", "completions"]),
        Wire::Anthropic => owned(&["messages"]),
        Wire::Gemini => {
            // Names come with and without the collection that they are in.
            let mut segments: Vec<String> = model.split('/').map(str::to_owned).collect();
            if !matches!(segments.first().map(String::as_str), Some("models" | "tunedModels")) {
                segments.insert(0, "models".to_owned());
            }
            if let Some(last) = segments.last_mut() {
                last.push_str(":generateContent");
            }
            segments
        }
    };
    let is_complete = match wire {
        Wire::OpenAi | Wire::Anthropic => path.ends_with(&end),
        Wire::Gemini => path.last().is_some_and(|last| last.ends_with(":generateContent")),
    };
    let version = match wire {
        Wire::OpenAi if !path.is_empty() => None,
        Wire::OpenAi | Wire::Anthropic => Some("v1"),
        Wire::Gemini => Some("v1beta"),
    };
    let add = !is_complete;
    let version = version.filter(|_| add && !has_version);
    let Ok(mut segments) = url.path_segments_mut() else {
        return;
    };
    // What is in the path stays encoded as it was written: only empty segments go.
    segments.clear();
    drop(segments);
    let mut whole = path.join("/");
    let encoded = version
        .into_iter()
        .map(str::to_owned)
        .chain(end.into_iter().filter(|_| add));
    if !whole.is_empty() {
        whole.insert(0, '/');
    }
    url.set_path(&whole);
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty();
        segments.extend(encoded);
    }
}

fn owned(segments: &[&str]) -> Vec<String> {
    segments.iter().map(|&segment| segment.to_owned()).collect()
}

fn is_version(segment: &str) -> bool {
    let mut letters = segment.bytes();
    letters.next() == Some(b'v') && letters.next().is_some_and(|digit| digit.is_ascii_digit()) && segment.len() < 12
}

#[cfg(test)]
mod tests;
