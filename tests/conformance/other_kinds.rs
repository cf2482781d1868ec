//! Coders that are no component: code of whoever embeds the library, and programs of the user's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use snodo_host::conform::{CheckResult, ConformRequest, SubjectKind, SubjectReport, Subjects};
use snodo_host::delivery::Delivery;
use snodo_host::engine::{Assignment, Attempt, Coder, Host};
use snodo_host::plugin::{PluginLog, Usage};
use snodo_workspace::capability::{Content, Operation};
use snodo_workspace::role::{Implementation, SettingDeclaration};

use crate::support::Sandbox;
use crate::world::{check, environment, ids, request, result};

/// The checks that are failed here.
pub(crate) const FAILED: [&str; 3] = ["work.deterministic", "work.dry-run", "bounds.cancel"];

/// How a coder of the embedder's behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    /// Well.
    Whole,
    /// It writes down how often it was called.
    Counts,
    /// It writes to the workspace itself, beside what it submits.
    Writes,
}

struct Native {
    behaviour: Behaviour,
    calls: AtomicU32,
}

#[async_trait]
impl Coder for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn delivery(&self) -> Delivery {
        Delivery::Submits
    }

    fn observes_tests(&self) -> bool {
        false
    }

    fn availability_requirements(&self) -> Vec<String> {
        Vec::new()
    }

    fn honoured_settings(&self) -> &[SettingDeclaration] {
        &[]
    }

    async fn implement(&self, assignment: Assignment) -> Attempt {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let text = match self.behaviour {
            Behaviour::Counts => format!("{call}\n"),
            Behaviour::Whole | Behaviour::Writes => "native\n".to_owned(),
        };
        if self.behaviour == Behaviour::Writes {
            let root = assignment.view.base().root().resolved();
            std::fs::write(root.join("BESIDE.md"), "written\n").unwrap();
        }
        // What is refused is told by the host, too.
        let _ = assignment.given.submit.submit_files(vec![Operation::Write {
            path: "NATIVE.md".to_owned(),
            content: Content::Text(text),
            executable: None,
        }]);
        Attempt {
            outcome: Ok(Implementation::default()),
            usage: Usage::default(),
            log: PluginLog::default(),
            execution: None,
        }
    }
}

fn of_native(behaviour: Behaviour) -> SubjectReport {
    let sandbox = Sandbox::new();
    let mut host = Host::open(environment(&sandbox)).unwrap();
    let native = Native {
        behaviour,
        calls: AtomicU32::new(0),
    };
    host.register(Arc::new(native)).unwrap();
    check(&sandbox, &host, &request("native")).subjects.remove(0)
}

#[test]
fn a_coder_of_the_embedders_is_held_to_all_that_a_run_can_show() {
    let report = of_native(Behaviour::Whole);
    assert_eq!(report.kind, SubjectKind::Native);
    assert!(report.ok, "{report:#?}");
    let passed = ids(&report, CheckResult::Pass);
    for id in [
        "work.produces",
        "work.nothing-is-a-fault",
        "gates.asked",
        "gates.halt-after",
        "bounds.cancel",
        "context.full",
    ] {
        assert!(passed.contains(&id), "{id}: {report:#?}");
    }
    assert_eq!(result(&report, "admission.imports").result, CheckResult::Skip);
}

#[test]
fn one_that_does_it_otherwise_each_time_is_found_out() {
    let report = of_native(Behaviour::Counts);
    assert_eq!(ids(&report, CheckResult::Fail), ["work.deterministic"], "{report:#?}");
}

#[test]
fn one_that_writes_past_the_host_is_found_out() {
    let report = of_native(Behaviour::Writes);
    let failed = ids(&report, CheckResult::Fail);
    for id in [
        "work.dry-run",
        "bounds.cancel",
        "work.nothing-is-a-fault",
        "gates.halt-after",
    ] {
        assert!(failed.contains(&id), "{id}: {report:#?}");
    }
}

/// A program of the user's: a script that lies outside of any workspace.
fn of_program(script: &str, task: Option<&str>) -> Option<SubjectReport> {
    let sandbox = Sandbox::new();
    if !sandbox.contains_in("view", None) {
        return None;
    }
    let path = sandbox.path().join("scribe.sh");
    std::fs::write(&path, script).unwrap();
    let sandbox = sandbox.host_toml(&format!(
        "[external.scribe]\ncommand = [\"sh\", {:?}]\n",
        path.to_str().unwrap()
    ));
    let host = Host::open(environment(&sandbox)).unwrap();
    let request = ConformRequest {
        task: task.map(ToOwned::to_owned),
        ..request("scribe")
    };
    Some(check(&sandbox, &host, &request).subjects.remove(0))
}

#[test]
fn a_program_is_held_to_it_with_a_task_of_its_own() {
    let Some(report) = of_program("echo scribe > SCRIBE.md\n", Some("write it")) else {
        return;
    };
    assert_eq!(report.kind, SubjectKind::External);
    assert!(report.ok, "{report:#?}");
    assert!(ids(&report, CheckResult::Pass).contains(&"gates.asked"), "{report:#?}");

    let report = of_program("date +%N > SCRIBE.md\n", Some("write it")).unwrap();
    assert_eq!(ids(&report, CheckResult::Fail), ["work.deterministic"], "{report:#?}");
}

/// It may cost something, or ask somebody.
#[test]
fn a_program_is_not_started_without_a_task_of_its_own() {
    let sandbox = Sandbox::new();
    let started = sandbox.path().join("started");
    let Some(report) = of_program(&format!("touch {}\n", started.display()), None) else {
        return;
    };
    assert!(!started.exists());
    assert_eq!(ids(&report, CheckResult::Fail), [""; 0], "{report:#?}");
    assert!(
        ids(&report, CheckResult::Unproven).contains(&"work.produces"),
        "{report:#?}"
    );
    assert!(!report.ok);
    assert_eq!(result(&report, "gates.halt-before").result, CheckResult::Pass);
    assert_eq!(result(&report, "commit.refused").result, CheckResult::Pass);
}

#[test]
fn all_are_all_kinds() {
    let sandbox = Sandbox::new().host_toml("[external.scribe]\ncommand = [\"sh\", \"-c\", \"exit 1\"]\n");
    let mut host = Host::open(environment(&sandbox)).unwrap();
    let native = Native {
        behaviour: Behaviour::Whole,
        calls: AtomicU32::new(0),
    };
    host.register(Arc::new(native)).unwrap();
    let report = check(&sandbox, &host, &ConformRequest::of(Subjects::All));
    let kinds: Vec<SubjectKind> = report.subjects.iter().map(|subject| subject.kind).collect();
    assert_eq!(&kinds[kinds.len() - 2..], [SubjectKind::External, SubjectKind::Native]);
    // Nobody said what the program can do.
    assert_eq!((report.ok, report.exit_code), (false, 2));
}
