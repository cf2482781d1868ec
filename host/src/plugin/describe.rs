//! What a plugin says of itself, checked.

use snodo_admission::Role;
use snodo_workspace::role::{self, Description};

use super::PluginFailure;

/// Checks a description and makes its text harmless: by the rules that a plugin's own tests hold it to as well.
pub fn checked(description: Description, role: Role) -> Result<Description, PluginFailure> {
    role::checked(description, role == Role::Validator).map_err(|message| PluginFailure::Contract { message })
}
