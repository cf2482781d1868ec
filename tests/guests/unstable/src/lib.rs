//! A coder that says something else of itself whenever it is asked, in two lines, and has a setting of which it does not say what it means.

use std::time::{SystemTime, UNIX_EPOCH};

use snodo_plugin::prelude::*;

struct Unstable;

impl Coder for Unstable {
    fn describe() -> Description {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Description::new("unstable", "", format!("Asked at {},\nin two lines.", now.as_secs()))
            .setting(Setting::text("unsaid", "").default(""))
    }

    fn implement(_: Task, _: Context) -> Result<Implementation, CoderError> {
        submit::files(vec![submit::write("UNSTABLE.md", "unstable\n")])?;
        Ok(Implementation::done())
    }
}

snodo_plugin::export!(coder: Unstable);
