//! protocol.yml and the user's configuration: load, check, resolve.
//!
//! Everything here takes text and gives values: nothing is opened, no clock is read, no environment looked at. A file
//! comes in as bytes with a name for messages.

pub mod check;
mod fault;
pub mod host_config;
pub mod install_record;
pub mod model;
pub mod model_config;
mod nearest;
mod node;
pub mod pins;
mod place_index;
mod plugin_value;
pub mod policy;
mod printable;
pub mod protocol;
mod record;
mod report;
pub mod resolve;
pub mod settings;
mod source;
mod toml_tree;
mod warning;
mod yaml;

pub use fault::{Fault, FaultKind, Rule};
pub use node::{Entry, FreeMap, Node, Placed, Value};
pub use record::Places;
pub use report::{FileError, plain_warnings};
pub use source::Place;
pub use warning::{Warning, WarningKind};
