//! The rules of a run: the workspace's `.snodo/protocol.yml` when it is there, or the file that `--protocol` names.

use std::fmt::Write as _;
use std::io::Read as _;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use snodo_config::plain_warnings;
use snodo_config::protocol::{Loaded, PROTOCOL_BYTES, load_protocol};
use snodo_config::resolve::{ResolveError, ResolvedRun, in_one_line, resolve};
use snodo_plugins_build::BUILT_IN;
use snodo_workspace::ambient;
use snodo_workspace::constraint::{Constraint, ModuleBound};
use snodo_workspace::root::Root;

use super::run::RecoveryBounds;
use super::{RunRequest, SetupError};

/// Where a workspace keeps its own.
const OWN: &str = ".snodo/protocol.yml";

/// A protocol that is in force.
pub(super) struct InForce {
    pub(super) file: String,
    pub(super) id: String,
    pub(super) resolved: ResolvedRun,
    pub(super) notices: Vec<String>,
    pub(super) guidance: String,
    pub(super) constraints: Vec<Constraint>,
    pub(super) module: Option<ModuleBound>,
    pub(super) recovery: RecoveryBounds,
}

/// Loads and resolves it; none for an ad hoc run.
pub(super) fn load(request: &RunRequest, root: &Root) -> Result<Option<InForce>, SetupError> {
    let (file, bytes) = match &request.protocol {
        Some(path) => {
            let bytes = ambient::read_user_file(path, PROTOCOL_BYTES as u64 + 1)
                .map_err(|error| SetupError::Protocol(format!("the protocol cannot be read: {error}")))?;
            (path.display().to_string(), bytes)
        }
        None => match own(root) {
            Ok(Some(bytes)) => (OWN.to_owned(), bytes),
            Ok(None) => {
                return match (&request.mode, &request.module) {
                    (Some(mode), _) => Err(SetupError::WithoutProtocol(format!("--mode {mode}"))),
                    (None, Some(module)) => Err(SetupError::WithoutProtocol(format!("--module {module}"))),
                    (None, None) => Ok(None),
                };
            }
            Err(error) => return Err(SetupError::Protocol(format!("`{OWN}` cannot be read: {error}"))),
        },
    };
    let Loaded { protocol, warnings, .. } =
        load_protocol(&file, &bytes).map_err(|error| SetupError::ProtocolFaults(Box::new(error)))?;
    let validators: Vec<&str> = BUILT_IN.iter().map(|b| b.name).collect();
    let resolved = resolve(&protocol, request.mode.as_deref(), &validators)
        .and_then(|resolved| match &request.module {
            Some(module) => resolved.for_module(&protocol, module),
            None => Ok(resolved),
        })
        .map_err(|error| SetupError::Protocol(explain(&file, &error)))?;
    let mut notices: Vec<String> = plain_warnings(&file, &warnings)
        .lines()
        .map(ToOwned::to_owned)
        .collect();
    notices.extend(in_one_line(&resolved.notices));
    let guidance = resolved.mode.description.clone();
    // `resolve` has found it.
    let mode = protocol.mode(&resolved.mode.id);
    let recovery = RecoveryBounds {
        depth: mode
            .and_then(|mode| mode.max_recovery_depth)
            .unwrap_or(protocol.execution.max_recovery_depth),
        total: protocol.execution.max_total_fix_attempts,
    };
    let constraints = mode.map(|mode| protocol.constraints_in(mode)).unwrap_or_default();
    let module = resolved.module.as_ref().map(|module| ModuleBound {
        id: module.id.clone(),
        paths: Some(module.paths.clone()),
    });
    Ok(Some(InForce {
        file,
        id: protocol.protocol_id,
        resolved,
        notices,
        guidance,
        constraints,
        module,
        recovery,
    }))
}

/// Every reason, each with its way out.
fn explain(file: &str, error: &ResolveError) -> String {
    let mut text = format!("`{file}`: {error}");
    let several = error.refusals().len() > 1;
    for refusal in error.refusals() {
        if several {
            let _ = write!(text, "\n  {refusal}");
        }
        let _ = write!(text, "\n  help: {}", refusal.help());
    }
    text
}

/// The workspace's own file, by handle; none when it is not there. A link is refused by the system.
fn own(root: &Root) -> std::io::Result<Option<Vec<u8>>> {
    let missing = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let folder = match root.dir().open_dir_nofollow(".snodo") {
        Ok(folder) => folder,
        Err(error) if missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut options = OpenOptions::new();
    // A FIFO of that name must not make the host wait.
    options
        .read(true)
        .follow(FollowSymlinks::No)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = match folder.open_with("protocol.yml", &options) {
        Ok(file) => file,
        Err(error) if missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(PROTOCOL_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}
