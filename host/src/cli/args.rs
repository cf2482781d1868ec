//! The command line, as data: flags, their help and their checks stand together.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use snodo_config::host_config::{ExternalCommand, ExternalConfig, ExternalName, SandboxPolicy};

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
    /// Show which layers of the sandbox this machine offers, and what is missing
    Doctor(DoctorArgs),
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
    /// A coder that is a program: a name, and the command that is run in the sandbox; may be repeated
    #[arg(long, value_name = "NAME=COMMAND", value_parser = external)]
    pub(super) external: Vec<ExternalConfig>,
    /// How programs are contained: `required`, `best-effort` or `off` [default: what host.toml says, else required]
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(super) sandbox: Option<SandboxPolicy>,
    /// Who judges it: a built-in's name, or a file; may be repeated [default: secrets, and quality with a test command]
    #[arg(long = "validator", value_name = "NAME|FILE")]
    pub(super) validators: Vec<String>,
    /// A protocol file in place of the workspace's .snodo/protocol.yml
    #[arg(long, value_name = "FILE")]
    pub(super) protocol: Option<PathBuf>,
    /// The protocol's mode [default: its initial mode]
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// The module of the protocol that the task is for
    #[arg(long, value_name = "MODULE")]
    pub(super) module: Option<String>,
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
pub(super) struct DoctorArgs {
    /// Print one JSON object (snodo.doctor.v1) on standard output
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

fn policy(text: &str) -> Result<SandboxPolicy, String> {
    let known = SandboxPolicy::ALL.iter().find(|policy| policy.as_str() == text);
    known
        .copied()
        .ok_or_else(|| format!("a policy is one of {}", SandboxPolicy::WORDS.join(", ")))
}

fn external(text: &str) -> Result<ExternalConfig, String> {
    let (name, command) = text
        .split_once('=')
        .ok_or("an external coder is written NAME=COMMAND, as in `aider=aider --yes`")?;
    let name = ExternalName::parse(name).map_err(|why| format!("`{name}`: {why}"))?;
    let words = shell_words::split(command).map_err(|_| "a quote in the command is not closed".to_owned())?;
    let command = ExternalCommand::of_words(&words).map_err(|(at, why)| {
        let word = words.get(at).map(|word| format!("`{word}`: ")).unwrap_or_default();
        format!("{word}{why}")
    })?;
    Ok(ExternalConfig::standard(name, command))
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
