//! `Workspace` is the host's own rules over files that a test writes down: no WebAssembly, and no host.

use snodo_plugin::prelude::*;
use snodo_plugin::testing::Workspace;

use crate::Plugin;

#[test]
fn a_changelog_is_begun() {
    let run = Workspace::new().coder::<Plugin>().task("\n  Greet the world \nand more").run();
    assert_eq!(run.changed(), ["CHANGELOG.md"]);
    assert_eq!(
        run.text("CHANGELOG.md"),
        "# Changelog\n\n## Unreleased\n\n- Greet the world\n"
    );
}

#[test]
fn an_entry_goes_on_top_of_its_section_once() {
    let workspace = Workspace::new().file("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- a\n\n## 1.0\n\n- b\n");
    let run = workspace.coder::<Plugin>().task("b").run();
    assert_eq!(
        run.text("CHANGELOG.md"),
        "# Changelog\n\n## Unreleased\n\n- b\n- a\n\n## 1.0\n\n- b\n"
    );
    let again = workspace.coder::<Plugin>().task("a").run();
    assert!(matches!(again.error(), CoderError::UnusableTask(_)));
    assert!(!again.produced_work());
}

#[test]
fn a_heading_is_added_below_the_title_and_line_endings_stay() {
    let run = Workspace::new()
        .file("docs/log.md", "# Log\r\n\r\n## 1.0\r\n")
        .coder::<Plugin>()
        .set("file", "docs/log.md")
        .set("heading", "## Next")
        .task("a")
        .run();
    assert_eq!(
        run.text("docs/log.md"),
        "# Log\r\n\r\n## Next\r\n\r\n- a\r\n\r\n## 1.0\r\n"
    );
}

#[test]
fn a_task_without_words_and_a_file_without_text_are_told() {
    let workspace = Workspace::new().file("CHANGELOG.md", vec![0xff, 0]);
    let blank = workspace.coder::<Plugin>().task(" \n\n").run();
    assert!(matches!(blank.error(), CoderError::UnusableTask(_)));
    let binary = workspace.coder::<Plugin>().task("a").run();
    assert!(matches!(binary.error(), CoderError::Unreadable(file) if file.path == "CHANGELOG.md"));
}
