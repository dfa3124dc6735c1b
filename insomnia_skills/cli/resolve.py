"""``insomnia-skills resolve``: which copy of a slug wins, which lose, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    FormatOption,
    RecordFormat,
    Settings,
    fail,
    finish,
    require_candidates,
    say,
    tell,
    with_settings,
    write,
    write_bytes,
    write_json,
)
from insomnia_skills.cli.reading import Interrupt, reading
from insomnia_skills.cli.slugs import complete_wanted_slug, read_slug, say_absent
from insomnia_skills.report.text import PathNames, one_line, plural

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.resolution.absence import Absence
    from insomnia_skills.resolution.ladder import Ladder


_MOST = 10
"""Slugs that ``--fail-on`` names."""


class FailOn(StrEnum):
    """What ``--fail-on`` may ask for."""

    SHADOW = "shadow"
    DIFFERENT = "different"
    STAND_IN = "stand-in"
    SKIPPED = "skipped"


def complete_fail_on(incomplete: str) -> Iterator[str]:
    """What may follow the last comma."""
    before, comma, begun = incomplete.rpartition(",")
    for kind in FailOn:
        if kind.startswith(begun) and kind not in before.split(","):
            yield f"{before}{comma}{kind.value}"


@with_settings
def command(
    settings: Settings,
    slug: Annotated[
        str | None,
        typer.Argument(
            metavar="[SLUG]",
            help="Show every place that could have given this slug; its slash may be left out.",
            autocompletion=complete_wanted_slug,
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="With SLUG: compare the winner with each loser.")
    ] = False,
    only_conflicts: Annotated[
        bool, typer.Option("--only-conflicts", help="Only contested slugs and stand-ins.")
    ] = False,
    notifications: Annotated[
        bool,
        typer.Option(
            "--notifications",
            help="Only what a Pod would emit, one message a line; with --format json, JSON Lines.",
        ),
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="KIND",
            help="Exit with 1 where there is any: shadow, different, stand-in, skipped. "
            "May be repeated, or take several with commas.",
            autocompletion=complete_fail_on,
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="SLUG",
            help="With --fail-on: leave out a slug for which it is meant. May be repeated, or take "
            "several with commas.",
            autocompletion=complete_wanted_slug,
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and say what changes; Ctrl-C ends it.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Show the sources in order of rank, and who wins, loses, stands in or is skipped."""
    kinds = _read_fail_on(fail_on or ())
    slug = slug if slug is None else read_slug(slug)
    _require_one_question(slug, diff, only_conflicts, notifications)
    if allow and not kinds:
        fail("--allow is about --fail-on", "leave it out, or say what to fail on")
    if watch:
        options = {"--diff": diff, "--notifications": notifications, "--fail-on": kinds}
        _watch(settings, slug, {**options, "--only-conflicts": only_conflicts}, format)
        return
    with reading(settings, Interrupt() if slug is None else None) as means:
        result = settings.ingest(means=means)
    allowed = _read_allowed(allow or (), result)
    if notifications:
        _notifications(settings, result, slug, format)
    elif slug is None:
        _all(settings, result, only_conflicts, format)
    else:
        _one(settings, result, slug, diff, format)
    if kinds and slug is None:
        require_candidates(result, "--fail-on")
    failed = _say_failed(
        result, kinds, lambda other: slug in (None, other) and other not in allowed
    )
    finish(result)
    if failed or (slug is not None and result.find(slug) is None):
        raise typer.Exit(Exit.NO)


def _require_one_question(
    slug: str | None, diff: bool, only_conflicts: bool, notifications: bool
) -> None:
    """End with 2 where options ask for two things, or for one that is not there."""
    if slug is None and diff:
        fail("--diff needs a slug", "name one: insomnia-skills resolve /SLUG --diff")
    if diff and notifications:
        fail("--diff and --notifications ask for two things", "leave one of them out")
    if only_conflicts and notifications:
        fail("--only-conflicts and --notifications ask for two things", "leave one of them out")
    if slug is not None and only_conflicts:
        fail("--only-conflicts is about all slugs", f"leave it out, or leave out /{slug}")


def _watch(
    settings: Settings, slug: str | None, options: Mapping[str, object], format: RecordFormat
) -> None:
    """Show the answer, then what changes in it."""
    from insomnia_skills.cli.watching import refuse, watch_resolution

    refuse(options, format, [f for f in RecordFormat if f is not RecordFormat.JSON])

    def report(result: Ingest) -> None:
        if slug is None:
            _all(settings, result, False, format)
        else:
            _one(settings, result, slug, False, format)

    watch_resolution(settings, slug, report, format.is_table())


def _read_fail_on(given: Sequence[str]) -> list[FailOn]:
    """The kinds in the order of `FailOn`; ends with 2 where one is unknown."""
    names = [name.strip() for text in given for name in text.split(",")]
    for name in names:
        if name not in list(FailOn):
            what = f'there is no "{name}"' if name else "a name is empty"
            fail(f"--fail-on: {what}", f"it takes {', '.join(FailOn)}")
    return [kind for kind in FailOn if kind in names]


def _read_allowed(given: Sequence[str], result: Ingest) -> set[str]:
    """The slugs of ``--allow``; says which of them nothing has."""
    allowed = {read_slug(name.strip()) for text in given for name in text.split(",")}
    for name in sorted(allowed - {candidate.slug for candidate in result.candidates}):
        say(f"note: --allow {one_line(name)}: nothing has this slug")
    return allowed


def _notifications(
    settings: Settings, result: Ingest, slug: str | None, format: RecordFormat
) -> None:
    """What a Pod would emit, as lines of text or of JSON."""
    shadows = [shadow for shadow in result.shadows if slug in (None, shadow.slug)]
    if format is RecordFormat.JSON:
        from insomnia_skills.report.objects import encode
        from insomnia_skills.report.resolve.json import notification_object

        lines = (encode(notification_object(shadow), indent=None) for shadow in shadows)
        write_bytes("".join(f"{line}\n" for line in lines).encode())
    else:
        write(one_line(shadow.message) for shadow in shadows)
    tell(result, settings, errors_only=True)
    if slug is not None and result.find(slug) is None:
        from insomnia_skills.resolution.ladder import build_ladder

        say_absent(build_ladder(result, slug), result)


def _all(settings: Settings, result: Ingest, only_conflicts: bool, format: RecordFormat) -> None:
    if format is RecordFormat.JSON:
        from insomnia_skills.report.resolve.json import conflicts_document, ingest_document

        write_json(conflicts_document(result) if only_conflicts else ingest_document(result))
    elif format.is_table():
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.resolve.table import (
            conflict_tables,
            draw_last_line,
            resolve_tables,
        )
        from insomnia_skills.report.summary import summary

        console = settings.console()
        if only_conflicts:
            conflict_tables(result, Labels(result), console)
        else:
            resolve_tables(result, Labels(result), console)
        if result.candidates and not settings.quiet:
            draw_last_line(result, console)
        elif not settings.quiet and not only_conflicts:
            write(["", *summary(result)])
    else:
        from insomnia_skills.report.resolve.plain import resolve_records

        write(resolve_records(result, only_conflicts))
    tell(result, settings, errors_only=format is RecordFormat.JSON)


def _one(settings: Settings, result: Ingest, slug: str, diff: bool, format: RecordFormat) -> None:
    from insomnia_skills.report.absence import absence_lines, explain
    from insomnia_skills.resolution.absence import explain_absence, unnamed_copies
    from insomnia_skills.resolution.ladder import build_ladder

    ladder = build_ladder(result, slug)
    absences = explain_absence(result, ladder)
    unnamed = unnamed_copies(result, slug) if ladder.winner else ()
    if diff and ladder.winner is not None:
        _diff(settings, result, ladder, unnamed, format)
    elif format is RecordFormat.JSON:
        from insomnia_skills.report.resolve.json import ladder_document

        write_json(ladder_document(ladder, absences, unnamed, result, [] if diff else None))
    elif format.is_table():
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.resolve.ladder import draw_ladder

        draw_ladder(ladder, result, Labels(result), settings.console())
    else:
        from insomnia_skills.report.resolve.plain import ladder_records

        write(ladder_records(ladder))
    tell(result, settings, errors_only=True)
    if not settings.quiet:
        for copy in unnamed:
            say(f"note: {explain(copy, slug, result, PathNames()).message}")
    if ladder.winner is None:
        for line in absence_lines(absences, ladder.slug, result, PathNames()):
            say(line)


def _diff(
    settings: Settings,
    result: Ingest,
    ladder: Ladder,
    unnamed: Sequence[Absence],
    format: RecordFormat,
) -> None:
    from insomnia_skills.report.resolve.comparison import incomparable_text
    from insomnia_skills.resolution.comparison import compare
    from insomnia_skills.workflow import FileChangedError

    try:
        comparisons = [compare(shadow) for shadow in ladder.shadows]
    except FileChangedError as error:
        fail(str(error))
    if format is RecordFormat.JSON:
        from insomnia_skills.report.resolve.json import ladder_document

        write_json(ladder_document(ladder, (), unnamed, result, comparisons))
    elif format.is_table():
        from insomnia_skills.report.resolve.ladder import draw_comparisons

        draw_comparisons(ladder, comparisons, settings.console())
    else:
        from insomnia_skills.report.resolve.plain import comparison_records

        write(line for comparison in comparisons for line in comparison_records(comparison))
        if not comparisons:
            say(f"/{ladder.slug} has no other valid copy to compare with")
        for broken in ladder.skipped:
            say(incomparable_text(broken, PathNames()))


def _say_failed(result: Ingest, kinds: Sequence[FailOn], counts: Callable[[str], bool]) -> bool:
    """Say which of ``kinds`` there are, of the slugs that count, and how many."""
    from insomnia_skills.registry import Relation

    found = {
        FailOn.SHADOW: [shadow.slug for shadow in result.shadows],
        FailOn.DIFFERENT: [s.slug for s in result.shadows if s.relation is Relation.DIFFERENT],
        FailOn.STAND_IN: [record.slug for record, _ in result.stand_ins],
        FailOn.SKIPPED: [candidate.slug for candidate in result.skipped],
    }
    words = {
        FailOn.SHADOW: ("shadow", "shadows"),
        FailOn.DIFFERENT: ("shadow that is different", "shadows that are different"),
        FailOn.STAND_IN: ("stand-in", "stand-ins"),
        FailOn.SKIPPED: ("skipped skill", "skipped skills"),
    }
    failed = False
    for kind in kinds:
        slugs = list(filter(counts, found[kind]))
        if slugs:
            failed = True
            names = [f"/{name}" for name in dict.fromkeys(slugs)]
            more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
            count = plural(len(slugs), *words[kind])
            say(f"--fail-on {kind.value}: {count} ({', '.join(names[:_MOST])}{more})")
    return failed
