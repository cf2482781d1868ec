//! Values of flags: read, and refused in the words of whoever would write them.

use snodo_commit::Revision;
use snodo_config::host_config::{ExternalCommand, ExternalConfig, ExternalName, SandboxPolicy};

use crate::engine::{Grant, GrantKind};

/// A grant to the one plugin that a command is about. Its name may stand before it, as in the grants of a run.
#[derive(Debug, Clone)]
pub(in crate::cli) struct OwnGrant {
    plugin: Option<String>,
    kind: GrantKind,
}

impl OwnGrant {
    /// What is granted to the plugin of this name.
    ///
    /// # Errors
    /// A grant to another one, which would be lost without a word.
    pub(in crate::cli) fn to(grants: &[Self], name: &str) -> Result<Vec<GrantKind>, String> {
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

pub(super) fn own_grant(text: &str) -> Result<OwnGrant, String> {
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

pub(super) fn policy(text: &str) -> Result<SandboxPolicy, String> {
    let known = SandboxPolicy::ALL.iter().find(|policy| policy.as_str() == text);
    known
        .copied()
        .ok_or_else(|| format!("a policy is one of {}", SandboxPolicy::WORDS.join(", ")))
}

pub(super) fn revision(text: &str) -> Result<Revision, String> {
    Revision::parse(text).map_err(|error| error.to_string())
}

pub(super) fn external(text: &str) -> Result<ExternalConfig, String> {
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

pub(super) fn grant(text: &str) -> Result<Grant, String> {
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
