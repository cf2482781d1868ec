//! Installed plugins: the user's records and their bytes, and what a repository pins.
//!
//! Two folders, both the user's own:
//!
//! * **records**, `plugins/<name>.toml` in the configuration: what the user agreed to. One file for each plugin: to add or remove one
//!   never rewrites what was agreed to for another, a damaged record takes only its own plugin down, and a rename makes each change all
//!   or nothing.
//! * **bytes**, `plugins/<sha256>.wasm` in the state: stored under their own hash and hashed again at every read; [`Found`] holds the very
//!   buffer that was hashed.
//!
//! Bytes come first and the record last, so that what an interrupted install leaves behind is never used: bytes without a record, or a
//! temporary file. Both are cleared away by the next change. One configuration folder goes with one state folder: bytes that no record
//! of it names are garbage.
//!
//! A record is permission to use the bytes, with the grants, nothing more: admission looks at them before every run all the same.
//! [`check_pin`] holds a plugin against a repository's pins, which only tighten.

mod difference;
mod error;
mod found;
mod installed;
mod pin;
mod plan;
mod records;
mod reserved;
mod shelf;
mod store;
mod sys;
mod verify;

pub use difference::{Difference, Versions};
pub use error::InstallError;
pub use found::{Found, differs};
pub use installed::{Added, Folder, Installed, Removed};
pub use pin::{Candidate, Origin, PinRefusal, check_pin, pin_of};
pub use plan::{Change, Plan, Request};
pub use records::{Listed, Listing, RecordFault};
pub use reserved::{Reserved, ReservedBy};
pub use shelf::Trouble;
pub use snodo_config::install_record::{InstallRecord, Moment, Source, SourceKind};
pub use store::BytesFault;
pub use verify::{Problem, Verified};
