//! A model, with everything that it takes to call it. No key but one that stands in the user's file is in here: where a key comes from is
//! configuration, and whoever calls fetches it.

use std::fmt;

use secrecy::SecretString;

use crate::printable::printable;

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModelRole {
    /// Writes the change, where the coder asks a model through this host.
    Coder,
    /// Judges it.
    Validator,
    /// Says what kind of task it is.
    Classifier,
}

impl ModelRole {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Coder, Self::Validator, Self::Classifier];

    /// As it is written in configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Coder => "coder",
            Self::Validator => "validator",
            Self::Classifier => "classifier",
        }
    }
}

/// The wire format that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// `POST {base}/chat/completions`, and everything compatible with it.
    OpenAi,
    /// `POST {base}/v1/messages`.
    Anthropic,
    /// `POST {base}/v1beta/models/{model}:generateContent`.
    Gemini,
}

impl Wire {
    /// By which it is named to a person.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

/// A model, with everything that it takes to call it.
#[derive(Debug, Clone)]
pub struct Binding {
    /// As it is configured: `claude-sonnet-4-20250514`, `ollama/qwen3:8b`.
    pub model: String,
    /// The provider's name, in the configuration or in the catalogue.
    pub provider: String,
    /// How it is spoken to.
    pub wire: Wire,
    /// The model's name as the provider is told it.
    pub sent_as: String,
    /// The address, without the part that belongs to the wire format and without a `/` at its end. `{account_id}` in it stands for what
    /// [`Binding::account`] names.
    pub base_url: String,
    /// Who says so: "the catalogue", `config.yml:12`.
    pub base_url_source: String,
    /// The account that the address names, where that is not known yet: fetched by whoever calls, and put in by
    /// [`Binding::with_account`].
    pub account: Option<AccountSource>,
    /// Where the key comes from.
    pub key: KeySource,
    /// Sent with each request. `{task_id}` in a value stands for the task's id.
    pub headers: Vec<Header>,
    /// How often a request is sent again at most, where that can help. 0 to 10.
    pub retries: u32,
}

/// A header that the user adds. Its value may be a credential.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: SecretString,
}

/// The variable of the environment that holds an account's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSource {
    /// Its name.
    pub variable: String,
    /// Who says so: "the catalogue", `config.yml:7`.
    pub place: String,
}

/// What stands for an account's id in an address.
pub const ACCOUNT_MARK: &str = "{account_id}";

/// The longest account id, in bytes. Cloudflare's has 32.
const ACCOUNT_BYTES: usize = 128;

/// An account id becomes a part of an address: of letters, digits, `-` and `_`.
pub(crate) fn is_account_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= ACCOUNT_BYTES
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// An account id that cannot be part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an account id is of letters, digits, `-` and `_`, {ACCOUNT_BYTES} at most")]
pub struct BadAccount;

/// Where a provider's key comes from. The key itself is never printed: [`fmt::Display`] says where from, and [`fmt::Debug`] no more.
#[derive(Clone)]
pub enum KeySource {
    /// None is configured, and none is sent: a server of one's own.
    None,
    /// It stands in the user's file.
    Literal {
        /// The key.
        key: SecretString,
        /// Where: `config.yml:7`.
        place: String,
    },
    /// In a variable of the environment.
    Environment {
        /// Its name.
        name: String,
        /// Who says so: "the catalogue", `config.yml:7`.
        place: String,
    },
    /// A program prints it (10 seconds at most; what it prints is trimmed).
    Command {
        /// What is run, without a shell.
        argv: Vec<String>,
        /// Where that stands.
        place: String,
    },
    /// In snodo's own encrypted store, which this host does not open.
    Encrypted {
        /// What the file says: `@keys/openai.key`.
        reference: String,
        /// Where that stands.
        place: String,
    },
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no key"),
            Self::Literal { place, .. } => write!(f, "the key in {place}"),
            Self::Environment { name, place } => write!(f, "the variable `{}` ({place})", printable(name)),
            // Its arguments may be credentials.
            Self::Command { argv, place } => {
                let program = argv.first().map_or("", String::as_str);
                write!(f, "what the program `{}` prints ({place})", printable(program))
            }
            Self::Encrypted { place, .. } => write!(f, "snodo's encrypted store ({place}), which is not opened here"),
        }
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeySource({self})")
    }
}

/// Two bindings with one key are served by one client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClientKey {
    provider: String,
    sent_as: String,
    base_url: String,
}

impl Binding {
    /// With the account's id in its place in the address.
    pub fn with_account(mut self, id: &str) -> Result<Self, BadAccount> {
        if !is_account_id(id) {
            return Err(BadAccount);
        }
        self.base_url = self.base_url.replace(ACCOUNT_MARK, id);
        self.account = None;
        Ok(self)
    }

    /// By what clients are shared. The provider stands for its key and its headers.
    pub fn client_key(&self) -> ClientKey {
        ClientKey {
            provider: self.provider.clone(),
            sent_as: self.sent_as.clone(),
            base_url: self.base_url.clone(),
        }
    }
}
