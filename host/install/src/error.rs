//! Why something could not be done with installed plugins. Every message says what to do.

use snodo_admission::{Grant, PluginName};

use crate::records::RecordFault;
use crate::reserved::ReservedBy;
use crate::shelf::Trouble;
use crate::store::BytesFault;

/// Why something could not be done with installed plugins.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A folder or file of theirs.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// The name means something else.
    #[error("no plugin can be installed as `{name}`, which is {}: choose another name with `--as NAME`", .by.describe())]
    Reserved {
        /// The name.
        name: PluginName,
        /// What it means.
        by: ReservedBy,
    },
    /// An installed plugin's name means something else by now.
    #[error(
        "the installed plugin `{name}` cannot be used: that is {} now; `snodo-host plugin remove {name}`, and install it under another name with `--as`",
        .by.describe()
    )]
    Shadowed {
        /// The name.
        name: PluginName,
        /// What it means.
        by: ReservedBy,
    },
    /// Two names that are one to some file systems, and some readers.
    #[error(
        "`{name}` and the installed `{other}` differ in letter case only: choose another name, or `snodo-host plugin remove {other}`"
    )]
    Twin {
        /// The name.
        name: PluginName,
        /// The other.
        other: PluginName,
    },
    /// There is none.
    #[error("no plugin `{name}` is installed{}; `snodo-host plugin list` lists them", .like.as_ref().map_or_else(String::new, |like| format!(" (`{like}` is)")))]
    NotInstalled {
        /// The name.
        name: PluginName,
        /// One whose name folds alike.
        like: Option<PluginName>,
    },
    /// What the user agreed to cannot be read.
    #[error(
        "the install record of `{name}` cannot be used: {fault}; `snodo-host plugin add FILE --as {name}` writes it anew, `snodo-host plugin remove {name}` removes it"
    )]
    Record {
        /// The plugin.
        name: PluginName,
        /// Why.
        fault: Box<RecordFault>,
    },
    /// What was installed is not there any more.
    #[error(
        "the installed plugin `{name}` cannot be used: {fault}; `snodo-host plugin add FILE --as {name}` puts the bytes back, `snodo-host plugin remove {name}` removes the record"
    )]
    Bytes {
        /// The plugin.
        name: PluginName,
        /// Why.
        fault: Box<BytesFault>,
    },
    /// Something changed between the plan and the act.
    #[error(
        "the installed plugin `{name}` was changed by another command meanwhile, and was not touched: look with `snodo-host plugin show {name}`, and start again"
    )]
    Changed {
        /// The plugin.
        name: PluginName,
    },
    /// A grant that nobody gave.
    #[error(
        "`{name}` needs the grant `{grant}`, and nobody gave it: nothing is granted silently. `--grant {grant}` gives it"
    )]
    NotGranted {
        /// The plugin.
        name: PluginName,
        /// Which.
        grant: Grant,
    },
}

impl InstallError {
    pub(crate) fn record(name: &PluginName, fault: RecordFault) -> Self {
        Self::Record {
            name: name.clone(),
            fault: Box::new(fault),
        }
    }

    pub(crate) fn bytes(name: &PluginName, fault: BytesFault) -> Self {
        Self::Bytes {
            name: name.clone(),
            fault: Box::new(fault),
        }
    }
}
