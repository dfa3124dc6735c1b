"""``insomnia-skills report merge``: one answer out of the results of several jobs."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from insomnia_skills.checking.check import FileKind
from insomnia_skills.cli.choosing import read_choice
from insomnia_skills.cli.common import GIVEN_PATH, ColorOption, Settings, fail, well_ended
from insomnia_skills.cli.output import (
    CheckFormat,
    complete_output,
    emit,
    read_outputs,
    require_passed,
)
from insomnia_skills.report.check import Results
from insomnia_skills.report.screen import Color
from insomnia_skills.workspace import find_repository, real_path


@well_ended()
def command(
    files: Annotated[
        list[Path],
        typer.Argument(
            click_type=GIVEN_PATH, metavar="FILE...", help="What `validate --format json` wrote."
        ),
    ],
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    format: Annotated[
        CheckFormat,
        typer.Option("--format", help="As for `validate`."),
    ] = CheckFormat.AUTO,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            metavar="[FORMAT=]FILE",
            autocompletion=complete_output,
            help="Write a report to a file as well; its name tells the format. May be repeated.",
        ),
    ] = None,
    color: ColorOption = Color.AUTO,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but results and errors.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show notes (info) too.")
    ] = False,
) -> None:
    """Join JSON results of `validate`, of shards say; exit 1 if one has an error."""
    from insomnia_skills.checking.merge import MergeError, load_result, merge

    started = time.perf_counter()
    settings = Settings(color=color, quiet=quiet, verbose=verbose)
    # Of a configuration only whether warnings fail: all else was obeyed when the files were judged.
    chosen = read_choice(settings, (), (), (), strict, None)
    outputs = read_outputs(output or (), None)
    given = {real_path(file) for file in files}
    for written in outputs:
        if real_path(written.path) in given:
            fail(f'--output: "{written.path}" is a result to be joined', "name another file")
    try:
        check = merge([load_result(file) for file in files])
    except MergeError as error:
        fail(str(error), error.help)
    results = Results(
        check=check,
        shown=tuple(d for d in check.diagnostics if settings.shows(d.severity, chosen.strict)),
        root=find_repository(Path.cwd()) or Path.cwd(),
        seconds=time.perf_counter() - started,
        strict=chosen.strict,
        quiet=quiet,
        strict_in=chosen.strict_in,
    )
    checked = results.totals.checked
    nothing = not (checked[FileKind.SKILL] or checked[FileKind.WORKFLOW])
    emit(results, format.resolved(os.environ), [] if nothing else outputs, settings)
    require_passed(results)
    if nothing:
        # A check of nothing must not pass for a check of everything.
        fail("nothing was checked: no skill and no native Workflow is in these results")
