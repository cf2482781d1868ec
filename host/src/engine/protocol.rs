//! The rules of a run: the workspace's `.snodo/protocol.yml` when it is there, or the file that `--protocol` names.

use std::fmt::Write as _;

use snodo_admission::Role;
use snodo_config::plain_warnings;
use snodo_config::protocol::{Loaded, PROTOCOL_BYTES, load_protocol};
use snodo_config::resolve::{ResolveError, ResolvedRun, in_one_line, resolve};
use snodo_install::Listed;
use snodo_plugins_build::BUILT_IN;
use snodo_workspace::ambient;
use snodo_workspace::constraint::{Constraint, ModuleBound};
use snodo_workspace::root::Root;

use super::run::RecoveryBounds;
use super::{Host, RunRequest, SetupError, own_folder};

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
pub(super) fn load(host: &Host, request: &RunRequest, root: &Root) -> Result<Option<InForce>, SetupError> {
    let (file, bytes) = match &request.protocol {
        Some(path) => {
            let bytes = ambient::read_user_file(path, PROTOCOL_BYTES as u64 + 1)
                .map_err(|error| SetupError::Protocol(format!("the protocol cannot be read: {error}")))?;
            (path.display().to_string(), bytes)
        }
        None => match own_folder::read(root, "protocol.yml", PROTOCOL_BYTES) {
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
    let installed = installed_validators(host)?;
    let validators: Vec<&str> = BUILT_IN
        .iter()
        .map(|b| b.name)
        .chain(installed.iter().map(String::as_str))
        .collect();
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

/// The names of installed validators. One whose record cannot be read is among them: a run that needs it says what is wrong with it.
pub(crate) fn installed_validators(host: &Host) -> Result<Vec<String>, SetupError> {
    let Some(installed) = host.installed()? else {
        return Ok(Vec::new());
    };
    let of_role = |listed: &Listed| {
        listed
            .record
            .as_ref()
            .map_or(true, |record| record.role == Role::Validator)
    };
    let listing = installed.list()?;
    Ok(listing
        .plugins
        .iter()
        .filter(|listed| of_role(listed))
        .map(|listed| listed.name.to_string())
        .collect())
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
