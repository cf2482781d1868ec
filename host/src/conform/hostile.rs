//! Workspaces that have undone others.

use super::caller::{Caller, Shape};
use super::check::{Outcome, Sheet};
use super::place::Kind;

/// Puts down the group.
pub(super) async fn look(caller: &Caller<'_>, sheet: &mut Sheet) -> std::io::Result<()> {
    let kinds = [
        ("hostile.empty", Kind::Empty),
        ("hostile.huge-file", Kind::HugeFile),
        ("hostile.names", Kind::Names),
        ("hostile.many-files", Kind::ManyFiles),
        ("hostile.bytes", Kind::Bytes),
    ];
    for (id, kind) in kinds {
        let mut world = caller.bench.world();
        world.workspace = kind;
        let called = caller.call(world, Shape::Usual).await?;
        sheet.put(id, Outcome::of(called.typed()));
    }
    Ok(())
}
