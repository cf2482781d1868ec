//! Finding a plugin: a built-in by its name, anything else as a file.

use std::path::Path;

use snodo_admission::{
    BadName, Bodies, Context, Grants, Hashed, HashedBytes, Inspection, Limits, PluginName, Refusal, Unread,
    inspect_unread,
};
use snodo_config::install_record::InstallRecord;
use snodo_install::{InstallError, Installed};
use snodo_plugins_build::BUILT_IN;
use snodo_workspace::ambient::{self, OpenError};
use snodo_workspace::capability::EntryKind;

use super::SERVED;

/// Where a plugin's bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Embedded in the binary.
    BuiltIn,
    /// A file, as it was named.
    File(String),
    /// Installed by the user; where it came from, as it was named then.
    Installed(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::File(path) => f.write_str(&crate::text::one_line(path, 300)),
            Self::Installed(from) => write!(f, "installed, from {}", crate::text::one_line(from, 300)),
        }
    }
}

/// A plugin's bytes, not looked at yet.
#[derive(Debug, Clone)]
pub struct PluginSource {
    /// What it is called by.
    pub name: PluginName,
    /// Where it comes from.
    pub origin: Origin,
    /// All of it.
    pub bytes: PluginBytes,
    /// What a built-in carries as its fixed grants, and what the user agreed to for an installed one; nothing for a file.
    pub grants: Grants,
    /// What the user agreed to, of an installed one.
    pub record: Option<Box<InstallRecord>>,
}

/// The bytes of a plugin.
#[derive(Debug, Clone)]
pub enum PluginBytes {
    /// Part of the binary.
    Embedded(&'static [u8]),
    /// Read from a file, and hashed in the very buffer that goes on.
    Read(HashedBytes),
}

impl PluginBytes {
    /// With their digest.
    pub fn hashed(&self) -> Hashed<'_> {
        match self {
            Self::Embedded(bytes) => Hashed::new(bytes),
            Self::Read(bytes) => bytes.hashed(),
        }
    }

    /// All of them.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Embedded(bytes) => bytes,
            Self::Read(bytes) => bytes.bytes(),
        }
    }
}

/// Why there is no such plugin.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum FindError {
    /// Neither a built-in nor a file.
    #[error("there is no plugin `{given}`: neither a built-in of that name, nor an installed one, nor a file")]
    #[diagnostic(help(
        "built-in are {}{nearest}; `snodo-host plugin list` shows what is installed; a plugin of your own is named by its file, as in `./{given}.wasm`",
        built_in_names()
    ))]
    Unknown {
        /// As given.
        given: String,
        /// "; did you mean …?", or nothing.
        nearest: String,
    },
    /// The file cannot be read.
    #[error("the plugin file `{path}` cannot be read: {source}")]
    Unreadable {
        /// As given.
        path: String,
        /// Why.
        source: OpenError,
    },
    /// A file whose name is none for a plugin.
    #[error("the plugin file `{path}` has a name that no plugin can have: {source}")]
    BadName {
        /// As given.
        path: String,
        /// Why.
        source: BadName,
    },
    /// An installed one that cannot be used.
    #[error(transparent)]
    Installed(InstallError),
    /// A file with a built-in's name.
    #[error("the plugin file `{path}` would be called `{name}`, which is the name of a built-in")]
    #[diagnostic(help("give the file another name"))]
    BuiltInName {
        /// As given.
        path: String,
        /// The built-in.
        name: String,
    },
}

fn built_in_names() -> String {
    let names: Vec<String> = BUILT_IN.iter().map(|b| format!("`{}`", b.name)).collect();
    names.join(", ")
}

/// Finds what a command line or a protocol names. A built-in's name wins over an installed one's; a path (with `/`), or a name with `.wasm`, is
/// a file, and nothing else is. A file over `max_bytes` is not read.
pub fn find(given: &str, installed: Option<&Installed>, max_bytes: u64) -> Result<PluginSource, FindError> {
    if let Some(source) = built_in(given) {
        return Ok(source);
    }
    if let (Some(installed), Ok(name)) = (installed, PluginName::parse(given)) {
        let found = installed.find(&name).map_err(FindError::Installed)?;
        if let Some(found) = found {
            return Ok(PluginSource {
                name,
                origin: Origin::Installed(found.record.source.text.clone()),
                bytes: PluginBytes::Read(found.bytes),
                grants: found.record.grants,
                record: Some(Box::new(found.record)),
            });
        }
    }
    let shown = crate::text::one_line(given, 300);
    // A bare name is never a file that happens to lie in the current folder, which may be a repository's.
    if !is_path(given) {
        return Err(FindError::Unknown {
            given: shown,
            nearest: nearest(given),
        });
    }
    let path = Path::new(given);
    let bytes = ambient::read_user_file(path, max_bytes).map_err(|source| FindError::Unreadable {
        path: shown.clone(),
        source,
    })?;
    let file_name = path
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let name = PluginName::of_file(&file_name).map_err(|source| FindError::BadName {
        path: shown.clone(),
        source,
    })?;
    if let Some(built_in) = BUILT_IN.iter().find(|b| b.name.eq_ignore_ascii_case(name.as_str())) {
        return Err(FindError::BuiltInName {
            path: shown,
            name: built_in.name.to_owned(),
        });
    }
    Ok(PluginSource {
        name,
        origin: Origin::File(given.to_owned()),
        bytes: PluginBytes::Read(HashedBytes::new(bytes)),
        grants: Grants::NONE,
        record: None,
    })
}

/// Whether a text names a file, whatever else is called so.
pub fn is_path(given: &str) -> bool {
    given.contains(std::path::MAIN_SEPARATOR)
        || given.contains('/')
        || Path::new(given)
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("wasm"))
}

fn built_in(name: &str) -> Option<PluginSource> {
    let found = snodo_plugins_build::find(name)?;
    let mut grants = Grants::NONE;
    grants.runner = found.grants.contains(&"runner");
    grants.model = found.grants.contains(&"model");
    // A built-in's name is a name: the build would not have found its crate otherwise.
    let name = PluginName::parse(found.name).ok()?;
    Some(PluginSource {
        name,
        origin: Origin::BuiltIn,
        bytes: PluginBytes::Embedded(found.bytes),
        grants,
        record: None,
    })
}

fn nearest(given: &str) -> String {
    BUILT_IN
        .iter()
        .map(|b| (strsim::damerau_levenshtein(b.name, given), b.name))
        .filter(|(distance, _)| *distance <= 2)
        .min()
        .map(|(_, name)| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}

/// What admission says of something that is no file, or too large to be read: the same kind of answer as for a file that is
/// read. None for any other error.
pub fn inspect_unreadable(error: &FindError, limits: &Limits) -> Option<Inspection> {
    let FindError::Unreadable { path, source } = error else {
        return None;
    };
    let what = match source {
        OpenError::NotAFile {
            kind: EntryKind::Directory,
            ..
        } => Unread::Folder,
        OpenError::NotAFile { .. } => Unread::SpecialFile,
        OpenError::TooLarge { size, .. } => Unread::Large { bytes: *size },
        _ => return None,
    };
    let file_name = Path::new(path)
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let name = PluginName::of_file(&file_name)
        .or_else(|_| PluginName::parse("plugin"))
        .ok()?;
    let context = Context {
        name: &name,
        role_expected: None,
        grants: Grants::NONE,
        served: SERVED,
        bodies: Bodies::Validate,
    };
    Some(inspect_unread(what, &context, limits))
}

/// The same as a refusal.
pub fn refusal_of(error: &FindError) -> Option<Refusal> {
    inspect_unreadable(error, &Limits::standard())?.refusal()
}
