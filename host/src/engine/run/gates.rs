//! The gates of a run.

use std::sync::Arc;

use snodo_config::policy::{Action, Judged, decide};
use snodo_workspace::capability::Change;
use snodo_workspace::role::{Phase, Severity};
use snodo_workspace::view::View;

use super::{Halt, Run, note_usage};
use crate::engine::gate::{self, Scene};
use crate::events::Event;
use crate::outcome::End;
use crate::record::{GateReport, GateResult};

impl Run<'_> {
    pub(super) async fn gate(&mut self, phase: Phase, view: View, change: Arc<dyn Change>) -> Result<(), Halt> {
        let validators = self
            .assembled
            .judges
            .iter()
            .filter(|judge| judge.phase == phase)
            .count();
        self.observer.on(&Event::Gate { phase, validators });
        if validators == 0 {
            return self.nobody_judges(phase);
        }
        if let Some(command) = &self.assembled.command
            && self
                .assembled
                .judges
                .iter()
                .any(|judge| judge.phase == phase && judge.plugin.uses_runner())
        {
            self.observer.on(&Event::Running { command: &command.text });
        }
        let test_governing = self
            .change
            .as_ref()
            .map(|change| change.test_governing())
            .unwrap_or_default();
        let scene = Scene {
            phase,
            task: &self.task,
            mode: &self.assembled.mode,
            view,
            change,
            test_governing,
            context: self.context(),
            runner: &self.runner,
            replay: self.replay,
            observer: self.observer,
        };
        let judgements = gate::judge(&self.assembled.judges, &scene).await;
        let judged: Vec<Judged> = judgements.iter().map(|j| &j.result).map(as_judged).collect();
        for judgement in &judgements {
            note_usage(
                &mut self.report.plugins,
                &judgement.result.plugin,
                judgement.usage,
                &judgement.log,
            );
        }
        let decision = decide(self.assembled.policy, &judged, phase, false);
        let results: Vec<_> = judgements.into_iter().map(|j| j.result).collect();
        let halt = match decision.action {
            Action::Proceed | Action::Log => None,
            Action::Escalate => Some(Halt::new(End::Escalated, said(&results, "a person has to decide"))),
            Action::Halt if results.iter().any(|r| r.error) => Some(Halt::new(
                End::ValidatorError,
                said(&results, "a validator could not judge"),
            )),
            Action::Halt => Some(Halt::new(End::Blocked, said(&results, "blocked"))),
        };
        self.report.gates.push(GateReport {
            phase,
            decision: decision.action.as_str().to_owned(),
            justification: decision.justification,
            results,
        });
        halt.map_or(Ok(()), Err)
    }

    /// An empty gate: allowed where no protocol asks for one, and said.
    fn nobody_judges(&mut self, phase: Phase) -> Result<(), Halt> {
        let justification = format!("no validator judges in {}", phase.as_str());
        self.report.gates.push(GateReport {
            phase,
            decision: "none".to_owned(),
            justification: justification.clone(),
            results: Vec::new(),
        });
        if phase == Phase::PreExecute && self.assembled.protocol_file.is_some() {
            return Err(Halt::new(
                End::NoPreExecuteValidators,
                format!(
                    "{justification}, and the protocol's mode `{}` asks for one",
                    self.assembled.mode.id
                ),
            ));
        }
        Ok(())
    }
}

fn as_judged(result: &GateResult) -> Judged {
    Judged {
        severity: result.severity,
        error: result.error,
        access_refused: result.access_refused,
    }
}

/// The validators that decided it, each in one line.
fn said(results: &[GateResult], word: &str) -> String {
    let worst: Vec<String> = results
        .iter()
        .filter(|r| r.error || r.severity != Severity::Pass)
        .map(|r| {
            format!(
                "{}: {}",
                r.validator_id,
                crate::text::one_line(r.justification.lines().next().unwrap_or_default(), 300)
            )
        })
        .collect();
    if worst.is_empty() {
        word.to_owned()
    } else {
        format!("{word} ({})", worst.join("; "))
    }
}
