//! What comes before the validators: whether there is somebody to judge, something to judge, and whether it keeps to the rules.

use std::ffi::OsString;
use std::sync::Arc;

use snodo_commit::{Difference, Revision, difference};
use snodo_workspace::change::ChangeSet;
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::role::Phase;
use snodo_workspace::view::View;

use super::super::Stop;
use super::super::constraints::{self, Found};
use super::{BaseReport, Ended, Gate, NotLookedAtReport, Status};
use crate::record::ChangeReport;
use crate::sandbox::find_program;

impl Gate<'_> {
    /// A pass needs somebody who judged.
    pub(super) fn check_judges(&self) -> Result<(), Ended> {
        if !self.assembly.judges.is_empty() {
            return Ok(());
        }
        let nobody = format!("no validator judges in {}", self.phase());
        let mode = &self.assembly.mode.id;
        match self.request.phase {
            Phase::PreExecute if self.assembly.protocol_file.is_some() => Err(Ended::blocker(
                format!("{nobody}, and the protocol's mode `{mode}` asks for one"),
                "Do not go on: give the mode a validator with `evaluation_phase: pre_execute`.",
            )),
            Phase::PostExecute if !self.assembly.constraints.is_empty() => Ok(()),
            _ => Err(Ended::could_not_run(
                format!("{nobody}, and there is nothing else to judge by"),
                "Name somebody who judges in this phase with `--validator`, or in a protocol.",
            )),
        }
    }

    /// What will be executed is there, and can be contained: as in a run.
    pub(super) async fn check_programs(&mut self) -> Result<(), Ended> {
        let Some(command) = self.assembly.command.clone() else {
            return Ok(());
        };
        if !self.assembly.judges.iter().any(|judge| judge.plugin.uses_runner()) {
            return Ok(());
        }
        let path = self.assembly.sandbox.environment().get("PATH");
        let root = self.assembly.base.root().resolved();
        if let Err(fault) = find_program(command.program(), path.map(OsString::as_os_str), root) {
            return Err(Ended {
                status: Status::ValidatorError,
                reason: format!("the declared test command `{}` cannot be run: {fault}", command.text),
                instruction: "Make the test command one that can be run, then validate again.".to_owned(),
            });
        }
        match self.assembly.sandbox.check(self.runner.permissions()).await {
            Ok(None) => Ok(()),
            Ok(Some(less)) => {
                self.warn(less);
                Ok(())
            }
            Err(missing) => Err(Ended::could_not_run(
                format!(
                    "{missing} (`snodo-host doctor` shows it all). What can be done: {}",
                    missing.remedies().join("; ")
                ),
                "Give the tests what contains them, then validate again.",
            )),
        }
    }

    /// What the working tree changes of the commit.
    pub(super) async fn compare(&mut self, stop: &Stop) -> Result<(), Ended> {
        let revision = self.request.base.clone().unwrap_or_else(Revision::head);
        let base = Arc::clone(&self.assembly.base);
        let limits = crate::settings::submit_limits(&self.host.config);
        let (asked, cancel) = (revision.clone(), stop.flag());
        let compared = tokio::task::spawn_blocking(move || difference(&base, &asked, &limits, &cancel)).await;
        let nothing_to_judge = "Mend that, or name another commit with `--base`, then validate again.";
        let found = match compared {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => return Err(Ended::could_not_run(error.to_string(), nothing_to_judge)),
            Err(error) => {
                return Err(Ended::could_not_run(
                    format!("a bug of ours: {error}"),
                    nothing_to_judge,
                ));
            }
        };
        self.take(&revision, found);
        if self.change.is_empty() {
            return Err(Ended::could_not_run(
                format!("the working tree does not differ from `{revision}`: there is nothing to judge"),
                "Change something first, or name the commit that the work began at with `--base`.",
            ));
        }
        Ok(())
    }

    fn take(&mut self, revision: &Revision, found: Difference) {
        self.report.base = Some(BaseReport {
            revision: revision.to_string(),
            commit: found.commit,
        });
        let (kept, change): (Vec<_>, Vec<_>) = found
            .change
            .files
            .into_iter()
            .partition(|file| is_written_by_the_host(&file.path));
        let kept = kept.into_iter().map(|file| NotLookedAtReport {
            path: file.path.to_string(),
            why: "written by snodo or this host itself".to_owned(),
        });
        let left_out = found.not_looked_at.into_iter().map(|one| NotLookedAtReport {
            path: one.path,
            why: one.why.to_owned(),
        });
        self.report.not_looked_at = left_out.chain(kept).collect();
        if let Some(warning) = not_looked_at(&self.report.not_looked_at) {
            self.warn(warning);
        }
        self.change = Arc::new(ChangeSet { files: change });
        self.report.changes = ChangeReport::of(&self.change);
    }

    /// A coder of a run could not have written there.
    pub(super) fn check_protected(&self) -> Result<(), Ended> {
        let rules = self.assembly.base.rules();
        let refused: Vec<String> = self
            .change
            .files
            .iter()
            .filter_map(|file| rules.check_write(&file.path).err())
            .map(|refusal| format!("`{}`: {}", crate::text::one_line(&refusal.path, 300), refusal.rule))
            .collect();
        match refused.as_slice() {
            [] => Ok(()),
            refused => Err(Ended::blocker(
                format!("the change touches what no run may change ({})", few(refused)),
                "Do not go on: take the change of these paths back, or have a person decide about it.",
            )),
        }
    }

    pub(super) async fn check_constraints(&mut self) -> Result<(), Ended> {
        if self.assembly.constraints.is_empty() {
            return Ok(());
        }
        let constraints = self.assembly.constraints.clone();
        let module = self.assembly.module.clone();
        let change = Arc::clone(&self.change);
        let view = View::of_base(Arc::clone(&self.assembly.base));
        let phase = self.request.phase;
        let Found { results, stop } = constraints::check(constraints, module, change, view, phase)
            .await
            .map_err(|error| Ended::could_not_run(format!("a bug of ours: {error}"), "Report it."))?;
        self.report.constraints = results;
        match stop {
            None => Ok(()),
            Some(why) => Err(Ended::blocker(
                why,
                "Do not go on: make the change keep to the constraints, then validate again.",
            )),
        }
    }
}

/// What snodo and this host write in `.snodo` while they work, where somebody tracks it.
fn is_written_by_the_host(path: &WorkspacePath) -> bool {
    let mut components = path.components();
    components.next() == Some(".snodo")
        && components
            .next()
            .is_some_and(|name| !["protocol.yml", "plugins.toml", "plans"].contains(&name))
}

fn not_looked_at(left_out: &[NotLookedAtReport]) -> Option<String> {
    let named: Vec<String> = left_out
        .iter()
        .map(|one| format!("`{}` ({})", one.path, one.why))
        .collect();
    (!named.is_empty()).then(|| format!("not looked at: {}", few(&named)))
}

/// A few, and how many more there are.
fn few(all: &[String]) -> String {
    const NAMED: usize = 10;
    let mut text = all.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    if all.len() > NAMED {
        text = format!("{text}; and {} more", all.len() - NAMED);
    }
    text
}
