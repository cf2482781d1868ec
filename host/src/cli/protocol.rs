//! `snodo-host protocol check`: everything that can be said of a protocol without a run.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt as _;
use snodo_config::check::{CHECK_SCHEMA, CheckReport, check_protocol};
use snodo_config::plain_warnings;
use snodo_config::protocol::PROTOCOL_BYTES;
use snodo_config::resolve::EffectKind;
use snodo_plugins_build::BUILT_IN;
use snodo_workspace::ambient;

use super::args::ProtocolCommand;
use super::render::{BOLD, DIM, GREEN, PLAIN, RED, YELLOW, adapted, diagnostic};
use super::set_up_error;
use crate::record::read_file;

/// Where a workspace keeps its own.
const OWN: &str = ".snodo/protocol.yml";

/// Exit code for a protocol with faults, as in snodo.
const EXIT_FAULTS: u8 = 1;

/// Answers 0 for a protocol that can be used, 1 for one with faults, 64 for a file that cannot be read.
pub(super) fn protocol(command: ProtocolCommand) -> u8 {
    let ProtocolCommand::Check { file, workspace, json } = command;
    let (name, bytes) = match read(file, &workspace) {
        Ok(read) => read,
        Err(why) => return set_up_error(json.then_some(CHECK_SCHEMA), &why),
    };
    let known: Vec<&str> = BUILT_IN.iter().map(|b| b.name).collect();
    let report = check_protocol(&name, &bytes, &known);
    let text = if json {
        serde_json::to_string(&report).unwrap_or_default() + "\n"
    } else {
        if let Some(error) = &report.error {
            let _ = write!(anstream::stderr(), "{}", diagnostic(error));
        }
        adapted(&shown(&report))
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    if report.is_ok() { 0 } else { EXIT_FAULTS }
}

fn read(file: Option<PathBuf>, workspace: &Path) -> Result<(String, Vec<u8>), String> {
    let limit = PROTOCOL_BYTES as u64 + 1;
    if let Some(file) = file {
        let bytes = ambient::read_user_file(&file, limit).map_err(|e| format!("the protocol cannot be read: {e}"))?;
        return Ok((file.display().to_string(), bytes));
    }
    // As a run does: through no link.
    let root = ambient::open_root(workspace).map_err(|error| error.to_string())?;
    let missing = || {
        format!(
            "there is no `{OWN}` in `{}`: name a file, or give --workspace",
            workspace.display()
        )
    };
    let folder = match root.dir().open_dir_nofollow(".snodo") {
        Ok(folder) => folder,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(missing()),
        Err(error) => return Err(format!("`.snodo` cannot be opened: {error}")),
    };
    match read_file(&folder, "protocol.yml", limit) {
        Ok(Some(bytes)) => Ok((OWN.to_owned(), bytes)),
        Ok(None) => Err(missing()),
        Err(error) => Err(format!("`{OWN}` cannot be read: {error}")),
    }
}

fn shown(report: &CheckReport) -> String {
    let mut out = String::new();
    let warnings = plain_warnings(&report.file, &report.warnings);
    if !warnings.is_empty() {
        let _ = writeln!(out, "{BOLD}probably not meant{PLAIN}");
        for line in warnings.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    if !report.effects.is_empty() {
        let _ = writeln!(out, "{BOLD}not acted upon{PLAIN}");
        for effect in &report.effects {
            let (style, word) = match effect.effect {
                EffectKind::None => (DIM, "no effect"),
                EffectKind::Refused => (YELLOW, "run refused"),
            };
            let _ = writeln!(
                out,
                "  line {:<4} {style}{word:11}{PLAIN} {}  {DIM}{}{PLAIN}",
                effect.line, effect.field, effect.why
            );
        }
        if report.more_effects > 0 {
            let _ = writeln!(out, "  {DIM}and {} more{PLAIN}", report.more_effects);
        }
    }
    let file = crate::text::one_line(&report.file, 300);
    match &report.protocol_id {
        Some(id) => {
            let id = crate::text::one_line(id, 100);
            let _ = writeln!(out, "{GREEN}can be used{PLAIN}  {file}  {DIM}{id}{PLAIN}");
        }
        None => {
            let _ = writeln!(out, "{RED}cannot be used{PLAIN}  {file}");
        }
    }
    out
}
