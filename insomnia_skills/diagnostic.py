"""What is wrong and where: the records that every stage hands on instead of raising or printing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import accumulate, islice
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from insomnia_skills.limits import MAX_ALIKE

_LINE_END = re.compile(r"\r\n|\r|\n")

_EXCERPT_BEFORE = 500
_EXCERPT_AFTER = 1500
"""How much of a long line an excerpt holds on each side of its place, in characters."""


class Severity(StrEnum):
    """How much a diagnostic weighs.

    ``error`` keeps a record from being ingested or used, ``warning`` is what a person should know
    but insomnia accepts, ``info`` is shown on request and never fails anything.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Span(NamedTuple):
    """A place in a file: 1-based lines and columns; columns count characters, the end excludes."""

    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


class Edit(NamedTuple):
    """Put ``text`` in place of what stands from ``start`` to ``end``, character offsets.

    Texts have no byte-order mark; where a file has one, it stands from -1 to 0.
    """

    start: int
    end: int
    text: str


class Replacement(NamedTuple):
    """An `Edit` whose place is a span. A byte-order mark stands in column 0."""

    span: Span
    text: str


E = TypeVar("E", Edit, Replacement)


class Fix(NamedTuple, Generic[E]):
    """A change to the file that takes the finding away; ``title`` says it as a command.

    ``safe`` means that it keeps what the author meant; otherwise it chooses for the author.
    ``rename`` is the file's new name, where the name is what is wrong.
    """

    title: str
    edits: tuple[E, ...] = ()
    safe: bool = True
    rename: str | None = None


class Related(NamedTuple):
    """Another place that belongs to a finding: in the same text, or in the file at ``path``."""

    message: str
    start: int = 0
    end: int = 0
    path: Path | None = None


class RelatedPlace(NamedTuple):
    """A `Related` with its file and its lines."""

    message: str
    path: Path
    span: Span


class Finding(NamedTuple):
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
    fix: Fix[Edit] | None = None
    related: tuple[Related, ...] = ()


class Excerpt(NamedTuple):
    """What stands on a diagnostic's first line, without its line end.

    A long line is cut on both sides; ``column`` is the 1-based column of the first character.
    """

    text: str
    column: int = 1


class Diagnostic(NamedTuple):
    """A finding in a file. Lines and columns are 1-based, columns count characters, ends exclude.

    A finding about a whole file (one that cannot be read, say) stands at 1:1 and has no excerpt.
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
    fix: Fix[Replacement] | None = None
    related: tuple[RelatedPlace, ...] = ()
    excerpt: Excerpt | None = None

    @property
    def span(self) -> Span:
        return Span(self.line, self.column, self.end_line, self.end_column)


class Lines:
    """Turns character offsets of a text into lines and columns, and back.

    A line ends at LF, CRLF or a lone CR, as in YAML 1.2 and in editors.
    """

    __slots__ = ("_ends", "_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0]
        # Most findings stand near the top, so the rest is looked through only if need be.
        line_end = _LINE_END if "\r" in text else "\n"  # the latter is several times as fast
        self._ends = (match.end() for match in re.finditer(line_end, text))

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character offset; -1 is column 0 of line 1."""
        if self._starts[-1] <= offset:
            for end in self._ends:
                self._starts.append(end)
                if end > offset:
                    break
        line = max(bisect_right(self._starts, offset), 1)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        return Span(*self.position(start), *self.position(end))

    def offset(self, line: int, column: int) -> int:
        """The character offset of a 1-based line and column: what `position` had."""
        self._starts.extend(islice(self._ends, max(line - len(self._starts), 0)))
        return self._starts[line - 1] + column - 1

    def excerpt(self, offset: int) -> Excerpt | None:
        """The line that an offset stands on; None where it has nothing but blanks."""
        line, column = self.position(offset)
        start = self._starts[line - 1]
        cut = start + max(0, column - 1 - _EXCERPT_BEFORE)
        text = _LINE_END.split(self._text[cut : start + column + _EXCERPT_AFTER], maxsplit=1)[0]
        return Excerpt(text, cut - start + 1) if text.strip() else None


_ECHOES = ("yaml-key-type", "control-character", "invisible-character")


def first_error(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """The first that is an error."""
    return next((d for d in diagnostics if d.severity is Severity.ERROR), None)


def without_echoes(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those that only repeat, for a part, what an error says of the whole.

    A name with a zero-width space has a wrong character; that it is also hidden is no second fault.
    """
    findings = list(findings)
    errors = [f for f in findings if f.severity is Severity.ERROR and f.rule not in _ECHOES]
    errors.sort(key=lambda error: error.start)
    starts = [error.start for error in errors]
    ends = list(accumulate((error.end for error in errors), max, initial=0))
    return [
        finding
        for finding in findings
        if finding.rule not in _ECHOES or ends[bisect_right(starts, finding.start)] <= finding.start
    ]


def diagnose(
    path: Path, text: str, findings: Iterable[Finding], quote: bool = True
) -> tuple[Diagnostic, ...]:
    """Give findings their file and their lines, in the order of the text.

    ``text`` is what the findings' offsets count in; without ``quote`` nothing of it is shown, in
    words neither.
    """
    findings = sorted(findings, key=lambda finding: finding.start)
    if len(findings) > MAX_ALIKE:
        findings = list(_first_of_each_rule(findings))
    if not quote:
        findings = [_withheld(finding) for finding in findings]
    if not findings:
        return ()
    lines = Lines(text)
    return tuple(
        Diagnostic(
            finding.rule,
            finding.severity or Severity.ERROR,
            finding.message,
            path,
            *lines.span(finding.start, finding.end),
            finding.help,
            _placed(finding.fix, lines) if finding.fix else None,
            tuple(_related(place, path, lines) for place in finding.related),
            lines.excerpt(finding.start) if quote else None,
        )
        for finding in findings
    )


def _first_of_each_rule(findings: list[Finding]) -> Iterator[Finding]:
    """As many of each rule and severity as are told; the last of them counts the others."""
    left = Counter((finding.rule, finding.severity) for finding in findings)
    told: Counter[tuple[str, Severity | None]] = Counter()
    for finding in findings:
        kind = finding.rule, finding.severity
        told[kind] += 1
        left[kind] -= 1
        if told[kind] == MAX_ALIKE and left[kind]:
            more = f"; {left[kind]:,} more like this are not listed"
            yield finding._replace(message=finding.message + more)
        elif told[kind] <= MAX_ALIKE:
            yield finding


def _withheld(finding: Finding) -> Finding:
    """The finding without a word of the text that it is about."""
    return finding._replace(
        message=f"{finding.rule.replace('-', ' ')}; not quoted, the file lies outside the skill",
        help=f"insomnia-skills explain {finding.rule}",
        fix=None,
        related=(),
    )


def _placed(fix: Fix[Edit], lines: Lines) -> Fix[Replacement]:
    edits = (Replacement(lines.span(start, end), text) for start, end, text in fix.edits)
    return Fix(fix.title, tuple(edits), fix.safe, fix.rename)


def _related(place: Related, path: Path, lines: Lines) -> RelatedPlace:
    if place.path is not None:
        return RelatedPlace(place.message, place.path, Span())
    return RelatedPlace(place.message, path, lines.span(place.start, place.end))
