"""An outline of broken YAML: its keys and list items, each with the kind and reach of its value.

A parser stops where it can't go on, which is seldom where the fault is. The outline is read without
judging, so it is there for any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["empty", "plain", "quoted", "brackets", "block", "marked", "document marker"]

LINE = re.compile(r"(?P<blanks> *)(?P<content>[^\r\n]*)(?:\r\n|\r|\n|\Z)")
_HEAD = re.compile(
    r"""\ * (?P<dashes> (?:-(?:\ +|$))* )
    (?: (?P<key> "(?:[^"\\]|\\.)*+"\ * | '(?:[^']|'')*+'\ * | [^\s"'\[\]{}&*!|>%@`\#,][^\r\n]*? )
        (?P<colon>:) (?=\s|$) )?""",
    re.VERBOSE,
)
QUOTED = {
    '"': re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL),
    "'": re.compile(r"'[^']*+(?:''[^']*+)*+'"),
}
_BRACKETS_PART = re.compile(r"""\s\#[^\r\n]* | \s | [\[\]{},:"'] | [^\s\[\]{},:"']+""", re.VERBOSE)
COMMENT = re.compile(r"\s(#)")
DOCUMENT_MARKER = re.compile(r"(?:---|\.\.\.)(?=\s|\Z)|%\S*")


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One key or list item, or a stray line that is neither. Numbers are offsets into the text.

    Only `indent` counts the blanks before it, and `column` those before its key or last dash:
    what stands further in belongs to its value, which reaches from `value` to `end`. If the quote
    or bracket of the value stays open, `closed` is false. Without a key, `colon` is -1.
    """

    start: int = 0
    indent: int = 0
    column: int = 0
    key: str = ""
    colon: int = -1
    dash: bool = False
    kind: Kind = "empty"
    value: int = 0
    end: int = 0
    closed: bool = True

    @property
    def stray(self) -> bool:
        return not self.key and not self.dash and self.kind not in ("empty", "document marker")


def outline(text: str, upto: int) -> list[OutlineEntry]:
    """The entries that begin at or before an offset."""
    entries: list[OutlineEntry] = []
    position = 0
    while position <= upto and position < len(text):
        if entry := _entry(text, position):
            entries.append(entry)
            position = entry.end
        position = rest_of_line(text, position).end()
    return entries


def _entry(text: str, begin: int) -> OutlineEntry | None:
    """The entry on the line that begins at an offset, if it is no blank line and no comment."""
    line = rest_of_line(text, begin)
    start, line_end = line.span("content")
    if start == line_end or text[start] == "#":
        return None
    if DOCUMENT_MARKER.match(text, begin):
        return OutlineEntry(start, kind="document marker", value=start, end=line_end)
    key, colon, dashes_end = read_head(text, begin, line_end)
    dash = dashes_end > start
    column = (text.rindex("-", begin, dashes_end) if dash and not key else dashes_end) - begin
    value = rest_of_line(text, colon + 1 if key else dashes_end).start("content")
    if value == line_end or text[value] == "#":
        value = _value_below(text, line_end, column)
    kind, end, closed = _reach(text, value, column)
    return OutlineEntry(start, start - begin, column, key, colon, dash, kind, value, end, closed)


def rest_of_line(text: str, offset: int) -> re.Match[str]:
    """The rest of the line at an offset."""
    line = LINE.match(text, offset)
    assert line is not None  # it matches even nothing
    return line


def line_begin(text: str, offset: int) -> int:
    """Where the line of an offset begins."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def read_head(text: str, begin: int, line_end: int) -> tuple[str, int, int]:
    """The key of a line (empty if none), its colon, and where the blanks and dashes end."""
    head = _HEAD.match(text, begin, line_end)
    if not head or not head["key"] or COMMENT.search(head["key"]):
        return "", -1, head.end("dashes") if head else begin
    key = head["key"].rstrip()
    key = key[1:-1] if key[0] in QUOTED and len(key) > 2 else key
    return key, head.start("colon"), head.end("dashes")


def _value_below(text: str, line_end: int, column: int) -> int:
    """Where the value of an entry begins that has none on its line; `line_end` if it has none."""
    for line in LINE.finditer(text, line_end):
        start, end = line.span("content")
        if start < end and text[start] != "#":
            key, _, dashes_end = read_head(text, line.start(), end)
            is_value = start - line.start() > column and not key and dashes_end == start
            return start if is_value else line_end
    return line_end


def _reach(text: str, value: int, column: int) -> tuple[Kind, int, bool]:
    """The kind of the value at an offset, its end, and whether its quote or bracket is closed."""
    first = text[value : value + 1]
    if first in ("", "\r", "\n"):
        return "empty", value, True
    if first in QUOTED:
        quoted = QUOTED[first].match(text, value)
        return "quoted", quoted.end() if quoted else len(text), bool(quoted)
    if first in "[{":
        end = _brackets_end(text, value)
        return "brackets", end or len(text), bool(end)
    kind: Kind = "block" if first in "|>" else "marked" if first in "*&!" else "plain"
    end = value
    for line in LINE.finditer(text, value):
        start, line_end = line.span("content")
        if start < line_end and text[start] != "#":
            if start > value and start - line.start() <= column:
                break
            end = line_end
    return kind, end, True


def _brackets_end(text: str, start: int) -> int | None:
    """Where the bracket at an offset is closed; which sort closes it does not matter here."""
    depth, position, item_begins = 0, start, True
    while part := _BRACKETS_PART.match(text, position):
        position = part.end()
        if part[0] in "[]{},:":
            depth += (part[0] in "[{") - (part[0] in "]}")
            item_begins = part[0] not in "]}"
            if depth == 0:
                return position
        elif part[0] in QUOTED and item_begins:
            quoted = QUOTED[part[0]].match(text, part.start())
            if not quoted:
                return None
            position, item_begins = quoted.end(), False
        elif not part[0][0].isspace():
            item_begins = False
    return None
