//! The component engine: one configuration for compiling and running, and the ticker that lets guests be interrupted.

use std::time::Duration;

use wasmtime::{Config, Engine};

use super::PluginLimits;

/// How often a running guest is looked at. Finer costs wake-ups, coarser delays Ctrl-C.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Host functions run on the guest's stack: enough room for them beside the guest's own frames.
const HOST_STACK_BYTES: usize = 2 * 1024 * 1024;

/// The configuration, whole. Whatever changes the compiled code changes the engine's compatibility hash, and with it the cache key.
pub(super) fn configuration(limits: &PluginLimits) -> Config {
    let stack = usize::try_from(limits.stack_bytes).unwrap_or(usize::MAX);
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(stack)
        .async_stack_size(stack.saturating_add(HOST_STACK_BYTES))
        // The same plugin on the same input gives the same bytes, on every machine.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false);
    config
}

/// An engine, and the thread that moves its epoch on for as long as the engine lives.
pub(super) fn start(limits: &PluginLimits) -> wasmtime::Result<Engine> {
    let engine = Engine::new(&configuration(limits))?;
    let weak = engine.weak();
    std::thread::Builder::new()
        .name("plugin-ticker".to_owned())
        .spawn(move || {
            while let Some(engine) = weak.upgrade() {
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
            }
        })?;
    Ok(engine)
}
