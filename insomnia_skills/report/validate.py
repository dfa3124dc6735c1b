"""The answer of `validate` for a person."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from insomnia_skills.check import Check, FileKind
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.diagnostics import blocks
from insomnia_skills.report.text import PathNames, plural


def validate_text(shown: Iterable[Diagnostic], name: PathNames, console: Console) -> None:
    """Each diagnostic as a block of lines."""
    for block in blocks(shown, name):
        console.print(block, soft_wrap=True)


def summary_line(check: Check, seconds: float) -> Text:
    """How many files of each kind were checked, what was found, and the time it took."""
    kinds = (
        (FileKind.SKILL, "skill"),
        (FileKind.WORKFLOW, "native workflow"),
        (FileKind.MANIFEST, "manifest"),
    )
    counts = {kind: sum(file.kind is kind for file in check.files) for kind, _ in kinds}
    checked = ", ".join(plural(counts[kind], word) for kind, word in kinds if counts[kind])
    errors, warnings = check.total(Severity.ERROR), check.total(Severity.WARNING)
    text = Text(f"Checked {checked}: ")
    if errors or warnings:
        found = []
        if errors:
            found.append(Text(plural(errors, "error"), "bold red"))
        if warnings:
            found.append(Text(plural(warnings, "warning"), "yellow"))
        text.append_text(Text(", ").join(found))
    else:
        text.append("all good", "green")
    return text.append(f" in {seconds:.2f} s")


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
