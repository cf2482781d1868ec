//! From verdicts to a decision: snodo's policy arithmetic, as pure functions.
//!
//! Two steps. [`settle`] applies to each result, before any counting, what the protocol says of its validator: a
//! severity cap, and in recovery the easing of what judges before the coder find in a half-done tree. [`decide`]
//! counts.
//!
//! Stricter than snodo in two places, both where snodo lets pass what a judge refused: an error stays an error when
//! the judge also reports a criterion that it has no means to check, and such a report is not waved through in
//! recovery.

use serde::Serialize;
use snodo_workspace::role::{Phase, Severity};

/// How much agreement a gate needs. Any blocker and any error stop under all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Every validator passes.
    Unanimous,
    /// More than half of them pass.
    Majority,
    /// At least 0.67 of them pass, in floating point: two of three do not.
    Quorum,
    /// At least one passes.
    Any,
}

impl Policy {
    /// The words of the protocol file.
    pub const WORDS: &'static [&'static str] = &["unanimous", "majority", "quorum", "any"];
    /// The policies, in the same order.
    pub const ALL: &'static [Self] = &[Self::Unanimous, Self::Majority, Self::Quorum, Self::Any];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unanimous => "unanimous",
            Self::Majority => "majority",
            Self::Quorum => "quorum",
            Self::Any => "any",
        }
    }
}

/// The share of validators that a quorum needs. snodo's number; nothing configures it.
pub const QUORUM: f64 = 0.67;

/// One validator's result, as the policy sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// What it found.
    pub severity: Severity,
    /// It could not decide: it faulted, trapped, ran out of a limit. Its severity then means nothing.
    pub error: bool,
    /// `check_tool_access`: it has no means to check one of its criteria. Blocks, whatever its severity says.
    pub access_refused: bool,
}

impl Judged {
    /// A verdict.
    pub fn verdict(severity: Severity) -> Self {
        Self {
            severity,
            error: false,
            access_refused: false,
        }
    }

    /// No verdict.
    pub fn error() -> Self {
        Self {
            severity: Severity::Blocker,
            error: true,
            access_refused: false,
        }
    }
}

/// Why a severity was lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lowered {
    /// The validator's `severity_cap`.
    SeverityCap,
    /// What a judge before the coder finds in recovery is the state of a tree that is being repaired.
    PreExecuteRecoveryTreeState,
}

/// A result with everything applied that comes before counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// As the policy sees it.
    pub judged: Judged,
    /// What the validator said, and why that was lowered; none if it was not.
    pub lowered: Option<(Severity, Lowered)>,
}

/// Applies cap and easing to one result. Errors are never touched: a cap is for findings.
pub fn settle(judged: Judged, cap: Option<Severity>, phase: Phase, in_recovery: bool) -> Settled {
    let same = Settled { judged, lowered: None };
    if judged.error {
        return same;
    }
    if judged.access_refused {
        return Settled {
            judged: Judged {
                severity: Severity::Blocker,
                ..judged
            },
            lowered: None,
        };
    }
    let to = |severity, why| Settled {
        judged: Judged { severity, ..judged },
        lowered: Some((judged.severity, why)),
    };
    if phase == Phase::PreExecute && in_recovery && judged.severity != Severity::Pass {
        return to(Severity::Pass, Lowered::PreExecuteRecoveryTreeState);
    }
    match cap {
        Some(cap) if judged.severity > cap => to(cap, Lowered::SeverityCap),
        _ => same,
    }
}

/// What a gate does, from harmless to grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Goes on.
    Proceed,
    /// Goes on; warnings remain.
    Log,
    /// Asks a person.
    Escalate,
    /// Stops.
    Halt,
}

impl Action {
    /// snodo's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Log => "log",
            Self::Escalate => "escalate",
            Self::Halt => "halt",
        }
    }

    /// Whether the run goes on.
    pub fn passes(self) -> bool {
        matches!(self, Self::Proceed | Self::Log)
    }
}

/// How many results say what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Passed.
    pub pass: usize,
    /// Warned.
    pub warn: usize,
    /// Blocked; errors count here too.
    pub blocker: usize,
    /// All together.
    pub total: usize,
    /// Of these, could not decide.
    pub errors: usize,
}

/// A gate's decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// Of what.
    pub counts: Counts,
    /// Why, in one line.
    pub justification: String,
}

/// What a decision amounts to, in the words of `snodo validate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The gate is passed, perhaps with warnings.
    Pass,
    /// Somebody says no.
    Blocker,
    /// A person has to decide.
    Escalate,
    /// A validator could not judge.
    ValidatorError,
}

impl Class {
    /// snodo's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Blocker => "blocker",
            Self::Escalate => "escalate",
            Self::ValidatorError => "validator_error",
        }
    }
}

/// Where a run goes after the gate behind the coder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// On to the apply.
    Proceed,
    /// Back to the coder, if another attempt is allowed.
    Recover,
    /// Nowhere.
    Stop(Class),
}

/// Where a run goes after the gate behind the coder, as in snodo: what would have to be decided by a person goes back to the coder, and so do
/// blockers if each comes from a validator that has a `severity_cap`, of whatever height. An error never does.
///
/// `results` are those of the decision, each with whether its validator has a cap.
pub fn after_post_execute(decision: &Decision, results: &[(Judged, bool)]) -> Route {
    match decision.class() {
        Class::Pass => Route::Proceed,
        Class::Escalate => Route::Recover,
        stop @ Class::ValidatorError => Route::Stop(stop),
        stop @ Class::Blocker => {
            let mut blocking = results
                .iter()
                .filter(|(judged, _)| effective(*judged) == Severity::Blocker)
                .peekable();
            // Without any results nobody blocks, and nobody can be satisfied either.
            if blocking.peek().is_some() && blocking.all(|(_, capped)| *capped) {
                Route::Recover
            } else {
                Route::Stop(stop)
            }
        }
    }
}

impl Decision {
    /// What it amounts to.
    pub fn class(&self) -> Class {
        match self.action {
            Action::Proceed | Action::Log => Class::Pass,
            Action::Escalate => Class::Escalate,
            Action::Halt if self.is_validator_error() => Class::ValidatorError,
            Action::Halt => Class::Blocker,
        }
    }

    /// Whether the policy got what it needs: the field of that name in snodo's payload.
    pub fn consensus_achieved(&self) -> bool {
        self.action.passes()
    }

    /// Whether it stops because a validator could not decide, which is another outcome than a validator that said no.
    pub fn is_validator_error(&self) -> bool {
        self.action == Action::Halt && self.counts.errors > 0
    }
}

/// The decision of a gate over its settled results.
///
/// `in_recovery`: the task is a further attempt, or carries prior failures. Human decisions are an empty input for
/// now.
pub fn decide(policy: Policy, results: &[Judged], phase: Phase, in_recovery: bool) -> Decision {
    let counts = count(results);
    let refused = results.iter().any(|r| r.access_refused);
    let found = counts.warn + counts.blocker;
    let (action, counts, justification) = if counts.total == 0 {
        (Action::Halt, counts, "nobody judged".to_owned())
    } else if counts.errors > 0 {
        (
            Action::Halt,
            counts,
            format!("{} of {} could not judge", counts.errors, counts.total),
        )
    } else if in_recovery && phase == Phase::PreExecute && found > 0 && !refused {
        let eased = Counts {
            pass: counts.total,
            warn: found,
            blocker: 0,
            ..counts
        };
        (
            Action::Log,
            eased,
            format!(
                "{found} of {} object to a tree under repair: handed to the coder",
                counts.total
            ),
        )
    } else if counts.blocker > 0 {
        (
            Action::Halt,
            counts,
            format!("{} of {} block", counts.blocker, counts.total),
        )
    } else {
        let (action, justification) = agreement(policy, counts);
        (action, counts, justification)
    };
    Decision {
        action,
        counts,
        justification,
    }
}

fn count(results: &[Judged]) -> Counts {
    let of = |severity| results.iter().filter(|r| effective(**r) == severity).count();
    Counts {
        pass: of(Severity::Pass),
        warn: of(Severity::Warn),
        blocker: of(Severity::Blocker),
        total: results.len(),
        errors: results.iter().filter(|r| r.error).count(),
    }
}

/// A refusal blocks and an error is no verdict, whatever severity came with them.
fn effective(judged: Judged) -> Severity {
    if judged.error || judged.access_refused {
        Severity::Blocker
    } else {
        judged.severity
    }
}

/// Without errors and blockers: passes against what the policy needs. A warning is never a pass.
fn agreement(policy: Policy, counts: Counts) -> (Action, String) {
    let Counts { pass, warn, total, .. } = counts;
    #[expect(
        clippy::cast_precision_loss,
        reason = "gates have few validators; snodo's arithmetic is this one"
    )]
    let (passes, all) = (pass as f64, total as f64);
    let share = format!("{pass} of {total} pass");
    let (met, needed) = match policy {
        Policy::Unanimous => (pass == total, "all of them".to_owned()),
        Policy::Majority => (passes > all / 2.0, "more than half".to_owned()),
        Policy::Quorum => (passes >= all * QUORUM, format!("at least {:.1}", all * QUORUM)),
        Policy::Any => (pass >= 1, "one".to_owned()),
    };
    let word = policy.as_str();
    match (met, warn) {
        (true, 0) => (Action::Proceed, format!("{word}: {share}")),
        (true, _) => (Action::Log, format!("{word}: {share}, {warn} warn")),
        (false, _) => (Action::Escalate, format!("{word} needs {needed}: {share}")),
    }
}
