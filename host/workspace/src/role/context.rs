//! The circumstances of a call.

use serde::Serialize;

use super::Setting;

/// Every field is always filled, for every plugin of every kind: nothing is found out by probing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Context {
    /// The run.
    pub job_id: String,
    /// The task.
    pub task_id: String,
    /// The mode's id.
    pub mode: String,
    /// Recovery depth; 0 outside recovery.
    pub depth: u32,
    /// From 1.
    pub attempt: u32,
    /// The model configured for this role, or none.
    pub model: Option<String>,
    /// The declared test runner, or none.
    pub runner: Option<RunnerInfo>,
    /// Paths that no coder may change, and everything below them.
    pub protected_paths: Vec<String>,
    /// What the protocol tells whoever works under it.
    pub protocol_guidance: String,
    /// A judge's tool list, or the functions of a coder's world.
    pub tools: Vec<String>,
    /// Every setting that the plugin declared, with the value in force.
    pub settings: Vec<Setting>,
    /// In force for this invocation.
    pub limits: InvocationLimits,
}

/// The declared test runner, as a plugin is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunnerInfo {
    /// What is executed.
    pub argv: Vec<String>,
    /// Whether a path may be given.
    pub takes_path: bool,
    /// Calls allowed in this invocation.
    pub calls: u32,
    /// Of one call, in milliseconds.
    pub timeout_ms: u64,
}

/// The limits of one invocation, as a plugin is told of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InvocationLimits {
    /// Linear memory, all together.
    pub memory_bytes: u64,
    /// The plugin's own computing.
    pub compute_ms: u64,
    /// Host calls included.
    pub total_ms: u64,
    /// How many.
    pub host_calls: u64,
    /// Across the boundary in one call.
    pub call_bytes: u64,
    /// Read in all.
    pub read_bytes: u64,
    /// Submitted in all.
    pub submit_bytes: u64,
}
