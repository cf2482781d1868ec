//! Threads that share work which makes more work.

use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// At most so many threads: beyond it a walk waits for the kernel's locks, and each holds a buffer as large as the largest file searched.
const MAX_THREADS: usize = 8;

/// As many threads as the machine runs at once, within [`MAX_THREADS`].
pub(crate) fn threads() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZeroUsize::get)
        .min(MAX_THREADS)
}

/// Work to do, last in, first out: so the walk goes down before it goes on, and the folders it holds open are
/// those on the way down and not those of a whole level.
pub(crate) struct Pool<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: Vec<T>,
    /// Threads that are at work, and may add more.
    busy: usize,
    /// Threads that have nothing to do.
    idle: usize,
    stopped: bool,
}

impl<T: Send> Pool<T> {
    pub(crate) fn new(first: T) -> Self {
        let state = State {
            waiting: vec![first],
            busy: 0,
            idle: 0,
            stopped: false,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Does all work with `threads` threads, of which the caller's is one. `work` gets a piece and the thread's own value.
    pub(crate) fn run<V: Send>(
        &self,
        threads: usize,
        make: impl Fn() -> V + Sync,
        work: impl Fn(T, &mut V) + Sync,
    ) -> Vec<V> {
        let one = || {
            let mut own = make();
            while let Some(piece) = self.take() {
                let busy = Busy(self);
                work(piece, &mut own);
                drop(busy);
            }
            own
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
            let mut all = vec![one()];
            for other in others {
                match other.join() {
                    Ok(own) => all.push(own),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    }

    /// Adds work. Called by a thread that is at work.
    pub(crate) fn add(&self, pieces: Vec<T>) {
        if pieces.is_empty() {
            return;
        }
        let mut state = self.lock();
        let wake = state.idle.min(pieces.len());
        state.waiting.extend(pieces);
        drop(state);
        for _ in 0..wake {
            self.changed.notify_one();
        }
    }

    /// Whether there is work for whoever has none.
    pub(crate) fn has_waiting(&self, at_least: usize) -> bool {
        self.lock().waiting.len() >= at_least
    }

    /// Drops all work that waits.
    pub(crate) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        state.waiting.clear();
        self.changed.notify_all();
    }

    fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(piece) = state.waiting.pop() {
                state.busy += 1;
                return Some(piece);
            }
            if state.busy == 0 {
                return None;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread at work. Dropped also when the work panics, so that the others do not wait for it for ever.
struct Busy<'a, T: Send>(&'a Pool<T>);

impl<T: Send> Drop for Busy<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.busy -= 1;
        if thread::panicking() {
            state.stopped = true;
        }
        if state.stopped || (state.busy == 0 && state.waiting.is_empty()) {
            self.0.changed.notify_all();
        }
    }
}
