//! The records: one file for each installed plugin.

use serde::Serialize;
use snodo_admission::PluginName;
use snodo_config::FileError;
use snodo_config::install_record::{INSTALL_RECORD_BYTES, InstallRecord, load_install_record};

use crate::reserved::{Reserved, ReservedBy};
use crate::shelf::{Shelf, Trouble};

const ENDING: &str = ".toml";

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordFault {
    /// It is damaged: every fault with its place.
    #[error("{0}")]
    Damaged(Box<FileError>),
    /// It is another plugin's.
    #[error("it is the record of a plugin `{inside}`, and not of the one that the file is named for")]
    OtherName {
        /// What it says.
        inside: PluginName,
    },
    /// The file cannot be used.
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

/// One installed plugin in a listing.
#[derive(Debug)]
pub struct Listed {
    /// Its name, by its file.
    pub name: PluginName,
    /// What was agreed to, or why that cannot be told.
    pub record: Result<InstallRecord, RecordFault>,
    /// What else the name means now, since a newer host has such a built-in, or the user declared an external coder. The plugin is not used
    /// then, and can be removed.
    pub reserved: Option<ReservedBy>,
    /// Another installed plugin whose name folds alike, as copies by hand can bring about. Neither is used.
    pub twin: Option<PluginName>,
}

/// All installed plugins, and what stands beside them.
#[derive(Debug, Default)]
pub struct Listing {
    /// By name.
    pub plugins: Vec<Listed>,
    /// Files that are no plugin's record, by their names, escaped. They are not looked at and not touched.
    pub strays: Vec<String>,
}

/// What a listing tells programs of a plugin.
impl Serialize for Listed {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told<'a> {
            name: &'a PluginName,
            record: Option<&'a InstallRecord>,
            error: Option<String>,
            reserved: Option<ReservedBy>,
            twin: Option<&'a PluginName>,
        }
        Told {
            name: &self.name,
            record: self.record.as_ref().ok(),
            error: self.record.as_ref().err().map(ToString::to_string),
            reserved: self.reserved,
            twin: self.twin.as_ref(),
        }
        .serialize(to)
    }
}

/// The file of a record.
pub(crate) fn file_of(name: &PluginName) -> String {
    format!("{name}{ENDING}")
}

/// A record's text; none when there is none.
pub(crate) fn raw(records: &Shelf, name: &PluginName) -> Result<Option<Vec<u8>>, Trouble> {
    // One byte more than is read, so that a file over the size is told by the loader, as every other fault of it.
    records.read(&file_of(name), INSTALL_RECORD_BYTES as u64 + 1)
}

/// A record out of its text.
pub(crate) fn parse(records: &Shelf, name: &PluginName, raw: &[u8]) -> Result<InstallRecord, RecordFault> {
    let shown = records.path_of(&file_of(name)).display().to_string();
    let record = load_install_record(&shown, raw).map_err(|error| RecordFault::Damaged(Box::new(error)))?;
    if record.name == *name {
        Ok(record)
    } else {
        Err(RecordFault::OtherName { inside: record.name })
    }
}

/// A record; none when there is none.
pub(crate) fn read(records: &Shelf, name: &PluginName) -> Result<Option<InstallRecord>, RecordFault> {
    match raw(records, name)? {
        Some(raw) => parse(records, name, &raw).map(Some),
        None => Ok(None),
    }
}

/// The names of all records, sorted, and what stands beside them.
pub(crate) fn names(records: &Shelf) -> Result<(Vec<PluginName>, Vec<String>), Trouble> {
    let (mut names, mut strays) = (Vec::new(), Vec::new());
    for entry in records.names()? {
        match entry {
            // The lock, and what a write left.
            Ok(file) if file.starts_with('.') => {}
            Ok(file) => match file.strip_suffix(ENDING).map(PluginName::parse) {
                Some(Ok(name)) => names.push(name),
                _ => strays.push(file.escape_debug().to_string()),
            },
            Err(escaped) => strays.push(escaped),
        }
    }
    names.sort();
    Ok((names, strays))
}

/// Another plugin of the same folded name.
pub(crate) fn twin(names: &[PluginName], name: &PluginName) -> Option<PluginName> {
    let twin = names
        .iter()
        .find(|other| *other != name && other.folds_like() == name.folds_like());
    twin.cloned()
}

pub(crate) fn list(records: &Shelf, reserved: &Reserved) -> Result<Listing, Trouble> {
    let (names, strays) = names(records)?;
    let mut plugins = Vec::new();
    for name in &names {
        let record = match read(records, name) {
            Ok(Some(record)) => Ok(record),
            // Removed a moment ago.
            Ok(None) => continue,
            Err(fault) => Err(fault),
        };
        plugins.push(Listed {
            name: name.clone(),
            record,
            reserved: reserved.by(name),
            twin: twin(&names, name),
        });
    }
    Ok(Listing { plugins, strays })
}
