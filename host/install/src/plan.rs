//! What installing a plugin would change, told before anything is changed.

use snodo_admission::{Admitted, Grant, Grants, Import};
use snodo_config::install_record::{InstallRecord, Moment, Source};

use crate::difference::Difference;
use crate::records::RecordFault;

/// What the user asks for, beside the plugin itself.
#[derive(Debug, Clone)]
pub struct Request {
    /// The grants that the user gave in this very command. One that the plugin held before need not be among them.
    pub grants: Grants,
    /// Where the bytes came from, as the user named it.
    pub source: Source,
    /// When.
    pub now: Moment,
}

/// What installing would do. It holds the bytes that were looked at, and what stood in their place: if that is another one by the time of
/// the act, nothing is done.
#[derive(Debug)]
pub struct Plan<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) seen: Seen,
    record: InstallRecord,
    change: Change,
    unused: Vec<Grant>,
}

/// The record that was there when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Nothing,
    Text(Vec<u8>),
    /// Something stands there, and cannot be read.
    Unreadable,
}

/// How a plan changes what is installed.
#[derive(Debug)]
pub enum Change {
    /// Nothing of the name is installed.
    New,
    /// The same is installed already. Only bytes that are missing or damaged are put back.
    Same,
    /// Something else is, and this takes its place.
    Replaces {
        /// What was agreed to before.
        old: Box<InstallRecord>,
        /// What is different.
        difference: Box<Difference>,
    },
    /// A record that cannot be read is, and this takes its place: what was granted before does not count.
    ReplacesDamaged {
        /// Why it cannot be read.
        fault: Box<RecordFault>,
    },
}

impl<'a> Plan<'a> {
    pub(crate) fn new(
        admitted: &Admitted<'a>,
        request: &Request,
        contract: String,
        before: (Seen, Option<Result<InstallRecord, RecordFault>>),
    ) -> Self {
        let record = InstallRecord {
            name: admitted.name().clone(),
            role: admitted.role(),
            digest: admitted.digest(),
            size: admitted.bytes().len() as u64,
            imports: imports_of(admitted),
            grants: admitted.grants_used(),
            contract,
            installed: request.now,
            source: request.source.clone(),
        };
        let (seen, old) = before;
        let change = match old {
            None => Change::New,
            Some(Err(fault)) => Change::ReplacesDamaged { fault: Box::new(fault) },
            Some(Ok(old)) => {
                let difference = Box::new(Difference::between(&old, &record));
                if difference.is_empty() {
                    Change::Same
                } else {
                    Change::Replaces {
                        old: Box::new(old),
                        difference,
                    }
                }
            }
        };
        let unused = request.grants.list();
        let unused = unused.into_iter().filter(|grant| !record.grants.has(*grant)).collect();
        Self {
            bytes: admitted.bytes(),
            seen,
            record,
            change,
            unused,
        }
    }

    /// The record that would be written: name, role, imports, grants, digest.
    pub fn record(&self) -> &InstallRecord {
        &self.record
    }

    /// How it changes what is installed.
    pub fn change(&self) -> &Change {
        &self.change
    }

    /// Grants that the user gave and that nothing of the plugin needs. They are not kept: a later version that needs one asks again.
    pub fn unused_grants(&self) -> &[Grant] {
        &self.unused
    }

    /// Whether there is anything for the user to agree to.
    pub fn needs_consent(&self) -> bool {
        !matches!(self.change, Change::Same)
    }
}

/// The imports as they are kept: sorted, with versions.
pub(crate) fn imports_of(admitted: &Admitted<'_>) -> Vec<String> {
    import_names(admitted.imports())
}

pub(crate) fn import_names(imports: &[Import]) -> Vec<String> {
    let mut names: Vec<String> = imports.iter().map(|import| import.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}
