"""Unified diffs of two texts, with the work bounded to where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

_CONTEXT = 3
_NO_LINE_END = "\\ No newline at end of file\n"


class _Lines(NamedTuple):
    """Two texts as lines with their ends, and how many of these are equal at either end."""

    ours: list[str]
    theirs: list[str]
    head: int
    tail: int


def unequal_lines(ours: str, theirs: str) -> int:
    """How many lines the longer text has between the lines at both ends that are equal."""
    lines = _split(ours, theirs)
    return max(len(lines.ours), len(lines.theirs)) - lines.head - lines.tail


def unified_hunks(
    ours: str, theirs: str, ours_first: int = 1, theirs_first: int = 1
) -> Iterator[str]:
    """The hunks of a unified diff, one string a line, without the two lines before them.

    ``ours_first`` and ``theirs_first`` are the numbers of the texts' first lines. Only a line feed
    ends a line. The work may grow with the square of `unequal_lines`.
    """
    lines = _split(ours, theirs)
    head, tail = max(lines.head - _CONTEXT, 0), max(lines.tail - _CONTEXT, 0)
    old = lines.ours[head : len(lines.ours) - tail]
    new = lines.theirs[head : len(lines.theirs) - tail]
    ours_first, theirs_first = ours_first + head, theirs_first + head
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        removed = _range(ours_first + first[1], last[2] - first[1])
        added = _range(theirs_first + first[3], last[4] - first[3])
        yield f"@@ -{removed} +{added} @@\n"
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[old_from:old_to])
            else:
                yield from (_line("-", line) for line in old[old_from:old_to])
                yield from (_line("+", line) for line in new[new_from:new_to])


def _split(ours: str, theirs: str) -> _Lines:
    old, new = _lines(ours), _lines(theirs)
    head = _common(old, new)
    return _Lines(old, new, head, _common(old[head:][::-1], new[head:][::-1]))


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _common(old: list[str], new: list[str]) -> int:
    pairs = zip(old, new, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _range(line: int, length: int) -> str:
    """A range of lines; an empty one has the number of the line before it."""
    if length == 1:
        return str(line)
    return f"{line if length else line - 1},{length}"


def _line(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n{_NO_LINE_END}"
