//! A check, what came of it, and the report.

use serde::Serialize;

/// The schema of the report.
pub const CONFORM_SCHEMA: &str = "snodo.conform.v1";

/// What a plugin, a program or a library's coder is to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectRole {
    /// It writes.
    Coder,
    /// It judges.
    Validator,
}

/// What kind of thing is held to the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A WebAssembly component: built in, installed, or a file.
    Component,
    /// A program of the user's.
    External,
    /// Registered by whoever embeds the library.
    Native,
}

/// To whom a check applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// Coders and validators.
    Both,
    /// Coders only.
    Coders,
    /// Validators only.
    Validators,
}

/// One check, as it is declared in [`CHECKS`](super::CHECKS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// `GROUP.NAME`; never given to another check.
    pub id: &'static str,
    /// To whom it applies.
    pub applies: Applies,
    /// What holds where it passes.
    pub sentence: &'static str,
    /// What it needs beside the plugin; empty for nothing.
    pub needs: &'static str,
}

impl Check {
    /// The part of the id before the point.
    pub fn group(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(group, _)| group)
    }

    /// Whether it applies to a role.
    pub fn is_for(&self, role: SubjectRole) -> bool {
        match self.applies {
            Applies::Both => true,
            Applies::Coders => role == SubjectRole::Coder,
            Applies::Validators => role == SubjectRole::Validator,
        }
    }
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckResult {
    /// The sentence holds.
    Pass,
    /// It does not.
    Fail,
    /// There is nothing that it could be about; the reason is said.
    Skip,
    /// It may hold, and nothing shows it. No pass: the suite's exit code is not zero.
    Unproven,
}

/// A result with what was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) result: CheckResult,
    pub(super) seen: String,
}

impl Outcome {
    fn new(result: CheckResult, seen: impl Into<String>) -> Self {
        let seen: String = seen.into();
        let words: Vec<&str> = seen.split_whitespace().collect();
        Self {
            result,
            // What a plugin says is in here: one line, harmless, and with an end.
            seen: crate::text::one_line(&words.join(" "), 600),
        }
    }

    pub(super) fn pass(seen: impl Into<String>) -> Self {
        Self::new(CheckResult::Pass, seen)
    }

    pub(super) fn fail(seen: impl Into<String>) -> Self {
        Self::new(CheckResult::Fail, seen)
    }

    pub(super) fn skip(reason: impl Into<String>) -> Self {
        Self::new(CheckResult::Skip, reason)
    }

    pub(super) fn unproven(reason: impl Into<String>) -> Self {
        Self::new(CheckResult::Unproven, reason)
    }

    /// A pass if there is nothing against it.
    pub(super) fn of(result: Result<String, String>) -> Self {
        match result {
            Ok(seen) => Self::pass(seen),
            Err(seen) => Self::fail(seen),
        }
    }
}

/// The results of one subject, in the order of the table.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    found: Vec<(&'static str, Outcome)>,
}

impl Sheet {
    /// Puts a result down. The first of an id counts.
    pub(super) fn put(&mut self, id: &'static str, outcome: Outcome) {
        debug_assert!(super::CHECKS.iter().any(|check| check.id == id), "no check `{id}`");
        if !self.has(id) {
            self.found.push((id, outcome));
        }
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.found.iter().any(|(found, _)| *found == id)
    }

    /// Gives every check of these groups that has no result yet this one.
    pub(super) fn rest(&mut self, role: SubjectRole, groups: &[&str], outcome: &Outcome) {
        for check in super::CHECKS.iter().filter(|check| check.is_for(role)) {
            if groups.is_empty() || groups.contains(&check.group()) {
                self.put(check.id, outcome.clone());
            }
        }
    }

    /// Every check of the role has a result: one that the suite forgot is no pass.
    pub(super) fn finish(mut self, role: Option<SubjectRole>) -> Vec<CheckReport> {
        match role {
            Some(role) => self.rest(role, &[], &Outcome::fail("the suite did not come to this check")),
            // What has no role is held to nothing but what a file is.
            None => self.put("admission.loads", Outcome::skip("it is not admitted")),
        }
        let of = |check: &'static Check| {
            let (_, outcome) = self.found.iter().find(|(id, _)| *id == check.id)?;
            Some(CheckReport {
                id: check.id,
                sentence: check.sentence,
                result: outcome.result,
                seen: outcome.seen.clone(),
            })
        };
        super::CHECKS.iter().filter_map(of).collect()
    }
}

/// A check and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// Its id.
    pub id: &'static str,
    /// What holds where it passes.
    pub sentence: &'static str,
    /// What came of it.
    pub result: CheckResult,
    /// What was seen; of a skip or of an unproven one, the reason.
    pub seen: String,
}

/// One subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubjectReport {
    /// What it is called by.
    pub name: String,
    /// What it is.
    pub kind: SubjectKind,
    /// Where it comes from.
    pub origin: String,
    /// Its role; none of a component that has none.
    pub role: Option<SubjectRole>,
    /// Nothing fails, and nothing is unproven.
    pub ok: bool,
    /// Every check of its role, in the table's order.
    pub checks: Vec<CheckReport>,
}

impl SubjectReport {
    /// How many checks came out so.
    pub fn count(&self, result: CheckResult) -> usize {
        self.checks.iter().filter(|check| check.result == result).count()
    }
}

/// The report: `docs/schema/snodo.conform.v1.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConformReport {
    /// Always [`CONFORM_SCHEMA`].
    pub schema: &'static str,
    /// Every subject is.
    pub ok: bool,
    /// 0; 1 where something fails; 2 where nothing fails and something is unproven.
    pub exit_code: u8,
    /// Each subject, in the order asked for.
    pub subjects: Vec<SubjectReport>,
}

impl ConformReport {
    pub(super) fn of(subjects: Vec<SubjectReport>) -> Self {
        let any = |result| subjects.iter().any(|subject| subject.count(result) > 0);
        let exit_code = if any(CheckResult::Fail) {
            1
        } else {
            2 * u8::from(any(CheckResult::Unproven))
        };
        Self {
            schema: CONFORM_SCHEMA,
            ok: exit_code == 0,
            exit_code,
            subjects,
        }
    }
}
