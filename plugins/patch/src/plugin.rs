//! The plugin: reads the files that a patch names, and submits what it comes to.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use snodo_plugin::prelude::*;
use snodo_plugin::{CoderReport, Mismatch, RefusedOperation, ReportedFile, types};

use crate::edit::{Edit, Plan};
use crate::error::{Misfit, PatchError};
use crate::files::{self, Files, ReadFailure};
use crate::options::{Options, Strip};
use crate::plan::{Step, plan};

/// How many lines of progress and of the report's notes there are at most; a patch of thousands of files is counted, not told.
const TOLD: usize = 100;

const MAX_OFFSET: &str = "max-offset";
const STRIP: &str = "strip";

/// The value of `strip` that leaves the choice to the names in the diff.
const AUTOMATIC: i64 = -1;

struct Patch;

impl Coder for Patch {
    fn describe() -> Description {
        let max_offset = i64::try_from(Options::MAX_OFFSET).unwrap_or(i64::MAX);
        Description::new(
            "patch",
            env!("CARGO_PKG_VERSION"),
            "Applies the unified diff or the SEARCH/REPLACE blocks that the task holds.",
        )
        .setting(
            Setting::integer(
                MAX_OFFSET,
                "How many lines away from where it says a hunk may stand, if all of its lines are there.",
            )
            .default(max_offset),
        )
        .setting(
            Setting::integer(
                STRIP,
                "How many leading folders to take off the paths of a diff; -1: one when they begin with `a/` and `b/`, else none.",
            )
            .default(AUTOMATIC),
        )
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        let options = options(&context)?;
        let plan = plan(&task.spec, &Workspace, &options, &mut tell).map_err(coder_error)?;
        let report = report(&plan);
        // Nothing is invented to have something to hand over: a patch that changes nothing submits nothing, and the host says so.
        if !plan.edits.is_empty() {
            submit(plan.edits)?;
        }
        Ok(Implementation::done().report(report))
    }
}

snodo_plugin::export!(coder: Patch);

/// The workspace, as the host shows it.
struct Workspace;

impl Files for Workspace {
    fn read(&self, path: &str) -> Result<Option<files::File>, ReadFailure> {
        match read::file(path) {
            Ok(file) => Ok(Some(files::File {
                content: match file.content {
                    Content::Text(text) => files::Content::Text(text),
                    Content::Bytes(bytes) => files::Content::Bytes(bytes),
                },
                executable: file.executable,
            })),
            Err(error) => missing_or_failure(path, error),
        }
    }
}

/// That nothing stands at a path is an answer; everything else is a failure.
fn missing_or_failure(path: &str, error: read::ReadError) -> Result<Option<files::File>, ReadFailure> {
    let reason = error.explain();
    let path = path.to_owned();
    Err(match error {
        read::ReadError::NotFound(_) => return Ok(None),
        // What a rule keeps from being read could not be written either: it is refused, not damaged.
        read::ReadError::BadPath(_) | read::ReadError::Refused(_) => ReadFailure::Refused { path, reason },
        read::ReadError::Limit(limit) => ReadFailure::Limit {
            name: limit.name,
            allowed: limit.allowed,
        },
        _ => ReadFailure::Unreadable { path, reason },
    })
}

/// Tells what goes on, not more often than somebody could read it.
fn tell(step: Step<'_>) {
    if step.done == step.total || step.done.is_multiple_of(step.total / TOLD + 1) {
        let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
        submit::step(step.account, count(step.done), count(step.total));
    }
}

/// The settings, checked.
fn options(context: &Context) -> Result<Options, CoderError> {
    let max_offset = context.integer(MAX_OFFSET)?;
    let strip = context.integer(STRIP)?;
    let unusable = |name: &str, value: i64, taken: &str| {
        CoderError::UnusableTask(format!("The setting `{name}` is {value}: it is {taken}."))
    };
    Ok(Options {
        max_offset: u64::try_from(max_offset)
            .map_err(|_| unusable(MAX_OFFSET, max_offset, "a number of lines, 0 or more"))?,
        strip: match strip {
            AUTOMATIC => Strip::Automatic,
            _ => {
                Strip::Folders(u32::try_from(strip).map_err(|_| unusable(STRIP, strip, "a number of folders, or -1"))?)
            }
        },
    })
}

/// Hands over all of it or none. One call names each path once, so what is written to a file that moves goes in a second one.
fn submit(edits: Vec<Edit>) -> Result<(), CoderError> {
    let moved: BTreeSet<String> = moved(&edits).map(str::to_owned).collect();
    let paths: Vec<String> = edits
        .iter()
        .flat_map(|edit| [Some(edit.path()), edit.old_path()])
        .flatten()
        .map(str::to_owned)
        .collect();
    let (first, second): (Vec<Edit>, Vec<Edit>) = edits
        .into_iter()
        .partition(|edit| edit.old_path().is_some() || !moved.contains(edit.path()));
    submit::files(first.into_iter().map(operation).collect())?;
    if second.is_empty() {
        return Ok(());
    }
    if let Err(refused) = submit::files(second.into_iter().map(operation).collect()) {
        submit::withdraw(&paths)?;
        return Err(refused.into());
    }
    Ok(())
}

/// Where files move to.
fn moved(edits: &[Edit]) -> impl Iterator<Item = &str> {
    edits.iter().filter(|edit| edit.old_path().is_some()).map(Edit::path)
}

fn operation(edit: Edit) -> submit::Operation {
    match edit {
        Edit::Delete { path } => submit::delete(path),
        Edit::Rename { from, to } => submit::rename(from, to),
        Edit::Write {
            path,
            content,
            executable,
            ..
        } => {
            let content = match content {
                files::Content::Text(text) => Content::Text(text),
                files::Content::Bytes(bytes) => Content::Bytes(bytes),
            };
            match executable {
                Some(executable) => submit::write_with_mode(path, content, executable),
                None => submit::write(path, content),
            }
        }
        Edit::SetExecutable { path, executable } => submit::set_executable(path, executable),
    }
}

/// The coder's own account of a plan.
fn report(plan: &Plan) -> CoderReport {
    let moved: BTreeSet<&str> = moved(&plan.edits).collect();
    let files = plan
        .edits
        .iter()
        // What is written to a file that moves is part of the move.
        .filter(|edit| edit.old_path().is_some() || !moved.contains(edit.path()))
        .map(|edit| {
            let kind = match edit {
                Edit::Delete { .. } => ChangeKind::Deleted,
                Edit::Rename { .. } => ChangeKind::Renamed,
                Edit::Write { new: true, .. } => ChangeKind::Added,
                Edit::Write { new: false, .. } => ChangeKind::Modified,
                Edit::SetExecutable { .. } => ChangeKind::ModeChanged,
            };
            ReportedFile::new(edit.path(), kind)
        })
        .collect();
    let mut notes = plan.account[..plan.account.len().min(TOLD)].join("\n");
    if plan.account.len() > TOLD {
        // Writing to a string cannot fail.
        let _ = write!(notes, "\nand {} more", plan.account.len() - TOLD);
    }
    CoderReport::completed(files, notes)
}

fn coder_error(error: PatchError) -> CoderError {
    let mismatch = |misfit: Misfit| Mismatch {
        path: misfit.path,
        hunk: misfit.hunk,
        nearest_line: misfit.nearest_line,
        reason: misfit.reason,
    };
    match error {
        PatchError::NoPatch { .. } | PatchError::Malformed { .. } | PatchError::Unsupported { .. } => {
            CoderError::UnusableTask(error.to_string())
        }
        PatchError::DoesNotApply(misfit) | PatchError::AlreadyApplied(misfit) => {
            CoderError::DoesNotApply(mismatch(misfit))
        }
        PatchError::NotText { path } => CoderError::Unreadable(RefusedOperation {
            path,
            reason: PatchError::NOT_TEXT.to_owned(),
        }),
        PatchError::Read(ReadFailure::Refused { path, reason }) => {
            CoderError::Refused(RefusedOperation { path, reason })
        }
        PatchError::Read(ReadFailure::Unreadable { path, reason }) => {
            CoderError::Unreadable(RefusedOperation { path, reason })
        }
        PatchError::Read(ReadFailure::Limit { name, allowed }) => CoderError::Limit(types::Limit { name, allowed }),
    }
}

#[cfg(test)]
mod tests;
