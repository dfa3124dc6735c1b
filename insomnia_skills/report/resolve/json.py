"""The JSON documents of `list` and `resolve`; ``schemas/list.schema.json`` describes them."""

from __future__ import annotations

from typing import Any

from insomnia_skills.ladder import Ladder
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Shadow
from insomnia_skills.report.objects import (
    VERSION,
    diagnostic_objects,
    source_object,
    workflow_object,
)
from insomnia_skills.sources import Source


def ingest_document(result: Ingest) -> dict[str, Any]:
    """The document of `list` and `resolve`."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "sources": [_source_counts(source, result) for source in result.sources],
        "workflows": [workflow_object(record) for record in result.workflows],
        "shadows": [_shadow(shadow) for shadow in result.shadows],
        "skipped": [_skipped(candidate) for candidate in result.skipped],
        "notifications": [
            {"event": "notification", "message": shadow.message} for shadow in result.shadows
        ],
        "diagnostics": diagnostic_objects(result.diagnostics),
    }


def ladder_document(ladder: Ladder, result: Ingest) -> dict[str, Any]:
    """The document of `resolve /SLUG`: that of `resolve`, of this slug alone, with its ladder."""
    whole = ingest_document(result)
    for key in ("workflows", "shadows", "skipped"):
        whole[key] = [item for item in whole[key] if item["slug"] == ladder.slug]
    paths = {str(rung.candidate.path) for rung in ladder.rungs if rung.candidate}
    whole["diagnostics"] = [d for d in whole["diagnostics"] if d["path"] in paths]
    whole["notifications"] = [
        {"event": "notification", "message": shadow["message"]} for shadow in whole["shadows"]
    ]
    return {
        **whole,
        "slug": ladder.slug,
        "ladder": [
            {
                "rank": rung.source.rank,
                "kind": rung.source.kind.value,
                "source": str(rung.source.path),
                "outcome": rung.outcome.value,
                "path": str(rung.candidate.path) if rung.candidate else None,
                "reason": rung.reason,
            }
            for rung in ladder.rungs
        ],
        "near": list(ladder.near),
    }


def _source_counts(source: Source, result: Ingest) -> dict[str, Any]:
    counts = result.counts(source)
    return {
        "rank": source.rank,
        "kind": source.kind.value,
        "path": str(source.path),
        "origin": source.origin,
        "exists": source.exists,
        "loaded": counts.loaded,
        "shadowed": counts.shadowed,
        "skipped": counts.skipped,
    }


def _shadow(shadow: Shadow) -> dict[str, Any]:
    return {
        "slug": shadow.slug,
        "relation": shadow.relation.value,
        "message": shadow.message,
        "differs": list(shadow.differs),
        "kept": {"source": source_object(shadow.kept.source), "path": str(shadow.kept.path)},
        "shadowed": {"source": source_object(shadow.lost.source), "path": str(shadow.lost.path)},
    }


def _skipped(candidate: Candidate) -> dict[str, Any]:
    return {
        "slug": candidate.slug,
        "path": str(candidate.path),
        "source": source_object(candidate.source),
        "diagnostics": diagnostic_objects(candidate.diagnostics),
    }
