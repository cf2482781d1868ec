//! Conversions between the contract's types and domain types: no policy, nothing is dropped, one file for each interface.

mod change;
mod completion;
mod read;
mod role;
mod runner;
pub(crate) mod search;
mod shared;
mod submit;

/// Converts every element of a list.
fn each<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(B::from).collect()
}

/// `From` for two enums with the same case names, in one direction or both.
macro_rules! same_cases {
    (both $a:ty => $b:ty { $($case:ident),+ $(,)? }) => {
        same_cases!($a => $b { $($case),+ });
        same_cases!($b => $a { $($case),+ });
    };
    ($from:ty => $to:ty { $($case:ident),+ $(,)? }) => {
        impl From<$from> for $to {
            fn from(value: $from) -> Self {
                match value { $(<$from>::$case => <$to>::$case),+ }
            }
        }
    };
}
use same_cases;
