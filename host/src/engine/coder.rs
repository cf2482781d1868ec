//! The declared interface of every coder, of every kind (`docs/capabilities.md` holds the table).
//!
//! Every coder gets the whole of it, always: nothing here is optional in the sense of "perhaps supported", and nothing is found
//! out by trying.

use std::sync::Arc;

use async_trait::async_trait;
use snodo_workspace::capability::CoderCapabilities;
use snodo_workspace::role::{CoderError, Context, Implementation, SettingDeclaration, Task};
use snodo_workspace::view::View;

use super::external::ExternalFault;
use super::run::Authorisation;
use crate::delivery::Delivery;
use crate::plugin::{Plugin, PluginFailure, PluginLog, Replay, Usage};
use crate::sandbox::Execution;

/// Everything that a coder is given for one attempt.
pub struct Assignment {
    /// The task.
    pub task: Task,
    /// The circumstances.
    pub context: Context,
    /// The capabilities.
    pub given: CoderCapabilities,
    /// What its capabilities show, whole: what a program finds in its scratch.
    pub view: Arc<View>,
    /// The gate before it passed: without this there is no call.
    pub authorisation: Authorisation,
}

/// Why a coder did not return an implementation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoderFault {
    /// It answered with its error.
    #[error(transparent)]
    Answered(#[from] CoderError),
    /// It did not answer.
    #[error(transparent)]
    Failed(#[from] PluginFailure),
    /// It is a program, and did not do its work.
    #[error(transparent)]
    Program(#[from] ExternalFault),
}

/// How an attempt ended. What was submitted is not in here: the host has it.
pub struct Attempt {
    /// What it returned, or why not.
    pub outcome: Result<Implementation, CoderFault>,
    /// What it used, where that is measured.
    pub usage: Usage,
    /// What it said.
    pub log: PluginLog,
    /// The execution, of a coder that is a program.
    pub execution: Option<Execution>,
}

/// A coder.
#[async_trait]
pub trait Coder: Send + Sync {
    /// What it is called by.
    fn name(&self) -> &str;

    /// How its work reaches the host.
    fn delivery(&self) -> Delivery;

    /// Whether it may run the declared tests.
    fn observes_tests(&self) -> bool;

    /// Programs that must be there for it to work.
    fn availability_requirements(&self) -> Vec<String>;

    /// Settings that it honours.
    fn honoured_settings(&self) -> &[SettingDeclaration];

    /// Does a task. The capabilities are all there is: what is submitted through them counts, also when this fails.
    async fn implement(&self, assignment: Assignment) -> Attempt;
}

/// A coder that is a component.
pub struct ComponentCoder {
    plugin: Plugin,
    settings: Vec<SettingDeclaration>,
    replay: Replay,
}

impl ComponentCoder {
    /// From a loaded plugin and the settings that it declared.
    pub fn new(plugin: Plugin, settings: Vec<SettingDeclaration>, replay: Replay) -> Self {
        Self {
            plugin,
            settings,
            replay,
        }
    }
}

#[async_trait]
impl Coder for ComponentCoder {
    fn name(&self) -> &str {
        self.plugin.name().as_str()
    }

    fn delivery(&self) -> Delivery {
        Delivery::Submits
    }

    fn observes_tests(&self) -> bool {
        self.plugin.uses_runner()
    }

    fn availability_requirements(&self) -> Vec<String> {
        Vec::new()
    }

    fn honoured_settings(&self) -> &[SettingDeclaration] {
        &self.settings
    }

    async fn implement(&self, assignment: Assignment) -> Attempt {
        let Assignment {
            task, context, given, ..
        } = assignment;
        let ended = self.plugin.implement(self.replay, given, task, context).await;
        let outcome = match ended.outcome {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(error.into()),
            Err(failure) => Err(failure.into()),
        };
        Attempt {
            outcome,
            usage: ended.usage,
            log: ended.log,
            execution: None,
        }
    }
}
