"""The JSON documents of `show`; ``show``, ``mapping`` and ``messages`` in ``schemas/``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.invocation.mapping import Mapped
from insomnia_skills.invocation.messages import Message
from insomnia_skills.invocation.preview import Preview, Reach
from insomnia_skills.report.objects import (
    VERSION,
    diagnostic_objects,
    source_object,
    workflow_object,
)


def show_document(preview: Preview) -> dict[str, Any]:
    """The document of `show`."""
    return {
        "version": VERSION,
        **workflow_object(preview.record),
        **_verdict(preview),
        "body": preview.body,
        "resources": [_resource(reach) for reach in preview.resources],
        "diagnostics": diagnostic_objects(preview.diagnostics),
    }


def mapping_document(preview: Preview, mapped: Iterable[Mapped]) -> dict[str, Any]:
    """The document of `show --mapping`."""
    return {
        "version": VERSION,
        **_copy(preview),
        "mapping": [
            {
                "field": row.field,
                "value": row.value,
                "becomes": row.becomes,
                "fate": row.fate.value,
                "consequence": row.consequence,
                "lines": list(row.lines),
            }
            for row in mapped
        ],
        "diagnostics": diagnostic_objects(preview.diagnostics),
    }


def messages_document(preview: Preview, messages: Iterable[Message]) -> dict[str, Any]:
    """The document of `show --as-invoked`."""
    return {
        "version": VERSION,
        **_copy(preview),
        "user_invocable": preview.record.user_invocable,
        "messages": [
            {
                "header": message.header,
                "slug": preview.record.slug,
                "knowledge": message.knowledge,
                "path": str(message.path),
                "text": message.text,
            }
            for message in messages
        ],
    }


def _copy(preview: Preview) -> dict[str, Any]:
    record = preview.record
    return {
        "slug": record.slug,
        "path": str(record.path),
        "source": source_object(record.source),
        **_verdict(preview),
    }


def _verdict(preview: Preview) -> dict[str, Any]:
    kept = preview.shadow.kept if preview.shadow else None
    by = {"source": source_object(kept.source), "path": str(kept.path)} if kept else None
    return {"outcome": preview.outcome.value, "shadowed_by": by}


def _resource(reach: Reach) -> dict[str, Any]:
    resource, rule = reach
    return {
        "path": resource.path,
        "kind": resource.kind,
        "size": resource.size,
        "executable": resource.executable,
        "link": resource.link,
        "readable": rule is not None,
        "readable_by": list(rule.slugs) if rule else [],
    }
