//! What the tests share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests; each file uses a part of this"
)]

use std::collections::BTreeMap;

use snodo_patch::{Content, Edit, File, Misfit, Options, PatchError, apply_text, plan};

/// A workspace in memory.
pub(crate) type Tree = BTreeMap<String, File>;

pub(crate) fn text(content: &str) -> File {
    File {
        content: Content::Text(content.to_owned()),
        executable: false,
    }
}

pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
    files
        .iter()
        .map(|(path, content)| ((*path).to_owned(), text(content)))
        .collect()
}

/// The workspace after the operations, which may name no path twice, but for what is written to a file that was moved.
pub(crate) fn carried_out(mut tree: Tree, edits: &[Edit]) -> Tree {
    let mut named = std::collections::BTreeSet::new();
    let mut moved = std::collections::BTreeSet::new();
    for edit in edits {
        if matches!(edit, Edit::Rename { .. }) {
            moved.insert(edit.path());
        } else if matches!(edit, Edit::Write { .. }) && moved.remove(edit.path()) {
            named.remove(edit.path());
        }
        for path in [Some(edit.path()), edit.old_path()].into_iter().flatten() {
            assert!(named.insert(path.to_owned()), "{path} is named twice in {edits:?}");
        }
        match edit {
            Edit::Delete { path } => assert!(tree.remove(path).is_some(), "{path} is not there to delete"),
            Edit::Rename { from, to } => {
                let file = tree.remove(from).unwrap();
                assert!(tree.insert(to.clone(), file).is_none(), "{to} is in the way");
            }
            Edit::Write {
                path,
                content,
                executable,
                new,
            } => {
                let before = tree.get(path);
                assert_eq!(before.is_none(), *new, "{path}");
                let executable = executable.unwrap_or(before.is_some_and(|file| file.executable));
                let content = content.clone();
                tree.insert(path.clone(), File { content, executable });
            }
            Edit::SetExecutable { path, executable } => tree.get_mut(path).unwrap().executable = *executable,
        }
    }
    tree
}

pub(crate) fn patched(files: &Tree, task: &str) -> Result<Tree, PatchError> {
    apply_text(task, files, &Options::default()).map(|edits| carried_out(files.clone(), &edits))
}

/// The text of one file after the task.
pub(crate) fn result(before: &str, task: &str) -> String {
    let after = patched(&tree(&[("x", before)]), task).unwrap();
    match &after.get("x").unwrap().content {
        Content::Text(text) => text.clone(),
        Content::Bytes(bytes) => panic!("bytes: {bytes:?}"),
    }
}

pub(crate) fn error(files: &[(&str, &str)], task: &str) -> PatchError {
    patched(&tree(files), task).unwrap_err()
}

/// The misfit of a patch that does not apply.
pub(crate) fn misfit(files: &[(&str, &str)], task: &str) -> Misfit {
    match error(files, task) {
        PatchError::DoesNotApply(misfit) => misfit,
        other => panic!("{other:?}"),
    }
}

/// The misfit of a patch that is there already.
pub(crate) fn applied(files: &[(&str, &str)], task: &str) -> Misfit {
    match error(files, task) {
        PatchError::AlreadyApplied(misfit) => misfit,
        other => panic!("{other:?}"),
    }
}

/// Line and reason of a patch that cannot be read.
pub(crate) fn malformed(task: &str) -> (u64, String) {
    match error(&[("x", "a\n")], task) {
        PatchError::Malformed { line, reason } => (line, reason),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn account(files: &[(&str, &str)], task: &str) -> Vec<String> {
    plan(task, &tree(files), &Options::default(), &mut |_| ())
        .unwrap()
        .account
}

/// `1` to `last`, a line each.
pub(crate) fn numbers(last: usize) -> String {
    (1..=last).fold(String::new(), |text, number| text + &number.to_string() + "\n")
}

/// Each line behind this text.
pub(crate) fn indented(by: &str, text: &str) -> String {
    text.lines()
        .fold(String::new(), |indented, line| indented + by + line + "\n")
}
