//! A validator that is broken in the way that its setting names, like `broken-coder`.

use snodo_plugin::prelude::*;

struct Broken;

impl Validator for Broken {
    fn describe() -> Description {
        Description::new("broken-judge", "0.1.0", "Is broken in the way that its setting names.")
            .phase(Phase::PreExecute)
            .phase(Phase::PostExecute)
            .setting(Setting::text("behaviour", "How it is broken; `none`: not at all.").default("none"))
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        let behaviour = context.text("behaviour")?;
        let after = evaluation.phase == Phase::PostExecute;
        match behaviour {
            "panics" => panic!("as told"),
            "needs-criteria" => assert!(!evaluation.criteria.is_empty(), "no criteria"),
            "needs-tools" => drop(read::lines("README.md", 1, 1).expect("a README")),
            "groundless" => return Ok(Verdict::pass("").cite(0)),
            "cites-anything" => return Ok(Verdict::pass("because").cite(99)),
            "fickle" if context.job_id.ends_with('b') => return Ok(Verdict::blocker("the job's name ends with b")),
            "blind" if after => {
                // What is missing in it is not looked at.
                let files = change::diff(&change::DiffQuery::all())?.files.len();
                return Ok(Verdict::pass(format!("{files} files look good")));
            }
            "echoes" => return Ok(Verdict::pass("it was told").examined(texts(&evaluation))),
            "fussy" if after => fussy(&change::summary()?),
            _ => {}
        }
        if after {
            let answer = change::diff(&change::DiffQuery::all())?;
            if !answer.omitted.is_empty() {
                return Err(Fault::IncompleteView(answer.omitted.join(", ")));
            }
        }
        Ok(Verdict::pass("it is whole"))
    }
}

snodo_plugin::export!(validator: Broken);

/// Knows only tidy changes.
fn fussy(summary: &change::ChangeSummary) {
    assert!(!summary.files.is_empty(), "nothing is changed");
    assert!(summary.files.len() < 100, "too much is changed");
    assert!(summary.files.iter().all(|file| !file.binary), "that is no text");
}

/// Not broken: gives back every text that only a validator is told.
fn texts(evaluation: &Evaluation) -> Vec<String> {
    let mode = &evaluation.mode;
    let mut all = vec![
        evaluation.validator_id.clone(),
        mode.id.clone(),
        mode.name.clone(),
        mode.description.clone(),
    ];
    all.extend(mode.tools.iter().cloned());
    all.extend(evaluation.criteria.first().cloned());
    for evidence in &evaluation.evidence {
        all.extend([evidence.validator_id.clone(), evidence.justification.clone()]);
    }
    for change in &evaluation.test_governing {
        all.extend([change.path.clone(), change.reason.clone()]);
    }
    all
}
