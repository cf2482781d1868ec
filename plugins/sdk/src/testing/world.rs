//! What answers imports natively: the workspace crate, under the host's bounds, one call after another.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use snodo_workspace::capability::{Cancel, Change, Read as _, Search as _, Submit as _};
use snodo_workspace::change::NoChangeYet;
use snodo_workspace::limits::SubmitLimits;
use snodo_workspace::overlay::Overlay;
use snodo_workspace::submission::SubmitHandle;
use snodo_workspace::view::View;

use super::account::Account;
use super::convert::each;
use super::ended::{Ended, end, or_fail};
use super::ground::Ground;
use super::limits::Meter;
use super::model::Model;
use super::role::Role;
use super::runner::Runner;
use crate::change::{BeforeError, ChangeError, ChangeSummary, DiffAnswer, DiffQuery};
use crate::completion::{Answer, CompletionError, Request};
use crate::imports::Host;
use crate::read::{File, Lines, ListQuery, Listing, ReadAnswer, ReadError};
use crate::runner::{Observation, RunnerError};
use crate::search::{SearchError, SymbolQuery, Symbols, TextMatches, TextQuery};
use crate::submit::{Operation, ProgressEvent, Submission, SubmitError};
use crate::types::Limits;

thread_local! {
    /// The calls under way on this thread: a test that stands in for a runner may run one of its own.
    static UNDER_WAY: RefCell<Vec<Rc<RefCell<World>>>> = const { RefCell::new(Vec::new()) };
}

/// Answers an import by the call that is under way on this thread.
pub(crate) fn serve<R>(function: &'static str, answer: impl FnOnce(&mut World) -> R) -> R {
    let Some(world) = UNDER_WAY.with_borrow(|calls| calls.last().cloned()) else {
        panic!(
            "`{function}` was called outside of a test's call: call what uses it by `Workspace::coder`, \
             `Workspace::validator` or `Workspace::with_coder_imports`, on the same thread"
        );
    };
    let Ok(mut world) = world.try_borrow_mut() else {
        panic!("`{function}` was called by what stands in for the tests or the model");
    };
    world.enter(function);
    answer(&mut world)
}

/// How much may be submitted.
pub(super) fn submit_limits() -> SubmitLimits {
    SubmitLimits::standard()
}

/// What a call is given beside the workspace.
pub(super) struct Capabilities {
    /// What a validator may call.
    pub(super) tools: Vec<String>,
    pub(super) limits: Limits,
    pub(super) runner: Option<Runner>,
    pub(super) model: Option<Box<dyn Model>>,
}

/// What was seen of a call.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) calls: Vec<String>,
    pub(super) progress: Vec<ProgressEvent>,
    pub(super) asked: Vec<Request>,
}

/// What a plugin reaches while it is called.
pub(crate) struct World {
    /// None: `describe` is answered.
    role: Option<Role>,
    view: Option<View>,
    submit: Option<SubmitHandle>,
    change: Arc<dyn Change>,
    told: Arc<Mutex<Vec<ProgressEvent>>>,
    tools: Vec<String>,
    meter: Meter,
    runner: Option<Runner>,
    model: Option<Box<dyn Model>>,
    seen: Seen,
}

/// Takes a call off again, also when it ends by a panic.
struct UnderWay;

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.with_borrow_mut(Vec::pop);
    }
}

impl World {
    fn new(role: Option<Role>, view: Option<View>, given: Capabilities) -> Self {
        Self {
            role,
            view,
            submit: None,
            change: Arc::new(NoChangeYet),
            told: Arc::default(),
            tools: given.tools,
            meter: Meter::new(given.limits),
            runner: given.runner,
            model: given.model,
            seen: Seen::default(),
        }
    }

    /// In which every import is closed.
    pub(super) fn closed() -> Self {
        let nothing = Capabilities {
            tools: Vec::new(),
            limits: super::limits::STANDARD,
            runner: None,
            model: None,
        };
        Self::new(None, None, nothing)
    }

    pub(super) fn of_coder(ground: &Ground, overlay: &Arc<Overlay>, given: Capabilities) -> Self {
        let view = View::with_overlay(Arc::clone(&ground.base), Arc::clone(overlay));
        let mut world = Self::new(Some(Role::Coder), Some(view), given);
        let told = Arc::clone(&world.told);
        let progress = move |event: snodo_workspace::capability::ProgressEvent| {
            let event = ProgressEvent {
                message: event.message,
                done: event.done,
                total: event.total,
            };
            told.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        };
        world.submit = Some(SubmitHandle::new(Arc::clone(overlay), Arc::new(progress)));
        world
    }

    /// Without a change: before execution.
    pub(super) fn of_validator(ground: &Ground, change: Option<&Account>, given: Capabilities) -> Self {
        let view = match change {
            Some(change) => change.view(),
            None => View::of_base(Arc::clone(&ground.base)),
        };
        let mut world = Self::new(Some(Role::Validator), Some(view), given);
        if let Some(change) = change {
            world.change = Arc::new(change.capability());
        }
        world
    }

    /// Does the work of a plugin in here.
    #[track_caller]
    pub(super) fn run<R>(self, work: impl FnOnce() -> R) -> (R, Seen) {
        let world = Rc::new(RefCell::new(self));
        UNDER_WAY.with_borrow_mut(|calls| calls.push(Rc::clone(&world)));
        let done = {
            let _under_way = UnderWay;
            or_fail(work)
        };
        let mut world = world.borrow_mut();
        let mut seen = std::mem::take(&mut world.seen);
        seen.progress = std::mem::take(&mut *world.told.lock().unwrap_or_else(PoisonError::into_inner));
        (done, seen)
    }

    fn enter(&mut self, function: &'static str) {
        match self.role {
            None => end(Ended::Closed { function }),
            Some(role) if !role.may_import(function) => end(Ended::NotOfThisRole { function, role }),
            Some(_) => self.meter.enter(),
        }
    }

    fn note(&mut self, call: impl Into<String>) {
        self.seen.calls.push(call.into());
    }

    /// Whether a tool is kept from a validator; a coder has all of its world.
    fn refuses(&self, tool: &str) -> bool {
        self.role == Some(Role::Validator) && !self.tools.iter().any(|given| given == tool)
    }

    /// What the role sees; every open call has one.
    fn view(&self) -> View {
        match &self.view {
            Some(view) => view.clone(),
            None => end(Ended::Closed { function: "read" }),
        }
    }

    fn submitter(&self) -> SubmitHandle {
        match &self.submit {
            Some(submit) => submit.clone(),
            None => end(Ended::NotOfThisRole {
                function: "submit-files",
                role: Role::Validator,
            }),
        }
    }
}

impl Host for World {
    fn read_file(&mut self, path: &str) -> Result<File, ReadError> {
        self.note(format!("read-file {path}"));
        if self.refuses("read-file") {
            return Err(ReadError::NotGranted("read-file".to_owned()));
        }
        let file = self.view().read_file(path)?;
        self.meter.read(file.size);
        Ok(file.into())
    }

    fn read_lines(&mut self, path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
        self.note(format!("read-lines {path} {first} {last}"));
        if self.refuses("read-lines") {
            return Err(ReadError::NotGranted("read-lines".to_owned()));
        }
        let lines = self.view().read_lines(path, first, last)?;
        self.meter.read(lines.content.as_bytes().len() as u64);
        Ok(lines.into())
    }

    fn read_files(&mut self, paths: &[String]) -> Result<Vec<ReadAnswer>, ReadError> {
        self.note(format!("read-files {}", paths.join(" ")));
        if self.refuses("read-files") {
            return Err(ReadError::NotGranted("read-files".to_owned()));
        }
        let answers = self.view().read_files(paths)?;
        let bytes = answers.iter().filter_map(|answer| answer.outcome.as_ref().ok());
        self.meter.read(bytes.map(|file| file.size).sum());
        Ok(each(answers))
    }

    fn list_files(&mut self, query: &ListQuery) -> Result<Listing, ReadError> {
        let glob = query.glob.as_deref().unwrap_or_default();
        self.note(format!("list-files {} {glob}", query.under).trim_end());
        if self.refuses("list-files") {
            return Err(ReadError::NotGranted("list-files".to_owned()));
        }
        let listing = self.view().list_files(&query.clone().into(), &Cancel::default())?;
        self.meter
            .read(listing.entries.iter().map(|entry| entry.path.len() as u64).sum());
        Ok(listing.into())
    }

    fn search_text(&mut self, query: &TextQuery) -> Result<TextMatches, SearchError> {
        self.note(format!("search-text {}", query.pattern));
        if self.refuses("search-text") {
            return Err(SearchError::NotGranted("search-text".to_owned()));
        }
        let found = self.view().search_text(&query.clone().into(), &Cancel::default())?;
        let bytes = found.matches.iter().map(|found| {
            let context: usize = found.before.iter().chain(&found.after).map(String::len).sum();
            (found.path.len() + found.text.len() + context) as u64
        });
        self.meter.read(bytes.sum());
        Ok(found.into())
    }

    fn search_symbol(&mut self, query: &SymbolQuery) -> Result<Symbols, SearchError> {
        self.note(format!("search-symbol {}", query.name));
        if self.refuses("search-symbol") {
            return Err(SearchError::NotGranted("search-symbol".to_owned()));
        }
        let found = self.view().search_symbol(&query.clone().into(), &Cancel::default())?;
        let bytes = found
            .symbols
            .iter()
            .map(|symbol| (symbol.path.len() + symbol.text.len()) as u64);
        self.meter.read(bytes.sum());
        Ok(found.into())
    }

    fn submit_files(&mut self, operations: &[Operation]) -> Result<Submission, SubmitError> {
        let told: Vec<String> = operations.iter().map(ToString::to_string).collect();
        self.note(format!("submit-files {}", told.join(", ")));
        self.meter.submit(operations.iter().map(size).sum());
        let operations = operations.iter().cloned().map(Into::into).collect();
        Ok(self.submitter().submit_files(operations)?.into())
    }

    fn withdraw(&mut self, paths: &[String]) -> Result<Vec<String>, SubmitError> {
        self.note(format!("withdraw {}", paths.join(" ")));
        Ok(self.submitter().withdraw(paths)?)
    }

    fn progress(&mut self, event: &ProgressEvent) {
        self.submitter().progress(snodo_workspace::capability::ProgressEvent {
            message: event.message.clone(),
            done: event.done,
            total: event.total,
        });
    }

    fn run_tests(&mut self, path: Option<&str>) -> Result<Observation, RunnerError> {
        self.note(format!("run-tests {}", path.unwrap_or_default()).trim_end());
        if self.refuses("run-tests") {
            return Err(RunnerError::NotGranted("run-tests".to_owned()));
        }
        let view = self.view();
        match &mut self.runner {
            Some(runner) => runner.run(&view, path),
            None => Err(RunnerError::NotDeclared),
        }
    }

    fn summary(&mut self) -> Result<ChangeSummary, ChangeError> {
        self.note("summary");
        if self.refuses("summary") {
            return Err(ChangeError::NotGranted("summary".to_owned()));
        }
        Ok(self.change.summary()?.into())
    }

    fn diff(&mut self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
        self.note(format!("diff {}", query.paths.join(" ")).trim_end());
        if self.refuses("diff") {
            return Err(ChangeError::NotGranted("diff".to_owned()));
        }
        let mut query: snodo_workspace::capability::DiffQuery = query.clone().into();
        query.max_bytes = query.max_bytes.min(self.meter.call_bytes());
        let answer = self.change.diff(&query)?;
        let lines = answer.files.iter().flat_map(|file| &file.hunks);
        let bytes = lines.flat_map(|hunk| &hunk.lines).map(|line| line.text.len() as u64);
        self.meter.read(bytes.sum());
        Ok(answer.into())
    }

    fn before(&mut self, path: &str) -> Result<File, BeforeError> {
        self.note(format!("before {path}"));
        if self.refuses("before") {
            return Err(BeforeError::Read(ReadError::NotGranted("before".to_owned())));
        }
        let file = self.change.before(path)?;
        self.meter.read(file.size);
        Ok(file.into())
    }

    fn complete(&mut self, request: &Request) -> Result<Answer, CompletionError> {
        self.note("complete");
        let Some(model) = &mut self.model else {
            return Err(CompletionError::NoClient("the test gives no model".to_owned()));
        };
        self.seen.asked.push(request.clone());
        model.answer(request)
    }
}

fn size(operation: &Operation) -> u64 {
    let bytes = match operation {
        Operation::Write(write) => write.path.len() + write.content.as_bytes().len(),
        Operation::Delete(path) => path.len(),
        Operation::SetExecutable(set) => set.path.len(),
        Operation::Rename(rename) => rename.from.len() + rename.to.len(),
    };
    bytes as u64
}
