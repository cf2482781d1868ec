import unittest

from changelog import add_entry, entry_of

HEADING = "## Unreleased"


class Changelog(unittest.TestCase):
    def test_the_first_line_that_says_something_becomes_the_entry(self):
        self.assertEqual(entry_of("\n  Faster start \nDetails."), "- Faster start")
        self.assertIsNone(entry_of(" \n\n"))

    def test_a_new_entry_stands_above_the_older_ones(self):
        before = "# Changelog\n\n## Unreleased\n\n- Older\n\n## 1.0.0\n\n- First\n"
        after = "# Changelog\n\n## Unreleased\n\n- Newer\n- Older\n\n## 1.0.0\n\n- First\n"
        self.assertEqual(add_entry(before, HEADING, "- Newer"), after)

    def test_an_empty_section_takes_its_first_entry(self):
        before = "# Changelog\n\n## Unreleased\n\n## 1.0.0\n"
        after = "# Changelog\n\n## Unreleased\n\n- New\n\n## 1.0.0\n"
        self.assertEqual(add_entry(before, HEADING, "- New"), after)
        self.assertEqual(add_entry("## Unreleased", HEADING, "- New"), "## Unreleased\n\n- New\n")

    def test_a_heading_that_is_missing_is_written_below_the_title_or_at_the_top(self):
        titled = "# Log\n\n## Unreleased\n\n- New\n\n## 1.0.0\n"
        self.assertEqual(add_entry("# Log\n\n## 1.0.0\n", HEADING, "- New"), titled)
        self.assertEqual(add_entry("## 1.0.0\n", HEADING, "- New"), "## Unreleased\n\n- New\n\n## 1.0.0\n")
        self.assertEqual(add_entry("", HEADING, "- New"), "# Changelog\n\n## Unreleased\n\n- New\n")

    def test_an_entry_is_not_written_twice_but_may_stand_in_an_older_section(self):
        self.assertIsNone(add_entry("## Unreleased\n\n### Fixed\n\n- New\n", HEADING, "- New"))
        self.assertIsNotNone(add_entry("## Unreleased\n\n## 1.0.0\n\n- New\n", HEADING, "- New"))

    def test_line_endings_stay_as_they_are(self):
        before = "# Changelog\r\n\r\n## Unreleased\r\n\r\n- Older\r\n"
        after = "# Changelog\r\n\r\n## Unreleased\r\n\r\n- Newer\r\n- Older\r\n"
        self.assertEqual(add_entry(before, HEADING, "- Newer"), after)


if __name__ == "__main__":
    unittest.main()
