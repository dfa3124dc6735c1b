"""Findings for a person: what is wrong, where, the line itself, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from insomnia_skills.diagnostic import Diagnostic, Excerpt
from insomnia_skills.report.check import Results
from insomnia_skills.report.check.summary import summary_lines
from insomnia_skills.report.diagnostics import STYLES
from insomnia_skills.report.screen import line_breaks
from insomnia_skills.report.text import PathNames, one_line, safe

if TYPE_CHECKING:
    from rich.console import Console

_INDENT = "  "
_TAB = " " * 4
_LEAST_WIDTH = 20


def render(results: Results) -> str:
    """The whole text without colour; lines are as long as they are."""
    return "".join(f"{line.plain}\n" for line in _lines(results, None))


def print_lines(lines: Iterable[Text], console: Console) -> None:
    """Write lines as they are, in colour where the console has it."""
    if console.no_color:  # several times as fast
        console.file.writelines(f"{line.plain}\n" for line in lines)
    elif whole := Text("\n").join(lines):  # as is one call for many lines
        console.print(whole, soft_wrap=True)


def _lines(results: Results, width: int | None) -> Iterator[Text]:
    name = PathNames()
    for diagnostic in results.shown:
        yield from block(diagnostic, name, width)
    yield from summary(results, width)


def summary(results: Results, width: int | None) -> Iterator[Text]:
    """The totals, and what to do next; nothing where nobody wants to hear it."""
    for parts in () if results.quiet else summary_lines(results):
        yield from _wrapped(Text.assemble(*parts), width)


def block(diagnostic: Diagnostic, name: PathNames, width: int | None) -> Iterator[Text]:
    """A diagnostic, its source line and its help.

    Sentences are wrapped and source lines cut to ``width`` cells; without it, neither.
    """
    style = STYLES[diagnostic.severity]
    head = Text.assemble(
        (f"{diagnostic.severity.value}[{diagnostic.rule}]", style),
        (f": {one_line(diagnostic.message)}", "bold"),
    )
    yield from _wrapped(head, width)
    place = f"{name(diagnostic.path)}:{diagnostic.line}:{diagnostic.column}"
    yield Text.assemble(_INDENT, (place, "blue"))
    if diagnostic.excerpt:
        yield from _source(diagnostic, diagnostic.excerpt, width)
    for message, path, span in diagnostic.related:
        place = f"{name(path)}:{span.line}:{span.column}"
        yield from _labelled("see:  ", f"{place}: {one_line(message)}", width)
    if diagnostic.help:
        yield from _labelled("help: ", one_line(diagnostic.help), width)
    if fix := diagnostic.fix:
        option = "--fix" if fix.safe else "--unsafe-fixes"
        yield from _labelled("fix:  ", f"{one_line(fix.title)} ({option})", width)
    yield Text()


def _labelled(label: str, text: str, width: int | None) -> Iterator[Text]:
    return _wrapped(Text(text), width, Text.assemble(_INDENT, (label, "green")))


def _wrapped(text: Text, width: int | None, label: Text | None = None) -> Iterator[Text]:
    """A sentence, broken between words only. Its lines are indented as far as its label is long."""
    label = Text() if label is None else label
    indent = " " * (label.cell_len or len(_INDENT))
    if width is None or label.cell_len + text.cell_len <= width:
        yield Text.assemble(label, text)
        return
    breaks = line_breaks(text.plain, max(width - len(indent), _LEAST_WIDTH))
    for index, line in enumerate(text.divide(breaks)):
        line.rstrip()
        yield Text.assemble(indent if index else label, line)


def _source(diagnostic: Diagnostic, excerpt: Excerpt, width: int | None) -> Iterator[Text]:
    """The line of the source with its number, and a line that underlines the place in it."""
    number = str(diagnostic.line)
    gutter = f"{_INDENT}{number} │ "
    room = None if width is None else max(width - len(gutter), _LEAST_WIDTH)
    start = diagnostic.column - excerpt.column
    on_one_line = diagnostic.end_line == diagnostic.line
    end = diagnostic.end_column - excerpt.column if on_one_line else len(excerpt.text)
    shown, before, marked = _window(excerpt, max(start, 0), max(end, start), room)
    yield Text.assemble((gutter, "blue"), shown)
    yield Text.assemble(
        (f"{_INDENT}{' ' * len(number)} │ ", "blue"),
        " " * before,
        ("^" * max(marked, 1), STYLES[diagnostic.severity]),
    )


def _window(excerpt: Excerpt, start: int, end: int, room: int | None) -> tuple[str, int, int]:
    """What of a line is shown, and how many cells stand before and in ``excerpt[start:end]``.

    ``…`` stands for what is cut off: before the excerpt, and to fit the ``room``.
    """
    pieces = [_shown(character) for character in excerpt.text]
    widths = [cell_len(piece) for piece in pieces]
    first, last = 0, len(pieces)
    if room is not None and sum(widths) + (excerpt.column > 1) > room:
        room -= 2  # for the marks of what is cut off
        if sum(widths[:end]) > room:
            first = start
            while first and sum(widths[first - 1 : start]) <= room // 3:
                first -= 1
        last = first
        while last < len(pieces) and sum(widths[first : last + 1]) <= room:
            last += 1
    left = "…" if first or excerpt.column > 1 else ""
    right = "…" if last < len(pieces) else ""
    before = len(left) + sum(widths[first:start])
    text = left + "".join(pieces[first:last]) + right
    return text.rstrip() if not right else text, before, sum(widths[start : min(end, last)])


def _shown(character: str) -> str:
    return _TAB if character == "\t" else safe(character)
