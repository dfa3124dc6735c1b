"""One record a line: sources, conflicts, the rungs of a ladder, or what differs in two copies."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Relation
from insomnia_skills.report.plain import record_line
from insomnia_skills.report.resolve.comparison import body_notes, value_text
from insomnia_skills.report.text import PathNames, path_text, safe
from insomnia_skills.resolution.comparison import Comparison
from insomnia_skills.resolution.ladder import Ladder


def resolve_records(result: Ingest, only_conflicts: bool = False) -> Iterator[str]:
    """The kind of line first: source, conflict, stand-in, skipped, broken."""
    if not only_conflicts:
        for line in source_records(result):
            yield f"source\t{line}"
    for shadow in result.shadows:
        differs = ", ".join(shadow.differs)
        yield record_line(
            "conflict",
            shadow.slug,
            shadow.kept.path,
            shadow.lost.path,
            shadow.relation.value,
            differs if shadow.relation is Relation.DIFFERENT else "",
        )
    for record, broken in result.stand_ins:
        yield record_line("stand-in", record.slug, record.path, broken.path, broken.fault)
    if only_conflicts:
        return
    for candidate in (*result.skipped, *result.broken):
        status = "broken" if candidate.is_native else "skipped"
        yield record_line(status, candidate.slug, candidate.path, candidate.reason)


def source_records(result: Ingest) -> Iterator[str]:
    """rank, kind, path, origin, loaded, shadowed, skipped, why it is not scanned."""
    for source in result.sources:
        state = "" if source.scanned else source.absent
        numbers = result.counts(source)
        yield record_line(
            source.rank, source.kind.value, source.path, source.origin, *numbers, state
        )


def ladder_records(ladder: Ladder) -> Iterator[str]:
    """rank, source kind, outcome, path, reason, the rule that decided."""
    for rung in ladder.rungs:
        path = rung.candidate.path if rung.candidate else rung.source.path
        rank, kind = rung.source.rank, rung.source.kind.value
        yield record_line(rank, kind, rung.outcome.value, path, rung.reason, rung.rule.value)


def comparison_records(comparison: Comparison) -> Iterator[str]:
    """One record a line, its kind first; then the bodies as a unified diff.

    ``compare``: winner, loser, relation; ``field``: loser, name, winner's value, loser's value;
    ``file``: loser, path, what differs; ``body``: loser, what the diff does not show.
    """
    kept, lost = comparison.shadow.kept.path, comparison.shadow.lost.path
    yield record_line("compare", kept, lost, comparison.shadow.relation.value)
    for field in comparison.fields:
        values = value_text(field.kept), value_text(field.lost)
        yield record_line("field", lost, field.name, *values)
    for file in comparison.files:
        yield record_line("file", lost, file.path, file.change.value)
    if comparison.body:
        for note in body_notes(comparison.body, comparison, PathNames()):
            yield record_line("body", lost, note)
        if comparison.body.diff:
            yield f"--- {path_text(kept)}"
            yield f"+++ {path_text(lost)}"
            yield from safe(comparison.body.diff).removesuffix("\n").split("\n")
