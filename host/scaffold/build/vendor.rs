//! What a Rust project carries of this repository: the SDK, and what the SDK is made of.
//!
//! The crates are found by following path dependencies from the SDK, and files that their sources include by following
//! `include_str!`. Their manifests lose what only this repository can serve: inheritance, lints, tests and benchmarks.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

use crate::{Source, Text, files_below, read, relative, watch};

/// The crate that a plugin depends on.
const SDK: &str = "snodo-plugin";

/// What is carried.
pub(crate) struct Vendored {
    /// Below the project's `vendor/`.
    pub(crate) files: Vec<Text>,
    /// Name of each crate, with the names of what it depends on.
    pub(crate) crates: BTreeMap<String, BTreeSet<String>>,
}

/// Collects it.
pub(crate) fn collect(repository: &Path) -> Result<Vendored, Box<dyn Error>> {
    let manifest = repository.join("Cargo.toml");
    watch(&manifest);
    let root: Table = read(&manifest)?.parse()?;
    let shared = Shared {
        package: table(&root, &["workspace", "package"])?,
        dependencies: table(&root, &["workspace", "dependencies"])?,
    };

    let mut files = Vec::new();
    let mut included = BTreeMap::new();
    let mut crates = BTreeMap::new();
    let mut waiting = vec![SDK.to_owned()];
    while let Some(name) = waiting.pop() {
        if crates.contains_key(&name) {
            continue;
        }
        let place = shared
            .path_of(&name)
            .ok_or_else(|| format!("no path of the crate {name}"))?;
        let folder = repository.join(&place);
        let manifest = folder.join("Cargo.toml");
        watch(&manifest);
        watch(&folder.join("src"));
        let (manifest, dependencies) = shared.resolve(&read(&manifest)?.parse()?)?;
        files.push((format!("{name}/Cargo.toml"), Source::Made(manifest)));
        for source in files_below(&folder.join("src"))? {
            let path = relative(&source, &folder)?;
            if is_of_tests(&path) {
                continue;
            }
            for include in includes(&read(&source)?) {
                let target = place_of(&format!("{name}/{path}"), &include)?;
                let file = source.with_file_name("").join(&include).canonicalize()?;
                included.insert(target, file);
            }
            files.push((format!("{name}/{path}"), Source::File(source)));
        }
        waiting.extend(dependencies.iter().filter(|n| shared.path_of(n).is_some()).cloned());
        crates.insert(name, dependencies);
    }
    for (path, file) in included {
        watch(&file);
        files.push((path, Source::File(file)));
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(Vendored { files, crates })
}

/// Modules that are compiled for tests only: they are not even opened otherwise.
fn is_of_tests(path: &str) -> bool {
    path.split('/')
        .any(|segment| segment == "tests" || segment == "tests.rs")
}

/// What a source includes by a path relative to itself.
fn includes(source: &str) -> Vec<String> {
    source
        .split("include_str!(\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
        .map(|(path, _)| path.to_owned())
        .collect()
}

/// Where an included file has to stand so that the path in the source leads to it.
fn place_of(source: &str, include: &str) -> Result<String, Box<dyn Error>> {
    let mut segments: Vec<&str> = source.split('/').collect();
    segments.pop();
    for component in Path::new(include).components() {
        match component {
            Component::ParentDir if segments.pop().is_some() => {}
            Component::Normal(name) => segments.push(name.to_str().ok_or("a name is not UTF-8")?),
            _ => return Err(format!("{source}: `{include}` leads out of vendor/").into()),
        }
    }
    Ok(segments.join("/"))
}

/// What the crates inherit from the workspace.
struct Shared {
    package: Table,
    dependencies: Table,
}

impl Shared {
    /// Where a crate of this repository stands.
    fn path_of(&self, name: &str) -> Option<PathBuf> {
        self.dependencies.get(name)?.get("path")?.as_str().map(PathBuf::from)
    }

    /// A manifest that stands on its own, and the names of what the crate depends on.
    fn resolve(&self, manifest: &Table) -> Result<(String, BTreeSet<String>), Box<dyn Error>> {
        let mut package = table(manifest, &["package"])?;
        for (key, value) in &mut package {
            if value.get("workspace").is_some() {
                *value = self
                    .package
                    .get(key)
                    .ok_or_else(|| format!("no {key} to inherit"))?
                    .clone();
            }
        }
        package.insert("publish".to_owned(), Value::Boolean(false));
        let mut out = Table::new();
        out.insert("package".to_owned(), Value::Table(package));
        if let Some(features) = manifest.get("features") {
            out.insert("features".to_owned(), features.clone());
        }
        let mut names = BTreeSet::new();
        self.dependencies_of(manifest, &mut out, &mut names)?;
        // Those for a platform are a level further in.
        let mut of_targets = Table::new();
        if let Some(Value::Table(targets)) = manifest.get("target") {
            for (target, sub) in targets {
                let sub = sub.as_table().ok_or("a target is a table")?;
                let mut resolved = Table::new();
                self.dependencies_of(sub, &mut resolved, &mut names)?;
                if !resolved.is_empty() {
                    of_targets.insert(target.clone(), Value::Table(resolved));
                }
            }
        }
        if !of_targets.is_empty() {
            out.insert("target".to_owned(), Value::Table(of_targets));
        }
        // Not the author's to mend, whatever a newer compiler thinks of it.
        let silent =
            |lint: &str| Value::Table(Table::from_iter([(lint.to_owned(), Value::String("allow".to_owned()))]));
        let lints = [
            ("rust".to_owned(), silent("warnings")),
            ("clippy".to_owned(), silent("all")),
        ];
        out.insert("lints".to_owned(), Value::Table(Table::from_iter(lints)));
        let text = format!(
            "# Made from snodo-host's own manifest: see ../README.md.\n\n{}",
            toml::to_string(&out)?
        );
        Ok((text, names))
    }

    fn dependencies_of(
        &self,
        section: &Table,
        out: &mut Table,
        names: &mut BTreeSet<String>,
    ) -> Result<(), Box<dyn Error>> {
        let Some(Value::Table(dependencies)) = section.get("dependencies") else {
            return Ok(());
        };
        let mut resolved = Table::new();
        for (name, own) in dependencies {
            names.insert(name.clone());
            resolved.insert(name.clone(), self.dependency(name, own)?);
        }
        out.insert("dependencies".to_owned(), Value::Table(resolved));
        Ok(())
    }

    fn dependency(&self, name: &str, own: &Value) -> Result<Value, Box<dyn Error>> {
        let Some(own) = own.as_table().filter(|own| own.contains_key("workspace")) else {
            return Ok(own.clone());
        };
        let inherited = self
            .dependencies
            .get(name)
            .ok_or_else(|| format!("no dependency {name} to inherit"))?;
        let mut merged = match inherited {
            Value::Table(table) => table.clone(),
            version => Table::from_iter([("version".to_owned(), version.clone())]),
        };
        if merged.contains_key("path") {
            merged.insert("path".to_owned(), Value::String(format!("../{name}")));
        }
        for (key, value) in own {
            match (key.as_str(), value, merged.get_mut(key)) {
                ("workspace", _, _) => {}
                ("features", Value::Array(more), Some(Value::Array(features))) => features.extend(more.iter().cloned()),
                _ => {
                    merged.insert(key.clone(), value.clone());
                }
            }
        }
        Ok(Value::Table(merged))
    }
}

fn table(root: &Table, path: &[&str]) -> Result<Table, Box<dyn Error>> {
    let mut at = root;
    for key in path {
        at = at
            .get(*key)
            .and_then(Value::as_table)
            .ok_or_else(|| format!("no table {}", path.join(".")))?;
    }
    Ok(at.clone())
}
