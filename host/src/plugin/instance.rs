//! One plugin, compiled and linked, and the calls of its exports: each in a fresh store, bounded, and typed in how it ends.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use snodo_admission::PluginName;
use snodo_bindings::{coding, judging};
use snodo_workspace::capability::{CoderCapabilities, JudgeCapabilities};
use snodo_workspace::role::{CoderError, Context, Description, Evaluation, Fault, Implementation, Task, Verdict};
use wasmtime::component::InstancePre;
use wasmtime::{Store, UpdateDeadline};

use super::halt::{Bound, BoundReached};
use super::{Given, PluginFailure, PluginLimits, PluginState, Replay, ToolList, Usage};

/// The exports of a role, looked up once.
#[derive(Clone)]
pub(super) enum Exports {
    Coder(coding::GuestIndices),
    Validator(judging::GuestIndices),
}

/// A plugin that can be called.
#[derive(Clone)]
pub struct Plugin {
    pub(super) name: PluginName,
    pub(super) digest: String,
    pub(super) size: u64,
    pub(super) imports: Vec<String>,
    /// It had to be compiled in this run.
    pub(super) compiled: bool,
    pub(super) compile_time: Option<Duration>,
    pub(super) runner: bool,
    pub(super) model: bool,
    pub(super) pre: InstancePre<PluginState>,
    pub(super) exports: Exports,
    pub(super) limits: PluginLimits,
}

/// What a plugin wrote to its standard streams, made harmless.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PluginLog {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Bytes of both that were not kept.
    pub dropped: u64,
}

/// How a call ended, and what it took.
#[derive(Debug)]
pub struct Ended<T> {
    /// What it returned, or why it did not.
    pub outcome: Result<T, PluginFailure>,
    /// What it used.
    pub usage: Usage,
    /// What it said.
    pub log: PluginLog,
}

impl Plugin {
    /// What it is called by.
    pub fn name(&self) -> &PluginName {
        &self.name
    }

    /// `sha256:` and the hex digest of its bytes.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Bytes of its file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its imports, by full name.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// Whether it had to be compiled, and how long that took.
    pub fn compiled(&self) -> Option<Duration> {
        self.compiled.then_some(self.compile_time).flatten()
    }

    /// Whether it imports `runner`.
    pub fn uses_runner(&self) -> bool {
        self.runner
    }

    /// Whether it imports `completion`.
    pub fn uses_model(&self) -> bool {
        self.model
    }

    /// Whether it exports `coding`.
    pub fn is_coder(&self) -> bool {
        matches!(self.exports, Exports::Coder(_))
    }

    /// Its bounds.
    pub fn limits(&self) -> &PluginLimits {
        &self.limits
    }

    /// The same plugin under other bounds; those of the engine (its stack) stay.
    #[must_use]
    pub(crate) fn under(&self, limits: PluginLimits) -> Self {
        Self { limits, ..self.clone() }
    }

    /// Asks it what it is, with all imports closed.
    pub async fn describe(&self, replay: Replay) -> Ended<Description> {
        let exports = self.exports.clone();
        self.call(replay, Given::Closed, async move |store, instance| {
            let description = match exports {
                Exports::Coder(indices) => indices.load(&mut *store, instance)?.call_describe(store).await?,
                Exports::Validator(indices) => indices.load(&mut *store, instance)?.call_describe(store).await?,
            };
            Ok(description.into())
        })
        .await
    }

    /// Has a coder do a task.
    pub async fn implement(
        &self,
        replay: Replay,
        given: CoderCapabilities,
        task: Task,
        context: Context,
    ) -> Ended<Result<Implementation, CoderError>> {
        let Exports::Coder(indices) = self.exports.clone() else {
            return self.wrong_role("coding");
        };
        let (task, context) = (task.into(), context.into());
        self.call(replay, Given::Coder(given), async move |store, instance| {
            let answer = indices
                .load(&mut *store, instance)?
                .call_implement(store, &task, &context)
                .await?;
            Ok(answer.map(Into::into).map_err(Into::into))
        })
        .await
    }

    /// Has a validator judge.
    pub async fn evaluate(
        &self,
        replay: Replay,
        given: JudgeCapabilities,
        tools: ToolList,
        evaluation: Evaluation,
        context: Context,
    ) -> Ended<Result<Verdict, Fault>> {
        let Exports::Validator(indices) = self.exports.clone() else {
            return self.wrong_role("judging");
        };
        let (evaluation, context) = (evaluation.into(), context.into());
        self.call(replay, Given::Judge(given, tools), async move |store, instance| {
            let answer = indices
                .load(&mut *store, instance)?
                .call_evaluate(store, &evaluation, &context)
                .await?;
            Ok(answer.map(Into::into).map_err(Into::into))
        })
        .await
    }

    fn wrong_role<T>(&self, wanted: &str) -> Ended<T> {
        let message = format!("`{}` does not export `{wanted}`", self.name.as_str());
        Ended {
            outcome: Err(PluginFailure::Contract { message }),
            usage: Usage::default(),
            log: PluginLog::default(),
        }
    }

    /// Instantiates in a fresh store and makes one call. Imports open between the two, so that starting a plugin never gives
    /// it a live one. Dropping the future ends the plugin.
    async fn call<T>(
        &self,
        replay: Replay,
        given: Given,
        make: impl AsyncFnOnce(&mut Store<PluginState>, &wasmtime::component::Instance) -> wasmtime::Result<T>,
    ) -> Ended<T> {
        let mut store = self.store(replay);
        let outcome = {
            let work = async {
                let instance = self.pre.instantiate_async(&mut store).await?;
                store.data_mut().given = given;
                make(&mut store, &instance).await
            };
            // Epochs do not fire inside a host call: this covers the whole.
            match tokio::time::timeout(self.limits.total, work).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(error)) => Err(PluginFailure::from_runtime(&error, &self.limits)),
                Err(_) => {
                    let allowed = u64::try_from(self.limits.total.as_millis()).unwrap_or(u64::MAX);
                    Err(BoundReached {
                        bound: Bound::Total,
                        allowed,
                    }
                    .into())
                }
            }
        };
        let state = store.data_mut();
        let usage = state.meter.usage();
        let ((stdout, more_stdout), (stderr, more_stderr)) = (state.stdout.text(), state.stderr.text());
        Ended {
            outcome,
            usage,
            log: PluginLog {
                stdout,
                stderr,
                dropped: more_stdout + more_stderr,
            },
        }
    }

    fn store(&self, replay: Replay) -> Store<PluginState> {
        let mut store = Store::new(self.pre.engine(), PluginState::new(self.limits, replay));
        store.limiter(|state| &mut state.meter);
        store.set_hostcall_fuel(usize::try_from(self.limits.call_bytes).unwrap_or(usize::MAX));
        store.set_max_component_handles(usize::try_from(self.limits.resource_handles).unwrap_or(usize::MAX));
        store.set_epoch_deadline(1);
        // At every tick the guest lets the host look after everything else, and is ended when its time is up.
        store.epoch_deadline_callback(|mut context| {
            let resume = Arc::new(context.data_mut().meter.charge_compute()?);
            Ok(UpdateDeadline::YieldCustom(
                1,
                Box::pin(async move {
                    tokio::task::yield_now().await;
                    resume.now();
                }),
            ))
        });
        store
    }
}
