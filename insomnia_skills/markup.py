"""What stands where in a Markdown body: prose, code, comments. Parsed when first asked."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from insomnia_skills.limits import MAX_PARSED_CHARACTERS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

T = TypeVar("T")

_OPENING_FENCE = r"(?m)^[ \t]*(`{3,}|~{3,})[ \t]*[^\s`~]"
_BACKTICKS = r"\\?`+"
_LINE_END = r"\r\n|\r|\n"
_KINDS = {"inline": "prose", "fence": "block", "code_block": "block", "html_block": "html"}

# What can begin a code block, wherever it stands in its line.
_FENCE = r"((?:[ \t>*+-]|\d{1,9}[.)])*)(`{3,}|~{3,})([^\r\n]*)"
# A line that is not indented and comes after a blank one: whatever was open there is closed, but
# for code between fences.
_FRESH_LINE = r"\n[ \t\r]*\n(?=[^ \t\r\n])"
# What goes on after blank lines: HTML, and definitions, which other parts of the text make use of.
_WIDE_HTML = r"(?i)\n {0,3}<(?:(?:script|pre|style|textarea)\b|\?|![A-Za-z\[]|!--(?!.*-->))"
_DEFINITION = r"\n[ \t>*+.)\d-]*\[(?:[^\[\]\\]|\\[\s\S]){1,999}\]:"
_HTML_LINE = r"(?m)^[ \t>*+.)\d-]*<"
_PLAIN = (string.ascii_lowercase + " \t").encode()


class Place(NamedTuple):
    """A stretch of a body that is of one kind.

    ``kind`` is ``prose``, ``code`` (between backticks), ``block`` (a code block, whose language is
    ``info``), ``html`` or ``other``. Of ``code`` the stretch is without its backticks.
    """

    kind: str
    start: int
    end: int
    info: str = ""


class Hint(NamedTuple):
    """A text to look for in bodies, as UTF-8, and its `signs`."""

    data: bytes
    signs: bytes


def signs(data: bytes) -> bytes:
    """What a text has besides small letters and blanks, line ends among it.

    That is little of a body, so it is quickly told of most texts that they do not stand in one:
    their signs do not stand in its signs.
    """
    return data.translate(None, _PLAIN)


def hints(*texts: str) -> tuple[Hint, ...]:
    """Texts for `Markup.has_any`; each line end and blank in them counts."""
    return tuple(Hint(text.encode(), signs(text.encode())) for text in texts)


def matches(
    pattern: re.Pattern[str], beginning: str, text: str, start: int
) -> Iterator[re.Match[str]]:
    """As ``pattern.finditer``, several times as fast where what all matches begin with is rare."""
    at = text.find(beginning, start)
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield match
        at = text.find(beginning, match.end() if match else at + 1)


@cache
def commonmark() -> MarkdownIt:
    """A parser of blocks; what stands in them is left for its ``inline`` to parse."""
    from markdown_it import MarkdownIt  # 30 ms that only a file with something to judge pays

    return MarkdownIt("commonmark").disable("inline")


class Section:
    """A part of a body that reads the same alone as in its place; offsets count in the text."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.start = start
        self._text = text[start:end]
        self.environment: dict[str, Any] = {}

    @cached_property
    def tokens(self) -> list[Token]:
        """The blocks as markdown-it has them, lines 0-based from the section's first."""
        # The line end makes an unclosed fence one line shorter than a closed one, always.
        return commonmark().parse(self._text + "\n", self.environment)

    @cached_property
    def places(self) -> list[Place]:
        """The blocks that hold text, in order."""
        lines = [*self._lines, self.start + len(self._text)]
        places = []
        for block in self.tokens:
            if block.map and (kind := _KINDS.get(block.type)):
                first, end = (lines[min(line, len(lines) - 1)] for line in block.map)
                places.append(Place(kind, first, end, block.info.strip().lower()))
        return sorted(places, key=lambda place: place.start)

    def line(self, offset: int) -> int:
        """The 0-based line of the section that ``offset`` stands on."""
        return bisect_right(self._lines, offset) - 1

    @cached_property
    def _lines(self) -> list[int]:
        ends = (self.start + match.end() for match in re.finditer(_LINE_END, self._text))
        return [self.start, *ends]


class Markup:
    """The body of ``text``, which begins at ``start``; all offsets count in ``text``.

    ``data`` are the bytes of ``text``, where they are known, and ``signs`` its `signs`.

    ``reached`` has what the body has more of than is looked at, and how many that is. It is
    ``unclear`` where it is too large to parse in a blink, or its code fences are so muddled
    that nobody can tell code from prose. Only the sections that are asked for are parsed.
    """

    def __init__(self, text: str, start: int, data: bytes | None = None) -> None:
        self.text = text
        self.start = start
        self.data = text.encode("utf-8", "surrogatepass") if data is None else data
        self.signs = signs(self.data)
        self.reached: dict[str, int] = {}
        self._sections: dict[int, Section] = {}
        self._codes: dict[int, list[Place]] = {}

    @cached_property
    def visible(self) -> str:
        """The text with blanks where its body has HTML comments; as long as the text."""
        if "<" not in self.text:
            return self.text
        pieces: list[str] = []
        at = 0
        opening = self.text.find("<!--", self.start)
        while opening >= 0 and (closing := self.text.find("-->", opening + 4)) >= 0:
            comment = self.text[opening : closing + 3]
            pieces += self.text[at:opening], re.sub(r"[^\r\n]", " ", comment)
            at = closing + 3
            opening = self.text.find("<!--", at)
        return "".join((*pieces, self.text[at:]))

    def first(self, limit: int, found: Iterable[T], what: str) -> Iterator[T]:
        """What was found, as far as the limit; beyond it ``reached`` says so."""
        for count, one in enumerate(found):
            if count == limit:
                self.reached[what] = limit
                return
            yield one

    def has_any(self, texts: Iterable[Hint]) -> bool:
        """Whether one of these stands in the text, be it in a comment or above the body."""
        data, signs = self.data, self.signs
        for hint in texts:  # noqa: SIM110 - several times as fast as any()
            if hint.signs in signs and hint.data in data:
                return True
        return False

    @cached_property
    def unclear(self) -> bool:
        if self.is_large or self._cuts is not None:
            return self.is_large
        tokens = self.section(self.start).tokens
        return any(block.type == "fence" and _is_muddled(block) for block in tokens)

    def section(self, offset: int) -> Section:
        """The part of the body that ``offset`` stands in; empty if the body is too large."""
        cuts = [self.start, *(self._cuts or ())]
        index = max(bisect_right(cuts, offset) - 1, 0)
        if index not in self._sections:
            ends = [*cuts[1:], self.start if self.is_large else len(self.text)]
            self._sections[index] = Section(self.text, cuts[index], ends[index])
        return self._sections[index]

    def place(self, offset: int) -> Place:
        """What the character at ``offset`` belongs to."""
        places = self.section(offset).places
        index = bisect_right(places, offset, key=lambda place: place.start) - 1
        found = places[index] if index >= 0 else None
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

    @property
    def is_large(self) -> bool:
        """Whether the body is too large to parse in a blink."""
        return len(self.text) - self.start > MAX_PARSED_CHARACTERS

    @cached_property
    def _cuts(self) -> list[int] | None:
        return None if self.is_large else _find_cuts(self.text, self.start)

    def _code_spans(self, start: int, end: int) -> list[Place]:
        if start not in self._codes:
            self._codes[start] = list(self._find_code(start, end))
        return self._codes[start]

    def _find_code(self, start: int, end: int) -> Iterator[Place]:
        """The stretches between equal runs of backticks (CommonMark 6.1)."""
        runs = [
            (match.end() - match[0].count("`"), match.end(), match[0][0] == "\\")
            for match in re.compile(_BACKTICKS).finditer(self.text, start, end)
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


def _find_cuts(text: str, start: int) -> list[int] | None:
    """Where a body may be cut so that each part reads as before; None if that is hard to tell.

    Then it has no muddled fence: each has a plain line that closes it.
    """
    lines = "\n" + text[start:]  # a line end before each is quicker to find than a line's start
    if "\r" in text and "\r" in text.replace("\r\n", ""):
        return None
    if "<" in lines and re.search(_WIDE_HTML, lines):
        return None
    if "]:" in lines and re.search(_DEFINITION, lines):
        return None
    blocks = _find_blocks(text, start)
    if blocks is None:
        return None
    firsts = [first for first, _ in blocks]
    cuts = []
    # The line end before it may be the frontmatter's.
    for match in re.compile(_FRESH_LINE).finditer(text, max(start - 1, 0)):
        index = bisect_right(firsts, match.start() + 1) - 1
        if index < 0 or match.end() > blocks[index][1]:
            cuts.append(match.end())
    return cuts


def _find_blocks(text: str, start: int) -> list[tuple[int, int]] | None:
    """Where code blocks between fences start and end; None if one needs a second look."""
    blocks = []
    end = start
    html_line = re.compile(_HTML_LINE)
    opening: re.Match[str] | None = None
    for match in _find_fences(text, start):
        before, run, after = match.groups()
        if opening is None:
            # HTML that no blank line has ended takes in what looks like a fence.
            first = max(end, text.rfind("\n\n", end, match.start()))
            if before.strip(" ") or "`" in after or html_line.search(text, first, match.start()):
                return None
            opening = match
        elif run.startswith(opening[2]):
            # A line that is indented less may end the list that the block stands in.
            inside = text[opening.end() : match.start()].split("\n") if before else ()
            dented = any(line.strip(" \t\r") and not line.startswith(before) for line in inside)
            if before != opening[1] or after.strip(" \t") or dented:
                return None
            end = match.end()
            blocks.append((opening.start(), end))
            opening = None
    return None if opening else blocks


def _find_fences(text: str, start: int) -> Iterator[re.Match[str]]:
    """The lines that may begin or end a code block, in order."""
    fence = re.compile(_FENCE)
    lines = set()
    for run in ("```", "~~~"):
        at = text.find(run, start)
        while at >= 0:
            lines.add(text.rfind("\n", 0, at) + 1)
            end = text.find("\n", at)
            at = text.find(run, end) if end >= 0 else -1
    return filter(None, (fence.match(text, line) for line in sorted(lines) if line >= start))


def _is_muddled(fence: Token) -> bool:
    """Whether the code block is unclosed, or another opens in it: then its author meant another."""
    first, end = fence.map or (0, 0)
    if end - first != fence.content.count("\n") + 2:
        return True
    inner = (match[1] for match in re.finditer(_OPENING_FENCE, fence.content))
    return any(marker.startswith(fence.markup) for marker in inner)
