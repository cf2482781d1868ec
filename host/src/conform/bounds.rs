//! Tiny bounds: a plugin is told of them, and ends by its own word or by the bound, in time.

use std::time::Duration;

use super::bench::{Called, Tests, World};
use super::caller::{Caller, Shape};
use super::check::{Outcome, Sheet, SubjectRole};
use super::script::Manner;

/// After its time a call is ended at the next tick; so much is left for a machine with other work.
const SLACK: Duration = Duration::from_secs(2);

/// Puts down the group, but `bounds.ends` and `bounds.cancel`. `usual` is a call without tiny bounds.
pub(super) async fn look(caller: &Caller<'_>, usual: &Called, sheet: &mut Sheet) -> std::io::Result<()> {
    let base = caller.bench.world();
    let mut tiny: Vec<(&'static str, World)> = Vec::new();
    let mut with = |id, change: &dyn Fn(&mut World)| {
        let mut world = base;
        change(&mut world);
        tiny.push((id, world));
    };
    with("bounds.host-calls", &|world| world.limits.host_calls = 1);
    with("bounds.compute", &|world| {
        world.limits.compute = Duration::from_millis(20);
    });
    with("bounds.total", &|world| {
        world.limits.total = Duration::from_millis(100);
        world.limits.compute = world.limits.total;
        world.manner = Manner::Silent;
        world.tests = Tests::Silent;
    });
    with("bounds.call-bytes", &|world| world.limits.call_bytes = 4096);
    with("bounds.read-bytes", &|world| world.limits.read_bytes = 16);
    with("bounds.memory", &|world| {
        world.limits.memory_bytes = usual.usage.memory_bytes.saturating_sub(1);
    });
    if caller.role == SubjectRole::Coder {
        with("bounds.submit-bytes", &|world| world.limits.submit_bytes = 1);
    }
    for (id, world) in tiny {
        let called = caller.call(world, Shape::Usual).await?;
        let late = called.took > world.limits.total + SLACK;
        sheet.put(
            id,
            if late {
                Outcome::fail(format!(
                    "{} ms were allowed, and it took {} ms",
                    world.limits.total.as_millis(),
                    called.took.as_millis()
                ))
            } else {
                Outcome::of(called.typed())
            },
        );
    }
    Ok(())
}
