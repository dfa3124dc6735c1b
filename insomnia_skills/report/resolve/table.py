"""Sources, conflicts and the ladder of one slug as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from insomnia_skills.ladder import Ladder, Outcome
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Relation, Shadow
from insomnia_skills.report.draw import dim, draw, heading, slug_text
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import one_line


def resolve_tables(result: Ingest, labels: Labels, console: Console) -> None:
    """Sources by rank, then conflicts, stand-ins, what was skipped, and the notifications."""
    _draw_sources(console, result, labels)
    if result.shadows:
        heading(console, "Conflicts")
        _draw_conflicts(console, result.shadows, labels)
    stand_ins = [record for record in result.workflows if record.stand_in]
    if stand_ins:
        heading(console, "Standing in")
        broken = {c.slug: c for c in (*reversed(result.skipped), *result.broken)}
        rows = [
            (
                slug_text(record.slug),
                Text(labels.source(record.source)),
                Text(labels.source(broken[record.slug].source)),
                Text(one_line(broken[record.slug].reason), "red"),
            )
            for record in stand_ins
        ]
        draw(console, ("workflow", "from", "instead of", "because"), rows, flexible=3, fold=True)
    for title, candidates in (("Skipped", result.skipped), ("Broken", result.broken)):
        if candidates:
            heading(console, title)
            draw_broken(console, candidates, labels)
    if result.shadows:
        heading(console, "Notifications")
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
    draw(console, headings, rows, flexible=3, fold=True, stacks=stacks)


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
            cells = [dim(source.absent), Text(), Text()]
            words = source.absent
        rows.append((Text(source.rank), Text(label), dim(origin), *cells))
        stacks.append((Text(f"{source.rank} {label}"), dim(origin), Text(words)))
    draw(console, headings, rows, flexible=1, fold=True, stacks=stacks, numbers=(3, 4, 5))


def _draw_conflicts(console: Console, shadows: Sequence[Shadow], labels: Labels) -> None:
    rows, stacks = [], []
    for shadow in shadows:
        slug, they = slug_text(shadow.slug), Text(relation_text(shadow))
        wins, loses = labels.source(shadow.kept.source), labels.source(shadow.lost.source)
        rows.append((slug, Text(wins), Text(loses), they))
        stacks.append((slug, Text(f"{wins} over {loses}"), Text("they ").append_text(they)))
    headings = ("workflow", "wins", "loses", "they")
    draw(console, headings, rows, flexible=3, fold=True, stacks=stacks)


def draw_broken(console: Console, candidates: Sequence[Candidate], labels: Labels) -> None:
    """What has an error, each with the first one."""
    rows = [
        (
            slug_text(candidate.slug),
            Text(labels.source(candidate.source)),
            Text(one_line(candidate.reason), "red"),
        )
        for candidate in candidates
    ]
    draw(console, ("workflow", "from", "because"), rows, flexible=2, fold=True)


def relation_text(shadow: Shadow) -> str:
    """How a shadow and its winner relate, as a verb for "they"."""
    if shadow.relation is Relation.SAME_FILE:
        return "are the same file"
    if shadow.relation is Relation.IDENTICAL:
        return "are identical"
    return "differ in " + ", ".join(shadow.differs)
