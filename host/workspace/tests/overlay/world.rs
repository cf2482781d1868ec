//! A small workspace on disk, and an overlay over it.

use std::path::Path;
use std::sync::Arc;

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Content, Operation, Read as _, Rejected, Submission, SubmitError, SubmitRefusal};
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;

pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) base: Arc<Base>,
    pub(crate) overlay: Arc<Overlay>,
    pub(crate) view: View,
}

/// Files of every base of these tests: path, content, executable.
pub(crate) const FILES: &[(&str, &str, bool)] = &[
    ("a", "A", false),
    ("b", "B", true),
    ("d/x", "dx", false),
    ("dir/k", "dk", false),
    ("dir/run.sh", "#!", true),
];
pub(crate) const FOLDERS: &[&str] = &["d", "dir", "dir/sub"];
pub(crate) const LINKS: &[(&str, &str)] = &[("link", "a"), ("dangling", "nowhere"), ("dirlink", "dir")];
pub(crate) const FIFO: &str = "pipe";

/// Makes the files, folders, links and the FIFO.
pub(crate) fn make(root: &Path) {
    for folder in FOLDERS {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (path, content, executable) in FILES {
        std::fs::write(root.join(path), content).unwrap();
        set_mode(&root.join(path), if *executable { 0o755 } else { 0o644 });
    }
    for (path, target) in LINKS {
        std::os::unix::fs::symlink(target, root.join(path)).unwrap();
    }
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join(FIFO),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}

pub(crate) fn base_of(root: &Path) -> Arc<Base> {
    let rules = AccessRules::new(&["kept".to_owned()], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    Arc::new(Base::new(
        Arc::new(open_root(root).unwrap()),
        rules,
        FileLimits::standard(),
        SearchLimits::standard(),
    ))
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_| {}, SubmitLimits::standard())
    }

    pub(crate) fn with(more: impl FnOnce(&Path), limits: SubmitLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        more(folder.path());
        let base = base_of(folder.path());
        let overlay = Arc::new(Overlay::new(Arc::clone(&base), limits));
        let view = View::with_overlay(Arc::clone(&base), Arc::clone(&overlay));
        Self {
            folder,
            base,
            overlay,
            view,
        }
    }

    pub(crate) fn submit(&self, operations: impl IntoIterator<Item = Operation>) -> Result<Submission, SubmitError> {
        self.overlay.submit(operations.into_iter().collect())
    }

    pub(crate) fn refused(&self, operations: impl IntoIterator<Item = Operation>) -> (u32, SubmitRefusal) {
        let before = self.overlay.entries();
        match self.submit(operations) {
            Err(SubmitError::Rejected(Rejected { index, reason })) => {
                assert_eq!(self.overlay.entries(), before, "a refused call changes nothing");
                (index, reason)
            }
            other => panic!("refused by a rule was expected: {other:?}"),
        }
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.view.read_file(path).ok().map(|file| match file.content {
            Content::Text(text) => text,
            Content::Bytes(_) => panic!("{path} is text"),
        })
    }

    pub(crate) fn is_executable(&self, path: &str) -> bool {
        self.view.read_file(path).unwrap().executable
    }

    pub(crate) fn pending(&self) -> Vec<String> {
        self.overlay
            .entries()
            .keys()
            .map(|path| path.as_str().to_owned())
            .collect()
    }
}

pub(crate) fn write(path: &str, text: &str) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::Text(text.to_owned()),
        executable: None,
    }
}

pub(crate) fn write_as(path: &str, text: &str, executable: bool) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::Text(text.to_owned()),
        executable: Some(executable),
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

pub(crate) fn executable(path: &str, executable: bool) -> Operation {
    Operation::SetExecutable {
        path: path.to_owned(),
        executable,
    }
}
