//! A validator that says of itself what no validator can: it judges in no phase.

use snodo_plugin::prelude::*;

struct Liar;

impl Validator for Liar {
    fn describe() -> Description {
        Description::new("liar", "0.1.0", "Judges never.")
    }

    fn evaluate(_: Evaluation, _: Context) -> Result<Verdict, Fault> {
        Ok(Verdict::pass("never"))
    }
}

snodo_plugin::export!(validator: Liar);
