//! What every error about a configuration file promises.

use snodo_config::FileError;

use crate::printed;

/// It lists faults in the file's order, a bounded number of them, and however it is given out it is bounded and fit to be printed.
pub(crate) fn check(error: FileError) {
    let faults = error.faults();
    assert!((1..=50).contains(&faults.len()));
    assert!(error.more() == 0 || faults.len() == 50);
    assert!(faults.is_sorted_by_key(|fault| fault.place.offset));
    assert!(
        faults
            .iter()
            .all(|fault| fault.place.line >= 1 && fault.place.column >= 1)
    );
    printed::check(&error.to_string(), 500);
    // Two lines a fault, each with a few excerpts.
    printed::check_lines(&error.plain(), 50 * 8000);
    serde_json::to_string(&error).expect("every error can be given out as JSON");
    let mut drawn = String::new();
    let report = miette::Report::from(error);
    miette::NarratableReportHandler::new()
        .render_report(&mut drawn, report.as_ref())
        .expect("every excerpt lies within the file");
    printed::check_drawn(&drawn, 50 * 16_000);
}
