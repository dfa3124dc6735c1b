"""``insomnia-skills resolve``: which copy of a slug wins, which lose, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    FormatOption,
    RecordFormat,
    Settings,
    finish,
    say,
    tell,
    with_settings,
    write,
    write_json,
)
from insomnia_skills.cli.slugs import complete_slug, no_such_workflow, read_slug
from insomnia_skills.report.text import PathNames, one_line, plural

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest


@with_settings
def command(
    settings: Settings,
    slug: Annotated[
        str | None,
        typer.Argument(
            metavar="[SLUG]",
            help="Show every candidate for this slug; its slash may be left out.",
            autocompletion=complete_slug,
        ),
    ] = None,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Show the sources in order of rank, and who wins, loses, stands in or is skipped."""
    slug = slug if slug is None else read_slug(slug)
    result = settings.ingest()
    if slug is None:
        _all(settings, result, format)
    else:
        _one(settings, result, slug, format)


def _all(settings: Settings, result: Ingest, format: RecordFormat) -> None:
    if format is RecordFormat.JSON:
        from insomnia_skills.report.resolve.json import ingest_document

        write_json(ingest_document(result))
    elif format.is_table():
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.resolve.table import resolve_tables
        from insomnia_skills.report.summary import summary

        resolve_tables(result, Labels(result), settings.console())
        if not result.candidates and not settings.quiet:
            write(["", *summary(result)])
        elif not settings.quiet:
            count = plural(len(result.workflows), "workflow")
            write(["", f"{count} · why one wins: insomnia-skills resolve /SLUG"])
    else:
        from insomnia_skills.report.resolve.plain import resolve_records

        write(resolve_records(result))
    tell(result, settings, errors_only=format is RecordFormat.JSON)
    finish(result)


def _one(settings: Settings, result: Ingest, slug: str, format: RecordFormat) -> None:
    from insomnia_skills.ladder import Outcome, build_ladder

    ladder = build_ladder(result, slug)
    name = PathNames()
    winner = ladder.winner
    if format is RecordFormat.JSON:
        from insomnia_skills.report.resolve.json import ladder_document

        write_json(ladder_document(ladder, result))
    elif format.is_table():
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.resolve.table import ladder_table

        if winner is not None and winner.candidate is not None:
            standing_in = ", standing in" if ladder.broken_above else ""
            kind = winner.source.kind.label
            target = name(winner.candidate.path)
            write([f"/{one_line(ladder.slug)} → {target}  ({kind}{standing_in})", ""])
        if winner or any(rung.outcome is not Outcome.ABSENT for rung in ladder.rungs):
            ladder_table(ladder, Labels(result), settings.console())
        if (above := ladder.broken_above) and above.candidate:
            write(["", f"Mend {name(above.candidate.path)} and it wins instead."])
    else:
        from insomnia_skills.report.resolve.plain import ladder_records

        write(ladder_records(ladder))
    tell(result, settings, errors_only=True)
    if winner is None:
        say(
            f"No workflow is called /{ladder.slug}: mend its broken copy above."
            if any(rung.candidate for rung in ladder.rungs)
            else no_such_workflow(ladder, result)
        )
        raise typer.Exit(Exit.NO if result.manifest_readable else Exit.WRONG_QUESTION)
    finish(result)
