"""JSON Lines: one object a line, for programs that read while they wait.

``schemas/validate-line.schema.json`` describes a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from insomnia_skills.checking.check import CheckedFile
from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.report.check import Results
from insomnia_skills.report.check.json import (
    file_object,
    part_object,
    summary_object,
    workspace_text,
)
from insomnia_skills.report.objects import VERSION, diagnostic_object, encode


def render(results: Results) -> str:
    """Each file after its diagnostics, then what belongs to no file, the summary last."""
    files = (line for file in results.check.files for line in file_lines(file))
    return "".join((*files, *end_lines(results)))


def file_lines(file: CheckedFile) -> Iterator[str]:
    """A file, after its diagnostics."""
    for diagnostic in file.diagnostics:
        yield _line("diagnostic", diagnostic_object(diagnostic))
    yield _line("file", file_object(file))


def change_lines(
    new: Iterable[Diagnostic], gone: Iterable[Diagnostic], results: Results
) -> Iterator[str]:
    """What changed while it was watched: findings that are new, or gone, and the totals."""
    for diagnostic in new:
        yield _line("diagnostic", diagnostic_object(diagnostic))
    for diagnostic in gone:
        yield _line("gone", diagnostic_object(diagnostic))
    yield from end_lines(results)


def end_lines(results: Results) -> Iterator[str]:
    """What belongs to no file, and the summary."""
    check = results.check
    for diagnostic in check.others:
        yield _line("diagnostic", diagnostic_object(diagnostic))
    totals = {**summary_object(results), **part_object(results)}
    yield _line("summary", {"workspace": workspace_text(check), **totals})


def _line(type_: str, fields: dict[str, Any]) -> str:
    return encode({"type": type_, "version": VERSION, **fields}, indent=None) + "\n"
