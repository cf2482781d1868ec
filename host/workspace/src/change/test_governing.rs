//! Which files govern tests, by the table `host/data/test-governing.json`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The reason why a path counts as a file that governs tests, or none. The path is one of the workspace: normalised, with `/`.
///
/// Such a change is never refused for it: whoever judges is told, since a coder that may rewrite what it is measured
/// by can turn any red green.
pub fn test_governing(path: &str) -> Option<&'static str> {
    let path = Split::new(path);
    TABLE
        .iter()
        .find(|rule| rule.matches(&path))
        .map(|rule| rule.reason.as_str())
}

/// A path, cut up once for all rules.
struct Split {
    /// Components above the file.
    folders: Vec<String>,
    /// The same in small letters.
    folded_folders: Vec<String>,
    name: String,
    folded_name: String,
}

impl Split {
    fn new(path: &str) -> Self {
        let mut folders: Vec<String> = path.split('/').map(str::to_owned).collect();
        let name = folders.pop().unwrap_or_default();
        Self {
            folded_folders: folders.iter().map(|f| f.to_ascii_lowercase()).collect(),
            folded_name: name.to_ascii_lowercase(),
            folders,
            name,
        }
    }
}

/// One rule of the table; how each list is compared stands in the table itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    reason: String,
    #[serde(default)]
    folders: Vec<String>,
    #[serde(default)]
    folder_endings: Vec<String>,
    #[serde(default)]
    places: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    starts: Vec<String>,
    #[serde(default)]
    ends: Vec<String>,
    #[serde(default)]
    exact_ends: Vec<String>,
    #[serde(default)]
    word_starts: Vec<WordStart>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordStart {
    word: String,
    extensions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: Vec<String>,
    rules: Vec<Rule>,
}

static TABLE: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is part of the program; a test loads it")]
    let table: Table = serde_json::from_str(include_str!("../../../data/test-governing.json"))
        .expect("host/data/test-governing.json is well formed");
    table.rules
});

impl Rule {
    fn matches(&self, path: &Split) -> bool {
        let name = path.folded_name.as_str();
        self.files.iter().any(|f| f == name)
            || self.starts.iter().any(|s| name.starts_with(s.as_str()))
            || self.ends.iter().any(|e| name.ends_with(e.as_str()))
            || self.exact_ends.iter().any(|e| path.name.ends_with(e.as_str()))
            || self.word_starts.iter().any(|w| w.matches(&path.name))
            || path.folded_folders.iter().any(|f| self.folders.contains(f))
            || path.folders.iter().any(|f| {
                self.folder_endings
                    .iter()
                    .any(|e| f.len() > e.len() && f.ends_with(e.as_str()))
            })
            || self.places.iter().any(|p| stands_in(&path.folded_folders, p))
    }
}

impl WordStart {
    fn matches(&self, name: &str) -> bool {
        name.strip_prefix(self.word.as_str()).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
                && self.extensions.iter().any(|e| rest.ends_with(e.as_str()))
        })
    }
}

/// Whether `place` (`.github/workflows`) occurs among the folders as consecutive components.
fn stands_in(folders: &[String], place: &str) -> bool {
    let wanted: Vec<&str> = place.split('/').collect();
    folders
        .windows(wanted.len())
        .any(|w| w.iter().zip(&wanted).all(|(have, want)| have == want))
}

#[cfg(test)]
mod tests {
    use super::{TABLE, test_governing};

    #[test]
    fn every_rule_is_in_the_letter_case_in_which_it_is_compared() {
        for rule in TABLE.iter() {
            assert!(!rule.reason.is_empty());
            let folded = [&rule.folders, &rule.places, &rule.files, &rule.starts, &rule.ends];
            for pattern in folded.into_iter().flatten() {
                assert_eq!(
                    *pattern,
                    pattern.to_ascii_lowercase(),
                    "compared in small letters, so it could never match"
                );
                assert!(!pattern.is_empty());
            }
        }
    }

    /// What snodo 0.26.0 flags is flagged here.
    #[test]
    fn all_that_snodo_flags_is_flagged() {
        for path in [
            "tests/a.txt",
            "pkg/TEST/x",
            "spec/a.rb",
            "Specs/deep/er/a",
            "test_a.py",
            "a/test_b.txt",
            "a_test.py",
            "b.test.js",
            "b.test.ts",
            "b.spec.js",
            "src/b.spec.ts",
            "conftest.py",
            "pytest.ini",
            "tox.ini",
            "pyproject.toml",
            ".coveragerc",
            "setup.cfg",
            "Cargo.toml",
            "crates/x/cargo.toml",
            "package.json",
            "jest.config.js",
            "jest.config.ts",
            "vitest.config.ts",
            "src/test_data.csv",
        ] {
            assert!(test_governing(path).is_some(), "{path}");
        }
    }

    #[test]
    fn what_snodo_leaves_out_is_flagged_too() {
        for path in [
            "pkg/a_test.go",
            "src/a_test.rs",
            "src/parser/tests.rs",
            "ui/a.test.tsx",
            "a.test.jsx",
            "a.test.mjs",
            "src/__tests__/a.js",
            "src/__snapshots__/a.snap",
            "go.mod",
            "Makefile",
            "sub/GNUmakefile",
            "setup.py",
            "noxfile.py",
            ".github/workflows/ci.yml",
            "vendor/x/.GitHub/Workflows/ci.yml",
            ".gitlab-ci.yml",
            "FooTest.java",
            "TestFoo.java",
            "Test1.java",
            "FooTests.swift",
            "App/AppUITests/A.swift",
            "My.Tests/A.cs",
            "My.Test/A.cs",
            "pkg/testdata/golden.json",
            "lib/a_spec.rb",
            ".config/nextest.toml",
            "justfile",
            "vite.config.mts",
            "pom.xml",
            "build.gradle.kts",
            "a/integration_test/app.dart",
            ".ci/run",
        ] {
            assert!(test_governing(path).is_some(), "{path}");
        }
    }

    #[test]
    fn look_alikes_are_not_flagged() {
        for path in [
            "contest.py",
            "latest/a.py",
            "testimony.md",
            "docs/spec-sheet.md",
            "src/attestation.rs",
            "src/Latest.java",
            "Testimony.java",
            "Contests/a.cs",
            "src/testing.rs",
            "src/protest.go",
            "greatest.js",
            "inspect/a.py",
            "specification.md",
            "tests.md",
            "test",
            "src/spec.rs",
            "workflows/ci.yml",
            ".github/CODEOWNERS",
            "Cargo.lock",
            "package-lock.json",
            "go.sum",
            "src/my_package.json",
            "makefiles/readme",
            "a.spec",
            "fastest_route.py",
            "openapi.spec.yaml",
            "rust.test",
            "src/main.rs",
            "atest_x.py",
            "src/tests_of_time.md",
        ] {
            assert_eq!(test_governing(path), None, "{path}");
        }
    }

    #[test]
    fn the_reason_is_the_rule_that_matched() {
        assert_eq!(test_governing("tests/a.txt"), Some("it is in a folder of tests"));
        assert_eq!(test_governing("pkg/a_test.go"), Some("it is a Go test file"));
        assert_eq!(
            test_governing("Makefile"),
            Some("it holds commands by which tests are run")
        );
    }
}
