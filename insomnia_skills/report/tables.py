"""Tables for a terminal: of records, of sources, of conflicts, of read rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from insomnia_skills.ingest import Ingest
from insomnia_skills.ladder import Ladder, Outcome, first_error
from insomnia_skills.registry import Relation, Shadow
from insomnia_skills.report.labels import origin_label, record_label, source_label
from insomnia_skills.report.text import PathNames, one_line
from insomnia_skills.scope import ReadRule

_PATH_FROM_WIDTH = 130
"""From this width on, the list has a column for the path too."""

_NUMBERS = ("loaded", "shadowed", "skipped")

_STACK_BELOW = 24
"""Where less than this is left for the last column, rows become short stacks of lines."""


def list_table(result: Ingest, everything: bool, name: PathNames, console: Console) -> None:
    """The records: slug, source, description, and the path where there is room."""
    wide = console.width >= _PATH_FROM_WIDTH
    rows = [
        [
            _slug(record.slug, " ↩" if record.stand_in else ""),
            _dim(source_label(record.source, name)),
            Text(one_line(record.description)),
            _dim(name(record.path)),
        ]
        for record in result.workflows
    ]
    if everything:
        rows += (
            [
                Text(f"/{shadow.slug}", "dim"),
                _dim(source_label(shadow.lost.source, name)),
                Text.assemble(
                    ("shadowed", "yellow"), f" by {record_label(shadow.kept, name)}", style="dim"
                ),
                _dim(name(shadow.lost.path)),
            ]
            for shadow in result.shadows
        )
        rows += (
            [
                Text(one_line(f"/{candidate.slug}"), "dim"),
                _dim(source_label(candidate.source, name)),
                Text.assemble(
                    ("broken" if candidate.is_native else "skipped", "red"),
                    f": {one_line(first_error(candidate))}",
                ),
                _dim(name(candidate.path)),
            ]
            for candidate in (*result.skipped, *result.broken)
        )
    headings = ("workflow", "from", "description", "path")
    count = 4 if wide else 3
    _draw(console, headings[:count], [row[:count] for row in rows], whole=1)


def resolve_tables(result: Ingest, name: PathNames, console: Console, notes: bool) -> None:
    """Sources by rank, then conflicts, stand-ins, skipped; the notifications where asked for."""
    rows = []
    for source in result.sources:
        counts = result.counts(source)
        numbers = (
            [Text(str(n), "" if n else "dim") for n in (counts.loaded, counts.shadowed, counts.skipped)]
            if source.scanned
            else [_dim(source.absent), Text(), Text()]
        )
        rows.append(
            [
                Text(source.rank),
                Text(source_label(source, name)),
                _dim(origin_label(source, name)),
                *numbers,
            ]
        )
    headings = ("rank", "source", "declared in", "loaded", "shadowed", "skipped")
    _draw(console, headings, rows, whole=2)
    if result.shadows:
        _heading(console, "Conflicts")
        conflicts = [
            [
                _slug(shadow.slug),
                Text(record_label(shadow.kept, name)),
                Text(record_label(shadow.lost, name)),
                Text(_relation(shadow)),
            ]
            for shadow in result.shadows
        ]
        _draw(console, ("workflow", "wins", "loses", "they"), conflicts, whole=1)
    stand_ins = [record for record in result.workflows if record.stand_in]
    if stand_ins:
        _heading(console, "Standing in")
        broken = {c.slug: c for c in (*reversed(result.skipped), *result.broken)}
        for record in stand_ins:
            above = broken[record.slug]
            console.print(
                Text.assemble(
                    " ",
                    _slug(record.slug),
                    f"  {source_label(record.source, name)}, because {name(above.path)} is broken",
                )
            )
    for title, candidates in (("Skipped", result.skipped), ("Broken", result.broken)):
        if candidates:
            _heading(console, title)
            skipped = [
                [
                    Text(one_line(f"/{candidate.slug}"), "bold"),
                    Text(source_label(candidate.source, name)),
                    Text(one_line(first_error(candidate)), "red"),
                ]
                for candidate in candidates
            ]
            _draw(console, ("workflow", "from", "why"), skipped, whole=1, fold=True)
    if result.shadows and notes:
        _heading(console, "Notifications")
        for shadow in result.shadows:
            console.print(Text(one_line(shadow.message)), soft_wrap=True)


_OUTCOMES = {
    Outcome.WINS: ("WINS", "bold green"),
    Outcome.SHADOWED: ("shadowed", "yellow"),
    Outcome.SKIPPED: ("broken", "red"),
}


def ladder_table(ladder: Ladder, name: PathNames, console: Console) -> None:
    """Every source from the highest rank down, and what it had for the slug."""
    rows = []
    for rung in ladder.rungs:
        reason = one_line(rung.reason)
        if rung.outcome is Outcome.ABSENT:
            what = [Text(), _dim(reason)]
        else:
            word, style = _OUTCOMES[rung.outcome]
            what = [Text(word, style), Text(reason)]
        rows.append([Text(rung.source.rank), Text(source_label(rung.source, name)), *what])
    _draw(console, ("rank", "source", "outcome", "why"), rows, whole=3, fold=True)


def scope_table(rules: Iterable[ReadRule], name: PathNames, console: Console) -> None:
    """The read rules: what may be read, on whose behalf."""
    rows = [
        [
            _slug(rule.slug),
            Text(rule.permission),
            Text(name(rule.target) + ("/**" if rule.recursive else "")),
        ]
        for rule in rules
    ]
    _draw(console, ("workflow", "permission", "target"), rows, whole=3)


def _draw(
    console: Console,
    headings: Sequence[str],
    rows: list[list[Text]],
    whole: int,
    fold: bool = False,
) -> None:
    """A table in which the first ``whole`` columns are never cut; others are, the last may fold.

    Where the whole columns leave too little room, each row becomes a short stack of lines.
    """
    widths = [
        max(len(heading), *(row[index].cell_len for row in rows), 0)
        for index, heading in enumerate(headings)
    ]
    room = console.width - sum(width + 2 for width in widths[:whole])
    others = widths[whole:]
    if room < min(_STACK_BELOW, sum(width + 2 for width in others)):
        _stack(console, rows, fold)
        return
    table = Table(box=None, header_style="dim", padding=(0, 1))
    for index, heading in enumerate(headings):
        width = widths[index]
        last = index == len(headings) - 1
        if index >= whole:
            # What is left goes to the last column, but no column before it takes over a third.
            width = min(width, room - 2 if last else max(room // 3, _STACK_BELOW // 2) - 2)
            room -= width + 2
        table.add_column(
            heading,
            width=width,
            no_wrap=not (fold and last),
            overflow="fold" if fold and last else "ellipsis",
            justify="right" if heading in _NUMBERS else "left",
        )
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _stack(console: Console, rows: list[list[Text]], fold: bool) -> None:
    for row in rows:
        first, *rest = (cell for cell in row if cell.plain)
        console.print(first, soft_wrap=True)
        for cell in rest:
            line = Text("  ").append_text(cell)
            if fold:
                console.print(line, soft_wrap=True)
            else:
                console.print(line, no_wrap=True, overflow="ellipsis")


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, "bold"))


def _slug(slug: str, mark: str = "") -> Text:
    return Text.assemble((f"/{one_line(slug)}", "bold"), (mark, "yellow"))


def _dim(text: str) -> Text:
    return Text(one_line(text), "dim")


def _relation(shadow: Shadow) -> str:
    if shadow.relation is Relation.SAME_FILE:
        return "are the same file"
    if shadow.relation is Relation.IDENTICAL:
        return "are identical"
    return "differ in " + ", ".join(shadow.differs)
