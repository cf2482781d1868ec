//! One file for each import of the contract: it is linked here, counted and bounded here, and answered by the domain's
//! implementation that the store was given. No policy, and nothing of the engine.

mod change;
mod completion;
mod read;
mod runner;
mod search;
mod submit;

use std::sync::Arc;

use snodo_bindings as wit;
use snodo_workspace::capability::{Read, Search};
use wasmtime::component::{HasSelf, Linker};

use crate::plugin::{Given, PluginState, ToolList};

/// The interfaces of the contract, as admission saw them imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Links `submit`; never for a validator.
    pub(crate) submit: bool,
    /// Links `change`; never for a coder.
    pub(crate) change: bool,
    /// Links `runner`.
    pub(crate) runner: bool,
    /// Links `completion`.
    pub(crate) completion: bool,
}

/// Links the contract's interfaces that a plugin of this role may have, and no other: what admission let through by mistake
/// would not be found here.
pub(crate) fn link(linker: &mut Linker<PluginState>, wanted: Wanted) -> wasmtime::Result<()> {
    type S = PluginState;
    type D = HasSelf<PluginState>;
    wit::types::add_to_linker::<S, D>(linker, |s| s)?;
    wit::read::add_to_linker::<S, D>(linker, |s| s)?;
    wit::search::add_to_linker::<S, D>(linker, |s| s)?;
    if wanted.submit {
        wit::submit::add_to_linker::<S, D>(linker, |s| s)?;
    }
    if wanted.change {
        wit::change::add_to_linker::<S, D>(linker, |s| s)?;
    }
    if wanted.runner {
        wit::runner::add_to_linker::<S, D>(linker, |s| s)?;
    }
    if wanted.completion {
        wit::completion::add_to_linker::<S, D>(linker, |s| s)?;
    }
    Ok(())
}

impl wit::types::Host for PluginState {}

/// A function that the store's holder was not given. Linking and admission keep it from being reached.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` was called by a plugin whose role does not have it")]
pub(crate) struct NotOfThisRole(pub(crate) &'static str);

impl PluginState {
    fn reader(&self) -> Result<Arc<dyn Read>, NotOfThisRole> {
        match &self.given {
            Given::Coder(given) => Ok(Arc::clone(&given.read)),
            Given::Judge(given, _) => Ok(Arc::clone(&given.read)),
            Given::Closed => Err(NotOfThisRole("read")),
        }
    }

    fn searcher(&self) -> Result<Arc<dyn Search>, NotOfThisRole> {
        match &self.given {
            Given::Coder(given) => Ok(Arc::clone(&given.search)),
            Given::Judge(given, _) => Ok(Arc::clone(&given.search)),
            Given::Closed => Err(NotOfThisRole("search")),
        }
    }

    /// Whether the holder may call this function now.
    fn allows(&self, tool: &'static str) -> bool {
        match &self.given {
            Given::Judge(_, tools) => ToolList::allows(tools, tool),
            Given::Coder(_) => true,
            Given::Closed => false,
        }
    }
}

/// Runs what reads many files where blocking is allowed, off the guest's small stack.
async fn off_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> wasmtime::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|e| wasmtime::format_err!("the host's own work failed: {e}"))
}
