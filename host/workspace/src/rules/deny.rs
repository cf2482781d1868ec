//! The deny list of reads: files whose content is never given to a plugin, by name.

use super::BadRule;
use super::fold::{fold, fold_case};
use super::pattern::{Hit, Patterns};
use crate::path::WorkspacePath;

/// The host's own list: what holds passwords, tokens or private keys by convention. Templates that are meant to be shared are
/// taken out again.
pub const STANDARD_DENY_LIST: &[&str] = &[
    ".env",
    ".env.*",
    ".envrc",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env.dist",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.ppk",
    "*.kdbx",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    ".ssh/",
    ".gnupg/",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    ".vault-token",
    "**/.aws/credentials",
    "**/.docker/config.json",
    "**/.kube/config",
    "**/.cargo/credentials",
    "**/.cargo/credentials.toml",
    "**/.config/gcloud/",
];

/// Where the standard list stands, for refusals.
const STANDARD: &str = "the host's list of secrets";

/// Files whose content is never given to a plugin. Names are compared folded, as protected names are, so that another
/// spelling of a secret's name does not open it where the file system folds.
#[derive(Debug, Clone)]
pub struct DenyList(Patterns);

impl DenyList {
    /// The host's own list, [`STANDARD_DENY_LIST`].
    pub fn standard() -> Self {
        let mut patterns = Patterns::default();
        let read = patterns.add(STANDARD_DENY_LIST, STANDARD, fold_case);
        debug_assert!(read.is_ok(), "a constant, read by a test");
        Self(patterns)
    }

    /// A list of the user's in place of the standard one. Written as `.gitignore` files are; later patterns win over earlier ones,
    /// `!` allows again.
    pub fn new(patterns: &[String], origin: &str) -> Result<Self, BadRule> {
        let mut list = Self(Patterns::default());
        list.add(patterns, origin)?;
        Ok(list)
    }

    /// More patterns after those that are there. `origin` says where they stand, for refusals.
    pub fn add(&mut self, patterns: &[String], origin: &str) -> Result<(), BadRule> {
        self.0.add(patterns, origin, fold_case)
    }

    pub(super) fn decide(&self, path: &WorkspacePath, is_folder: bool) -> Option<Hit<'_>> {
        self.0.decide(&folded(path), is_folder)
    }

    /// Of a path that is folded already, itself.
    pub(super) fn decide_step(&self, folded: &str, is_folder: bool) -> Option<Hit<'_>> {
        self.0.decide_step(folded, is_folder)
    }

    /// For a file whose folders were asked for before.
    pub(super) fn decide_last(&self, path: &WorkspacePath) -> Option<Hit<'_>> {
        self.0.decide_step(&folded(path), false)
    }
}

fn folded(path: &WorkspacePath) -> String {
    let mut whole = String::with_capacity(path.as_str().len());
    for component in path.components() {
        if !whole.is_empty() {
            whole.push('/');
        }
        whole.push_str(&fold(component));
    }
    whole
}
