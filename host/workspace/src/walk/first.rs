//! The first results in the order of their paths, out of all that several threads find in any order.
//!
//! An answer is cut after sorting, so every result has to be seen, but only what can still be in the answer is held:
//! memory is bounded by the answer's own bounds, however much there is.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::capability::Count;

/// Collects results by path.
#[derive(Debug)]
pub(crate) struct First<T> {
    limit: usize,
    max_bytes: usize,
    /// Whether something may have to be kept out: looked at without taking the lock, since most searches never get so far.
    full: AtomicBool,
    kept: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    by_path: BTreeMap<String, Group<T>>,
    count: usize,
    bytes: usize,
    total: u64,
}

/// The results of one path, in their order.
#[derive(Debug)]
pub(crate) struct Group<T> {
    results: Vec<(T, usize)>,
    bytes: usize,
    limit: usize,
    max_bytes: usize,
    /// With those that were not kept.
    total: u64,
}

/// What an answer carries of the results.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    pub results: Vec<T>,
    pub total: Count,
    pub truncated: bool,
}

impl<T> First<T> {
    /// At most `limit` results, and at most `max_bytes` of them together.
    pub(crate) fn new(limit: usize, max_bytes: usize) -> Self {
        let kept = Kept {
            by_path: BTreeMap::new(),
            count: 0,
            bytes: 0,
            total: 0,
        };
        Self {
            limit,
            max_bytes,
            full: AtomicBool::new(limit == 0),
            kept: Mutex::new(kept),
        }
    }

    /// A place for the results of one path: one that keeps nothing and only counts when they could not be in the answer any more.
    pub(crate) fn group(&self, path: &str) -> Group<T> {
        let wanted = !self.full.load(Ordering::Relaxed)
            || self
                .lock()
                .by_path
                .last_key_value()
                .is_some_and(|(last, _)| path < last.as_str());
        let limit = if wanted { self.limit } else { 0 };
        Group {
            results: Vec::new(),
            bytes: 0,
            limit,
            max_bytes: self.max_bytes,
            total: 0,
        }
    }

    /// Takes the results of one path. Each path comes once.
    pub(crate) fn add(&self, path: &str, group: Group<T>) {
        if group.total == 0 {
            return;
        }
        let mut kept = self.lock();
        kept.total += group.total;
        if group.results.is_empty() {
            return;
        }
        kept.count += group.results.len();
        kept.bytes += group.bytes;
        kept.by_path.insert(path.to_owned(), group);
        // What comes after a full answer is of no use.
        while let Some(last) = kept.by_path.last_entry() {
            let (results, bytes) = (last.get().results.len(), last.get().bytes);
            if kept.count - results < self.limit && kept.bytes - bytes < self.max_bytes {
                break;
            }
            kept.by_path.pop_last();
            kept.count -= results;
            kept.bytes -= bytes;
        }
        let full = kept.count >= self.limit || kept.bytes >= self.max_bytes;
        self.full.store(full, Ordering::Relaxed);
    }

    /// Sorts and cuts.
    pub(crate) fn into_answer(self) -> Answer<T> {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = 0_usize;
        let max_bytes = self.max_bytes;
        let results: Vec<T> = kept
            .by_path
            .into_values()
            .flat_map(|group| group.results)
            .take(self.limit)
            .take_while(|(_, size)| {
                bytes = bytes.saturating_add(*size);
                bytes <= max_bytes
            })
            .map(|(result, _)| result)
            .collect();
        let truncated = (results.len() as u64) < kept.total;
        Answer {
            results,
            total: Count::Exact(kept.total),
            truncated,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Group<T> {
    /// One more result. `make` gives it with its size in bytes, and is called only when it is kept.
    pub(crate) fn push(&mut self, make: impl FnOnce() -> (T, usize)) {
        self.total += 1;
        if self.results.len() < self.limit && self.bytes <= self.max_bytes {
            let (result, size) = make();
            self.bytes = self.bytes.saturating_add(size);
            self.results.push((result, size));
        }
    }
}
