"""``validate --watch`` and ``resolve --watch``: the answer, then what changes in it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from insomnia_skills.checking.check import Check, CheckedFile, NotCheckableError, judge_paths
from insomnia_skills.cli.common import (
    Exit,
    Settings,
    fail,
    finish,
    say,
    tell,
    write,
    write_bytes,
)
from insomnia_skills.cli.output import CheckFormat
from insomnia_skills.cli.output import LiveReport as Output
from insomnia_skills.cli.reading import Interrupt, reading
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.check import Results, Totals
from insomnia_skills.report.check.summary import checked_files
from insomnia_skills.report.text import PathNames, one_line, plural
from insomnia_skills.watching.events import CannotWatchError
from insomnia_skills.watching.findings import Findings, FindingsChange
from insomnia_skills.watching.live import Live, LivePaths, LiveWorkspace
from insomnia_skills.watching.watch import Watched, watch
from insomnia_skills.workspace import MARKER, absolute_path, find_repository, find_workspace

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.reading import Note


def refuse(options: Mapping[str, object], format: str, formats: Iterable[str]) -> None:
    """End with 2 where something is asked for that can't be watched, or `watchfiles` can't be used.

    ``options`` are those that watching has no use for, each with whether it was given; ``formats``
    those that may go on and on.
    """
    for option, given in options.items():
        if given:
            fail(f"--watch and {option} ask for two things", "leave one of them out")
    if format not in formats:
        fail(f"--watch can't write {format}", f"--format {' or '.join(formats)}")
    try:
        import_module("watchfiles._rust_notify")
    except ImportError as error:
        fail(
            f"--watch needs the package watchfiles: {error}",
            "pip install 'insomnia-skills[watch]', or pipx inject insomnia-skills watchfiles",
        )


class Rules(NamedTuple):
    """What of a check is reported and shown, and on which files that depends."""

    choose: Callable[[Check], Check]
    shows: Callable[[Diagnostic], bool]
    results: Callable[[Check, Totals | None], Results]
    places: Sequence[Path]


class Telling(NamedTuple):
    """How `validate` tells an answer: ``report`` writes it, ``end`` ends as it says, with why.

    ``is_answer`` tells whether something was checked.
    """

    report: Callable[[Results], None]
    end: Callable[[Results, Ingest | None], None]
    is_answer: Callable[[Totals, Ingest | None], bool]


def watch_check(
    settings: Settings,
    paths: Sequence[Path],
    read_rules: Callable[[], Rules],
    telling: Telling,
    format: CheckFormat,
) -> None:
    """Report what `validate` finds, then what becomes of it; ends as the last answer says.

    ``read_rules`` ends where configuration or baseline can't be used, and so does the watching if
    that is so from the start.
    """
    rules = read_rules()
    refused: typer.Exit | None = None

    def also() -> Iterable[Path]:
        return rules.places

    interrupt = Interrupt()
    live = _live(settings, paths, interrupt, also)
    try:
        update = live.read_all()
    except NotCheckableError as error:
        fail(str(error), error.help)
    findings = Findings(live, rules.choose)
    findings.apply(update)
    check = Check(_root(live), tuple(findings.files), findings.others)
    results = rules.results(check, None)
    telling.report(results)
    with suppress(typer.Exit):
        telling.end(results, _ingest(live))
    try:
        for watched in _watched(live, interrupt, settings):
            if watched.update.whole:
                try:
                    rules, refused = read_rules(), None
                except typer.Exit as end:  # it is said why; the rules stay as they were
                    refused = end
                findings.choose = rules.choose
            change = findings.apply(watched.update)
            if watched.asked or change.new or change.gone:
                results = _results(live, findings, rules)
                problem = _problem(live, results, refused, telling)
                state = problem or _state(results.totals)
                _tell_findings(change, watched, state, results, rules, settings, format)
    except KeyboardInterrupt:
        if refused is not None:
            raise typer.Exit(refused.exit_code) from None
        if isinstance(live, LivePaths) and live.missing:
            fail(str(live.missing[0]), live.missing[0].help)
        telling.end(_results(live, findings, rules), _ingest(live))


def _live(
    settings: Settings,
    paths: Sequence[Path],
    interrupt: Interrupt,
    also: Callable[[], Iterable[Path]],
) -> LiveWorkspace | LivePaths:
    if not paths:
        return _live_workspace(settings, True, interrupt, also)

    def judge(these: Sequence[Path], note: Note) -> Iterator[CheckedFile]:
        with reading(settings, interrupt, note) as means:
            yield from judge_paths(these, reader=means.reader())

    return LivePaths(map(absolute_path, paths), judge, also)


def _live_workspace(
    settings: Settings,
    thorough: bool,
    interrupt: Interrupt,
    also: Callable[[], Iterable[Path]],
) -> LiveWorkspace:
    def read(note: Note) -> Ingest:
        with reading(settings, interrupt, note) as means:
            return settings.ingest(thorough, means=means)

    return LiveWorkspace(read, also)


def _watched(live: Live, interrupt: Interrupt, settings: Settings) -> Iterator[Watched]:
    """The updates of an answer, until Ctrl-C; ends with 74 where the system tells of no changes."""
    sys.stdout.flush()
    told = settings.quiet
    try:
        with interrupt.armed():
            for watched in watch(live, interrupt.waiting):
                yield watched
                sys.stdout.flush()
                if not told:
                    say("Watching for changes; Ctrl-C ends it")
                    told = True
    except CannotWatchError as error:
        fail(f"--watch: {error}", error.help, Exit.NO_OUTPUT)


def _ingest(live: Live) -> Ingest | None:
    return live.ingest if isinstance(live, LiveWorkspace) else None


def _root(live: Live) -> Path | None:
    return live.ingest.workspace.root if isinstance(live, LiveWorkspace) else None


def _problem(
    live: Live, results: Results, refused: typer.Exit | None, telling: Telling
) -> str | None:
    """Why there is no answer now, if so."""
    if refused is not None:
        return "the configuration or the baseline can't be used"
    if isinstance(live, LivePaths) and live.missing:
        return one_line(str(live.missing[0]))
    ingest = _ingest(live)
    if ingest is not None and not ingest.manifest_readable:
        return "a manifest can't be read"
    if not results.failed and not telling.is_answer(results.totals, ingest):
        return "nothing to check"
    return None


def _results(live: Live, findings: Findings, rules: Rules) -> Results:
    """What all findings come to, without any of them."""
    totals = Totals()
    totals.checked, totals.broken, totals.found = (
        findings.checked,
        findings.broken,
        findings.found,
    )
    return rules.results(Check(_root(live), ()), totals)


def _tell_findings(
    change: FindingsChange,
    watched: Watched,
    state: str,
    results: Results,
    rules: Rules,
    settings: Settings,
    format: CheckFormat,
) -> None:
    if format is CheckFormat.JSONL:
        from insomnia_skills.report.check.jsonl import change_lines

        lines = change_lines(change.new, change.gone, results)
        write_bytes("".join(lines).encode("utf-8", "backslashreplace"))
        return
    new, gone = (tuple(filter(rules.shows, found)) for found in (change.new, change.gone))
    Output(format, settings).show(new)
    name = PathNames()
    for diagnostic in gone:
        place = f"{name(diagnostic.path)}:{diagnostic.line}:{diagnostic.column}"
        write((f"gone {place} {diagnostic.rule}",))
    if settings.quiet:
        return
    line = _line(watched, _changes(new, gone), state)
    if format is CheckFormat.TEXT:
        write((line,))
    else:
        say(line)


def _line(watched: Watched, changes: str, state: str) -> str:
    """When, what was read again, what that changed, and what there is now."""
    update, seconds, _ = watched
    again = {file.file for file in (*update.before, *update.after)}
    what = "all checked again" if update.whole else f"{plural(len(again), 'file')} checked"
    return f"{_now()}  {what}: {changes}; {state} in {seconds:.2f} s"


def _now() -> str:
    return time.strftime("%H:%M:%S")


def _changes(new: Iterable[Diagnostic], gone: Iterable[Diagnostic]) -> str:
    """How many findings of which severity are gone and new."""
    parts = [
        plural(count[severity], f"{before}{severity}", f"{before}{severity}s") + after
        for count, before, after in (
            (Counter(diagnostic.severity for diagnostic in gone), "", " gone"),
            (Counter(diagnostic.severity for diagnostic in new), "new ", ""),
        )
        for severity in Severity
        if count[severity]
    ]
    return ", ".join(parts) or "nothing new"


def _state(totals: Totals) -> str:
    """How many errors and warnings there are, and in what."""
    found = [
        plural(totals.found[severity], severity)
        for severity in (Severity.ERROR, Severity.WARNING)
        if totals.found[severity]
    ]
    return f"{', '.join(found) or 'all good'} in {checked_files(totals) or 'no file'}"


def watch_resolution(
    settings: Settings, slug: str | None, report: Callable[[Ingest], None], is_table: bool
) -> None:
    """Report what wins, then what changes; ends as the last answer says.

    ``report`` writes the whole answer. With a slug it is written again whenever it changed.
    """
    interrupt = Interrupt()
    also = partial(_workspaces_above, settings)
    live = _live_workspace(settings, False, interrupt, also)
    live.read_all()
    before = live.ingest
    report(before)
    try:
        for watched in _watched(live, interrupt, settings):
            after = live.ingest
            _tell_resolution(before, after, watched, settings, slug, report, is_table)
            before = after
    except KeyboardInterrupt:
        finish(live.ingest)


def _tell_resolution(
    before: Ingest,
    after: Ingest,
    watched: Watched,
    settings: Settings,
    slug: str | None,
    report: Callable[[Ingest], None],
    is_table: bool,
) -> None:
    if slug is not None:
        from insomnia_skills.resolution.ladder import build_ladder

        if build_ladder(before, slug) != build_ladder(after, slug):
            if not settings.quiet:
                say(f"{_now()}  /{one_line(slug)} changed")
            report(after)
        return
    from insomnia_skills.resolution.difference import find_difference

    difference = find_difference(before, after)
    tell(after, settings, told=set(before.diagnostics))
    if difference and is_table:
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.sources.table import difference_lines

        difference_lines(difference, Labels(after), settings.console())
    elif difference:
        from insomnia_skills.report.sources.plain import change_records

        write(change_records(difference))
    if (watched.asked or difference) and not settings.quiet:
        count = plural(len(after.workflows), "workflow")
        shadows, skipped = len(after.shadows), len(after.skipped)
        what = "" if difference else "nothing changed that a Pod gets; "
        line = f"{what}{count}, {shadows:,} shadowed, {skipped:,} skipped"
        say(f"{_now()}  {line} in {watched.seconds:.2f} s")


def rule_places(settings: Settings, base: Path, baseline: Path | None) -> Iterator[Path]:
    """Where the configuration lies, or one that would go before it, and the baseline.

    ``base`` is the directory of the configuration, or where one was looked for.
    """
    from insomnia_skills.checking.config import CONFIG_FILE, PYPROJECT

    start = absolute_path(settings.workspace or ".")
    top = find_repository(start) or start
    above = [d for d in (start, *start.parents) if d.is_relative_to(top) or d.is_relative_to(base)]
    for directory in (*above, base):
        yield from (directory / CONFIG_FILE, directory / PYPROJECT)
    if baseline is not None:
        yield baseline
    yield from _workspaces_above(settings)


def _workspaces_above(settings: Settings) -> Iterator[Path]:
    """Where a nearer workspace than the one that was found may come to be."""
    if settings.workspace is None:
        here = Path.cwd()
        top = find_workspace(here).root
        yield from (d / MARKER for d in (here, *here.parents) if d.is_relative_to(top))
