"""One Workflow for a person: its fields, its resources, its body; or its mapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from insomnia_skills.invocation.mapping import Fate, Mapped
from insomnia_skills.invocation.preview import Preview, Reach
from insomnia_skills.limits import MAX_PARSED_CHARACTERS
from insomnia_skills.report.draw import dim, draw, print_wrapped
from insomnia_skills.report.markdown import OpenMarkdown
from insomnia_skills.report.show.fields import MARKS, plain_text, reach_label
from insomnia_skills.report.text import one_line, path_text, plural, safe, size_label
from insomnia_skills.resolution.ladder import Outcome

_MOST_LINES = 40
_MOST_IN_DIRECTORY = 12
_DEEPEST = 2 * 8
"""How far a tree is indented, in cells; what lies deeper has its path on one line."""
_LEAST_ABOUT = 12
_LONGEST_VALUE = 16

_BORDERS = {Outcome.WINS: "none", Outcome.SHADOWED: "yellow", Outcome.SKIPPED: "red"}
_FATES = {Fate.KEPT: "green", Fate.FIXED: "cyan", Fate.DROPPED: "red", Fate.LITERAL: "yellow"}


def show_panel(preview: Preview, fields: Sequence[tuple[str, str]], console: Console) -> None:
    """The fields in a panel, the resources as a tree, then the body as Markdown."""
    record, body = preview.record, preview.body
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for field, value in fields:
        note = " (not enforced)" if field == "allowed-tools" else ""
        grid.add_row(field, Text(value + note))
    description = Text(safe(record.description.strip()), overflow="fold")
    content = Group(description, Text(), grid) if description else grid
    mark = MARKS[preview.outcome]
    slug = Text.assemble((f"/{one_line(record.slug)}", "bold"), mark)
    fits = slug.cell_len + 6 <= console.width
    if not fits:
        console.print(slug, soft_wrap=True)
    console.print(
        Panel(
            content,
            title=slug if fits else None,
            title_align="left",
            padding=(0, 1),
            border_style=_BORDERS[preview.outcome],
        )
    )
    if preview.resources:
        _print_tree(record.slug, preview.resources, console)
    if len(body) > MAX_PARSED_CHARACTERS:
        limit = f"more than the {MAX_PARSED_CHARACTERS:,} that are drawn as Markdown"
        console.print(Text(f"The body has {len(body):,} characters, {limit}.", "dim"))
        console.print(Text(safe(body)))
    else:
        console.print(OpenMarkdown(body))


def mapping_table(preview: Preview, mapped: Sequence[Mapped], console: Console) -> None:
    """What becomes of each field, then how many have which fate."""
    slug = Text.assemble((f"/{one_line(preview.record.slug)}", "bold"), MARKS[preview.outcome])
    console.print(slug, soft_wrap=True)
    console.print()
    rows = [
        (_field(row), Text(row.fate.value, _FATES[row.fate]), Text(_consequence(row)))
        for row in mapped
    ]
    stacks = [(Text.assemble(field, "  ", fate), why) for field, fate, why in rows]
    draw(console, ("field", "is", "with this consequence"), rows, 2, fold=True, stacks=stacks)
    console.print()
    counts = ((sum(row.fate is fate for row in mapped), fate.value) for fate in Fate)
    console.print(Text(", ".join(f"{count} {word}" for count, word in counts if count)))


def _field(row: Mapped) -> Text:
    value = one_line(plain_text(row.value))
    if not value or len(value) > _LONGEST_VALUE or row.fate is Fate.LITERAL:
        return Text(one_line(row.field))
    return Text.assemble(f"{one_line(row.field)}: ", (value, "dim"))


def _consequence(row: Mapped) -> str:
    becomes = f"{one_line(row.becomes)}: " if row.fate is Fate.FIXED else ""
    where = ""
    if row.fate is Fate.LITERAL:
        word = "line" if len(row.lines) == 1 else "lines"
        where = f" ({word} {', '.join(map(str, row.lines))})"
    return f"{becomes}{one_line(row.consequence)}{where}"


class _Line(NamedTuple):
    """One line of the tree: a name with its guides, and for how many files it stands.

    Of a file also its size, and what else is to be said of it.
    """

    name: Text
    files: int = 0
    size: str = ""
    about: str = ""


def _print_tree(slug: str, reaches: Sequence[Reach], console: Console) -> None:
    print_wrapped(console, dim(f"{one_line(slug)}/"))
    ordered = sorted(reaches, key=lambda reach: reach.resource.path.split("/"))
    entries = [(reach.resource.path.split("/"), reach) for reach in ordered]
    # What a screen leaves out can be asked for; what a pipe has lost is lost.
    bounded = console.file.isatty()
    lines = list(_tree(entries, _MOST_IN_DIRECTORY if bounded else len(entries)))
    shown = lines[:_MOST_LINES] if bounded else lines
    files = [line for line in shown if line.size]
    width = max((line.name.cell_len for line in files), default=0)
    sizes = max((len(line.size) for line in files), default=0)
    aligned = width + sizes + _LEAST_ABOUT + 4 <= console.width
    for name, _, size, about in shown:
        gap = " " * (width - name.cell_len + 2) if aligned else "  "
        line = Text.assemble(name, gap, dim(f"{size:>{sizes if aligned else 0}}  {about}"))
        line.rstrip()
        print_wrapped(console, line, hang=4)
    if left := sum(line.files for line in lines[len(shown) :]):
        print_wrapped(console, dim(f"and {plural(left, 'more file')}"))
    if len(files) < len(reaches):
        print_wrapped(console, dim("--format plain lists all"))
    console.print()


def _tree(
    entries: Sequence[tuple[list[str], Reach]], most: int, guides: str = ""
) -> Iterator[_Line]:
    """The lines of a directory; ``entries`` are in order, each with the parts of its path.

    Of a directory with more than ``most`` files the first ones have a line.
    """
    groups: dict[tuple[str, bool], list[tuple[list[str], Reach]]] = {}
    for parts, reach in entries:
        below = parts[1:] if len(guides) < _DEEPEST else []
        name = parts[0] if len(guides) < _DEEPEST else "/".join(parts)
        groups.setdefault((name, bool(below)), []).append((below, reach))
    files = [key for key in groups if not key[1]]
    left_out = set(files[most - 1 :]) if len(files) > most else set()
    shown = [key for key in groups if key not in left_out]
    for number, (name, is_directory) in enumerate(shown, start=1):
        last = number == len(shown) and not left_out
        guide = dim(guides + ("└ " if last else "├ "))
        inside = groups[name, is_directory]
        if is_directory:
            yield _Line(Text.assemble(guide, f"{path_text(name)}/"))
            yield from _tree(inside, most, guides + ("  " if last else "│ "))
        else:
            reach = inside[0][1]
            about = ", ".join(filter(None, (reach.resource.kind, reach_label(reach))))
            size = size_label(reach.resource.size)
            style = "" if reach.rule else "yellow"
            yield _Line(Text.assemble(guide, (path_text(name), style)), 1, size, about)
    if left_out:
        rest = plural(len(left_out), "more file")
        yield _Line(dim(f"{guides}└ {rest}"), len(left_out))
