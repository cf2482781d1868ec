//! Puts a project into a folder: all of it, or nothing.

use std::io;

use cap_std::fs::{Dir, OpenOptions};

use crate::{File, ProjectName};

/// Why a project was not written. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something stands where it would go, and is left as it is.
    #[error("`{name}` exists already, and is left as it is; choose another name, or another folder")]
    Exists {
        /// The project's folder.
        name: String,
    },
    /// The operating system would not.
    #[error("`{path}` cannot be written: {source}")]
    Io {
        /// What was being written, below the folder that the project goes to.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// So many folders of interrupted attempts are passed over.
const ATTEMPTS: u32 = 16;

/// Writes files as a new folder of `into`, called as the project. They are written under another name first, which is given up for `name` when
/// all are there: nobody sees half a project, and one that is in the way stays what it is.
///
/// # Errors
///
/// Why it was not written.
pub fn write(into: &Dir, name: &ProjectName, files: &[File]) -> Result<(), WriteError> {
    let name = name.as_str();
    let exists = || WriteError::Exists { name: name.to_owned() };
    let failed = |path: &str, source| WriteError::Io {
        path: path.to_owned(),
        source,
    };
    if present(into, name).map_err(|source| failed(name, source))? {
        return Err(exists());
    }
    let (temporary, folder) = temporary(into, name).map_err(|source| failed(name, source))?;
    let written = fill(&folder, files)
        .and_then(|()| rename_new(into, &temporary, name).map_err(|source| (name.to_owned(), source)));
    written.map_err(|(path, source)| {
        // The reason is told, not that cleaning up after it failed too.
        let _ = into.remove_dir_all(&temporary);
        if path == name && source.kind() == io::ErrorKind::AlreadyExists {
            exists()
        } else {
            failed(&path, source)
        }
    })
}

fn present(dir: &Dir, name: &str) -> io::Result<bool> {
    match dir.symlink_metadata(name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// A folder of ours, by its name. What an interrupted attempt left is not touched: it may be another one that is still running.
fn temporary(into: &Dir, name: &str) -> io::Result<(String, Dir)> {
    for attempt in 0..ATTEMPTS {
        let temporary = format!(".{name}.{attempt}.partial");
        match into.create_dir(&temporary) {
            Ok(()) => {
                let folder = into.open_dir(&temporary)?;
                return Ok((temporary, folder));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!("interrupted attempts stand in the way: remove the folders `.{name}.*.partial`"),
    ))
}

fn fill(folder: &Dir, files: &[File]) -> Result<(), (String, io::Error)> {
    for file in files {
        let failed = |source| (file.path.clone(), source);
        if let Some((parents, _)) = file.path.rsplit_once('/') {
            folder.create_dir_all(parents).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(if file.executable { 0o777 } else { 0o666 });
        }
        let mut out = folder.open_with(&file.path, &options).map_err(failed)?;
        io::Write::write_all(&mut out, file.content.as_bytes()).map_err(failed)?;
    }
    Ok(())
}

/// Gives a folder its name, unless something stands there (`AlreadyExists`).
fn rename_new(dir: &Dir, old: &str, new: &str) -> io::Result<()> {
    match rename_no_replace(dir, old, new) {
        // EINVAL is how Linux file systems refuse a flag of `renameat2`. Elsewhere an empty folder holds the name: a folder may
        // take its place, but only while it is empty.
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
            dir.create_dir(new)?;
            dir.rename(old, dir, new).inspect_err(|_| {
                let _ = dir.remove_dir(new);
            })
        }
        done => done,
    }
}

#[cfg(target_os = "linux")]
fn rename_no_replace(dir: &Dir, old: &str, new: &str) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    Ok(renameat_with(dir, old, dir, new, RenameFlags::NOREPLACE)?)
}

#[cfg(not(target_os = "linux"))]
fn rename_no_replace(_: &Dir, _: &str, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
