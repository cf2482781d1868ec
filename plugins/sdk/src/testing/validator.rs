//! A call of a validator, and what came of it.

use std::marker::PhantomData;
use std::sync::Arc;

use snodo_workspace::overlay::Overlay;

use super::account::Account;
use super::describing::described;
use super::ended::Ended;
use super::given::Given;
use super::ground::Ground;
use super::model::Model;
use super::role::Role;
use super::runner::TestCall;
use super::workspace::Workspace;
use super::world::{World, submit_limits};
use crate::completion::Request;
use crate::runner::{Observation, RunnerError};
use crate::submit::{Operation, SubmitError};
use crate::types::SettingValue;
use crate::{
    Context, Evaluation, ExecutionEvidence, Explain, Fault, ModeProfile, Phase, Severity, Task, Validator, Verdict,
};

/// A call of a validator, before it is made: made by [`Workspace::validator`](super::Workspace::validator), or over a coder's work by
/// [`CoderRun::judged_by`](super::CoderRun::judged_by).
///
/// It judges after execution, where the validator says that it does, and before it otherwise.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::Workspace;
///
/// /// Stops a change that deletes a file.
/// struct Keep;
///
/// impl Validator for Keep {
///     fn describe() -> Description {
///         Description::new("keep", "1.0.0", "Stops a change that deletes a file.").phase(Phase::PostExecute)
///     }
///     fn evaluate(_evaluation: Evaluation, _context: Context) -> Result<Verdict, Fault> {
///         let change = change::summary()?;
///         let deleted = change.files.iter().find(|file| file.kind == ChangeKind::Deleted);
///         Ok(match deleted {
///             Some(file) => Verdict::blocker(format!("`{}` is deleted.", file.path)),
///             None => Verdict::pass("Nothing is deleted."),
///         })
///     }
/// }
///
/// let workspace = Workspace::new().file("a", "…").file("b", "…");
/// let judged = |operation| workspace.validator::<Keep>().changed([operation]).run().verdict().severity;
/// assert_eq!(judged(submit::delete("a")), Severity::Blocker);
/// assert_eq!(judged(submit::rename("a", "c")), Severity::Pass);
/// ```
#[must_use = "the validator is called by `run`"]
pub struct ValidatorCall<V> {
    ground: Arc<Ground>,
    overlay: Overlay,
    /// What a coder left, in place of the overlay.
    account: Option<Account>,
    given: Given,
    phase: Option<Phase>,
    criteria: Vec<String>,
    evidence: Vec<ExecutionEvidence>,
    edits: Vec<Edit>,
    plugin: PhantomData<fn() -> V>,
}

/// A change of what is asked, made when it is asked.
type Edit = Box<dyn FnOnce(&mut Evaluation)>;

impl<V: Validator> ValidatorCall<V> {
    pub(super) fn new(ground: Arc<Ground>, given: Given) -> Self {
        let overlay = Overlay::new(Arc::clone(&ground.base), submit_limits());
        Self {
            ground,
            overlay,
            account: None,
            given,
            phase: None,
            criteria: Vec::new(),
            evidence: Vec::new(),
            edits: Vec::new(),
            plugin: PhantomData,
        }
    }

    pub(super) fn of_change(account: &Account, task: Task) -> Self {
        let protected = account.ground().base.rules().protected_paths();
        let workspace = Workspace {
            protected: protected.iter().map(|path| path.as_str().to_owned()).collect(),
            ..Workspace::new()
        };
        let mut call = Self::new(Arc::clone(account.ground()), Given::new(Role::Validator, &workspace));
        call.account = Some(account.clone());
        call.given.task = task;
        call
    }

    /// What a coder submitted, in one call; more of these are further calls.
    ///
    /// # Panics
    ///
    /// An operation is refused: no coder could have made this change.
    #[track_caller]
    pub fn changed(self, operations: impl IntoIterator<Item = Operation>) -> Self {
        assert!(self.account.is_none(), "the change that is judged is a coder's");
        take(&self.overlay, operations);
        self
    }

    /// The task's text.
    pub fn task(mut self, spec: impl Into<String>) -> Self {
        self.given.task.spec = spec.into();
        self
    }

    /// In which phase it judges. Before execution there is no change. The host keeps to the phases that the validator names, and a test
    /// need not.
    pub fn phase(mut self, phase: Phase) -> Self {
        self.phase = Some(phase);
        self
    }

    /// One more criterion of the protocol.
    pub fn criterion(mut self, criterion: impl Into<String>) -> Self {
        self.criteria.push(criterion.into());
        self
    }

    /// What an execution validator saw earlier in this gate.
    pub fn evidence(
        mut self,
        validator_id: impl Into<String>,
        severity: Severity,
        justification: impl Into<String>,
    ) -> Self {
        self.evidence.push(ExecutionEvidence {
            validator_id: validator_id.into(),
            severity,
            justification: justification.into(),
        });
        self
    }

    /// Without this function of its imports, as a protocol may shorten the list: `read-file`, `diff`, …
    pub fn without_tool(mut self, tool: &str) -> Self {
        self.given.context.tools.retain(|given| given != tool);
        self
    }

    /// Anything else of what it is asked: the mode, the id.
    pub fn with_evaluation(mut self, edit: impl FnOnce(&mut Evaluation) + 'static) -> Self {
        self.edits.push(Box::new(edit));
        self
    }

    /// Anything else of the context: the attempt, the guidance, the limits in force.
    pub fn with_context(mut self, edit: impl FnOnce(&mut Context)) -> Self {
        edit(&mut self.given.context);
        self
    }

    /// A setting, by its type. A text list may be given several times.
    pub fn setting(mut self, name: &str, value: impl Into<SettingValue>) -> Self {
        self.given.setting(name, value);
        self
    }

    /// A setting as it is written behind `--set PLUGIN.NAME=`, read by its declared type.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.given.set(name, value);
        self
    }

    /// What stands in for the declared tests; with it, the validator has the grant `runner`.
    pub fn tests(mut self, tests: impl FnMut(&TestCall) -> Result<Observation, RunnerError> + 'static) -> Self {
        self.given.tests(Box::new(tests));
        self
    }

    /// What stands in for the language model; with it, the validator has the grant `model`.
    pub fn model(mut self, model: impl Model + 'static) -> Self {
        self.given.model(model);
        self
    }

    /// Calls the validator.
    ///
    /// # Panics
    ///
    /// Where the validator panics, and where the host would refuse it or end it: a description or a setting that breaks the contract, an
    /// import that validators do not have, a bound that is reached.
    #[track_caller]
    pub fn run(mut self) -> ValidatorRun {
        let description = described(V::describe, Role::Validator);
        if let Err(how) = self.given.settle(&description.name, &description.settings) {
            panic!("{}", Ended::Setting(how));
        }
        let phase = self.phase.unwrap_or_else(|| {
            let post = description.phases.contains(&Phase::PostExecute);
            if post { Phase::PostExecute } else { Phase::PreExecute }
        });
        let account = self
            .account
            .take()
            .unwrap_or_else(|| Account::of(&self.ground, self.overlay.entries()));
        assert!(
            phase == Phase::PostExecute || account.is_empty(),
            "before execution there is no change to be judged"
        );
        let change = (phase == Phase::PostExecute).then_some(&account);
        let world = World::of_validator(&self.ground, change, self.given.capabilities());
        let mut evaluation = Evaluation {
            phase,
            task: self.given.task,
            validator_id: description.name,
            criteria: self.criteria,
            mode: ModeProfile {
                id: self.given.context.mode.clone(),
                name: "ad hoc".to_owned(),
                description: "a run without a protocol".to_owned(),
                tools: Vec::new(),
            },
            evidence: self.evidence,
            test_governing: change.map(Account::test_governing).unwrap_or_default(),
        };
        for edit in self.edits {
            edit(&mut evaluation);
        }
        let context = self.given.context;
        let (outcome, seen) = world.run(|| V::evaluate(evaluation, context));
        ValidatorRun {
            outcome,
            calls: seen.calls,
            asked: seen.asked,
        }
    }
}

/// What came of a call of a validator.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::Workspace;
///
/// /// Wants the file that the criterion names.
/// struct Wants;
///
/// impl Validator for Wants {
///     fn describe() -> Description {
///         Description::new("wants", "1.0.0", "Wants a file.").phase(Phase::PreExecute).phase(Phase::PostExecute)
///     }
///     fn evaluate(evaluation: Evaluation, _context: Context) -> Result<Verdict, Fault> {
///         for path in &evaluation.criteria {
///             if !read::is_file(path)? {
///                 return Ok(Verdict::blocker(format!("`{path}` is not there.")).cite(0));
///             }
///         }
///         Ok(Verdict::pass("All is there.").examined(evaluation.criteria))
///     }
/// }
///
/// let workspace = Workspace::new().file("LICENSE", "…");
/// let run = workspace.validator::<Wants>().criterion("LICENSE").phase(Phase::PreExecute).run();
/// assert_eq!(run.verdict().examined, ["LICENSE"]);
/// assert_eq!(run.calls, ["read-lines LICENSE 1 1"]);
///
/// let run = workspace.validator::<Wants>().criterion("LICENSE").changed([submit::delete("LICENSE")]).run();
/// assert_eq!(run.verdict().severity, Severity::Blocker);
///
/// let run = workspace.validator::<Wants>().criterion("../x").run();
/// assert!(matches!(run.fault(), Fault::IncompleteView(_)));
/// ```
#[derive(Debug)]
pub struct ValidatorRun {
    /// What it returned: a verdict or a fault. There is no third thing.
    pub outcome: Result<Verdict, Fault>,
    /// Its calls of imports, in order, as `read-file src/a.rs`.
    pub calls: Vec<String>,
    /// What it asked the model.
    pub asked: Vec<Request>,
}

impl ValidatorRun {
    /// Its verdict.
    ///
    /// # Panics
    ///
    /// It could not decide.
    #[track_caller]
    pub fn verdict(&self) -> &Verdict {
        match &self.outcome {
            Ok(verdict) => verdict,
            Err(fault) => panic!("the validator could not decide: {}", fault.explain()),
        }
    }

    /// Why it could not decide.
    ///
    /// # Panics
    ///
    /// It did.
    #[track_caller]
    pub fn fault(&self) -> &Fault {
        match &self.outcome {
            Ok(verdict) => panic!("the validator decided: {}", verdict.justification),
            Err(fault) => fault,
        }
    }
}

/// Lays the operations over the base.
#[track_caller]
pub(super) fn take(overlay: &Overlay, operations: impl IntoIterator<Item = Operation>) {
    let operations = operations.into_iter().map(Into::into).collect();
    if let Err(error) = overlay.submit(operations) {
        let error: SubmitError = error.into();
        panic!("no coder could have made this change: {}", error.explain());
    }
}
