"""A GitLab Code Quality report: a merge request shows what it adds and what it mends."""

from __future__ import annotations

from typing import Any

from insomnia_skills.checking.fingerprint import fingerprints, path_from
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.check import Results
from insomnia_skills.report.diagnostics import sentence
from insomnia_skills.report.objects import encode
from insomnia_skills.report.text import path_text

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(results: Results) -> str:
    """An array with every diagnostic."""
    check = results.check
    # What a baseline knows is counted too: a fingerprint must not depend on there being one.
    known = len(check.known)
    prints = fingerprints((*check.known, *check.diagnostics), results.root)[known:]
    issues = [
        _issue(diagnostic, print_, results)
        for diagnostic, print_ in zip(check.diagnostics, prints, strict=True)
    ]
    return encode(issues) + "\n"


def _issue(diagnostic: Diagnostic, fingerprint: str, results: Results) -> dict[str, Any]:
    return {
        "description": sentence(diagnostic),
        "check_name": diagnostic.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic.severity],
        "location": {
            "path": path_text(path_from(diagnostic.path, results.root)),
            "lines": {"begin": diagnostic.line, "end": diagnostic.end_line},
        },
    }
