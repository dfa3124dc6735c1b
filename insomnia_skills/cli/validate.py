"""``insomnia-skills validate``: the check that CI runs."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from insomnia_skills.check import (
    Check,
    FileKind,
    NotCheckableError,
    check_paths,
    check_workspace,
)
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
from insomnia_skills.report.summary import summary
from insomnia_skills.report.text import PathNames


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
    result = None if paths else settings.ingest(thorough=True)
    check = _check_paths(paths or []) if result is None else check_workspace(result)
    if format is CheckFormat.JSON:
        from insomnia_skills.report.json import check_document

        write_json(check_document(check))
    elif format is CheckFormat.TEXT or (format is CheckFormat.AUTO and is_terminal()):
        _print_text(check, settings, started)
    else:
        _print_concise(check, settings, started)
    if result is not None and not result.manifest_readable:
        raise typer.Exit(Exit.WRONG_QUESTION)
    if check.total(Severity.ERROR) or (strict and check.total(Severity.WARNING)):
        raise typer.Exit(Exit.NO)
    # A check of nothing must not pass for a check of everything.
    if all(file.kind is FileKind.MANIFEST for file in check.files) and not _only_manifests(paths):
        for line in summary(result) if result is not None else ():
            say(line)
        looked = ", ".join(map(PathNames(), paths or [Path.cwd()]))
        fail(
            f"nothing to check in {looked}: no skill and no native Workflow",
            "name a directory with skills: insomnia-skills validate DIR",
        )


def _only_manifests(paths: list[Path] | None) -> bool:
    """Whether manifests are what was asked for."""
    return bool(paths) and all(path.name == "manifest.toml" for path in paths or ())


def _check_paths(paths: list[Path]) -> Check:
    try:
        return check_paths(paths)
    except NotCheckableError as error:
        fail(str(error))


def _print_text(check: Check, settings: Settings, started: float) -> None:
    from insomnia_skills.report.validate import validate_text

    shown = [d for d in check.diagnostics if settings.shows(d.severity)]
    validate_text(check, shown, _summary(check, settings, started), settings.console())


def _print_concise(check: Check, settings: Settings, started: float) -> None:
    from insomnia_skills.report.diagnostics import concise

    name = PathNames()
    write(concise(d, name) for d in check.diagnostics if settings.shows(d.severity))
    if summary := _summary(check, settings, started):
        say("".join(text for text, _ in summary))


def _summary(check: Check, settings: Settings, started: float) -> list[tuple[str, str]]:
    from insomnia_skills.report.validate import summary_parts

    wanted = check.files and not settings.quiet
    return summary_parts(check, time.perf_counter() - started) if wanted else []
