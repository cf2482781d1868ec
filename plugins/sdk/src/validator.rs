//! The role of a validator: it looks, and judges.

pub use crate::bindings::validator::exports::snodo::plugin::judging::{
    Evaluation, ExecutionEvidence, Fault, ModeProfile, Uncheckable, Verdict,
};
use crate::{Context, Description, Severity};

/// A validator. Export it with [`export!`](crate::export).
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
    pub fn pass(justification: impl Into<String>) -> Self {
        Self::new(Severity::Pass, justification)
    }

    /// Something a person should know, that does not stop the change.
    pub fn warn(justification: impl Into<String>) -> Self {
        Self::new(Severity::Warn, justification)
    }

    /// Something that must not be applied.
    pub fn blocker(justification: impl Into<String>) -> Self {
        Self::new(Severity::Blocker, justification)
    }

    /// Nothing was there to be judged: why. It never counts as evidence.
    pub fn skipped(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            skipped: Some(reason.clone()),
            ..Self::new(Severity::Pass, reason)
        }
    }

    /// A decision with its reason in words.
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
    #[must_use]
    pub fn examined(mut self, what: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.examined.extend(what.into_iter().map(Into::into));
        self
    }

    /// With a criterion that the judgement rests on, by its index in [`Evaluation::criteria`].
    #[must_use]
    pub fn cite(mut self, criterion: u32) -> Self {
        self.cited_criteria.push(criterion);
        self
    }

    /// With a criterion that this validator has no means to check, and what it would need.
    #[must_use]
    pub fn uncheckable(mut self, criterion: u32, capability: impl Into<String>) -> Self {
        self.uncheckable.push(Uncheckable {
            criterion,
            capability: capability.into(),
        });
        self
    }
}
