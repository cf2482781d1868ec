//! `snodo-host doctor`: what this machine offers to contain programs, layer by layer.

use std::fmt::Write as _;
use std::io::Write as _;

use serde::Serialize;

use super::args::DoctorArgs;
use super::render::{self, BOLD, DIM, GREEN, PLAIN, RED};
use super::set_up_error;
use crate::engine::{Environment, Host};
use crate::sandbox::{Layer, Machine, Mode, NotContained, SandboxPolicy, layers_for, probe};

/// The schema's name.
const SCHEMA: &str = "snodo.doctor.v1";

/// What is printed for machines.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    /// Programs can be contained as the user's policy wants it.
    ok: bool,
    policy: &'static str,
    /// `view`, `plain`, or none where programs are not run, or not contained.
    mode: Option<&'static str>,
    /// Why programs are not run.
    error: Option<String>,
    /// What can be done about it, best first.
    remedies: Vec<&'static str>,
    machine: &'a Machine,
}

/// Answers 0 when programs can be run as the user's settings want it, 4 when not.
pub(super) async fn doctor(args: &DoctorArgs, environment: Environment) -> u8 {
    let place = environment.directories.state.join("scratch");
    let helper = environment.helper.clone();
    let policy = match Host::open(environment) {
        Ok(host) => host.sandbox_policy(),
        Err(error) => return set_up_error(args.json.then_some(SCHEMA), &error.to_string()),
    };
    let machine = probe(&helper.program, &helper.arguments, &place).await;
    let mode = match policy {
        SandboxPolicy::Off => Ok(Mode::Uncontained),
        policy => layers_for(&machine, policy, false, true),
    };
    let report = Report {
        schema: SCHEMA,
        ok: mode.is_ok(),
        policy: policy.as_str(),
        mode: match &mode {
            Ok(Mode::View(_)) => Some("view"),
            Ok(Mode::Plain(_)) => Some("plain"),
            Ok(Mode::Uncontained) | Err(_) => None,
        },
        error: mode.as_ref().err().map(ToString::to_string),
        remedies: mode.as_ref().err().map(NotContained::remedies).unwrap_or_default(),
        machine: &machine,
    };
    let text = if args.json {
        serde_json::to_string(&report).unwrap_or_default() + "\n"
    } else {
        render::adapted(&shown(&report, mode.as_ref().ok()))
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    if report.ok { 0 } else { 4 }
}

fn shown(report: &Report<'_>, mode: Option<&Mode>) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{BOLD}What this machine offers to contain programs{PLAIN}  {DIM}Linux {}{PLAIN}",
        report.machine.kernel
    );
    for layer in Layer::ALL {
        match report.machine.why_not(layer) {
            None => {
                let _ = writeln!(out, "  {GREEN}✓{PLAIN} {}", layer.name());
            }
            Some(why) => {
                let _ = writeln!(out, "  {RED}✗{PLAIN} {:18} {DIM}{why}{PLAIN}", layer.name());
            }
        }
    }
    let _ = writeln!(out, "\n{BOLD}[sandbox] policy = {}{PLAIN}", report.policy);
    let words = match mode {
        Some(Mode::View(_)) => {
            "programs see a root of their own in which only what is allowed exists, and the workspace at its own path, where what they write is taken away"
        }
        Some(Mode::Plain(_)) => "programs run on a copy of the workspace, and are held by Landlock and seccomp",
        Some(Mode::Uncontained) => "programs run uncontained, as you would run them",
        None => "programs are not run",
    };
    let _ = writeln!(out, "  {words}");
    if let Some(error) = &report.error {
        let _ = writeln!(out, "  {RED}{error}{PLAIN}");
        for remedy in &report.remedies {
            let _ = writeln!(out, "  - {remedy}");
        }
    }
    out
}
