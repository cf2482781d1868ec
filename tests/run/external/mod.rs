//! Coders that are programs, by scripted stand-ins: what they leave in their scratch is what they propose, whatever they say.

mod choosing;
mod ends;
mod ignoring;
mod refused;
mod told;
mod work;

use crate::support::{Finished, Sandbox};

/// A script as a coder called `mine`, for `--external`. It lies outside the workspace, as a user's program does.
pub(super) fn program(sandbox: &Sandbox, script: &str) -> String {
    let path = sandbox.path().join("mine.sh");
    std::fs::write(&path, script).unwrap();
    format!("mine=sh {}", path.display())
}

/// Has a script do a task; whatever it does, nothing of it is left.
pub(super) fn run(sandbox: &Sandbox, script: &str, arguments: &[&str]) -> Finished {
    let program = program(sandbox, script);
    let finished = sandbox.run(&[&["do it", "--external", &program], arguments].concat());
    sandbox.assert_nothing_is_left();
    finished
}
