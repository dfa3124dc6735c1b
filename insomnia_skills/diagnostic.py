"""What is wrong and where: the records that every stage hands on instead of raising or printing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_LINE_END = re.compile(r"\r\n|\r|\n")


class Severity(StrEnum):
    """How much a diagnostic weighs.

    ``error`` keeps a record from being ingested or used, ``warning`` is what a person should know
    but insomnia accepts, ``info`` is shown on request and never fails anything.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says about one place of one text, before the place has a path and a line.

    ``start`` and ``end`` are character offsets into the text the rule was given. ``rule`` and
    ``severity`` are filled in by the `Rule` whose function made the finding; a function sets
    ``severity`` itself only where the design gives one name two weights.
    """

    message: str
    start: int = 0
    end: int = 0
    help: str | None = None
    severity: Severity | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding in a file. Lines and columns are 1-based, columns count characters, ends exclude.

    A finding about a whole file (one that cannot be read, say) stands at 1:1.
    """

    rule: str
    severity: Severity
    message: str
    path: Path
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    help: str | None = None


class Lines:
    """Turns character offsets of a text into lines and columns.

    A line ends at LF, CRLF or a lone CR, as in YAML 1.2 and in editors.
    """

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


_ECHOES = ("yaml-key-type", "control-character", "invisible-character")


def without_echoes(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those that only repeat, for a part, what an error says of the whole.

    A name with a zero-width space has a wrong character; that it is also hidden is no second fault.
    """
    findings = list(findings)
    errors = [f for f in findings if f.severity is Severity.ERROR and f.rule not in _ECHOES]
    return [
        finding
        for finding in findings
        if finding.rule not in _ECHOES
        or not any(error.start <= finding.start < error.end for error in errors)
    ]


def diagnose(path: Path, text: str, findings: Iterable[Finding]) -> tuple[Diagnostic, ...]:
    """Give findings their file and their lines, in the order of the text.

    ``text`` is what the findings' offsets count in.
    """
    findings = sorted(findings, key=lambda finding: finding.start)
    if not findings:
        return ()
    position = Lines(text).position
    return tuple(
        Diagnostic(
            finding.rule,
            finding.severity or Severity.ERROR,
            finding.message,
            path,
            *position(finding.start),
            *position(finding.end),
            finding.help,
        )
        for finding in findings
    )
