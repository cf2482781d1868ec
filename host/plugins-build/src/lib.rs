//! First-party plugins, compiled to components by this crate's build script and embedded.
//!
//! The build script compiles `plugins/*` for `wasm32-wasip2` with the profile `plugin`, once for all profiles of the outer build,
//! into the folder `guests` of its target folder. An unchanged plugin is not compiled again. Nothing is compiled to native code
//! here: that is the host's, at run time.
//!
//! * Where the target is missing, it is added with rustup; where that is not possible, the build fails with the command to type.
//! * `SNODO_PLUGINS_PREBUILT=<folder>` takes `<folder>/<name>.wasm` instead, and compiles nothing.
//! * Builds of documentation on docs.rs embed nothing: [`BUILT_IN`] is empty there.

/// A plugin that is part of the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// By which it is called, and which no other plugin may take.
    pub name: &'static str,
    /// The component. What it is and may import is read off it, as of any other plugin's.
    pub bytes: &'static [u8],
    /// SHA-256 of `bytes`, in 64 lower-case hex digits.
    pub sha256: &'static str,
    /// Grants that it carries without being asked for, by their names (`runner`, `model`): fixed here, and shown.
    pub grants: &'static [&'static str],
}

/// Every plugin that is part of the binary, in the order of names. Empty on docs.rs.
pub static BUILT_IN: &[BuiltIn] = &include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// The plugin of that name.
///
/// ```
/// let quality = snodo_plugins_build::find("quality");
/// assert!(quality.is_some_and(|plugin| plugin.grants == ["runner"]));
/// assert!(snodo_plugins_build::find("no such").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|plugin| plugin.name == name)
}
