//! What a person sees while a run works: a spinner on a terminal, plain lines elsewhere; on standard error, always.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use snodo_workspace::role::{Phase, Severity};

use crate::events::{Event, Observer};

/// Shows a run's events.
pub(super) struct Progress {
    spinner: Option<ProgressBar>,
    phase: Mutex<String>,
}

impl Progress {
    /// Chooses by what standard error is.
    pub(super) fn start() -> Self {
        let spinner = std::io::stderr().is_terminal().then(|| {
            let spinner = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                spinner.set_style(style);
            }
            spinner.enable_steady_tick(Duration::from_millis(100));
            spinner
        });
        Self {
            spinner,
            phase: Mutex::default(),
        }
    }

    /// A new phase: the spinner's text, or a line.
    fn phase(&self, text: String) {
        match &self.spinner {
            Some(spinner) => {
                spinner.set_message(text.clone());
                *self.phase.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = text;
            }
            None => line(&text),
        }
    }

    /// What goes on within it.
    fn detail(&self, text: &str) {
        match &self.spinner {
            Some(spinner) => {
                let phase = self
                    .phase
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .clone();
                spinner.set_message(format!("{phase} — {text}"));
            }
            None => line(&format!("  {text}")),
        }
    }

    /// Something that stays on the screen.
    fn keep(&self, text: &str) {
        match &self.spinner {
            Some(spinner) => spinner.suspend(|| line(text)),
            None => line(text),
        }
    }
}

fn line(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", crate::record::mask(text));
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}

fn gate_name(phase: Phase) -> &'static str {
    match phase {
        Phase::PreExecute => "gate before execution",
        Phase::PostExecute => "gate after execution",
    }
}

impl Observer for Progress {
    fn on(&self, event: &Event<'_>) {
        match event {
            Event::Compiling { plugin, size } => {
                self.phase(format!(
                    "compiling `{plugin}` ({} KiB): the first start with it",
                    size.div_ceil(1024)
                ));
            }
            Event::Compiled { plugin, took } => {
                self.detail(&format!("`{plugin}` compiled in {:.1} s", took.as_secs_f64()));
            }
            Event::Gate { phase, validators: 0 } => self.phase(format!("{}: no validator judges", gate_name(*phase))),
            Event::Gate { phase, validators } => {
                let s = if *validators == 1 { "" } else { "s" };
                self.phase(format!("{}: {validators} validator{s}", gate_name(*phase)));
            }
            Event::Judged {
                validator,
                severity,
                error,
                mock,
            } => {
                let word = match (error, severity) {
                    (true, _) => "could not judge",
                    (false, Severity::Pass) if *mock => "mock",
                    (false, Severity::Warn) if *mock => "mock warn",
                    (false, Severity::Blocker) if *mock => "mock blocker",
                    (false, Severity::Pass) => "pass",
                    (false, Severity::Warn) => "warn",
                    (false, Severity::Blocker) => "blocker",
                };
                self.detail(&format!("{validator}: {word}"));
            }
            Event::Coder { name } => self.phase(format!("coder `{name}` works")),
            Event::Progress {
                plugin,
                message,
                done,
                total,
            } => {
                let steps = match (done, total) {
                    (Some(done), Some(total)) => format!(" ({done}/{total})"),
                    (Some(done), None) => format!(" ({done})"),
                    _ => String::new(),
                };
                self.detail(&format!("{plugin}: {message}{steps}"));
            }
            Event::Running { command } => self.detail(&format!("running `{}`", crate::text::one_line(command, 120))),
            Event::Applying { files } => {
                self.phase(format!("applying {files} file{}", if *files == 1 { "" } else { "s" }));
            }
            Event::Warning { message } => self.keep(&format!("warning: {}", crate::text::one_line(message, 600))),
        }
    }
}
