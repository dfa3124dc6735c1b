"""JSON Lines: one object a line, for programs that read while they wait.

``schemas/validate-line.schema.json`` describes a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from insomnia_skills.checking.check import Check
from insomnia_skills.report.check import Results
from insomnia_skills.report.check.json import file_object, summary_object, workspace_text
from insomnia_skills.report.objects import VERSION, diagnostic_object, encode


def render(results: Results) -> str:
    """Each file after its diagnostics, then what belongs to no file, the summary last."""
    return "".join(encode(line, indent=None) + "\n" for line in _lines(results.check))


def _lines(check: Check) -> Iterator[dict[str, Any]]:
    for file in check.files:
        for diagnostic in file.diagnostics:
            yield _line("diagnostic", diagnostic_object(diagnostic))
        yield _line("file", file_object(file))
    for diagnostic in check.others:
        yield _line("diagnostic", diagnostic_object(diagnostic))
    yield _line("summary", {"workspace": workspace_text(check), **summary_object(check)})


def _line(type_: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": type_, "version": VERSION, **fields}
