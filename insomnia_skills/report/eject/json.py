"""The JSON document of `eject`; ``schemas/eject.schema.json`` describes it."""

from __future__ import annotations

from typing import Any

from insomnia_skills.edit.eject import Ejection
from insomnia_skills.report.objects import VERSION, copy_object


def eject_document(ejection: Ejection, written: bool) -> dict[str, Any]:
    """The document of `eject`."""
    skill = ejection.skill
    return {
        "version": VERSION,
        "slug": skill.slug,
        "path": str(ejection.path),
        "written": written,
        "replaced": ejection.before is not None,
        "text": ejection.text,
        "skill": copy_object(skill),
        "shadows": [copy_object(record) for record in ejection.shadows],
        "dropped": [{"field": key, "value": value} for key, value in ejection.dropped.items()],
        "unreadable": [str(skill.path.parent / file.path) for file in ejection.resources],
        "links": [
            {"path": link.path, "line": link.line, "column": link.column} for link in ejection.links
        ],
    }
