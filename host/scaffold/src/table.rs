//! The tables that the build script makes.

/// A file of a template.
pub(crate) struct Template {
    /// As in [`Language::name`](crate::Language::name).
    pub(crate) language: &'static str,
    /// `shared`, or a role's name.
    pub(crate) part: &'static str,
    /// Where it goes in a project.
    pub(crate) path: &'static str,
    /// With placeholders.
    pub(crate) text: &'static str,
}

// `TEMPLATES`; `VENDORED`: what stands in `vendor/` of a Rust project, path and text; `LOCKED`: the packages of its lock file, name
// and entry.
include!(concat!(env!("OUT_DIR"), "/tables.rs"));
