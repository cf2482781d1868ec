//! Of plugins: new ones, installed ones, and whether one holds to the contract.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

pub(in crate::cli) use super::values::OwnGrant;
use super::values::own_grant;

#[derive(Debug, Args)]
pub(in crate::cli) struct InspectArgs {
    /// A built-in's name, or a file
    pub(in crate::cli) plugin: String,
    /// Inspect as if this were granted: `model` or `runner`, also as NAME:WHAT with its own name; may be repeated
    #[arg(long = "grant", value_name = "[NAME:]WHAT", value_parser = own_grant)]
    pub(in crate::cli) grants: Vec<OwnGrant>,
    /// Print one JSON object (snodo.inspect.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ConformArgs {
    /// A built-in's, installed plugin's or external coder's name, or a file
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(in crate::cli) plugin: Option<String>,
    /// Every coder and validator that is registered
    #[arg(long, conflicts_with_all = ["task", "grants", "settings"])]
    pub(in crate::cli) all: bool,
    /// A file with a task that the coder can do in the suite's workspace (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) task: Option<PathBuf>,
    /// Grant what its role does not have: `model` or `runner`, also as NAME:WHAT with its own name; may be repeated
    #[arg(long = "grant", value_name = "[NAME:]WHAT", value_parser = own_grant)]
    pub(in crate::cli) grants: Vec<OwnGrant>,
    /// A setting of the plugin; may be repeated
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    pub(in crate::cli) settings: Vec<String>,
    /// Show also what passes
    #[arg(short, long)]
    pub(in crate::cli) verbose: bool,
    /// Print one JSON object (snodo.conform.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PluginCommand {
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
pub(in crate::cli) enum NewRole {
    /// Writes a change
    Coder,
    /// Judges one
    Validator,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct NewArgs {
    /// Its role
    pub(in crate::cli) role: NewRole,
    /// Its name: lower-case words with `-` between them
    pub(in crate::cli) name: String,
    /// Its language: `rust`, `js`, `ts`, `python` or `c`
    #[arg(long, value_name = "LANG")]
    pub(in crate::cli) lang: String,
    /// The folder in which the project's folder is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) into: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PluginAddArgs {
    /// The file
    pub(in crate::cli) file: PathBuf,
    /// What it is called by [default: the file's name]
    #[arg(long = "as", value_name = "NAME")]
    pub(in crate::cli) name: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) consent: Consent,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PluginUpdateArgs {
    /// The installed plugin
    pub(in crate::cli) name: String,
    /// The newer file
    pub(in crate::cli) file: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) consent: Consent,
}

/// What the user agrees to, and how.
#[derive(Debug, Args)]
pub(in crate::cli) struct Consent {
    /// Grant what its role does not have, and what was not granted before: `model` or `runner`, also as NAME:WHAT with its own name; may
    /// be repeated
    #[arg(long = "grant", value_name = "[NAME:]WHAT", value_parser = own_grant)]
    pub(in crate::cli) grants: Vec<OwnGrant>,
    /// Agree without being asked
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Print one JSON object (snodo.plugin.v1) on standard output; needs --yes where there is something to agree to
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PluginNameArgs {
    /// The installed plugin
    pub(in crate::cli) name: String,
    /// Print one JSON object (snodo.plugin.v1) on standard output
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PluginPinArgs {
    /// An installed plugin, or a built-in
    pub(in crate::cli) name: String,
    /// The repository's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) workspace: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct WitArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<WitCommand>,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum WitCommand {
    /// Show every item in which a plugin's side of the contract is not this host's
    Diff {
        /// A built-in's or installed plugin's name, or a file
        plugin: String,
        /// Print one JSON object (snodo.wit.v1) on standard output
        #[arg(long)]
        json: bool,
    },
}
