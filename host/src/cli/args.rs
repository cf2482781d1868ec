//! The command line, as data: flags, their help and their checks stand together.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use snodo_commit::Revision;
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
    /// What is to come out; with `findings` an answer in words is enough, and a change beside it is judged and applied like any other (`--dry-run` keeps
    /// it out)
    #[arg(long, value_enum, default_value = "change")]
    pub(super) expect: Expect,
    /// Judge the change, and do not apply it
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Commit what was applied
    #[arg(long, conflicts_with = "dry_run")]
    pub(super) commit: bool,
    /// Print one JSON object (snodo.run.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
    /// Use the deterministic stub coder, whatever else is said
    #[arg(long)]
    pub(super) mock: bool,
}

/// A gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum GatePhase {
    /// Before anybody has worked on the task: the workspace as it is
    PreExecute,
    /// After somebody has: what the working tree changes of a commit
    PostExecute,
}

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    /// What is, or was, to be done
    #[arg(conflicts_with = "task_file", required_unless_present = "task_file")]
    pub(super) task: Option<String>,
    /// Take the task from a file (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(super) task_file: Option<PathBuf>,
    /// Which gate
    #[arg(long, value_enum, value_name = "PHASE")]
    pub(super) phase: GatePhase,
    /// After execution, the commit that the working tree is compared with: HEAD, a branch, a tag, or a commit's hash [default: HEAD]
    #[arg(long, value_name = "REF", value_parser = revision, allow_hyphen_values = true)]
    pub(super) base: Option<Revision>,
    /// The folder to judge
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) workspace: PathBuf,
    /// Who judges: a built-in's name, or a file; may be repeated [default: secrets, and quality with a test command]
    #[arg(long = "validator", value_name = "NAME|FILE")]
    pub(super) validators: Vec<String>,
    /// How programs are contained: `required`, `best-effort` or `off` [default: what host.toml says, else required]
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(super) sandbox: Option<SandboxPolicy>,
    /// A protocol file in place of the workspace's .snodo/protocol.yml
    #[arg(long, value_name = "FILE")]
    pub(super) protocol: Option<PathBuf>,
    /// The protocol's mode [default: its initial mode]
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// The module of the protocol that the task is for
    #[arg(long, value_name = "MODULE")]
    pub(super) module: Option<String>,
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
    /// Print one JSON object (snodo.validate.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// A built-in's name, or a file
    pub(super) plugin: String,
    /// Inspect as if this were granted: `model` or `runner`, also as NAME:WHAT with its own name; may be repeated
    #[arg(long = "grant", value_name = "[NAME:]WHAT", value_parser = own_grant)]
    pub(super) grants: Vec<OwnGrant>,
    /// Print one JSON object (snodo.inspect.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ConformArgs {
    /// A built-in's, installed plugin's or external coder's name, or a file
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(super) plugin: Option<String>,
    /// Every coder and validator that is registered
    #[arg(long, conflicts_with_all = ["task", "grants", "settings"])]
    pub(super) all: bool,
    /// A file with a task that the coder can do in the suite's workspace (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(super) task: Option<PathBuf>,
    /// Grant what its role does not have: `model` or `runner`, also as NAME:WHAT with its own name; may be repeated
    #[arg(long = "grant", value_name = "[NAME:]WHAT", value_parser = own_grant)]
    pub(super) grants: Vec<OwnGrant>,
    /// A setting of the plugin; may be repeated
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    pub(super) settings: Vec<String>,
    /// Show also what passes
    #[arg(short, long)]
    pub(super) verbose: bool,
    /// Print one JSON object (snodo.conform.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CodersArgs {
    /// Print one JSON object (snodo.coders.v1) on standard output
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

#[derive(Debug, Subcommand)]
pub(super) enum RunsCommand {
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
pub(super) struct RunArg {
    /// The run's id, the beginning of one, or `last`
    pub(super) run: String,
    /// The folder that it was a run in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) workspace: PathBuf,
    /// Print one JSON object (snodo.runs.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PruneArgs {
    /// Leave the newest N of each workspace
    #[arg(long, value_name = "N", required_unless_present = "older_than")]
    pub(super) keep: Option<usize>,
    /// Leave those that are not older than this
    #[arg(long, value_name = "DAYS")]
    pub(super) older_than: Option<u32>,
    /// Also remove the newest applied one of each workspace, by which its last change could be undone
    #[arg(long)]
    pub(super) all: bool,
    /// Only those in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) workspace: Option<PathBuf>,
    /// Print one JSON object (snodo.runs.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum PluginCommand {
    /// Install a plugin: shows what it asks for, and asks
    Add(PluginAddArgs),
    /// Install a newer file over an installed plugin: shows what is different, and asks
    Update(PluginUpdateArgs),
    /// List what is installed
    List {
        /// Print one JSON object (snodo.plugin.v1) on standard output
        #[arg(long)]
        json: bool,
    },
    /// Show what was agreed to for a plugin
    Show(PluginNameArgs),
    /// Remove a plugin and what was agreed to
    Remove(PluginNameArgs),
    /// Hold what is installed against what was agreed to
    Verify {
        /// One plugin [default: all]
        name: Option<String>,
        /// Print one JSON object (snodo.plugin.v1) on standard output
        #[arg(long)]
        json: bool,
    },
    /// Write into a repository's .snodo/plugins.toml that this plugin has to be used as it is now; grants nothing
    Pin(PluginPinArgs),
    /// Take a pin back
    Unpin(PluginPinArgs),
}

/// What a new plugin is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum NewRole {
    /// Writes a change
    Coder,
    /// Judges one
    Validator,
}

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// Its role
    pub(super) role: NewRole,
    /// Its name: lower-case words with `-` between them
    pub(super) name: String,
    /// Its language: `rust`, `js`, `ts`, `python` or `c`
    #[arg(long, value_name = "LANG")]
    pub(super) lang: String,
    /// The folder in which the project's folder is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) into: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct PluginAddArgs {
    /// The file
    pub(super) file: PathBuf,
    /// What it is called by [default: the file's name]
    #[arg(long = "as", value_name = "NAME")]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) consent: Consent,
}

#[derive(Debug, Args)]
pub(super) struct PluginUpdateArgs {
    /// The installed plugin
    pub(super) name: String,
    /// The newer file
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) consent: Consent,
}

/// What the user agrees to, and how.
#[derive(Debug, Args)]
pub(super) struct Consent {
    /// Grant what its role does not have, and what was not granted before: `model` or `runner`, also as NAME:WHAT with its own name; may
    /// be repeated
    #[arg(long = "grant", value_name = "[NAME:]WHAT", value_parser = own_grant)]
    pub(super) grants: Vec<OwnGrant>,
    /// Agree without being asked
    #[arg(long)]
    pub(super) yes: bool,
    /// Print one JSON object (snodo.plugin.v1) on standard output; needs --yes where there is something to agree to
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PluginNameArgs {
    /// The installed plugin
    pub(super) name: String,
    /// Print one JSON object (snodo.plugin.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PluginPinArgs {
    /// An installed plugin, or a built-in
    pub(super) name: String,
    /// The repository's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) workspace: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct WitArgs {
    #[command(subcommand)]
    pub(super) command: Option<WitCommand>,
}

#[derive(Debug, Subcommand)]
pub(super) enum WitCommand {
    /// Show every item in which a plugin's side of the contract is not this host's
    Diff {
        /// A built-in's or installed plugin's name, or a file
        plugin: String,
        /// Print one JSON object (snodo.wit.v1) on standard output
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum ModelCommand {
    /// Show model, provider, address and where the key comes from, for each role and each validator; asks nobody
    Resolve(ModelArgs),
    /// Ask each of them for one word
    Check(ModelArgs),
}

#[derive(Debug, Args)]
pub(super) struct ModelArgs {
    /// The folder whose protocol's validators are shown
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) workspace: PathBuf,
    /// A protocol file in place of the workspace's .snodo/protocol.yml
    #[arg(long, value_name = "FILE")]
    pub(super) protocol: Option<PathBuf>,
    /// The protocol's mode [default: its initial mode]
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// The coder's model, as `run` takes it
    #[arg(short, long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// Print one JSON object (snodo.model.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ProtocolCommand {
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

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// Follow the chain of events from its beginning, and hold it against what is known from runs
    Verify(AuditArgs),
    /// Put what is damaged aside, and go on from the last good event
    Repair(AuditArgs),
}

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// The folder whose log it is
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) workspace: PathBuf,
    /// Print one JSON object (snodo.audit.v1) on standard output
    #[arg(long)]
    pub(super) json: bool,
}

/// A grant to the one plugin that a command is about. Its name may stand before it, as in the grants of a run.
#[derive(Debug, Clone)]
pub(super) struct OwnGrant {
    plugin: Option<String>,
    kind: GrantKind,
}

impl OwnGrant {
    /// What is granted to the plugin of this name.
    ///
    /// # Errors
    /// A grant to another one, which would be lost without a word.
    pub(super) fn to(grants: &[Self], name: &str) -> Result<Vec<GrantKind>, String> {
        let kind = |grant: &Self| match &grant.plugin {
            Some(other) if other != name => Err(format!(
                "`{}` is granted something, and this is about `{name}`",
                crate::text::one_line(other, 100)
            )),
            _ => Ok(grant.kind),
        };
        grants.iter().map(kind).collect()
    }
}

fn own_grant(text: &str) -> Result<OwnGrant, String> {
    if text.contains(':') {
        let Grant { plugin, kind } = grant(text)?;
        let plugin = Some(plugin);
        return Ok(OwnGrant { plugin, kind });
    }
    let kind = grant_kind(text)?;
    Ok(OwnGrant { plugin: None, kind })
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

fn revision(text: &str) -> Result<Revision, String> {
    Revision::parse(text).map_err(|error| error.to_string())
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
