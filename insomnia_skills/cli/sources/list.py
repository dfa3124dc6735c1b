"""``insomnia-skills sources list``: where records come from, in order of rank."""

from __future__ import annotations

from insomnia_skills.cli.common import (
    FormatOption,
    RecordFormat,
    Settings,
    finish,
    tell,
    with_settings,
    write,
    write_json,
)


@with_settings
def command(settings: Settings, format: FormatOption = RecordFormat.AUTO) -> None:
    """Show where skills and Workflows come from, in order of rank, and who named each place."""
    result = settings.ingest()
    if format is RecordFormat.JSON:
        from insomnia_skills.report.sources.json import sources_document

        write_json(sources_document(result))
    elif format.is_table():
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.resolve.table import draw_sources

        draw_sources(settings.console(), result, Labels(result))
    else:
        from insomnia_skills.report.resolve.plain import source_records

        write(source_records(result))
    tell(result, settings, errors_only=format is RecordFormat.JSON)
    finish(result)
