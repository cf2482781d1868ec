//! The inner build: `cargo build` of the plugins, in an environment that is the same whatever the outer build is.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Plugin;
use crate::guests::Guests;
use crate::toolchain::TARGET;

/// The profile of the root manifest that plugins are compiled with.
pub(crate) const PROFILE: &str = "plugin";

pub(crate) fn compile(root: &Path, guests: &Guests, plugins: &[Plugin]) -> Result<(), Box<dyn Error>> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(root)
        .args(["build", "--locked", "--profile", PROFILE, "--target", TARGET])
        .arg("--target-dir")
        .arg(guests.folder())
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"));
    if let Ok(jobs) = env::var("NUM_JOBS") {
        cargo.args(["--jobs", &jobs]);
    }
    for plugin in plugins {
        cargo.args(["--package", &format!("snodo-{}", plugin.name)]);
    }
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_of_the_outer_build) {
            cargo.env_remove(name);
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", remapped_paths(root, guests));

    let status = cargo
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("cargo could not be started to compile the plugins: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the plugins in `{}` could not be compiled for {TARGET}: cargo ended with {status}. Its own words stand below, under \
             `stderr`. If it asks for another lock file: the plugins are compiled with `--locked`, so that a release embeds \
             what was tested; type `cargo build` in that folder's parent, which brings Cargo.lock up to date.",
            root.join("plugins").display()
        )
        .into());
    }
    for plugin in plugins {
        if !guests.component(plugin.name).is_file() {
            return Err(format!(
                "cargo compiled `plugins/{}` and made no component of it: its Cargo.toml needs `crate-type = [\"cdylib\"]` under \
                 `[lib]`",
                plugin.name
            )
            .into());
        }
    }
    Ok(())
}

/// Whether a variable speaks of the outer build: its flags, wrappers (clippy is one), profile and package. With any of them passed on, clippy,
/// dev and release would each compile the plugins anew, or differently. What says where crates come from, and how they
/// are fetched, is kept.
fn is_of_the_outer_build(name: &str) -> bool {
    const KEPT: &[&str] = &[
        "CARGO_HOME",
        "CARGO_NET_",
        "CARGO_HTTP_",
        "CARGO_REGISTRY_",
        "CARGO_REGISTRIES_",
        "CARGO_SOURCE_",
        "CARGO_TERM_",
    ];
    const OTHERS: &[&str] = &[
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_LINKER",
        "MAKEFLAGS",
        "MFLAGS",
        "CLIPPY_ARGS",
        "CLIPPY_CONF_DIR",
        "OUT_DIR",
        "TARGET",
        "HOST",
        "NUM_JOBS",
        "OPT_LEVEL",
        "PROFILE",
        "DEBUG",
    ];
    if name.starts_with("CARGO_") {
        !KEPT.iter().any(|kept| name.starts_with(kept))
    } else {
        OTHERS.contains(&name) || name.starts_with("DEP_")
    }
}

/// Flags that take this machine's folders out of what panics quote. A component is then the same whatever folder it is built in, and
/// says nothing of whoever built it.
fn remapped_paths(root: &Path, guests: &Guests) -> OsString {
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_default();
    // Of two that fit, the compiler takes the last: the target folder is usually in the root.
    let pairs = [
        (cargo_home.as_path(), "/cargo"),
        (root, "/snodo-host"),
        (guests.folder(), "/guests"),
    ];
    let mut flags = OsString::new();
    for (folder, name) in pairs {
        if folder.as_os_str().is_empty() {
            continue;
        }
        if !flags.is_empty() {
            flags.push("\x1f");
        }
        flags.push("--remap-path-prefix=");
        flags.push(folder);
        flags.push("=");
        flags.push(name);
    }
    flags
}

/// Everything that the components were made from, and that may change.
pub(crate) fn sources(root: &Path, guests: &Guests, plugins: &[Plugin]) -> Result<BTreeSet<PathBuf>, Box<dyn Error>> {
    let mut sources: BTreeSet<PathBuf> = [
        "Cargo.toml",
        "Cargo.lock",
        "rust-toolchain.toml",
        "plugins/sdk/Cargo.toml",
        "plugins/judging/Cargo.toml",
    ]
    .map(|path| root.join(path))
    .into();
    for plugin in plugins {
        sources.insert(root.join("plugins").join(plugin.name).join("Cargo.toml"));
        let noted = guests.dependencies(plugin.name);
        let text = fs::read_to_string(&noted).map_err(|error| format!("`{}`: {error}", noted.display()))?;
        // What the inner build generated changes only when one of the others does.
        sources.extend(
            prerequisites(&text)
                .into_iter()
                .filter(|path| !path.starts_with(guests.folder())),
        );
    }
    Ok(sources)
}

/// The paths of a rule `target: path path …` as cargo writes it, a space within a path as `\ `.
fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in rule.lines() {
        let Some((_, list)) = line.split_once(": ") else {
            continue;
        };
        let mut path = String::new();
        let mut characters = list.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\\' if characters.peek() == Some(&' ') => path.extend(characters.next()),
                ' ' => paths.push(PathBuf::from(std::mem::take(&mut path))),
                other => path.push(other),
            }
        }
        paths.push(PathBuf::from(path));
    }
    paths.retain(|path| !path.as_os_str().is_empty());
    paths
}
