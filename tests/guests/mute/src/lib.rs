//! A coder that panics when it is asked what it is.

use snodo_plugin::prelude::*;

struct Mute;

impl Coder for Mute {
    fn describe() -> Description {
        panic!("no comment")
    }

    fn implement(_: Task, _: Context) -> Result<Implementation, CoderError> {
        Ok(Implementation::done())
    }
}

snodo_plugin::export!(coder: Mute);
