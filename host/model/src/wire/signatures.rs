//! What belongs to a tool call and has no place in the contract: Gemini's signature of the thought that led to it, and whether its id is ours.
//!
//! A plugin gets a call's id and gives it back. The signature stays here, by the id: a plugin can neither read nor forge it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many calls are remembered: more than a run makes. The oldest go first.
const KEPT: usize = 4096;
/// How long a signature can be. Gemini's have some kilobytes.
const LONGEST: usize = 256 << 10;
/// All of them together.
const ALL: usize = 32 << 20;
/// What ids of ours begin with.
const OURS: &str = "host_call_";

/// Whether an id is one that was made here.
pub(crate) fn is_ours(id: &str) -> bool {
    id.starts_with(OURS)
}

/// The signatures of one client.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    next: AtomicU64,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_id: HashMap<String, String>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Signatures {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that no other call of this client has.
    pub(crate) fn id(&self) -> String {
        format!("{OURS}{}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Remembers a signature.
    pub(crate) fn keep(&self, id: &str, signature: String) {
        if signature.len() > LONGEST {
            return;
        }
        let mut kept = self.kept();
        kept.bytes += signature.len();
        if let Some(before) = kept.by_id.insert(id.to_owned(), signature) {
            kept.bytes -= before.len();
        } else {
            kept.order.push_back(id.to_owned());
        }
        while kept.order.len() > KEPT || kept.bytes > ALL {
            let Some(oldest) = kept.order.pop_front() else { break };
            if let Some(gone) = kept.by_id.remove(&oldest) {
                kept.bytes -= gone.len();
            }
        }
    }

    /// A call's signature.
    pub(crate) fn of(&self, id: &str) -> Option<String> {
        self.kept().by_id.get(id).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first_and_it_stays_bounded() {
        let signatures = Signatures::default();
        for number in 0..KEPT + 10 {
            signatures.keep(&number.to_string(), "s".to_owned());
        }
        assert_eq!(signatures.of("9"), None);
        assert_eq!(signatures.of("10").as_deref(), Some("s"));
        signatures.keep("large", "s".repeat(LONGEST + 1));
        assert_eq!(signatures.of("large"), None);
        for number in 0..200 {
            signatures.keep(&format!("l{number}"), "s".repeat(LONGEST));
        }
        assert!(signatures.kept().bytes <= ALL);
        signatures.keep("l199", "short".to_owned());
        assert_eq!(signatures.of("l199").as_deref(), Some("short"));
    }

    #[test]
    fn ids_are_not_given_twice() {
        let signatures = Signatures::default();
        let (one, other) = (signatures.id(), signatures.id());
        assert_ne!(one, other);
        assert!(is_ours(&one) && !is_ours("call_1"));
    }
}
