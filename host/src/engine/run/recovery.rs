//! Trying again: how often, with what, and when it leads nowhere.

use snodo_workspace::role::{PriorFailure, Severity};

use crate::record::GateResult;

/// How often a run may try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) struct RecoveryBounds {
    /// Attempts that follow one another.
    pub(in crate::engine) depth: u32,
    /// Attempts in all.
    pub(in crate::engine) total: u32,
}

/// Why there is no further attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoFurther {
    /// The bound of depth.
    Depth(u32),
    /// The bound of all attempts.
    Total(u32),
    /// The same findings as before: another attempt would be the same.
    Stalled,
}

/// What an attempt is told by: whose finding, how grave, in which words. Twice the same is a stall, in whatever order it was said.
type Signature = Vec<(String, Severity, String)>;

/// The attempts of one run.
#[derive(Debug)]
pub(super) struct Recovery {
    bounds: RecoveryBounds,
    depth: u32,
    last: Option<Signature>,
    failures: Vec<PriorFailure>,
}

impl Recovery {
    pub(super) fn new(bounds: RecoveryBounds) -> Self {
        Self {
            bounds,
            depth: 0,
            last: None,
            failures: Vec::new(),
        }
    }

    /// 0 for the first attempt.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// From 1.
    pub(super) fn attempt(&self) -> u32 {
        self.depth + 1
    }

    /// What judges found in earlier attempts.
    pub(super) fn failures(&self) -> &[PriorFailure] {
        &self.failures
    }

    /// After an attempt that was judged, and is to be mended: on to the next one.
    pub(super) fn next(&mut self, results: &[GateResult]) -> Result<(), NoFurther> {
        let found: Vec<&GateResult> = results.iter().filter(|r| r.severity != Severity::Pass).collect();
        let mut signature: Signature = found
            .iter()
            .map(|r| (r.validator_id.clone(), r.severity, r.justification.clone()))
            .collect();
        signature.sort();
        if self.last.as_ref() == Some(&signature) {
            return Err(NoFurther::Stalled);
        }
        self.last = Some(signature);
        if self.depth >= self.bounds.depth {
            return Err(NoFurther::Depth(self.bounds.depth));
        }
        if self.depth >= self.bounds.total {
            return Err(NoFurther::Total(self.bounds.total));
        }
        let attempt = self.attempt();
        self.failures.extend(found.iter().map(|r| PriorFailure {
            attempt,
            validator_id: r.validator_id.clone(),
            severity: r.severity,
            justification: r.justification.clone(),
        }));
        self.depth += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(id: &str, severity: Severity, words: &str) -> GateResult {
        GateResult {
            validator_id: id.to_owned(),
            plugin: id.to_owned(),
            severity,
            severity_original: None,
            justification: words.to_owned(),
            cited_criteria: Vec::new(),
            error: false,
            access_refused: false,
            skipped: false,
            examined: Vec::new(),
            model: None,
            mock: false,
        }
    }

    fn bounds(depth: u32, total: u32) -> Recovery {
        Recovery::new(RecoveryBounds { depth, total })
    }

    #[test]
    fn it_ends_at_either_bound() {
        for (depth, total, expected) in [
            (2, 10, NoFurther::Depth(2)),
            (5, 1, NoFurther::Total(1)),
            (0, 10, NoFurther::Depth(0)),
        ] {
            let mut recovery = bounds(depth, total);
            for n in 0..depth.min(total) {
                assert_eq!(recovery.next(&[result("a", Severity::Warn, &n.to_string())]), Ok(()));
            }
            assert_eq!(recovery.next(&[result("a", Severity::Warn, "last")]), Err(expected));
        }
    }

    #[test]
    fn the_same_findings_twice_are_a_stall_in_whatever_order() {
        let (a, b) = (result("a", Severity::Warn, "x"), result("b", Severity::Blocker, "y"));
        let mut recovery = bounds(5, 5);
        assert_eq!(recovery.next(&[a.clone(), b.clone()]), Ok(()));
        assert_eq!(recovery.next(&[b.clone(), a.clone()]), Err(NoFurther::Stalled));
        let mut recovery = bounds(5, 5);
        assert_eq!(recovery.next(&[a.clone(), b]), Ok(()));
        assert_eq!(recovery.next(std::slice::from_ref(&a)), Ok(()), "one was mended");
    }

    #[test]
    fn what_was_found_is_handed_on_with_its_attempt() {
        let mut recovery = bounds(5, 5);
        assert_eq!(
            recovery.next(&[result("a", Severity::Warn, "x"), result("b", Severity::Pass, "fine")]),
            Ok(())
        );
        assert_eq!(recovery.next(&[result("a", Severity::Warn, "y")]), Ok(()));
        let told: Vec<(u32, &str)> = recovery
            .failures()
            .iter()
            .map(|f| (f.attempt, f.justification.as_str()))
            .collect();
        assert_eq!(told, [(1, "x"), (2, "y")]);
        assert_eq!((recovery.depth(), recovery.attempt()), (2, 3));
    }
}
