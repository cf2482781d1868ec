//! The contract as authors take it.

use snodo_admission::{contract_version, wit_sources};

/// The files of the WIT package, name and text: what stands in a new project's `wit/`.
pub fn wit_package() -> &'static [(&'static str, &'static str)] {
    wit_sources()
}

/// The whole package as one WIT file, which any tool takes that takes the folder.
pub fn wit_text() -> String {
    let header = format!("package snodo:plugin@{};", contract_version());
    let mut out = format!("{header}\n");
    for (_, text) in wit_package() {
        // Each file names the package; in one file it stands once.
        let body = text.trim_start().strip_prefix(&header).unwrap_or(text);
        out.push('\n');
        out.push_str(body.trim());
        out.push('\n');
    }
    out
}
