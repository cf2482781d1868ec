"""Whether a change comes with an entry in the changelog."""

from dataclasses import dataclass

EXAMINED = 20
"""So many paths are listed as examined."""


@dataclass
class Changed:
    """What is looked at of a changed file."""

    path: str
    old_path: str | None = None
    added: int = 1
    deleted: bool = False


@dataclass
class Judged:
    """`severity` is `PASS`, `WARN` or `BLOCKER`."""

    severity: str
    justification: str
    examined: list[str]
    skipped: str | None = None


def judge(files: list[Changed], file: str, exempt: list[str], strict: bool) -> Judged:
    """Whether the changed files come with an entry in the changelog `file`, where they need one."""
    paths = {path for changed in files for path in (changed.path, changed.old_path) if path is not None}
    needing = sorted(path for path in paths if path != file and not any(holds(folder, path) for folder in exempt))
    examined = needing[:EXAMINED]
    if not needing:
        skipped = f"nothing in the change needs an entry in {file}"
        return Judged("PASS", skipped, examined, skipped)
    if any(changed.path == file and not changed.deleted and changed.added > 0 for changed in files):
        count = "1 changed path" if len(needing) == 1 else f"{len(needing)} changed paths"
        return Judged("PASS", f"{file} has a new entry for {count}.", examined)
    more = "" if len(needing) == 1 else f" and {len(needing) - 1} more"
    severity = "BLOCKER" if strict else "WARN"
    return Judged(severity, f"{needing[0]}{more} changed, and {file} has no new entry.", examined)


def holds(folder: str, path: str) -> bool:
    """Whether the folder is the path, or holds it."""
    return path == folder or path.startswith(f"{folder}/")
