//! From the workspace crate's types to the contract's, as a plugin sees them, and back: no policy, nothing is dropped. The host does
//! the same for components.

mod change;
mod read;
mod search;
mod shared;
mod submit;

/// Converts every element of a list.
pub(super) fn each<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(B::from).collect()
}

/// `From` for two enums with the same case names.
macro_rules! same_cases {
    ($from:ty => $to:ty { $($case:ident),+ $(,)? }) => {
        impl From<$from> for $to {
            fn from(value: $from) -> Self {
                match value { $(<$from>::$case => <$to>::$case),+ }
            }
        }
    };
}
use same_cases;

/// `From` for two records with the same fields.
macro_rules! same_fields {
    ($from:ty => $to:ty { $($field:ident),+ $(,)? }) => {
        impl From<$from> for $to {
            fn from(value: $from) -> Self {
                Self { $($field: value.$field.into()),+ }
            }
        }
    };
}
use same_fields;
