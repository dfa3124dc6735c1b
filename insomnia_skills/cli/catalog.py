"""``insomnia-skills catalog``: what every conversation carries."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    Settings,
    finish,
    is_terminal,
    require_candidates,
    say,
    tell,
    with_settings,
    write,
    write_json,
)

if TYPE_CHECKING:
    from insomnia_skills.invocation.catalog import Catalog
    from insomnia_skills.pipeline import Ingest


class CatalogFormat(StrEnum):
    """How the catalog is written; ``auto`` is a table on a terminal, else one entry a line."""

    AUTO = "auto"
    TABLE = "table"
    PLAIN = "plain"
    LIST = "list"
    XML = "xml"
    JSON = "json"


@with_settings
def command(
    settings: Settings,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            metavar="TOKENS",
            min=0,
            help="Exit 1 if the list needs more; with --format xml, if the XML does.",
        ),
    ] = None,
    format: Annotated[
        CatalogFormat,
        typer.Option(
            "--format",
            help="list: as a Pod is given it; xml: <available_skills>, as other clients are.",
        ),
    ] = CatalogFormat.AUTO,
) -> None:
    """Show what every conversation carries: descriptions, with their estimated tokens."""
    from insomnia_skills.invocation.catalog import build_catalog
    from insomnia_skills.report.catalog.summary import over_budget_lines

    result = settings.ingest()
    catalog = build_catalog(result.workflows)
    if format is CatalogFormat.JSON:
        from insomnia_skills.report.catalog.json import catalog_document

        write_json(catalog_document(catalog, result, budget))
    else:
        _show(catalog, result, settings, format)
    as_xml = format is CatalogFormat.XML
    needed = (catalog.xml_size if as_xml else catalog.size).tokens
    over = budget is not None and needed > budget
    if budget is not None and over:
        for line in over_budget_lines(catalog, budget, as_xml):
            say(line)
    tell(result, settings, errors_only=format is CatalogFormat.JSON)
    if budget is not None:
        require_candidates(result, "--budget")
    finish(result)
    if over:
        raise typer.Exit(Exit.NO)


def _show(catalog: Catalog, result: Ingest, settings: Settings, format: CatalogFormat) -> None:
    """Write the catalog for people or for a model."""
    from insomnia_skills.report.catalog.summary import summary_lines

    as_xml = format is CatalogFormat.XML
    below = [] if settings.quiet else list(summary_lines(catalog, result, as_xml))
    if as_xml:
        from insomnia_skills.report.catalog.xml import xml_text

        write([xml_text(catalog)])
    elif format is CatalogFormat.LIST:
        from insomnia_skills.report.catalog.list import catalog_lines

        write(catalog_lines(catalog))
    elif format is CatalogFormat.TABLE or (format is CatalogFormat.AUTO and is_terminal()):
        from insomnia_skills.report.catalog.table import catalog_table
        from insomnia_skills.report.labels import Labels

        if catalog.entries:
            catalog_table(catalog, Labels(result), settings.console())
            below = ["", *below] if below else []
        write(below)
        below = []
    else:
        from insomnia_skills.report.catalog.plain import catalog_records

        write(catalog_records(catalog))
    for line in below:
        say(line)
