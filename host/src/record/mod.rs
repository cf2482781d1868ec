//! What a run leaves behind: its report, kept in the user's state folder.

mod keep;
mod report;

pub use keep::{RecordError, StateFolder, keep_run};
pub use report::{
    ChangeReport, CoderSection, Durations, GateReport, GateResult, PluginReport, ProtocolReport, RunReport, SCHEMA,
    TaskReport, WorkspaceReport,
};
