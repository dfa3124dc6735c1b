"""Markdown rendered so that a reader sees all that a model is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table
from rich.text import Text

from insomnia_skills.report.text import safe

_HIDING = ["entity", "html_block", "html_inline", "image", "reference"]
_WORD = re.compile(r"[\w+#.-]{0,20}")
"""What may stand behind a fence and name a language, which the colours show."""
_BAR = re.compile(r"(?<!\\)\|")
_INDENTS = {"blockquote": 4, "bullet_list": 3, "ordered_list": 5}
"""About as many cells less has what is in it."""
_DEEPEST = 18
"""The parser drops what lies deeper than level 20."""
_LEAST_CELLS = 8
"""Columns of a table that get less can't be read."""
_MOST_ROWS = 500
"""A table of more rows takes seconds to be laid out."""


class _OpenTable(TableElement):
    """A table whose cells are never cut; where that can't be, its source."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = lines

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> MarkdownElement:
        start, end = token.map or (0, 0)
        return cls(markdown.markup.split("\n")[start:end])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = self.header.row.cells if self.header and self.header.row else []
        room = options.max_width // (_LEAST_CELLS + 2)
        is_long = len(self._lines) > _MOST_ROWS
        # The parser drops the cells of a row that has more of them than the head.
        if (
            is_long
            or len(heads) > room
            or any(_count_cells(line) > len(heads) for line in self._lines)
        ):
            yield Text("\n".join(self._lines))
            return
        table = Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)
        for cell in heads:
            table.add_column(cell.content, overflow="fold")
        for row in self.body.rows if self.body else ():
            table.add_row(*(cell.content for cell in row.cells))
        yield table


class OpenMarkdown(Markdown):
    """rich's Markdown, but nothing in the text stays hidden.

    A preview that leaves out HTML comments, the addresses of images, the titles of links or unused
    references would hide just what somebody hides there. Links show their address and are no escape
    sequences. What can't be rendered whole, a table with too many columns say, is shown as written.
    """

    elements: ClassVar = {**Markdown.elements, "table_open": _OpenTable}

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = safe(text)
        parser = MarkdownIt().enable(["strikethrough", "table"]).disable(_HIDING)
        self.parsed = _opened(parser.parse(self.markup))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        too_deep = any(token.level >= _DEEPEST for token in self.parsed)
        if too_deep or 2 * _indent(self.parsed) > options.max_width:
            yield Text(self.markup)
        else:
            yield from super().__rich_console__(console, options)


def _count_cells(line: str) -> int:
    """The cells of a table's line, which may stand in a quote."""
    return len(_BAR.findall(line.strip("> \t").removeprefix("|").removesuffix("|"))) + 1


def _indent(tokens: Iterable[Token]) -> int:
    """About how far, in cells, the text that stands deepest in lists and quotes is indented."""
    indents = [0]
    for token in tokens:
        cells = _INDENTS.get(token.type.rpartition("_")[0], 0)
        indents.append(indents[-1] + token.nesting * cells)
    return max(indents)


def _opened(tokens: Sequence[Token]) -> list[Token]:
    for token in tokens:
        if token.children:
            token.children = _opened(token.children)
        info, title = safe(token.info.strip()), token.attrs.get("title")
        if token.type == "fence" and not _WORD.fullmatch(info):
            token.content = f"{info}\n{token.content}"
        elif token.type == "link_open" and title:
            token.attrs["href"] = f'{token.attrs["href"]} "{safe(str(title))}"'
    return list(tokens)
