//! A call of a coder, and what came of it.

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
use super::validator::ValidatorCall;
use super::world::{World, submit_limits};
use crate::change::{ChangeSummary, FileDiff};
use crate::completion::Request;
use crate::runner::{Observation, RunnerError};
use crate::submit::ProgressEvent;
use crate::types::SettingValue;
use crate::{Coder, CoderError, Content, Context, Expectation, Explain, Implementation, Task, Validator};

/// A call of a coder, before it is made: made by [`Workspace::coder`](super::Workspace::coder).
///
/// What is not said is as in a run without a protocol: no model, no declared tests, the settings' defaults, the host's limits.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::Workspace;
///
/// /// Writes a number of lines.
/// struct Lines;
///
/// impl Coder for Lines {
///     fn describe() -> Description {
///         Description::new("lines", "1.0.0", "Writes lines.")
///             .setting(Setting::integer("count", "How many."))
///             .setting(Setting::text("path", "Where.").default("lines.txt"))
///     }
///     fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
///         let count = usize::try_from(context.integer("count")?).unwrap_or(0);
///         let line = format!("{}\n", task.spec);
///         submit::files(vec![submit::write(context.text("path")?, line.repeat(count))])?;
///         Ok(Implementation::done())
///     }
/// }
///
/// let run = Workspace::new().coder::<Lines>().task("again").setting("count", 2).run();
/// assert_eq!(run.text("lines.txt"), "again\nagain\n");
/// assert_eq!(run.calls, ["submit-files write `lines.txt`"]);
/// ```
#[must_use = "the coder is called by `run`"]
pub struct CoderCall<C> {
    ground: Arc<Ground>,
    given: Given,
    plugin: PhantomData<fn() -> C>,
}

impl<C: Coder> CoderCall<C> {
    pub(super) fn new(ground: Arc<Ground>, given: Given) -> Self {
        Self {
            ground,
            given,
            plugin: PhantomData,
        }
    }

    /// The task's text.
    pub fn task(mut self, spec: impl Into<String>) -> Self {
        self.given.task.spec = spec.into();
        self
    }

    /// Findings are asked for, not a change: `task.expects` says so.
    pub fn for_findings(mut self) -> Self {
        self.given.task.expects = Expectation::Findings;
        self
    }

    /// Anything else of the task: constraints, what earlier attempts failed on.
    ///
    /// ```
    /// # use snodo_plugin::{Coder, testing::{CoderCall, Workspace}};
    /// # fn example<MyCoder: Coder>() -> CoderCall<MyCoder> {
    /// let call = Workspace::new().coder::<MyCoder>().with_task(|task| task.constraints.push("No new dependencies.".to_owned()));
    /// # call }
    /// ```
    pub fn with_task(mut self, edit: impl FnOnce(&mut Task)) -> Self {
        edit(&mut self.given.task);
        self
    }

    /// Anything else of the context: the attempt, the guidance, the limits in force.
    ///
    /// ```
    /// # use snodo_plugin::{Coder, testing::{CoderCall, Workspace}};
    /// # fn example<MyCoder: Coder>() -> CoderCall<MyCoder> {
    /// let call = Workspace::new().coder::<MyCoder>().with_context(|context| context.limits.host_calls = 100);
    /// # call }
    /// ```
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

    /// What stands in for the declared tests.
    pub fn tests(mut self, tests: impl FnMut(&TestCall) -> Result<Observation, RunnerError> + 'static) -> Self {
        self.given.tests(Box::new(tests));
        self
    }

    /// What stands in for the language model.
    pub fn model(mut self, model: impl Model + 'static) -> Self {
        self.given.model(model);
        self
    }

    /// Calls the coder.
    ///
    /// # Panics
    ///
    /// Where the coder panics, and where the host would refuse it or end it: a description or a setting that breaks the contract, an
    /// import that coders do not have, a bound that is reached.
    #[track_caller]
    pub fn run(mut self) -> CoderRun {
        let description = described(C::describe, Role::Coder);
        if let Err(how) = self.given.settle(&description.name, &description.settings) {
            panic!("{}", Ended::Setting(how));
        }
        let overlay = Arc::new(Overlay::new(Arc::clone(&self.ground.base), submit_limits()));
        let world = World::of_coder(&self.ground, &overlay, self.given.capabilities());
        let (task, context) = (self.given.task.clone(), self.given.context);
        let (outcome, seen) = world.run(|| C::implement(task, context));
        CoderRun {
            outcome,
            progress: seen.progress,
            calls: seen.calls,
            asked: seen.asked,
            task: self.given.task,
            account: Account::of(&self.ground, overlay.entries()),
        }
    }
}

/// What came of a call of a coder: what it returned, and the host's account of what it changed.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::Workspace;
///
/// /// Moves the file that the task names.
/// struct Mover;
///
/// impl Coder for Mover {
///     fn describe() -> Description {
///         Description::new("mover", "1.0.0", "Moves a file.")
///     }
///     fn implement(task: Task, _context: Context) -> Result<Implementation, CoderError> {
///         submit::progress("moving it");
///         submit::Draft::new().rename(&task.spec, format!("old/{}", task.spec)).submit()?;
///         Ok(Implementation::done())
///     }
/// }
///
/// let workspace = Workspace::new().file("a", "one\n");
/// let run = workspace.coder::<Mover>().task("a").run();
/// assert_eq!(run.implementation(), &Implementation::done());
/// assert!(run.produced_work());
/// assert_eq!(run.changed(), ["old/a"]);
/// assert_eq!(run.change().files[0].kind, ChangeKind::Renamed);
/// assert_eq!((run.file("a"), run.text("old/a")), (None, "one\n".to_owned()));
/// assert!(run.patch().contains("rename from a\nrename to old/a\n"));
/// assert_eq!(run.progress[0].message, "moving it");
/// assert_eq!(run.calls, ["submit-files rename `a` to `old/a`"]);
///
/// let run = workspace.coder::<Mover>().task("nowhere").run();
/// assert_eq!(run.error().explain(), "the host refused `nowhere`: could not rename `nowhere` to `old/nowhere`: `nowhere` is not there");
/// assert!(!run.produced_work());
/// ```
#[derive(Debug)]
pub struct CoderRun {
    /// What it returned. What it submitted counts either way.
    pub outcome: Result<Implementation, CoderError>,
    /// What it told whoever watches.
    pub progress: Vec<ProgressEvent>,
    /// Its calls of imports but for progress, in order, as `read-file src/a.rs`.
    pub calls: Vec<String>,
    /// What it asked the model.
    pub asked: Vec<Request>,
    task: Task,
    account: Account,
}

impl CoderRun {
    /// What it returned.
    ///
    /// # Panics
    ///
    /// It returned an error.
    #[track_caller]
    pub fn implementation(&self) -> &Implementation {
        match &self.outcome {
            Ok(implementation) => implementation,
            Err(error) => panic!("the coder gave up: {}", error.explain()),
        }
    }

    /// Why it gave up.
    ///
    /// # Panics
    ///
    /// It did not.
    #[track_caller]
    pub fn error(&self) -> &CoderError {
        match &self.outcome {
            Ok(_) => panic!("the coder did not give up"),
            Err(error) => error,
        }
    }

    /// Whether there is work to be judged: a change or, where findings were asked for, at least one of them. A run without is no success,
    /// whatever the coder says.
    pub fn produced_work(&self) -> bool {
        let found = self.task.expects == Expectation::Findings
            && self.outcome.as_ref().is_ok_and(|done| !done.findings.is_empty());
        found || !self.account.is_empty()
    }

    /// The host's account of the change, file by file.
    pub fn change(&self) -> ChangeSummary {
        self.account.summary()
    }

    /// The paths that the change names, in order; of a rename, the new one.
    pub fn changed(&self) -> Vec<String> {
        self.change().files.into_iter().map(|file| file.path).collect()
    }

    /// The change line by line, with three lines of context.
    pub fn diff(&self) -> Vec<FileDiff> {
        self.account.diff()
    }

    /// The change as git prints it.
    pub fn patch(&self) -> String {
        self.account.patch()
    }

    /// What stands at a path with the change applied; none where there is no file.
    pub fn file(&self, path: &str) -> Option<Content> {
        self.account.file(path)
    }

    /// The text that stands at a path with the change applied.
    ///
    /// # Panics
    ///
    /// There is no file, or no text in it.
    #[track_caller]
    pub fn text(&self, path: &str) -> String {
        match self.account.file(path) {
            Some(Content::Text(text)) => text,
            Some(Content::Bytes(_)) => panic!("`{path}` is not text"),
            None => panic!("`{path}` is not there; changed: {:?}", self.changed()),
        }
    }

    /// A validator over this change, with the same task.
    ///
    /// ```no_run
    /// # use snodo_plugin::{Coder, Validator, testing::Workspace};
    /// # fn example<MyCoder: Coder, MyValidator: Validator>() {
    /// let run = Workspace::new().coder::<MyCoder>().run();
    /// run.judged_by::<MyValidator>().run().verdict();
    /// # }
    /// ```
    pub fn judged_by<V: Validator>(&self) -> ValidatorCall<V> {
        ValidatorCall::of_change(&self.account, self.task.clone())
    }
}
