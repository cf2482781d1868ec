//! One gate: its validators, each over the same view, and what they said.

use std::sync::Arc;

use futures_util::future::join_all;
use snodo_config::policy::{Judged, settle};
use snodo_workspace::capability::{Change, JudgeCapabilities};
use snodo_workspace::change::TestGoverningChange;
use snodo_workspace::role::{
    Context, Evaluation, ExecutionEvidence, Fault, ModeProfile, Phase, RunnerInfo, Setting, Severity, Task, Verdict,
};
use snodo_workspace::view::View;

use super::models::Asks;
use crate::events::{Event, Observer};
use crate::plugin::{Plugin, PluginFailure, PluginLog, Replay, ToolList, Usage};
use crate::record::GateResult;
use crate::sandbox::{RunnerLimits, RunnerService};

/// A validator in force: a plugin under an id, with what the protocol and the user say about it.
#[derive(Clone)]
pub(super) struct Judge {
    pub(super) id: String,
    pub(super) plugin: Plugin,
    pub(super) phase: Phase,
    pub(super) settings: Vec<Setting>,
    pub(super) criteria: Vec<String>,
    pub(super) severity_cap: Option<Severity>,
    pub(super) tools: ToolList,
    pub(super) runner_limits: RunnerLimits,
    pub(super) asks: Asks,
}

/// What all validators of a gate have in common.
pub(super) struct Scene<'a> {
    pub(super) phase: Phase,
    /// An attempt that mends an earlier one: what a judge finds before it is the state of a half-done tree.
    pub(super) in_recovery: bool,
    pub(super) task: &'a Task,
    pub(super) mode: &'a ModeProfile,
    pub(super) view: View,
    pub(super) change: Arc<dyn Change>,
    pub(super) test_governing: Vec<TestGoverningChange>,
    /// Everything of a context that does not depend on the validator.
    pub(super) context: Context,
    pub(super) runner: &'a Arc<RunnerService>,
    pub(super) replay: Replay,
    /// Of this run, and told to nobody.
    pub(super) secret: [u8; 32],
    pub(super) observer: &'a dyn Observer,
}

/// What one validator said, and what it took.
pub(super) struct Judgement {
    pub(super) result: GateResult,
    pub(super) usage: Usage,
    pub(super) log: PluginLog,
}

impl Judgement {
    fn without_a_call(result: GateResult) -> Self {
        Self {
            result,
            usage: Usage::default(),
            log: PluginLog::default(),
        }
    }
}

/// Has every validator of the phase judge, in parallel; the results come in the gate's order. Those that execute come first, so
/// that the others see their evidence.
pub(super) async fn judge(judges: &[Judge], scene: &Scene<'_>) -> Vec<Judgement> {
    let in_phase: Vec<(usize, &Judge)> = judges.iter().filter(|j| j.phase == scene.phase).enumerate().collect();
    let (executing, reading): (Vec<_>, Vec<_>) = in_phase.into_iter().partition(|(_, j)| j.plugin.uses_runner());
    let mut judged = judge_together(&executing, scene, &[]).await;
    let evidence: Vec<ExecutionEvidence> = judged
        .iter()
        .map(|(_, j)| &j.result)
        .filter(|result| !result.error && !result.skipped && !result.mock)
        .map(|result| ExecutionEvidence {
            validator_id: result.validator_id.clone(),
            severity: result.severity,
            justification: result.justification.clone(),
        })
        .collect();
    judged.extend(judge_together(&reading, scene, &evidence).await);
    judged.sort_by_key(|(place, _)| *place);
    judged.into_iter().map(|(_, judgement)| judgement).collect()
}

async fn judge_together(
    judges: &[(usize, &Judge)],
    scene: &Scene<'_>,
    evidence: &[ExecutionEvidence],
) -> Vec<(usize, Judgement)> {
    join_all(
        judges
            .iter()
            .map(async |(place, judge)| (*place, judge_one(judge, scene, evidence).await)),
    )
    .await
}

async fn judge_one(judge: &Judge, scene: &Scene<'_>, evidence: &[ExecutionEvidence]) -> Judgement {
    let runner = judge.plugin.uses_runner();
    let limits = judge.runner_limits;
    if let Asks::Nobody(why) = &judge.asks {
        let result = result(judge, scene.in_recovery, Judged::error(), &no_client(why));
        return told(scene, Judgement::without_a_call(result));
    }
    let view: Arc<View> = Arc::new(scene.view.clone());
    let given = JudgeCapabilities {
        read: view.clone(),
        search: view,
        change: Arc::clone(&scene.change),
        completion: judge.asks.completion(),
        runner: runner.then(|| scene.runner.for_plugin(&judge.id, scene.view.clone(), limits)),
    };
    let mut context = scene.context.clone();
    context.model = judge.asks.model().map(ToOwned::to_owned);
    context.settings.clone_from(&judge.settings);
    context.tools = judge.tools.names();
    context.limits = judge.plugin.limits().invocation();
    context.runner = if runner {
        runner_info(scene.runner, limits)
    } else {
        None
    };
    let evaluation = Evaluation {
        phase: scene.phase,
        task: scene.task.clone(),
        validator_id: judge.id.clone(),
        criteria: judge.criteria.clone(),
        mode: scene.mode.clone(),
        evidence: evidence.to_vec(),
        test_governing: scene.test_governing.clone(),
    };
    let asked_before = match &judge.asks {
        Asks::Model(seated) => seated.calls(),
        Asks::No | Asks::Nobody(_) => 0,
    };
    let ended = judge
        .plugin
        .evaluate(chance(judge, scene), given, judge.tools.clone(), evaluation, context)
        .await;
    let result = heard(
        judge,
        scene,
        asked_before,
        to_result(judge, scene.in_recovery, ended.outcome),
    );
    told(
        scene,
        Judgement {
            result,
            usage: ended.usage,
            log: ended.log,
        },
    )
}

/// What a validator says after it asked a model in vain is no judgement, whatever it says; and one that asked nobody is not shown with a
/// model's name.
fn heard(judge: &Judge, scene: &Scene<'_>, asked_before: usize, said: GateResult) -> GateResult {
    let Asks::Model(seated) = &judge.asks else { return said };
    match seated.asked(&judge.id, asked_before) {
        (0, _) => GateResult { model: None, ..said },
        (_, 0) if !said.error => result(
            judge,
            scene.in_recovery,
            Judged::error(),
            &format!(
                "it says `{}`, and no model answered it ({})",
                said.severity.as_str(),
                said.justification
            ),
        ),
        _ => said,
    }
}

/// A judge that asks a model shows it the work between random marks. Whoever knows the task would know them too, if chance came from the
/// task alone: so each judgement has its own, from what nobody but this host knows.
fn chance(judge: &Judge, scene: &Scene<'_>) -> Replay {
    if !matches!(judge.asks, Asks::Model(_)) {
        return scene.replay;
    }
    let mut seed = blake3::Hasher::new_keyed(&scene.replay.seed);
    seed.update(&scene.secret);
    seed.update(scene.context.job_id.as_bytes());
    seed.update(&scene.context.attempt.to_le_bytes());
    seed.update(judge.id.as_bytes());
    Replay {
        seed: *seed.finalize().as_bytes(),
        ..scene.replay
    }
}

fn told(scene: &Scene<'_>, judgement: Judgement) -> Judgement {
    scene.observer.on(&Event::Judged {
        validator: &judgement.result.validator_id,
        severity: judgement.result.severity,
        error: judgement.result.error,
        mock: judgement.result.mock,
    });
    judgement
}

/// A validator that needs a model and has none is not called: nothing of it could decide.
fn no_client(why: &str) -> String {
    format!("no model client: {why}")
}

/// The validators of a phase that need a model and have none, as they would be told of in their gate.
pub(super) fn without_a_model(judges: &[Judge], phase: Phase, in_recovery: bool) -> Vec<GateResult> {
    let of_phase = judges.iter().filter(|judge| judge.phase == phase);
    let unserved = of_phase.filter_map(|judge| match &judge.asks {
        Asks::Nobody(why) => Some(result(judge, in_recovery, Judged::error(), &no_client(why))),
        Asks::No | Asks::Model(_) => None,
    });
    unserved.collect()
}

/// The declared runner, as a plugin is told of it.
pub(super) fn runner_info(service: &RunnerService, limits: RunnerLimits) -> Option<RunnerInfo> {
    let command = service.command()?;
    Some(RunnerInfo {
        argv: command.argv.clone(),
        takes_path: command.takes_path,
        calls: limits.calls,
        timeout_ms: u64::try_from(limits.timeout.as_millis()).unwrap_or(u64::MAX),
    })
}

/// Turns an answer into a result. What could not be judged is a blocker with `error`: it is never shown as judged, and no cap
/// touches it.
fn to_result(judge: &Judge, in_recovery: bool, outcome: Result<Result<Verdict, Fault>, PluginFailure>) -> GateResult {
    let not_judged = |why: &str| result(judge, in_recovery, Judged::error(), why);
    match outcome {
        Ok(Ok(verdict)) => judged(judge, in_recovery, verdict),
        Ok(Err(fault)) => not_judged(&fault.to_string()),
        Err(failure) => not_judged(&format!("the validator {failure}")),
    }
}

fn judged(judge: &Judge, in_recovery: bool, verdict: Verdict) -> GateResult {
    let mut said = Judged::verdict(verdict.severity);
    let mut justification = verdict.justification;
    if let Some(why) = &verdict.skipped {
        justification = format!("nothing to judge: {why}");
    }
    if let Some(uncheckable) = verdict.uncheckable.first() {
        // A criterion that nobody could check is not met.
        said.access_refused = true;
        let missing = crate::text::one_line(&uncheckable.capability, 200);
        justification = format!(
            "criterion {} cannot be checked: it would need {missing}. {justification}",
            u64::from(uncheckable.criterion) + 1
        );
    }
    GateResult {
        // A skip with anything but a pass is a judgement like any other.
        skipped: verdict.skipped.is_some() && verdict.severity == Severity::Pass && !said.access_refused,
        cited_criteria: verdict
            .cited_criteria
            .into_iter()
            .filter(|&i| (i as usize) < judge.criteria.len())
            .collect(),
        examined: verdict
            .examined
            .iter()
            .take(1_000)
            .map(|e| crate::text::one_line(e, 300))
            .collect(),
        ..result(judge, in_recovery, said, &justification)
    }
}

fn result(judge: &Judge, in_recovery: bool, said: Judged, justification: &str) -> GateResult {
    let settled = settle(said, judge.severity_cap, judge.phase, in_recovery);
    GateResult {
        validator_id: judge.id.clone(),
        plugin: judge.plugin.name().to_string(),
        severity: settled.judged.severity,
        severity_original: settled.lowered.map(|(original, _)| original),
        justification: text(justification),
        error: settled.judged.error,
        access_refused: settled.judged.access_refused,
        skipped: false,
        cited_criteria: Vec::new(),
        examined: Vec::new(),
        model: judge.asks.model().map(ToOwned::to_owned),
        mock: matches!(&judge.asks, Asks::Model(seated) if seated.mock),
    }
}

/// A validator's words: several lines are fine, control characters are not, and there is an end.
fn text(words: &str) -> String {
    const MAX: usize = 4_000;
    let cut: String = words.chars().take(MAX).collect();
    let mut shown = crate::text::escape_lines(&cut);
    if cut.len() < words.len() {
        shown.push('…');
    }
    shown
}
