import unittest

from docstrings import Missing, NotPython, missing


def found(text: str, added=None, modules=False):
    lines = set(range(1, text.count("\n") + 2)) if added is None else set(added)
    return [(item.line, item.kind, item.name) for item in missing(text, lines, modules)]


class Docstrings(unittest.TestCase):
    def test_functions_classes_and_methods(self):
        text = "def f(): pass\nclass C:\n    async def m(self): pass\n"
        self.assertEqual(found(text), [(1, "function", "f"), (2, "class", "C"), (3, "method", "C.m")])
        text = 'def f(): "F."\nclass C:\n    """C."""\n    def m(self):\n        "M."\n'
        self.assertEqual(found(text), [])

    def test_only_where_the_definition_was_added(self):
        self.assertEqual(found("def f():\n    return 1\n", added=[2]), [])
        self.assertEqual(found("@cache\ndef f():\n    return 1\n", added=[2]), [(2, "function", "f")])

    def test_private_things_and_what_stands_in_functions(self):
        self.assertEqual(found("def _f(): pass\nclass _C:\n    def m(self): pass\n"), [])
        self.assertEqual(found('class C:\n    "C."\n    def __init__(self): pass\n'), [])
        self.assertEqual(found('def f():\n    "F."\n    def g(): pass\n'), [])

    def test_what_is_explained_elsewhere(self):
        text = (
            "@typing.overload\ndef f(): ...\n"
            'class C(B):\n    "C."\n    @override\n    def m(self): pass\n    @size.setter\n    def size(self, n): pass\n'
        )
        self.assertEqual(found(text), [])

    def test_under_conditions(self):
        text = "if X:\n    def f(): pass\nelse:\n    def g(): pass\ntry:\n    def h(): pass\nexcept E:\n    def i(): pass\n"
        self.assertEqual([name for _, _, name in found(text)], ["f", "g", "h", "i"])

    def test_modules(self):
        self.assertEqual(found("x = 1\n", modules=True), [(1, "module", "the file")])
        self.assertEqual(found('"M."\n', modules=True), [])
        self.assertEqual(found("", modules=True), [])
        self.assertEqual(found("x = 1\ny = 2\n", added=[2], modules=True), [])

    def test_text_that_makes_the_parser_warn_or_look_up_names(self):
        self.assertEqual(found('\ufeffx = "\\d \\N{BULLET}"\ndef f(): pass\n'), [(2, "function", "f")])

    def test_what_is_no_python(self):
        with self.assertRaises(NotPython) as caught:
            missing("x = 1\ndef f(:\n", {1}, False)
        self.assertEqual(caught.exception.line, 2)


if __name__ == "__main__":
    unittest.main()
