//! The validator `secrets`: stops a change whose added lines hold credentials.
//!
//! What a credential looks like is the table `host/data/secrets.json`. Lines are those that the host's account of the change calls
//! added. A file that has no lines there (binary, or too large for one answer) is read and looked through whole. What can be seen
//! neither way is a fault, never a pass. No value is ever put out: not in the verdict, not in a fault.

mod mask;
mod report;
mod rules;
mod scan;

use std::collections::{BTreeMap, BTreeSet};

use snodo_plugin::prelude::*;
use snodo_plugin::types::Limit;

use scan::{Hit, Scanner};

struct Secrets;

impl Validator for Secrets {
    fn describe() -> Description {
        Description::new(
            "secrets",
            env!("CARGO_PKG_VERSION"),
            "Stops a change that adds credentials: keys, tokens and passwords, by one table of patterns.",
        )
        .phase(Phase::PostExecute)
    }

    fn evaluate(evaluation: Evaluation, _context: Context) -> Result<Verdict, Fault> {
        if evaluation.phase != Phase::PostExecute {
            return Err(Fault::Internal("it judges after execution only".to_owned()));
        }
        judge(&Host).map_err(|fault| mask::fault(&Scanner::new(), fault))
    }
}

snodo_plugin::export!(validator: Secrets);

/// Where the change is seen: the host, or a test.
trait View {
    fn changed(&self) -> Result<Vec<change::ChangedFile>, Fault>;
    /// Differences without context, and the paths that have none that can be shown whole.
    fn differences(&self, paths: Vec<String>) -> Result<change::DiffAnswer, Fault>;
    /// Lines from `first` on, as many as one answer holds.
    fn lines(&self, path: &str, first: u64) -> Result<read::Lines, Fault>;
    /// The file as it was, where it can be had.
    fn before(&self, path: &str) -> Result<Option<Content>, Limit>;
}

struct Host;

impl View for Host {
    fn changed(&self) -> Result<Vec<change::ChangedFile>, Fault> {
        Ok(change::summary()?.files)
    }

    fn differences(&self, paths: Vec<String>) -> Result<change::DiffAnswer, Fault> {
        Ok(change::diff_in_pages(paths, 0)?)
    }

    fn lines(&self, path: &str, first: u64) -> Result<read::Lines, Fault> {
        Ok(read::lines(path, first, u64::MAX)?)
    }

    fn before(&self, path: &str) -> Result<Option<Content>, Limit> {
        match change::before(path) {
            Ok(file) => Ok(Some(file.content)),
            Err(change::BeforeError::Read(read::ReadError::Limit(limit))) => Err(limit),
            Err(_) => Ok(None),
        }
    }
}

/// What was found, and where it was looked for.
#[derive(Default)]
struct Findings {
    found: Vec<Found>,
    /// Added lines that were looked at.
    lines: u64,
    /// Files seen by their added lines.
    by_lines: Vec<String>,
    /// Files without added lines to see, seen whole.
    whole: Vec<String>,
}

/// A credential, by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    path: String,
    /// From 1; none: in the path itself.
    line: Option<u64>,
    hit: Hit,
}

fn judge(view: &impl View) -> Result<Verdict, Fault> {
    let scanner = Scanner::new();
    let changed = view.changed()?;
    let present: Vec<&change::ChangedFile> = changed.iter().filter(|file| file.kind != ChangeKind::Deleted).collect();
    let mut findings = Findings::default();

    for file in &present {
        for hit in scanner.line(&file.path) {
            findings.found.push(Found {
                path: file.path.clone(),
                line: None,
                hit,
            });
        }
    }

    let textual = present
        .iter()
        .filter(|file| !file.binary)
        .map(|file| file.path.clone())
        .collect();
    let answer = view.differences(textual)?;
    let omitted: BTreeSet<&str> = answer.omitted.iter().map(String::as_str).collect();
    let shown: BTreeMap<&str, &change::FileDiff> = answer.files.iter().map(|file| (file.path.as_str(), file)).collect();

    for file in &present {
        let difference = shown
            .get(file.path.as_str())
            .filter(|difference| !file.binary && !difference.binary && !omitted.contains(file.path.as_str()));
        match difference {
            Some(difference) => added_lines(&scanner, file, difference, &mut findings)?,
            None => whole_file(&scanner, view, file, &mut findings)?,
        }
    }
    Ok(report::verdict(&scanner, &findings))
}

/// Looks at what the difference calls added, and checks that it is as much as the summary says.
fn added_lines(
    scanner: &Scanner,
    file: &change::ChangedFile,
    difference: &change::FileDiff,
    findings: &mut Findings,
) -> Result<(), Fault> {
    let mut seen = 0;
    for (number, text) in difference.added_lines() {
        seen += 1;
        for hit in scanner.line(text) {
            findings.found.push(Found {
                path: file.path.clone(),
                line: Some(number),
                hit,
            });
        }
    }
    if seen != file.added {
        return Err(Fault::IncompleteView(format!(
            "`{}` has {} added lines, and its difference shows {seen}",
            file.path, file.added
        )));
    }
    findings.lines += seen;
    findings.by_lines.push(file.path.clone());
    Ok(())
}

/// Looks through a whole file, and leaves out what stood in it before.
fn whole_file(
    scanner: &Scanner,
    view: &impl View,
    file: &change::ChangedFile,
    findings: &mut Findings,
) -> Result<(), Fault> {
    if file.kind == ChangeKind::ModeChanged {
        return Ok(()); // its content is as it was
    }
    let mut hits: Vec<(u64, Hit)> = Vec::new();
    let mut first = 1;
    loop {
        let part = view.lines(&file.path, first)?;
        hits.extend(
            scanner
                .bytes(part.content.as_bytes())
                .into_iter()
                .map(|(line, hit)| (first + line - 1, hit)),
        );
        if !part.truncated {
            break;
        }
        if part.last < first {
            return Err(Fault::IncompleteView(format!(
                "line {first} of `{}` is too long to be read, and the file is not text that can be compared",
                file.path
            )));
        }
        first = part.last + 1;
    }
    if !hits.is_empty() && file.kind != ChangeKind::Added {
        let earlier_path = file.old_path.as_deref().unwrap_or(&file.path);
        if let Some(before) = view.before(earlier_path).map_err(Fault::Limit)? {
            let earlier: BTreeSet<Hit> = scanner
                .bytes(before.as_bytes())
                .into_iter()
                .map(|(_, hit)| hit)
                .collect();
            hits.retain(|(_, hit)| !earlier.contains(hit));
        }
    }
    findings.found.extend(hits.into_iter().map(|(line, hit)| Found {
        path: file.path.clone(),
        line: Some(line),
        hit,
    }));
    findings.whole.push(file.path.clone());
    Ok(())
}

#[cfg(test)]
mod tests;
