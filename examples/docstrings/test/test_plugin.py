"""What the host calls, with a host in memory in place of the bindings' functions."""

import unittest
from unittest.mock import patch

from componentize_py_types import Err
from wit_world.exports import judging
from wit_world.imports import change, read, types

import plugin


class Host:
    """A workspace in which every line of these files was added."""

    def __init__(self, files: dict[str, str | bytes]):
        self.files = files
        self.omit: set[str] = set()

    def summary(self):
        files = [
            change.ChangedFile(
                path=path, kind=types.ChangeKind.ADDED, old_path=None, added=1, deleted=0, binary=isinstance(text, bytes),
                test_governing=None, size_before=None, size_after=len(text), executable_before=False, executable_after=False,
            )
            for path, text in self.files.items()
        ]
        return change.ChangeSummary(files, added=1, deleted=0)

    def diff(self, query):
        files = []
        for path in query.paths:
            lines = self.files[path].splitlines() if isinstance(self.files[path], str) else []
            added = [change.DiffLine(change.LineOrigin.ADDED, line, False) for line in lines]
            hunks = [change.Hunk(0, 0, 1, len(added), added)]
            files.append(change.FileDiff(path, types.ChangeKind.ADDED, isinstance(self.files[path], bytes), hunks))
        omitted = sorted(self.omit & set(query.paths))
        return change.DiffAnswer([file for file in files if file.path not in omitted], omitted)

    def read_file(self, path):
        text = self.files[path]
        content = types.Content_Bytes(text) if isinstance(text, bytes) else types.Content_Text(text)
        return read.File(path, content, len(text), executable=False, bom=False)


def evaluate(host: Host, **settings):
    declared = plugin.Judging().describe().settings
    given = [
        types.Setting(item.name, type(item.default)(settings.get(item.name, item.default.value))) for item in declared
    ]
    profile = judging.ModeProfile("m", "M", "", [])
    project = types.ProjectContext("python", "", [])
    task = types.Task("task_0", "Do it.", types.Expectation.CHANGE, [], "", project, [])
    evaluation = judging.Evaluation(types.Phase.POST_EXECUTE, task, "docstrings", [], profile, [], [])
    limits = types.Limits(1, 1, 1, 1, call_bytes=1000, read_bytes=1, submit_bytes=1)
    context = types.Context("", "", "m", 0, 1, None, None, [], "", [], given, limits)
    with (
        patch.object(change, "summary", host.summary),
        patch.object(change, "diff", host.diff),
        patch.object(read, "read_file", host.read_file),
    ):
        return plugin.Judging().evaluate(evaluation, context)


class Plugin(unittest.TestCase):
    def test_a_blocker_names_what_is_missing(self):
        host = Host({"a.py": 'def f():\n    "F."\n', "b.py": "x = 1\ndef g():\n    pass\n", "c.txt": "def h(): pass\n"})
        verdict = evaluate(host)
        self.assertEqual(verdict.severity, types.Severity.BLOCKER)
        self.assertEqual(verdict.justification, "Without a docstring: b.py:2 function `g`.")
        self.assertEqual(verdict.examined, ["a.py", "b.py"])
        self.assertEqual(evaluate(host, strict=False).severity, types.Severity.WARN)

    def test_a_pass_and_nothing_to_judge(self):
        self.assertIsNone(evaluate(Host({"a.py": "x = 1\n"})).skipped)
        self.assertEqual(evaluate(Host({"a.md": "x"})).skipped, "no Python code was changed")
        self.assertIsNotNone(evaluate(Host({"a/test_a.py": "def f(): pass\n"})).skipped)
        self.assertIsNotNone(evaluate(Host({"gen/a.py": "def f(): pass\n"}), exclude=["gen/*"]).skipped)

    def test_a_change_that_comes_in_pages(self):
        host = Host({"a.py": "x = 1\n", "b.py": "def g(): pass\n"})
        seen = []

        def diff(query):
            seen.append(query.paths)
            host.omit = {"b.py"} if len(query.paths) > 1 else set()
            return Host.diff(host, query)

        host.diff = diff
        self.assertEqual(evaluate(host).severity, types.Severity.BLOCKER)
        self.assertEqual(seen, [["a.py", "b.py"], ["b.py"]])

    def test_what_cannot_be_seen_is_a_fault(self):
        host = Host({"a.py": "x = 1\n"})
        host.omit = {"a.py"}
        with self.assertRaises(Err) as caught:
            evaluate(host)
        self.assertIsInstance(caught.exception.value, judging.Fault_IncompleteView)
        with self.assertRaises(Err) as caught:
            evaluate(Host({"a.py": b"x = '\xe4'\n"}))
        self.assertEqual(caught.exception.value, judging.Fault_IncompleteView("`a.py` is not text"))

    def test_a_file_that_is_no_python_is_named(self):
        verdict = evaluate(Host({"a.py": "def f(:\n"}))
        self.assertEqual(verdict.severity, types.Severity.BLOCKER)
        self.assertRegex(verdict.justification, r"a\.py:1, which is no Python")


if __name__ == "__main__":
    unittest.main()
