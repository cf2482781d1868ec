//! The binary: take what the process was given, call the library, and map the outcome to an exit code.

use std::process::ExitCode;

use snodo_host::cli;

#[expect(
    clippy::disallowed_methods,
    reason = "this is where the process hands over what it was given"
)]
fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(cli::main(&arguments, cli::ambient::environment))
}
