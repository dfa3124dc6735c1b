"""JSON objects that several documents share, and how all of them become text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from insomnia_skills.diagnostic import Diagnostic, Fix, RelatedPlace, Replacement, Span
from insomnia_skills.report.text import HARMFUL
from insomnia_skills.sources import Source
from insomnia_skills.workflow import WorkflowRecord

VERSION = 1
"""The version of the documents that `schemas/` describes."""


def dump(document: dict[str, Any]) -> bytes:
    """A document as UTF-8, made harmless."""
    return encode(document).encode() + b"\n"


def encode(document: Any, indent: int | None = 2) -> str:
    """A document as text; without ``indent`` it is one line.

    What a terminal might act on leaves as JSON's own escapes, and so do the lone surrogates that
    stand in Python for a file name that is not UTF-8.
    """
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    return HARMFUL.sub(lambda match: json.dumps(match[0])[1:-1], text)


def diagnostic_objects(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Diagnostics as JSON objects."""
    return [diagnostic_object(diagnostic) for diagnostic in diagnostics]


def diagnostic_object(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as a JSON object."""
    return {
        "rule": diagnostic.rule,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "path": str(diagnostic.path),
        **_span(diagnostic.span),
        "help": diagnostic.help,
        "fix": _fix(diagnostic.fix) if diagnostic.fix else None,
        "related": [_related(place) for place in diagnostic.related],
    }


def _fix(fix: Fix[Replacement]) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safe": fix.safe,
        "edits": [{**_span(edit.span), "text": edit.text} for edit in fix.edits],
        "rename": fix.rename,
    }


def _related(place: RelatedPlace) -> dict[str, Any]:
    return {"message": place.message, "path": str(place.path), **_span(place.span)}


def _span(span: Span) -> dict[str, int]:
    return span._asdict()


def workflow_object(record: WorkflowRecord) -> dict[str, Any]:
    """A record as a JSON object."""
    return {
        "slug": record.slug,
        "description": record.description,
        "model_invokation": record.model_invokation,
        "user_invocable": record.user_invocable,
        "requires": list(record.requires),
        "path": str(record.path),
        "directory": None if record.directory is None else str(record.directory),
        "source": source_object(record.source),
        "stand_in": record.stand_in,
        "license": record.license,
        "compatibility": record.compatibility,
        "metadata": record.metadata,
        "allowed_tools": record.allowed_tools,
    }


def copy_object(record: WorkflowRecord) -> dict[str, Any]:
    """Which of the copies of a slug is meant."""
    return {"source": source_object(record.source), "path": str(record.path)}


def source_object(source: Source) -> dict[str, Any]:
    """Which source something is from."""
    return {"kind": source.kind.value, "path": str(source.path)}
