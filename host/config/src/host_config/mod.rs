//! `host.toml`: what the user of this machine allows.
//!
//! It stands in the user's configuration folder, never in a repository: here things may be loosened. Every table and
//! every key may be left out; an unknown one is a fault. All defaults are [`HostConfig::standard`] and what it is
//! made of, with their reasons. `docs/settings.md` is the page for users; a test compares the two.

mod external;
mod limits;
mod model;
mod money;
mod read;
mod runner;
mod sandbox;
mod scratch;
mod search;
mod submit;
mod user_path;
mod value;

pub use external::{ExternalCommand, ExternalConfig, ExternalName, MOST_EXTERNALS, Program};
pub use limits::Limits;
pub use model::ModelSettings;
pub use money::{Money, Price};
pub use read::ReadConfig;
pub use runner::RunnerConfig;
pub use sandbox::{SandboxConfig, SandboxPolicy};
pub use scratch::ScratchConfig;
pub use search::SearchConfig;
pub use submit::SubmitConfig;
pub use user_path::UserPath;

use crate::fault::FaultKind;
use crate::node::Node;
use crate::record::{Extra, Record};
use crate::report::{FileError, Log};
use crate::source::{decodable, decode};
use crate::toml_tree;

/// The largest `host.toml` that is read, in bytes.
pub const HOST_CONFIG_BYTES: usize = 64 << 10;

/// What the user allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostConfig {
    /// Of every plugin's invocation.
    pub limits: Limits,
    /// Of the declared test command.
    pub runner: RunnerConfig,
    /// Of every program that runs: the declared test command and external coders.
    pub sandbox: SandboxConfig,
    /// Coders that are programs, in the file's order; no two of names that fold alike.
    pub external: Vec<ExternalConfig>,
    /// Of reading in the workspace.
    pub read: ReadConfig,
    /// Of listing and searching.
    pub search: SearchConfig,
    /// Of what a coder submits.
    pub submit: SubmitConfig,
    /// Of copies of the workspace.
    pub scratch: ScratchConfig,
    /// Of language models.
    pub model: ModelSettings,
}

impl HostConfig {
    /// What holds without a file.
    pub fn standard() -> Self {
        Self {
            limits: Limits::standard(),
            runner: RunnerConfig::standard(),
            sandbox: SandboxConfig::standard(),
            external: Vec::new(),
            read: ReadConfig::standard(),
            search: SearchConfig::standard(),
            submit: SubmitConfig::standard(),
            scratch: ScratchConfig::standard(),
            model: ModelSettings::standard(),
        }
    }

    /// The external coder of a name. Spelled as it is declared: case counts.
    pub fn external(&self, name: &str) -> Option<&ExternalConfig> {
        self.external.iter().find(|external| external.name.as_str() == name)
    }
}

/// Reads `host.toml`. `name` is for messages only.
pub fn load_host_config(name: &str, bytes: &[u8]) -> Result<HostConfig, FileError> {
    const WHAT: &str = "configuration";
    let mut log = Log::default();
    let text = match decode(bytes, HOST_CONFIG_BYTES) {
        Ok(text) => text,
        Err((place, kind)) => {
            log.fault(place, || kind);
            return Err(log.into_error(WHAT, name, decodable(bytes, HOST_CONFIG_BYTES)));
        }
    };
    let config = toml_tree::parse(text, &mut log).and_then(|root| host(&root, &mut log));
    match config {
        Some(config) if !log.is_faulty() => Ok(config),
        _ => Err(log.into_error(WHAT, name, text)),
    }
}

fn host(root: &Node, log: &mut Log) -> Option<HostConfig> {
    let mut record = Record::open(root, "", "the configuration", log)?;
    let limits = record.or("limits", Limits::standard(), limits::read);
    let runner = record.or("runner", RunnerConfig::standard(), runner::read);
    let sandbox = record.or("sandbox", SandboxConfig::standard(), sandbox::read);
    let external = record.or("external", Vec::new(), external::read);
    let reading = record.or("read", None, |node, path, log| read::read(node, path, log).map(Some));
    let search = record.or("search", SearchConfig::standard(), search::read);
    let submit = record.or("submit", None, |node, path, log| {
        submit::read(node, path, log).map(Some)
    });
    let scratch = record.or("scratch", ScratchConfig::standard(), scratch::read);
    let model = record.or("model", ModelSettings::standard(), model::read);

    // What can be submitted can be read back, and replaced again.
    if let (Some(reading), Some(submit)) = (&reading, &submit) {
        let most = reading
            .as_ref()
            .map_or(ReadConfig::standard().file_mib, |(read, _)| read.file_mib);
        let value = submit
            .as_ref()
            .map_or(SubmitConfig::standard().file_mib, |(submit, _)| submit.file_mib);
        let place = [submit.as_ref().map(|(_, p)| p), reading.as_ref().map(|(_, p)| p)]
            .into_iter()
            .flatten()
            .find(|places| places.is_given("file_mib"))
            .map(|places| places.of("file_mib"));
        if let Some(place) = place.filter(|_| value > most) {
            record.log.fault(place, || FaultKind::MoreThan {
                field: "submit.file_mib".to_owned(),
                value: u64::from(value),
                other: "read.file_mib",
                most: u64::from(most),
            });
        }
    }
    record.close(Extra::Refused);
    Some(HostConfig {
        limits: limits?,
        runner: runner?,
        sandbox: sandbox?,
        external: external?,
        read: reading?.map_or_else(ReadConfig::standard, |(read, _)| read),
        search: search?,
        submit: submit?.map_or_else(SubmitConfig::standard, |(submit, _)| submit),
        scratch: scratch?,
        model: model?,
    })
}
