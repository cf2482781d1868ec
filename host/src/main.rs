//! The binary: take what the process was given, call the library, and map the outcome to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(snodo_host::cli::main(
        std::env::args_os().collect(),
        snodo_host::cli::ambient::environment,
    ))
}
