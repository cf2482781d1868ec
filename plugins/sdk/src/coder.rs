//! The role of a coder: it reads, and proposes a change.

pub use crate::bindings::coder::exports::snodo::plugin::coding::{
    CoderError, CoderReport, Finding, Implementation, Mismatch, RefusedOperation, ReportedFile, StopReason,
};
use crate::{Context, Description, Task};

/// A coder. Export it with [`export!`](crate::export).
///
/// The work goes out by [`submit`](crate::submit): nothing returned from here changes a file. What was submitted before an
/// error was returned counts, and is judged.
pub trait Coder {
    /// What this plugin is. Every import is closed while it is called: an attempt ends the plugin. It may be called on its own, and
    /// often; it must always answer the same.
    fn describe() -> Description;

    /// Does the task. Called once for each attempt, in an instance of its own: nothing is remembered from one call to the next, and
    /// what earlier attempts failed on is in [`Task::prior_failures`].
    ///
    /// # Errors
    ///
    /// What kept the coder from doing the task. A coder that returns `Ok` without having submitted anything has not succeeded
    /// either, unless findings were asked for and are given.
    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError>;
}

impl Implementation {
    /// Done, with nothing to say beside the submission.
    pub fn done() -> Self {
        Self {
            report: None,
            findings: Vec::new(),
        }
    }

    /// With the coder's own account. It is shown beside the host's account of the change, and moves nothing.
    #[must_use]
    pub fn report(mut self, report: CoderReport) -> Self {
        self.report = Some(report);
        self
    }

    /// With one more finding.
    #[must_use]
    pub fn finding(mut self, finding: Finding) -> Self {
        self.findings.push(finding);
        self
    }
}

impl CoderReport {
    /// An account of work that was brought to its end.
    pub fn completed(files: Vec<ReportedFile>, notes: impl Into<String>) -> Self {
        Self {
            files,
            turns_used: None,
            turns_available: None,
            tokens_used: None,
            stop_reason: StopReason::Completed,
            notes: notes.into(),
        }
    }
}

impl ReportedFile {
    /// A file, and what the coder says it did to it.
    pub fn new(path: impl Into<String>, kind: crate::ChangeKind) -> Self {
        Self {
            path: path.into(),
            kind,
        }
    }
}

impl Finding {
    /// A finding about the whole workspace: a title of one line, and the detail.
    pub fn new(title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            detail: detail.into(),
            path: None,
            line: None,
        }
    }

    /// Where it is: a path of the workspace, and a line counted from 1.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>, line: Option<u64>) -> Self {
        self.path = Some(path.into());
        self.line = line;
        self
    }
}
