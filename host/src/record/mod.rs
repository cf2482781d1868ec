//! What a run leaves behind, kept in the user's state folder: its report, and its change as data, which can be applied, undone and removed.

mod act;
mod change;
mod files;
mod head;
mod keep;
mod mask;
mod opened;
mod prune;
mod refusal;
mod report;
mod seal;
mod store;
mod summary;

pub(crate) use act::fresh;
pub use act::{ActError, Acted, Acting, Action};
pub use change::keep_change;
pub(crate) use files::{make_folder, read as read_file, replace as replace_file};
pub use head::{AuditReport, keep_head, known_heads};
pub use keep::{RecordError, StateFolder, keep_run};
pub(crate) use mask::mask;
pub use prune::{Prune, Pruned, Removed, Spared, prune};
pub use report::{
    ChangeReport, ClassificationReport, CoderSection, CommitReport, ConstraintReport, Durations, GateReport,
    GateResult, ModelsReport, PluginReport, ProtocolReport, RunReport, SCHEMA, TaskReport, WorkspaceReport,
};
pub use seal::{Place, RECORD_SCHEMA, RecordState, Seal};
pub use store::{Form, Record, RunId, Runs, StoreError};
pub use summary::{Standing, Summary};
