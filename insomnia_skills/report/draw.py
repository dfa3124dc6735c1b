"""Drawing tables: which column gives way, and what becomes of rows where the screen is narrow."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from insomnia_skills.report.screen import line_breaks
from insomnia_skills.report.text import one_line

Row = Sequence[Text]

_LEAST_FLEXIBLE = 24
"""Where the flexible column would get less than this, rows become short stacks of lines."""


def draw(
    console: Console,
    headings: Sequence[str],
    rows: Sequence[Row],
    flexible: int,
    fold: bool = False,
    stacks: Sequence[Row] | None = None,
    numbers: Collection[int] = (),
) -> None:
    """A table in which only the ``flexible`` column is cut or, with ``fold``, wrapped.

    The columns ``numbers`` are set to the right.

    Where that would leave it too little room, each row becomes a short stack of lines: those of
    ``stacks``, else its cells.
    """
    sizes = widths(headings, rows)
    room = console.width - sum(size + 2 for i, size in enumerate(sizes) if i != flexible) - 2
    if room < min(_LEAST_FLEXIBLE, sizes[flexible]):
        _stack(console, stacks or rows, fold)
        return
    sizes[flexible] = min(sizes[flexible], room)
    # A terminal can be made wider; what a pipe has lost is lost.
    fold = fold or not console.file.isatty()
    table = Table(box=None, header_style="dim", padding=(0, 1))
    for index, title in enumerate(headings):
        table.add_column(
            title,
            width=sizes[index],
            no_wrap=not (fold and index == flexible),
            overflow="fold" if fold else "ellipsis",
            justify="right" if index in numbers else "left",
        )
    for row in rows:
        table.add_row(*row)
    console.print(table)


def widths(headings: Sequence[str], rows: Sequence[Row]) -> list[int]:
    """The cells that each column of a table needs to show everything."""
    return [
        max(len(title), *(row[index].cell_len for row in rows), 0)
        for index, title in enumerate(headings)
    ]


def _stack(console: Console, rows: Sequence[Row], fold: bool) -> None:
    fold = fold or not console.file.isatty()
    for row in rows:
        first, *rest = (cell for cell in row if cell.plain)
        console.print(first, soft_wrap=True)
        for cell in rest:
            if fold:
                _print_wrapped(console, cell)
            else:
                line = Text("  ").append_text(cell)
                console.print(line, no_wrap=True, overflow="ellipsis")


def _print_wrapped(console: Console, cell: Text) -> None:
    """A cell on lines of its own, indented; on a terminal they end between words."""
    breaks = line_breaks(cell.plain, console.width - 2) if console.file.isatty() else ()
    for part in cell.divide(breaks):
        part.rstrip()
        console.print(Text("  ").append_text(part), soft_wrap=True)


def heading(console: Console, text: str) -> None:
    """An empty line, then a title."""
    console.print()
    console.print(Text(text, "bold"))


def slug_text(slug: str, mark: str = "") -> Text:
    """A slug as it is called, with a mark behind it."""
    return Text.assemble((f"/{one_line(slug)}", "bold"), (mark, "yellow"))


def dim(text: str) -> Text:
    """What matters less."""
    return Text(text, "dim")
