"""``insomnia-skills resolve``: which copy of a slug wins, which lose, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    Settings,
    finish,
    say,
    with_settings,
    write,
    write_json,
)
from insomnia_skills.cli.list import FormatOption, RecordFormat
from insomnia_skills.cli.slugs import complete_slug
from insomnia_skills.ingest import Ingest
from insomnia_skills.report.text import PathNames, one_line, plural


@with_settings
def resolve(
    settings: Settings,
    slug: Annotated[
        str | None,
        typer.Argument(
            metavar="/SLUG",
            help="Show every candidate for this slug; the slash may be left out.",
            autocompletion=complete_slug,
        ),
    ] = None,
    notifications: Annotated[
        bool, typer.Option("--notifications", help="Also what a Pod would be told of shadows.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Show the sources in order of rank, and who wins, loses, stands in or is skipped."""
    result = settings.ingest()
    if slug is None:
        _all(settings, result, format, notifications)
    else:
        _one(settings, result, slug, format)


def _all(settings: Settings, result: Ingest, format: RecordFormat, notifications: bool) -> None:
    name = PathNames()
    if format is RecordFormat.JSON:
        from insomnia_skills.report.json import ingest_document

        write_json(ingest_document(result))
    elif format.is_table():
        from insomnia_skills.report.tables import resolve_tables

        resolve_tables(result, name, settings.console(), notifications)
        if not settings.quiet:
            more = "why one wins: insomnia-skills resolve /SLUG"
            if result.shadows and not notifications:
                more += " · what a Pod is told: --notifications"
            write(["", f"{plural(len(result.workflows), 'workflow')} · {more}"])
    else:
        from insomnia_skills.report.plain import resolve_records

        write(resolve_records(result))
    settings.tell(result.diagnostics, name)
    finish(result)


def _one(settings: Settings, result: Ingest, slug: str, format: RecordFormat) -> None:
    from insomnia_skills.ladder import Outcome, build_ladder

    ladder = build_ladder(result, slug)
    name = PathNames()
    winner = ladder.winner
    if format is RecordFormat.JSON:
        from insomnia_skills.report.json import ladder_document

        write_json(ladder_document(ladder, result))
    elif format.is_table():
        from insomnia_skills.report.tables import ladder_table

        if winner is not None and winner.candidate is not None:
            standing_in = ", standing in" if ladder.broken_above else ""
            kind = winner.source.kind.label
            target = name(winner.candidate.path)
            write([f"/{one_line(ladder.slug)} → {target}  ({kind}{standing_in})", ""])
        if winner or any(rung.outcome is not Outcome.ABSENT for rung in ladder.rungs):
            ladder_table(ladder, name, settings.console())
        if (above := ladder.broken_above) and above.candidate:
            write(["", f"Mend {name(above.candidate.path)} and it wins instead."])
    else:
        from insomnia_skills.report.plain import ladder_records

        write(ladder_records(ladder))
    errors = [d for d in result.diagnostics if d.severity == "error"]
    settings.tell(errors, name)
    if winner is None:
        near = ", ".join(f"/{other}" for other in ladder.near)
        say(f"No workflow is called /{ladder.slug}." + (f" Nearest: {near}" if near else ""))
        raise typer.Exit(Exit.NO if result.manifest_readable else Exit.WRONG_QUESTION)
    finish(result)
