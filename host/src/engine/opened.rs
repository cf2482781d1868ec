//! What the user opened for programs is looked at where it really is: a folder may be another one by a link, and some are never opened,
//! since what is written there would act outside the sandbox later.

use std::path::{Path, PathBuf};

use snodo_workspace::ambient;

use super::{Directories, SetupError};
use crate::sandbox::Permissions;

/// Looks at every path that is opened.
///
/// # Errors
/// [`SetupError::Setting`], naming the path and the reason.
pub(super) fn check(open: &Permissions, directories: &Directories, workspace: &Path) -> Result<(), SetupError> {
    let own = [
        ("configuration", &directories.config),
        ("state", &directories.state),
        ("cache", &directories.cache),
    ]
    .map(|(what, folder)| (what, ambient::resolve(folder)));
    let in_workspace = open.write_in_workspace.iter().map(|path| workspace.join(path));
    for given in open.write.iter().cloned().chain(in_workspace) {
        let real = ambient::resolve(&given);
        for (what, folder) in &own {
            if real.starts_with(folder) || folder.starts_with(&real) {
                return Err(refused(&given, &format!("the host's own {what} folder is there")));
            }
        }
        if workspace.starts_with(&real) {
            return Err(refused(
                &given,
                "the whole workspace is there, which no program writes to",
            ));
        }
        if let Some(name) = [".git", ".snodo"].into_iter().find(|name| has(&real, name)) {
            return Err(refused(
                &given,
                &format!("it leads into `{name}`, which no program writes to"),
            ));
        }
    }
    for given in &open.read {
        let real = ambient::resolve(given);
        for (what, folder) in &own {
            if real.starts_with(folder) || folder.starts_with(&real) {
                return Err(refused(
                    given,
                    &format!("the host's own {what} folder is there, with what it keeps to itself"),
                ));
            }
        }
    }
    Ok(())
}

/// A program of a repository is none of the user's.
pub(super) fn check_program(program: &str, workspace: &Path) -> Result<(), SetupError> {
    let path = PathBuf::from(program);
    if path.is_absolute() && ambient::resolve(&path).starts_with(workspace) {
        return Err(SetupError::Setting(format!(
            "the external coder's program `{program}` lies in the workspace: what a repository holds never decides what runs"
        )));
    }
    Ok(())
}

fn has(path: &Path, name: &str) -> bool {
    path.components()
        .any(|component| component.as_os_str().eq_ignore_ascii_case(name))
}

fn refused(path: &Path, why: &str) -> SetupError {
    SetupError::Setting(format!("host.toml opens `{}` for programs: {why}", path.display()))
}
