//! What a run tells whoever watches, while it works.

use std::time::Duration;

use snodo_workspace::role::{Phase, Severity};

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event<'a> {
    /// A plugin is being compiled: the first start with it.
    Compiling {
        /// Its name.
        plugin: &'a str,
        /// Bytes of its file.
        size: u64,
    },
    /// It is compiled, and kept for the next start.
    Compiled {
        /// Its name.
        plugin: &'a str,
        /// How long it took.
        took: Duration,
    },
    /// A gate begins.
    Gate {
        /// Which.
        phase: Phase,
        /// How many judge in it.
        validators: usize,
    },
    /// A validator has judged, or could not.
    Judged {
        /// Its id.
        validator: &'a str,
        /// How.
        severity: Severity,
        /// It could not.
        error: bool,
        /// It was the mock that was asked.
        mock: bool,
    },
    /// The coder begins.
    Coder {
        /// Its name.
        name: &'a str,
    },
    /// A plugin says what it is doing.
    Progress {
        /// Its name.
        plugin: &'a str,
        /// One harmless line.
        message: &'a str,
        /// Steps done, of how many.
        done: Option<u32>,
        /// Of how many.
        total: Option<u32>,
    },
    /// The declared tests are run.
    Running {
        /// What is executed.
        command: &'a str,
    },
    /// The change is being applied.
    Applying {
        /// How many files.
        files: usize,
    },
    /// Something that the person should know, once.
    Warning {
        /// In one line.
        message: &'a str,
    },
}

/// Whoever watches. Called from the run's own thread; must not block.
pub trait Observer: Send + Sync {
    /// Takes one event.
    fn on(&self, event: &Event<'_>);
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn on(&self, _: &Event<'_>) {}
}
