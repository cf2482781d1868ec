//! The gates of a run. Only they make what the next step cannot be taken without: the permission to call the coder, and the verification
//! of a change.

use std::sync::Arc;

use snodo_config::policy::{Action, Class, Decision, Judged, Route, after_post_execute, decide};
use snodo_workspace::capability::Change;
use snodo_workspace::change::NoChangeYet;
use snodo_workspace::role::{Phase, Severity};
use snodo_workspace::view::View;

use super::{Halt, QUALITY, Run, UnderWay, note_usage};
use crate::engine::gate::{self, Scene};
use crate::events::Event;
use crate::outcome::End;
use crate::record::{GateReport, GateResult};

/// Permission to call the coder once: given by a gate that passed, and used up by the call. Nothing else makes one.
///
/// One can be handed on:
///
/// ```
/// fn on(given: snodo_host::engine::Authorisation) -> snodo_host::engine::Authorisation {
///     given
/// }
/// ```
///
/// but neither made
///
/// ```compile_fail
/// let forged = snodo_host::engine::Authorisation(());
/// ```
///
/// nor doubled:
///
/// ```compile_fail
/// fn twice(given: snodo_host::engine::Authorisation) -> [snodo_host::engine::Authorisation; 2] {
///     [given.clone(), given]
/// }
/// ```
#[derive(Debug)]
pub struct Authorisation(());

/// What a gate found of the tests of exactly one change, named by its digest. An apply takes it and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verification {
    digest: Option<String>,
    kind: Verified,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verified {
    /// Nobody was to run tests.
    NotAsked,
    /// They passed.
    Passed,
    /// There are none, which was recorded.
    NoTests,
}

impl Verification {
    /// Whether it is of this change.
    pub(super) fn is_of(&self, digest: Option<&str>) -> bool {
        self.digest.as_deref() == digest
    }
}

/// What came of the gate after execution.
pub(super) enum Judgement {
    /// It passed.
    Passed(Verification),
    /// It did not, and the coder may mend it.
    Mendable,
}

impl Run<'_> {
    /// The gate before execution.
    pub(super) async fn authorise(&mut self) -> Result<Authorisation, Halt> {
        let phase = Phase::PreExecute;
        let view = View::frozen(Arc::clone(&self.base), Arc::clone(&self.delivered));
        let Some(decision) = self.gate(phase, view, Arc::new(NoChangeYet)).await? else {
            self.nobody_judges(phase).await?;
            return self.authorised().await;
        };
        let results = self.last_results();
        let (halt, outcome) = match decision.action {
            Action::Proceed | Action::Log => (None, "passed"),
            Action::Escalate => (
                Some(Halt::new(End::Escalated, said(&results, "a person has to decide"))),
                "escalated",
            ),
            Action::Halt => (Some(halted(&results)), "blocked"),
        };
        self.record_gate(phase, &results, &[], Some(decision.action), outcome)
            .await?;
        match halt {
            Some(halt) => Err(halt),
            None => self.authorised().await,
        }
    }

    /// A change that nobody could judge afterwards is not made: a validator of the next gate that needs a model and has none stops the run
    /// here.
    async fn authorised(&mut self) -> Result<Authorisation, Halt> {
        let phase = Phase::PostExecute;
        let results = gate::without_a_model(&self.assembled.judges, phase, self.recovery.depth() > 0);
        if results.is_empty() {
            return Ok(Authorisation(()));
        }
        let judged: Vec<Judged> = results.iter().map(as_judged).collect();
        let decision = decide(self.assembled.policy, &judged, phase, false);
        let halt = halted(&results);
        self.report.gates.push(GateReport {
            attempt: self.recovery.attempt(),
            phase,
            decision: decision.action.as_str().to_owned(),
            justification: decision.justification,
            results: results.clone(),
        });
        self.record_gate(phase, &results, &[], Some(decision.action), "blocked")
            .await?;
        Err(halt)
    }

    /// The gate after execution, over the change.
    pub(super) async fn judge_change(&mut self, change: Arc<dyn Change>) -> Result<Judgement, Halt> {
        let phase = Phase::PostExecute;
        let view = View::frozen(Arc::clone(&self.base), Arc::clone(&self.delivered));
        let before = self.runner.executions().len();
        let Some(decision) = self.gate(phase, view, change).await? else {
            self.nobody_judges(phase).await?;
            return Ok(Judgement::Passed(self.verified(Verified::NotAsked)));
        };
        let results = self.last_results();
        let executions = self.runner.executions().split_off(before);
        self.record_contradiction(&results).await?;
        let (answer, outcome) = match self.route(&decision, &results) {
            Route::Proceed => match self.verification(&results) {
                Ok(verification) => (Ok(Judgement::Passed(verification)), "passed"),
                Err(halt) => (Err(halt), "blocked"),
            },
            Route::Recover => (Ok(Judgement::Mendable), "recovery"),
            Route::Stop(Class::Escalate) => (
                Err(Halt::new(End::Escalated, said(&results, "a person has to decide"))),
                "blocked",
            ),
            Route::Stop(_) => (Err(halted(&results)), "blocked"),
        };
        self.record_gate(phase, &results, &executions, Some(decision.action), outcome)
            .await?;
        answer
    }

    fn last_results(&self) -> Vec<GateResult> {
        self.report
            .gates
            .last()
            .map(|gate| gate.results.clone())
            .unwrap_or_default()
    }

    /// Where the run goes. Without a protocol nobody says that the coder may try again.
    fn route(&self, decision: &Decision, results: &[GateResult]) -> Route {
        // By place, as the gate gave them: a validator of the command line may bear the id of one of the protocol's.
        let judges = self.assembled.judges.iter();
        let capped = judges
            .filter(|judge| judge.phase == Phase::PostExecute)
            .map(|judge| judge.severity_cap.is_some());
        let judged: Vec<(Judged, bool)> = results.iter().map(as_judged).zip(capped).collect();
        match after_post_execute(decision, &judged) {
            Route::Recover if self.assembled.protocol_file.is_none() => Route::Stop(decision.class()),
            route => route,
        }
    }

    /// What `quality` found, where it was to judge. Tests that failed under a cap verify nothing.
    fn verification(&self, results: &[GateResult]) -> Result<Verification, Halt> {
        let quality: Vec<&GateResult> = results.iter().filter(|r| r.plugin == QUALITY).collect();
        if let Some(why) = unverified(results) {
            return Err(Halt::new(End::Blocked, why));
        }
        let kind = match quality.as_slice() {
            [] => Verified::NotAsked,
            all if all.iter().all(|r| r.skipped) => Verified::NoTests,
            _ => Verified::Passed,
        };
        Ok(self.verified(kind))
    }

    fn verified(&self, kind: Verified) -> Verification {
        Verification {
            digest: self.report.change_digest.clone(),
            kind,
        }
    }

    /// Has the validators of a phase judge, and the policy decide; none where nobody judges in it.
    async fn gate(&mut self, phase: Phase, view: View, change: Arc<dyn Change>) -> Result<Option<Decision>, Halt> {
        let judges = |judge: &&gate::Judge| judge.phase == phase;
        let validators = self.assembled.judges.iter().filter(judges).count();
        self.observer.on(&Event::Gate { phase, validators });
        if validators == 0 {
            return Ok(None);
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
        let in_recovery = self.recovery.depth() > 0;
        let scene = Scene {
            phase,
            in_recovery,
            task: &self.task,
            mode: &self.assembled.mode,
            view,
            change,
            test_governing,
            context: self.context(),
            runner: &self.runner,
            replay: self.replay,
            secret: self.secret,
            observer: self.observer,
        };
        self.under_way = self
            .assembled
            .judges
            .iter()
            .filter(judges)
            .map(|judge| UnderWay {
                role: "validator",
                id: judge.id.clone(),
                plugin: judge.plugin.name().to_string(),
            })
            .collect();
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
        let decision = decide(self.assembled.policy, &judged, phase, in_recovery);
        self.report.gates.push(GateReport {
            attempt: self.recovery.attempt(),
            phase,
            decision: decision.action.as_str().to_owned(),
            justification: decision.justification.clone(),
            results: judgements.into_iter().map(|j| j.result).collect(),
        });
        Ok(Some(decision))
    }

    /// An empty gate: allowed where no protocol asks for one, and said.
    async fn nobody_judges(&mut self, phase: Phase) -> Result<(), Halt> {
        let justification = format!("no validator judges in {}", phase.as_str());
        self.report.gates.push(GateReport {
            attempt: self.recovery.attempt(),
            phase,
            decision: "none".to_owned(),
            justification: justification.clone(),
            results: Vec::new(),
        });
        self.record_empty_gate(phase, &justification).await?;
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

/// Why a change is not verified though its gate passed: `quality` judged, and did not see the tests pass.
pub(in crate::engine) fn unverified(results: &[GateResult]) -> Option<String> {
    let failed = |r: &&GateResult| {
        r.plugin == QUALITY && (r.error || r.severity != Severity::Pass || r.severity_original.is_some())
    };
    let failed = results.iter().find(failed)?;
    Some(format!(
        "the change is not verified: `{}` did not see its tests pass, and a cap does not change that ({})",
        failed.validator_id,
        first_line(&failed.justification)
    ))
}

fn halted(results: &[GateResult]) -> Halt {
    if results.iter().any(|r| r.error) {
        Halt::new(End::ValidatorError, said(results, "a validator could not judge"))
    } else {
        Halt::new(End::Blocked, said(results, "blocked"))
    }
}

pub(in crate::engine) fn as_judged(result: &GateResult) -> Judged {
    Judged {
        severity: result.severity,
        error: result.error,
        access_refused: result.access_refused,
    }
}

fn first_line(justification: &str) -> String {
    let first = justification.lines().next().unwrap_or_default();
    crate::text::one_line(first.trim_end_matches(':'), 300)
}

/// The validators that decided it, each in one line.
pub(in crate::engine) fn said(results: &[GateResult], word: &str) -> String {
    let worst: Vec<String> = results
        .iter()
        .filter(|r| r.error || r.severity != Severity::Pass)
        .map(|r| format!("{}: {}", r.validator_id, first_line(&r.justification)))
        .collect();
    if worst.is_empty() {
        word.to_owned()
    } else {
        format!("{word} ({})", worst.join("; "))
    }
}
