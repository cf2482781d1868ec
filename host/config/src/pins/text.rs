//! Pins as text.

use std::fmt::Write as _;

use super::{Pin, Pins};
use crate::plugin_value::{quoted, quoted_list};

/// One pin, as it stands in `.snodo/plugins.toml`: to be put at the end of the file.
pub fn pin_text(pin: &Pin) -> String {
    let mut out = format!(
        "[[plugin]]\nname = {}\ndigest = {}\n",
        quoted(pin.name.as_str()),
        quoted(&pin.digest.to_string())
    );
    // Writing to a text cannot fail.
    if let Some(role) = pin.role {
        let _ = writeln!(out, "role = {}", quoted(role.name()));
    }
    if let Some(imports) = &pin.imports {
        let _ = writeln!(out, "imports = {}", quoted_list(imports));
    }
    out
}

/// A whole file. Comments of a file that it replaces are not kept.
pub fn pins_text(pins: &Pins) -> String {
    let mut out = "# Plugins that are used here have to be these, byte for byte. A pin grants nothing.\n\
                   # Written by `snodo-host plugin pin`; read it over as any other change.\n"
        .to_owned();
    for pin in pins {
        out.push('\n');
        out.push_str(&pin_text(pin));
    }
    out
}
