//! All installed plugins of a user.

use std::collections::BTreeSet;
use std::path::Path;

use cap_std::fs::Dir;
use snodo_admission::{Admitted, Digest, Grant, Grants, Inspection, PluginName, contract_version};
use snodo_config::install_record::InstallRecord;

use crate::difference::Difference;
use crate::error::InstallError;
use crate::found::Found;
use crate::plan::{Plan, Request, Seen, import_names};
use crate::records::{self, Listing, RecordFault};
use crate::reserved::{Reserved, ReservedBy};
use crate::shelf::{Locked, Place, Shelf, Trouble};
use crate::store::{self, BytesFault};

/// How often a read starts over because a change came in between. Each time somebody has finished one.
const READS: u32 = 16;

/// A folder that was opened where ambient authority lives, and how it is shown to people.
#[derive(Debug, Clone, Copy)]
pub struct Folder<'a> {
    /// The folder.
    pub dir: &'a Dir,
    /// As in messages.
    pub path: &'a Path,
}

/// All installed plugins of a user. Looking changes nothing: folders are made when the first plugin is installed.
#[derive(Debug)]
pub struct Installed {
    records: Place,
    bytes: Place,
    reserved: Reserved,
}

/// What installing did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Whether the record was written; not if the same was installed.
    pub recorded: bool,
    /// Whether bytes were written; not if they were there.
    pub stored: bool,
    /// Bytes that nothing named any more, in all.
    pub freed: u64,
}

/// What removing did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Bytes that nothing named any more, in all. 0 when another plugin has the same, or when a damaged record may name them.
    pub freed: u64,
}

impl Installed {
    /// Of the user's configuration folder (records) and state folder (bytes).
    pub fn open(config: Folder<'_>, state: Folder<'_>, reserved: Reserved) -> Result<Self, InstallError> {
        Ok(Self {
            records: Place::new(config.dir, config.path)?,
            bytes: Place::new(state.dir, state.path)?,
            reserved,
        })
    }

    /// What a name means already, so that nothing can be installed under it.
    pub fn reserved(&self, name: &PluginName) -> Option<ReservedBy> {
        self.reserved.by(name)
    }

    /// All of them, by name, also those that cannot be used.
    pub fn list(&self) -> Result<Listing, InstallError> {
        match self.records.open()? {
            Some(records) => Ok(records::list(&records, &self.reserved)?),
            None => Ok(Listing::default()),
        }
    }

    /// What the user agreed to.
    pub fn show(&self, name: &PluginName) -> Result<InstallRecord, InstallError> {
        let Some(records) = self.records.open()? else {
            return Err(not_installed(&[], name));
        };
        match records::read(&records, name) {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err(not_installed(&records::names(&records)?.0, name)),
            Err(fault) => Err(InstallError::record(name, fault)),
        }
    }

    /// The plugin of a name, for a run: the record, and bytes that were read and hashed now. None when none is installed. Spelled as it
    /// is installed: case counts.
    pub fn find(&self, name: &PluginName) -> Result<Option<Found>, InstallError> {
        let mut last: Option<(InstallRecord, BytesFault)> = None;
        for _ in 0..READS {
            let Some(records) = self.records.open()? else {
                return Ok(None);
            };
            let Some(record) = records::read(&records, name).map_err(|fault| InstallError::record(name, fault))? else {
                return Ok(None);
            };
            self.refuse_ambiguous(&records, name)?;
            match self.read_bytes(&record) {
                Ok(bytes) => return Ok(Some(Found { record, bytes })),
                // Replaced between the two reads? Then there is another record by now.
                Err(fault) => match last {
                    Some((before, _)) if before == record => return Err(InstallError::bytes(name, fault)),
                    _ => last = Some((record, fault)),
                },
            }
        }
        match last {
            Some((_, fault)) => Err(InstallError::bytes(name, fault)),
            None => Ok(None),
        }
    }

    pub(crate) fn read_bytes(&self, record: &InstallRecord) -> Result<snodo_admission::HashedBytes, BytesFault> {
        let bytes = self.bytes.open()?;
        store::read(bytes.as_ref(), record.digest, record.size)
    }

    /// An installed name that means two things is used for neither.
    fn refuse_ambiguous(&self, records: &Shelf, name: &PluginName) -> Result<(), InstallError> {
        if let Some(by) = self.reserved.by(name) {
            return Err(InstallError::Shadowed { name: name.clone(), by });
        }
        match records::twin(&records::names(records)?.0, name) {
            Some(other) => Err(InstallError::Twin {
                name: name.clone(),
                other,
            }),
            None => Ok(()),
        }
    }

    /// The grants to look at a plugin with that is to be installed under a name: those that the user gave now, and those that what is
    /// installed under it holds. A grant is held only as long as an import stands on it, so nothing is kept for later.
    pub fn grants_for(&self, name: &PluginName, given: Grants) -> Result<Grants, InstallError> {
        let held = match self.before(name)? {
            (_, Some(Ok(record))) => record.grants,
            _ => Grants::NONE,
        };
        Ok(given.or(held))
    }

    /// The record of a name, as far as it can be read.
    fn before(&self, name: &PluginName) -> Result<(Seen, Option<Result<InstallRecord, RecordFault>>), InstallError> {
        let Some(records) = self.records.open()? else {
            return Ok((Seen::Nothing, None));
        };
        Ok(match records::raw(&records, name) {
            Ok(None) => (Seen::Nothing, None),
            Ok(Some(raw)) => {
                let parsed = records::parse(&records, name, &raw);
                (Seen::Text(raw), Some(parsed))
            }
            Err(trouble) => (Seen::Unreadable, Some(Err(trouble.into()))),
        })
    }

    /// What a plugin that was looked at would change, also one that is not admitted (since a new import needs a grant, say). None if nothing of its
    /// name is installed that can be read. Grants are no part of it.
    pub fn difference_to(&self, inspection: &Inspection) -> Result<Option<Difference>, InstallError> {
        let (_, Some(Ok(old))) = self.before(&inspection.name)? else {
            return Ok(None);
        };
        let imports = import_names(&inspection.imports);
        let difference = Difference::of_imports(&old.imports, &imports)
            .with_digest(old.digest, inspection.digest.unwrap_or(old.digest))
            .with_role(old.role, inspection.role.unwrap_or(old.role));
        Ok(Some(difference))
    }

    /// What installing would change: `plugin add`, and `plugin update`, which is the same over a name that is installed. Changes nothing.
    ///
    /// `admitted` is the plugin under the name that it shall have, looked at with [`Installed::grants_for`] that name. What it was
    /// admitted with beyond that is refused: a new import beyond the role's base set takes the user's word.
    pub fn plan_add<'a>(&self, admitted: &Admitted<'a>, request: &Request) -> Result<Plan<'a>, InstallError> {
        let name = admitted.name();
        if let Some(by) = self.reserved.by(name) {
            return Err(InstallError::Reserved { name: name.clone(), by });
        }
        if let Some(records) = self.records.open()? {
            refuse_twin(&records, name)?;
        }
        let before = self.before(name)?;
        let held = match &before.1 {
            // What was given to a judge was not given to a coder.
            Some(Ok(record)) if record.role == admitted.role() => record.grants,
            _ => Grants::NONE,
        };
        let agreed = request.grants.or(held);
        let used = admitted.grants_used();
        if let Some(grant) = Grant::ALL.into_iter().find(|g| used.has(*g) && !agreed.has(*g)) {
            return Err(InstallError::NotGranted {
                name: name.clone(),
                grant,
            });
        }
        Ok(Plan::new(admitted, request, contract_version(), before))
    }

    /// Does what was planned: the bytes first, then the record, each whole or not at all. If what is installed is not what the plan saw, only
    /// a plan that would have come to the same passes; any other changes nothing.
    pub fn add(&self, plan: &Plan<'_>) -> Result<Added, InstallError> {
        let record = plan.record();
        let name = &record.name;
        let (records, bytes) = (self.records.make()?, self.bytes.make()?);
        // Always in this order.
        let (records, bytes) = (records.lock()?, bytes.lock()?);
        records.clear()?;
        refuse_twin(&records, name)?;
        let (seen, now) = self.before(name)?;
        let same = matches!(&now, Some(Ok(now)) if agree(now, record));
        if seen != plan.seen && !same {
            return Err(InstallError::Changed { name: name.clone() });
        }
        let stored = store::put(&bytes, plan.bytes, record.digest)?;
        if !same {
            let text = record.text();
            records.write(&records::file_of(name), text.as_bytes(), seen != Seen::Nothing)?;
        }
        let freed = collect(&records, &bytes)?;
        Ok(Added {
            recorded: !same,
            stored,
            freed,
        })
    }

    /// Removes a plugin, also one whose record is damaged: the record first, so that nothing of it is used any more, then its bytes
    /// unless another plugin has the same.
    pub fn remove(&self, name: &PluginName) -> Result<Removed, InstallError> {
        let Some(records) = self.records.open()? else {
            return Err(not_installed(&[], name));
        };
        let records = records.lock()?;
        records.clear()?;
        if !records.remove(&records::file_of(name))? {
            return Err(not_installed(&records::names(&records)?.0, name));
        }
        records.sync()?;
        let freed = match self.bytes.open()? {
            Some(bytes) => collect(&records, &bytes.lock()?)?,
            None => 0,
        };
        Ok(Removed { freed })
    }
}

/// Whether two records agree to the same; when and from where does not matter.
fn agree(one: &InstallRecord, other: &InstallRecord) -> bool {
    let of = |r: &InstallRecord| (r.name.clone(), r.role, r.digest, r.size, r.imports.clone(), r.grants);
    of(one) == of(other)
}

fn refuse_twin(records: &Shelf, name: &PluginName) -> Result<(), InstallError> {
    match records::twin(&records::names(records)?.0, name) {
        Some(other) => Err(InstallError::Twin {
            name: name.clone(),
            other,
        }),
        None => Ok(()),
    }
}

fn not_installed(names: &[PluginName], name: &PluginName) -> InstallError {
    InstallError::NotInstalled {
        name: name.clone(),
        like: records::twin(names, name),
    }
}

/// Clears away bytes that no record names. With a record that cannot be read nothing is: it may name any.
fn collect(records: &Locked<'_>, bytes: &Locked<'_>) -> Result<u64, Trouble> {
    let mut named: BTreeSet<Digest> = BTreeSet::new();
    for name in records::names(records)?.0 {
        match records::read(records, &name) {
            Ok(Some(record)) => {
                named.insert(record.digest);
            }
            Ok(None) => {}
            Err(_) => return Ok(0),
        }
    }
    store::collect(bytes, &named)
}
