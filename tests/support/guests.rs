//! The purpose-built guests of `tests/guests`, compiled once for each test program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Where their components are, after they are built. Cargo's own lock keeps two test programs apart.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(build);

/// The component of a guest, by its crate's name with `_`: `guest_probe`.
pub fn guest(name: &str) -> String {
    let path = FOLDER.join(format!("{name}.wasm"));
    assert!(path.is_file(), "there is no guest `{}`", path.display());
    path.to_str().unwrap().to_owned()
}

fn build() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .join("guests-tests");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args([
            "build",
            "--quiet",
            "--locked",
            "--offline",
            "--profile",
            "plugin",
            "--target",
            "wasm32-wasip2",
        ])
        .arg("--manifest-path")
        .arg(super::repository().join("tests/guests/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target);
    for (name, _) in std::env::vars_os() {
        if is_of_the_outer_build(&name) {
            cargo.env_remove(name);
        }
    }
    let status = cargo.status().expect("cargo, which runs these tests, can be started");
    assert!(
        status.success(),
        "the guests of tests/guests could not be compiled: cargo ended with {status}"
    );
    target.join("wasm32-wasip2/plugin")
}

/// Flags and wrappers that are meant for the tests themselves would compile the guests anew, or otherwise.
fn is_of_the_outer_build(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_BUILD_")
            || name.starts_with("CARGO_PROFILE_")
            || [
                "RUSTFLAGS",
                "CARGO_ENCODED_RUSTFLAGS",
                "RUSTC_WRAPPER",
                "RUSTC_WORKSPACE_WRAPPER",
                "MAKEFLAGS",
                "CARGO_MAKEFLAGS",
            ]
            .contains(&name)
    })
}
