"""``insomnia-skills validate``: the check that CI runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from insomnia_skills.checking.check import Check, FileKind
from insomnia_skills.checking.choice import Choice
from insomnia_skills.cli.checking import STDIN, Coming, Question, answer, ask
from insomnia_skills.cli.choosing import (
    Chosen,
    complete_rules,
    complete_severity,
    open_baseline,
    read_choice,
    tell_unused,
)
from insomnia_skills.cli.common import (
    GIVEN_PATH,
    Exit,
    Settings,
    fail,
    say,
    tell_all,
    with_settings,
)
from insomnia_skills.cli.fixing import apply_changes, plan_changes, say_left, show_changes
from insomnia_skills.cli.output import (
    LIVE,
    CheckFormat,
    LiveReport,
    complete_output,
    emit,
    read_outputs,
    require_passed,
)
from insomnia_skills.cli.reading import Interrupt, reading
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.check import Results, Totals
from insomnia_skills.report.text import PathNames
from insomnia_skills.workspace import find_repository

if TYPE_CHECKING:
    from insomnia_skills.checking.shard import Part
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
            click_type=GIVEN_PATH,
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
            click_type=GIVEN_PATH,
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
            click_type=GIVEN_PATH,
            metavar="FILE",
            help="The file whose text comes on stdin, for editors: validate - --stdin-filename F.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Only part I of N, for one of N jobs; report merge joins their JSON.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Go on, and report what changes; Ctrl-C ends it.",
            rich_help_panel=_WHICH,
        ),
    ] = False,
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
    question = ask(paths or (), changed, stdin_filename, shard)
    fixing = fix or unsafe_fixes or diff
    _require_fixable(question, fixing)
    format = format.resolved(os.environ)
    choose = partial(
        read_choice, settings, select or (), ignore or (), severity or (), strict, baseline
    )
    if watch:
        writing = {"fixing": fixing, "--output": output, "--write-baseline": write_baseline}
        _watch(settings, question, choose, format, writing)
        return
    chosen = choose()
    outputs = read_outputs(output or (), chosen.baseline)
    known = open_baseline(chosen.baseline, write_baseline)
    run = _Run(settings, chosen, question, ignore or (), started)
    with reading(settings, Interrupt()) as means:
        found = answer(question, settings, means)
        if found.coming and format in LIVE and not (fixing or known or outputs):
            _end(run.report_live(found.coming, LiveReport(format, settings, means)), None, question)
            return
        found = found.complete()
        check = run.choose(found.check)
        refused = False
        changes = (
            plan_changes(check, chosen.choice, unsafe_fixes, question.paths, means.progress)
            if fixing and not found.interrupted
            else []
        )
        if changes and not diff:
            fixed, renamed, refused = apply_changes(changes, means.progress)
            if fixed:
                found = answer(question.after(renamed), settings, means).complete()
                check = chosen.choice.check(found.check)._replace(fixed=fixed)
    nothing = not _is_answer(Totals.of(found.check), found.ingest, question)
    if known is not None:
        whole = found.ingest is not None and changed is None and not found.interrupted
        renew = write_baseline and not (nothing or found.interrupted)
        check = known.apply(check, found.check, whole, renew, settings)
    results = run.results(check, found.interrupted)
    if not diff:
        emit(results, format, [] if nothing or found.interrupted else outputs, settings)
    elif not nothing:
        show_changes(changes, unsafe_fixes, settings)
        say_left(results, changes, unsafe_fixes)
    _end(results, found.ingest, question)
    if refused or (diff and changes):
        raise typer.Exit(Exit.NO)


class _Run(NamedTuple):
    """What all of one run has in common; ``ignore`` is what the command line ignores."""

    settings: Settings
    chosen: Chosen
    question: Question
    ignore: Sequence[str]
    started: float

    def choose(self, found: Check) -> Check:
        """What of a check is to be reported; says what was ignored in vain."""
        if self.ignore and not self.settings.quiet:
            tell_unused({d.rule for d in Choice().check(found).diagnostics}, self.ignore)
        return self.chosen.choice.check(found)

    def results(self, check: Check, interrupted: bool, totals: Totals | None = None) -> Results:
        """What is written of a check."""
        return Results(
            check=check,
            shown=() if totals else tuple(filter(self.shows, check.diagnostics)),
            root=find_repository(Path.cwd()) or Path.cwd(),
            seconds=time.perf_counter() - self.started,
            strict=self.chosen.strict,
            quiet=self.settings.quiet,
            strict_in=self.chosen.strict_in,
            part=self._part(),
            interrupted=interrupted,
            totals=totals,
        )

    def _part(self) -> Part | None:
        shard, choice = self.question.shard, self.chosen.choice
        if shard is None:
            return None
        from insomnia_skills.checking.shard import Part, digest

        of = tuple(path.as_posix() for path in self.question.paths)
        return Part(shard, of, digest(choice, self.chosen.strict, self.question.changed))

    def report_live(self, coming: Coming, live: LiveReport) -> Results:
        """Write what is found in each file as it comes, and keep none of it."""
        totals, rules = Totals(), set[str]()
        for judged in coming:
            if self.ignore:
                rules.update(d.rule for d in Choice().file(judged).diagnostics)
            said = judged.diagnostics or judged.ignores
            file = self.chosen.choice.file(judged) if said else judged
            shown = tuple(filter(self.shows, file.diagnostics))
            totals.add(file)
            totals.shown.update(diagnostic.severity for diagnostic in shown)
            live.file(file, shown)
        results = self.results(Check(None, ()), coming.interrupted, totals)
        live.end(results)
        if self.ignore and not self.settings.quiet:
            tell_unused(rules, self.ignore)
        return results

    def shows(self, diagnostic: Diagnostic) -> bool:
        """Whether people are shown a diagnostic."""
        return self.settings.shows(diagnostic.severity, self.chosen.strict)


def _require_fixable(question: Question, fixing: bool) -> None:
    """End with 2 where what is to be fixed comes on stdin."""
    if fixing and question.stdin_filename is not None:
        fail(
            "what comes on stdin can't be fixed",
            "name the file, or take the edits that --format json gives",
        )


def _watch(
    settings: Settings,
    question: Question,
    choose: Callable[[], Chosen],
    format: CheckFormat,
    writing: Mapping[str, object],
) -> None:
    """Report what is found, then what becomes of it; ends with 2 for what can't be watched.

    ``choose`` is called again each time that all is read. ``writing`` are the options that write
    files, each with whether it was given.
    """
    from insomnia_skills.cli.watching import Rules, Telling, refuse, rule_places, watch_check

    asked = {
        "stdin": question.stdin_filename or STDIN in question.paths,
        "--changed": question.changed,
        "--shard": question.shard,
    }
    refuse({**writing, **asked}, format, LIVE)

    def read_rules() -> Rules:
        run = _Run(settings, choose(), question, (), time.perf_counter())
        choice, baseline = run.chosen.choice, run.chosen.baseline
        known = open_baseline(baseline, renew=False)

        def apply(check: Check) -> Check:
            chosen = choice.check(check)
            return known.baseline.silence(chosen) if known else chosen

        return Rules(
            apply,
            run.shows,
            lambda check, totals: run.results(check, interrupted=False, totals=totals),
            tuple(rule_places(settings, choice.base, baseline)),
        )

    telling = Telling(
        report=lambda results: emit(results, format, (), settings),
        end=partial(_end, question=question),
        is_answer=partial(_is_answer, question=question),
    )
    watch_check(settings, question.paths, read_rules, telling, format)


def _end(results: Results, result: Ingest | None, question: Question) -> None:
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
    if results.interrupted:
        say("interrupted: there may be more")
        raise typer.Exit(Exit.INTERRUPTED)
    require_passed(results)
    if not _is_answer(results.totals, result, question):
        # A check of nothing must not pass for a check of everything.
        if result is not None:
            from insomnia_skills.report.summary import summary

            for line in summary(result):
                say(line)
        looked = ", ".join(map(PathNames(), question.paths or [Path.cwd()]))
        fail(
            f"nothing to check in {looked}: no skill and no native Workflow",
            "name a directory with skills: insomnia-skills validate DIR",
        )
    if question.changed is not None and not results.totals.checked:
        say(f"Checked no file: nothing here differs from {question.changed}")


def _tell_unnamed(result: Ingest) -> None:
    """Say where skills lie that were not checked, if no manifest names any skills root."""
    if result.candidates and not any(manifest.entries for manifest in result.manifests):
        from insomnia_skills.report.summary import unnamed_lines

        for line in unnamed_lines(result):
            say(line)


def _is_answer(totals: Totals, result: Ingest | None, question: Question) -> bool:
    """Whether something was checked, and all that was asked for could be found."""
    if result is not None and not result.manifest_readable:
        return False
    if question.changed is not None or question.shard is not None:
        return True
    asked = (question.stdin_filename,) if question.stdin_filename else question.paths
    if asked and all(path.name == "manifest.toml" for path in asked):
        return True
    return any(totals.checked[kind] for kind in (FileKind.SKILL, FileKind.WORKFLOW))
