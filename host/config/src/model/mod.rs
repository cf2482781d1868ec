//! Language models: which one serves a role, and how it is reached.

mod binding;

pub use binding::{Binding, ClientKey, Header, KeySource, ModelRole, Wire};
