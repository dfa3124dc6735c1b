"""What stands where in a Markdown body: prose, code, comments. Parsed when first asked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Beyond this a body is generated or hostile, and its structure is not worth seconds of parsing.
MAX_PARSED = 64 * 1024

_OPENING_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*[^\s`~]", re.MULTILINE)
_BACKTICKS = re.compile(r"\\?`+")
_LINE_END = re.compile(r"\r\n|\r|\n")
_KINDS = {"inline": "prose", "fence": "block", "code_block": "block", "html_block": "html"}


class Place(NamedTuple):
    """A stretch of a body that is of one kind.

    ``kind`` is ``prose``, ``code`` (between backticks), ``block`` (a code block, whose language is
    ``info``), ``html`` or ``other``. Of ``code`` the stretch is without its backticks.
    """

    kind: str
    start: int
    end: int
    info: str = ""


@cache
def commonmark() -> MarkdownIt:
    """A parser of blocks; what stands in them is left for its ``inline`` to parse."""
    from markdown_it import MarkdownIt  # 30 ms that only a file with something to judge pays

    return MarkdownIt("commonmark").disable("inline")


class Markup:
    """The body of ``text``, which begins at ``start``; all offsets count in ``text``.

    It is ``unclear`` where it is too large to parse in a blink, or its code fences are so muddled
    that nobody can tell code from prose.
    """

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.environment: dict[str, Any] = {}
        self._codes: dict[int, list[Place]] = {}

    @cached_property
    def visible(self) -> str:
        """The text with blanks where its body has HTML comments; as long as the text."""
        pieces: list[str] = []
        at = 0
        opening = self.text.find("<!--", self.start)
        while opening >= 0 and (closing := self.text.find("-->", opening + 4)) >= 0:
            comment = self.text[opening : closing + 3]
            pieces += self.text[at:opening], re.sub(r"[^\r\n]", " ", comment)
            at = closing + 3
            opening = self.text.find("<!--", at)
        return "".join((*pieces, self.text[at:]))

    @cached_property
    def tokens(self) -> list[Token]:
        """The body's blocks as markdown-it has them, lines 0-based from the body's first."""
        if len(self.text) - self.start > MAX_PARSED:
            return []
        # The line end makes an unclosed fence one line shorter than a closed one, always.
        body = self.text[self.start :] + "\n"
        return commonmark().parse(body, self.environment)

    @cached_property
    def unclear(self) -> bool:
        return len(self.text) - self.start > MAX_PARSED or any(
            block.type == "fence" and _is_muddled(block) for block in self.tokens
        )

    def place(self, offset: int) -> Place:
        """What the character at ``offset`` belongs to."""
        index = bisect_right(self._places, offset, key=lambda place: place.start) - 1
        found = self._places[index] if index >= 0 else None
        if found is None or offset >= found.end:
            return Place("other", offset, offset)
        if found.kind == "prose":
            spans = self._code_spans(found.start, found.end)
            index = bisect_right(spans, offset, key=lambda code: code.start) - 1
            if index >= 0 and offset < spans[index].end:
                return spans[index]
        return found

    def in_example(self, offset: int) -> bool:
        """Whether an ``<example>`` element is open at ``offset``."""
        return self.text.rfind("<example", 0, offset) > self.text.rfind("</example", 0, offset)

    @cached_property
    def _places(self) -> list[Place]:
        ends = [match.end() for match in _LINE_END.finditer(self.text, self.start)]
        lines = [self.start, *ends, len(self.text)]
        places = []
        for block in self.tokens:
            if block.map and (kind := _KINDS.get(block.type)):
                first, end = (lines[min(line, len(lines) - 1)] for line in block.map)
                places.append(Place(kind, first, end, block.info.strip().lower()))
        return sorted(places, key=lambda place: place.start)

    def _code_spans(self, start: int, end: int) -> list[Place]:
        if start not in self._codes:
            self._codes[start] = list(self._find_code(start, end))
        return self._codes[start]

    def _find_code(self, start: int, end: int) -> Iterator[Place]:
        """The stretches between equal runs of backticks (CommonMark 6.1)."""
        runs = [
            (match.end() - match[0].count("`"), match.end(), match[0][0] == "\\")
            for match in _BACKTICKS.finditer(self.text, start, end)
        ]
        next_equal: dict[int, int] = {}
        closing = [0] * len(runs)
        for index in range(len(runs) - 1, -1, -1):
            first, last, escaped = runs[index]
            closing[index] = next_equal.get(last - first - escaped, 0)
            next_equal[last - first] = index
        index = 0
        while index < len(runs):
            if closing[index]:
                yield Place("code", runs[index][1], runs[closing[index]][0])
            index = max(closing[index], index) + 1


def _is_muddled(fence: Token) -> bool:
    """Whether the code block is unclosed, or another opens in it: then its author meant another."""
    first, end = fence.map or (0, 0)
    if end - first != fence.content.count("\n") + 2:
        return True
    inner = (match[1] for match in _OPENING_FENCE.finditer(fence.content))
    return any(marker.startswith(fence.markup) for marker in inner)
