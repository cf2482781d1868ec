//! `cargo test`: a crate, one beside it, and one of the registry that this repository uses itself.

use std::path::PathBuf;
use std::time::SystemTime;

use super::{Ground, Project, prove, works};
use crate::support::{repository, skips};

/// The dependency, which cargo has in its registry since this repository is built with it.
const DEPENDENCY: &str = "memchr";

/// Its entry in this repository's lock file, and its version; none where it did not come from a registry of cargo's own (a mirror, a vendored copy).
fn dependency() -> Option<(String, String)> {
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    let head = format!("name = \"{DEPENDENCY}\"\n");
    let entry = lock
        .split("[[package]]\n")
        .find(|entry| entry.starts_with(&head))
        .unwrap();
    let version = entry.split('"').nth(3).unwrap().to_owned();
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src"))
        .into_iter()
        .flatten()
        .flatten();
    let there = registries
        .filter(|registry| registry.file_name().to_string_lossy().starts_with("index.crates.io-"))
        .any(|registry| registry.path().join(format!("{DEPENDENCY}-{version}")).is_dir());
    if !there {
        skips::program(DEPENDENCY, "it is not in cargo's own registry");
    }
    there.then(|| (entry.trim().to_owned(), version))
}

fn project(entry: &str, version: &str) -> Project {
    let manifest = format!(
        "[package]\nname = \"lines\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nmark = {{ path = \"mark\" }}\n{DEPENDENCY} = \"={version}\"\n\n[workspace]\nmembers = [\"mark\"]\n"
    );
    let lock = format!(
        "version = 4\n\n[[package]]\nname = \"lines\"\nversion = \"0.1.0\"\ndependencies = [\n \"mark\",\n \"{DEPENDENCY}\",\n]\n\n\
         [[package]]\nname = \"mark\"\nversion = \"0.1.0\"\n\n[[package]]\n{entry}\n"
    );
    Project {
        mistake: (
            "src/lib.rs",
            "    memchr::memchr_iter(b' ', text).count()",
            "    memchr::memchr_iter(mark::MARK, text).count()",
        ),
        prints: (
            &["test counts_lines ... FAILED", "left: 1", "test result: FAILED"],
            &["test counts_lines ... ok", "test result: ok"],
        ),
        ..Project::of(
            "cargo test --offline",
            "target/\n",
            &[
                ("Cargo.toml", &manifest),
                ("Cargo.lock", &lock),
                (
                    "mark/Cargo.toml",
                    "[package]\nname = \"mark\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
                ),
                (
                    "mark/src/lib.rs",
                    "//! The end of a line.\npub const MARK: u8 = b'\\n';\n",
                ),
                (
                    "src/lib.rs",
                    "//! Lines.\npub fn lines(text: &[u8]) -> usize {\n    memchr::memchr_iter(b' ', text).count()\n}\n",
                ),
                (
                    "tests/lines.rs",
                    "#[test]\nfn counts_lines() {\n    assert_eq!(lines::lines(b\"one two\\nthree\\n\"), 2 * usize::from(mark::MARK == b'\\n'));\n}\n",
                ),
            ],
        )
    }
}

#[test]
fn cargo_test_with_a_crate_of_the_registry() {
    if works("cargo", &["--version"])
        && let Some((entry, version)) = dependency()
    {
        prove(|| project(&entry, &version));
    }
}

#[test]
fn a_target_folder_that_is_opened_stays_warm() {
    let (true, Some((entry, version))) = (works("cargo", &["--version"]), dependency()) else {
        return;
    };
    for ground in Ground::all() {
        let mut project = project(&entry, &version);
        std::fs::create_dir(project.sandbox.workspace().join("target")).unwrap();
        project.sandbox = project.sandbox.host_toml("[sandbox]\nwrite = [\"target\"]\n");
        project.kept = Some("target/");
        let report = project.fails(ground);
        assert_eq!(report["runner"][0]["opened"], serde_json::json!(["write target"]));
        let built = compiled(&project);
        assert!(!built.is_empty(), "nothing was kept");
        let report = project.passes(ground);
        let output = report["runner"][0]["output_tail"].as_str().unwrap();
        assert!(!output.contains("Compiling memchr"), "{ground:?}: {output}");
        assert_eq!(
            built,
            compiled(&project),
            "{ground:?}: the dependency was compiled again"
        );
    }
}

/// The compiled dependency, and when each of its files was written.
fn compiled(project: &Project) -> Vec<(PathBuf, SystemTime)> {
    let folder = project.sandbox.workspace().join("target/debug/deps");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut found: Vec<_> = files
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("libmemchr-"))
        .map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap()))
        .collect();
    found.sort();
    found
}
