//! A run of the suite's: the engine's own, in a workspace and a state folder of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::fs::Dir;

use super::place::{Kind, Place, picture, put};
use super::script::{Manner, Script};
use super::subject::no_folder;
use crate::engine::{self, Grant, Host, RunRequest, SetupError, Stop};
use crate::events::{Event, Observer};
use crate::record::RunReport;

/// When somebody interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interrupt {
    /// Never.
    Never,
    /// As soon as the coder is called.
    AtCoder,
    /// As soon as a gate begins.
    AtGate,
}

/// A run, as the suite wants it.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) task: String,
    pub(super) coder: String,
    pub(super) validators: Vec<String>,
    pub(super) protocol: Option<String>,
    pub(super) settings: Vec<String>,
    pub(super) grants: Vec<Grant>,
    pub(super) manner: Manner,
    pub(super) dry_run: bool,
    pub(super) commit: bool,
    pub(super) interrupt: Interrupt,
}

/// What is seen of it.
pub(super) struct Ran {
    pub(super) report: Result<RunReport, SetupError>,
    /// The coder was called.
    pub(super) called: bool,
    /// The workspace is as it was.
    pub(super) untouched: bool,
    pub(super) workspace: Dir,
    pub(super) script: Script,
}

impl Ran {
    /// How it ended, in a line.
    pub(super) fn told(&self) -> String {
        match &self.report {
            Ok(report) => {
                let word = serde_json::to_value(report.outcome).unwrap_or_default();
                format!("the run ended as {}: {}", word.as_str().unwrap_or("?"), report.reason)
            }
            Err(error) => format!("the run did not begin: {error}"),
        }
    }
}

/// Watches a run, and interrupts it.
struct Watch {
    stop: Stop,
    interrupt: Interrupt,
    called: AtomicBool,
}

impl Observer for Watch {
    fn on(&self, event: &Event<'_>) {
        if matches!(
            (self.interrupt, event),
            (Interrupt::AtCoder, Event::Coder { .. }) | (Interrupt::AtGate, Event::Gate { .. })
        ) {
            self.stop.ask();
        }
        if matches!(event, Event::Coder { .. }) {
            self.called.store(true, Ordering::Relaxed);
        }
    }
}

/// Performs it.
pub(super) async fn perform(host: &Host, place: &Place, scene: Scene) -> Result<Ran, SetupError> {
    let (path, workspace): (PathBuf, Dir) = place.workspace(Kind::Ordinary).map_err(no_folder)?;
    if let Some(protocol) = &scene.protocol {
        put(&workspace, ".snodo/protocol.yml", protocol.as_bytes()).map_err(no_folder)?;
    }
    let script = Script::new(scene.manner);
    let ours = host.for_conformance(place.path("state"), Arc::new(script.clone()))?;
    let request = RunRequest {
        coder: Some(scene.coder),
        validators: scene.validators,
        settings: scene.settings,
        grants: scene.grants,
        dry_run: scene.dry_run,
        commit: scene.commit,
        ..RunRequest::new(scene.task, path)
    };
    let watch = Watch {
        stop: Stop::default(),
        interrupt: scene.interrupt,
        called: AtomicBool::new(false),
    };
    let before = picture(&workspace).map_err(no_folder)?;
    // Boxed: what a run holds while it waits is large, and this is one of many.
    let report = Box::pin(engine::run(&ours, request, &watch, &watch.stop)).await;
    let after = picture(&workspace).map_err(no_folder)?;
    Ok(Ran {
        report,
        called: watch.called.load(Ordering::Relaxed),
        untouched: before == after,
        workspace,
        script,
    })
}
