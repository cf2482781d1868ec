//! The role of a validator: it looks, and judges.

pub use crate::bindings::validator::exports::snodo::plugin::judging::{
    Evaluation, ExecutionEvidence, Fault, ModeProfile, Uncheckable, Verdict,
};
use crate::{Context, Description, Severity};

/// A validator. Export it with [`export!`](crate::export).
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::Workspace;
///
/// struct Tabs;
///
/// impl Validator for Tabs {
///     fn describe() -> Description {
///         Description::new("tabs", env!("CARGO_PKG_VERSION"), "Warns of added lines that begin with a tab.")
///             .phase(Phase::PostExecute)
///     }
///
///     fn evaluate(_evaluation: Evaluation, _context: Context) -> Result<Verdict, Fault> {
///         let textual = change::summary()?.files.into_iter().filter(|file| !file.binary);
///         for file in change::whole_diff(textual.map(|file| file.path).collect(), 0)? {
///             if let Some((number, _)) = file.added_lines().find(|(_, text)| text.starts_with('\t')) {
///                 let verdict = Verdict::warn(format!("`{}` begins line {number} with a tab.", file.path));
///                 return Ok(verdict.examined([&file.path]));
///             }
///         }
///         Ok(Verdict::pass("No added line begins with a tab."))
///     }
/// }
///
/// snodo_plugin::export!(validator: Tabs);
///
/// let run = Workspace::new().validator::<Tabs>().changed([submit::write("a", "x\n\ty\n")]).run();
/// assert_eq!(run.verdict().justification, "`a` begins line 2 with a tab.");
/// ```
pub trait Validator {
    /// What this plugin is, with at least one [phase](Description::phase). Every import is closed while it is called: an attempt
    /// ends the plugin. It may be called on its own, and often; it must always answer the same.
    fn describe() -> Description;

    /// Judges.
    ///
    /// # Errors
    ///
    /// A validator that could not see all that it has to judge, or could not do what its judgement rests on, returns a
    /// [`Fault`], never a pass: the gate then fails closed, by name.
    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault>;
}

impl Verdict {
    /// Nothing to object to.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// assert_eq!(Verdict::pass("All is well.").severity, Severity::Pass);
    /// ```
    pub fn pass(justification: impl Into<String>) -> Self {
        Self::new(Severity::Pass, justification)
    }

    /// Something a person should know, that does not stop the change.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// assert_eq!(Verdict::warn("It is large.").severity, Severity::Warn);
    /// ```
    pub fn warn(justification: impl Into<String>) -> Self {
        Self::new(Severity::Warn, justification)
    }

    /// Something that must not be applied.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// assert_eq!(Verdict::blocker("It deletes the license.").severity, Severity::Blocker);
    /// ```
    pub fn blocker(justification: impl Into<String>) -> Self {
        Self::new(Severity::Blocker, justification)
    }

    /// Nothing was there to be judged: why. It never counts as evidence.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// assert_eq!(Verdict::skipped("nothing in the change is Rust").skipped.as_deref(), Some("nothing in the change is Rust"));
    /// ```
    pub fn skipped(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            skipped: Some(reason.clone()),
            ..Self::new(Severity::Pass, reason)
        }
    }

    /// A decision with its reason in words.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// # let strict = true;
    /// let severity = if strict { Severity::Blocker } else { Severity::Warn };
    /// let verdict = Verdict::new(severity, "Line 3 of `a.rs` has no owner.");
    /// # assert_eq!(verdict.severity, Severity::Blocker);
    /// ```
    pub fn new(severity: Severity, justification: impl Into<String>) -> Self {
        Self {
            severity,
            justification: justification.into(),
            cited_criteria: Vec::new(),
            examined: Vec::new(),
            skipped: None,
            uncheckable: Vec::new(),
        }
    }

    /// With what was looked at: paths, commands.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// assert_eq!(Verdict::pass("Fine.").examined(["a.rs", "b.rs"]).examined.len(), 2);
    /// ```
    #[must_use]
    pub fn examined(mut self, what: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.examined.extend(what.into_iter().map(Into::into));
        self
    }

    /// With a criterion that the judgement rests on, by its index in [`Evaluation::criteria`].
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// assert_eq!(Verdict::blocker("It has no tests.").cite(0).cited_criteria, [0]);
    /// ```
    #[must_use]
    pub fn cite(mut self, criterion: u32) -> Self {
        self.cited_criteria.push(criterion);
        self
    }

    /// With a criterion that this validator has no means to check, and what it would need.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// let verdict = Verdict::pass("The rest is fine.").uncheckable(1, "the results of a benchmark");
    /// assert_eq!(verdict.uncheckable[0].criterion, 1);
    /// ```
    #[must_use]
    pub fn uncheckable(mut self, criterion: u32, capability: impl Into<String>) -> Self {
        self.uncheckable.push(Uncheckable {
            criterion,
            capability: capability.into(),
        });
        self
    }
}
