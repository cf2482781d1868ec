//! Changes that git would execute later, though nothing of them lies in a `.git`: hooks in the folder that `core.hooksPath` names, and
//! folders with the shape of a bare repository, in which git obeys their own configuration and hooks.
//!
//! Such a change is not refused, since projects keep both for good reasons; but a person is told, before they type `git` there.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::ops::Bound;

use super::{ChangeKind, ChangeSet};
use crate::base::Base;
use crate::handle;
use crate::path::WorkspacePath;
use crate::root::Root;

/// Bytes of a repository's configuration that are read; they have a few hundred.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// What git finds in a folder that it takes for a repository: the first, and one of the others.
const HEAD: &str = "HEAD";
const BESIDE: [&str; 3] = ["objects", "refs", "config"];

/// What a change makes that git would execute, each with its path and the reason, in the order of path bytes.
///
/// The configuration is read as it stands in the workspace's own `.git`; what it includes from elsewhere, and what the user's own says, is
/// not looked at.
pub fn run_by_git(base: &Base, change: &ChangeSet) -> Vec<(WorkspacePath, &'static str)> {
    let files: Vec<&WorkspacePath> = change
        .files
        .iter()
        .filter(|file| file.kind != ChangeKind::Deleted)
        .map(|file| &file.path)
        .collect();
    let present: BTreeSet<&str> = files.iter().map(|path| path.as_str()).collect();
    let hooks = hooks_folder(base.root());
    let planted = files
        .iter()
        .filter(|path| hooks.as_ref().is_some_and(|hooks| path.is_or_is_below(hooks)))
        .map(|&path| {
            (
                path.clone(),
                "lies in the folder that `core.hooksPath` names: git executes it",
            )
        });
    let folders: BTreeSet<WorkspacePath> = files.iter().flat_map(|path| path.ancestors()).collect();
    let repositories = folders
        .into_iter()
        .map(Some)
        .chain([None])
        .filter_map(|folder| repository(base, &present, folder.as_ref()))
        .map(|named| {
            (
                named,
                "makes its folder one with the shape of a bare git repository: git in it obeys its configuration and hooks",
            )
        });
    let mut found: Vec<_> = planted.chain(repositories).collect();
    found.sort();
    found
}

/// The `HEAD` of a folder (none: the root) to which the change adds what makes a repository of it, or more of one.
fn repository(base: &Base, present: &BTreeSet<&str>, folder: Option<&WorkspacePath>) -> Option<WorkspacePath> {
    let path = |name: &str| WorkspacePath::in_folder(folder, name).ok();
    let changed = |name: &str| path(name).is_some_and(|path| is_or_has_below(present, &path));
    if !std::iter::once(HEAD).chain(BESIDE).chain(["hooks"]).any(changed) {
        return None;
    }
    let in_base = |name: &str| path(name).is_some_and(|path| base.kind(&path).is_ok_and(|kind| kind.is_some()));
    let there = |name: &str| changed(name) || in_base(name);
    // Where there is a `.git`, git looks no further.
    let is_one = !in_base(".git") && there(HEAD) && BESIDE.into_iter().any(there);
    is_one.then(|| path(HEAD)).flatten()
}

/// Whether one of them is this path, or lies below it.
fn is_or_has_below(paths: &BTreeSet<&str>, path: &WorkspacePath) -> bool {
    let below = format!("{path}/", path = path.as_str());
    paths.contains(path.as_str())
        || paths
            .range::<str, _>((Bound::Included(below.as_str()), Bound::Unbounded))
            .next()
            .is_some_and(|next| next.starts_with(&below))
}

fn hooks_folder(root: &Root) -> Option<WorkspacePath> {
    let (file, _) = handle::open_file(root.dir(), &WorkspacePath::parse(".git/config").ok()?).ok()?;
    let mut text = Vec::new();
    file.take(MAX_CONFIG_BYTES).read_to_end(&mut text).ok()?;
    let given = hooks_path(&String::from_utf8_lossy(&text))?;
    let inside = match given.strip_prefix(root.resolved().to_str()?) {
        Some(rest) => rest.trim_start_matches('/'),
        None => &given,
    };
    WorkspacePath::parse(inside.trim_end_matches('/')).ok()
}

/// The last `hooksPath` of a section `core`, as git's configuration files are written.
fn hooks_path(config: &str) -> Option<String> {
    let mut in_core = false;
    let mut found = None;
    for line in config.lines() {
        let mut line = line.trim();
        if let Some((section, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            in_core = section.trim().eq_ignore_ascii_case("core");
            line = rest.trim();
        }
        if let Some((key, text)) = line.split_once('=')
            && in_core
            && key.trim().eq_ignore_ascii_case("hookspath")
        {
            found = Some(value(text));
        }
    }
    found.filter(|found| !found.is_empty())
}

/// A value: without quotes and escapes, up to a comment.
fn value(text: &str) -> String {
    let (mut out, mut quoted) = (String::new(), false);
    let mut rest = text.trim().chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => out.extend(rest.next()),
            '#' | ';' if !quoted => break,
            c => out.push(c),
        }
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::hooks_path;

    #[test]
    fn hooks_paths_are_found_as_git_finds_them() {
        for (config, expected) in [
            ("[core]\n\thooksPath = hooks\n", Some("hooks")),
            ("[CORE] hookspath=my hooks ; mine\n", Some("my hooks")),
            (
                "[core]\nhooksPath = \"a;b\\\\c\" # x\n[core]\nbare = false\n",
                Some("a;b\\c"),
            ),
            ("[core]\nhooksPath = one\nhooksPath = two\n", Some("two")),
            ("[core \"x\"]\nhooksPath = hooks\n", None),
            ("[other]\nhooksPath = hooks\n", None),
            ("[core]\n# hooksPath = hooks\nhooksPath =\n", None),
        ] {
            assert_eq!(hooks_path(config).as_deref(), expected, "{config}");
        }
    }
}
