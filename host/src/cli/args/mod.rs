//! The command line, as data: flags, their help and their checks stand together.

mod kept;
mod plugins;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use snodo_commit::Revision;
use snodo_config::host_config::{ExternalConfig, SandboxPolicy};

pub(in crate::cli) use self::kept::{AuditArgs, AuditCommand, PruneArgs, RunArg, RunsCommand};
pub(in crate::cli) use self::plugins::{
    ConformArgs, Consent, InspectArgs, NewArgs, NewRole, OwnGrant, PluginAddArgs, PluginCommand, PluginNameArgs,
    PluginPinArgs, PluginUpdateArgs, WitArgs, WitCommand,
};
use self::values::{external, grant, policy, revision};
use crate::engine::Grant;

/// Run coders and validators that you took from strangers: WebAssembly components that touch only what they import.
#[derive(Debug, Parser)]
#[command(
    name = "snodo-host",
    version,
    propagate_version = true,
    disable_help_subcommand = true
)]
pub(in crate::cli) struct Cli {
    #[command(subcommand)]
    pub(in crate::cli) command: Command,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Have a coder do a task, judge what it did, and apply it
    Run(Box<RunArgs>),
    /// Have the validators of one gate judge, without a coder
    Validate(Box<ValidateArgs>),
    /// Show what a plugin is and what it asks for; runs and compiles nothing of it
    Inspect(InspectArgs),
    /// Write the project of a new plugin
    New(NewArgs),
    /// Install plugins, look at what is installed, pin it in a repository
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// Print the contract, or compare a plugin with it
    Wit(WitArgs),
    /// Hold a coder or a validator to the whole interface, check by check
    Conform(ConformArgs),
    /// Show every coder, and what it declares
    Coders(CodersArgs),
    /// Show which layers of the sandbox this machine offers, and what is missing
    Doctor(DoctorArgs),
    /// Watch a run on a small project with a failing test
    Demo(DemoArgs),
    /// Look at the runs that are kept, apply the change of a dry run, take one back
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Show which language model serves whom, and whether it answers
    #[command(subcommand)]
    Model(ModelCommand),
    /// Look at a protocol without a run
    #[command(subcommand)]
    Protocol(ProtocolCommand),
    /// Look at a workspace's audit log
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What a run is to produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Expect {
    /// A change of the workspace
    Change,
    /// An answer in words
    Findings,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RunArgs {
    /// What is to be done
    #[arg(conflicts_with = "task_file", required_unless_present = "task_file")]
    pub(in crate::cli) task: Option<String>,
    /// Take the task from a file (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) task_file: Option<PathBuf>,
    /// The folder to work on
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) workspace: PathBuf,
    /// Who does it: a built-in's name, or a file [default: what the protocol says, else patch]
    #[arg(long, value_name = "NAME|FILE")]
    pub(in crate::cli) coder: Option<String>,
    /// A coder that is a program: a name, and the command that is run in the sandbox; may be repeated
    #[arg(long, value_name = "NAME=COMMAND", value_parser = external)]
    pub(in crate::cli) external: Vec<ExternalConfig>,
    /// How programs are contained: `required`, `best-effort` or `off` [default: what host.toml says, else required]
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(in crate::cli) sandbox: Option<SandboxPolicy>,
    /// Who judges it: a built-in's name, or a file; may be repeated [default: secrets, and quality with a test command]
    #[arg(long = "validator", value_name = "NAME|FILE")]
    pub(in crate::cli) validators: Vec<String>,
    /// A protocol file in place of the workspace's .snodo/protocol.yml
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) protocol: Option<PathBuf>,
    /// The protocol's mode [default: its initial mode]
    #[arg(long, value_name = "MODE")]
    pub(in crate::cli) mode: Option<String>,
    /// The module of the protocol that the task is for
    #[arg(long, value_name = "MODULE")]
    pub(in crate::cli) module: Option<String>,
    /// The coder's model
    #[arg(short, long, value_name = "MODEL")]
    pub(in crate::cli) model: Option<String>,
    /// How the project's tests are run, where the protocol leaves it open
    #[arg(long, value_name = "CMD")]
    pub(in crate::cli) test_command: Option<String>,
    /// A plugin's setting; may be repeated
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    pub(in crate::cli) settings: Vec<String>,
    /// Grant a plugin what its role does not have: `model` or `runner`; may be repeated
    #[arg(long = "grant", value_name = "NAME:WHAT", value_parser = grant)]
    pub(in crate::cli) grants: Vec<Grant>,
    /// Let plugins read ignored, untracked files that match; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(in crate::cli) read_ignored: Vec<String>,
    /// What is to come out; with `findings` an answer in words is enough, and a change beside it is judged and applied like any other (`--dry-run` keeps
    /// it out)
    #[arg(long, value_enum, default_value = "change")]
    pub(in crate::cli) expect: Expect,
    /// Judge the change, and do not apply it
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Commit what was applied
    #[arg(long, conflicts_with = "dry_run")]
    pub(in crate::cli) commit: bool,
    /// Print one JSON object (snodo.run.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Use the deterministic stub coder, whatever else is said
    #[arg(long)]
    pub(in crate::cli) mock: bool,
}

/// A gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(in crate::cli) enum GatePhase {
    /// Before anybody has worked on the task: the workspace as it is
    PreExecute,
    /// After somebody has: what the working tree changes of a commit
    PostExecute,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ValidateArgs {
    /// What is, or was, to be done
    #[arg(conflicts_with = "task_file", required_unless_present = "task_file")]
    pub(in crate::cli) task: Option<String>,
    /// Take the task from a file (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) task_file: Option<PathBuf>,
    /// Which gate
    #[arg(long, value_enum, value_name = "PHASE")]
    pub(in crate::cli) phase: GatePhase,
    /// After execution, the commit that the working tree is compared with: HEAD, a branch, a tag, or a commit's hash [default: HEAD]
    #[arg(long, value_name = "REF", value_parser = revision, allow_hyphen_values = true)]
    pub(in crate::cli) base: Option<Revision>,
    /// The folder to judge
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) workspace: PathBuf,
    /// Who judges: a built-in's name, or a file; may be repeated [default: secrets, and quality with a test command]
    #[arg(long = "validator", value_name = "NAME|FILE")]
    pub(in crate::cli) validators: Vec<String>,
    /// How programs are contained: `required`, `best-effort` or `off` [default: what host.toml says, else required]
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(in crate::cli) sandbox: Option<SandboxPolicy>,
    /// A protocol file in place of the workspace's .snodo/protocol.yml
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) protocol: Option<PathBuf>,
    /// The protocol's mode [default: its initial mode]
    #[arg(long, value_name = "MODE")]
    pub(in crate::cli) mode: Option<String>,
    /// The module of the protocol that the task is for
    #[arg(long, value_name = "MODULE")]
    pub(in crate::cli) module: Option<String>,
    /// How the project's tests are run, where the protocol leaves it open
    #[arg(long, value_name = "CMD")]
    pub(in crate::cli) test_command: Option<String>,
    /// A plugin's setting; may be repeated
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    pub(in crate::cli) settings: Vec<String>,
    /// Grant a plugin what its role does not have: `model` or `runner`; may be repeated
    #[arg(long = "grant", value_name = "NAME:WHAT", value_parser = grant)]
    pub(in crate::cli) grants: Vec<Grant>,
    /// Let plugins read ignored, untracked files that match; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(in crate::cli) read_ignored: Vec<String>,
    /// Print one JSON object (snodo.validate.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CodersArgs {
    /// Print one JSON object (snodo.coders.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DoctorArgs {
    /// Print one JSON object (snodo.doctor.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DemoArgs {
    /// Leave the project in place afterwards
    #[arg(long)]
    pub(in crate::cli) keep: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ModelCommand {
    /// Show model, provider, address and where the key comes from, for each role and each validator; asks nobody
    Resolve(ModelArgs),
    /// Ask each of them for one word
    Check(ModelArgs),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ModelArgs {
    /// The folder whose protocol's validators are shown
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) workspace: PathBuf,
    /// A protocol file in place of the workspace's .snodo/protocol.yml
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) protocol: Option<PathBuf>,
    /// The protocol's mode [default: its initial mode]
    #[arg(long, value_name = "MODE")]
    pub(in crate::cli) mode: Option<String>,
    /// The coder's model, as `run` takes it
    #[arg(short, long, value_name = "MODEL")]
    pub(in crate::cli) model: Option<String>,
    /// Print one JSON object (snodo.model.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ProtocolCommand {
    /// Say everything that can be said of a protocol without a run
    Check {
        /// The protocol [default: the workspace's .snodo/protocol.yml]
        file: Option<PathBuf>,
        /// The folder to look in
        #[arg(long, value_name = "DIR", default_value = ".", conflicts_with = "file")]
        workspace: PathBuf,
        /// Print one JSON object (snodo.protocol-check.v1) on standard output
        #[arg(long)]
        json: bool,
    },
}
