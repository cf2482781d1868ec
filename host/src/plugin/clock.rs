//! The clock a plugin sees: virtual, started by the host, so that a run can be replayed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wasmtime::component::{HasData, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// How far time moves on each time it is read: a loop that waits for time to pass comes to its end.
const STEP: Duration = Duration::from_millis(1);

/// One virtual time for both of WASI's clocks.
#[derive(Clone)]
pub(crate) struct VirtualClock {
    elapsed_ns: Arc<AtomicU64>,
    started_at: Duration,
}

impl VirtualClock {
    /// A clock that shows `started_at` (since the Unix epoch) at first.
    pub(crate) fn new(started_at: Duration) -> Self {
        Self {
            elapsed_ns: Arc::new(AtomicU64::new(0)),
            started_at,
        }
    }

    fn advance(&self, by: Duration) -> u64 {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let update = self
            .elapsed_ns
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| Some(now.saturating_add(by)));
        update.unwrap_or_else(|now| now)
    }
}

impl HostWallClock for VirtualClock {
    fn resolution(&self) -> Duration {
        STEP
    }

    fn now(&self) -> Duration {
        self.started_at + Duration::from_nanos(self.advance(STEP))
    }
}

impl HostMonotonicClock for VirtualClock {
    fn resolution(&self) -> u64 {
        u64::try_from(STEP.as_nanos()).unwrap_or(u64::MAX)
    }

    fn now(&self) -> u64 {
        self.advance(STEP)
    }
}

/// Access for WASI's monotonic clock: the crate's own implementation would sleep in real time.
pub(super) struct VirtualTime<'a> {
    pub(super) clock: &'a VirtualClock,
    pub(super) table: &'a mut ResourceTable,
}

/// Names [`VirtualTime`] to the linker.
pub(super) struct HasVirtualTime;

impl HasData for HasVirtualTime {
    type Data<'a> = VirtualTime<'a>;
}

/// A moment that has always come.
struct Come;

#[async_trait::async_trait]
impl Pollable for Come {
    async fn ready(&mut self) {}
}

impl monotonic_clock::Host for VirtualTime<'_> {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(HostMonotonicClock::now(self.clock))
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(HostMonotonicClock::resolution(self.clock))
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let now = self.clock.elapsed_ns.load(Ordering::Relaxed);
        self.subscribe_duration(when.saturating_sub(now))
    }

    /// Sleeping moves virtual time on and takes no real time.
    fn subscribe_duration(&mut self, duration: u64) -> wasmtime::Result<Resource<DynPollable>> {
        self.clock.advance(Duration::from_nanos(duration));
        let come = self.table.push(Come)?;
        subscribe(self.table, come)
    }
}
