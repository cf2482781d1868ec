//! The judgement. It touches nothing, so it can be tested anywhere.

use std::collections::BTreeSet;

use snodo_plugin::change::ChangedFile;
use snodo_plugin::{ChangeKind, Verdict};

/// Whether the change comes with an entry in the changelog, where it needs one.
pub fn judge(change: &[ChangedFile], changelog: &str, exempt: &[String], strict: bool) -> Verdict {
    let needing: BTreeSet<&str> = change
        .iter()
        .flat_map(ChangedFile::paths)
        .filter(|path| *path != changelog && !exempt.iter().any(|folder| is_below(path, folder)))
        .collect();
    let Some(first) = needing.first() else {
        return Verdict::skipped(format!("nothing in the change needs an entry in {changelog}"));
    };
    let has_entry = change
        .iter()
        .any(|file| file.path == changelog && file.kind != ChangeKind::Deleted && file.added > 0);
    let verdict = if has_entry {
        let count = needing.len();
        let paths = if count == 1 { "path" } else { "paths" };
        Verdict::pass(format!("{changelog} has a new entry for {count} changed {paths}."))
    } else {
        let more = match needing.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let words = format!("{first}{more} changed, and {changelog} has no new entry.");
        if strict { Verdict::blocker(words) } else { Verdict::warn(words) }
    };
    verdict.examined(needing.into_iter().take(20))
}

/// Whether a path is this folder or below it.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
