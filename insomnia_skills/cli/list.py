"""``insomnia-skills list``: the Workflows that a Pod would register."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from insomnia_skills.cli.common import (
    Settings,
    finish,
    is_terminal,
    say,
    with_settings,
    write,
    write_json,
)


class RecordFormat(StrEnum):
    """How records are written; ``auto`` is a table on a terminal, else one record a line."""

    AUTO = "auto"
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"

    def is_table(self) -> bool:
        return self is RecordFormat.TABLE or (self is RecordFormat.AUTO and is_terminal())


FormatOption = Annotated[
    RecordFormat,
    typer.Option(
        "--format", help="auto: a table on a terminal, one record a line (plain) when piped."
    ),
]


@with_settings
def list_workflows(
    settings: Settings,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what was shadowed or skipped, and why.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """List the Workflows a Pod would register: slug, source, description, path."""
    from insomnia_skills.report.plain import list_records
    from insomnia_skills.report.summary import summary
    from insomnia_skills.report.text import PathNames

    result = settings.ingest()
    name = PathNames()
    if format is RecordFormat.JSON:
        from insomnia_skills.report.json import ingest_document

        write_json(ingest_document(result))
    elif not format.is_table():
        write(list_records(result, everything))
    elif result.candidates:
        from insomnia_skills.report.tables import list_table

        list_table(result, everything, name, settings.console())
    settings.tell(result.diagnostics, name)
    if not settings.quiet:
        lines = list(summary(result, name))
        if format.is_table():
            write(["", *lines] if result.candidates else lines)
        else:
            for line in lines:
                say(line)
    finish(result)
