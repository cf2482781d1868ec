//! Makes the tables of what a new project is written from: the templates, and what Rust projects carry of this repository.
//!
//! A template is registered by standing in its folder, so that none is forgotten.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script works on the files of the build by name"
)]
#![expect(
    clippy::print_stdout,
    reason = "a build script talks to cargo on its standard output"
)]

mod lock;
mod templates;
mod vendor;

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

/// What a table holds: a path, and its text.
type Text = (String, Source);

/// Where a text comes from.
enum Source {
    /// A file of the repository, as it is.
    File(PathBuf),
    /// Made here.
    Made(String),
}

impl Source {
    /// An expression that is the text.
    fn expression(&self) -> String {
        match self {
            Self::File(path) => format!("include_str!({:?})", path.display().to_string()),
            Self::Made(text) => format!("{text:?}"),
        }
    }
}

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
    let crate_folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let repository = crate_folder.join("../..").canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut tables = String::new();
    let _ = writeln!(tables, "pub(crate) static TEMPLATES: &[Template] = &[");
    for template in templates::collect(&crate_folder.join("templates"))? {
        let _ = writeln!(
            tables,
            "Template {{ language: {:?}, part: {:?}, path: {:?}, text: {} }},",
            template.language,
            template.part,
            template.path,
            Source::File(template.file).expression()
        );
    }
    let _ = writeln!(tables, "];");

    let vendored = vendor::collect(&repository)?;
    table(&mut tables, "VENDORED", &vendored.files);
    table(&mut tables, "LOCKED", &lock::collect(&repository, &vendored.crates)?);
    fs::write(out.join("tables.rs"), tables)?;
    Ok(())
}

fn table(out: &mut String, name: &str, texts: &[Text]) {
    let _ = writeln!(out, "pub(crate) static {name}: &[(&str, &str)] = &[");
    for (path, source) in texts {
        let _ = writeln!(out, "({path:?}, {}),", source.expression());
    }
    let _ = writeln!(out, "];");
}

/// Builds again when this changes; a folder stands for all that is in it.
fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// Reads a file, and says which one could not be read.
fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Every file below a folder, in the order of names.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A path below another one, `/`-separated.
fn relative(path: &Path, to: &Path) -> Result<String, Box<dyn Error>> {
    let segments: Option<Vec<&str>> = path.strip_prefix(to)?.iter().map(|segment| segment.to_str()).collect();
    Ok(segments
        .ok_or_else(|| format!("{}: the name is not UTF-8", path.display()))?
        .join("/"))
}
