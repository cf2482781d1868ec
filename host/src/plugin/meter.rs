//! What an instance has used, and the bounds on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::PluginLimits;
use super::halt::{Bound, BoundReached};

/// What one invocation used, as the report shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Linear memory at the end, which is also its peak: it never shrinks.
    pub memory_bytes: u64,
    /// The plugin's own computing.
    pub compute_ms: u64,
    /// Inside host calls.
    pub host_ms: u64,
    /// Calls of imports.
    pub host_calls: u64,
    /// Bytes read and found.
    pub read_bytes: u64,
    /// Bytes submitted.
    pub submit_bytes: u64,
}

impl Usage {
    /// The usage of several invocations of one plugin together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            memory_bytes: self.memory_bytes.max(other.memory_bytes),
            compute_ms: self.compute_ms + other.compute_ms,
            host_ms: self.host_ms + other.host_ms,
            host_calls: self.host_calls + other.host_calls,
            read_bytes: self.read_bytes + other.read_bytes,
            submit_bytes: self.submit_bytes + other.submit_bytes,
        }
    }
}

/// Counts, and refuses beyond the bounds.
pub(crate) struct Meter {
    limits: PluginLimits,
    usage: Usage,
    memory: u64,
    tables: u64,
    in_host: Arc<AtomicU64>,
    compute: Arc<Mutex<ComputeClock>>,
}

/// Wall-clock of the guest's own computing: since it was last resumed, less what it spent in host calls.
struct ComputeClock {
    resumed: Instant,
    in_host_at_resume: u64,
    used: Duration,
}

/// Counts the time of one host call; it ends when this is dropped, also when the call is abandoned.
pub(crate) struct HostCall {
    since: Instant,
    total: Arc<AtomicU64>,
}

impl Drop for HostCall {
    fn drop(&mut self) {
        let spent = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.total.fetch_add(spent, Ordering::Relaxed);
    }
}

/// Resumes the guest's clock after it let others run.
pub(super) struct Resume {
    compute: Arc<Mutex<ComputeClock>>,
    in_host: Arc<AtomicU64>,
}

impl Resume {
    pub(super) fn now(&self) {
        let mut clock = self.compute.lock().unwrap_or_else(PoisonError::into_inner);
        clock.resumed = Instant::now();
        clock.in_host_at_resume = self.in_host.load(Ordering::Relaxed);
    }
}

impl Meter {
    pub(super) fn new(limits: PluginLimits) -> Self {
        let clock = ComputeClock {
            resumed: Instant::now(),
            in_host_at_resume: 0,
            used: Duration::ZERO,
        };
        Self {
            limits,
            usage: Usage::default(),
            memory: 0,
            tables: 0,
            in_host: Arc::new(AtomicU64::new(0)),
            compute: Arc::new(Mutex::new(clock)),
        }
    }

    pub(crate) fn limits(&self) -> &PluginLimits {
        &self.limits
    }

    /// Counts a call of an import and starts its clock.
    pub(crate) fn enter(&mut self) -> Result<HostCall, BoundReached> {
        self.usage.host_calls += 1;
        if self.usage.host_calls > self.limits.host_calls {
            return Err(BoundReached {
                bound: Bound::HostCalls,
                allowed: self.limits.host_calls,
            });
        }
        Ok(HostCall {
            since: Instant::now(),
            total: Arc::clone(&self.in_host),
        })
    }

    /// Counts bytes that go to the guest.
    pub(crate) fn charge_read(&mut self, bytes: u64) -> Result<(), BoundReached> {
        self.usage.read_bytes = self.usage.read_bytes.saturating_add(bytes);
        if self.usage.read_bytes > self.limits.read_bytes {
            return Err(BoundReached {
                bound: Bound::ReadBytes,
                allowed: self.limits.read_bytes,
            });
        }
        Ok(())
    }

    /// Counts bytes that the guest submits.
    pub(crate) fn charge_submit(&mut self, bytes: u64) -> Result<(), BoundReached> {
        self.usage.submit_bytes = self.usage.submit_bytes.saturating_add(bytes);
        if self.usage.submit_bytes > self.limits.submit_bytes {
            return Err(BoundReached {
                bound: Bound::SubmitBytes,
                allowed: self.limits.submit_bytes,
            });
        }
        Ok(())
    }

    /// Adds what was computed since the last look, and refuses beyond the bound.
    pub(super) fn charge_compute(&mut self) -> Result<Resume, BoundReached> {
        let used = self.stop_compute();
        if used > self.limits.compute {
            let allowed = u64::try_from(self.limits.compute.as_millis()).unwrap_or(u64::MAX);
            return Err(BoundReached {
                bound: Bound::Compute,
                allowed,
            });
        }
        Ok(Resume {
            compute: Arc::clone(&self.compute),
            in_host: Arc::clone(&self.in_host),
        })
    }

    fn stop_compute(&mut self) -> Duration {
        let mut clock = self.compute.lock().unwrap_or_else(PoisonError::into_inner);
        let in_host = self.in_host.load(Ordering::Relaxed);
        let in_host_since = Duration::from_nanos(in_host.saturating_sub(clock.in_host_at_resume));
        let computed = clock.resumed.elapsed().saturating_sub(in_host_since);
        clock.used += computed;
        clock.resumed = Instant::now();
        clock.in_host_at_resume = in_host;
        clock.used
    }

    /// What was used so far.
    pub(super) fn usage(&mut self) -> Usage {
        let compute = self.stop_compute();
        let millis = |d: Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX);
        self.usage.compute_ms = millis(compute);
        self.usage.host_ms = millis(Duration::from_nanos(self.in_host.load(Ordering::Relaxed)));
        self.usage.memory_bytes = self.memory;
        self.usage
    }
}

/// Memory and tables are charged in sum over all of an instance's: bounds on each alone can be walked around.
impl wasmtime::ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let sum = self
            .memory
            .saturating_add((desired as u64).saturating_sub(current as u64));
        if sum > self.limits.memory_bytes {
            return Err(BoundReached {
                bound: Bound::Memory,
                allowed: self.limits.memory_bytes,
            }
            .into());
        }
        self.memory = sum;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let sum = self
            .tables
            .saturating_add((desired as u64).saturating_sub(current as u64));
        if sum > self.limits.table_elements {
            return Err(BoundReached {
                bound: Bound::Tables,
                allowed: self.limits.table_elements,
            }
            .into());
        }
        self.tables = sum;
        Ok(true)
    }

    fn instances(&self) -> usize {
        usize::try_from(self.limits.instances).unwrap_or(usize::MAX)
    }
}
