//! The command line, as data: flags, their help and their checks stand together.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::engine::{Grant, GrantKind};

/// Run coders and validators that you took from strangers: WebAssembly components that touch only what they import.
#[derive(Debug, Parser)]
#[command(
    name = "snodo-host",
    version,
    propagate_version = true,
    disable_help_subcommand = true
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Have a coder do a task, judge what it did, and apply it
    Run(Box<RunArgs>),
    /// Show what a plugin is and what it asks for; runs and compiles nothing of it
    Inspect(InspectArgs),
    /// Watch a run on a small project with a failing test
    Demo(DemoArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What a run is to produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Expect {
    /// A change of the workspace
    Change,
    /// An answer in words
    Findings,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// What is to be done
    #[arg(conflicts_with = "task_file", required_unless_present = "task_file")]
    pub(super) task: Option<String>,
    /// Take the task from a file (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(super) task_file: Option<PathBuf>,
    /// The folder to work on
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) workspace: PathBuf,
    /// Who does it: a built-in's name, or a file [default: what the protocol says, else patch]
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) coder: Option<String>,
    /// Who judges it: a built-in's name, or a file; may be repeated [default: secrets, and quality with a test command]
    #[arg(long = "validator", value_name = "NAME|FILE")]
    pub(super) validators: Vec<String>,
    /// A protocol file in place of the workspace's .snodo/protocol.yml
    #[arg(long, value_name = "FILE")]
    pub(super) protocol: Option<PathBuf>,
    /// The protocol's mode [default: its initial mode]
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// The coder's model
    #[arg(short, long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// How the project's tests are run, where the protocol leaves it open
    #[arg(long, value_name = "CMD")]
    pub(super) test_command: Option<String>,
    /// A plugin's setting; may be repeated
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    pub(super) settings: Vec<String>,
    /// Grant a plugin what its role does not have: `model` or `runner`; may be repeated
    #[arg(long = "grant", value_name = "NAME:WHAT", value_parser = grant)]
    pub(super) grants: Vec<Grant>,
    /// Let plugins read ignored, untracked files that match; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(super) read_ignored: Vec<String>,
    /// What is to come out
    #[arg(long, value_enum, default_value = "change")]
    pub(super) expect: Expect,
    /// Judge the change, and do not apply it
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Commit what was applied
    #[arg(long)]
    pub(super) commit: bool,
    /// Print one JSON object (snodo.run.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
    /// Use the deterministic stub coder, whatever else is said
    #[arg(long)]
    pub(super) mock: bool,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// A built-in's name, or a file
    pub(super) plugin: String,
    /// Inspect as if this were granted: `model` or `runner`; may be repeated
    #[arg(long = "grant", value_name = "WHAT", value_parser = grant_kind)]
    pub(super) grants: Vec<GrantKind>,
    /// Print one JSON object (snodo.inspect.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Leave the project in place afterwards
    #[arg(long)]
    pub(super) keep: bool,
}

fn grant_kind(text: &str) -> Result<GrantKind, String> {
    match text {
        "model" => Ok(GrantKind::Model),
        "runner" => Ok(GrantKind::Runner),
        _ => Err("what can be granted is `model` or `runner`".to_owned()),
    }
}

fn grant(text: &str) -> Result<Grant, String> {
    let (plugin, what) = text
        .split_once(':')
        .ok_or("a grant is written NAME:WHAT, as in `judge:model`")?;
    if plugin.is_empty() {
        return Err("a grant names a plugin, as in `judge:model`".to_owned());
    }
    Ok(Grant {
        plugin: plugin.to_owned(),
        kind: grant_kind(what)?,
    })
}
