"""The JSON document of `show`; ``schemas/show.schema.json`` describes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.report.objects import VERSION, diagnostic_objects, workflow_object
from insomnia_skills.resources import Resource
from insomnia_skills.workflow import WorkflowRecord


def show_document(
    record: WorkflowRecord,
    body: str,
    resources: Iterable[Resource],
    diagnostics: Iterable[Diagnostic],
) -> dict[str, Any]:
    """The document of `show`."""
    return {
        "version": VERSION,
        **workflow_object(record),
        "body": body,
        "resources": [
            {"path": resource.path, "kind": resource.kind, "size": resource.size}
            for resource in resources
        ],
        "diagnostics": diagnostic_objects(diagnostics),
    }
