//! Installed plugins.
