//! Names that no installed plugin may have.

use serde::Serialize;
use snodo_admission::PluginName;

/// Names that mean something else already. Built-in names are reserved for both kinds, coders and validators: whoever reads a name has
/// to know what runs. They are compared folded: `Secrets` is not free because `secrets` is taken.
#[derive(Debug, Clone, Default)]
pub struct Reserved {
    built_in: Vec<String>,
    external: Vec<String>,
}

/// What a name means already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReservedBy {
    /// A plugin that is built into this host.
    BuiltIn,
    /// An external coder of the user's `host.toml`.
    External,
}

impl ReservedBy {
    /// As the end of "`x` is …".
    pub fn describe(self) -> &'static str {
        match self {
            Self::BuiltIn => "the name of a built-in",
            Self::External => "the name of an external coder in `host.toml`",
        }
    }
}

impl Reserved {
    /// From the names of all built-ins and of the external coders that the user declared.
    pub fn new<'a, 'b>(
        built_in: impl IntoIterator<Item = &'a str>,
        external: impl IntoIterator<Item = &'b str>,
    ) -> Self {
        Self {
            built_in: built_in.into_iter().map(str::to_ascii_lowercase).collect(),
            external: external.into_iter().map(str::to_ascii_lowercase).collect(),
        }
    }

    /// What the name means already; none if it is free.
    pub fn by(&self, name: &PluginName) -> Option<ReservedBy> {
        let folded = name.folds_like();
        if self.built_in.contains(&folded) {
            Some(ReservedBy::BuiltIn)
        } else if self.external.contains(&folded) {
            Some(ReservedBy::External)
        } else {
            None
        }
    }
}
