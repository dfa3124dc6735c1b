"""The records as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.draw import Row, dim, draw, heading, slug_text, widths
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.resolve.table import draw_broken, relation_text
from insomnia_skills.report.text import one_line

_DESCRIPTION_BESIDE_PATH = 50
"""What a description must keep for the list to have a column of paths."""


def list_table(result: Ingest, everything: bool, labels: Labels, console: Console) -> None:
    """The records: slug, source, description, and the path where there is room."""
    records = [
        (
            slug_text(record.slug, " ↩" if record.stand_in else ""),
            dim(labels.source(record.source)),
            Text(one_line(record.description)),
            dim(labels.name(record.path)),
        )
        for record in result.workflows
    ]
    _draw_records(console, ("workflow", "from", "description", "path"), records)
    if not everything:
        return
    shadowed = [
        (
            slug_text(shadow.slug),
            dim(labels.source(shadow.lost.source)),
            Text(f"{labels.source(shadow.kept.source)}; they {relation_text(shadow)}"),
            dim(labels.name(shadow.lost.path)),
        )
        for shadow in result.shadows
    ]
    if shadowed:
        heading(console, "Shadowed")
        _draw_records(console, ("workflow", "from", "shadowed by", "path"), shadowed, fold=True)
    for title, candidates in (("Skipped", result.skipped), ("Broken", result.broken)):
        if candidates:
            heading(console, title)
            draw_broken(console, candidates, labels)


def _draw_records(
    console: Console, headings: Sequence[str], rows: Sequence[Row], fold: bool = False
) -> None:
    """Records with their paths, or without where the description would suffer."""
    others = sum(width + 2 for i, width in enumerate(widths(headings, rows)) if i != 2)
    count = 4 if console.width - others - 2 >= _DESCRIPTION_BESIDE_PATH else 3
    draw(console, headings[:count], [row[:count] for row in rows], flexible=2, fold=fold)
