//! What a run leaves behind: its report, kept in the user's state folder.

mod keep;
mod mask;
mod report;

pub use keep::{RecordError, StateFolder, keep_run};
pub(crate) use mask::mask;
pub use report::{
    ChangeReport, CoderSection, Durations, GateReport, GateResult, PluginReport, ProtocolReport, RunReport, SCHEMA,
    TaskReport, WorkspaceReport,
};
