"""The answer of `validate` for a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from insomnia_skills.check import Check, FileKind
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.diagnostics import blocks
from insomnia_skills.report.text import PathNames, plural

if TYPE_CHECKING:
    from rich.console import Console


def validate_text(
    check: Check,
    shown: Iterable[Diagnostic],
    summary: Iterable[tuple[str, str]],
    console: Console,
) -> None:
    """Each diagnostic as a block of lines, then the summary and what the errors come to."""
    from rich.text import Text

    for block in blocks(shown, PathNames()):
        console.print(block, soft_wrap=True)
    line = Text.assemble(*summary)
    if line:
        console.print(line, soft_wrap=True)
        if more := follow_up(check):
            console.print(more, soft_wrap=True)


def summary_parts(check: Check, seconds: float) -> list[tuple[str, str]]:
    """How many files of each kind were checked, what was found, and the time it took.

    Pieces of one line, each with its style.
    """
    kinds = (
        (FileKind.SKILL, "skill"),
        (FileKind.WORKFLOW, "native workflow"),
        (FileKind.MANIFEST, "manifest"),
    )
    counts = {kind: sum(file.kind is kind for file in check.files) for kind, _ in kinds}
    checked = ", ".join(plural(counts[kind], word) for kind, word in kinds if counts[kind])
    errors, warnings = check.total(Severity.ERROR), check.total(Severity.WARNING)
    parts = [(f"Checked {checked}: ", "")]
    if errors:
        parts.append((plural(errors, "error"), "bold red"))
    if errors and warnings:
        parts.append((", ", ""))
    if warnings:
        parts.append((plural(warnings, "warning"), "yellow"))
    if not errors and not warnings:
        parts.append(("all good", "green"))
    return [*parts, (f" in {seconds:.2f} s", "")]


def follow_up(check: Check) -> str:
    """What the errors come to: skills skipped, a Pod that does not start. Empty without errors."""
    broken = [file for file in check.files if not file.valid]
    skipped = sum(file.kind is FileKind.SKILL for file in broken)
    native = sum(file.kind is FileKind.WORKFLOW for file in broken)
    parts = []
    if skipped:
        parts.append(f"{plural(skipped, 'skill')} would be skipped")
    if native:
        parts.append(f"{plural(native, 'native workflow')} would stop a Pod from starting")
    return "; ".join(parts) + "." if parts else ""
