"""The JSON document of `catalog`; ``schemas/catalog.schema.json`` describes it."""

from __future__ import annotations

from typing import Any

from insomnia_skills.invocation.catalog import Catalog
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.objects import VERSION, source_object


def catalog_document(catalog: Catalog, result: Ingest, budget: int | None) -> dict[str, Any]:
    """The document of `catalog`; ``budget`` is in tokens."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "entries": [
            {
                "slug": entry.record.slug,
                "description": entry.record.description,
                "path": str(entry.record.path),
                "source": source_object(entry.record.source),
                **entry.size._asdict(),
                "xml": entry.xml_size._asdict(),
            }
            for entry in catalog.largest_first
        ],
        "list": catalog.size._asdict(),
        "xml": catalog.xml_size._asdict(),
        "hidden": [record.slug for record in catalog.hidden],
        "budget": budget,
        "within_budget": None if budget is None else catalog.size.tokens <= budget,
    }
