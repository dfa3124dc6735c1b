"""Sources, contested slugs and what was skipped, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from insomnia_skills.pipeline import Ingest, StandIn
from insomnia_skills.registry import Candidate, Relation, Shadow
from insomnia_skills.report.draw import Row, dim, draw, fits, heading, print_wrapped, slug_text
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import one_line, plural
from insomnia_skills.sources import Source


def resolve_tables(result: Ingest, labels: Labels, console: Console) -> None:
    """Sources by rank, then contested slugs, stand-ins, and what was skipped or is broken."""
    draw_sources(console, result, labels)
    if result.candidates:
        console.print()
        conflict_tables(result, labels, console, ranks=True)
    for title, candidates in (("Skipped", result.skipped), ("Broken", result.broken)):
        if candidates:
            heading(console, title)
            draw_broken(console, candidates, labels, ranks=True)


def conflict_tables(result: Ingest, labels: Labels, console: Console, ranks: bool = False) -> None:
    """The contested slugs, and the stand-ins; or that there are none.

    With ``ranks``, sources whose names are too long for a table are called by their rank.
    """
    if result.shadows:
        console.print(Text("Conflicts", "bold"))
        _draw_conflicts(console, result.shadows, labels, ranks)
    else:
        console.print("No slug is contested.")
    if result.stand_ins:
        heading(console, "Standing in")
        _draw_stand_ins(console, result.stand_ins, labels, ranks)


def draw_last_line(result: Ingest, console: Console) -> None:
    """How many Workflows there are, and the commands that tell more."""
    parts = [plural(len(result.workflows), "workflow"), "why: resolve /SLUG"]
    if result.shadows:
        parts.append("what a Pod is told: resolve --notifications")
    line = Text(" · ".join(parts))
    console.print()
    for text in (line,) if line.cell_len <= console.width else map(Text, parts):
        print_wrapped(console, text)


def draw_sources(console: Console, result: Ingest, labels: Labels) -> None:
    """Every source by rank: where it was declared, and what became of its records."""
    counted = ("loaded", "shadowed", "skipped")
    rows, stacks = [], []
    for source in result.sources:
        counts = zip(result.counts(source), counted, strict=True)
        label, origin = labels.source(source), dim(labels.origin(source))
        if source.scanned:
            # One column, so that the words for a source that is not scanned have its whole width.
            numbers = [
                (f"{n:>{len(word)}}", "" if n else "dim", f"{n} {word}") for n, word in counts
            ]
            cell = Text("  ").join(Text(number, style) for number, style, _ in numbers)
            words = ", ".join(said for _, _, said in numbers)
        else:
            cell, words = Text(source.absent, "yellow"), source.absent
        rows.append((Text(source.rank), Text(label), origin, cell))
        stacks.append((Text(f"{source.rank} {label}"), origin, Text(words)))
    headings = ("rank", "source", "declared in", "  ".join(counted))
    draw(console, headings, rows, flexible=1, fold=True, stacks=stacks)


def _draw_conflicts(
    console: Console, shadows: Sequence[Shadow], labels: Labels, ranks: bool
) -> None:
    """A slug and its winner once, with all losers."""

    def rows(call: Callable[[Source], str]) -> Iterator[Row]:
        before = ""
        for shadow in shadows:
            slug, wins = Text(), Text()
            if shadow.slug != before:
                slug, wins = slug_text(shadow.slug), Text(call(shadow.kept.source))
            yield slug, wins, Text(call(shadow.lost.source)), Text(relation_text(shadow))
            before = shadow.slug

    stacks = []
    for slug, losers in groupby(shadows, key=lambda shadow: shadow.slug):
        stack = [slug_text(slug)]
        for shadow in losers:
            if len(stack) == 1:
                stack.append(Text(f"wins: {labels.source(shadow.kept.source)}"))
            loses = labels.source(shadow.lost.source)
            stack.append(Text(f"loses: {loses}; they {relation_text(shadow)}"))
        stacks.append(stack)
    headings = ("workflow", "wins", "loses", "they")
    _draw_records(console, headings, rows, stacks, labels, ranks)


def _draw_stand_ins(
    console: Console, stand_ins: Sequence[StandIn], labels: Labels, ranks: bool
) -> None:
    def rows(call: Callable[[Source], str]) -> Iterator[Row]:
        for record, broken in stand_ins:
            sources = Text(call(record.source)), Text(call(broken.source))
            yield slug_text(record.slug), *sources, Text(one_line(broken.fault), "red")

    stacks = [
        (slug, Text(f"{here.plain} instead of {above.plain}"), fault)
        for slug, here, above, fault in rows(labels.source)
    ]
    headings = ("workflow", "from", "instead of", "because")
    _draw_records(console, headings, rows, stacks, labels, ranks)


def draw_broken(
    console: Console, candidates: Sequence[Candidate], labels: Labels, ranks: bool = False
) -> None:
    """What has an error, each with the first one; ``ranks`` as in `conflict_tables`."""

    def rows(call: Callable[[Source], str]) -> Iterator[Row]:
        for candidate in candidates:
            source, reason = Text(call(candidate.source)), Text(one_line(candidate.reason), "red")
            yield slug_text(candidate.slug), source, reason

    headings = ("workflow", "from", "because")
    _draw_records(console, headings, rows, list(rows(labels.source)), labels, ranks)


def _draw_records(
    console: Console,
    headings: Sequence[str],
    rows: Callable[[Callable[[Source], str]], Iterator[Row]],
    stacks: Sequence[Row],
    labels: Labels,
    ranks: bool,
) -> None:
    """A table whose last column is folded; ``rows`` gets what sources are called in it."""
    last = len(headings) - 1
    table = list(rows(labels.source))
    if ranks and not fits(console, headings, table, last, fold=True):
        table = list(rows(lambda source: f"rank {source.rank}"))
    draw(console, headings, table, last, fold=True, stacks=stacks)


def relation_text(shadow: Shadow) -> str:
    """How a shadow and its winner relate, as a verb for "they"."""
    if shadow.relation is Relation.SAME_FILE:
        return "are the same file"
    if shadow.relation is Relation.IDENTICAL:
        return "are identical"
    return "differ in " + ", ".join(shadow.differs)
