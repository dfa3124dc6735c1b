"""The JSON document of `new`; ``schemas/new.schema.json`` describes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.edit.new import Draft, Standing
from insomnia_skills.report.objects import VERSION, copy_object, diagnostic_objects, source_object
from insomnia_skills.sources import SKILL_FILE


def new_document(
    draft: Draft, standing: Standing, diagnostics: Iterable[Diagnostic], written: bool
) -> dict[str, Any]:
    """The document of `new`."""
    return {
        "version": VERSION,
        "slug": draft.slug,
        "path": str(draft.directory / SKILL_FILE),
        "directory": str(draft.directory),
        "written": written,
        "files": [
            {
                "path": str(draft.directory / file.path),
                "size": len(file.data),
                "executable": file.executable,
                "text": file.data.decode(),
            }
            for file in draft.files
        ],
        "source": source_object(standing.source) if standing.source else None,
        "winner": copy_object(standing.winner) if standing.winner else None,
        "shadows": [copy_object(record) for record in standing.shadows],
        "diagnostics": diagnostic_objects(diagnostics),
    }
