//! From bytes to a plugin that can be called: admit, take from the cache or compile, link.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use snodo_admission::{Admitted, Bodies, Context, Digest, Interface, Limits, Refusal, Role};
use snodo_bindings::{coding, judging};
use snodo_install::PinRefusal;
use tokio::sync::OnceCell;
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre, Linker};

use super::cache::{CompileCache, EntryName, load_fresh};
use super::compile::{CompileError, Compiler, compile};
use super::instance::Exports;
use super::{Plugin, PluginLimits, PluginSource, PluginState, posture, runtime};
use crate::capability::{self, Wanted};
use crate::events::{Event, Observer};

/// Why a plugin cannot be called.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Admission refused it: one line for each thing that is wrong.
    #[error("it is not admitted")]
    NotAdmitted(Refusal),
    /// It was not compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It is not the one that the repository pins.
    #[error(transparent)]
    Pinned(#[from] Box<PinRefusal>),
    /// It is installed, and is not what the user agreed to.
    #[error("it is not what was agreed to when it was installed: {}. `snodo-host plugin verify` shows it all", .0.join("; "))]
    NotAsRecorded(Vec<String>),
    /// It was admitted and compiled, and does not fit what is linked.
    #[error("it does not fit this host's interfaces: {0}")]
    Link(String),
}

/// The engine, the cache and the compiler; shared by all plugins of a process.
pub struct Loader {
    engine: Engine,
    limits: PluginLimits,
    cache: Option<CompileCache>,
    compiler: Compiler,
    serial: AtomicU64,
    /// Compiled components of this process, so that one plugin in two places is loaded once.
    loaded: std::sync::Mutex<HashMap<String, Arc<OnceCell<Component>>>>,
}

impl Loader {
    /// Starts the engine. Without a cache every start compiles.
    pub fn new(limits: PluginLimits, cache: Option<CompileCache>, compiler: Compiler) -> Result<Self, LoadError> {
        let engine = runtime::start(&limits).map_err(|e| LoadError::Link(format!("{e:#}")))?;
        Ok(Self {
            engine,
            limits,
            cache,
            compiler,
            serial: AtomicU64::new(0),
            loaded: std::sync::Mutex::default(),
        })
    }

    /// The bounds that plugins run under.
    pub fn limits(&self) -> &PluginLimits {
        &self.limits
    }

    /// Admits a plugin in a role, has it approved as what it was seen to be, and makes it callable. Nothing of it is compiled, and none of its code runs, before it is admitted.
    pub async fn load(
        &self,
        source: &PluginSource,
        context: &Context<'_>,
        limits: &Limits,
        approve: &(dyn Fn(&Admitted<'_>) -> Result<(), LoadError> + Sync),
        observer: &dyn Observer,
    ) -> Result<Plugin, LoadError> {
        let started = Instant::now();
        let hashed = source.bytes.hashed();
        let cell = self.cell(hashed.digest());
        let name = EntryName::new(&self.engine, hashed.digest());
        let cached = match cell.get() {
            Some(component) => Some(component.clone()),
            None => self.cache.as_ref().and_then(|cache| cache.load(&self.engine, &name)),
        };
        // Bodies of functions were validated when this host compiled these very bytes; everything else is looked at every time.
        let bodies = if cached.is_some() {
            Bodies::CompiledBefore
        } else {
            Bodies::Validate
        };
        let context = Context { bodies, ..*context };
        let admitted = snodo_admission::admit_hashed(&hashed, &context, limits).map_err(LoadError::NotAdmitted)?;
        approve(&admitted)?;
        let mut compiled = false;
        let component = cell
            .get_or_try_init(|| async {
                if let Some(component) = cached {
                    return Ok::<_, LoadError>(component);
                }
                compiled = true;
                self.compile(source, &admitted, &name, observer).await
            })
            .await?
            .clone();
        let misfit = |e: wasmtime::Error| LoadError::Link(crate::text::one_line(&format!("{e:#}"), 400));
        let pre = self.link(&component, &admitted).map_err(misfit)?;
        let exports = exports(&pre, admitted.role()).map_err(misfit)?;
        Ok(Plugin {
            name: source.name.clone(),
            digest: admitted.digest().to_string(),
            size: hashed.bytes().len() as u64,
            imports: admitted.imports().iter().map(|i| i.name.clone()).collect(),
            compiled,
            compile_time: compiled.then(|| started.elapsed()),
            runner: admitted.needs(Interface::Runner),
            model: admitted.needs(Interface::Completion),
            pre,
            exports,
            limits: self.limits,
        })
    }

    /// The place of a component in this process: it is loaded, or compiled, once.
    fn cell(&self, digest: Digest) -> Arc<OnceCell<Component>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(loaded.entry(digest.hex()).or_default())
    }

    async fn compile(
        &self,
        source: &PluginSource,
        admitted: &Admitted<'_>,
        name: &EntryName,
        observer: &dyn Observer,
    ) -> Result<Component, LoadError> {
        let plugin = source.name.as_str();
        observer.on(&Event::Compiling {
            plugin,
            size: admitted.bytes().len() as u64,
        });
        let started = Instant::now();
        let refused = |e: wasmtime::Error| CompileError::Refused(crate::text::one_line(&format!("{e:#}"), 300));
        let temporary = format!(
            "compiling.{}.{}",
            std::process::id(),
            self.serial.fetch_add(1, Ordering::Relaxed)
        );
        let file = self.cache.as_ref().and_then(|cache| {
            cache
                .create_private(&temporary)
                .inspect_err(|e| tracing::warn!("the compile cache is not used: {e}"))
                .ok()
        });
        let component = match (&self.cache, file) {
            (Some(cache), Some(file)) => {
                let work = compile(&self.compiler, admitted.bytes(), &self.limits, Some(&file)).await;
                let kept = match work {
                    Ok(_) => cache.keep(name, &temporary, &file),
                    Err(error) => {
                        cache.discard(&temporary);
                        return Err(error.into());
                    }
                };
                match kept {
                    Ok(()) => cache.load(&self.engine, name),
                    Err(error) => {
                        tracing::warn!("what was compiled could not be kept: {error}");
                        cache.discard(&temporary);
                        None
                    }
                }
            }
            _ => None,
        };
        let component = if let Some(component) = component {
            component
        } else {
            let code = compile(&self.compiler, admitted.bytes(), &self.limits, None).await?;
            load_fresh(&self.engine, &code).map_err(refused)?
        };
        observer.on(&Event::Compiled {
            plugin,
            took: started.elapsed().max(Duration::from_millis(1)),
        });
        Ok(component)
    }

    fn link(&self, component: &Component, admitted: &Admitted<'_>) -> wasmtime::Result<InstancePre<PluginState>> {
        let mut linker = Linker::new(&self.engine);
        posture::link(&mut linker)?;
        let coder = admitted.role() == Role::Coder;
        let wanted = Wanted {
            submit: coder,
            change: !coder,
            runner: coder || admitted.needs(Interface::Runner),
            completion: admitted.needs(Interface::Completion),
        };
        capability::link(&mut linker, wanted)?;
        linker.instantiate_pre(component)
    }
}

fn exports(pre: &InstancePre<PluginState>, role: Role) -> wasmtime::Result<Exports> {
    Ok(match role {
        Role::Coder => Exports::Coder(coding::GuestIndices::new(pre)?),
        Role::Validator => Exports::Validator(judging::GuestIndices::new(pre)?),
    })
}
