"""One line a finding, for editors, scripts and logs."""

from __future__ import annotations

from insomnia_skills.report.check import Results
from insomnia_skills.report.diagnostics import concise
from insomnia_skills.report.text import PathNames


def render(results: Results) -> str:
    """``path:line:col: error[rule] message (help)`` for each shown diagnostic."""
    name = PathNames()
    return "".join(f"{concise(diagnostic, name)}\n" for diagnostic in results.shown)
