"""``insomnia-skills validate``: the check that CI runs."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    Settings,
    fail,
    is_terminal,
    say,
    with_settings,
    write,
    write_json,
)
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.text import PathNames

if TYPE_CHECKING:
    from insomnia_skills.check import Check


class CheckFormat(StrEnum):
    """How findings are written; ``auto`` is text on a terminal, else one finding a line."""

    AUTO = "auto"
    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"


@with_settings
def command(
    settings: Settings,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Skill directories, SKILL.md files, native Workflows, or directories to search. "
            "Default: everything the workspace configures.",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    format: Annotated[
        CheckFormat,
        typer.Option("--format", help="auto: text on a terminal, one line each when piped."),
    ] = CheckFormat.AUTO,
) -> None:
    """Check skills, native Workflows and manifests; exit 1 if one has an error."""
    started = time.perf_counter()
    check, readable = _check_paths(paths) if paths else _check_workspace(settings)
    if format is CheckFormat.JSON:
        from insomnia_skills.report.json import check_document

        write_json(check_document(check))
    elif format is CheckFormat.TEXT or (format is CheckFormat.AUTO and is_terminal()):
        _print_text(check, settings, started)
    else:
        _print_concise(check, settings, started)
    if not check.files:
        name = PathNames()
        looked = paths or [check.workspace or Path.cwd()]
        fail(
            f"nothing to check in {', '.join(name(path) for path in looked)}",
            "name a directory with skills: insomnia-skills validate DIR",
        )
    if not readable:
        raise typer.Exit(Exit.WRONG_QUESTION)
    if check.total(Severity.ERROR) or (strict and check.total(Severity.WARNING)):
        raise typer.Exit(Exit.NO)


def _check_paths(paths: list[Path]) -> tuple[Check, bool]:
    from insomnia_skills.check import NotCheckableError, check_paths

    try:
        return check_paths(paths), True
    except NotCheckableError as error:
        fail(str(error))


def _check_workspace(settings: Settings) -> tuple[Check, bool]:
    """The check of all that is configured, and whether every manifest could be read."""
    from insomnia_skills.check import check_workspace

    result = settings.ingest(thorough=True)
    return check_workspace(result), result.manifest_readable


def _print_text(check: Check, settings: Settings, started: float) -> None:
    from insomnia_skills.report.validate import follow_up, summary_line, validate_text

    console = settings.console()
    shown = [d for d in check.diagnostics if settings.shows(d.severity)]
    validate_text(shown, PathNames(), console)
    if check.files and not settings.quiet:
        console.print(summary_line(check, time.perf_counter() - started), soft_wrap=True)
        if more := follow_up(check):
            console.print(more, soft_wrap=True)


def _print_concise(check: Check, settings: Settings, started: float) -> None:
    from insomnia_skills.report.diagnostics import concise
    from insomnia_skills.report.validate import summary_line

    name = PathNames()
    write(concise(d, name) for d in check.diagnostics if settings.shows(d.severity))
    if check.files and not settings.quiet:
        say(summary_line(check, time.perf_counter() - started).plain)
