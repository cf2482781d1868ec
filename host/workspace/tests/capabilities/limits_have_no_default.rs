use snodo_workspace::limits::{FileLimits, SubmitLimits};

fn main() {
    let _ = FileLimits::default();
    let _ = SubmitLimits::default();
}
