//! Compiles the first-party plugins to components, and embeds them.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script works on the files of the build by name"
)]
#![expect(
    clippy::print_stdout,
    reason = "a build script talks to cargo on its standard output"
)]

mod compile;
mod embed;
mod guests;
mod toolchain;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A plugin to embed.
struct Plugin {
    name: &'static str,
    /// Its fixed grants.
    grants: &'static [&'static str],
}

/// In the order of names.
const PLUGINS: &[Plugin] = &[
    // Judges that ask a language model, the one that the user configured for validators.
    Plugin {
        name: "acceptance",
        grants: &["model"],
    },
    // The coder that asks one: the model that the user configured for coders.
    Plugin {
        name: "agent",
        grants: &["model"],
    },
    Plugin {
        name: "judge",
        grants: &["model"],
    },
    Plugin {
        name: "mock",
        grants: &[],
    },
    Plugin {
        name: "patch",
        grants: &[],
    },
    Plugin {
        name: "protocol",
        grants: &["model"],
    },
    // Running the declared tests is all that it does.
    Plugin {
        name: "quality",
        grants: &["runner"],
    },
    Plugin {
        name: "scope",
        grants: &[],
    },
    Plugin {
        name: "secrets",
        grants: &[],
    },
];

const PREBUILT: &str = "SNODO_PLUGINS_PREBUILT";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed={PREBUILT}");
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);

    // docs.rs has neither network nor the target, and nobody runs what it builds.
    if env::var_os("DOCS_RS").is_some() {
        return embed::write(&out_dir, &[]);
    }
    if let Some(folder) = env::var_os(PREBUILT) {
        return prebuilt(Path::new(&folder), &out_dir);
    }
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?)
        .join("../..")
        .canonicalize()?;
    if !root.join("plugins/sdk/Cargo.toml").is_file() {
        return Err(format!(
            "the plugins' sources are not in `{}`: set {PREBUILT} to a folder that holds {}",
            root.join("plugins").display(),
            file_names()
        )
        .into());
    }
    let guests = guests::Guests::lock(&out_dir)?;
    toolchain::ensure_target()?;
    compile::compile(&root, &guests, PLUGINS)?;
    let components: Vec<(&Plugin, PathBuf)> = PLUGINS
        .iter()
        .map(|plugin| (plugin, guests.component(plugin.name)))
        .collect();
    for path in compile::sources(&root, &guests, PLUGINS)? {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    // Still under the lock: another profile's build must not replace a component while it is copied.
    embed::write(&out_dir, &components)
}

fn prebuilt(folder: &Path, out_dir: &Path) -> Result<(), Box<dyn Error>> {
    // A relative folder would be taken from this crate's folder, which is not what anybody means.
    if !folder.is_absolute() {
        return Err(format!("{PREBUILT} has to be an absolute path; it is `{}`", folder.display()).into());
    }
    let mut components = Vec::new();
    for plugin in PLUGINS {
        let path = folder.join(format!("{}.wasm", plugin.name));
        if !path.is_file() {
            return Err(format!(
                "{PREBUILT} is set to `{}`, which has to hold {}; `{}.wasm` is not there",
                folder.display(),
                file_names(),
                plugin.name
            )
            .into());
        }
        println!("cargo::rerun-if-changed={}", path.display());
        components.push((plugin, path));
    }
    embed::write(out_dir, &components)
}

fn file_names() -> String {
    PLUGINS
        .iter()
        .map(|plugin| format!("`{}.wasm`", plugin.name))
        .collect::<Vec<_>>()
        .join(", ")
}
