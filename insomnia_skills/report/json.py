"""The JSON documents, version 1. Keys are added, never renamed; `schemas/` has their schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.ladder import Ladder
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Shadow
from insomnia_skills.report.objects import VERSION, diagnostic_objects, encode
from insomnia_skills.resources import Resource
from insomnia_skills.scope import ReadRule
from insomnia_skills.sources import Source
from insomnia_skills.workflow import WorkflowRecord


def dump(document: dict[str, Any]) -> bytes:
    """A document as UTF-8, made harmless."""
    return encode(document).encode() + b"\n"


def ingest_document(result: Ingest) -> dict[str, Any]:
    """The document of `list` and `resolve`."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "sources": [_source_counts(source, result) for source in result.sources],
        "workflows": [_workflow(record) for record in result.workflows],
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


def show_document(
    record: WorkflowRecord,
    body: str,
    resources: Iterable[Resource],
    diagnostics: Iterable[Diagnostic],
) -> dict[str, Any]:
    """The document of `show`."""
    return {
        "version": VERSION,
        **_workflow(record),
        "body": body,
        "resources": [
            {"path": resource.path, "kind": resource.kind, "size": resource.size}
            for resource in resources
        ],
        "diagnostics": diagnostic_objects(diagnostics),
    }


def scope_document(rules: Iterable[ReadRule]) -> dict[str, Any]:
    """The document of `scope`."""
    return {
        "version": VERSION,
        "allow": [
            {
                "target": str(rule.target),
                "permission": rule.permission,
                "recursive": rule.recursive,
                "slug": rule.slug,
            }
            for rule in rules
        ],
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


def _source(source: Source) -> dict[str, Any]:
    return {"kind": source.kind.value, "path": str(source.path)}


def _workflow(record: WorkflowRecord) -> dict[str, Any]:
    return {
        "slug": record.slug,
        "description": record.description,
        "model_invokation": record.model_invokation,
        "user_invocable": record.user_invocable,
        "requires": list(record.requires),
        "path": str(record.path),
        "directory": None if record.directory is None else str(record.directory),
        "source": _source(record.source),
        "stand_in": record.stand_in,
        "license": record.license,
        "compatibility": record.compatibility,
        "metadata": record.metadata,
        "allowed_tools": record.allowed_tools,
    }


def _shadow(shadow: Shadow) -> dict[str, Any]:
    return {
        "slug": shadow.slug,
        "relation": shadow.relation.value,
        "message": shadow.message,
        "differs": list(shadow.differs),
        "kept": {"source": _source(shadow.kept.source), "path": str(shadow.kept.path)},
        "shadowed": {"source": _source(shadow.lost.source), "path": str(shadow.lost.path)},
    }


def _skipped(candidate: Candidate) -> dict[str, Any]:
    return {
        "slug": candidate.slug,
        "path": str(candidate.path),
        "source": _source(candidate.source),
        "diagnostics": diagnostic_objects(candidate.diagnostics),
    }
