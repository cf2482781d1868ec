//! A repository's pins, written. They say which bytes have to be used under a name, and grant nothing.

use cap_fs_ext::DirExt as _;
use serde_json::json;
use snodo_admission::{Bodies, Context, Grants, Limits, admit_hashed};
use snodo_config::pins::{PINS_FILE, Pins, pins_text};
use snodo_install::{Candidate, Origin as PinOrigin, pin_of};
use snodo_workspace::ambient;
use snodo_workspace::root::Root;

use super::super::args::PluginPinArgs;
use super::{Answer, name};
use crate::engine::{Environment, Host, SetupError, read_pins};
use crate::plugin::{Origin, SERVED, find};
use crate::record::{make_folder, replace_file};

/// Pins what is installed, or built in, under a name.
pub(super) fn pin(args: &PluginPinArgs, environment: Environment) -> Result<Answer, SetupError> {
    let host = Host::open(environment)?;
    let root = ambient::open_root(&args.workspace)?;
    let limits = Limits::standard();
    let name = name(&args.name)?;
    let source = find(name.as_str(), host.installed()?.as_ref(), limits.max_file_bytes)?;
    let origin = match &source.origin {
        Origin::BuiltIn => PinOrigin::BuiltIn,
        Origin::Installed(_) => PinOrigin::Installed,
        Origin::File(_) => PinOrigin::File,
    };
    let context = Context {
        name: &source.name,
        role_expected: None,
        // A pin grants nothing; what the plugin imports is written down, whoever may allow it.
        grants: Grants {
            model: true,
            runner: true,
        },
        served: SERVED,
        bodies: Bodies::Validate,
    };
    let hashed = source.bytes.hashed();
    let admitted = admit_hashed(&hashed, &context, &limits).map_err(|refusal| SetupError::NotAdmitted {
        given: args.name.clone(),
        refusal,
    })?;
    let pin = pin_of(&Candidate::of(&admitted, origin));
    let digest = pin.digest;
    write(&root, &read_pins(&root)?.with(pin))?;
    let text = format!("`{name}` is pinned to {digest} in `{PINS_FILE}`: read it over as any other change\n");
    Ok(Answer::good(text, json!({ "pinned": name })))
}

/// Takes a pin back.
pub(super) fn unpin(args: &PluginPinArgs, environment: Environment) -> Result<Answer, SetupError> {
    drop(environment);
    let root = ambient::open_root(&args.workspace)?;
    let name = name(&args.name)?;
    let pins = read_pins(&root)?;
    if pins.get(&name).is_none() {
        return Err(SetupError::Setting(format!("`{name}` is not pinned in `{PINS_FILE}`")));
    }
    write(&root, &pins.without(&name))?;
    Ok(Answer::good(
        format!("`{name}` is pinned no more\n"),
        json!({ "unpinned": name }),
    ))
}

fn write(root: &Root, pins: &Pins) -> Result<(), SetupError> {
    let unwritten = |error: std::io::Error| SetupError::Setting(format!("`{PINS_FILE}` cannot be written: {error}"));
    match make_folder(root.dir(), ".snodo") {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(unwritten(error)),
        _ => {}
    }
    let folder = root.dir().open_dir_nofollow(".snodo").map_err(unwritten)?;
    replace_file(&folder, "plugins.toml", pins_text(pins).as_bytes()).map_err(unwritten)
}
