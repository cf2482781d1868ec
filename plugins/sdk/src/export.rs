//! The export macro, and the bridge from the two traits to the generated ones.

use crate::bindings::{coder, validator};
use crate::{Coder, CoderError, Context, Description, Evaluation, Fault, Implementation, Task, Validator, Verdict};

/// Exports a type as this component's plugin, in one of the two roles.
///
/// Once in a crate. The role of the component is the one named here; the other one's interface is not part of it. On targets other
/// than WebAssembly it expands to a check that the type has the trait, and exports nothing, so that `cargo test` links.
///
/// ```
/// use snodo_plugin::prelude::*;
///
/// struct Nothing;
///
/// impl Coder for Nothing {
///     fn describe() -> Description {
///         Description::new("nothing", env!("CARGO_PKG_VERSION"), "Changes nothing.")
///     }
///     fn implement(_task: Task, _context: Context) -> Result<Implementation, CoderError> {
///         Ok(Implementation::done())
///     }
/// }
///
/// snodo_plugin::export!(coder: Nothing);
/// ```
///
/// A type without the trait is an error on every target:
///
/// ```compile_fail
/// struct NotAPlugin;
/// snodo_plugin::export!(validator: NotAPlugin);
/// ```
#[macro_export]
macro_rules! export {
    (coder: $plugin:ident) => {
        const _: fn() = || {
            fn is_a_coder<T: $crate::Coder>() {}
            is_a_coder::<$plugin>();
        };
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::coder::export_coder!($plugin with_types_in $crate::bindings::coder);
    };
    (validator: $plugin:ident) => {
        const _: fn() = || {
            fn is_a_validator<T: $crate::Validator>() {}
            is_a_validator::<$plugin>();
        };
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::validator::export_validator!($plugin with_types_in $crate::bindings::validator);
    };
}

impl<T: Coder> coder::exports::snodo::plugin::coding::Guest for T {
    fn describe() -> Description {
        T::describe()
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        T::implement(task, context)
    }
}

impl<T: Validator> validator::exports::snodo::plugin::judging::Guest for T {
    fn describe() -> Description {
        T::describe()
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        T::evaluate(evaluation, context)
    }
}
