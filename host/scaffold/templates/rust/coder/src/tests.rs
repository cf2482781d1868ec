use crate::changelog::{add_entry, entry};

#[test]
fn the_first_line_of_a_task_is_the_entry() {
    assert_eq!(entry("\n  Greet the world \nand more").as_deref(), Some("- Greet the world"));
    assert_eq!(entry(" \n\n"), None);
}

#[test]
fn a_changelog_is_begun() {
    assert_eq!(
        add_entry("", "## Unreleased", "- a").as_deref(),
        Some("# Changelog\n\n## Unreleased\n\n- a\n")
    );
}

#[test]
fn an_entry_goes_on_top_of_its_section() {
    let old = "# Changelog\n\n## Unreleased\n\n- a\n\n## 1.0\n\n- b\n";
    let new = "# Changelog\n\n## Unreleased\n\n- b\n- a\n\n## 1.0\n\n- b\n";
    assert_eq!(add_entry(old, "## Unreleased", "- b").as_deref(), Some(new));
    assert_eq!(add_entry(new, "## Unreleased", "- b"), None);
}

#[test]
fn a_heading_is_added_below_the_title() {
    let old = "# Changelog\n\n## 1.0\n";
    let new = "# Changelog\n\n## Unreleased\n\n- a\n\n## 1.0\n";
    assert_eq!(add_entry(old, "## Unreleased", "- a").as_deref(), Some(new));
}

#[test]
fn line_endings_stay_as_they_are() {
    let new = add_entry("# Changelog\r\n\r\n## Unreleased\r\n", "## Unreleased", "- a");
    assert_eq!(new.as_deref(), Some("# Changelog\r\n\r\n## Unreleased\r\n\r\n- a\r\n"));
}
