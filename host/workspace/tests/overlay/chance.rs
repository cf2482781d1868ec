//! Calls that chance brings, against the model.

use proptest::prelude::*;
use snodo_workspace::capability::Operation;

use crate::model::{PATHS, Step, replay};
use crate::world::{delete, executable, rename, write, write_as};

/// Mostly the same few, so that one call meets what another left.
fn any_path() -> impl Strategy<Value = &'static str> {
    const OFTEN: &[&str] = &["a", "b", "d/x", "n", "m", "A"];
    prop_oneof![3 => proptest::sample::select(OFTEN), 1 => proptest::sample::select(PATHS)]
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let text = prop_oneof![Just("A"), Just("B"), Just("dx"), Just("1"), Just("")];
    prop_oneof![
        4 => (any_path(), text.clone()).prop_map(|(path, text)| write(path, text)),
        1 => (any_path(), text, any::<bool>()).prop_map(|(path, text, bit)| write_as(path, text, bit)),
        3 => any_path().prop_map(delete),
        4 => (any_path(), any_path()).prop_map(|(from, to)| rename(from, to)),
        1 => (any_path(), any::<bool>()).prop_map(|(path, bit)| executable(path, bit)),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any_operation().prop_map(|operation| Step::Submit(vec![operation])),
        2 => proptest::collection::vec(any_operation(), 2..4).prop_map(Step::Submit),
        1 => proptest::collection::vec(any_path().prop_map(str::to_owned), 1..4).prop_map(Step::Withdraw),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_overlay_does_what_the_model_does(steps in proptest::collection::vec(any_step(), 1..30)) {
        replay(steps);
    }
}
