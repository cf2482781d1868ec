//! Every field of what a plugin is told, empty and full; and what comes out of it besides.

use std::collections::BTreeSet;

use super::bench::{Called, Tests};
use super::caller::{Caller, Judgement, Shape};
use super::check::{Outcome, Sheet, SubjectRole};
use super::fixture::{self, MARK};
use crate::plugin::Bound;

/// Bytes that a plugin may write to its standard streams in one call: some lines of somebody who looks for a fault.
const WRITTEN: usize = 4096;

/// Puts down the checks of `context`, `bounds.ends` and `output`. Answers the usual call, or nothing where it does not come to an end: then nothing
/// else is to be called.
pub(super) async fn look(caller: &Caller<'_>, sheet: &mut Sheet) -> std::io::Result<Option<Called>> {
    let mut world = caller.bench.world();
    let empty = caller.call(world, Shape::Empty).await?;
    sheet.put("context.empty", Outcome::of(empty.by_itself()));
    let mut endless = outlives(&empty);
    let mut full = None;
    let mut usual = None;
    if endless.is_none() {
        world.tests = Tests::Pass;
        let called = in_every_phase(caller, world).await?;
        sheet.put("context.full", Outcome::of(filled(&called)));
        endless = called.iter().find_map(outlives);
        full = Some(called);
        world.tests = Tests::NotDeclared;
    }
    if endless.is_none() {
        let called = caller.call(world, Shape::Usual).await?;
        endless = outlives(&called);
        usual = Some(called);
    }
    if let Some(why) = endless {
        let role = caller.role;
        sheet.put("bounds.ends", Outcome::fail(why));
        let rest = Outcome::skip("it does not come to an end by itself: see bounds.ends");
        sheet.rest(role, &[], &rest);
        return Ok(None);
    }
    let all = || full.iter().flatten().chain(&usual).chain([&empty]);
    let took = all().map(|called| called.took).max().unwrap_or_default();
    let bounded = all().find(|called| called.bound().is_some());
    sheet.put(
        "bounds.ends",
        match bounded {
            Some(called) => Outcome::fail(called.typed().unwrap_or_else(|why| why)),
            None => Outcome::pass(format!("the longest of its calls took {} ms", took.as_millis())),
        },
    );
    sheet.put("output.quiet", Outcome::of(quiet(all())));
    Ok(usual)
}

/// A validator is asked in each phase that it names.
async fn in_every_phase(caller: &Caller<'_>, world: super::bench::World) -> std::io::Result<Vec<Called>> {
    let mut all = Vec::new();
    if caller.role == SubjectRole::Validator {
        for phase in &caller.phases {
            all.push(
                caller
                    .judge(world, Shape::Full, &Judgement::in_phase(caller, *phase))
                    .await?,
            );
        }
    } else {
        all.push(caller.call(world, Shape::Full).await?);
    }
    Ok(all)
}

fn filled(all: &[Called]) -> Result<String, String> {
    let mut ends = Vec::new();
    let mut echoed = BTreeSet::new();
    for called in all {
        ends.push(called.by_itself()?);
        echoed.extend(fixture::echoed(&called.gave_back()));
    }
    let echoed: Vec<&str> = echoed.into_iter().collect();
    let back = match echoed.as_slice() {
        [] => String::new(),
        fields => format!("; it gave back, whole: {}", fields.join(", ")),
    };
    Ok(format!("{}{back}", ends.join("; ")))
}

/// It was stopped for want of time: what comes after would take as long again.
fn outlives(called: &Called) -> Option<String> {
    match called.bound() {
        Some(Bound::Compute | Bound::Total) => Some(called.typed().unwrap_or_else(|why| why)),
        _ => None,
    }
}

fn quiet<'a>(all: impl Iterator<Item = &'a Called>) -> Result<String, String> {
    let mut most = 0;
    for called in all {
        let (out, err) = (&called.log.stdout, &called.log.stderr);
        for (name, text) in [("standard output", out), ("standard error", err)] {
            if text.contains(MARK) {
                let fields = fixture::echoed(text);
                let fields = if fields.is_empty() {
                    "part of a field".to_owned()
                } else {
                    fields.join(", ")
                };
                return Err(format!("it wrote what it was told to its {name}: {fields}"));
            }
        }
        most = most.max(out.len() + err.len());
        if called.log.dropped > 0 || out.len() + err.len() > WRITTEN {
            return Err(format!(
                "it wrote {} bytes and more in one call; {WRITTEN} are enough for anybody who looks for a fault",
                out.len() + err.len()
            ));
        }
    }
    Ok(format!(
        "at most {most} bytes in one call, and nothing of what it was told"
    ))
}
