"""Workflow commands of GitHub Actions: annotations on the lines of a pull request."""

from __future__ import annotations

from pathlib import Path

from insomnia_skills.checking.fingerprint import path_from
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.check import Results
from insomnia_skills.report.diagnostics import sentence
from insomnia_skills.report.text import path_text

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(results: Results) -> str:
    """``::error file=…,line=…::message`` for each shown diagnostic.

    A command ends with its line, and no text in it can begin another line.
    """
    return "".join(_command(diagnostic, results.root) for diagnostic in results.shown)


def _command(diagnostic: Diagnostic, root: Path) -> str:
    properties = {
        "file": path_text(path_from(diagnostic.path, root)),
        "line": diagnostic.line,
        "endLine": diagnostic.end_line,
    }
    # GitHub takes columns only where the place is on one line.
    if diagnostic.line == diagnostic.end_line:
        properties |= {"col": diagnostic.column, "endColumn": diagnostic.end_column}
    properties["title"] = diagnostic.rule
    given = ",".join(
        f"{key}={str(value).translate(_PROPERTY)}" for key, value in properties.items()
    )
    # The log shows nothing but the message, so that says the place too.
    place = f"{properties['file']}:{diagnostic.line}:{diagnostic.column}"
    message = f"{place}: {diagnostic.rule}: {sentence(diagnostic)}".translate(_DATA)
    return f"::{_COMMANDS[diagnostic.severity]} {given}::{message}\n"
