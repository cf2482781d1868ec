//! The one place that takes from the process: environment, folders, clock.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room where the surroundings become values"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use snodo_commit::identity::UserConfig;

use crate::engine::{Directories, Environment};
use crate::plugin::Compiler;
use crate::sandbox::{Helper, ProgramEnvironment};

/// What the process was given.
///
/// # Errors
/// In a sentence for a person: no home folder, a binary that cannot find itself.
pub fn environment() -> Result<Environment, String> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let folder = |variable: &str, below_home: &str| -> Result<PathBuf, String> {
        let given = std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        given
            .or_else(|| home.as_ref().map(|home| home.join(below_home)))
            .map(|base| base.join("snodo-host"))
            .ok_or_else(|| format!("neither HOME nor {variable} names a folder: set one of them"))
    };
    let program = std::env::current_exe().map_err(|e| format!("the program cannot find its own file: {e}"))?;
    Ok(Environment {
        directories: Directories {
            config: folder("XDG_CONFIG_HOME", ".config")?,
            state: folder("XDG_STATE_HOME", ".local/state")?,
            cache: folder("XDG_CACHE_HOME", ".cache")?,
            snodo: snodo_home(home.as_deref())?,
        },
        programs: programs(),
        variable: |name| std::env::var_os(name),
        git: UserConfig {
            system: Some(PathBuf::from("/etc/gitconfig")),
            xdg_config_home: std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from),
            home: home.clone(),
        },
        compiler: Compiler::Child(program.clone()),
        helper: Helper {
            program,
            arguments: Vec::new(),
        },
        now: SystemTime::now,
        random,
    })
}

/// snodo's own folder, as snodo finds it.
fn snodo_home(home: Option<&Path>) -> Result<PathBuf, String> {
    let given = std::env::var_os("SNODO_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    given
        .or_else(|| home.map(|home| home.join(".snodo")))
        .ok_or_else(|| "neither HOME nor SNODO_HOME names a folder: set one of them".to_owned())
}

/// From the system; without it, from what is different in each process and at each moment.
fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    if rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) == Ok(bytes.len()) {
        return bytes;
    }
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&std::process::id().to_le_bytes());
    hasher.update(&now.as_nanos().to_le_bytes());
    *hasher.finalize().as_bytes()
}

fn programs() -> ProgramEnvironment {
    let variables: Vec<(OsString, OsString)> = ProgramEnvironment::allowed()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
        .collect();
    ProgramEnvironment { variables }
}
