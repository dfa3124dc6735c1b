"""Diagnostics for people, one line each."""

from __future__ import annotations

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.text import PathNames, one_line

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


def concise(diagnostic: Diagnostic, name: PathNames) -> str:
    """``path:line:col: error[rule] message (help)``, on one line."""
    place = f"{name(diagnostic.path)}:{diagnostic.line}:{diagnostic.column}"
    head = f"{diagnostic.severity.value}[{diagnostic.rule}]"
    return f"{place}: {head} {sentence(diagnostic)}"


def sentence(diagnostic: Diagnostic) -> str:
    """``message (help)``, on one line."""
    help_ = f" ({one_line(diagnostic.help)})" if diagnostic.help else ""
    return one_line(diagnostic.message) + help_
