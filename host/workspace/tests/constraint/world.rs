//! A workspace, what a coder submits to it, and one constraint over that.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Content, Operation};
use snodo_workspace::change::ChangeSet;
use snodo_workspace::constraint::{Constraint, ConstraintResult, ModuleBound, Param, Params, Subject, evaluate};
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::role::{Phase, Severity};
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;

pub(crate) struct World {
    folder: tempfile::TempDir,
    base: Arc<Base>,
    overlay: Arc<Overlay>,
}

impl World {
    /// A workspace with these files, each with its content.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            put(folder.path(), name, content);
        }
        let root = Arc::new(open_root(folder.path()).unwrap());
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
        let base = Arc::new(Base::new(root, rules, FileLimits::standard(), SearchLimits::standard()));
        let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
        Self { folder, base, overlay }
    }

    /// A workspace in which a coder wrote these files, which were not there.
    pub(crate) fn wrote(names: &[&str]) -> Self {
        let world = Self::with(&[("already/there", b"x")]);
        for name in names {
            world.submit(write(name, "new\n"));
        }
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn submit(&self, operation: Operation) {
        self.overlay.submit(vec![operation]).unwrap();
    }

    pub(crate) fn change(&self) -> ChangeSet {
        ChangeSet::compute(&self.base, &self.overlay.entries()).unwrap()
    }

    /// One constraint, after the coder.
    pub(crate) fn look(&self, predicate: &str, params: Params) -> ConstraintResult {
        self.look_in(Phase::PostExecute, None, predicate, params)
    }

    pub(crate) fn look_in(
        &self,
        phase: Phase,
        module: Option<&ModuleBound>,
        predicate: &str,
        params: Params,
    ) -> ConstraintResult {
        let constraint = Constraint {
            id: "c-1".to_owned(),
            predicate: predicate.to_owned(),
            params,
            severity: Severity::Blocker,
        };
        let mut results = self.evaluate(&[constraint], phase, module);
        assert_eq!(results.len(), 1);
        results.remove(0)
    }

    pub(crate) fn evaluate(
        &self,
        constraints: &[Constraint],
        phase: Phase,
        module: Option<&ModuleBound>,
    ) -> Vec<ConstraintResult> {
        let view = View::with_overlay(Arc::clone(&self.base), Arc::clone(&self.overlay));
        let change = self.change();
        evaluate(
            constraints,
            &Subject {
                change: &change,
                view: &view,
                phase,
                module,
            },
        )
    }
}

fn put(root: &Path, name: &str, content: &[u8]) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(crate) fn write(path: &str, content: impl AsRef<[u8]>) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::from_bytes(content.as_ref().to_vec()),
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

pub(crate) fn text(text: &str) -> Param {
    Param::Text(text.to_owned())
}

pub(crate) fn texts(texts: &[&str]) -> Param {
    Param::List(texts.iter().map(|t| text(t)).collect())
}

pub(crate) fn params(entries: &[(&str, Param)]) -> Params {
    Params(entries.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect())
}
