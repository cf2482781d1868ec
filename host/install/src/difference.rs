//! What changes from one plugin to another that takes its name.

use serde::Serialize;
use snodo_admission::{Digest, Grant, Grants, Role};
use snodo_config::install_record::InstallRecord;

/// Two values of one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Versions<T> {
    /// Installed, or pinned.
    pub old: T,
    /// Offered, or found.
    pub new: T,
}

impl<T: PartialEq> Versions<T> {
    fn of(old: T, new: T) -> Option<Self> {
        (old != new).then_some(Self { old, new })
    }
}

/// What differs, thing by thing: for an update, and for a pin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The bytes.
    pub digest: Option<Versions<Digest>>,
    /// How many there are.
    pub size: Option<Versions<u64>>,
    /// What it is for.
    pub role: Option<Versions<Role>>,
    /// Interfaces that are imported in another version.
    pub imports_moved: Vec<Versions<String>>,
    /// Asked for now and not before, sorted.
    pub imports_added: Vec<String>,
    /// Asked for before and not now, sorted.
    pub imports_removed: Vec<String>,
    /// Given now and not before; never without the user's word.
    pub grants_added: Vec<Grant>,
    /// Given before; nothing stands on them now.
    pub grants_dropped: Vec<Grant>,
    /// Given before and now. Not a difference: told beside the others.
    pub grants_kept: Vec<Grant>,
}

impl Difference {
    /// From an installed plugin to one that takes its place.
    pub fn between(old: &InstallRecord, new: &InstallRecord) -> Self {
        let grants = |held: Grants, not: Grants| -> Vec<Grant> {
            held.list().into_iter().filter(|grant| !not.has(*grant)).collect()
        };
        Self {
            digest: Versions::of(old.digest, new.digest),
            size: Versions::of(old.size, new.size),
            role: Versions::of(old.role, new.role),
            grants_added: grants(new.grants, old.grants),
            grants_dropped: grants(old.grants, new.grants),
            grants_kept: old.grants.list().into_iter().filter(|g| new.grants.has(*g)).collect(),
            ..Self::of_imports(&old.imports, &new.imports)
        }
    }

    /// Of two lists of imports alone.
    pub(crate) fn of_imports(old: &[String], new: &[String]) -> Self {
        let only = |one: &[String], other: &[String]| -> Vec<String> {
            let mut only: Vec<String> = one.iter().filter(|import| !other.contains(import)).cloned().collect();
            only.sort();
            only.dedup();
            only
        };
        let (mut removed, mut added) = (only(old, new), only(new, old));
        let mut moved = Vec::new();
        removed.retain(|old| {
            let Some(at) = added.iter().position(|new| interface(new) == interface(old)) else {
                return true;
            };
            moved.push(Versions {
                old: old.clone(),
                new: added.remove(at),
            });
            false
        });
        Self {
            imports_moved: moved,
            imports_added: added,
            imports_removed: removed,
            ..Self::default()
        }
    }

    /// Of the digest alone.
    pub(crate) fn with_digest(mut self, old: Digest, new: Digest) -> Self {
        self.digest = Versions::of(old, new);
        self
    }

    /// Of the role alone.
    pub(crate) fn with_role(mut self, old: Role, new: Role) -> Self {
        self.role = Versions::of(old, new);
        self
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        let Self {
            digest,
            size,
            role,
            imports_moved,
            imports_added,
            imports_removed,
            grants_added,
            grants_dropped,
            grants_kept: _,
        } = self;
        digest.is_none()
            && size.is_none()
            && role.is_none()
            && imports_moved.is_empty()
            && imports_added.is_empty()
            && imports_removed.is_empty()
            && grants_added.is_empty()
            && grants_dropped.is_empty()
    }

    /// Whether more is asked for, or given, than before: what a user has to look at first.
    pub fn widens(&self) -> bool {
        !self.imports_added.is_empty() || !self.grants_added.is_empty() || self.role.is_some()
    }

    /// A plain line for each thing; empty if nothing differs.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(Versions { old, new }) = &self.role {
            lines.push(format!("role: {old} -> {new}"));
        }
        if let Some(Versions { old, new }) = &self.digest {
            lines.push(format!("digest: {old} -> {new}"));
        }
        if let Some(Versions { old, new }) = &self.size {
            lines.push(format!("size: {old} -> {new} bytes"));
        }
        lines.extend(self.imports_added.iter().map(|i| format!("import added: `{i}`")));
        lines.extend(self.imports_removed.iter().map(|i| format!("import removed: `{i}`")));
        let moved = self.imports_moved.iter();
        lines.extend(moved.map(|v| format!("import in another version: `{}` -> `{}`", v.old, v.new)));
        lines.extend(self.grants_added.iter().map(|g| format!("grant added: `{g}`")));
        let dropped = self.grants_dropped.iter();
        lines.extend(dropped.map(|g| format!("grant dropped: `{g}` (nothing of the new bytes needs it)")));
        if !self.is_empty() {
            lines.extend(self.grants_kept.iter().map(|g| format!("grant kept: `{g}`")));
        }
        lines
    }
}

/// An import without its version.
fn interface(import: &str) -> &str {
    import.split_once('@').map_or(import, |(interface, _)| interface)
}
