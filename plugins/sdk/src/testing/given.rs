//! What a test gives to a plugin of either role, beside the workspace.

use super::limits::{STANDARD, TEST_RUN_MS, TEST_RUNS};
use super::model::{MODEL, Model};
use super::role::Role;
use super::runner::{Runner, Tests};
use super::settings::{self, typed};
use super::workspace::Workspace;
use super::world::Capabilities;
use crate::types::{RunnerInfo, SettingDeclaration, SettingValue};
use crate::{Context, Expectation, Task, types};

/// A task of this text, with everything else empty; its id is the same for every text.
///
/// ```
/// let task = snodo_plugin::testing::task("Add a license header.");
/// assert_eq!(task.spec, "Add a license header.");
/// ```
pub fn task(spec: impl Into<String>) -> Task {
    Task {
        id: TASK.to_owned(),
        spec: spec.into(),
        expects: Expectation::Change,
        constraints: Vec::new(),
        memory_summary: String::new(),
        project: types::ProjectContext {
            language: "unknown".to_owned(),
            structure: String::new(),
            configuration: Vec::new(),
        },
        prior_failures: Vec::new(),
    }
}

/// A context without model, runner, tools and settings, under the host's limits: for functions that take one.
///
/// ```
/// assert_eq!(snodo_plugin::testing::context().attempt, 1);
/// ```
pub fn context() -> Context {
    Context {
        job_id: "run_test".to_owned(),
        task_id: TASK.to_owned(),
        mode: "ad-hoc".to_owned(),
        depth: 0,
        attempt: 1,
        model: None,
        runner: None,
        protected_paths: Vec::new(),
        protocol_guidance: String::new(),
        tools: Vec::new(),
        settings: Vec::new(),
        limits: STANDARD,
    }
}

const TASK: &str = "task_000000000000";

/// What both roles are given.
pub(super) struct Given {
    pub(super) task: Task,
    pub(super) context: Context,
    role: Role,
    settings: Vec<(String, settings::Given)>,
    tests: Option<Tests>,
    model: Option<Box<dyn Model>>,
}

impl Given {
    pub(super) fn new(role: Role, workspace: &Workspace) -> Self {
        Self {
            task: task("a task"),
            context: Context {
                tools: role.tools(),
                protected_paths: workspace.protected.clone(),
                ..context()
            },
            role,
            settings: Vec::new(),
            tests: None,
            model: None,
        }
    }

    pub(super) fn setting(&mut self, name: &str, value: impl Into<SettingValue>) {
        let value = settings::Given::Typed(value.into());
        self.settings.push((name.to_owned(), value));
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        let value = settings::Given::Raw(value.to_owned());
        self.settings.push((name.to_owned(), value));
    }

    pub(super) fn tests(&mut self, tests: Tests) {
        self.tests = Some(tests);
        self.context.runner = Some(RunnerInfo {
            argv: vec!["run-tests".to_owned()],
            takes_path: true,
            calls: TEST_RUNS,
            timeout_ms: TEST_RUN_MS,
        });
        if self.role == Role::Validator && !self.context.tools.iter().any(|tool| tool == "run-tests") {
            self.context.tools.push("run-tests".to_owned());
        }
    }

    pub(super) fn model(&mut self, model: impl Model + 'static) {
        self.model = Some(Box::new(model));
        self.context.model = Some(MODEL.to_owned());
    }

    /// The settings in force, by the plugin's declarations.
    pub(super) fn settle(&mut self, plugin: &str, declared: &[SettingDeclaration]) -> Result<(), String> {
        self.context.settings = typed(plugin, declared, &self.settings)?;
        self.context.task_id.clone_from(&self.task.id);
        Ok(())
    }

    /// What answers the imports.
    pub(super) fn capabilities(&mut self) -> Capabilities {
        let runner = match (self.tests.take(), self.context.runner.clone()) {
            (Some(tests), Some(info)) => Some(Runner::new(tests, info)),
            _ => None,
        };
        Capabilities {
            tools: self.context.tools.clone(),
            limits: self.context.limits,
            runner,
            model: self.model.take(),
        }
    }
}
