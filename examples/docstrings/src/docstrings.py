"""What has no docstring, by Python's own parser. It knows no host."""

import ast

# `\N{…}` in a literal makes the parser look names up in this module. When the plugin is called there is no file left to import it
# from: it has to be here by then.
import unicodedata  # noqa: F401
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

# Whoever reads these looks at what they stand for.
ELSEWHERE = {"overload", "override"}
ACCESSORS = {"setter", "deleter"}

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Missing:
    """Something public without a docstring, at a line from 1."""

    line: int
    kind: str
    name: str


class NotPython(Exception):
    """The text is no Python."""

    def __init__(self, line: int, reason: str):
        super().__init__(reason)
        self.line = line
        self.reason = reason


def is_python(path: str) -> bool:
    return path.endswith((".py", ".pyw"))


def missing(text: str, added: set[int], modules: bool) -> list[Missing]:
    """What of these lines defines something public without a docstring, by line."""
    try:
        # A literal such as "\d" makes the parser warn, and there is no place to print to.
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        raise NotPython(error.lineno or 1, error.msg) from None
    found = [
        Missing(node.lineno, kind, name)
        for node, kind, name in public(tree, "")
        if node.lineno in added and ast.get_docstring(node, clean=False) is None
    ]
    if modules and 1 in added and tree.body and ast.get_docstring(tree, clean=False) is None:
        found.insert(0, Missing(1, "module", "the file"))
    return found


def public(tree: ast.AST, within: str) -> Iterator[tuple[Definition, str, str]]:
    """The public definitions, with their kinds and full names. What stands in a function is nobody else's."""
    for node in statements(tree):
        if node.name.startswith("_") or decorators(node) & ELSEWHERE:
            continue
        name = within + node.name
        if isinstance(node, ast.ClassDef):
            yield node, "class", name
            yield from public(node, f"{name}.")
        elif not decorators(node) & ACCESSORS:
            yield node, "method" if within else "function", name


def statements(tree: ast.AST) -> Iterator[Definition]:
    """The definitions of a body, also those that stand under a condition (`if TYPE_CHECKING:`, `try:`)."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield node
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.ExceptHandler)):
            yield from statements(node)


def decorators(node: Definition) -> set[str]:
    """The last names of its decorators: `setter` of `@size.setter`."""
    calls = (item.func if isinstance(item, ast.Call) else item for item in node.decorator_list)
    return {getattr(item, "attr", None) or getattr(item, "id", "") for item in calls}
