"""One entry a line."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.invocation.catalog import Catalog
from insomnia_skills.report.plain import record_line


def catalog_records(catalog: Catalog) -> Iterator[str]:
    """slug, source kind, characters, tokens, description; largest first."""
    for entry in catalog.largest_first:
        record = entry.record
        yield record_line(record.slug, record.source.kind.value, *entry.size, record.description)
