//! Whether the declared program is there, found out before a coder has worked.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Why a program cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFault {
    /// Nothing of that name.
    #[error("`{0}` is not among the programs that PATH names")]
    NotFound(String),
    /// Something of that name, which is no program.
    #[error("`{0}` is there and cannot be executed")]
    NotExecutable(String),
}

/// Looks for a program as the system would: in the folders of `path`, or, when its name holds a `/`, from the folder `cwd`.
pub fn find_program(name: &str, path: Option<&OsStr>, cwd: &Path) -> Result<PathBuf, ProgramFault> {
    let candidates: Vec<PathBuf> = if name.contains('/') {
        vec![cwd.join(name)]
    } else {
        path.map(|p| std::env::split_paths(p).map(|dir| cwd.join(dir).join(name)).collect())
            .unwrap_or_default()
    };
    let mut seen = false;
    for candidate in candidates {
        let Ok(meta) = std::fs::metadata(&candidate) else {
            continue;
        };
        seen = true;
        if meta.is_file() && meta.permissions().mode() & 0o111 != 0 {
            return Ok(candidate);
        }
    }
    Err(if seen {
        ProgramFault::NotExecutable(name.to_owned())
    } else {
        ProgramFault::NotFound(name.to_owned())
    })
}
