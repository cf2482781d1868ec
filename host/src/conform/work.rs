//! A coder's work in runs of the engine's own: it is there, it is applied, and it is what the host says it is.

use snodo_workspace::change::ChangeKind;

use super::check::{Outcome, Sheet, SubjectKind};
use super::fixture::{self, ANY_TASK};
use super::place::Place;
use super::script::Manner;
use super::stage::{Interrupt, Ran, Scene, perform};
use super::subject::Subject;
use crate::engine::{Host, SetupError};
use crate::outcome::Outcome as RunOutcome;
use crate::record::{ChangeReport, RunReport};

/// A coder, and everything that is needed to have it run.
pub(super) struct Staging<'a> {
    pub(super) host: &'a Host,
    pub(super) place: &'a Place,
    pub(super) subject: &'a Subject,
    /// Its settings, as flags.
    pub(super) flags: Vec<String>,
}

impl Staging<'_> {
    /// A run of it, without a protocol, in which nobody objects.
    pub(super) fn scene(&self) -> Scene {
        Scene {
            task: self.subject.task.clone().unwrap_or_else(|| ANY_TASK.to_owned()),
            coder: self.subject.given.clone(),
            validators: Vec::new(),
            protocol: None,
            settings: self.flags.clone(),
            grants: self.subject.grants(),
            manner: Manner::PASSES,
            dry_run: false,
            commit: false,
            interrupt: Interrupt::Never,
        }
    }

    pub(super) async fn run(&self, scene: Scene) -> Result<Ran, SetupError> {
        perform(self.host, self.place, scene).await
    }

    /// A program of the user's does whatever it does, at whatever cost: it is started for a task that was named for it, and for nothing else.
    pub(super) fn may_be_called(&self) -> bool {
        self.subject.kind != SubjectKind::External || self.subject.task.is_some()
    }
}

/// Why nothing is known of its work.
const NO_TASK: &str = "no task is known that it can do: name one by `--task FILE`";

/// Puts down the groups `work` and, of a coder that is no component, `context`. Answers whether it produced something.
pub(super) async fn look(staging: &Staging<'_>, sheet: &mut Sheet) -> Result<bool, SetupError> {
    if !staging.may_be_called() {
        let rest = Outcome::unproven(NO_TASK);
        sheet.rest(super::check::SubjectRole::Coder, &["work", "context"], &rest);
        return Ok(false);
    }
    let ran = staging.run(staging.scene()).await?;
    sheet.put("context.empty", of_context(&ran));
    let produced = produces(&ran, staging.subject.task.is_some());
    let is_produced = produced.result == super::check::CheckResult::Pass;
    let broken = produced.result == super::check::CheckResult::Fail;
    sheet.put("work.produces", produced);
    let report = match &ran.report {
        Ok(report) if is_produced => report,
        _ => {
            let why = "it produced nothing that could be looked at: see work.produces";
            let rest = if broken {
                Outcome::skip(why)
            } else {
                Outcome::unproven(why)
            };
            sheet.rest(super::check::SubjectRole::Coder, &["work"], &rest);
            return Ok(false);
        }
    };
    let there = |path: &str| ran.workspace.symlink_metadata(path).is_ok();
    sheet.put("work.paths-exist", Outcome::of(paths_exist(&report.changes, there)));
    sheet.put("work.account", account(report));
    let dry = staging
        .run(Scene {
            dry_run: true,
            ..staging.scene()
        })
        .await?;
    sheet.put("work.dry-run", Outcome::of(dry_run(&dry)));
    sheet.put("work.deterministic", Outcome::of(same(report, &dry)));
    let changed: Vec<String> = report
        .changes
        .iter()
        .flat_map(|change| [Some(change.path.clone()), change.old_path.clone()])
        .flatten()
        .collect();
    let nothing = staging
        .run(Scene {
            protocol: Some(fixture::protocol(&changed)),
            ..staging.scene()
        })
        .await?;
    sheet.put("work.nothing-is-a-fault", Outcome::of(nothing_is_a_fault(&nothing)));
    Ok(true)
}

/// A coder that is no component is told what a run tells it: without a protocol, and (in `gates.asked`) under one.
pub(super) fn of_context(ran: &Ran) -> Outcome {
    match &ran.report {
        Ok(_) if accident(ran).is_none() => Outcome::pass(ran.told()),
        _ => Outcome::fail(accident(ran).unwrap_or_else(|| ran.told())),
    }
}

/// It ended in a way that the contract does not have.
fn accident(ran: &Ran) -> Option<String> {
    let Ok(report) = &ran.report else {
        return Some(ran.told());
    };
    let error = report.coder.as_ref()?.error.as_deref()?;
    // A component's failures, as they are told of (`plugin/halt.rs`); a coder's own errors begin otherwise.
    let begins = ["trapped:", "broke the contract:", "could not be started:"];
    begins
        .iter()
        .any(|begin| error.starts_with(begin))
        .then(|| format!("it {error}"))
}

fn produces(ran: &Ran, task_is_known: bool) -> Outcome {
    if let Some(why) = accident(ran) {
        return Outcome::fail(why);
    }
    match &ran.report {
        Ok(report) if report.ok && report.applied && !report.changes.is_empty() => {
            let paths: Vec<&str> = report.changes.iter().map(|change| change.path.as_str()).collect();
            Outcome::pass(format!("{} files: {}", paths.len(), paths.join(", ")))
        }
        _ if task_is_known => Outcome::unproven(ran.told()),
        _ => Outcome::unproven(format!("{NO_TASK} ({})", ran.told())),
    }
}

fn paths_exist(changes: &[ChangeReport], there: impl Fn(&str) -> bool) -> Result<String, String> {
    for change in changes {
        let path = change.path.as_str();
        if there(path) == (change.kind == ChangeKind::Deleted) {
            let what = if there(path) { "is still there" } else { "is not there" };
            return Err(format!("`{path}` {what}"));
        }
        if let Some(old) = change.old_path.as_deref().filter(|old| there(old)) {
            return Err(format!("`{old}`, which was renamed, is still there"));
        }
    }
    Ok(format!("{} of them", changes.len()))
}

fn account(report: &RunReport) -> Outcome {
    let Some(coder) = &report.coder else {
        return Outcome::fail("the report has no coder");
    };
    if coder.report.is_none() {
        return Outcome::skip("it gives no account of its own");
    }
    match (
        coder.claimed_but_missing.as_slice(),
        coder.unclaimed_but_present.as_slice(),
    ) {
        ([], []) => Outcome::pass("they agree"),
        (claimed, unclaimed) => Outcome::fail(format!(
            "it claims and did not change: {}; it changed and does not mention: {}",
            listed(claimed),
            listed(unclaimed)
        )),
    }
}

fn listed(paths: &[String]) -> String {
    if paths.is_empty() {
        "nothing".to_owned()
    } else {
        paths.join(", ")
    }
}

fn dry_run(ran: &Ran) -> Result<String, String> {
    match &ran.report {
        Ok(report) if report.ok && !report.applied && ran.untouched => Ok("nothing was changed".to_owned()),
        Ok(_) if !ran.untouched => Err("the workspace was changed".to_owned()),
        _ => Err(ran.told()),
    }
}

fn same(first: &RunReport, second: &Ran) -> Result<String, String> {
    let digest = |report: &RunReport| report.change_digest.clone().unwrap_or_else(|| "no change".to_owned());
    match &second.report {
        Ok(report) if report.change_digest == first.change_digest => Ok(format!("twice {}", digest(first))),
        Ok(report) => Err(format!("first {}, then {}", digest(first), digest(report))),
        Err(_) => Err(second.told()),
    }
}

fn nothing_is_a_fault(ran: &Ran) -> Result<String, String> {
    if let Some(why) = accident(ran) {
        return Err(why);
    }
    match &ran.report {
        Ok(report) if report.outcome != RunOutcome::Completed && !report.applied && ran.untouched => Ok(ran.told()),
        // What it does when it is refused may be something else that is allowed: that is work, too.
        Ok(report) if report.outcome == RunOutcome::Completed && !report.changes.is_empty() => {
            Ok(format!("it found another way to do it; {}", ran.told()))
        }
        _ => Err(ran.told()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, kind: ChangeKind, old_path: Option<&str>) -> ChangeReport {
        ChangeReport {
            path: path.to_owned(),
            old_path: old_path.map(ToOwned::to_owned),
            kind,
            added: 0,
            deleted: 0,
            binary: false,
            test_governing: None,
        }
    }

    #[test]
    fn a_change_that_is_not_in_the_workspace_is_seen() {
        let changes = [
            change("added", ChangeKind::Added, None),
            change("gone", ChangeKind::Deleted, None),
            change("new", ChangeKind::Renamed, Some("old")),
        ];
        let there = |present: &'static [&'static str]| move |path: &str| present.contains(&path);
        assert!(paths_exist(&changes, there(&["added", "new"])).is_ok());
        for present in [
            &["new"][..],
            &["added", "new", "gone"],
            &["added", "new", "old"],
            &["added"],
        ] {
            assert!(paths_exist(&changes, there(present)).is_err(), "{present:?}");
        }
    }
}
