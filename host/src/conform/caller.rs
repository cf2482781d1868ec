//! A component called by itself in its role, with the usual task and context or an extreme of them.

use snodo_workspace::role::{Phase, Setting, SettingDeclaration};

use super::bench::{Bench, Called, Tests, World};
use super::check::SubjectRole;
use super::fixture;
use super::script::Manner;
use crate::plugin::{CODER_TOOLS, ToolList};

/// How much is said to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// As in a run.
    Usual,
    /// Every field empty.
    Empty,
    /// Every field full.
    Full,
}

/// A component, and everything that is needed to call it.
pub(super) struct Caller<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) role: SubjectRole,
    pub(super) spec: String,
    pub(super) declared: Vec<SettingDeclaration>,
    pub(super) settings: Vec<Setting>,
    /// Of a validator.
    pub(super) phases: Vec<Phase>,
}

impl Caller<'_> {
    /// The phase in which a validator is called where it does not matter: after execution, where it judges there.
    pub(super) fn phase(&self) -> Phase {
        self.phases.last().copied().unwrap_or(Phase::PostExecute)
    }

    /// Whether it judges after execution.
    pub(super) fn judges_changes(&self) -> bool {
        self.phases.contains(&Phase::PostExecute)
    }

    fn tools(&self) -> ToolList {
        ToolList::whole(self.bench.plugin.uses_runner())
    }

    /// A call in its role.
    pub(super) async fn call(&self, world: World, shape: Shape) -> std::io::Result<Called> {
        match self.role {
            SubjectRole::Coder => self.implement(world, shape).await,
            SubjectRole::Validator => self.judge(world, shape, &Judgement::usual(self)).await,
        }
    }

    async fn implement(&self, world: World, shape: Shape) -> std::io::Result<Called> {
        let limits = world.limits.invocation();
        let tools: Vec<String> = CODER_TOOLS.iter().map(|&tool| tool.to_owned()).collect();
        let (task, context) = match shape {
            Shape::Usual => {
                let task = fixture::task(&self.spec);
                let model = self.asks(world);
                let mut context = fixture::context(&task, &self.settings, tools, model, limits);
                context.runner = (world.tests != Tests::NotDeclared).then(fixture::runner);
                (task, context)
            }
            Shape::Empty => (fixture::empty_task(), fixture::empty_context(&self.settings, limits)),
            Shape::Full => (
                fixture::full_task(&self.spec),
                fixture::full_context(&self.declared, &self.settings, tools, limits),
            ),
        };
        self.bench.implement(world, task, context).await
    }

    /// A call of a validator.
    pub(super) async fn judge(&self, world: World, shape: Shape, how: &Judgement<'_>) -> std::io::Result<Called> {
        let limits = world.limits.invocation();
        let names = how.tools.names();
        let (evaluation, mut context) = match shape {
            Shape::Usual => {
                let task = fixture::task(&self.spec);
                let model = self.asks(world);
                let mut context = fixture::context(&task, &self.settings, names, model, limits);
                let tests = self.bench.plugin.uses_runner() && world.tests != Tests::NotDeclared;
                context.runner = tests.then(fixture::runner);
                (fixture::evaluation(how.phase, &task, how.criteria), context)
            }
            Shape::Empty => (
                fixture::empty_evaluation(how.phase),
                fixture::empty_context(&self.settings, limits),
            ),
            Shape::Full => (
                fixture::full_evaluation(how.phase, fixture::full_task(&self.spec)),
                fixture::full_context(&self.declared, &self.settings, names, limits),
            ),
        };
        if let Some(job) = how.job {
            context.job_id = job.to_owned();
        }
        self.bench.evaluate(world, how.tools.clone(), evaluation, context).await
    }

    fn asks(&self, world: World) -> bool {
        self.bench.plugin.uses_model() && world.manner != Manner::Missing
    }
}

/// How a validator is called.
pub(super) struct Judgement<'a> {
    pub(super) phase: Phase,
    pub(super) criteria: &'a [&'a str],
    pub(super) tools: ToolList,
    /// The run's id, where it is to be another one.
    pub(super) job: Option<&'a str>,
}

impl Judgement<'static> {
    pub(super) fn usual(caller: &Caller<'_>) -> Self {
        Self::in_phase(caller, caller.phase())
    }

    pub(super) fn in_phase(caller: &Caller<'_>, phase: Phase) -> Self {
        Self {
            phase,
            criteria: &fixture::CRITERIA,
            tools: caller.tools(),
            job: None,
        }
    }
}
