//! The project at a glance, for `task.project`: collected once for a run, before the coder starts, through the same view that a
//! plugin reads by.

use std::fmt::Write as _;

use snodo_workspace::capability::{Cancel, Content, EntryKind, ListQuery, Read};
use snodo_workspace::role::{ConfigurationFile, ProjectContext};

/// Depth and length of the listing, and characters of a configuration file: snodo's figures.
const DEPTH: u32 = 3;
const LINES: u32 = 200;
const CHARACTERS: usize = 2_000;

/// Configuration files that are shown, in snodo's order.
const CONFIGURATION: [&str; 7] = [
    "package.json",
    "tsconfig.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Cargo.toml",
    "go.mod",
];

/// Which file tells which language; the first that is there decides.
const LANGUAGES: [(&str, &str); 9] = [
    ("package.json", "javascript"),
    ("tsconfig.json", "typescript"),
    ("pyproject.toml", "python"),
    ("setup.py", "python"),
    ("setup.cfg", "python"),
    ("Cargo.toml", "rust"),
    ("go.mod", "go"),
    ("pom.xml", "java"),
    ("build.gradle", "java"),
];

/// Collects it.
pub(super) fn describe(read: &dyn Read) -> ProjectContext {
    ProjectContext {
        language: language(read).to_owned(),
        structure: structure(read),
        configuration: CONFIGURATION
            .iter()
            .filter_map(|path| configuration(read, path))
            .collect(),
    }
}

fn language(read: &dyn Read) -> &'static str {
    let query = ListQuery {
        depth: Some(1),
        limit: 10_000,
        ..ListQuery::default()
    };
    let Ok(listing) = read.list_files(&query, &Cancel::default()) else {
        return "unknown";
    };
    LANGUAGES
        .iter()
        .find(|(marker, _)| {
            listing
                .entries
                .iter()
                .any(|e| e.path == *marker && e.kind == EntryKind::File)
        })
        .map_or("unknown", |(_, language)| language)
}

fn structure(read: &dyn Read) -> String {
    let query = ListQuery {
        depth: Some(DEPTH),
        limit: LINES,
        ..ListQuery::default()
    };
    let Ok(listing) = read.list_files(&query, &Cancel::default()) else {
        return String::new();
    };
    let mut text = String::new();
    for entry in &listing.entries {
        text.push_str(&entry.path);
        text.push_str(if entry.kind == EntryKind::Directory {
            "/\n"
        } else {
            "\n"
        });
    }
    if listing.truncated {
        let _ = writeln!(text, "… more than {LINES} entries; the rest is left out");
    }
    text
}

fn configuration(read: &dyn Read, path: &str) -> Option<ConfigurationFile> {
    let Content::Text(text) = read.read_file(path).ok()?.content else {
        return None;
    };
    let cut: String = text.chars().take(CHARACTERS).collect();
    let truncated = cut.len() < text.len();
    Some(ConfigurationFile {
        path: path.to_owned(),
        text: cut,
        truncated,
    })
}
