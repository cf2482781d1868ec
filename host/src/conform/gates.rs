//! The gates over a coder's work, and what keeps a run from its end. They are the host's: what is proved here is that they hold under this
//! coder, too.

use snodo_workspace::role::{Phase, Severity};

use super::check::{Outcome, Sheet, SubjectRole};
use super::fixture;
use super::script::Manner;
use super::stage::{Interrupt, Ran, Scene};
use super::work::{Staging, of_context};
use crate::engine::{SCRIPTED_MODEL, SetupError};
use crate::outcome::Outcome as RunOutcome;

/// What of a run the gates' checks look at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Facts {
    /// None: it did not begin.
    outcome: Option<RunOutcome>,
    called: bool,
    applied: bool,
    untouched: bool,
    /// How often the model was asked for a verdict.
    asked: usize,
    results: Vec<Heard>,
    told: String,
}

/// A validator in a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heard {
    phase: Phase,
    plugin: String,
    model: Option<String>,
    is_evidence: bool,
    severity: Severity,
    error: bool,
    words: String,
}

impl Facts {
    fn of(ran: &Ran) -> Self {
        let report = ran.report.as_ref().ok();
        let results = report.iter().flat_map(|report| &report.gates).flat_map(|gate| {
            gate.results.iter().map(|result| Heard {
                phase: gate.phase,
                plugin: result.plugin.clone(),
                model: result.model.clone(),
                is_evidence: !result.mock && !result.skipped,
                severity: result.severity,
                error: result.error,
                words: result.justification.clone(),
            })
        });
        Self {
            outcome: report.map(|report| report.outcome),
            called: ran.called,
            applied: report.is_some_and(|report| report.applied),
            untouched: ran.untouched,
            asked: ran.script.asked_to_judge(),
            results: results.collect(),
            told: ran.told(),
        }
    }

    fn nothing_happened(&self) -> Result<(), String> {
        if self.applied || !self.untouched {
            return Err(format!("the workspace was changed; {}", self.told));
        }
        Ok(())
    }
}

/// Puts down `gates`, `commit` and `bounds.cancel` of a coder.
pub(super) async fn of_coder(staging: &Staging<'_>, produces: bool, sheet: &mut Sheet) -> Result<(), SetupError> {
    let under = |manner| Scene {
        manner,
        protocol: Some(fixture::protocol(&[])),
        ..staging.scene()
    };
    let blocks = Manner::Answers {
        before: Severity::Blocker,
        after: Severity::Blocker,
    };
    let facts = Facts::of(&staging.run(under(blocks)).await?);
    sheet.put("gates.halt-before", Outcome::of(halted_before(&facts)));
    let facts = Facts::of(&staging.run(under(Manner::Missing)).await?);
    sheet.put("gates.no-model", Outcome::of(no_model(&facts)));
    let ran = staging
        .run(Scene {
            commit: true,
            ..staging.scene()
        })
        .await?;
    let refused = matches!(ran.report, Err(SetupError::Commit(_)));
    sheet.put("commit.refused", Outcome::of(commit_refused(refused, &Facts::of(&ran))));
    if !staging.may_be_called() {
        let rest = Outcome::unproven("it is not started without a task of its own: name one by `--task FILE`");
        sheet.rest(SubjectRole::Coder, &["gates", "bounds"], &rest);
        return Ok(());
    }
    let ran = staging
        .run(Scene {
            interrupt: Interrupt::AtCoder,
            ..staging.scene()
        })
        .await?;
    sheet.put("bounds.cancel", Outcome::of(cancelled(&Facts::of(&ran))));
    let ran = staging.run(under(Manner::PASSES)).await?;
    sheet.put("context.full", of_context(&ran));
    if !produces {
        let rest = Outcome::unproven("it produced nothing that could be judged: see work.produces");
        sheet.put("gates.asked", rest.clone());
        sheet.put("gates.halt-after", rest);
        return Ok(());
    }
    sheet.put("gates.asked", Outcome::of(asked(&Facts::of(&ran))));
    let facts = Facts::of(
        &staging
            .run(under(Manner::Answers {
                before: Severity::Pass,
                after: Severity::Blocker,
            }))
            .await?,
    );
    sheet.put("gates.halt-after", Outcome::of(halted_after(&facts)));
    Ok(())
}

/// Puts down `gate` and `bounds.cancel` of a validator, which judges what `mock` does.
pub(super) async fn of_validator(staging: &Staging<'_>, phases: &[Phase], sheet: &mut Sheet) -> Result<(), SetupError> {
    let name = &staging.subject.name;
    // A protocol can name what is built in, and give it criteria; a file is named by a flag.
    let built_in = snodo_plugins_build::find(name).is_some();
    let scene = Scene {
        coder: "mock".to_owned(),
        validators: if built_in {
            Vec::new()
        } else {
            vec![staging.subject.given.clone()]
        },
        protocol: built_in.then(|| fixture::protocol_of(name, phases)),
        ..staging.scene()
    };
    let facts = Facts::of(&staging.run(scene.clone()).await?);
    sheet.put("gate.judges", Outcome::of(judges(&facts, name, phases)));
    let ran = staging
        .run(Scene {
            interrupt: Interrupt::AtGate,
            ..scene
        })
        .await?;
    sheet.put("bounds.cancel", Outcome::of(cancelled(&Facts::of(&ran))));
    Ok(())
}

fn asked(facts: &Facts) -> Result<String, String> {
    if facts.outcome != Some(RunOutcome::Completed) || !facts.applied {
        return Err(facts.told.clone());
    }
    for phase in [Phase::PreExecute, Phase::PostExecute] {
        let judged = facts.results.iter().any(|heard| {
            heard.phase == phase && !heard.error && heard.is_evidence && heard.model.as_deref() == Some(SCRIPTED_MODEL)
        });
        if !judged {
            return Err(format!("nobody judged {} by the configured model", phase.as_str()));
        }
    }
    if facts.asked < 2 {
        return Err(format!(
            "the configured model was asked for {} verdicts; two validators judged",
            facts.asked
        ));
    }
    Ok(format!(
        "the model `{SCRIPTED_MODEL}` was asked for {} verdicts",
        facts.asked
    ))
}

fn halted_before(facts: &Facts) -> Result<String, String> {
    facts.nothing_happened()?;
    if facts.called {
        return Err(format!("it was called all the same; {}", facts.told));
    }
    match facts.outcome {
        Some(RunOutcome::Blocker) => Ok(facts.told.clone()),
        _ => Err(facts.told.clone()),
    }
}

fn halted_after(facts: &Facts) -> Result<String, String> {
    facts.nothing_happened()?;
    match facts.outcome {
        Some(RunOutcome::Blocker) if facts.called => Ok(facts.told.clone()),
        _ => Err(facts.told.clone()),
    }
}

fn no_model(facts: &Facts) -> Result<String, String> {
    facts.nothing_happened()?;
    if facts.called {
        return Err(format!("it was called all the same; {}", facts.told));
    }
    match facts.outcome {
        // A coder that asks a model has none either: then nothing begins.
        None | Some(RunOutcome::ValidatorError) => Ok(facts.told.clone()),
        Some(_) => Err(facts.told.clone()),
    }
}

fn commit_refused(refused: bool, facts: &Facts) -> Result<String, String> {
    facts.nothing_happened()?;
    if facts.called {
        return Err(format!("it was called before that was known; {}", facts.told));
    }
    if refused {
        Ok(facts.told.clone())
    } else {
        Err(facts.told.clone())
    }
}

fn cancelled(facts: &Facts) -> Result<String, String> {
    facts.nothing_happened()?;
    match facts.outcome {
        // Whoever ended the run before the interruption came to it, ended it without a change, too.
        Some(outcome) if outcome != RunOutcome::Completed => Ok(facts.told.clone()),
        _ => Err(facts.told.clone()),
    }
}

fn judges(facts: &Facts, name: &str, phases: &[Phase]) -> Result<String, String> {
    let mine: Vec<&Heard> = facts.results.iter().filter(|heard| heard.plugin == name).collect();
    let halted = mine
        .iter()
        .any(|heard| heard.error || heard.severity == Severity::Blocker);
    for phase in phases {
        let heard = mine.iter().any(|heard| heard.phase == *phase);
        // What it halts before execution never comes to the other gate.
        let kept_from_it = !mine.is_empty() && !facts.applied && *phase == Phase::PostExecute;
        if !(heard || kept_from_it) {
            return Err(format!("it was not heard in {}; {}", phase.as_str(), facts.told));
        }
    }
    let accident = mine.iter().find(|heard| {
        let begins = [
            "the validator trapped",
            "the validator broke",
            "the validator could not be started",
        ];
        begins.iter().any(|begin| heard.words.starts_with(begin))
    });
    if let Some(heard) = accident {
        return Err(heard.words.clone());
    }
    if halted && facts.outcome == Some(RunOutcome::Completed) {
        return Err("it does not pass, and the run completed".to_owned());
    }
    let said: Vec<String> = mine
        .iter()
        .map(|heard| {
            let word = if heard.error {
                "a fault"
            } else {
                heard.severity.as_str()
            };
            format!("{}: {word}", heard.phase.as_str())
        })
        .collect();
    Ok(format!("{}; {}", said.join(", "), facts.told))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(phase: Phase) -> Heard {
        Heard {
            phase,
            plugin: "judge".to_owned(),
            model: Some(SCRIPTED_MODEL.to_owned()),
            is_evidence: true,
            severity: Severity::Pass,
            error: false,
            words: "fine".to_owned(),
        }
    }

    /// A run in which everything went well.
    fn completed() -> Facts {
        Facts {
            outcome: Some(RunOutcome::Completed),
            called: true,
            applied: true,
            untouched: false,
            asked: 2,
            results: vec![heard(Phase::PreExecute), heard(Phase::PostExecute)],
            told: "told".to_owned(),
        }
    }

    /// A run that was stopped, before or after the coder.
    fn halted(outcome: RunOutcome, called: bool) -> Facts {
        Facts {
            outcome: Some(outcome),
            called,
            applied: false,
            untouched: true,
            ..completed()
        }
    }

    #[test]
    fn gates_that_were_not_asked_are_seen() {
        assert!(asked(&completed()).is_ok());
        let mut by_nobody = completed();
        by_nobody.results.pop();
        let mut by_the_mock = completed();
        by_the_mock.results[1].is_evidence = false;
        let mut by_another = completed();
        by_another.results[0].model = Some("other".to_owned());
        let mut faulted = completed();
        faulted.results[0].error = true;
        let mut never_asked = completed();
        never_asked.asked = 1;
        for facts in [
            by_nobody,
            by_the_mock,
            by_another,
            faulted,
            never_asked,
            halted(RunOutcome::Blocker, true),
        ] {
            assert!(asked(&facts).is_err(), "{facts:?}");
        }
    }

    #[test]
    fn a_coder_that_is_called_past_its_gate_is_seen() {
        assert!(halted_before(&halted(RunOutcome::Blocker, false)).is_ok());
        assert!(halted_before(&halted(RunOutcome::Blocker, true)).is_err());
        assert!(halted_before(&halted(RunOutcome::ValidatorError, false)).is_err());
        assert!(halted_before(&completed()).is_err());
        assert!(no_model(&halted(RunOutcome::ValidatorError, false)).is_ok());
        assert!(no_model(&halted(RunOutcome::ValidatorError, true)).is_err());
        assert!(no_model(&completed()).is_err());
    }

    #[test]
    fn work_that_reaches_the_workspace_against_a_verdict_is_seen() {
        assert!(halted_after(&halted(RunOutcome::Blocker, true)).is_ok());
        assert!(halted_after(&completed()).is_err());
        let mut touched = halted(RunOutcome::Blocker, true);
        touched.untouched = false;
        assert!(halted_after(&touched).is_err());
        assert!(cancelled(&touched).is_err());
        touched.untouched = true;
        assert!(cancelled(&touched).is_ok());
        assert!(cancelled(&completed()).is_err());
        touched.outcome = Some(RunOutcome::Completed);
        assert!(cancelled(&touched).is_err());
    }

    #[test]
    fn a_commit_that_is_refused_late_is_seen() {
        let mut facts = halted(RunOutcome::EnvironmentError, false);
        assert!(commit_refused(true, &facts).is_ok());
        assert!(commit_refused(false, &facts).is_err());
        facts.called = true;
        assert!(commit_refused(true, &facts).is_err());
        assert!(commit_refused(true, &completed()).is_err());
    }

    #[test]
    fn a_validator_that_nobody_heard_is_seen() {
        let both = [Phase::PreExecute, Phase::PostExecute];
        assert!(judges(&completed(), "judge", &both).is_ok());
        assert!(judges(&completed(), "other", &both).is_err());
        let mut one = completed();
        one.results.pop();
        assert!(judges(&one, "judge", &both).is_err());
        one.results[0].severity = Severity::Blocker;
        one.outcome = Some(RunOutcome::Blocker);
        one.applied = false;
        assert!(judges(&one, "judge", &both).is_ok());
        one.outcome = Some(RunOutcome::Completed);
        assert!(judges(&one, "judge", &both).is_err());
    }
}
