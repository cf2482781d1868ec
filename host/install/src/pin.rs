//! A repository's pins, held against a plugin that is about to be used.

use std::fmt;

use serde::Serialize;
use snodo_admission::{Admitted, Digest, PluginName, Role};
use snodo_config::Place;
use snodo_config::install_record::InstallRecord;
use snodo_config::pins::{PINS_FILE, Pin, Pins};

use crate::difference::Difference;
use crate::plan::imports_of;

/// Where a plugin that is about to be used comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Built into this host.
    BuiltIn,
    /// A file that the user named.
    File,
    /// Installed.
    Installed,
}

/// A plugin that is about to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Under which name.
    pub name: PluginName,
    /// From where.
    pub origin: Origin,
    /// Which bytes.
    pub digest: Digest,
    /// What for.
    pub role: Role,
    /// What it imports, sorted, with versions.
    pub imports: Vec<String>,
}

impl Candidate {
    /// As admission saw it.
    pub fn of(admitted: &Admitted<'_>, origin: Origin) -> Self {
        Self {
            name: admitted.name().clone(),
            origin,
            digest: admitted.digest(),
            role: admitted.role(),
            imports: imports_of(admitted),
        }
    }

    /// As it is recorded.
    pub fn of_record(record: &InstallRecord) -> Self {
        Self {
            name: record.name.clone(),
            origin: Origin::Installed,
            digest: record.digest,
            role: record.role,
            imports: record.imports.clone(),
        }
    }
}

/// A plugin that is not the one that the repository pins. Printed, it lists what differs, a line each, and says what accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PinRefusal {
    /// Under which name it would be used.
    pub name: PluginName,
    /// From where it comes.
    pub origin: Origin,
    /// The line of the pin.
    pub line: u32,
    /// From what is pinned to what was found.
    pub difference: Difference,
    /// The command that pins what was found.
    pub accept: String,
}

impl std::error::Error for PinRefusal {}

impl fmt::Display for PinRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, line, .. } = self;
        write!(
            f,
            "the plugin `{name}` is not the one that this repository pins (`{PINS_FILE}`, line {line}); pinned -> found:"
        )?;
        for line in self.difference.lines() {
            write!(f, "\n  {line}")?;
        }
        let mend = match self.origin {
            Origin::BuiltIn => "it is built into this host, so its bytes change with the host's version: use the version that was pinned, or leave built-ins unpinned".to_owned(),
            Origin::File => "give the file that was pinned".to_owned(),
            Origin::Installed => format!("install the one that was pinned with `snodo-host plugin add FILE --as {name}`"),
        };
        write!(f, "\n  hint: {mend}; `{}` pins the one that was found", self.accept)
    }
}

/// Whether a plugin is the one that is pinned under its name; a name without a pin is free. A pin holds for every plugin that would be used under
/// the name, in any letter case: an installed one, a file, and a built-in.
///
/// Built-ins too, although their bytes change with the host's version: whoever pins one says that results shall come from these bytes, and
/// that another host is to be noticed. To pass over the pin in silence would loosen what the repository asked for.
pub fn check_pin(pins: &Pins, candidate: &Candidate) -> Result<(), Box<PinRefusal>> {
    let Some(pin) = pins.get(&candidate.name) else {
        return Ok(());
    };
    let imports = pin.imports.as_deref().unwrap_or(&candidate.imports);
    let difference = Difference::of_imports(imports, &candidate.imports)
        .with_digest(pin.digest, candidate.digest)
        .with_role(pin.role.unwrap_or(candidate.role), candidate.role);
    if difference.is_empty() {
        return Ok(());
    }
    Err(Box::new(PinRefusal {
        name: candidate.name.clone(),
        origin: candidate.origin,
        line: pin.place.line,
        difference,
        accept: format!("snodo-host plugin pin {}", candidate.name),
    }))
}

/// The pin that this plugin fulfils: with role and imports, so that a reviewer of the repository sees what it may ask for.
pub fn pin_of(candidate: &Candidate) -> Pin {
    Pin {
        name: candidate.name.clone(),
        digest: candidate.digest,
        imports: Some(candidate.imports.clone()),
        role: Some(candidate.role),
        place: Place::START,
    }
}
