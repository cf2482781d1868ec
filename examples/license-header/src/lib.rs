//! A coder: puts a licence notice at the head of every source file that has none.

mod header;
mod style;
#[cfg(test)]
mod tests;

use snodo_plugin::prelude::*;
use snodo_plugin::{CoderReport, ReportedFile};

use crate::style::Style;

/// So many files are read, and their changes submitted, at once: what crosses in one call is bounded.
const AT_ONCE: usize = 50;

struct LicenseHeader;

impl Coder for LicenseHeader {
    fn describe() -> Description {
        Description::new(
            "license-header",
            env!("CARGO_PKG_VERSION"),
            "Puts a licence notice at the head of every source file that has none.",
        )
        .setting(
            Setting::text(
                "notice",
                "The notice, without comment marks; it may have several lines.",
            )
            .default("SPDX-License-Identifier: Apache-2.0"),
        )
        .setting(
            Setting::text_list(
                "paths",
                "Patterns of the files; one that begins with `!` leaves files out.",
            )
            .default(&["**/*"][..]),
        )
    }

    fn implement(_task: Task, context: Context) -> Result<Implementation, CoderError> {
        let notice = context.text("notice")?.trim();
        if notice.is_empty() {
            return Err(CoderError::UnusableTask("the setting `notice` is empty".to_owned()));
        }
        let patterns: Vec<&str> = context.text_list("paths")?.iter().map(String::as_str).collect();
        let found = read::walk(&patterns)?;
        let mut notes: Vec<String> = found.missing().into_iter().collect();

        let (files, protected): (Vec<String>, Vec<String>) = found
            .files
            .into_iter()
            .filter(|path| Style::of(path).is_some())
            .partition(|path| !is_protected(path, &context.protected_paths));
        notes.extend(protected.iter().map(|path| format!("`{path}` is protected")));

        let mut changed = Vec::new();
        for (batch, paths) in files.chunks(AT_ONCE).enumerate() {
            submit::step(
                "looking at the heads of files",
                count(batch * AT_ONCE),
                count(files.len()),
            );
            let mut operations = Vec::new();
            for answer in read::files(paths)? {
                match answer.outcome {
                    Ok(file) => {
                        let text = file.text().zip(Style::of(&answer.path));
                        if let Some(new) = text.and_then(|(text, style)| header::with_notice(text, style, notice)) {
                            changed.push(ReportedFile::new(&answer.path, ChangeKind::Modified));
                            operations.push(submit::write(answer.path, new));
                        }
                    }
                    Err(error) => notes.push(error.explain()),
                }
            }
            if !operations.is_empty() {
                submit::files(operations)?;
            }
        }
        if changed.is_empty() {
            let reason = format!("none of {} source files lacks the notice", files.len());
            notes.insert(0, reason);
            return Err(CoderError::UnusableTask(notes.join("; ")));
        }
        Ok(Implementation::done().report(CoderReport::completed(changed, notes.join("\n"))))
    }
}

snodo_plugin::export!(coder: LicenseHeader);

/// Whether a path is one of these, or below it.
fn is_protected(path: &str, protected: &[String]) -> bool {
    protected.iter().any(|rule| {
        path.strip_prefix(rule.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn count(files: usize) -> u32 {
    u32::try_from(files).unwrap_or(u32::MAX)
}
