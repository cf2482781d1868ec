//! Of what runs leave behind: records, audit logs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum RunsCommand {
    /// List the runs that are kept, the newest first
    List {
        /// Only those in this folder
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
        /// Print one JSON object (snodo.runs.v1) on standard output
        #[arg(long)]
        json: bool,
    },
    /// Show what a run did, and what became of it
    Show(RunArg),
    /// Print a run's change as a patch
    Diff {
        /// The run's id, the beginning of one, or `last`
        run: String,
        /// The folder that `last` is about
        #[arg(long, value_name = "DIR", default_value = ".")]
        workspace: PathBuf,
    },
    /// Apply the change of a dry run, exactly as it passed both gates
    Apply(RunArg),
    /// Take the change of a run back, if nothing of it was changed since
    Undo(RunArg),
    /// Remove records
    Prune(PruneArgs),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RunArg {
    /// The run's id, the beginning of one, or `last`
    pub(in crate::cli) run: String,
    /// The folder that it was a run in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) workspace: PathBuf,
    /// Print one JSON object (snodo.runs.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PruneArgs {
    /// Leave the newest N of each workspace
    #[arg(long, value_name = "N", required_unless_present = "older_than")]
    pub(in crate::cli) keep: Option<usize>,
    /// Leave those that are not older than this
    #[arg(long, value_name = "DAYS")]
    pub(in crate::cli) older_than: Option<u32>,
    /// Also remove the newest applied one of each workspace, by which its last change could be undone
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Only those in this folder
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) workspace: Option<PathBuf>,
    /// Print one JSON object (snodo.runs.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum AuditCommand {
    /// Follow the chain of events from its beginning, and hold it against what is known from runs
    Verify(AuditArgs),
    /// Put what is damaged aside, and go on from the last good event
    Repair(AuditArgs),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AuditArgs {
    /// The folder whose log it is
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) workspace: PathBuf,
    /// Print one JSON object (snodo.audit.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
