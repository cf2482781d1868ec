"""Entries of a changelog."""

import re


def entry_of(spec: str) -> str | None:
    """The entry that a task becomes: its first line that says something."""
    for line in spec.split("\n"):
        if line.strip():
            return f"- {line.strip()}"
    return None


def add_entry(changelog: str, heading: str, entry: str) -> str | None:
    """The changelog with the entry below the heading, the newest first; None when the entry is there already."""
    if not changelog.strip():
        return f"# Changelog\n\n{heading}\n\n{entry}\n"
    lines = changelog.split("\n")
    ending = "\r" if len(lines) > 1 and lines[0].endswith("\r") else ""
    at = next((i for i, line in enumerate(lines) if line.rstrip() == heading.rstrip()), None)

    if at is None:
        # After the title, or at the top of a changelog without one.
        above = next((i + 1 for i, line in enumerate(lines) if line.startswith("# ")), 0)
        added = ([""] if above else []) + [heading, "", entry]
    else:
        above = at + 1
        if any(line.rstrip() == entry for line in section(lines[above:], max(depth(heading), 1))):
            return None
        added = ["", entry]
    below = lines[above:]
    while below and not below[0].strip():
        below.pop(0)
    # An entry joins the list that it is put on top of; anything else is kept apart by a blank line.
    if below and (at is None or not below[0].startswith("- ")):
        added.append("")
    head = lines[:above]
    if above == len(lines) and head:
        # The last line of a file may have no ending of its own.
        head[-1] += ending
    return "\n".join([*head, *(line + ending for line in added), *(below or [""])])


def section(lines: list[str], level: int) -> list[str]:
    """The lines before the next heading of this level, or of one above it."""
    for i, line in enumerate(lines):
        if 0 < depth(line) <= level:
            return lines[:i]
    return lines


def depth(line: str) -> int:
    """How many `#` a heading has; 0 for any other line."""
    match = re.match(r"(#+)\s", line)
    return len(match.group(1)) if match else 0
