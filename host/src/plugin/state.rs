//! What a plugin's store holds: one type for both roles, so that WASI is compiled once.

use std::time::Duration;

use snodo_workspace::capability::{Cancel, CoderCapabilities, JudgeCapabilities};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::clock::VirtualClock;
use super::halt::ClosedImport;
use super::meter::{HostCall, Meter};
use super::output::CappedOutput;
use super::{PluginLimits, ToolList};

/// What the imports lead to.
pub(crate) enum Given {
    /// Nothing yet: the plugin is being started, or describes itself.
    Closed,
    /// A coder's.
    Coder(CoderCapabilities),
    /// A validator's, and which of its functions the protocol leaves it.
    Judge(JudgeCapabilities, ToolList),
}

/// What replays a plugin's view of time and chance.
#[derive(Debug, Clone, Copy)]
pub struct Replay {
    /// What the wall clock shows at first, since the Unix epoch.
    pub started_at: Duration,
    /// Seed of the random source.
    pub seed: [u8; 32],
}

/// The store's data.
pub(crate) struct PluginState {
    pub(super) table: ResourceTable,
    pub(super) wasi: WasiCtx,
    pub(super) clock: VirtualClock,
    pub(super) stdout: CappedOutput,
    pub(super) stderr: CappedOutput,
    pub(crate) meter: Meter,
    pub(crate) given: Given,
    /// Long work of host calls looks at this: it is set when the store goes.
    pub(crate) cancel: Cancel,
}

impl Drop for PluginState {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl PluginState {
    pub(super) fn new(limits: PluginLimits, replay: Replay) -> Self {
        let clock = VirtualClock::new(replay.started_at);
        let stdout = CappedOutput::new(limits.output_bytes);
        let stderr = CappedOutput::new(limits.output_bytes);
        let mut table = ResourceTable::new();
        table.set_max_capacity(usize::try_from(limits.resource_handles).unwrap_or(usize::MAX));
        Self {
            table,
            wasi: inert_wasi(&clock, &stdout, &stderr, replay.seed),
            clock,
            stdout,
            stderr,
            meter: Meter::new(limits),
            given: Given::Closed,
            cancel: Cancel::default(),
        }
    }

    /// Starts a host call: counted, timed, and refused while imports are closed.
    pub(crate) fn enter(&mut self, interface: &'static str) -> wasmtime::Result<HostCall> {
        if matches!(self.given, Given::Closed) {
            return Err(ClosedImport { interface }.into());
        }
        Ok(self.meter.enter()?)
    }
}

impl WasiView for PluginState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// WASI with no authority: no folder, no argument, no environment, an empty standard input, output that is kept and capped,
/// time and chance from the host.
fn inert_wasi(clock: &VirtualClock, stdout: &CappedOutput, stderr: &CappedOutput, seed: [u8; 32]) -> WasiCtx {
    let mut stream = [0; 4096];
    blake3::Hasher::new_keyed(&seed).finalize_xof().fill(&mut stream);
    let mut insecure_seed = [0; 16];
    insecure_seed.copy_from_slice(&stream[..16]);
    WasiCtxBuilder::new()
        .stdout(stdout.clone())
        .stderr(stderr.clone())
        .wall_clock(clock.clone())
        .monotonic_clock(clock.clone())
        .secure_random(Deterministic::new(stream.to_vec()))
        .insecure_random(Deterministic::new(stream.to_vec()))
        .insecure_random_seed(u128::from_le_bytes(insecure_seed))
        // One call cannot make the host allocate much; the guest asks again for more.
        .max_random_size(64 * 1024)
        .build()
}
