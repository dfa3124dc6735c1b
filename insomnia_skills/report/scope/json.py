"""The JSON document of `scope`; ``schemas/scope.schema.json`` describes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.report.objects import VERSION
from insomnia_skills.scope import ReadRule


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
