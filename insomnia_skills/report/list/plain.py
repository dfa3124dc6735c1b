"""One record a line."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.plain import record_line
from insomnia_skills.report.text import path_text


def list_records(result: Ingest, everything: bool) -> Iterator[str]:
    """slug, source kind, path, description; with ``everything`` also status and reason."""
    for record in result.workflows:
        fields = (record.slug, record.source.kind.value, record.path, record.description)
        status = ("stand-in" if record.stand_in else "loaded", "") if everything else ()
        yield record_line(*fields, *status)
    if not everything:
        return
    for shadow in result.shadows:
        lost = shadow.lost
        fields = (lost.slug, lost.source.kind.value, lost.path, lost.description)
        yield record_line(*fields, "shadowed", f"by {path_text(shadow.kept.path)}")
    for candidate in (*result.skipped, *result.broken):
        fields = (candidate.slug, candidate.source.kind.value, candidate.path, "")
        yield record_line(*fields, "broken" if candidate.is_native else "skipped", candidate.reason)
