"""The JSON documents of `scope`.

``schemas/scope.schema.json`` and ``schemas/scope-check.schema.json`` describe them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate
from insomnia_skills.report.objects import VERSION, source_object
from insomnia_skills.scope import Escape, PathCheck, ReadRule


def scope_document(
    result: Ingest, rules: Iterable[ReadRule], escapes: Iterable[Escape]
) -> dict[str, Any]:
    """The document of `scope`."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "allow": [_rule(rule) for rule in rules],
        "escapes": [
            {"path": str(escape.path), "target": str(escape.target), "slug": escape.slug}
            for escape in escapes
        ],
    }


def check_document(result: Ingest, checks: Iterable[PathCheck]) -> dict[str, Any]:
    """The document of `scope --check`."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "paths": [
            {
                "path": str(check.path),
                "real": None if check.place.real is None else str(check.place.real),
                "exists": check.place.exists,
                "readable": check.rule is not None,
                "rule": _rule(check.rule) if check.rule else None,
                "refused": check.refused.value if check.refused else None,
                "holder": _holder(check.holder) if check.holder else None,
            }
            for check in checks
        ],
    }


def _rule(rule: ReadRule) -> dict[str, Any]:
    return {
        "target": str(rule.target),
        "permission": rule.permission,
        "recursive": rule.recursive,
        "slug": rule.slug,
        "slugs": list(rule.slugs),
    }


def _holder(holder: Candidate) -> dict[str, Any]:
    return {
        "slug": holder.slug,
        "path": str(holder.path),
        "source": source_object(holder.source),
    }
