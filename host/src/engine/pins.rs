//! The repository's pins: which bytes have to be used under which name. They only ever tighten.

use snodo_config::pins::{PINS_BYTES, PINS_FILE, Pins, load_pins};
use snodo_workspace::root::Root;

use super::{SetupError, own_folder};

/// Reads `.snodo/plugins.toml`; no pins where it is not there.
pub(crate) fn read(root: &Root) -> Result<Pins, SetupError> {
    match own_folder::read(root, "plugins.toml", PINS_BYTES) {
        Ok(None) => Ok(Pins::none()),
        Ok(Some(bytes)) => load_pins(PINS_FILE, &bytes).map_err(|error| SetupError::Pins(Box::new(error))),
        Err(error) => Err(SetupError::PinsUnreadable(error)),
    }
}
