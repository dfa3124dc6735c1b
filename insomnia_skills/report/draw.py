"""Drawing tables: which column gives way, and what becomes of rows where the screen is narrow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from insomnia_skills.report.screen import line_breaks, longest_word
from insomnia_skills.report.text import one_line

Row = Sequence[Text]

LEAST_FLEXIBLE = 24
"""Where the flexible column would get less than this, rows become short stacks of lines."""

_SHORT = 2 / 3
"""As many of the first cells must be short for the others to take lines of their own."""


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

    The columns ``numbers`` are set to the right. A few first cells that are much longer than the
    others take a line of their own, so that they don't squeeze all rows.

    Where the flexible column would still have too little room, or less than a word of it needs,
    each row becomes a short stack of lines: those of ``stacks``, else its cells.
    """
    sizes = _layout(console, headings, rows, flexible, fold)
    if sizes is None:
        _stack(console, stacks or rows, fold)
        return
    # A terminal can be made wider; what a pipe has lost is lost.
    fold = fold or not console.file.isatty()

    def begin(is_first: bool) -> Table:
        table = Table(box=None, header_style="dim", padding=(0, 1), show_header=is_first)
        for index, title in enumerate(headings):
            table.add_column(
                title,
                width=sizes[index],
                no_wrap=not (fold and index == flexible),
                overflow="fold" if fold else "ellipsis",
                justify="right" if index in numbers else "left",
            )
        return table

    table = begin(is_first=True)
    for row in rows:
        cells = list(row)
        if row[0].cell_len > sizes[0]:
            console.print(table)
            console.print(Text(" ").append_text(row[0]), soft_wrap=True)
            table, cells[0] = begin(is_first=False), Text()
        table.add_row(*cells)
    console.print(table)


def fits(
    console: Console, headings: Sequence[str], rows: Sequence[Row], flexible: int, fold: bool
) -> bool:
    """Whether `draw` makes a table of these rows."""
    return _layout(console, headings, rows, flexible, fold) is not None


def _layout(
    console: Console, headings: Sequence[str], rows: Sequence[Row], flexible: int, fold: bool
) -> list[int] | None:
    """The cells of each column; None where the rows have to be stacks."""
    sizes = widths(headings, rows)
    longest = max((longest_word(row[flexible].plain) for row in rows), default=0) if fold else 0
    least = max(longest, min(LEAST_FLEXIBLE, sizes[flexible]))
    missing = least - _room(console, sizes, flexible)
    if missing > 0 and flexible > 0:
        short = [row[0].cell_len for row in rows if row[0].cell_len <= sizes[0] - missing]
        if len(short) > len(rows) * _SHORT:
            sizes[0] = max(len(headings[0]), *short)
    room = _room(console, sizes, flexible)
    sizes[flexible] = min(sizes[flexible], room)
    return sizes if room >= least else None


def _room(console: Console, sizes: Sequence[int], flexible: int) -> int:
    """The cells that the flexible column may have."""
    return console.width - sum(size + 2 for i, size in enumerate(sizes) if i != flexible) - 2


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
                print_wrapped(console, cell, indent=2)
            else:
                line = Text("  ").append_text(cell)
                console.print(line, no_wrap=True, overflow="ellipsis")


def print_wrapped(console: Console, text: Text, indent: int = 0, hang: int = 0) -> None:
    """A text on lines of its own, each indented, those after the first by ``hang`` more.

    On a terminal they end between words.
    """
    room = console.width - indent - hang
    breaks = line_breaks(text.plain, room) if console.file.isatty() else ()
    for number, part in enumerate(text.divide(breaks)):
        part.rstrip()
        blanks = " " * (indent + (hang if number else 0))
        console.print(Text(blanks).append_text(part), soft_wrap=True)


def heading(console: Console, text: str) -> None:
    """An empty line, then a title."""
    console.print()
    console.print(Text(text, "bold"))


def next_steps(console: Console, steps: Iterable[tuple[str, str]]) -> None:
    """What comes next: each step in a word, then a command or a path; without a word, a note."""
    console.print("Next")
    for step, text in steps:
        if step:
            console.print(Text.assemble((f"  {step:<8}", "dim"), text), soft_wrap=True)
        else:
            print_wrapped(console, Text(text), indent=10)


def slug_text(slug: str, mark: str = "") -> Text:
    """A slug as it is called, with a mark behind it."""
    return Text.assemble((f"/{one_line(slug)}", "bold"), (mark, "yellow"))


def dim(text: str) -> Text:
    """What matters less."""
    return Text(text, "dim")
