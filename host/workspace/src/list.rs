//! `list-files`.

use cap_std::fs::Dir;

use crate::capability::{BadParameter, Cancel, Entry, EntryKind, ListQuery, Listing, ReadError};
use crate::view::View;
use crate::walk::{First, Found, Place, Scope, Selection, Skips, Start, Visitor, WalkError, walk};

/// What stands in a folder of the view: files, folders, links (never followed) and special files, in the order of their paths' bytes.
///
/// Deterministic for a given tree. Everything is counted; only what is given is bounded. See [`crate::walk`] for what is passed over.
pub fn list_files(view: &View, query: &ListQuery, cancel: &Cancel) -> Result<Listing, ReadError> {
    if query.depth == Some(0) {
        return Err(ReadError::BadParameter(BadParameter {
            field: "depth",
            reason: "0 lists nothing: 1 lists the folder's own entries".to_owned(),
        }));
    }
    let limits = view.base().search_limits();
    let scope = Scope {
        under: &query.under,
        depth: query.depth,
        hidden: query.hidden,
        ignored: query.ignored,
        selection: Selection::matching(query.glob.as_ref()).map_err(ReadError::BadParameter)?,
        start: Start::Folder,
    };
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX).min(limits.results);
    let first = First::new(limit, limits.answer_bytes);
    let (_, skips) = walk(view, &scope, cancel, || Lister { first: &first }).map_err(ReadError::from)?;
    let answer = first.into_answer();
    Ok(Listing {
        entries: answer.results,
        total: answer.total,
        truncated: answer.truncated,
        skipped: skips.into_answer(),
    })
}

struct Lister<'a> {
    first: &'a First<Entry>,
}

impl Visitor for Lister<'_> {
    fn visit(&mut self, found: &Found<'_>, _: &mut Skips) {
        let path = found.path.as_str();
        let mut group = self.first.group(path);
        group.push(|| {
            let size = match (found.kind, found.place) {
                (EntryKind::File, Place::Pending(bytes)) => bytes.len() as u64,
                (EntryKind::File, Place::Base { folder, name }) => size_of(folder, name),
                _ => 0,
            };
            let entry = Entry {
                path: path.to_owned(),
                kind: found.kind,
                size,
            };
            (entry, path.len() + std::mem::size_of::<Entry>())
        });
        self.first.add(path, group);
    }
}

/// The size of a file as its folder has it; of one that is gone or became something else meanwhile, 0.
fn size_of(folder: &Dir, name: &str) -> u64 {
    folder
        .symlink_metadata(name)
        .map_or(0, |m| if m.is_file() { m.len() } else { 0 })
}

impl From<WalkError> for ReadError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::BadPath(bad) => Self::BadPath(bad),
            WalkError::NotFound(path) => Self::NotFound(path),
            WalkError::WrongKind { path, kind } => Self::WrongKind { path, kind },
            WalkError::Symlink(path) => Self::Symlink(path),
            WalkError::Refused(refusal) => Self::Refused(refusal),
            WalkError::Io(failure) => Self::Io(failure),
            WalkError::Cancelled => Self::Cancelled,
        }
    }
}
