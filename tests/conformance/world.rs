//! The suite as a library call, in this process.

use std::path::PathBuf;
use std::time::Duration;

use snodo_host::conform::{CheckReport, CheckResult, ConformReport, ConformRequest, SubjectReport, Subjects, conform};
use snodo_host::engine::{Directories, Environment, GrantKind, Host, Stop};
use snodo_host::events::Unobserved;
use snodo_host::plugin::Compiler;

use crate::support::{Sandbox, guest};

/// What a process of its own would be given.
pub(crate) fn environment(sandbox: &Sandbox) -> Environment {
    let mut environment = snodo_host::cli::ambient::environment().unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_snodo-host"));
    environment.directories = Directories {
        config: sandbox.path().join("config/snodo-host"),
        state: sandbox.state(),
        cache: sandbox.compiled().parent().unwrap().to_owned(),
        snodo: sandbox.path().join("home/.snodo"),
    };
    environment.programs.variables.retain(|(name, _)| name != "TMPDIR");
    let temporary = sandbox.path().join("tmp");
    environment.programs.variables.push(("TMPDIR".into(), temporary.into()));
    environment.compiler = Compiler::Child(program.clone());
    environment.helper.program = program;
    environment
}

/// Holds somebody to the interface. Whatever comes of it, nothing of the suite's is left.
pub(crate) fn check(sandbox: &Sandbox, host: &Host, request: &ConformRequest) -> ConformReport {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let report = runtime
        .block_on(conform(host, request, &Unobserved, &Stop::default()))
        .unwrap();
    let left = std::fs::read_dir(sandbox.path().join("tmp")).unwrap().count();
    assert_eq!(left, 0, "the suite left something in the temporary folder");
    assert!(
        !sandbox.state().join("workspaces").exists(),
        "the suite left something in the user's records"
    );
    report
}

/// A request that does not wait long for one who never ends.
pub(crate) fn request(name: impl Into<String>) -> ConformRequest {
    ConformRequest {
        patience: Duration::from_secs(2),
        ..ConformRequest::of(Subjects::One(name.into()))
    }
}

/// A guest, with these settings and grants.
pub(crate) fn of_guest(name: &str, settings: &[&str], grants: &[GrantKind]) -> SubjectReport {
    let sandbox = Sandbox::new();
    let host = Host::open(environment(&sandbox)).unwrap();
    let request = ConformRequest {
        settings: settings.iter().map(|setting| format!("{name}.{setting}")).collect(),
        grants: grants.to_vec(),
        ..request(guest(name))
    };
    check(&sandbox, &host, &request).subjects.remove(0)
}

/// A check's result.
#[track_caller]
pub(crate) fn result<'a>(report: &'a SubjectReport, id: &str) -> &'a CheckReport {
    let found = report.checks.iter().find(|check| check.id == id);
    found.unwrap_or_else(|| panic!("no `{id}` in {report:#?}"))
}

/// The ids of what came out so.
pub(crate) fn ids(report: &SubjectReport, result: CheckResult) -> Vec<&'static str> {
    let so = report.checks.iter().filter(|check| check.result == result);
    so.map(|check| check.id).collect()
}
