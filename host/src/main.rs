//! The binary: take what the process was given, call the library, and map the outcome to an exit code.

use std::process::ExitCode;

use snodo_host::cli;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(cli::main(&arguments, cli::ambient::environment))
}
