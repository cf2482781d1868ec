//! What a run leaves behind: its report, kept in the user's state folder.

mod head;
mod keep;
mod mask;
mod report;

pub use head::{AuditReport, keep_head, known_heads};
pub use keep::{RecordError, StateFolder, keep_run};
pub(crate) use mask::mask;
pub use report::{
    ChangeReport, CoderSection, ConstraintReport, Durations, GateReport, GateResult, PluginReport, ProtocolReport,
    RunReport, SCHEMA, TaskReport, WorkspaceReport,
};
