//! Whether what is installed is what the user agreed to.

use snodo_admission::{Admitted, Hashed, PluginName, Refusal};
use snodo_config::install_record::InstallRecord;

use crate::difference::Difference;
use crate::error::InstallError;
use crate::found::differs;
use crate::installed::Installed;
use crate::records::RecordFault;
use crate::reserved::ReservedBy;
use crate::store::BytesFault;

/// One plugin, verified.
#[derive(Debug)]
pub struct Verified {
    /// Its name.
    pub name: PluginName,
    /// What was agreed to; none if that cannot be read.
    pub record: Option<InstallRecord>,
    /// What is wrong; empty if it can be used.
    pub problems: Vec<Problem>,
}

/// Something that is wrong with an installed plugin.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// Its record.
    #[error("the install record cannot be used: {0}")]
    Record(RecordFault),
    /// Its bytes.
    #[error("{0}")]
    Bytes(BytesFault),
    /// Its name.
    #[error("its name is {} now", .0.describe())]
    Reserved(ReservedBy),
    /// Its name.
    #[error("its name and that of the installed `{0}` differ in letter case only")]
    Twin(PluginName),
    /// This host does not admit it.
    #[error("{0}")]
    Refused(Refusal),
    /// What the record says is not what the bytes are: somebody edited it.
    #[error("the record does not say what the plugin is: {}", .0.lines().join("; "))]
    Differs(Box<Difference>),
}

impl Verified {
    /// Whether it can be used.
    pub fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }

    /// What to do about it; none if nothing is wrong.
    pub fn way_out(&self) -> Option<String> {
        let name = &self.name;
        (!self.is_ok()).then(|| {
            format!("`snodo-host plugin add FILE --as {name}` installs it anew, `snodo-host plugin remove {name}` removes it")
        })
    }
}

impl Installed {
    /// Verifies one plugin: its bytes against its record, and the record against what `admit` sees in the bytes. That one is handed the record (for the
    /// grants) and the bytes with their digest, and answers as before a run.
    pub fn verify<F>(&self, name: &PluginName, admit: F) -> Result<Verified, InstallError>
    where
        F: for<'b> FnOnce(&InstallRecord, &Hashed<'b>) -> Result<Admitted<'b>, Refusal>,
    {
        let listing = self.list()?;
        let Some(listed) = listing.plugins.into_iter().find(|listed| listed.name == *name) else {
            // That one names what is there instead; if it finds the plugin, it came a moment ago.
            let missing = self.show(name).err();
            return Err(missing.unwrap_or_else(|| InstallError::Changed { name: name.clone() }));
        };
        let mut problems = Vec::new();
        problems.extend(listed.reserved.map(Problem::Reserved));
        problems.extend(listed.twin.map(Problem::Twin));
        let record = match listed.record {
            Ok(record) => record,
            Err(fault) => {
                problems.insert(0, Problem::Record(fault));
                return Ok(Verified {
                    name: name.clone(),
                    record: None,
                    problems,
                });
            }
        };
        match self.read_bytes(&record) {
            Err(fault) => problems.push(Problem::Bytes(fault)),
            Ok(bytes) => match admit(&record, &bytes.hashed()) {
                Err(refusal) => problems.push(Problem::Refused(refusal)),
                Ok(admitted) => {
                    let difference = differs(&record, &admitted);
                    if !difference.is_empty() {
                        problems.push(Problem::Differs(Box::new(difference)));
                    }
                }
            },
        }
        Ok(Verified {
            name: name.clone(),
            record: Some(record),
            problems,
        })
    }
}
