"""Tables for a terminal: of records, of sources, of conflicts, of read rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from insomnia_skills.ladder import Ladder, Outcome
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Relation, Shadow
from insomnia_skills.report.diagnostics import STYLES
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import PathNames, one_line
from insomnia_skills.rule import Rule
from insomnia_skills.scope import ReadRule

Row = Sequence[Text]

_LEAST_FLEXIBLE = 24
"""Where the flexible column would get less than this, rows become short stacks of lines."""

_DESCRIPTION_BESIDE_PATH = 50
"""What a description must keep for the list to have a column of paths."""


def list_table(result: Ingest, everything: bool, labels: Labels, console: Console) -> None:
    """The records: slug, source, description, and the path where there is room."""
    records = [
        (
            _slug(record.slug, " ↩" if record.stand_in else ""),
            _dim(labels.source(record.source)),
            Text(one_line(record.description)),
            _dim(labels.name(record.path)),
        )
        for record in result.workflows
    ]
    _draw_records(console, ("workflow", "from", "description", "path"), records)
    if not everything:
        return
    shadowed = [
        (
            _slug(shadow.slug),
            _dim(labels.source(shadow.lost.source)),
            Text(f"{labels.source(shadow.kept.source)}; they {_relation(shadow)}"),
            _dim(labels.name(shadow.lost.path)),
        )
        for shadow in result.shadows
    ]
    if shadowed:
        _heading(console, "Shadowed")
        _draw_records(console, ("workflow", "from", "shadowed by", "path"), shadowed)
    for title, candidates in (("Skipped", result.skipped), ("Broken", result.broken)):
        if candidates:
            _heading(console, title)
            _draw_broken(console, candidates, labels)


def resolve_tables(result: Ingest, labels: Labels, console: Console) -> None:
    """Sources by rank, then conflicts, stand-ins, what was skipped, and the notifications."""
    _draw_sources(console, result, labels)
    if result.shadows:
        _heading(console, "Conflicts")
        _draw_conflicts(console, result.shadows, labels)
    stand_ins = [record for record in result.workflows if record.stand_in]
    if stand_ins:
        _heading(console, "Standing in")
        broken = {c.slug: c for c in (*reversed(result.skipped), *result.broken)}
        rows = [
            (
                _slug(record.slug),
                Text(labels.source(record.source)),
                Text(labels.source(broken[record.slug].source)),
                Text(one_line(broken[record.slug].reason), "red"),
            )
            for record in stand_ins
        ]
        _draw(console, ("workflow", "from", "instead of", "because"), rows, flexible=3, fold=True)
    for title, candidates in (("Skipped", result.skipped), ("Broken", result.broken)):
        if candidates:
            _heading(console, title)
            _draw_broken(console, candidates, labels)
    if result.shadows:
        _heading(console, "Notifications")
        for shadow in result.shadows:
            console.print(Text(one_line(shadow.message)), soft_wrap=True)


_OUTCOMES = {
    Outcome.WINS: ("WINS", "bold green"),
    Outcome.SHADOWED: ("shadowed", "yellow"),
    Outcome.SKIPPED: ("broken", "red"),
}


def ladder_table(ladder: Ladder, labels: Labels, console: Console) -> None:
    """Every source from the highest rank down, and what it had for the slug."""
    rows, stacks = [], []
    for rung in ladder.rungs:
        reason = Text(one_line(rung.reason))
        outcome = Text()
        if rung.outcome is Outcome.ABSENT:
            reason.stylize("dim")
        else:
            word, style = _OUTCOMES[rung.outcome]
            outcome = Text(word, style)
        source = labels.source(rung.source)
        rows.append((Text(rung.source.rank), Text(source), outcome, reason))
        what = Text("  ").join(part for part in (outcome, reason) if part.plain)
        stacks.append((Text(f"{rung.source.rank} {source}"), what))
    headings = ("rank", "source", "outcome", "why")
    _draw(console, headings, rows, flexible=3, fold=True, stacks=stacks)


def scope_table(rules: Iterable[ReadRule], name: PathNames, console: Console) -> None:
    """The read rules: what may be read, on whose behalf."""
    rows = [
        (
            _slug(rule.slug),
            Text(rule.permission),
            Text(name(rule.target) + ("/**" if rule.recursive else "")),
        )
        for rule in rules
    ]
    _draw(console, ("workflow", "permission", "target"), rows, flexible=2, fold=True)


def rules_table(rules: Iterable[Rule[..., Any]], console: Console) -> None:
    """The rules by theme: name, severity, what kind of fix there is, and what each finds."""
    from insomnia_skills.catalogue import theme_of  # brings all rules, which no other table needs
    from insomnia_skills.report.rules import prose

    rows: list[Row] = []
    stacks: list[Row] = []
    for theme, of_theme in groupby(rules, theme_of):
        title = Text(f"\n{theme}", "bold")
        rows.append((title, Text(), Text(), Text()))
        stacks.append((title,))
        for rule in of_theme:
            severity = Text(rule.severity.value, STYLES[rule.severity])
            fix, summary = Text(rule.fix or ""), Text(prose(rule.summary))
            rows.append((Text(rule.name), severity, fix, summary))
            kind = Text.assemble(severity, f", {fix.plain} fix" if rule.fix else "")
            stacks.append((Text(rule.name), kind, summary))
    _draw(console, ("rule", "severity", "fix", "finds"), rows, flexible=3, fold=True, stacks=stacks)


def _draw_records(console: Console, headings: Sequence[str], rows: Sequence[Row]) -> None:
    """Records with their paths, or without where the description would suffer."""
    others = sum(width + 2 for i, width in enumerate(_widths(headings, rows)) if i != 2)
    count = 4 if console.width - others - 2 >= _DESCRIPTION_BESIDE_PATH else 3
    _draw(console, headings[:count], [row[:count] for row in rows], flexible=2)


def _draw_broken(console: Console, candidates: Sequence[Candidate], labels: Labels) -> None:
    rows = [
        (
            _slug(candidate.slug),
            Text(labels.source(candidate.source)),
            Text(one_line(candidate.reason), "red"),
        )
        for candidate in candidates
    ]
    _draw(console, ("workflow", "from", "because"), rows, flexible=2, fold=True)


def _draw_conflicts(console: Console, shadows: Sequence[Shadow], labels: Labels) -> None:
    rows, stacks = [], []
    for shadow in shadows:
        slug, they = _slug(shadow.slug), Text(_relation(shadow))
        wins, loses = labels.source(shadow.kept.source), labels.source(shadow.lost.source)
        rows.append((slug, Text(wins), Text(loses), they))
        stacks.append((slug, Text(f"{wins} over {loses}"), Text("they ").append_text(they)))
    headings = ("workflow", "wins", "loses", "they")
    _draw(console, headings, rows, flexible=3, fold=True, stacks=stacks)


def _draw_sources(console: Console, result: Ingest, labels: Labels) -> None:
    headings = ("rank", "source", "declared in", "loaded", "shadowed", "skipped")
    rows, stacks = [], []
    for source in result.sources:
        numbers = result.counts(source)
        label, origin = labels.source(source), labels.origin(source)
        if source.scanned:
            cells = [Text(str(number), "" if number else "dim") for number in numbers]
            words = ", ".join(f"{n} {word}" for n, word in zip(numbers, headings[3:], strict=True))
        else:
            cells = [_dim(source.absent), Text(), Text()]
            words = source.absent
        rows.append((Text(source.rank), Text(label), _dim(origin), *cells))
        stacks.append((Text(f"{source.rank} {label}"), _dim(origin), Text(words)))
    _draw(console, headings, rows, flexible=1, fold=True, stacks=stacks)


def _widths(headings: Sequence[str], rows: Sequence[Row]) -> list[int]:
    return [
        max(len(heading), *(row[index].cell_len for row in rows), 0)
        for index, heading in enumerate(headings)
    ]


def _draw(
    console: Console,
    headings: Sequence[str],
    rows: Sequence[Row],
    flexible: int,
    fold: bool = False,
    stacks: Sequence[Row] | None = None,
) -> None:
    """A table in which only the ``flexible`` column is cut or, with ``fold``, wrapped.

    Where that would leave it too little room, each row becomes a short stack of lines: those of
    ``stacks``, else its cells.
    """
    widths = _widths(headings, rows)
    room = console.width - sum(width + 2 for i, width in enumerate(widths) if i != flexible) - 2
    if room < min(_LEAST_FLEXIBLE, widths[flexible]):
        _stack(console, stacks or rows, fold)
        return
    widths[flexible] = min(widths[flexible], room)
    # A terminal can be made wider; what a pipe has lost is lost.
    fold = fold or not console.file.isatty()
    table = Table(box=None, header_style="dim", padding=(0, 1))
    for index, heading in enumerate(headings):
        table.add_column(
            heading,
            width=widths[index],
            no_wrap=not (fold and index == flexible),
            overflow="fold" if fold else "ellipsis",
            justify="right" if heading in ("loaded", "shadowed", "skipped") else "left",
        )
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _stack(console: Console, rows: Sequence[Row], fold: bool) -> None:
    fold = fold or not console.file.isatty()
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
    return Text(text, "dim")


def _relation(shadow: Shadow) -> str:
    if shadow.relation is Relation.SAME_FILE:
        return "are the same file"
    if shadow.relation is Relation.IDENTICAL:
        return "are identical"
    return "differ in " + ", ".join(shadow.differs)
