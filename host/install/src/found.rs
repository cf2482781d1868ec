//! An installed plugin, ready for admission.

use snodo_admission::{Admitted, HashedBytes};
use snodo_config::install_record::InstallRecord;

use crate::difference::Difference;
use crate::plan::imports_of;

/// An installed plugin: what the user agreed to, and the bytes that were hashed.
#[derive(Debug, Clone)]
pub struct Found {
    /// What the user agreed to; its digest is that of the bytes.
    pub record: InstallRecord,
    /// The buffer that was hashed. What is compiled has to be this one.
    pub bytes: HashedBytes,
}

impl Found {
    /// What admission sees that the record does not say: empty unless somebody edited the record.
    pub fn differs_from(&self, admitted: &Admitted<'_>) -> Difference {
        differs(&self.record, admitted)
    }
}

/// What admission sees in the bytes of a plugin that its record does not say.
pub fn differs(record: &InstallRecord, admitted: &Admitted<'_>) -> Difference {
    let seen = InstallRecord {
        role: admitted.role(),
        digest: admitted.digest(),
        size: admitted.bytes().len() as u64,
        imports: imports_of(admitted),
        grants: admitted.grants_used(),
        ..record.clone()
    };
    Difference::between(record, &seen)
}
