"""A unified diff for a terminal: a colour for each kind of line, and changed words stand out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from rich.console import Console
from rich.text import Text

from insomnia_skills.limits import MAX_DIFF_PAIRS
from insomnia_skills.report.text import safe

STYLES = {"+": "green", "-": "red", "@": "cyan"}
CHANGED = "bold reverse"
"""What changed words have besides their line's colour."""

_LEAST_COMMON = 0.4
"""Lines that have less than this share in common are two lines, not one that was changed."""

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_PIECE = re.compile(r"\w+|\s+|.", re.DOTALL)


def print_diff(diff: str, console: Console) -> None:
    """Print a diff with a colour for each kind of line, and with changed words standing out."""
    for line in diff_lines(diff):
        console.print(line, soft_wrap=True)


def diff_lines(diff: str) -> Iterator[Text]:
    """The lines of a unified diff, in which nothing can steer a terminal.

    In a run of ``-`` and one of ``+`` behind it the lines are pairs.
    """
    words = Words()
    removed: list[str] = []
    added: list[str] = []
    ours = theirs = 0  # lines that the hunk still has of either side
    for raw in diff.removesuffix("\n").split("\n"):
        mark, line = raw[:1], raw.removesuffix("\r")
        if mark == "-" and ours:
            if added:
                yield from _changed(removed, added, words)
                removed, added = [], []
            removed.append(line[1:])
            ours -= 1
        elif mark == "+" and theirs:
            added.append(line[1:])
            theirs -= 1
        elif mark == "\\" and (removed or added):  # that the line before has no end
            (added or removed)[-1] += f"\n{line}"
        else:
            yield from _changed(removed, added, words)
            removed, added = [], []
            if ours or theirs:
                ours, theirs = max(ours - 1, 0), max(theirs - 1, 0)
                yield Text(safe(line))
            else:
                if hunk := _HUNK.match(line):
                    ours, theirs = (int(size or 1) for size in hunk.groups())
                yield Text(safe(line), STYLES.get(mark, "") if hunk else "bold")
    yield from _changed(removed, added, words)


def _changed(removed: Sequence[str], added: Sequence[str], words: Words) -> Iterator[Text]:
    """A run of removed lines and the run of added ones behind it, paired in order."""
    pairs = [words.compare(old, new) for old, new in zip(removed, added, strict=False)]
    for mark, lines, side in (("-", removed, 0), ("+", added, 1)):
        for index, line in enumerate(lines):
            spans = pairs[index][side] if index < len(pairs) else []
            yield mark_line(mark, line, spans)


Spans = list[tuple[int, int]]


def mark_line(mark: str, line: str, spans: Spans) -> Text:
    """A line behind its mark, in the mark's colour; ``spans`` of it stand out."""
    style = STYLES[mark[0]]
    text = Text(mark, style)
    at = 0
    for start, end in spans:
        text.append(safe(line[at:start]), style).append(safe(line[start:end]), f"{style} {CHANGED}")
        at = end
    return text.append(safe(line[at:]), style)


class Words:
    """Compares lines word by word, as long as the work stays within `MAX_DIFF_PAIRS`."""

    def __init__(self) -> None:
        self._left = MAX_DIFF_PAIRS

    def compare(self, old: str, new: str) -> tuple[Spans, Spans]:
        """The spans of both lines that the other does not have; none where they are not alike."""
        ours, theirs = _PIECE.findall(old), _PIECE.findall(new)
        work = len(ours) * len(theirs)
        if work > self._left:
            return [], []
        self._left -= work
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        if matcher.ratio() < _LEAST_COMMON:
            return [], []
        changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
        return (
            _spans(ours, [(first, last) for _, first, last, _, _ in changed]),
            _spans(theirs, [(first, last) for _, _, _, first, last in changed]),
        )


def _spans(pieces: Sequence[str], ranges: Iterable[tuple[int, int]]) -> Spans:
    """Ranges of pieces as ranges of characters."""
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece))
    return [(ends[first], ends[last]) for first, last in ranges if first < last]
