"""The JSON document of `sources discover`; ``schemas/discover.schema.json`` describes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.clients.discover import ClientRoot, Discovery
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.objects import VERSION, diagnostic_objects, source_object


def discover_document(
    discovery: Discovery, roots: Iterable[ClientRoot], result: Ingest
) -> dict[str, Any]:
    """The document of `sources discover`, with these of the directories."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "looked_in": [{"where": where.value, "path": str(path)} for where, path in discovery.bases],
        "directories": [_directory(root) for root in roots],
        "diagnostics": diagnostic_objects((*result.source_diagnostics, *discovery.diagnostics)),
    }


def _directory(root: ClientRoot) -> dict[str, Any]:
    source = root.source
    return {
        "path": str(root.path),
        "where": root.where.value,
        "exists": root.exists,
        "state": root.absent or None,
        "valid": root.valid,
        "broken": root.broken,
        "configured": source
        and {"rank": source.rank, **source_object(source), "origin": source.origin},
        "clients": [
            {"id": client.id, "name": client.name, "checked": checked}
            for client, checked in root.clients
        ],
        "also": [str(path) for path in root.also],
    }
