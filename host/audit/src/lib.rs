//! snodo's audit log, byte for byte: one chain of events in `.snodo/audit.log` and its archives that snodo (0.26.0) verifies and
//! continues, and that continues snodo's.
//!
//! | file | what |
//! |---|---|
//! | [`value`], [`parse`], [`canonical`] | JSON as Python reads and writes it |
//! | [`event`], `cap` | a line, its hash, and how large it may be |
//! | [`chain`] | what must follow what, and what can be wrong |
//! | [`files`], [`folder`], [`lock`] | the files by handle, and the locks |
//! | [`verify`](mod@verify), [`repair`](mod@repair) | a whole log |
//! | [`append`], [`rotation`], [`writer`] | writing |
//! | [`project`] | whom an event belongs to |
//! | [`vocabulary`] | the events that a run writes |
//!
//! What it promises and what it does not: [`chain`] says what cannot be detected without a head that was kept elsewhere; [`append`] says when
//! a log is looked at.

pub mod append;
pub mod canonical;
mod cap;
pub mod chain;
pub mod event;
pub mod files;
pub mod folder;
mod lines;
pub mod lock;
pub mod parse;
pub mod project;
pub mod repair;
pub mod rotation;
mod time;
pub mod value;
pub mod verify;
pub mod vocabulary;
mod walk;
pub mod writer;

pub use append::{AuditError, AuditLog};
pub use cap::MAX_EVENT_BYTES;
pub use event::{EventHash, Head, NewEvent};
pub use repair::{Repair, repair};
pub use verify::{Verified, VerifyError, verify};
pub use walk::{Broken, Note};
pub use writer::{Writer, WriterError};
