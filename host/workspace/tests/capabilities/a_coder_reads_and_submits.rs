//! The control: what is allowed compiles.
use snodo_workspace::capability::{CoderCapabilities, JudgeCapabilities, Operation, SubmitError};

fn code(capabilities: &CoderCapabilities) -> Result<(), SubmitError> {
    let _ = capabilities.read.read_file("a");
    capabilities.submit.submit_files(vec![Operation::Delete { path: "a".to_owned() }])?;
    Ok(())
}

fn judge(capabilities: &JudgeCapabilities) {
    let _ = capabilities.read.read_file("a");
    let _ = capabilities.change.summary();
}

fn main() {
    let _ = (code, judge);
}
