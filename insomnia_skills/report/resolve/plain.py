"""One record a line: sources, conflicts, or the rungs of a ladder."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.ladder import Ladder
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Relation
from insomnia_skills.report.plain import record_line


def resolve_records(result: Ingest) -> Iterator[str]:
    """The kind of line first: source, conflict, stand-in, skipped, notification."""
    for source in result.sources:
        state = "" if source.scanned else source.absent
        numbers = result.counts(source)
        yield record_line(
            "source", source.rank, source.kind.value, source.path, source.origin, *numbers, state
        )
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
    for record in result.workflows:
        if record.stand_in:
            yield record_line("stand-in", record.slug, record.path)
    for candidate in (*result.skipped, *result.broken):
        status = "broken" if candidate.is_native else "skipped"
        yield record_line(status, candidate.slug, candidate.path, candidate.reason)
    for shadow in result.shadows:
        yield record_line("notification", shadow.slug, shadow.message)


def ladder_records(ladder: Ladder) -> Iterator[str]:
    """rank, source kind, outcome, path, reason."""
    for rung in ladder.rungs:
        path = rung.candidate.path if rung.candidate else rung.source.path
        yield record_line(
            rung.source.rank, rung.source.kind.value, rung.outcome.value, path, rung.reason
        )
