//! What a project's own files say of how it is tested.

/// A test command that nobody declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// What is run.
    pub command: &'static str,
    /// The file that says so.
    pub marker: &'static str,
}

/// snodo's table, in snodo's order: where several are there, the first counts.
const MARKERS: [Detected; 7] = [
    marked("package.json", "npm test"),
    marked("pyproject.toml", "pytest"),
    marked("setup.py", "pytest"),
    marked("setup.cfg", "pytest"),
    marked("Cargo.toml", "cargo test"),
    marked("Makefile", "make test"),
    marked("go.mod", "go test ./..."),
];

const fn marked(marker: &'static str, command: &'static str) -> Detected {
    Detected { command, marker }
}

/// The test command that the names of the regular files in the root of the base stand for. Names are compared as they
/// are: case counts.
///
/// It must be asked of the base, before a coder starts: what a coder makes may not choose what judges it.
pub fn detect<'a>(root_files: impl IntoIterator<Item = &'a str>) -> Option<Detected> {
    root_files
        .into_iter()
        .filter_map(|name| MARKERS.iter().position(|known| known.marker == name))
        .min()
        .map(|first| MARKERS[first])
}

#[cfg(test)]
mod tests {
    use super::detect;

    fn found(names: &[&str]) -> Option<(&'static str, &'static str)> {
        detect(names.iter().copied()).map(|d| (d.marker, d.command))
    }

    #[test]
    fn each_marker_alone() {
        for (marker, command) in [
            ("package.json", "npm test"),
            ("pyproject.toml", "pytest"),
            ("setup.py", "pytest"),
            ("setup.cfg", "pytest"),
            ("Cargo.toml", "cargo test"),
            ("Makefile", "make test"),
            ("go.mod", "go test ./..."),
        ] {
            assert_eq!(found(&["README.md", marker, "z"]), Some((marker, command)));
        }
    }

    #[test]
    fn of_several_the_first_of_the_table_whatever_the_order_of_names() {
        for (names, marker) in [
            (&["go.mod", "Makefile"][..], "Makefile"),
            (&["Makefile", "Cargo.toml"], "Cargo.toml"),
            (&["Cargo.toml", "setup.cfg", "setup.py"], "setup.py"),
            (&["setup.py", "pyproject.toml"], "pyproject.toml"),
            (
                &["Makefile", "go.mod", "Cargo.toml", "pyproject.toml", "package.json"],
                "package.json",
            ),
        ] {
            assert_eq!(found(names).map(|(marker, _)| marker), Some(marker), "{names:?}");
        }
    }

    #[test]
    fn nothing_else_is_a_marker() {
        for name in [
            "",
            "makefile",
            "GNUmakefile",
            "cargo.toml",
            "Package.json",
            "package.json ",
            "./package.json",
            "sub/package.json",
            "package-lock.json",
            "go.mod.bak",
        ] {
            assert_eq!(found(&[name]), None, "{name:?}");
        }
        assert_eq!(found(&[]), None);
    }
}
