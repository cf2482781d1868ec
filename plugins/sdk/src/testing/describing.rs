//! Asking a plugin what it is, as the host does.

use super::description::check;
use super::ended::Ended;
use super::role::Role;
use super::world::World;
use crate::Description;

/// Its description, checked. It is asked twice: it always has to answer the same.
#[track_caller]
pub(super) fn described(describe: fn() -> Description, role: Role) -> Description {
    let (first, _) = World::closed().run(describe);
    let (second, _) = World::closed().run(describe);
    if first != second {
        let how = "`describe` does not always answer the same".to_owned();
        panic!("{}", Ended::Contract(how));
    }
    if let Err(how) = check(&first, role) {
        panic!("{}", Ended::Contract(how));
    }
    first
}

/// What a coder says of itself, held against the host's rules.
///
/// # Panics
///
/// Where the host would refuse it.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # struct MyCoder;
/// # impl Coder for MyCoder {
/// #     fn describe() -> Description { Description::new("mine", "1.0.0", "…") }
/// #     fn implement(_: Task, _: Context) -> Result<Implementation, CoderError> { Ok(Implementation::done()) }
/// # }
/// let description = snodo_plugin::testing::describe_coder::<MyCoder>();
/// assert_eq!(description.name, "mine");
/// ```
#[track_caller]
pub fn describe_coder<C: crate::Coder>() -> Description {
    described(C::describe, Role::Coder)
}

/// What a validator says of itself, held against the host's rules.
///
/// # Panics
///
/// Where the host would refuse it.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # struct Mine;
/// # impl Validator for Mine {
/// #     fn describe() -> Description { Description::new("mine", "1.0.0", "…").phase(Phase::PreExecute) }
/// #     fn evaluate(_: Evaluation, _: Context) -> Result<Verdict, Fault> { Ok(Verdict::pass("fine")) }
/// # }
/// assert_eq!(snodo_plugin::testing::describe_validator::<Mine>().phases, [Phase::PreExecute]);
/// ```
#[track_caller]
pub fn describe_validator<V: crate::Validator>() -> Description {
    described(V::describe, Role::Validator)
}
