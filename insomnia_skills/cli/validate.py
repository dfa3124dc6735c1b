"""``insomnia-skills validate``: the check that CI runs."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

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


class CheckFormat(StrEnum):
    AUTO = "auto"
    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"


@with_settings
def validate(
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
    from insomnia_skills.check import NotCheckableError, check_paths, check_workspace
    from insomnia_skills.diagnostic import Severity
    from insomnia_skills.report.text import PathNames

    started = time.perf_counter()
    readable = True
    if paths:
        try:
            check = check_paths(paths)
        except NotCheckableError as error:
            fail(str(error))
    else:
        result = settings.ingest(thorough=True)
        readable = result.manifest_readable
        check = check_workspace(result)
    name = PathNames()
    shown = [d for d in check.diagnostics if settings.shows(d.severity)]
    if format is CheckFormat.JSON:
        from insomnia_skills.report.json import check_document

        write_json(check_document(check))
    elif format is CheckFormat.TEXT or (format is CheckFormat.AUTO and is_terminal()):
        from insomnia_skills.report.validate import follow_up, summary_line, validate_text

        console = settings.console()
        validate_text(check, shown, name, console)
        if check.files and not settings.quiet:
            console.print(summary_line(check, time.perf_counter() - started), soft_wrap=True)
            if more := follow_up(check):
                console.print(more, soft_wrap=True)
    else:
        from insomnia_skills.report.diagnostics import concise
        from insomnia_skills.report.validate import summary_line

        write(concise(diagnostic, name) for diagnostic in shown)
        if check.files and not settings.quiet:
            say(summary_line(check, time.perf_counter() - started).plain)
    if not check.files:
        looked = ", ".join(name(path) for path in paths or ())
        fail(
            f"nothing to check in {looked or name(check.workspace or Path.cwd())}",
            "name a directory with skills: insomnia-skills validate DIR",
        )
    if not readable:
        raise typer.Exit(Exit.WRONG_QUESTION)
    if check.count(Severity.ERROR) or (strict and check.count(Severity.WARNING)):
        raise typer.Exit(Exit.NO)
