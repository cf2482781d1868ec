import unittest

from entries import Changed, judge


def judged(*files, strict=True):
    return judge(list(files), "CHANGELOG.md", ["docs", "tests"], strict)


class Entries(unittest.TestCase):
    def test_a_change_with_an_entry_passes(self):
        verdict = judged(Changed("CHANGELOG.md"), Changed("src/a.py"))
        self.assertEqual(verdict.severity, "PASS")
        self.assertEqual(verdict.justification, "CHANGELOG.md has a new entry for 1 changed path.")
        self.assertEqual(verdict.examined, ["src/a.py"])

    def test_a_change_without_one_is_stopped_or_warned_about(self):
        verdict = judged(Changed("src/b.py"), Changed("src/a.py"))
        self.assertEqual(verdict.severity, "BLOCKER")
        self.assertEqual(verdict.justification, "src/a.py and 1 more changed, and CHANGELOG.md has no new entry.")
        self.assertEqual(judged(Changed("src/a.py"), strict=False).severity, "WARN")

    def test_lines_that_are_taken_from_the_changelog_are_no_entry(self):
        self.assertEqual(judged(Changed("CHANGELOG.md", added=0), Changed("a.py")).severity, "BLOCKER")
        self.assertEqual(judged(Changed("CHANGELOG.md", deleted=True), Changed("a.py")).severity, "BLOCKER")

    def test_exempt_folders_need_none_their_namesakes_do(self):
        verdict = judged(Changed("docs/a.md"), Changed("tests/b.py"), Changed("CHANGELOG.md", added=0))
        self.assertEqual(verdict.severity, "PASS")
        self.assertEqual(verdict.skipped, "nothing in the change needs an entry in CHANGELOG.md")
        self.assertEqual(judged(Changed("docs2/a.md")).severity, "BLOCKER")

    def test_both_sides_of_a_rename_count(self):
        self.assertEqual(judged(Changed("docs/a.py", "src/a.py")).severity, "BLOCKER")


if __name__ == "__main__":
    unittest.main()
