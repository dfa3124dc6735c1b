"""The ladder of one slug for a terminal, and its copies side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Relation
from insomnia_skills.report.absence import mend_help
from insomnia_skills.report.commands import resolve_command
from insomnia_skills.report.draw import draw, print_wrapped, slug_text
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.resolve.comparison import incomparable_text, print_comparison
from insomnia_skills.report.text import PathNames, one_line
from insomnia_skills.resolution.comparison import Comparison
from insomnia_skills.resolution.ladder import Ladder, Outcome

_OUTCOMES = {
    Outcome.WINS: ("WINS", "bold green"),
    Outcome.SHADOWED: ("shadowed", "yellow"),
    Outcome.SKIPPED: ("broken", "red"),
}


def draw_ladder(ladder: Ladder, result: Ingest, labels: Labels, console: Console) -> None:
    """Where the slug leads, the ladder, and what would change it."""
    if ladder.winner is not None:
        _draw_winner(ladder, labels.name, console)
        console.print()
    _draw_rungs(ladder, labels, console)
    above = ladder.broken_above
    differ = any(shadow.relation is Relation.DIFFERENT for shadow in ladder.shadows)
    if above or differ or ladder.winner is None:
        console.print()
    if above and above.candidate:
        path = above.candidate.path
        print_wrapped(console, Text(f"Mend {labels.name(path)} and it wins instead."))
        if above.candidate.error:
            help_ = mend_help(above.candidate.error, path, labels.name)
            # Not wrapped, so that it can be copied whole.
            console.print(Text(f"  help: {help_}"), soft_wrap=True)
    if differ:
        command = resolve_command(ladder.slug, result, labels.name, "--diff")
        console.print(Text(f"How they differ: {command}"), soft_wrap=True)


def draw_comparisons(ladder: Ladder, comparisons: Sequence[Comparison], console: Console) -> None:
    """The winner beside each valid loser, and what can't be compared with it."""
    name = PathNames()
    _draw_winner(ladder, name, console)
    for comparison in comparisons:
        console.print()
        print_comparison(comparison, name, console)
    notes = [] if comparisons else ["There is no other valid copy to compare it with."]
    notes += (incomparable_text(broken, name) for broken in ladder.skipped)
    if notes:
        console.print()
    for note in notes:
        print_wrapped(console, Text(note))


def _draw_winner(ladder: Ladder, name: PathNames, console: Console) -> None:
    winner = ladder.winner
    if winner is not None and winner.candidate is not None:
        standing_in = ", standing in" if ladder.broken_above else ""
        target = f"{name(winner.candidate.path)}  ({winner.source.kind.label}{standing_in})"
        print_wrapped(console, Text.assemble(slug_text(ladder.slug), f" → {target}"))


def _draw_rungs(ladder: Ladder, labels: Labels, console: Console) -> None:
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
