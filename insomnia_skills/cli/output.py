"""Where the answer of `validate` goes: a format for stdout, and any number of files."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import typer

from insomnia_skills.checking.check import kind_of
from insomnia_skills.cli.common import (
    Exit,
    Settings,
    ending_in_order,
    fail,
    is_terminal,
    say,
    write,
    write_bytes,
)
from insomnia_skills.cli.completing import Paths, PathsBehind
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.text import PathNames
from insomnia_skills.workspace import absolute_path, real_path

if TYPE_CHECKING:
    from insomnia_skills.checking.check import CheckedFile
    from insomnia_skills.cli.reading import Means
    from insomnia_skills.diagnostic import Diagnostic
    from insomnia_skills.report.check import Results


class CheckFormat(StrEnum):
    """How findings are written: each is the module of its name in `report.check`."""

    AUTO = "auto"
    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    JSONL = "jsonl"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"
    MARKDOWN = "markdown"

    def resolved(self, environment: Mapping[str, str]) -> CheckFormat:
        """The format to write: for ``auto``, what whoever reads stdout understands best."""
        if self is not CheckFormat.AUTO:
            return self
        if is_terminal():
            return CheckFormat.TEXT
        if environment.get("GITHUB_ACTIONS") == "true":
            return CheckFormat.GITHUB
        return CheckFormat.GITLAB if environment.get("GITLAB_CI") else CheckFormat.CONCISE


_SUFFIXES = {
    ".json": CheckFormat.JSON,
    ".jsonl": CheckFormat.JSONL,
    ".md": CheckFormat.MARKDOWN,
    ".sarif": CheckFormat.SARIF,
    ".txt": CheckFormat.TEXT,
    ".xml": CheckFormat.JUNIT,
}
_CODE_QUALITY = "gl-code-quality"
_COUNTED = (CheckFormat.TEXT, CheckFormat.JSON, CheckFormat.JSONL)
"""Formats that say themselves how many files were checked."""

LIVE = (CheckFormat.TEXT, CheckFormat.CONCISE, CheckFormat.JSONL)
"""Formats that can be written while files are still being checked."""


class Output(NamedTuple):
    """One file to write."""

    format: CheckFormat
    path: Path


def complete_output(incomplete: str) -> Iterator[str]:
    """Files, also behind ``FORMAT=``."""
    format, equals, _ = incomplete.rpartition("=")
    is_behind = equals and format in list(CheckFormat)
    yield PathsBehind(incomplete) if is_behind else Paths(incomplete)


def read_output(given: str) -> Output:
    """``FORMAT=FILE``, or a file whose name tells the format; ends with 2 where it does not."""
    formats = [format.value for format in CheckFormat if format is not CheckFormat.AUTO]
    name, equals, file = given.partition("=")
    if equals and name in formats:
        format = CheckFormat(name)
    elif equals and name.isalnum():
        fail(
            f'--output: no format is called "{name}"',
            f"the formats are {', '.join(formats)}; a file of this name is ./{given}",
        )
    else:
        file, path = given, Path(given)
        by_suffix = _SUFFIXES.get(path.suffix.lower())
        if path.name.startswith(_CODE_QUALITY) and by_suffix is CheckFormat.JSON:
            by_suffix = CheckFormat.GITLAB
        if by_suffix is None:
            fail(
                f'--output: the name "{given}" tells no format',
                f"put one before it: --output sarif={given}",
            )
        format = by_suffix
    if not file:
        fail(f'--output: "{given}" names no file')
    if os.path.isdir(file) or file.endswith(("/", os.sep)):
        fail(f'--output: "{file}" is a directory', "name a file in it")
    if file == "-":
        fail("--output: stdout has the report of --format")
    if kind_of(absolute_path(file)):
        fail(f'--output: "{file}" is a file to be checked, not a report')
    return Output(format, Path(file))


def read_outputs(given: Iterable[str], baseline: Path | None) -> list[Output]:
    """The files to write; ends with 2 where two reports, or one and the baseline, are one file."""
    outputs = [read_output(text) for text in given]
    taken = {real_path(baseline): "the baseline"} if baseline else {}
    for output in outputs:
        place = real_path(output.path)
        if other := taken.get(place):
            fail(f'--output: "{output.path}" is {other} already')
        if not _is_added_to(output.path):
            taken[place] = f"the {output.format.value} report"
    return outputs


class LiveReport:
    """Writes to stdout what was found, as soon as it is known, and the totals at the end.

    Only for formats that are ``LIVE``. The progress of ``means`` makes room for it.
    """

    def __init__(self, format: CheckFormat, settings: Settings, means: Means | None = None) -> None:
        self._format = format
        self._settings = settings
        self._progress = means.progress if means else None
        self._name = PathNames()
        self._console = settings.console() if format is CheckFormat.TEXT else None
        self._width = self._console.width if self._console and is_terminal() else None

    def file(self, file: CheckedFile, shown: Iterable[Diagnostic]) -> None:
        """Write what was found in a file; ``shown`` is what of that is for people."""
        if self._format is CheckFormat.JSONL:
            from insomnia_skills.report.check.jsonl import file_lines

            self._write(file_lines(file))
        else:
            self.show(shown)

    def show(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Write diagnostics for people."""
        for diagnostic in diagnostics:
            self._make_room()
            if self._console:
                from insomnia_skills.report.check.text import block, print_lines

                print_lines(block(diagnostic, self._name, self._width), self._console)
            else:  # in the encoding of the terminal
                from insomnia_skills.report.diagnostics import concise

                write((concise(diagnostic, self._name),))

    def end(self, results: Results) -> None:
        """Write the totals, and for programs what belongs to no file."""
        if self._progress:
            self._progress.hide()
        if self._format is CheckFormat.JSONL:
            from insomnia_skills.report.check.jsonl import end_lines

            self._write(end_lines(results))
        elif self._console:
            from insomnia_skills.report.check.text import print_lines, summary

            print_lines(summary(results, self._width), self._console)
        _say_totals(results, self._format, self._settings)

    def _make_room(self) -> None:
        if self._progress and is_terminal():
            self._progress.hide()

    def _write(self, lines: Iterable[str]) -> None:
        self._make_room()
        sys.stdout.buffer.write("".join(lines).encode("utf-8", "backslashreplace"))


def emit(
    results: Results, format: CheckFormat, outputs: Iterable[Output], settings: Settings
) -> None:
    """Write results that are complete to stdout and to every file."""
    for output in outputs:
        _write_file(output.path, _render(output.format, results))
    if format not in LIVE:
        write_bytes(_render(format, results))
        _say_totals(results, format, settings)
        return
    live = LiveReport(format, settings)
    if format is CheckFormat.JSONL:
        for file in results.check.files:
            live.file(file, ())
    else:
        live.show(results.shown)
    live.end(results)


def require_passed(results: Results) -> None:
    """End with 1 where something was found that fails the check."""
    if not results.failed:
        return
    if results.strict_in and not results.totals.found[Severity.ERROR] and not results.quiet:
        say(f"Warnings fail here: strict = true in {PathNames()(results.strict_in)}")
    raise typer.Exit(Exit.NO)


def _say_totals(results: Results, format: CheckFormat, settings: Settings) -> None:
    """Say on stderr what it comes to, where the format does not."""
    if format not in _COUNTED and not settings.quiet:
        from insomnia_skills.report.check.summary import summary_lines

        for parts in summary_lines(results):
            say("".join(text for text, _ in parts))


def _render(format: CheckFormat, results: Results) -> bytes:
    document: str = import_module(f"insomnia_skills.report.check.{format.value}").render(results)
    return document.encode("utf-8", "backslashreplace")


def _write_file(path: Path, data: bytes) -> None:
    """Write a report: a regular file is replaced as a whole, a pipe or a device is written to."""
    if not _is_added_to(path):
        replace_in_full(path, data)
        return
    try:
        with open(path, "ab") as file:
            file.write(data)
    except BrokenPipeError:  # maybe that of stdout, which is told of as everywhere
        raise
    except OSError as error:
        _refuse(path, error)


def _is_added_to(path: Path) -> bool:
    """Whether a file keeps what it has: a device, a pipe, or the summary of a job in GitHub."""
    place = os.fspath(path)
    if place.startswith("/dev/") or place == os.environ.get("GITHUB_STEP_SUMMARY"):
        return True
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def replace_in_full(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all, and the directories above it."""
    from insomnia_skills.edit.write import directories_for, replace_file

    try:
        with ending_in_order(), directories_for(path):
            replace_file(path, data)
    except OSError as error:
        _refuse(path, error)


def _refuse(path: Path, error: OSError) -> NoReturn:
    reason = error.strerror or error
    fail(f"{PathNames()(path)} can't be written: {reason}", code=Exit.NO_OUTPUT)
