//! The versions of crates that a Rust project starts with: those of this repository's own lock file, with which the SDK is tested.
//!
//! The list may hold more than a project needs (features of ours that it does not use); cargo takes out what is not needed when it
//! first builds.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use toml::{Table, Value};

use crate::{Source, Text, read, watch};

/// Name and entry of each package, in the order of a lock file.
pub(crate) fn collect(
    repository: &Path,
    vendored: &BTreeMap<String, BTreeSet<String>>,
) -> Result<Vec<Text>, Box<dyn Error>> {
    let file = repository.join("Cargo.lock");
    watch(&file);
    let lock: Table = read(&file)?.parse()?;
    let packages = lock.get("package").and_then(Value::as_array).ok_or("no packages")?;
    let packages: Vec<Package> = packages.iter().map(Package::read).collect::<Result<_, _>>()?;

    let mut needed = BTreeSet::new();
    let mut waiting: Vec<usize> = Vec::new();
    for name in vendored.keys() {
        waiting.push(find(&packages, name)?);
    }
    while let Some(at) = waiting.pop() {
        if !needed.insert(at) {
            continue;
        }
        for dependency in packages[at].used(vendored) {
            waiting.push(find(&packages, dependency)?);
        }
    }
    Ok(needed
        .into_iter()
        .map(|at| (packages[at].name.clone(), Source::Made(packages[at].entry(vendored))))
        .collect())
}

/// A package of a lock file.
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
    dependencies: Vec<String>,
}

impl Package {
    fn read(value: &Value) -> Result<Self, Box<dyn Error>> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let dependencies = value.get("dependencies").and_then(Value::as_array);
        Ok(Self {
            name: text("name").ok_or("a package without a name")?,
            version: text("version").ok_or("a package without a version")?,
            source: text("source"),
            checksum: text("checksum"),
            dependencies: dependencies
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        })
    }

    /// What it depends on; of our own crates, without what their tests depend on.
    fn used<'a>(&'a self, vendored: &'a BTreeMap<String, BTreeSet<String>>) -> impl Iterator<Item = &'a str> {
        let own = vendored.get(&self.name).filter(|_| self.source.is_none());
        self.dependencies.iter().map(String::as_str).filter(move |dependency| {
            let name = dependency.split(' ').next().unwrap_or_default();
            own.is_none_or(|used| used.contains(name))
        })
    }

    fn entry(&self, vendored: &BTreeMap<String, BTreeSet<String>>) -> String {
        let mut out = format!(
            "[[package]]\nname = \"{}\"\nversion = \"{}\"\n",
            self.name, self.version
        );
        for (key, value) in [("source", &self.source), ("checksum", &self.checksum)] {
            if let Some(value) = value {
                let _ = writeln!(out, "{key} = \"{value}\"");
            }
        }
        let used: Vec<&str> = self.used(vendored).collect();
        if !used.is_empty() {
            out.push_str("dependencies = [\n");
            for dependency in used {
                let _ = writeln!(out, " \"{dependency}\",");
            }
            out.push_str("]\n");
        }
        out
    }
}

/// A dependency is written as `name`, or as `name version` where there are several of that name.
fn find(packages: &[Package], dependency: &str) -> Result<usize, Box<dyn Error>> {
    let mut words = dependency.split(' ');
    let (name, version) = (words.next().unwrap_or_default(), words.next());
    packages
        .iter()
        .position(|package| package.name == name && version.is_none_or(|version| package.version == version))
        .ok_or_else(|| format!("Cargo.lock: no package {dependency}").into())
}
