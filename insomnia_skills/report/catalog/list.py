"""insomnia's list, as a Pod would be given it."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.invocation.catalog import Catalog
from insomnia_skills.report.text import one_line


def catalog_lines(catalog: Catalog) -> Iterator[str]:
    """``- /slug: description``, a line for each entry, in order of slug."""
    return (one_line(entry.line) for entry in catalog.entries)
