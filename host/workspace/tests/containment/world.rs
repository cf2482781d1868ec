//! A workspace `R` with `out/` beside it, twice: one under the capabilities, its twin open to `std::fs`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{
    Cancel, Content, FileRead, ListQuery, Operation, Read as _, ReadError, Rejected, Submission, Submit as _,
    SubmitError, SubmitRefusal,
};
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::submission::SubmitHandle;
use snodo_workspace::view::View;

/// What lies outside, and must never be seen or changed.
pub(crate) const OUTSIDE: &str = "OUTSIDE";

pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) view: View,
    pub(crate) submit: SubmitHandle,
}

/// One of the two trees.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) out: PathBuf,
}

impl World {
    /// `make` is done to both trees; the protocol protects `protected`.
    pub(crate) fn new(protected: &[&str], make: impl Fn(&Tree)) -> Self {
        Self::allowing(protected, IgnoredReads::refuse_all(), make)
    }

    pub(crate) fn allowing(protected: &[&str], ignored: IgnoredReads, make: impl Fn(&Tree)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for tree in [tree_in(folder.path(), "real"), tree_in(folder.path(), "twin")] {
            std::fs::create_dir_all(&tree.root).unwrap();
            std::fs::create_dir_all(&tree.out).unwrap();
            std::fs::write(tree.out.join("secret"), OUTSIDE).unwrap();
            std::fs::write(tree.root.join("ok.txt"), "ok\n").unwrap();
            make(&tree);
        }
        let protected: Vec<String> = protected.iter().map(ToString::to_string).collect();
        let rules = AccessRules::new(&protected, DenyList::standard(), ignored).unwrap();
        let root = open_root(&folder.path().join("real/R")).unwrap();
        let base = Arc::new(Base::new(
            Arc::new(root),
            rules,
            FileLimits::standard(),
            SearchLimits::standard(),
        ));
        let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
        let view = View::with_overlay(base, Arc::clone(&overlay));
        Self {
            folder,
            view,
            submit: SubmitHandle::new(overlay, Arc::new(|_| {})),
        }
    }

    /// The tree under the capabilities.
    pub(crate) fn real(&self) -> Tree {
        tree_in(self.folder.path(), "real")
    }

    /// The tree for the controls.
    pub(crate) fn twin(&self) -> Tree {
        tree_in(self.folder.path(), "twin")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn read(&self, path: &str) -> Result<FileRead, ReadError> {
        within_a_second(|| self.view.read_file(path))
    }

    pub(crate) fn text(&self, path: &str) -> String {
        match self.read(path).unwrap().content {
            Content::Text(text) => text,
            Content::Bytes(bytes) => panic!("{path}: {bytes:?}"),
        }
    }

    pub(crate) fn submit(&self, operation: Operation) -> Result<Submission, SubmitError> {
        within_a_second(|| self.submit.submit_files(vec![operation]))
    }

    pub(crate) fn refused(&self, operation: Operation) -> SubmitRefusal {
        match self.submit(operation) {
            Err(SubmitError::Rejected(Rejected { reason, .. })) => reason,
            other => panic!("refused by a rule was expected: {other:?}"),
        }
    }

    /// Everything that can be tried on a path is refused, and nothing outside has changed.
    pub(crate) fn assert_closed(&self, path: &str) {
        let read = self.read(path);
        assert!(read.is_err(), "{path:?}: {read:?}");
        let lines = self.view.read_lines(path, 1, 5);
        assert!(lines.is_err(), "{path:?}: {lines:?}");
        let batch = self.view.read_files(&[path.to_owned(), "ok.txt".to_owned()]).unwrap();
        assert!(
            batch[0].outcome.is_err() && batch[1].outcome.is_ok(),
            "{path:?}: {batch:?}"
        );
        self.assert_not_written(path);
        assert_eq!(
            std::fs::read_to_string(self.real().out.join("secret")).unwrap(),
            OUTSIDE
        );
        assert_eq!(
            std::fs::read_dir(self.real().out).unwrap().count(),
            1,
            "nothing is made outside"
        );
    }

    pub(crate) fn assert_not_written(&self, path: &str) {
        for operation in [
            write(path, "PWNED"),
            rename("ok.txt", path),
            rename(path, "elsewhere"),
            executable(path),
        ] {
            let answer = self.submit(operation.clone());
            assert!(
                matches!(answer, Err(SubmitError::Rejected(_))),
                "{operation:?}: {answer:?}"
            );
        }
    }

    pub(crate) fn listed(&self, under: &str) -> Vec<(String, snodo_workspace::capability::EntryKind)> {
        let query = ListQuery {
            under: under.to_owned(),
            hidden: true,
            limit: 1000,
            ..ListQuery::default()
        };
        let listing = within_a_second(|| self.view.list_files(&query, &Cancel::default())).unwrap();
        listing
            .entries
            .into_iter()
            .map(|entry| (entry.path, entry.kind))
            .collect()
    }
}

fn tree_in(folder: &Path, name: &str) -> Tree {
    Tree {
        root: folder.join(name).join("R"),
        out: folder.join(name).join("out"),
    }
}

/// The answer, if it comes within a second.
pub(crate) fn within_a_second<T>(call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let answer = call();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(1), "it took {took:?}");
    answer
}

pub(crate) fn write(path: &str, text: &str) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::Text(text.to_owned()),
        executable: None,
    }
}

pub(crate) fn delete(path: &str) -> Operation {
    Operation::Delete { path: path.to_owned() }
}

pub(crate) fn rename(from: &str, to: &str) -> Operation {
    Operation::Rename {
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

pub(crate) fn executable(path: &str) -> Operation {
    Operation::SetExecutable {
        path: path.to_owned(),
        executable: true,
    }
}

pub(crate) fn link(target: impl AsRef<Path>, at: &Path) {
    std::os::unix::fs::symlink(target, at).unwrap();
}
