"""``insomnia-skills validate``: the check that CI runs."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from insomnia_skills.checking.check import FileKind
from insomnia_skills.cli.checking import Question, answer, ask
from insomnia_skills.cli.choosing import (
    Chosen,
    complete_rules,
    complete_severity,
    open_baseline,
    read_choice,
    tell_unused,
)
from insomnia_skills.cli.common import Exit, Settings, fail, say, tell_all, with_settings
from insomnia_skills.cli.fixing import apply_changes, plan_changes, say_left, show_changes
from insomnia_skills.cli.output import CheckFormat, complete_output, emit, read_outputs
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.check import Results
from insomnia_skills.report.summary import summary, unnamed_lines
from insomnia_skills.report.text import PathNames
from insomnia_skills.workspace import find_repository

if TYPE_CHECKING:
    from insomnia_skills.checking.check import Check
    from insomnia_skills.pipeline import Ingest

_CHOOSING = "Choosing rules"
_REPORTING = "Reports"
_WHICH = "Choosing files"
_FIXING = "Fixing"


class Command(TyperCommand):
    """Lets ``--changed`` stand without its value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = list(args)
        for at, argument in enumerate(given):
            if argument == "--":
                break
            if argument == "--changed" and all(a.startswith("-") for a in given[at + 1 : at + 2]):
                given[at] = "--changed=HEAD"
        return super().parse_args(ctx, given)


@with_settings
def command(
    settings: Settings,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Skill directories, SKILL.md files, native Workflows, directories to search, "
            "or - for stdin. Default: everything the workspace configures.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on warnings too.", rich_help_panel=_CHOOSING)
    ] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="RULE",
            autocompletion=complete_rules,
            help="Report these rules only; `name-*` means all that begin so.",
            rich_help_panel=_CHOOSING,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="RULE",
            autocompletion=complete_rules,
            help="Leave these rules out.",
            rich_help_panel=_CHOOSING,
        ),
    ] = None,
    severity: Annotated[
        list[str] | None,
        typer.Option(
            "--severity",
            metavar="RULE=LEVEL",
            autocompletion=complete_severity,
            help="Weigh a rule as error, warning or info.",
            rich_help_panel=_CHOOSING,
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Findings listed in this file are known: only others fail.",
            rich_help_panel=_CHOOSING,
        ),
    ] = None,
    write_baseline: Annotated[
        bool,
        typer.Option(
            "--write-baseline",
            help="Write what is found to the baseline.",
            rich_help_panel=_CHOOSING,
        ),
    ] = False,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Fix what has one right answer, then check again.",
            rich_help_panel=_FIXING,
        ),
    ] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes",
            help="Fix also where that chooses for the author, such as a name.",
            rich_help_panel=_FIXING,
        ),
    ] = False,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Show what would be fixed instead; exit 1 if there is something, or an error "
            "is left.",
            rich_help_panel=_FIXING,
        ),
    ] = False,
    changed: Annotated[
        str | None,
        typer.Option(
            "--changed",
            metavar="[REF]",
            help="Only what differs from a git commit; from HEAD without REF.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    stdin_filename: Annotated[
        Path | None,
        typer.Option(
            "--stdin-filename",
            metavar="FILE",
            help="The file whose text comes on stdin, for editors: validate - --stdin-filename F.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    format: Annotated[
        CheckFormat,
        typer.Option(
            "--format",
            help="auto: text on a terminal, in GitHub Actions and GitLab what they read, "
            "else concise.",
            rich_help_panel=_REPORTING,
        ),
    ] = CheckFormat.AUTO,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            metavar="[FORMAT=]FILE",
            autocompletion=complete_output,
            help="Write a report to a file as well; its name tells the format. May be repeated.",
            rich_help_panel=_REPORTING,
        ),
    ] = None,
) -> None:
    """Check skills, native Workflows and manifests; exit 1 if one has an error."""
    started = time.perf_counter()
    if diff and (output or write_baseline):
        fail("--diff writes nothing", "leave out --output and --write-baseline, or --diff")
    question = ask(paths or (), changed, stdin_filename)
    fixing = fix or unsafe_fixes or diff
    if fixing and stdin_filename is not None:
        fail(
            "what comes on stdin can't be fixed",
            "name the file, or take the edits that --format json gives",
        )
    chosen = read_choice(settings, select or (), ignore or (), severity or (), strict, baseline)
    outputs = read_outputs(output or (), chosen.baseline)
    known = open_baseline(chosen.baseline, write_baseline)
    found, result = answer(question, settings)
    if not settings.quiet:
        tell_unused(found, ignore or ())
    check = chosen.choice.check(found)
    changes = plan_changes(check, chosen.choice, unsafe_fixes, question.paths) if fixing else []
    refused = False
    if changes and not diff:
        fixed, renamed, refused = apply_changes(changes)
        if fixed:
            found, result = answer(question.after(renamed), settings)
            check = replace(chosen.choice.check(found), fixed=fixed)
    if known is not None:
        whole = result is not None and changed is None
        renew = write_baseline and not _is_no_answer(found, result, question)
        check = known.apply(check, found, whole, renew, settings)
    results = Results(
        check=check,
        shown=tuple(
            diagnostic
            for diagnostic in check.diagnostics
            if settings.shows(diagnostic.severity)
            or (chosen.strict and diagnostic.severity is Severity.WARNING)
        ),
        root=find_repository(Path.cwd()) or Path.cwd(),
        seconds=time.perf_counter() - started,
        strict=chosen.strict,
        quiet=settings.quiet,
    )
    nothing = _is_no_answer(check, result, question)
    if not diff:
        emit(results, format.resolved(os.environ), [] if nothing else outputs, settings)
    elif not nothing:
        show_changes(changes, unsafe_fixes, settings)
        say_left(results, changes, unsafe_fixes)
    _end(results, result, question, chosen)
    if refused or (diff and changes):
        raise typer.Exit(Exit.NO)


def _end(results: Results, result: Ingest | None, question: Question, chosen: Chosen) -> None:
    """The exit code, and what is still to be said of its reason."""
    if result is not None and not result.manifest_readable:
        # That can be ignored as a finding, but it is why there is no answer.
        shown = {(diagnostic.rule, diagnostic.path) for diagnostic in results.shown}
        tell_all(
            diagnostic
            for manifest in result.manifests
            if not manifest.readable
            for diagnostic in manifest.diagnostics
            if diagnostic.severity is Severity.ERROR
            and (diagnostic.rule, diagnostic.path) not in shown
        )
        raise typer.Exit(Exit.WRONG_QUESTION)
    if result is not None and not results.quiet:
        _tell_unnamed(result)
    if results.failed:
        if chosen.strict_in and not results.check.total(Severity.ERROR) and not results.quiet:
            say(f"Warnings fail here: strict = true in {PathNames()(chosen.strict_in)}")
        raise typer.Exit(Exit.NO)
    if _is_no_answer(results.check, result, question):
        # A check of nothing must not pass for a check of everything.
        for line in summary(result) if result is not None else ():
            say(line)
        looked = ", ".join(map(PathNames(), question.paths or [Path.cwd()]))
        fail(
            f"nothing to check in {looked}: no skill and no native Workflow",
            "name a directory with skills: insomnia-skills validate DIR",
        )
    if question.changed is not None and not results.check.files:
        say(f"Checked no file: nothing here differs from {question.changed}")


def _tell_unnamed(result: Ingest) -> None:
    """Say where skills lie that were not checked, if no manifest names any skills root."""
    if result.candidates and not any(manifest.entries for manifest in result.manifests):
        for line in unnamed_lines(result):
            say(line)


def _is_no_answer(check: Check, result: Ingest | None, question: Question) -> bool:
    """Whether nothing was checked, or not all that was asked for could be found."""
    if result is not None and not result.manifest_readable:
        return True
    asked = (question.stdin_filename,) if question.stdin_filename else question.paths
    if question.changed is not None or (asked and all(p.name == "manifest.toml" for p in asked)):
        return False
    return all(file.kind is FileKind.MANIFEST for file in check.files)
