"""Diagnostics for people: one line each, or a block with its help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.text import PathNames, one_line

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


def concise(diagnostic: Diagnostic, name: PathNames) -> str:
    """``path:line:col: error[rule] message (help)``, on one line."""
    place = f"{name(diagnostic.path)}:{diagnostic.line}:{diagnostic.column}"
    help_ = f" ({one_line(diagnostic.help)})" if diagnostic.help else ""
    head = f"{diagnostic.severity.value}[{diagnostic.rule}]"
    return f"{place}: {head} {one_line(diagnostic.message)}{help_}"


def blocks(diagnostics: Iterable[Diagnostic], name: PathNames) -> Iterator[Text]:
    """Each diagnostic as lines: what is wrong, where, and what to do."""
    from rich.text import Text

    for diagnostic in diagnostics:
        text = Text()
        style = _STYLES[diagnostic.severity]
        text.append(f"{diagnostic.severity.value}[{diagnostic.rule}]", style)
        text.append(f": {one_line(diagnostic.message)}\n", "bold")
        place = f"{name(diagnostic.path)}:{diagnostic.line}:{diagnostic.column}"
        text.append(f"  {place}\n", "blue")
        if diagnostic.help:
            text.append("  help: ", "green").append(one_line(diagnostic.help) + "\n")
        yield text
