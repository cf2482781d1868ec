//! The role of a coder: it reads, and proposes a change.

pub use crate::bindings::coder::exports::snodo::plugin::coding::{
    CoderError, CoderReport, Finding, Implementation, Mismatch, RefusedOperation, ReportedFile, StopReason,
};
use crate::{Context, Description, Task};

/// A coder. Export it with [`export!`](crate::export).
///
/// The work goes out by [`submit`](crate::submit): nothing returned from here changes a file. What was submitted before an
/// error was returned counts, and is judged.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::Workspace;
///
/// struct Newline;
///
/// impl Coder for Newline {
///     fn describe() -> Description {
///         Description::new("newline", env!("CARGO_PKG_VERSION"), "Ends every Markdown file with a newline.")
///     }
///
///     fn implement(_task: Task, _context: Context) -> Result<Implementation, CoderError> {
///         let mut draft = submit::Draft::new();
///         for path in read::walk(&["**/*.md"])?.files {
///             let text = read::text(&path)?;
///             if !text.is_empty() && !text.ends_with('\n') {
///                 draft.push(submit::write(path, text + "\n"));
///             }
///         }
///         draft.submit()?;
///         Ok(Implementation::done())
///     }
/// }
///
/// snodo_plugin::export!(coder: Newline);
///
/// let run = Workspace::new().file("a.md", "# A").file("b.md", "# B\n").coder::<Newline>().run();
/// assert_eq!(run.changed(), ["a.md"]);
/// ```
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
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// assert_eq!(Implementation::done().report, None);
    /// ```
    pub fn done() -> Self {
        Self {
            report: None,
            findings: Vec::new(),
        }
    }

    /// With the coder's own account. It is shown beside the host's account of the change, and moves nothing.
    ///
    /// ```
    /// # use snodo_plugin::{CoderReport, Implementation};
    /// let done = Implementation::done().report(CoderReport::completed(Vec::new(), "two headers were added"));
    /// assert!(done.report.is_some());
    /// ```
    #[must_use]
    pub fn report(mut self, report: CoderReport) -> Self {
        self.report = Some(report);
        self
    }

    /// With one more finding.
    ///
    /// ```
    /// # use snodo_plugin::{Finding, Implementation};
    /// let done = Implementation::done().finding(Finding::new("A dead function", "Nothing calls `old`."));
    /// assert_eq!(done.findings.len(), 1);
    /// ```
    #[must_use]
    pub fn finding(mut self, finding: Finding) -> Self {
        self.findings.push(finding);
        self
    }
}

impl CoderReport {
    /// An account of work that was brought to its end.
    ///
    /// ```
    /// # use snodo_plugin::{ChangeKind, CoderReport, ReportedFile};
    /// let report = CoderReport::completed(vec![ReportedFile::new("a.rs", ChangeKind::Added)], "");
    /// assert_eq!(report.files[0].path, "a.rs");
    /// ```
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
    ///
    /// ```
    /// # use snodo_plugin::{ChangeKind, ReportedFile};
    /// assert_eq!(ReportedFile::new("a.rs", ChangeKind::Deleted).kind, ChangeKind::Deleted);
    /// ```
    pub fn new(path: impl Into<String>, kind: crate::ChangeKind) -> Self {
        Self {
            path: path.into(),
            kind,
        }
    }
}

impl Finding {
    /// A finding about the whole workspace: a title of one line, and the detail.
    ///
    /// ```
    /// # use snodo_plugin::Finding;
    /// assert_eq!(Finding::new("No tests", "There is no folder of tests.").path, None);
    /// ```
    pub fn new(title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            detail: detail.into(),
            path: None,
            line: None,
        }
    }

    /// Where it is: a path of the workspace, and a line counted from 1.
    ///
    /// ```
    /// # use snodo_plugin::Finding;
    /// assert_eq!(Finding::new("Dead", "Never called.").at("src/a.rs", Some(12)).line, Some(12));
    /// ```
    #[must_use]
    pub fn at(mut self, path: impl Into<String>, line: Option<u64>) -> Self {
        self.path = Some(path.into());
        self.line = line;
        self
    }
}
