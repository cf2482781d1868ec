//! The environment that programs get: an allow list, filled in by the binary. Nothing else of the host's is passed on.

use std::ffi::{OsStr, OsString};

use crate::toolchain;

/// Names and values.
#[derive(Debug, Clone, Default)]
pub struct ProgramEnvironment {
    /// In the order in which they are given.
    pub variables: Vec<(OsString, OsString)>,
}

impl ProgramEnvironment {
    /// Names that are passed on when they are set, beside those that say where a toolchain is ([`Self::allowed`]): where programs and
    /// homes are, and the language. None holds a secret.
    const GENERAL: [&'static str; 7] = ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"];

    /// Every name that is passed on.
    pub fn allowed() -> impl Iterator<Item = &'static str> {
        Self::GENERAL.into_iter().chain(toolchain::variables())
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.variables.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// Gives a name a value, in place of one that it has.
    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let value = value.as_ref().to_owned();
        match self.variables.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.variables.push((name.into(), value)),
        }
    }

    /// The names, for a report.
    pub(crate) fn names(&self) -> Vec<String> {
        self.variables
            .iter()
            .map(|(n, _)| n.to_string_lossy().into_owned())
            .collect()
    }
}
