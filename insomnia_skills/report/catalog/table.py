"""The catalog as a table."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from insomnia_skills.invocation.catalog import Catalog
from insomnia_skills.report.draw import LEAST_FLEXIBLE, dim, draw, slug_text, widths
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import one_line, plural


def catalog_table(catalog: Catalog, labels: Labels, console: Console) -> None:
    """Every entry with its size, largest first; its source where there is room."""
    total = catalog.size.tokens
    rows: list[list[Text]] = []
    stacks = []
    for entry in catalog.largest_first:
        record, size = entry.record, entry.size
        slug, description = slug_text(record.slug), Text(one_line(record.description))
        source, share = labels.source(record.source), _share(size.tokens, total)
        numbers = (Text(f"{size.characters:,}"), Text(f"{size.tokens:,}"), Text(share))
        rows.append([slug, dim(source), *numbers, description])
        words = f"{plural(size.tokens, 'token')}, {share}, {plural(size.characters, 'character')}"
        stacks.append((slug, Text(words), dim(source), description))
    headings = ["workflow", "from", "characters", "tokens", "share", "description"]
    others = sum(width + 2 for width in widths(headings, rows)[:-1])
    if console.width - others - 2 < LEAST_FLEXIBLE:
        del headings[1]
        for row in rows:
            del row[1]
    last = len(headings) - 1
    draw(console, headings, rows, last, stacks=stacks, numbers=range(last - 3, last))


def _share(tokens: int, total: int) -> str:
    return f"{tokens / total:.0%}" if tokens * 200 >= total else "<1%"
