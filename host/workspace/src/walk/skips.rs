//! What a walk passed over.

use crate::capability::{SkipReason, Skipped};

/// Counts by reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skips {
    counts: std::collections::BTreeMap<SkipReason, u64>,
}

impl Skips {
    /// One file, or one folder with all below it.
    pub(crate) fn add(&mut self, reason: SkipReason) {
        *self.counts.entry(reason).or_default() += 1;
    }

    /// Those of another thread.
    pub(crate) fn add_all(&mut self, other: &Self) {
        for (reason, count) in &other.counts {
            *self.counts.entry(*reason).or_default() += count;
        }
    }

    /// As answers carry them: those that happened, in the order of the reasons in the contract.
    pub(crate) fn into_answer(self) -> Vec<Skipped> {
        self.counts
            .into_iter()
            .map(|(reason, files)| Skipped { reason, files })
            .collect()
    }
}
