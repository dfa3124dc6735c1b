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
        "summary": summary_object(results),
        "files": [file_object(file) for file in check.files],
        "diagnostics": diagnostic_objects(check.diagnostics),
        "known": diagnostic_objects(check.known),
        "fixed": diagnostic_objects(check.fixed),
        **part_object(results),
    }
    return encode(document) + "\n"


def workspace_text(check: Check) -> str | None:
    """The root of the workspace; None where paths were given."""
    return None if check.workspace is None else str(check.workspace)


def summary_object(results: Results) -> dict[str, int]:
    """The totals."""
    totals = results.totals
    checked = totals.checked.total()
    return {
        "checked": checked,
        "valid": checked - totals.broken.total(),
        "errors": totals.found[Severity.ERROR],
        "warnings": totals.found[Severity.WARNING],
        "infos": totals.found[Severity.INFO],
        "known": len(results.check.known),
        "fixed": len(results.check.fixed),
    }


def part_object(results: Results) -> dict[str, Any]:
    """That, and why, not everything was checked; nothing where it was."""
    fields: dict[str, Any] = {}
    if results.part:
        shard, of, options = results.part
        fields["shard"] = {
            "index": shard.index,
            "count": shard.count,
            "of": list(of),
            "options": options,
        }
    if results.interrupted:
        fields["interrupted"] = True
    return fields


def file_object(file: CheckedFile) -> dict[str, Any]:
    """One file that was checked."""
    return {
        "path": str(file.path),
        "kind": file.kind.value,
        "slug": file.slug,
        "valid": file.valid,
    }
