//! New plugins: projects in several languages, and the contract to read.
//!
//! * [`files`] makes the files of a new plugin's project; [`write`] puts them into a folder, all or none.
//! * [`wit_package`] and [`wit_text`] are the contract as authors take it; [`contract_reference`] is it for reading.
//!
//! The projects' files are templates in `templates/<language>/<part>/`, each readable as the file that it becomes.

mod contract;
mod language;
mod name;
mod project;
mod table;
mod wit;
mod write;

pub use contract::contract_reference;
pub use language::Language;
pub use name::{BadName, ProjectName};
pub use project::{Commands, File, commands, files};
pub use snodo_admission::Role;
pub use wit::{wit_package, wit_text};
pub use write::{WriteError, write};
