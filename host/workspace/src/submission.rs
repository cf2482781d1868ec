//! `submit`, answered by an overlay.

use std::fmt;
use std::sync::Arc;

use crate::capability::{Operation, ProgressEvent, Submission, Submit, SubmitError};
use crate::overlay::Overlay;

/// Whoever shows progress. Called on the plugin's thread: it must not wait.
pub type ProgressSink = dyn Fn(ProgressEvent) + Send + Sync;

/// A coder's way to submit: into one overlay, with its progress going to one sink.
#[derive(Clone)]
pub struct SubmitHandle {
    overlay: Arc<Overlay>,
    progress: Arc<ProgressSink>,
}

impl SubmitHandle {
    /// Into this overlay. A sink that drops is a fine one.
    pub fn new(overlay: Arc<Overlay>, progress: Arc<ProgressSink>) -> Self {
        Self { overlay, progress }
    }
}

impl Submit for SubmitHandle {
    fn submit_files(&self, operations: Vec<Operation>) -> Result<Submission, SubmitError> {
        self.overlay.submit(operations)
    }

    fn withdraw(&self, paths: &[String]) -> Result<Vec<String>, SubmitError> {
        self.overlay.withdraw(paths)
    }

    fn progress(&self, event: ProgressEvent) {
        (self.progress)(event);
    }
}

impl fmt::Debug for SubmitHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubmitHandle")
            .field("overlay", &self.overlay)
            .finish_non_exhaustive()
    }
}
