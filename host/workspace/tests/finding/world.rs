//! A workspace in a folder of its own, with something beside it that must not be seen.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{
    Cancel, Content, Count, Entry, ListQuery, Listing, Operation, Read as _, ReadError, Search as _, SearchError,
    SkipReason, Skipped, SymbolQuery, Symbols, TextMatches, TextQuery,
};
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;

pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        fs::create_dir(folder.path().join("out")).unwrap();
        fs::write(folder.path().join("out/secret"), "OUTSIDE needle\n").unwrap();
        Self { folder }
    }

    /// With files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        for (path, content) in files {
            world.write(path, content);
        }
        world
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn beside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn link(&self, target: &str, at: &str) {
        std::os::unix::fs::symlink(target, self.path(at)).unwrap();
    }

    fn base(root: &Path, ignored: IgnoredReads) -> Arc<Base> {
        let rules = AccessRules::new(&[], DenyList::standard(), ignored).unwrap();
        Arc::new(Base::new(
            Arc::new(open_root(root).unwrap()),
            rules,
            FileLimits::standard(),
            SearchLimits::standard(),
        ))
    }

    /// What a validator sees before execution.
    pub(crate) fn view(&self) -> View {
        View::of_base(Self::base(&self.root(), IgnoredReads::refuse_all()))
    }

    /// The same within bounds of listing and searching.
    pub(crate) fn view_within(&self, limits: SearchLimits) -> View {
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
        let root = Arc::new(open_root(&self.root()).unwrap());
        View::of_base(Arc::new(Base::new(root, rules, FileLimits::standard(), limits)))
    }

    /// The same with another folder as the root.
    pub(crate) fn view_of(&self, root: &str) -> View {
        View::of_base(Self::base(&self.path(root), IgnoredReads::refuse_all()))
    }

    /// The same where the user allows ignored files.
    pub(crate) fn view_allowing(&self, pattern: &str) -> View {
        View::of_base(Self::base(
            &self.root(),
            IgnoredReads::allowing(&[pattern.to_owned()], "a test").unwrap(),
        ))
    }

    /// What a coder sees.
    pub(crate) fn coder(&self) -> Coder {
        let base = Self::base(&self.root(), IgnoredReads::refuse_all());
        let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
        Coder {
            view: View::with_overlay(base, Arc::clone(&overlay)),
            overlay,
        }
    }
}

pub(crate) struct Coder {
    pub(crate) view: View,
    overlay: Arc<Overlay>,
}

impl Coder {
    pub(crate) fn submit(&self, operations: Vec<Operation>) {
        self.overlay.submit(operations).unwrap();
    }

    /// Whether it was taken.
    pub(crate) fn try_submit(&self, operation: Operation) -> bool {
        self.overlay.submit(vec![operation]).is_ok()
    }
}

pub(crate) fn put(path: &str, content: &str) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::Text(content.to_owned()),
        executable: None,
    }
}

pub(crate) fn gone(path: &str) -> Operation {
    Operation::Delete { path: path.to_owned() }
}

pub(crate) fn renamed(from: &str, to: &str) -> Operation {
    Operation::Rename {
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

/// The literal, everywhere that is shown without asking.
pub(crate) fn literal(pattern: &str) -> TextQuery {
    TextQuery {
        pattern: pattern.to_owned(),
        limit: 10_000,
        ..TextQuery::default()
    }
}

pub(crate) fn search(view: &View, query: &TextQuery) -> TextMatches {
    view.search_text(query, &Cancel::default()).unwrap()
}

pub(crate) fn search_error(view: &View, query: &TextQuery) -> SearchError {
    view.search_text(query, &Cancel::default()).unwrap_err()
}

/// `path:line` of each match.
pub(crate) fn places(found: &TextMatches) -> Vec<String> {
    found.matches.iter().map(|m| format!("{}:{}", m.path, m.line)).collect()
}

/// The paths with a match, each once.
pub(crate) fn paths(found: &TextMatches) -> Vec<&str> {
    let mut paths: Vec<_> = found.matches.iter().map(|m| m.path.as_str()).collect();
    paths.dedup();
    paths
}

pub(crate) fn everything() -> ListQuery {
    ListQuery {
        hidden: true,
        limit: 10_000,
        ..ListQuery::default()
    }
}

pub(crate) fn list(view: &View, query: &ListQuery) -> Listing {
    view.list_files(query, &Cancel::default()).unwrap()
}

pub(crate) fn list_error(view: &View, query: &ListQuery) -> ReadError {
    view.list_files(query, &Cancel::default()).unwrap_err()
}

pub(crate) fn listed(listing: &Listing) -> Vec<&str> {
    listing
        .entries
        .iter()
        .map(|entry: &Entry| entry.path.as_str())
        .collect()
}

pub(crate) fn symbols(view: &View, name: &str) -> Symbols {
    let query = SymbolQuery {
        name: name.to_owned(),
        limit: 10_000,
        ..SymbolQuery::default()
    };
    view.search_symbol(&query, &Cancel::default()).unwrap()
}

pub(crate) fn skipped(skips: &[Skipped], reason: SkipReason) -> u64 {
    skips.iter().filter(|s| s.reason == reason).map(|s| s.files).sum()
}

pub(crate) fn exact(count: Count) -> u64 {
    match count {
        Count::Exact(n) => n,
        Count::AtLeast(n) => panic!("only at least {n}"),
    }
}
