//! Steps of an apply that do not depend on each other, on several threads.
//!
//! Most of the time of a large apply goes into what the file system does for each file: making it, giving it up. A second thread
//! takes a good part of that away, as far as the file system lets two work in it.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::error::ApplyError;

/// Below so many steps for each, another thread is not worth it.
const STEPS_FOR_A_THREAD: usize = 256;
/// Beyond so many the file system's journal is what all wait for.
const MAX_THREADS: usize = 4;

/// Takes the steps `0..count`: each thread those of one range, in their order. `take` is given the range and a flag that says to stop,
/// since another thread failed. The answers come in the order of the ranges; an error is that of the first range which has one.
pub(super) fn in_ranges<T: Send>(
    count: usize,
    take: impl Fn(Range<usize>, &Failed) -> Result<T, ApplyError> + Sync,
) -> Result<Vec<T>, ApplyError> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = threads.min(MAX_THREADS).min(count / STEPS_FOR_A_THREAD).max(1);
    let failed = Failed(AtomicBool::new(false));
    let one = |number: usize| {
        let range = count * number / threads..count * (number + 1) / threads;
        let answer = take(range, &failed);
        if answer.is_err() {
            failed.0.store(true, Ordering::Relaxed);
        }
        answer
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|number| scope.spawn(move || one(number))).collect();
        let mut answers = vec![one(0)];
        for other in others {
            answers.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        answers.into_iter().collect()
    })
}

/// Whether a step of another thread failed.
pub(super) struct Failed(AtomicBool);

impl Failed {
    pub(super) fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
