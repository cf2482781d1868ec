//! The repository's own configuration: what says how it is to be read, and text.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix_config::File;
use gix_config::file::Metadata;
use gix_config::file::init::Options;

use crate::error::{CommitError, said, shown};
use crate::files;
use crate::place::{Folder, Place};

/// Bytes of a configuration file of the repository.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// The files that apply, the strongest last.
pub(crate) struct RepositoryConfig {
    files: Vec<File>,
}

impl RepositoryConfig {
    /// Reads it, and refuses a repository that is not one of those that are understood here.
    pub(crate) fn read(place: &Place) -> Result<Self, CommitError> {
        let shared = parse(&place.common, "config")?;
        check_format(&shared)?;
        let own = if truth(&shared, "extensions", "worktreeConfig") {
            Some(parse(&place.git_dir, "config.worktree")?)
        } else {
            None
        };
        // In a linked working tree, what the shared file says of bareness and place is said of the main one.
        let about_this_tree = if place.is_linked() { None } else { Some(&shared) };
        for file in about_this_tree.into_iter().chain(&own) {
            if truth(file, "core", "bare") {
                return Err(CommitError::NotARepository {
                    at: place.git_dir.path.clone(),
                    why: "it is a bare one (`core.bare`), without a working tree".to_owned(),
                });
            }
            if let Some(named) = worktree_in(file)
                && !place.leads_to_top(&named)
            {
                return Err(CommitError::NotARepository {
                    at: place.git_dir.path.clone(),
                    why: "its working tree is another folder (`core.worktree`)".to_owned(),
                });
            }
        }
        Ok(Self {
            files: std::iter::once(shared).chain(own).collect(),
        })
    }

    /// The files, the strongest last.
    pub(crate) fn files(&self) -> impl DoubleEndedIterator<Item = &File> {
        self.files.iter()
    }
}

/// `core.worktree` of the configuration in a folder.
pub(crate) fn worktree(folder: &Folder) -> Result<Option<PathBuf>, CommitError> {
    Ok(worktree_in(&parse(folder, "config")?))
}

fn worktree_in(file: &File) -> Option<PathBuf> {
    let value = file.string_by("core", None::<&gix_object::bstr::BStr>, "worktree")?;
    let bytes: &[u8] = &value;
    Some(Path::new(OsStr::from_bytes(bytes)).to_owned())
}

/// An unset one is false, and so is one that is neither: git refuses that, and so do the ones that matter below.
fn truth(file: &File, section: &str, key: &str) -> bool {
    file.boolean_by(section, None::<&gix_object::bstr::BStr>, key)
        .ok()
        .flatten()
        .unwrap_or(false)
}

fn parse(folder: &Folder, name: &str) -> Result<File, CommitError> {
    let bytes = files::read(folder, name, MAX_CONFIG_BYTES)?.unwrap_or_default();
    let metadata = Metadata::from(gix_config::Source::Local);
    let options = Options {
        lossy: true,
        ..Options::default()
    };
    File::from_bytes_no_includes(&bytes, metadata, options).map_err(|error| CommitError::Config {
        at: folder.path.join(name),
        why: said(&error),
    })
}

/// `gitrepository-layout` and git's `setup.c`: an extension that is not known must not be worked around.
fn check_format(file: &File) -> Result<(), CommitError> {
    let version = file.string_by("core", None::<&gix_object::bstr::BStr>, "repositoryFormatVersion");
    let version = match version.as_ref().map(|text| text.as_slice()) {
        None | Some(b"0") => 0,
        Some(b"1") => 1,
        Some(other) => {
            return Err(CommitError::UnsupportedFormat(format!(
                "repository format `{}`",
                shown(other)
            )));
        }
    };
    for section in file.sections_by_name("extensions").into_iter().flatten() {
        for key in section.value_names() {
            let value = section.value(&key).unwrap_or_default();
            let known = match key.to_ascii_lowercase().as_str() {
                "noop" | "preciousobjects" | "partialclone" | "worktreeconfig" | "relativeworktrees" => true,
                "objectformat" => value.eq_ignore_ascii_case(b"sha1"),
                "refstorage" => value.eq_ignore_ascii_case(b"files"),
                "compatobjectformat" => false,
                // Git itself ignores others in the older format.
                _ => version == 0,
            };
            if !known {
                return Err(CommitError::UnsupportedFormat(format!(
                    "`extensions.{} = {}`",
                    shown(key.as_bytes()),
                    shown(&value)
                )));
            }
        }
    }
    Ok(())
}
