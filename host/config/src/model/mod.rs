//! Language models: which one serves a role, and how it is reached.
//!
//! [`role_model`] says which model a role has, [`bind`] what it takes to call it. Both are pure; keys are fetched by whoever calls.

mod bind;
mod binding;
mod catalogue;
mod coder;
mod role;
mod route;

pub use bind::{BindFault, bind};
pub use binding::{ACCOUNT_MARK, AccountSource, BadAccount, Binding, ClientKey, Header, KeySource, ModelRole, Wire};
pub use coder::coder_prefix;
pub use role::{DEFAULT_MODEL, Declared, ModelSource, RoleContext, RoleLimits, RoleModel, role_limits, role_model};

pub(crate) use binding::is_account_id;
pub(crate) use catalogue::{PROVIDER_NAMES, catalogue};
pub(crate) use role::checked_model;
