//! A coder that calls an import before imports are open: while it is asked what it is.

use snodo_plugin::prelude::*;

struct Early;

impl Coder for Early {
    fn describe() -> Description {
        let read = read::file("README.md").map_or_else(|error| error.explain(), |file| format!("{} bytes", file.size));
        Description::new("early", "0.1.0", read)
    }

    fn implement(_: Task, _: Context) -> Result<Implementation, CoderError> {
        Ok(Implementation::done())
    }
}

snodo_plugin::export!(coder: Early);
