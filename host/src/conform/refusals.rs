//! What is refused is an answer: a plugin goes on, or says that it cannot.

use super::bench::Submits;
use super::caller::{Caller, Shape};
use super::check::{Outcome, Sheet, SubjectRole};

/// Puts down the group.
pub(super) async fn look(caller: &Caller<'_>, sheet: &mut Sheet) -> std::io::Result<()> {
    let mut world = caller.bench.world();
    world.reads_refused = true;
    let called = caller.call(world, Shape::Usual).await?;
    sheet.put(
        "refusals.reads",
        match called.typed() {
            Ok(_) if called.withheld == 0 => Outcome::pass("it looked at nothing"),
            Ok(seen) => Outcome::pass(format!("{} were refused; {seen}", called.withheld)),
            Err(seen) => Outcome::fail(seen),
        },
    );
    if caller.role != SubjectRole::Coder {
        return Ok(());
    }
    let refusals = [
        (
            "refusals.protected",
            Submits::Refused("protected by the protocol, line 1"),
        ),
        ("refusals.git", Submits::Refused("`.git` belongs to git")),
        ("refusals.snodo", Submits::Refused("`.snodo` belongs to the host")),
        ("refusals.limit", Submits::Limited),
    ];
    for (id, submits) in refusals {
        let mut world = caller.bench.world();
        world.submits = submits;
        let called = caller.call(world, Shape::Usual).await?;
        sheet.put(
            id,
            match called.typed() {
                Ok(_) if called.refused == 0 => {
                    Outcome::skip("it submitted nothing on this task, so that nothing could be refused (`--task FILE`)")
                }
                Ok(seen) => Outcome::pass(format!("{} submissions were refused; {seen}", called.refused)),
                Err(seen) => Outcome::fail(seen),
            },
        );
    }
    Ok(())
}
