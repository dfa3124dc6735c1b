"""The JSON document of `validate`; ``schemas/validate.schema.json`` describes it."""

from __future__ import annotations

from typing import Any

from insomnia_skills.checking.check import Check, CheckedFile
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.check import Results
from insomnia_skills.report.objects import VERSION, diagnostic_objects, encode


def render(results: Results) -> str:
    """One document with everything that was found."""
    check = results.check
    document = {
        "version": VERSION,
        "workspace": workspace_text(check),
        "summary": summary_object(check),
        "files": [file_object(file) for file in check.files],
        "diagnostics": diagnostic_objects(check.diagnostics),
        "known": diagnostic_objects(check.known),
        "fixed": diagnostic_objects(check.fixed),
    }
    return encode(document) + "\n"


def workspace_text(check: Check) -> str | None:
    """The root of the workspace; None where paths were given."""
    return None if check.workspace is None else str(check.workspace)


def summary_object(check: Check) -> dict[str, int]:
    """The totals."""
    return {
        "checked": len(check.files),
        "valid": sum(file.valid for file in check.files),
        "errors": check.total(Severity.ERROR),
        "warnings": check.total(Severity.WARNING),
        "infos": check.total(Severity.INFO),
        "known": len(check.known),
        "fixed": len(check.fixed),
    }


def file_object(file: CheckedFile) -> dict[str, Any]:
    """One file that was checked."""
    return {
        "path": str(file.path),
        "kind": file.kind.value,
        "slug": file.slug,
        "valid": file.valid,
    }
