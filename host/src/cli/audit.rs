//! `snodo-host audit`: whether a workspace's audit log is whole, and what to do when it is not.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Value, json};
use snodo_audit::repair::Kept;
use snodo_audit::{AuditError, Broken, Head, Note, Repair, VerifyError, folder, project, repair, verify};
use snodo_workspace::ambient;
use snodo_workspace::lock::RunLock;
use snodo_workspace::root::Root;
use snodo_workspace::state::{self, WorkspaceState};

use super::args::{AuditArgs, AuditCommand};
use super::render::{BOLD, DIM, GREEN, PLAIN, RED, YELLOW, adapted};
use crate::engine::Environment;
use crate::record::{AuditReport, Place, Runs, StateFolder, fresh, keep_head, known_heads};
use crate::text::one_line;

/// The schema's name.
pub(super) const SCHEMA: &str = "snodo.audit.v1";

/// snodo's exit codes: the log does not verify; it could not be looked at.
const EXIT_INVALID: u8 = 1;
const EXIT_COULD_NOT: u8 = 4;

/// What is printed, and the exit code.
struct Answer {
    code: u8,
    json: Value,
    shown: String,
}

/// Answers snodo's codes: 0 for a log that is whole (or is now), 1 for one that is not, 4 where that could not be told or done.
pub(super) async fn audit(command: AuditCommand, environment: Environment) -> u8 {
    let (args, repairs) = match command {
        AuditCommand::Verify(args) => (args, false),
        AuditCommand::Repair(args) => (args, true),
    };
    let as_json = args.json;
    // Both wait for locks.
    let done = tokio::task::spawn_blocking(move || {
        let opened = Opened::open(&args, &environment)?;
        if repairs {
            opened.repair(&environment)
        } else {
            opened.verify()
        }
    });
    let answer = done.await.unwrap_or_else(|error| Err(error.to_string()));
    let answer = answer.unwrap_or_else(|why| Answer {
        code: EXIT_COULD_NOT,
        json: json!({ "schema": SCHEMA, "ok": false, "error": why }),
        shown: format!("{RED}could not be told{PLAIN}  {why}\n"),
    });
    let text = if as_json {
        format!("{}\n", answer.json)
    } else {
        adapted(&answer.shown)
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    answer.code
}

/// A workspace, and what is known of its log.
struct Opened {
    root: Root,
    state: StateFolder,
    known: Vec<Head>,
}

impl Opened {
    fn open(args: &AuditArgs, environment: &Environment) -> Result<Self, String> {
        let directories = &environment.directories;
        directories.check_outside(&args.workspace).map_err(|e| e.to_string())?;
        let root = ambient::open_root(&args.workspace).map_err(|e| e.to_string())?;
        let dir = ambient::open_private_dir(&directories.state).map_err(|e| e.to_string())?;
        let state = StateFolder::new(dir, &directories.state);
        // A head that cannot be read tells nothing; but it is not passed over in silence.
        let mut known = Runs::open(&state)
            .and_then(|runs| runs.heads(&Place::of(&root)))
            .map_err(|e| e.to_string())?;
        let own = WorkspaceState::open_by_key(&state.dir, &state::key(&root))
            .map_err(|e| format!("the workspace's folder in the state folder: {e}"))?;
        if let Some(own) = &own {
            known.extend(known_heads(own.dir()).map_err(|e| e.to_string())?);
        }
        known.sort();
        known.dedup();
        Ok(Self { root, state, known })
    }

    fn verify(&self) -> Result<Answer, String> {
        let Some(dir) = folder::open(self.root.dir()).map_err(|e| e.to_string())? else {
            return Ok(self.no_folder());
        };
        match verify(&dir, &self.known) {
            Ok(verified) => {
                let mut shown = format!(
                    "{GREEN}valid{PLAIN}  {} events, {} known from runs\n",
                    verified.events,
                    self.known.len()
                );
                notes(&mut shown, &verified.notes);
                Ok(Answer {
                    code: 0,
                    json: json!({
                        "schema": SCHEMA,
                        "ok": true,
                        "valid": true,
                        "events": verified.events,
                        "head": verified.head.map(AuditReport::from),
                        "known_heads": self.known.len(),
                        "damage": null,
                        "notes": texts(&verified.notes),
                    }),
                    shown,
                })
            }
            Err(VerifyError::Broken(broken)) => Ok(self.invalid(broken.damage.code(), &broken)),
            Err(error) => Err(format!("{error} ({})", error.code())),
        }
    }

    /// Without a folder there is no log, which is one without events; unless a run has left some.
    fn no_folder(&self) -> Answer {
        let Some(known) = self.known.last() else {
            return Answer {
                code: 0,
                json: json!({
                    "schema": SCHEMA, "ok": true, "valid": true, "events": 0, "head": null, "known_heads": 0, "damage": null,
                    "notes": ["there is no folder `.snodo`"],
                }),
                shown: format!("{GREEN}valid{PLAIN}  no events: there is no folder `.snodo`\n"),
            };
        };
        let message = format!(
            "there is no folder `.snodo`, and event {} is known from a run: the log was removed",
            known.sequence
        );
        Answer {
            code: EXIT_INVALID,
            shown: format!("{RED}invalid{PLAIN}  {message}  {DIM}file_missing{PLAIN}\n"),
            json: json!({
                "schema": SCHEMA, "ok": false, "valid": false, "events": null, "head": null, "known_heads": self.known.len(),
                "damage": { "reason": "file_missing", "file": "audit.log", "line": 1, "message": message, "good_events": 0 },
                "notes": [],
            }),
        }
    }

    fn invalid(&self, reason: &str, broken: &Broken) -> Answer {
        let damage = damage(broken);
        let mut shown = format!("{RED}invalid{PLAIN}  {broken}  {DIM}{reason}{PLAIN}\n");
        let _ = writeln!(
            shown,
            "  {DIM}`snodo-host audit repair` puts what is damaged aside and goes on from the last good event{PLAIN}"
        );
        Answer {
            code: EXIT_INVALID,
            json: json!({
                "schema": SCHEMA,
                "ok": false,
                "valid": false,
                "events": null,
                "head": null,
                "known_heads": self.known.len(),
                "damage": damage,
                "notes": [],
            }),
            shown,
        }
    }

    fn repair(&self, environment: &Environment) -> Result<Answer, String> {
        let dir = folder::open(self.root.dir())
            .map_err(|e| e.to_string())?
            .ok_or("there is no folder `.snodo`: there is nothing to repair")?;
        // No run may be at work, whose log would be put aside.
        let own = WorkspaceState::open(&self.state.dir, &self.root).map_err(|e| e.to_string())?;
        let (_lock, _) = RunLock::acquire(own.dir(), std::process::id()).map_err(|e| e.to_string())?;
        let now = (environment.now)();
        let cached = project::cached(&dir).unwrap_or(None);
        let project = project::resolve(cached.as_ref(), None, fresh(&format!("{now:?}")));
        let done = repair(&dir, now, &project.id, &self.known).map_err(|error: AuditError| error.to_string())?;
        Ok(match done {
            Repair::NotNeeded(verified) => Answer {
                code: 0,
                json: json!({
                    "schema": SCHEMA, "ok": true, "repaired": false, "head": verified.head.map(AuditReport::from),
                    "damage": null, "kept": [], "lost": [],
                }),
                shown: format!("{GREEN}valid{PLAIN}  {} events: nothing to repair\n", verified.events),
            },
            Repair::Done(repaired) => {
                let mut shown = format!("{GREEN}repaired{PLAIN}  {}\n", repaired.damage);
                let head = AuditReport::from(repaired.head);
                if let Err(error) = keep_head(own.dir(), &head) {
                    let _ = writeln!(shown, "  {YELLOW}the new head could not be kept: {error}{PLAIN}");
                }
                if !repaired.kept.is_empty() {
                    let _ = writeln!(shown, "{BOLD}kept beside the log{PLAIN}");
                }
                for kept in &repaired.kept {
                    let _ = writeln!(shown, "  `.snodo/{}`  {} bytes", one_line(&kept.now, 200), kept.bytes);
                }
                if !repaired.lost.is_empty() {
                    let lost = repaired.lost.len();
                    let _ = writeln!(
                        shown,
                        "  {YELLOW}{lost} events that are known from runs are not in the log{PLAIN}"
                    );
                }
                let _ = writeln!(shown, "  {DIM}event {} tells of it{PLAIN}", repaired.head.sequence);
                Answer {
                    code: 0,
                    json: json!({
                        "schema": SCHEMA,
                        "ok": true,
                        "repaired": true,
                        "head": head,
                        "damage": damage(&repaired.damage),
                        "kept": repaired.kept.iter().map(kept).collect::<Vec<_>>(),
                        "lost": repaired.lost.iter().map(|head| json!(AuditReport::from(*head))).collect::<Vec<_>>(),
                    }),
                    shown,
                }
            }
        })
    }
}

fn damage(broken: &Broken) -> Value {
    json!({
        "reason": broken.damage.code(),
        "file": one_line(&broken.file, 200),
        "line": broken.line,
        "message": one_line(&broken.damage.to_string(), 1000),
        "good_events": broken.good.map_or(0, |head| head.sequence + 1),
    })
}

fn kept(kept: &Kept) -> Value {
    json!({ "was": kept.was, "now": kept.now, "bytes": kept.bytes, "sha256": kept.sha256 })
}

fn texts(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

fn notes(out: &mut String, notes: &[Note]) {
    for note in notes {
        let _ = writeln!(out, "  {YELLOW}!{PLAIN} {note}");
    }
}
