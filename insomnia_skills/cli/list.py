"""``insomnia-skills list``: the Workflows that a Pod would register."""

from __future__ import annotations

from typing import Annotated

import typer

from insomnia_skills.cli.common import (
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
from insomnia_skills.cli.reading import Interrupt, reading


@with_settings
def command(
    settings: Settings,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what was shadowed or skipped, and why.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """List the Workflows a Pod would register: slug, source, description, path."""
    from insomnia_skills.report.summary import summary

    with reading(settings, Interrupt()) as means:
        result = settings.ingest(means=means)
    below = summary(result, more="resolve") if everything else summary(result)
    if format is RecordFormat.JSON:
        from insomnia_skills.report.resolve.json import ingest_document

        write_json(ingest_document(result))
    elif format.is_table():
        if result.candidates:
            from insomnia_skills.report.labels import Labels
            from insomnia_skills.report.list.table import list_table

            list_table(result, everything, Labels(result), settings.console())
        if not settings.quiet:
            write(["", *below] if result.candidates else below)
    else:
        from insomnia_skills.report.list.plain import list_records

        write(list_records(result, everything))
        if not settings.quiet:
            for line in below:
                say(line)
    tell(result, settings, errors_only=format is RecordFormat.JSON)
    finish(result)
