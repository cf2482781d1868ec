//! A journal that was torn, damaged, or written by another build or for another folder.

use std::fs;
use std::io;

use super::tree::{Tree, delete, rename, write};
use crate::apply::journal::{self, Progress};
use crate::apply::watch::{Moment, Watch};
use crate::apply::{Direction, RecoverError, apply_watched, recover};
use crate::capability::Cancel;

struct DiesAfterPlacing;

impl Watch for DiesAfterPlacing {
    fn at(&self, moment: Moment) -> io::Result<()> {
        match moment {
            Moment::SyncPlaced | Moment::Undo(_) => Err(io::Error::other("dies")),
            _ => Ok(()),
        }
    }
}

/// A workspace in which an apply died after everything was in place, and before the journal says so; with the journal's text.
fn crashed() -> (Tree, String) {
    let tree = Tree::empty();
    tree.write("a", "old\n");
    tree.write("b", "old\n");
    tree.write("c", "old\n");
    let operations = vec![
        write("a", "new\n"),
        delete("b"),
        rename("c", "d/c"),
        write("e/f", "new\n"),
    ];
    let (root, set) = tree.change(operations);
    apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &DiesAfterPlacing).unwrap_err();
    let text = fs::read_to_string(tree.at().join("state/apply.jsonl")).unwrap();
    (tree, text)
}

#[test]
fn a_torn_end_is_as_if_it_were_not_there() {
    let (tree, text) = crashed();
    let ends = |line: &str| {
        text.find(line)
            .map(|at| at + text[at..].find('\n').unwrap() + 1)
            .unwrap()
    };
    let (intended, applying) = (ends("{\"intended\""), ends("\"applying\""));
    for end in 0..=text.len() {
        fs::write(tree.at().join("state/apply.jsonl"), &text[..end]).unwrap();
        let found = journal::find(&tree.journal()).unwrap().unwrap();
        let expected = match end {
            _ if end < intended => Progress::Intending,
            _ if end < applying => Progress::Staging,
            _ => Progress::Applying,
        };
        assert_eq!(found.progress, expected, "{end}");
    }
    // A page of the last piece may also never have reached the disk.
    let zeros = "\0".repeat(applying - intended - 15);
    fs::write(
        tree.at().join("state/apply.jsonl"),
        format!("{}{zeros}\n\"applying\"\n", &text[..intended]),
    )
    .unwrap();
    assert_eq!(
        journal::find(&tree.journal()).unwrap().unwrap().progress,
        Progress::Staging
    );
}

#[test]
fn damage_before_the_end_is_refused_and_nothing_touched() {
    let (tree, text) = crashed();
    let now = tree.snapshot();
    let damaged = text.replacen("\"intent\"", "\"intend\"", 1);
    for bad in [
        damaged,
        text.replacen("\"version\":1", "\"version\":2", 1),
        text.replacen("\"path\":\"a\"", "\"path\":\"../a\"", 1),
    ] {
        assert_ne!(bad, text);
        fs::write(tree.at().join("state/apply.jsonl"), &bad).unwrap();
        let error = recover(&tree.root(), &tree.journal()).unwrap_err();
        assert!(matches!(error, RecoverError::Unreadable { .. }), "{error}");
        assert!(tree.snapshot() == now);
    }
    fs::write(tree.at().join("state/apply.jsonl"), text).unwrap();
    assert_eq!(
        recover(&tree.root(), &tree.journal()).unwrap().unwrap().direction,
        Direction::Undone
    );
    assert_eq!(tree.snapshot().keys().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn another_folders_journal_is_refused() {
    let (tree, _) = crashed();
    let other = Tree::empty();
    fs::copy(
        tree.at().join("state/apply.jsonl"),
        other.at().join("state/apply.jsonl"),
    )
    .unwrap();
    let error = recover(&other.root(), &other.journal()).unwrap_err();
    assert!(matches!(error, RecoverError::OtherRoot), "{error}");
}

#[test]
fn nothing_to_recover_is_none() {
    let tree = Tree::empty();
    assert_eq!(recover(&tree.root(), &tree.journal()).unwrap(), None);
}
