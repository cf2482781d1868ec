//! What crosses between the host and a plugin beside the capabilities: the task, the circumstances, and what the
//! two roles answer. Domain types of the contract's `types`, `coding` and `judging`, that know no WIT.

mod checked;
mod coding;
mod context;
mod description;
mod judging;
mod task;

pub use checked::checked;
pub use coding::{CoderError, CoderReport, Finding, Implementation, Mismatch, ReportedFile, StopReason};
pub use context::{Context, InvocationLimits, RunnerInfo};
pub use description::{Description, Setting, SettingDeclaration, SettingType, SettingValue};
pub use judging::{Evaluation, ExecutionEvidence, Fault, ModeProfile, Uncheckable, Verdict};
pub use task::{ConfigurationFile, Expectation, Phase, PriorFailure, ProjectContext, Severity, Task};
