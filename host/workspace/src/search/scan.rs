//! What text and symbol search have in common: which files are looked at, and how.

use std::sync::Arc;

use super::content::{self, NoText, Reader, Text};
use super::lines::Stopped;
use crate::base::Base;
use crate::capability::{Cancel, EntryKind, Refusal, SearchError, SkipReason};
use crate::path::WorkspacePath;
use crate::view::View;
use crate::walk::{First, Found, Group, Place, Scope, Skips, Visitor, walk};

/// What is searched for. Each thread has its own.
pub(super) trait Engine: Send {
    type Result: Send;

    /// Whether a file of this name is searched at all.
    fn covers(&self, name: &str) -> bool;

    /// Searches one text, line by line.
    fn search(
        &mut self,
        path: &str,
        text: Text<'_>,
        group: &mut Group<Self::Result>,
        cancel: &Cancel,
    ) -> Result<(), Stopped>;
}

/// A search through the files of a view.
pub(super) struct Scan<'a> {
    pub view: &'a View,
    pub scope: &'a Scope<'a>,
    pub cancel: &'a Cancel,
}

/// What was done.
pub(super) struct Searched {
    pub files: u64,
    pub skips: Skips,
}

impl Scan<'_> {
    /// Searches every file of the scope and collects in `first`.
    pub(super) fn run<E: Engine>(
        &self,
        first: &First<E::Result>,
        make: impl Fn() -> E + Sync,
    ) -> Result<Searched, SearchError> {
        let base: &Arc<Base> = self.view.base();
        let max_bytes = base.limits().whole_bytes;
        let (threads, skips) = walk(self.view, self.scope, self.cancel, || Thread {
            engine: make(),
            reader: Reader::new(max_bytes),
            max_bytes,
            base,
            first,
            cancel: self.cancel,
            files: 0,
            kept_back: 0,
        })?;
        let files = threads.iter().map(|thread| thread.files).sum();
        let kept_back: u64 = threads.iter().map(|thread| thread.kept_back).sum();
        if files == 0 && kept_back > 0 {
            self.refuse_ignored()?;
        }
        Ok(Searched { files, skips })
    }

    /// Nothing could be searched, since what lies there is ignored and may not be read. When `under` itself is ignored, that is what the
    /// caller has to know, with the line that says so.
    fn refuse_ignored(&self) -> Result<(), SearchError> {
        let Ok(Some(path)) = WorkspacePath::parse_folder(self.scope.under) else {
            return Ok(());
        };
        match self.view.base().ignore_rules().why_ignored(&path, true) {
            Some(hit) => Err(SearchError::Refused(Refusal {
                path: self.scope.under.to_owned(),
                rule: format!(
                    "{hit}: ignored files are read only when the user allows them (`--read-ignored PATTERN`)"
                ),
            })),
            None => Ok(()),
        }
    }
}

struct Thread<'a, E: Engine> {
    engine: E,
    reader: Reader,
    max_bytes: u64,
    base: &'a Base,
    first: &'a First<E::Result>,
    cancel: &'a Cancel,
    files: u64,
    /// Ignored files that may not be read.
    kept_back: u64,
}

impl<E: Engine> Visitor for Thread<'_, E> {
    fn visit(&mut self, found: &Found<'_>, skips: &mut Skips) {
        match found.kind {
            EntryKind::File => {}
            EntryKind::Directory => return,
            EntryKind::Symlink => return skips.add(SkipReason::Symlink),
            _ => return skips.add(SkipReason::Special),
        }
        if !self.engine.covers(found.path.file_name()) {
            return skips.add(SkipReason::NotCovered);
        }
        let text = match found.place {
            Place::Base { folder, name } => {
                // Only an ignored file needs the question again: every other rule was asked by the walk.
                if found.ignored && self.base.check_not_ignored(found.path).is_err() {
                    self.kept_back += 1;
                    return skips.add(SkipReason::Refused);
                }
                self.reader.read(folder, name, self.cancel)
            }
            Place::Pending(bytes) => content::pending(bytes, self.max_bytes),
            Place::PendingFolder => return,
        };
        let text = match text {
            Ok(text) => text,
            Err(NoText::Skip(reason)) => return skips.add(reason),
            Err(NoText::Gone) => return,
        };
        let path = found.path.as_str();
        let mut group = self.first.group(path);
        match self.engine.search(path, text, &mut group, self.cancel) {
            Ok(()) => {
                self.files += 1;
                self.first.add(path, group);
            }
            Err(Stopped::TooLong) => skips.add(SkipReason::TooLarge),
            // The whole answer is dropped.
            Err(Stopped::GivenUp) => {}
        }
    }
}
