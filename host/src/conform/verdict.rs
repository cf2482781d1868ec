//! A validator by itself: a verdict or a fault for everything that it is asked, and no pass for what it could not see.

use snodo_config::protocol::JudgeTool;
use snodo_workspace::role::Phase;

use super::bench::{Called, Ended, Judged, Tests};
use super::caller::{Caller, Judgement, Shape};
use super::check::{Outcome, Sheet};
use super::fixture::CRITERIA;
use super::script::Manner;
use crate::plugin::{PluginFailure, ToolList};

/// Puts down the groups `verdict`, `tools` and `model`. `usual` is a call as in a run.
pub(super) async fn look(caller: &Caller<'_>, usual: Called, sheet: &mut Sheet) -> std::io::Result<()> {
    // Everything that is answered here is looked at for its severity and its grounds, with how many criteria there were.
    let mut all: Vec<(Called, usize)> = vec![(usual, CRITERIA.len())];
    criteria(caller, sheet, &mut all).await?;
    changes(caller, sheet, &mut all).await?;
    deterministic(caller, sheet).await?;
    incomplete_view(caller, sheet).await?;
    tools(caller, sheet).await?;
    model(caller, sheet).await?;
    sheet.put("verdict.severity", Outcome::of(severities(&all)));
    sheet.put("verdict.grounds", Outcome::of(grounds(&all)));
    Ok(())
}

async fn criteria(caller: &Caller<'_>, sheet: &mut Sheet, all: &mut Vec<(Called, usize)>) -> std::io::Result<()> {
    let many = ["Something is so."; 40];
    let mut seen = Vec::new();
    for phase in &caller.phases {
        for criteria in [&[][..], &CRITERIA, &many] {
            let how = Judgement {
                criteria,
                ..Judgement::in_phase(caller, *phase)
            };
            let mut world = caller.bench.world();
            world.tests = Tests::Pass;
            let called = caller.judge(world, Shape::Usual, &how).await?;
            let told = |end: String| format!("{}, {} criteria: {end}", phase.as_str(), criteria.len());
            seen.push(called.typed().map(told).map_err(told));
            all.push((called, criteria.len()));
        }
    }
    sheet.put("verdict.criteria", Outcome::of(together(seen)));
    Ok(())
}

/// All of them, or those that are not so.
fn together(all: Vec<Result<String, String>>) -> Result<String, String> {
    let failed: Vec<&str> = all
        .iter()
        .filter_map(|one| one.as_ref().err().map(String::as_str))
        .collect();
    if failed.is_empty() {
        Ok(all.into_iter().flatten().collect::<Vec<_>>().join("; "))
    } else {
        Err(failed.join("; "))
    }
}

async fn changes(caller: &Caller<'_>, sheet: &mut Sheet, all: &mut Vec<(Called, usize)>) -> std::io::Result<()> {
    let changes = [
        ("verdict.empty-change", Judged::Nothing),
        ("verdict.huge-change", Judged::Huge),
        ("verdict.binary-change", Judged::Binary),
    ];
    for (id, judged) in changes {
        if !caller.judges_changes() {
            sheet.put(id, Outcome::skip("it judges before execution only"));
            continue;
        }
        let mut world = caller.bench.world();
        world.judged = judged;
        let how = Judgement::in_phase(caller, Phase::PostExecute);
        let called = caller.judge(world, Shape::Usual, &how).await?;
        sheet.put(id, Outcome::of(called.typed()));
        all.push((called, CRITERIA.len()));
    }
    Ok(())
}

/// The run's name is another one the second time: nothing may depend on it.
async fn deterministic(caller: &Caller<'_>, sheet: &mut Sheet) -> std::io::Result<()> {
    let mut seen = Vec::new();
    for phase in &caller.phases {
        let mut ends = Vec::new();
        for job in ["run_1700000000_aaaa", "run_1700000000_bbbb"] {
            let how = Judgement {
                job: Some(job),
                ..Judgement::in_phase(caller, *phase)
            };
            let called = caller.judge(caller.bench.world(), Shape::Usual, &how).await?;
            let end = called.typed();
            ends.push((format!("{:?}", called.ended), end));
        }
        seen.push(match ends.as_slice() {
            [(first, _), (second, end)] if first == second => end
                .clone()
                .map(|end| format!("{}: twice the same: {end}", phase.as_str())),
            [(_, first), (_, second)] => Err(format!(
                "{}: first {}, then {}",
                phase.as_str(),
                first.clone().unwrap_or_else(|why| why),
                second.clone().unwrap_or_else(|why| why)
            )),
            _ => Err("it was not called twice".to_owned()),
        });
    }
    sheet.put("verdict.deterministic", Outcome::of(together(seen)));
    Ok(())
}

async fn incomplete_view(caller: &Caller<'_>, sheet: &mut Sheet) -> std::io::Result<()> {
    const ID: &str = "verdict.incomplete-view";
    if !caller.judges_changes() {
        sheet.put(ID, Outcome::skip("it judges before execution only"));
        return Ok(());
    }
    let mut world = caller.bench.world();
    world.change_hidden = true;
    world.reads_refused = true;
    world.tests = Tests::Pass;
    let how = Judgement::in_phase(caller, Phase::PostExecute);
    let called = caller.judge(world, Shape::Usual, &how).await?;
    sheet.put(
        ID,
        match called.typed() {
            Err(seen) => Outcome::fail(seen),
            Ok(seen) if called.withheld == 0 => {
                Outcome::pass(format!("it asked for nothing but which paths are changed; {seen}"))
            }
            Ok(seen) if called.passes() => Outcome::fail(format!(
                "{} answers were not whole, and all the same {seen}",
                called.withheld
            )),
            Ok(seen) => Outcome::pass(format!("{} answers were not whole; {seen}", called.withheld)),
        },
    );
    Ok(())
}

async fn tools(caller: &Caller<'_>, sheet: &mut Sheet) -> std::io::Result<()> {
    let mut seen = Vec::new();
    for phase in &caller.phases {
        // What snodo calls by these names; everything else is taken away.
        for left in [JudgeTool::ReadDiffBetweenRefs, JudgeTool::ReadFile] {
            let how = Judgement {
                tools: ToolList::whole(caller.bench.plugin.uses_runner()).narrowed(&[left]),
                ..Judgement::in_phase(caller, *phase)
            };
            let called = caller.judge(caller.bench.world(), Shape::Usual, &how).await?;
            let told = |end: String| format!("{}, left `{}`: {end}", phase.as_str(), left.as_str());
            seen.push(called.typed().map(told).map_err(told));
        }
    }
    sheet.put("tools.narrowed", Outcome::of(together(seen)));
    Ok(())
}

async fn model(caller: &Caller<'_>, sheet: &mut Sheet) -> std::io::Result<()> {
    if !caller.bench.plugin.uses_model() {
        let rest = Outcome::skip("it asks no model");
        sheet.put("model.missing", rest.clone());
        sheet.put("model.failing", rest);
        return Ok(());
    }
    let (mut missing, mut failing) = (Vec::new(), Vec::new());
    for phase in &caller.phases {
        let how = Judgement::in_phase(caller, *phase);
        let mut world = caller.bench.world();
        world.manner = Manner::Missing;
        let called = caller.judge(world, Shape::Usual, &how).await?;
        let told = |end: String| format!("{}: {end}", phase.as_str());
        missing.push(match called.typed() {
            Ok(end) if called.verdict().is_some() => Err(told(format!("{end}, where a fault was due"))),
            end => end.map(told).map_err(told),
        });
        world.manner = Manner::Fails;
        let called = caller.judge(world, Shape::Usual, &how).await?;
        failing.push(match called.typed() {
            Ok(end) if called.asked > 0 && called.passes() => Err(told(format!("it was given no answer, and {end}"))),
            end => end.map(told).map_err(told),
        });
    }
    sheet.put("model.missing", Outcome::of(together(missing)));
    sheet.put("model.failing", Outcome::of(together(failing)));
    Ok(())
}

/// A severity outside of the contract's three cannot be lifted out of the component: the runtime ends it there.
fn severities(all: &[(Called, usize)]) -> Result<String, String> {
    let mut words: Vec<&str> = Vec::new();
    for (called, _) in all {
        match &called.ended {
            Ended::Judge(Ok(Ok(verdict))) => words.push(verdict.severity.as_str()),
            Ended::Judge(Err(PluginFailure::Trap { message, .. })) if message.contains("discriminant") => {
                return Err(format!("what it answered is no verdict of the contract's: {message}"));
            }
            _ => {}
        }
    }
    words.sort_unstable();
    words.dedup();
    Ok(match words.as_slice() {
        [] => "it gave no verdict, only faults".to_owned(),
        words => words.join(", "),
    })
}

fn grounds(all: &[(Called, usize)]) -> Result<String, String> {
    let verdicts: Vec<_> = all
        .iter()
        .filter_map(|(called, criteria)| Some((called.verdict()?, *criteria)))
        .collect();
    for (verdict, criteria) in &verdicts {
        let severity = verdict.severity.as_str();
        let reason = verdict.skipped.as_deref().unwrap_or(&verdict.justification);
        if reason.trim().is_empty() {
            return Err(format!("a `{severity}` without a word why"));
        }
        let numbers = verdict.uncheckable.iter().map(|missing| missing.criterion);
        for number in verdict.cited_criteria.iter().copied().chain(numbers) {
            if number as usize >= *criteria {
                return Err(format!(
                    "a `{severity}` that cites criterion {number} (from 0) of {criteria}"
                ));
            }
        }
    }
    Ok(format!("{} verdicts, each with its grounds", verdicts.len()))
}
