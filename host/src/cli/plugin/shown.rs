//! What is installed, as a person reads it. Names and sources were chosen by strangers, and are escaped.

use std::fmt::Write as _;

use snodo_config::install_record::InstallRecord;
use snodo_install::{Added, Change, Listing, Plan, Verified};

use super::super::render::{BOLD, DIM, GREEN, PLAIN, RED, YELLOW};
use crate::text::one_line;

pub(super) fn list(listing: &Listing) -> String {
    let mut out = String::new();
    if listing.plugins.is_empty() {
        let _ = writeln!(out, "{DIM}nothing is installed{PLAIN}");
    }
    for plugin in &listing.plugins {
        match &plugin.record {
            Ok(record) => {
                let grants: Vec<String> = record.grants.list().iter().map(ToString::to_string).collect();
                let grants = if grants.is_empty() {
                    String::new()
                } else {
                    format!("  {YELLOW}grants {}{PLAIN}", grants.join(", "))
                };
                let digest = record.digest.to_string();
                let _ = writeln!(
                    out,
                    "{BOLD}{}{PLAIN}  {}  {DIM}{}{PLAIN}{grants}",
                    plugin.name,
                    record.role,
                    digest.get(..19).unwrap_or(&digest)
                );
            }
            Err(fault) => {
                let _ = writeln!(
                    out,
                    "{BOLD}{}{PLAIN}  {RED}cannot be used{PLAIN}  {}",
                    plugin.name,
                    one_line(&fault.to_string(), 300)
                );
            }
        }
        if let Some(by) = plugin.reserved {
            let _ = writeln!(out, "  {RED}not used{PLAIN}: its name is {} now", by.describe());
        }
        if let Some(twin) = &plugin.twin {
            let _ = writeln!(
                out,
                "  {RED}not used{PLAIN}: `{twin}` differs from it in letter case only"
            );
        }
    }
    for stray in &listing.strays {
        let _ = writeln!(out, "{DIM}`{}` is no plugin's record{PLAIN}", one_line(stray, 200));
    }
    out
}

pub(super) fn record(record: &InstallRecord) -> String {
    let mut out = format!("{BOLD}{}{PLAIN}  {}\n", record.name, record.role);
    let grants: Vec<String> = record.grants.list().iter().map(ToString::to_string).collect();
    let grants = if grants.is_empty() {
        "none".to_owned()
    } else {
        grants.join(", ")
    };
    for (name, value) in [
        ("digest", record.digest.to_string()),
        ("size", format!("{} bytes", record.size)),
        ("grants", grants),
        ("source", one_line(&record.source.text, 300)),
        ("contract", one_line(&record.contract, 40)),
        ("installed", record.installed.to_string()),
    ] {
        let _ = writeln!(out, "  {DIM}{name:9}{PLAIN} {value}");
    }
    for import in &record.imports {
        let _ = writeln!(out, "  {DIM}import{PLAIN}    {}", one_line(import, 200));
    }
    out
}

/// What is different from what was agreed to before.
pub(super) fn change(plan: &Plan<'_>) -> String {
    let mut out = String::new();
    match plan.change() {
        Change::New => {}
        Change::Same => {
            let _ = writeln!(out, "\n{DIM}the same is installed already{PLAIN}");
        }
        Change::Replaces { difference, .. } => {
            let (style, word) = if difference.widens() {
                (YELLOW, "asks for more than before")
            } else {
                (DIM, "takes the place of what is installed")
            };
            let _ = writeln!(out, "\n{style}{word}{PLAIN}");
            for line in difference.lines() {
                let _ = writeln!(out, "  {}", one_line(&line, 300));
            }
        }
        Change::ReplacesDamaged { fault } => {
            let _ = writeln!(
                out,
                "\n{YELLOW}takes the place of a record that cannot be read{PLAIN}: {}",
                one_line(&fault.to_string(), 300)
            );
        }
    }
    for grant in plan.unused_grants() {
        let _ = writeln!(
            out,
            "{YELLOW}the grant `{grant}` is not kept{PLAIN}: nothing of the plugin needs it"
        );
    }
    out
}

pub(super) fn added(plan: &Plan<'_>, added: &Added) -> String {
    let record = plan.record();
    let word = match (added.recorded, plan.change()) {
        (false, _) if added.stored => "its bytes were put back",
        (false, _) => "nothing had to be done",
        (true, Change::New) => "installed",
        (true, _) => "replaced",
    };
    let flag = if record.role == snodo_admission::Role::Coder {
        "--coder"
    } else {
        "--validator"
    };
    format!(
        "\n{GREEN}{word}{PLAIN}  `{}`  {DIM}{}{PLAIN}\n  used with `snodo-host run {flag} {} …`\n",
        record.name, record.digest, record.name
    )
}

pub(super) fn verified(all: &[Verified]) -> String {
    let mut out = String::new();
    if all.is_empty() {
        let _ = writeln!(out, "{DIM}nothing is installed{PLAIN}");
    }
    for one in all {
        if one.is_ok() {
            let _ = writeln!(out, "{GREEN}✓{PLAIN} {}", one.name);
            continue;
        }
        let _ = writeln!(out, "{RED}✗ {}{PLAIN}", one.name);
        for problem in &one.problems {
            for line in problem.to_string().lines() {
                let _ = writeln!(out, "    {}", one_line(line, 600));
            }
        }
        if let Some(way_out) = one.way_out() {
            let _ = writeln!(out, "    {DIM}{way_out}{PLAIN}");
        }
    }
    out
}
