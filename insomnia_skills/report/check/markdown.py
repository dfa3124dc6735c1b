"""A summary in GitHub's Markdown, for ``$GITHUB_STEP_SUMMARY`` and comments."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insomnia_skills.checking.fingerprint import path_from
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.check import Results
from insomnia_skills.report.check.json import summary_object
from insomnia_skills.report.text import (
    markdown_row,
    markdown_text,
    one_line,
    path_text,
    plural,
)

LIMIT = 1_000_000
"""How long a summary may be, in bytes. GitHub takes 1 MiB from one step, not a byte more."""

_TABLE = "| severity | rule | place | message | help |\n|---|---|---|---|---|\n"


def render(results: Results) -> str:
    """A verdict, the counts, and the shown diagnostics file by file."""
    head = f"## insomnia-skills: {_verdict(results)}\n\n{_counts(results)}"
    return head + _findings(results.shown, results.root, LIMIT - len(head.encode()))


def _verdict(results: Results) -> str:
    counts = (
        (results.totals.found[Severity.ERROR], "error"),
        (results.totals.found[Severity.WARNING], "warning"),
    )
    found = [plural(count, word) for count, word in counts if count]
    verdict = "failed" if results.failed else "passed"
    return ", ".join(["interrupted" if results.interrupted else verdict, *found])


def _counts(results: Results) -> str:
    counts = summary_object(results)
    rows = (counts, ("---:" for _ in counts), map(str, counts.values()))
    return "".join(map(markdown_row, rows))


def _findings(diagnostics: Iterable[Diagnostic], root: Path, room: int) -> str:
    files: dict[Path, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        files.setdefault(diagnostic.path, []).append(diagnostic)
    pieces: list[str] = []
    left = sum(map(len, files.values()))
    room -= len(_left_out(left).encode())
    for path, found in files.items():
        before = f"\n### {markdown_text(path_text(path_from(path, root)))}\n\n{_TABLE}"
        for diagnostic in found:
            piece = before + _finding(diagnostic)
            room -= len(piece.encode())
            if room < 0:
                return "".join([*pieces, _left_out(left)])
            pieces.append(piece)
            before = ""
            left -= 1
    return "".join(pieces)


def _left_out(count: int) -> str:
    verb = "is" if count == 1 else "are"
    return f"\n{plural(count, 'more finding')} {verb} left out: a summary has at most 1 MiB.\n"


def _finding(diagnostic: Diagnostic) -> str:
    return markdown_row(
        (
            diagnostic.severity.value,
            markdown_text(diagnostic.rule),
            f"{diagnostic.line}:{diagnostic.column}",
            markdown_text(one_line(diagnostic.message)),
            markdown_text(one_line(diagnostic.help or "")),
        )
    )
