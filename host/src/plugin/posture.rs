//! Linking WASI's inert part. Sockets and HTTP are not linked at all: admission refuses them, and here they would not be found.

use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, io, random};
use wasmtime_wasi::random::WasiRandom;

use super::clock::{HasVirtualTime, VirtualTime};
use super::state::PluginState;

struct HasTable;

impl HasData for HasTable {
    type Data<'a> = &'a mut ResourceTable;
}

/// Adds the interfaces that admission calls inert.
pub(super) fn link(linker: &mut Linker<PluginState>) -> wasmtime::Result<()> {
    type S = PluginState;
    io::error::add_to_linker::<S, HasTable>(linker, |s| &mut s.table)?;
    io::poll::add_to_linker::<S, HasTable>(linker, |s| &mut s.table)?;
    io::streams::add_to_linker::<S, HasTable>(linker, |s| &mut s.table)?;
    clocks::wall_clock::add_to_linker::<S, WasiClocks>(linker, S::clocks)?;
    clocks::monotonic_clock::add_to_linker::<S, HasVirtualTime>(linker, |s| VirtualTime {
        clock: &s.clock,
        table: &mut s.table,
    })?;
    random::random::add_to_linker::<S, WasiRandom>(linker, |s| s.wasi.random())?;
    random::insecure::add_to_linker::<S, WasiRandom>(linker, |s| s.wasi.random())?;
    random::insecure_seed::add_to_linker::<S, WasiRandom>(linker, |s| s.wasi.random())?;
    cli::environment::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::exit::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::stdin::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::stdout::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::stderr::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_input::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_output::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stdin::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stdout::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stderr::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    filesystem::types::add_to_linker::<S, WasiFilesystem>(linker, S::filesystem)?;
    filesystem::preopens::add_to_linker::<S, WasiFilesystem>(linker, S::filesystem)?;
    Ok(())
}
