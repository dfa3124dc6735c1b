"""What must hold of everything that is found in a file, and of everything that is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree as ET

from insomnia_skills.checking.check import Check, CheckedFile
from insomnia_skills.diagnostic import Diagnostic, Span
from insomnia_skills.report.check import Results
from tests.fuzz.engine import require

ACTED_ON = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
"""What a terminal acts on or hides."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_FORMATS = ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown")
_MOST_BEFORE, _MOST_BEHIND = 500, 1500
"""Of a long line an excerpt shows so many characters on each side of its place."""


def words(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """What came of an input: the rules, and which of them bring a fix."""
    for diagnostic in diagnostics:
        yield diagnostic.rule
        yield f"{diagnostic.rule} {diagnostic.severity.value}"
        # The first words of a message tell most of what a rule distinguishes.
        yield f"{diagnostic.rule}: {re.sub(r'[^A-Za-z ].*', '', diagnostic.message)[:40]}"
        if diagnostic.help:
            yield f"{diagnostic.rule}? {re.sub(r'[^A-Za-z ].*', '', diagnostic.help)[:40]}"
        if diagnostic.fix:
            yield f"fix {diagnostic.rule}: {re.sub(r'[^A-Za-z ].*', '', diagnostic.fix.title)[:40]}"


def check_places(diagnostics: Sequence[Diagnostic], path: Path, text: str) -> None:
    """Every place lies in the file, the excerpts are its lines, fixes don't overlap."""
    lines = _LINE_END.split(text)
    for diagnostic in diagnostics:
        rule = diagnostic.rule
        require(diagnostic.message, f"{rule} has no message")
        if diagnostic.path != path:
            continue
        require(_lies_in(diagnostic.span, lines), f"{rule} outside of the file", diagnostic)
        for related in diagnostic.related:
            if related.path == path:
                require(_lies_in(related.span, lines), f"{rule}: related place outside", related)
        _check_excerpt(diagnostic, lines)
        behind = (0, 0)
        for edit in diagnostic.fix.edits if diagnostic.fix else ():
            line, column, *end = edit.span
            is_mark = (line, column) == (1, 0)
            require(
                _lies_in(edit.span._replace(column=1) if is_mark else edit.span, lines),
                f"{rule}: fix outside of the file",
                edit,
            )
            require(behind <= (line, column), f"{rule}: edits overlap", diagnostic.fix)
            behind = (end[0], end[1])


def _lies_in(span: Span, lines: Sequence[str]) -> bool:
    line, column, end_line, end_column = span
    return (
        1 <= line <= end_line <= len(lines)
        and 1 <= column <= len(lines[line - 1]) + 1
        and 1 <= end_column <= len(lines[end_line - 1]) + 1
        and (line, column) <= (end_line, end_column)
    )


def _check_excerpt(diagnostic: Diagnostic, lines: Sequence[str]) -> None:
    line = lines[diagnostic.line - 1]
    if diagnostic.excerpt is None:
        if diagnostic.span != Span():
            at = diagnostic.column - 1
            around = line[max(at - _MOST_BEFORE, 0) : at + _MOST_BEHIND]
            require(not around.strip(), f"{diagnostic.rule} shows no line", diagnostic)
        return
    text, column = diagnostic.excerpt
    shown = line[column - 1 :]
    is_line = shown == text or (shown.startswith(text) and len(text) >= _MOST_BEHIND)
    require(is_line, f"{diagnostic.rule}: the excerpt is another line", diagnostic)
    require(column <= diagnostic.column, f"{diagnostic.rule}: the excerpt begins behind it")


def check_reports(file: CheckedFile, place: Path) -> None:
    """Every format can be written, and none is broken by what is in the file."""
    results = Results(Check(None, (file,)), file.diagnostics, place, 1.0)
    for name in _FORMATS:
        text: str = import_module(f"insomnia_skills.report.check.{name}").render(results)
        found = ACTED_ON.search(text)
        require(not found, f"{name} has a control character", repr(found))
        if name in ("concise", "github"):
            count = text.count("\n")
            require(count == len(file.diagnostics), f"{name} has other lines than findings", text)
        elif name in ("json", "sarif", "gitlab"):
            json.loads(text)
        elif name == "jsonl":
            for line in text.split("\n")[:-1]:
                json.loads(line)
        elif name == "junit":
            ET.fromstring(text)
