"""The JSON documents of `list` and `resolve`; ``schemas/list.schema.json`` describes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from insomnia_skills.diagnostic import Severity
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Shadow
from insomnia_skills.report.objects import (
    VERSION,
    diagnostic_object,
    diagnostic_objects,
    source_object,
    workflow_object,
)
from insomnia_skills.sources import Source

if TYPE_CHECKING:
    from insomnia_skills.resolution.absence import Absence
    from insomnia_skills.resolution.comparison import Comparison
    from insomnia_skills.resolution.ladder import Ladder, Rung


def ingest_document(result: Ingest) -> dict[str, Any]:
    """The document of `list` and `resolve`."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "sources": source_objects(result),
        "workflows": [workflow_object(record) for record in result.workflows],
        "shadows": [shadow_object(shadow) for shadow in result.shadows],
        "skipped": [skipped_object(candidate) for candidate in result.skipped],
        "notifications": [notification_object(shadow) for shadow in result.shadows],
        "diagnostics": diagnostic_objects(result.diagnostics),
    }


def conflicts_document(result: Ingest) -> dict[str, Any]:
    """The document of `resolve --only-conflicts`: workflows and skipped of contested slugs only."""
    contested = {shadow.slug for shadow in result.shadows}
    contested |= {record.slug for record, _ in result.stand_ins}
    return _only(ingest_document(result), contested)


def ladder_document(
    ladder: Ladder,
    absences: Sequence[Absence],
    unnamed: Sequence[Absence],
    result: Ingest,
    comparisons: Iterable[Comparison] | None = None,
) -> dict[str, Any]:
    """The document of `resolve /SLUG`: that of `resolve`, of this slug alone, with its ladder.

    Its diagnostics are also those about manifests and roots, and every error, since they decide
    the exit code. ``absences`` say why nothing has the slug, ``unnamed`` where copies lie
    that no manifest leads to though something has it. With ``comparisons`` they are in it.
    """
    from insomnia_skills.report.absence import absence_objects

    whole = _only(ingest_document(result), {ladder.slug})
    paths = {str(rung.candidate.path) for rung in ladder.rungs if rung.candidate}
    paths |= {str(diagnostic.path) for diagnostic in result.source_diagnostics}
    whole["diagnostics"] = [
        d for d in whole["diagnostics"] if d["path"] in paths or d["severity"] == Severity.ERROR
    ]
    document = {
        **whole,
        "slug": ladder.slug,
        "ladder": [_rung(rung) for rung in ladder.rungs],
        "near": list(ladder.near),
        "absence": absence_objects(absences, ladder.slug, result),
        "unnamed": absence_objects(unnamed, ladder.slug, result),
    }
    if comparisons is not None:
        document["comparisons"] = [_comparison(comparison) for comparison in comparisons]
    return document


def notification_object(shadow: Shadow) -> dict[str, str]:
    """The event that a Pod would emit for a shadow; also a line of `resolve --notifications`."""
    return {"event": "notification", "message": shadow.message}


def _only(document: dict[str, Any], slugs: Collection[str]) -> dict[str, Any]:
    """The document with nothing but these slugs in its lists of records."""
    for key in ("workflows", "shadows", "skipped"):
        document[key] = [item for item in document[key] if item["slug"] in slugs]
    messages = {shadow["message"] for shadow in document["shadows"]}
    document["notifications"] = [n for n in document["notifications"] if n["message"] in messages]
    return document


def _rung(rung: Rung) -> dict[str, Any]:
    candidate, shadow = rung.candidate, rung.shadow
    error = candidate.error if candidate else None
    return {
        "rank": rung.source.rank,
        "kind": rung.source.kind.value,
        "source": str(rung.source.path),
        "origin": rung.source.origin,
        "outcome": rung.outcome.value,
        "path": str(candidate.path) if candidate else None,
        "rule": rung.rule.value,
        "reason": rung.reason,
        "relation": shadow.relation.value if shadow else None,
        "differs": list(shadow.differs) if shadow else [],
        "error": diagnostic_object(error) if error else None,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    shadow, body = comparison.shadow, comparison.body
    return {
        "kept": str(shadow.kept.path),
        "lost": str(shadow.lost.path),
        "relation": shadow.relation.value,
        "fields": [
            {"name": name, "kept": _value(kept), "lost": _value(lost)}
            for name, kept, lost in comparison.fields
        ],
        "files": [{"path": path, "change": change.value} for path, change in comparison.files],
        "body": body
        and {
            "diff": body.diff or None,
            "line_ends": body.line_ends and body.line_ends._asdict(),
            "omitted": body.omitted or None,
        },
    }


def _value(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def source_objects(result: Ingest) -> list[dict[str, Any]]:
    """Every source in order of rank, with how many of its records won, lost or have an error."""
    return [_source_counts(source, result) for source in result.sources]


def _source_counts(source: Source, result: Ingest) -> dict[str, Any]:
    counts = result.counts(source)
    return {
        "rank": source.rank,
        "kind": source.kind.value,
        "path": str(source.path),
        "origin": source.origin,
        "exists": source.exists,
        "state": source.absent or None,
        "loaded": counts.loaded,
        "shadowed": counts.shadowed,
        "skipped": counts.skipped,
    }


def shadow_object(shadow: Shadow) -> dict[str, Any]:
    """A shadow as a JSON object."""
    return {
        "slug": shadow.slug,
        "relation": shadow.relation.value,
        "message": shadow.message,
        "differs": list(shadow.differs),
        "kept": {"source": source_object(shadow.kept.source), "path": str(shadow.kept.path)},
        "shadowed": {"source": source_object(shadow.lost.source), "path": str(shadow.lost.path)},
    }


def skipped_object(candidate: Candidate) -> dict[str, Any]:
    """A skill that has an error as a JSON object."""
    return {
        "slug": candidate.slug,
        "path": str(candidate.path),
        "source": source_object(candidate.source),
        "diagnostics": diagnostic_objects(candidate.diagnostics),
    }
