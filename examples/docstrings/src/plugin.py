"""What the host calls: it brings together the change, the files and what docstrings.py says of them."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import judging
from wit_world.imports import change, read, types

import docstrings
from settings import DECLARATIONS, Settings

EXAMINED = 50
"""So many paths are listed as examined."""

NAMED = 10
"""So many things without a docstring are named."""


class Judging(exports.Judging):
    def describe(self) -> types.Description:
        return types.Description(
            name="docstrings",
            version="0.1.0",
            summary="Wants a docstring in every public function, class and method that a change adds to Python code.",
            settings=DECLARATIONS,
            phases=[types.Phase.POST_EXECUTE],
        )

    def evaluate(self, evaluation: judging.Evaluation, context: types.Context) -> judging.Verdict:
        try:
            return evaluate(evaluation, context)
        except Err:
            raise
        except Exception as mistake:
            # Without this the plugin would end without a word.
            raise Err(judging.Fault_Internal(f"{type(mistake).__name__}: {mistake}"))


def evaluate(evaluation: judging.Evaluation, context: types.Context) -> judging.Verdict:
    if evaluation.phase != types.Phase.POST_EXECUTE:
        raise Err(judging.Fault_Internal("it judges after execution only"))
    settings = Settings(context.settings)
    paths = [
        file.path
        for file in change_summary().files
        if file.kind != types.ChangeKind.DELETED and docstrings.is_python(file.path) and not settings.excludes(file.path)
    ]
    if not paths:
        return verdict(types.Severity.PASS, "no Python code was changed", [], skipped="no Python code was changed")
    added = added_lines(paths, context.limits.call_bytes)
    found = []
    for path in paths:
        if added[path]:
            found += judged(path, added[path], settings.modules)
    if not found:
        return verdict(types.Severity.PASS, "Everything public that was added has a docstring.", paths)
    shown = "; ".join(found[:NAMED]) + (f"; and {len(found) - NAMED} more" if len(found) > NAMED else "")
    severity = types.Severity.BLOCKER if settings.strict else types.Severity.WARN
    return verdict(severity, f"Without a docstring: {shown}.", paths)


def judged(path: str, added: set[int], modules: bool) -> list[str]:
    """What has no docstring in a file, each as `path:line what`."""
    try:
        missing = docstrings.missing(text_of(path), added, modules)
    except docstrings.NotPython as error:
        # What cannot be parsed cannot be imported either: that is the change's fault, not this plugin's.
        return [f"{path}:{error.line}, which is no Python ({error.reason})"]
    except (RecursionError, MemoryError):
        raise Err(judging.Fault_IncompleteView(f"`{path}` is too deeply nested to be parsed"))
    return [f"{path}:{item.line} {item.kind} `{item.name}`" for item in missing]


def verdict(severity: types.Severity, justification: str, examined: list[str], skipped: str | None = None) -> judging.Verdict:
    return judging.Verdict(
        severity=severity,
        justification=justification,
        cited_criteria=[],
        examined=examined[:EXAMINED],
        skipped=skipped,
        uncheckable=[],
    )


def change_summary() -> change.ChangeSummary:
    try:
        return change.summary()
    except Err as error:
        raise fault("the change", error.value)


def added_lines(paths: list[str], most: int) -> dict[str, set[int]]:
    """The numbers of the lines that the change added to each file, from 1."""
    lines: dict[str, set[int]] = {}
    while paths:
        try:
            answer = change.diff(change.DiffQuery(paths=paths, context_lines=0, max_bytes=most))
        except Err as error:
            raise fault("the change", error.value)
        omitted = set(answer.omitted)
        for file in answer.files:
            if file.path in omitted:
                continue
            if file.binary:
                raise Err(judging.Fault_IncompleteView(f"`{file.path}` is not text"))
            lines[file.path] = {number for hunk in file.hunks for number in added_in(hunk)}
        rest = [path for path in paths if path not in lines]
        if len(rest) == len(paths):
            raise Err(judging.Fault_IncompleteView(f"the change of `{rest[0]}` is too large to be seen whole"))
        paths = rest
    return lines


def added_in(hunk: change.Hunk) -> list[int]:
    numbers = []
    number = hunk.new_start
    for line in hunk.lines:
        if line.origin == change.LineOrigin.ADDED:
            numbers.append(number)
        if line.origin != change.LineOrigin.REMOVED:
            number += 1
    return numbers


def text_of(path: str) -> str:
    try:
        content = read.read_file(path).content
    except Err as error:
        raise fault(f"`{path}`", error.value)
    if not isinstance(content, types.Content_Text):
        raise Err(judging.Fault_IncompleteView(f"`{path}` is not UTF-8 text"))
    return content.value


def fault(what: str, error: object) -> Err:
    """Who cannot see has not judged: that is a fault, never a pass."""
    if isinstance(error, (change.ChangeError_Limit, read.ReadError_Limit)):
        return Err(judging.Fault_Limit(error.value))
    return Err(judging.Fault_IncompleteView(f"{what} cannot be seen: {error!r}"))
