//! The coder `mock`: a deterministic stub. Whatever the task says, it writes one function and a test of it, so that a
//! run's whole pipeline can be watched with no model, no key and no task of one's own. It is what `--mock` selects.

use snodo_plugin::prelude::*;
use snodo_plugin::{CoderReport, ReportedFile};

/// The function that is written.
const SOURCE_PATH: &str = "src/hello.py";
/// Its test.
const TEST_PATH: &str = "tests/test_hello.py";

const SOURCE: &str = r#""""Written by snodo-host's deterministic stub."""


def hello() -> str:
    """Return a greeting to the world."""
    return "world"
"#;

// The test finds the module by its own place, so that it passes under pytest, unittest and plain python alike, with no
// configuration of the project's.
const TEST: &str = r#""""Written by snodo-host's deterministic stub."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from hello import hello  # noqa: E402


class TestHello(unittest.TestCase):
    def test_returns_world(self) -> None:
        self.assertEqual(hello(), "world")


if __name__ == "__main__":
    unittest.main()
"#;

struct Mock;

impl Coder for Mock {
    fn describe() -> Description {
        Description::new(
            "mock",
            env!("CARGO_PKG_VERSION"),
            "The deterministic stub: writes src/hello.py and its test, whatever the task says.",
        )
    }

    fn implement(_task: Task, _context: Context) -> Result<Implementation, CoderError> {
        submit::progress("writing the stub's function and its test");
        submit::files(operations())?;
        Ok(Implementation::done().report(report()))
    }
}

snodo_plugin::export!(coder: Mock);

fn operations() -> Vec<submit::Operation> {
    vec![submit::write(SOURCE_PATH, SOURCE), submit::write(TEST_PATH, TEST)]
}

fn report() -> CoderReport {
    CoderReport::completed(
        vec![
            ReportedFile::new(SOURCE_PATH, ChangeKind::Added),
            ReportedFile::new(TEST_PATH, ChangeKind::Added),
        ],
        "deterministic stub: the task was not read",
    )
}

#[cfg(test)]
mod tests {
    use snodo_plugin::testing::Workspace;

    use super::*;

    #[test]
    fn the_function_and_its_test_belong_together() {
        let written: Vec<(&str, &str)> = operations()
            .iter()
            .map(|operation| match operation {
                submit::Operation::Write(write) => match (write.path.as_str(), &write.content) {
                    (SOURCE_PATH, Content::Text(text)) if text == SOURCE => (SOURCE_PATH, SOURCE),
                    (TEST_PATH, Content::Text(text)) if text == TEST => (TEST_PATH, TEST),
                    other => unreachable!("{other:?}"),
                },
                other => unreachable!("{other:?}"),
            })
            .collect();
        assert_eq!(written.len(), 2);
        assert!(SOURCE.contains("def hello()") && SOURCE.contains("return \"world\""));
        assert!(TEST.contains("from hello import hello") && TEST.contains("hello(), \"world\""));
        for text in [SOURCE, TEST] {
            assert!(text.ends_with('\n') && !text.contains('\r'));
        }
    }

    #[test]
    fn the_report_names_what_is_changed_and_says_it_as_the_host_does() {
        let run = Workspace::new()
            .file("README.md", "…")
            .coder::<Mock>()
            .task("anything")
            .run();
        let said = run.implementation().report.clone().unwrap_or_else(report).files;
        let said: Vec<_> = said.into_iter().map(|file| (file.path, file.kind)).collect();
        let seen: Vec<_> = run
            .change()
            .files
            .into_iter()
            .map(|file| (file.path, file.kind))
            .collect();
        assert_eq!(said, seen);
        assert_eq!(
            (run.text(SOURCE_PATH), run.text(TEST_PATH)),
            (SOURCE.to_owned(), TEST.to_owned())
        );
        assert_eq!(run.progress.len(), 1);
    }

    #[test]
    fn a_second_run_changes_nothing() {
        let done = Workspace::new().file(SOURCE_PATH, SOURCE).file(TEST_PATH, TEST);
        assert!(!done.coder::<Mock>().run().produced_work());
    }

    #[test]
    fn a_protected_path_is_refused_by_name() {
        let run = Workspace::new().protect("tests").coder::<Mock>().run();
        assert!(matches!(run.error(), CoderError::Refused(refused) if refused.path == TEST_PATH));
        assert!(!run.produced_work());
    }
}
