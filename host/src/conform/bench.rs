//! A component called by itself, outside of a run: with any task, any context, any bounds, and a world that is as somebody says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use snodo_workspace::ambient;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{
    BeforeError, Cancel, Captured, Change, ChangeError, ChangeSummary, CoderCapabilities, Content, DiffAnswer,
    DiffQuery, Exit, FileRead, JudgeCapabilities, LimitReached, LinesRead, ListQuery, Listing, Observation, Operation,
    ProgressEvent, Read, ReadAnswer, ReadError, Refusal, Rejected, Runner, RunnerError, Search, SearchError,
    Submission, Submit, SubmitError, SubmitRefusal, SymbolQuery, Symbols, TextMatches, TextQuery,
};
use snodo_workspace::change::{ChangeSet, ChangeView, NoChangeYet};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::role::{CoderError, Context, Evaluation, Fault, Implementation, Phase, Severity, Task, Verdict};
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::submission::SubmitHandle;
use snodo_workspace::view::View;

use super::place::{Kind, Place};
use super::script::{Manner, Script};
use crate::engine::{Host, STARTED_AT};
use crate::plugin::{Bound, Plugin, PluginFailure, PluginLimits, PluginLog, Replay, ToolList, Usage};

/// The clock and the random numbers of every call, unless they are what is varied.
pub(super) const REPLAY: Replay = Replay {
    started_at: STARTED_AT,
    seed: [0x5e; 32],
};

/// What becomes of what is submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Submits {
    /// It is taken, by the rules of a run.
    Taken,
    /// It is refused for this rule.
    Refused(&'static str),
    /// It is refused for a limit.
    Limited,
}

/// How the tests are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tests {
    /// None are declared.
    NotDeclared,
    /// They pass.
    Pass,
    /// They never come to an end.
    Silent,
}

/// The change that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// Nothing.
    Nothing,
    /// A few files: one edited, one added, one deleted, one renamed.
    Small,
    /// Hundreds of files, and one of two mebibytes.
    Huge,
    /// Bytes that are no text.
    Binary,
}

/// The world of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct World {
    pub(super) workspace: Kind,
    pub(super) limits: PluginLimits,
    pub(super) manner: Manner,
    pub(super) tests: Tests,
    pub(super) submits: Submits,
    /// Reads and searches are refused.
    pub(super) reads_refused: bool,
    pub(super) judged: Judged,
    /// Of the change only the summary is shown.
    pub(super) change_hidden: bool,
}

/// How a call ended.
#[derive(Debug)]
pub(super) enum Ended {
    Coder(Result<Result<Implementation, CoderError>, PluginFailure>),
    Judge(Result<Result<Verdict, Fault>, PluginFailure>),
}

/// What is seen of a call.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) ended: Ended,
    pub(super) usage: Usage,
    pub(super) log: PluginLog,
    pub(super) took: Duration,
    /// Submissions that were refused.
    pub(super) refused: u64,
    /// Answers that were kept from it, or were not whole.
    pub(super) withheld: u64,
    /// What it asked the model.
    pub(super) asked: usize,
    /// What it submitted.
    pub(super) change: ChangeSet,
}

impl Called {
    /// Whether it ended in one of the ways that the contract has, and which; or how else.
    pub(super) fn typed(&self) -> Result<String, String> {
        match &self.ended {
            Ended::Coder(Ok(Ok(_))) => Ok("it returned".to_owned()),
            Ended::Coder(Ok(Err(error))) => Ok(format!("it answered with its error: {error}")),
            Ended::Judge(Ok(Ok(verdict))) => Ok(format!("it judged: {}", verdict.severity.as_str())),
            Ended::Judge(Ok(Err(fault))) => Ok(format!("it faulted: {fault}")),
            Ended::Coder(Err(failure)) | Ended::Judge(Err(failure)) => match failure {
                PluginFailure::Limit { .. } | PluginFailure::Interrupted => Ok(failure.to_string()),
                PluginFailure::Trap { message, .. } => Err(format!("it trapped: {message}{}", self.last_words())),
                failure => Err(format!("it {failure}")),
            },
        }
    }

    /// What it wrote to its standard error: of a panic, the message.
    fn last_words(&self) -> String {
        // What Rust says after every panic is no word of the plugin's.
        let said = self.log.stderr.split("note: run with").next().unwrap_or_default();
        let words: Vec<&str> = said.split_whitespace().take(60).collect();
        match words.as_slice() {
            [] => String::new(),
            words => format!("; its last words: {}", words.join(" ")),
        }
    }

    /// The same, and a bound is no end of its own.
    pub(super) fn by_itself(&self) -> Result<String, String> {
        match self.bound() {
            Some(_) => Err(self.typed().unwrap_or_else(|why| why)),
            None => self.typed(),
        }
    }

    /// The bound that ended it.
    pub(super) fn bound(&self) -> Option<Bound> {
        match &self.ended {
            Ended::Coder(Err(PluginFailure::Limit { reached }))
            | Ended::Judge(Err(PluginFailure::Limit { reached })) => Some(reached.bound),
            _ => None,
        }
    }

    /// It passes what it judged, and does not say that there was nothing to judge.
    pub(super) fn passes(&self) -> bool {
        matches!(&self.ended, Ended::Judge(Ok(Ok(verdict))) if verdict.severity == Severity::Pass && verdict.skipped.is_none() && verdict.uncheckable.is_empty())
    }

    /// The verdict, if there is one.
    pub(super) fn verdict(&self) -> Option<&Verdict> {
        match &self.ended {
            Ended::Judge(Ok(Ok(verdict))) => Some(verdict),
            _ => None,
        }
    }

    /// Everything that it gave back, as one text.
    pub(super) fn gave_back(&self) -> String {
        let mut all = match &self.ended {
            Ended::Coder(Ok(Ok(done))) => {
                let notes = done.report.iter().map(|report| report.notes.clone());
                let findings = done
                    .findings
                    .iter()
                    .map(|finding| format!("{}\n{}", finding.title, finding.detail));
                notes.chain(findings).collect::<Vec<_>>().join("\n")
            }
            Ended::Judge(Ok(Ok(verdict))) => format!("{}\n{}", verdict.justification, verdict.examined.join("\n")),
            Ended::Coder(Ok(Err(error))) => error.to_string(),
            Ended::Judge(Ok(Err(fault))) => fault.to_string(),
            Ended::Coder(Err(_)) | Ended::Judge(Err(_)) => String::new(),
        };
        for file in self.change.files.iter().filter_map(|file| file.after.as_ref()) {
            all.push('\n');
            all.push_str(&String::from_utf8_lossy(&file.bytes));
        }
        all
    }
}

/// A plugin, and where it is called.
pub(super) struct Bench<'a> {
    pub(super) host: &'a Host,
    pub(super) place: &'a Place,
    pub(super) plugin: Plugin,
}

impl Bench<'_> {
    /// A usual world, with these bounds.
    pub(super) fn world(&self) -> World {
        World {
            workspace: Kind::Ordinary,
            limits: *self.plugin.limits(),
            manner: Manner::PASSES,
            tests: Tests::NotDeclared,
            submits: Submits::Taken,
            reads_refused: false,
            judged: Judged::Small,
            change_hidden: false,
        }
    }

    /// Has a coder do a task.
    pub(super) async fn implement(&self, world: World, task: Task, context: Context) -> std::io::Result<Called> {
        let base = self.base(world.workspace)?;
        let overlay = Arc::new(Overlay::new(
            Arc::clone(&base),
            crate::settings::submit_limits(self.host.user_config()),
        ));
        let counted = Counted::default();
        let view = Arc::new(View::with_overlay(Arc::clone(&base), Arc::clone(&overlay)));
        let script = Script::new(world.manner);
        let (read, search) = views(&view, world, &counted);
        let given = CoderCapabilities {
            read,
            search,
            submit: Arc::new(Submitting {
                inner: SubmitHandle::new(Arc::clone(&overlay), Arc::new(|_: ProgressEvent| {})),
                how: world.submits,
                refused: Arc::clone(&counted.refused),
            }),
            runner: Arc::new(world.tests),
            completion: self.plugin.uses_model().then(|| Arc::new(script.clone()) as Arc<_>),
        };
        let plugin = self.plugin.under(world.limits);
        let started = Instant::now();
        let ended = plugin.implement(REPLAY, given, task, context).await;
        let took = started.elapsed();
        let change = ChangeSet::compute(&base, &overlay.entries()).map_err(std::io::Error::other)?;
        Ok(Called {
            ended: Ended::Coder(ended.outcome),
            usage: ended.usage,
            log: ended.log,
            took,
            refused: counted.refused.load(Ordering::Relaxed),
            withheld: counted.withheld.load(Ordering::Relaxed),
            asked: script.requests().len(),
            change,
        })
    }

    /// Has a validator judge.
    pub(super) async fn evaluate(
        &self,
        world: World,
        tools: ToolList,
        evaluation: Evaluation,
        context: Context,
    ) -> std::io::Result<Called> {
        let base = self.base(world.workspace)?;
        let counted = Counted::default();
        let (view, change): (View, Arc<dyn Change>) = match evaluation.phase {
            Phase::PreExecute => (View::of_base(base), Arc::new(NoChangeYet)),
            Phase::PostExecute => {
                let overlay = Overlay::new(
                    Arc::clone(&base),
                    crate::settings::submit_limits(self.host.user_config()),
                );
                overlay
                    .submit(operations(world.judged, world.workspace))
                    .map_err(std::io::Error::other)?;
                let entries = overlay.entries();
                let set = ChangeSet::compute(&base, &entries).map_err(std::io::Error::other)?;
                (
                    View::frozen(Arc::clone(&base), entries),
                    Arc::new(ChangeView::new(base, Arc::new(set))),
                )
            }
        };
        let change: Arc<dyn Change> = if world.change_hidden {
            Arc::new(Hidden {
                inner: change,
                withheld: Arc::clone(&counted.withheld),
            })
        } else {
            change
        };
        let script = Script::new(world.manner);
        let (read, search) = views(&Arc::new(view), world, &counted);
        let given = JudgeCapabilities {
            read,
            search,
            change,
            completion: self.plugin.uses_model().then(|| Arc::new(script.clone()) as Arc<_>),
            runner: self.plugin.uses_runner().then(|| Arc::new(world.tests) as Arc<_>),
        };
        let plugin = self.plugin.under(world.limits);
        let started = Instant::now();
        let ended = plugin.evaluate(REPLAY, given, tools, evaluation, context).await;
        Ok(Called {
            ended: Ended::Judge(ended.outcome),
            usage: ended.usage,
            log: ended.log,
            took: started.elapsed(),
            refused: 0,
            withheld: counted.withheld.load(Ordering::Relaxed),
            asked: script.requests().len(),
            change: ChangeSet::default(),
        })
    }

    fn base(&self, kind: Kind) -> std::io::Result<Arc<Base>> {
        let path = self.place.shared(kind)?;
        let root = ambient::open_root(&path).map_err(std::io::Error::other)?;
        let rules =
            AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).map_err(std::io::Error::other)?;
        let config = self.host.user_config();
        Ok(Arc::new(Base::new(
            Arc::new(root),
            rules,
            config.read.file_limits(),
            config.search.search_limits(),
        )))
    }
}

/// The operations of the change that is judged.
fn operations(judged: Judged, workspace: Kind) -> Vec<Operation> {
    let write = |path: &str, bytes: Vec<u8>| Operation::Write {
        path: path.to_owned(),
        content: Content::from_bytes(bytes),
        executable: None,
    };
    match judged {
        Judged::Nothing => Vec::new(),
        Judged::Small => {
            let mut all = vec![write("src/new.py", b"def new():\n    return 1\n".to_vec())];
            if workspace != Kind::Empty {
                all.push(write(
                    "README.md",
                    b"# A project\n\nIt has another line of prose.\n".to_vec(),
                ));
                all.push(Operation::Delete {
                    path: "src/app.js".to_owned(),
                });
                all.push(Operation::Rename {
                    from: "docs/guide.md".to_owned(),
                    to: "docs/manual.md".to_owned(),
                });
            }
            all
        }
        Judged::Huge => {
            let mut all = vec![write(
                "huge.txt",
                "a line that was added\n".repeat(100_000).into_bytes(),
            )];
            all.extend((0..500).map(|number| write(&format!("many/{number}.txt"), format!("{number}\n").into_bytes())));
            all
        }
        Judged::Binary => vec![
            write("image.bin", vec![0, 0xff, 0xfe, 0, 1, 2, 3, 0x80]),
            write("latin.txt", b"caf\xe9\n".to_vec()),
            write("README.md", b"\0".to_vec()),
        ],
    }
}

#[derive(Default)]
struct Counted {
    refused: Arc<AtomicU64>,
    withheld: Arc<AtomicU64>,
}

fn views(view: &Arc<View>, world: World, counted: &Counted) -> (Arc<dyn Read>, Arc<dyn Search>) {
    if world.reads_refused {
        let refusing = Arc::new(Refusing(Arc::clone(&counted.withheld)));
        (refusing.clone(), refusing)
    } else {
        (view.clone(), view.clone())
    }
}

/// Submits, or refuses.
struct Submitting {
    inner: SubmitHandle,
    how: Submits,
    refused: Arc<AtomicU64>,
}

impl Submit for Submitting {
    fn submit_files(&self, operations: Vec<Operation>) -> Result<Submission, SubmitError> {
        let Some(first) = operations.first() else {
            return self.inner.submit_files(operations);
        };
        let error = match self.how {
            Submits::Taken => return self.inner.submit_files(operations),
            Submits::Refused(rule) => SubmitError::Rejected(Rejected {
                index: 0,
                reason: SubmitRefusal::Refused(Refusal {
                    path: first.path().to_owned(),
                    rule: rule.to_owned(),
                }),
            }),
            Submits::Limited => SubmitError::Limit(LimitReached {
                name: "pending-paths",
                allowed: 0,
            }),
        };
        self.refused.fetch_add(1, Ordering::Relaxed);
        Err(error)
    }

    fn withdraw(&self, paths: &[String]) -> Result<Vec<String>, SubmitError> {
        self.inner.withdraw(paths)
    }

    fn progress(&self, event: ProgressEvent) {
        self.inner.progress(event);
    }
}

/// Refuses everything that is looked at, and counts.
struct Refusing(Arc<AtomicU64>);

impl Refusing {
    fn refusal(&self, path: &str) -> Refusal {
        self.0.fetch_add(1, Ordering::Relaxed);
        Refusal {
            path: path.to_owned(),
            rule: "the conformance suite shows nothing".to_owned(),
        }
    }
}

impl Read for Refusing {
    fn read_file(&self, path: &str) -> Result<FileRead, ReadError> {
        Err(ReadError::Refused(self.refusal(path)))
    }

    fn read_lines(&self, path: &str, _: u64, _: u64) -> Result<LinesRead, ReadError> {
        Err(ReadError::Refused(self.refusal(path)))
    }

    fn read_files(&self, paths: &[String]) -> Result<Vec<ReadAnswer>, ReadError> {
        let answer = |path: &String| ReadAnswer {
            path: path.clone(),
            outcome: Err(ReadError::Refused(self.refusal(path))),
        };
        Ok(paths.iter().map(answer).collect())
    }

    fn list_files(&self, query: &ListQuery, _: &Cancel) -> Result<Listing, ReadError> {
        Err(ReadError::Refused(self.refusal(&query.under)))
    }
}

impl Search for Refusing {
    fn search_text(&self, query: &TextQuery, _: &Cancel) -> Result<TextMatches, SearchError> {
        Err(SearchError::Refused(self.refusal(&query.under)))
    }

    fn search_symbol(&self, query: &SymbolQuery, _: &Cancel) -> Result<Symbols, SearchError> {
        Err(SearchError::Refused(self.refusal(&query.under)))
    }
}

/// A change of which only the summary is shown.
struct Hidden {
    inner: Arc<dyn Change>,
    withheld: Arc<AtomicU64>,
}

impl Change for Hidden {
    fn summary(&self) -> Result<ChangeSummary, ChangeError> {
        self.inner.summary()
    }

    fn diff(&self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
        let whole = self.inner.diff(query)?;
        let mut omitted = whole.omitted;
        omitted.extend(whole.files.into_iter().map(|file| file.path));
        omitted.sort();
        omitted.dedup();
        self.withheld.fetch_add(1, Ordering::Relaxed);
        Ok(DiffAnswer {
            files: Vec::new(),
            omitted,
        })
    }

    fn before(&self, path: &str) -> Result<FileRead, BeforeError> {
        self.withheld.fetch_add(1, Ordering::Relaxed);
        Err(BeforeError::Read(ReadError::Refused(Refusal {
            path: path.to_owned(),
            rule: "the conformance suite shows nothing".to_owned(),
        })))
    }
}

#[async_trait]
impl Runner for Tests {
    async fn run_tests(&self, _: Option<String>) -> Result<Observation, RunnerError> {
        match self {
            Self::NotDeclared => Err(RunnerError::NotDeclared),
            Self::Silent => std::future::pending().await,
            Self::Pass => Ok(Observation {
                exit: Exit::Code(0),
                stdout: Captured {
                    head: "1 passed\n".to_owned(),
                    ..Captured::default()
                },
                stderr: Captured::default(),
                duration_ms: 1,
                calls_left: 4,
            }),
        }
    }
}
