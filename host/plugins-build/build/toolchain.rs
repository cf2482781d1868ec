//! The target that plugins are compiled for: there, or added.

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

/// What plugins are compiled for.
pub(crate) const TARGET: &str = "wasm32-wasip2";

/// Makes sure that the compiler has the target's standard library. Call it under the lock: two of rustup's downloads at once can lose the
/// target without an error.
pub(crate) fn ensure_target() -> Result<(), Box<dyn Error>> {
    if has_target()? {
        return Ok(());
    }
    let mut arguments = vec!["target".to_owned(), "add".to_owned()];
    if let Ok(toolchain) = env::var("RUSTUP_TOOLCHAIN") {
        arguments.extend(["--toolchain".to_owned(), toolchain]);
    }
    arguments.push(TARGET.to_owned());
    let command = format!("rustup {}", arguments.join(" "));

    let added = Command::new("rustup").args(&arguments).stdout(Stdio::null()).status();
    // rustup's word is not taken for it: what counts is what the compiler finds.
    if has_target()? {
        return Ok(());
    }
    let reason = match added {
        Ok(status) => format!("`{command}` was tried and ended with {status}"),
        Err(error) => format!("`{command}` could not be started: {error}"),
    };
    Err(format!(
        "the plugins need the Rust target {TARGET}, which this compiler does not have.\n{reason}.\nType `{command}`, or add \
         the target the way this compiler was installed, or set {} to a folder of compiled plugins.",
        crate::PREBUILT
    )
    .into())
}

fn has_target() -> Result<bool, Box<dyn Error>> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("`{}` could not be started: {error}", rustc.display()))?;
    if !output.status.success() {
        return Ok(false); // a compiler that has never heard of the target
    }
    let folder = String::from_utf8(output.stdout)?;
    // The folder may be there and empty after a download that broke off.
    let Ok(entries) = Path::new(folder.trim_end()).read_dir() else {
        return Ok(false);
    };
    let names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    Ok(["libcore-", "libstd-"]
        .iter()
        .all(|library| names.iter().any(|name| name.starts_with(library))))
}
