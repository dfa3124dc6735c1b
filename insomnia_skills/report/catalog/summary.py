"""The lines below the catalog: its size, what it does not have, and whether it is over budget."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.invocation.catalog import Catalog
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.commands import list_command
from insomnia_skills.report.text import PathNames, one_line, plural

_LARGEST_NAMED = 5


def summary_lines(catalog: Catalog, result: Ingest, as_xml: bool) -> Iterator[str]:
    """What all entries need together, as a list or as XML, and what the catalog does not have."""
    if catalog.entries:
        size, form = (catalog.xml_size, " as XML") if as_xml else (catalog.size, "")
        entries = plural(len(catalog.entries), "entry", "entries")
        characters = plural(size.characters, "character")
        yield f"{entries}{form}: {characters}, about {plural(size.tokens, 'token')}"
    else:
        why = list_command(result, PathNames())
        yield f"The catalog is empty: no workflow is offered to the model. Why: {why}"
    if catalog.hidden:
        slugs = " ".join(f"/{one_line(record.slug)}" for record in catalog.hidden)
        count = len(catalog.hidden)
        verb = "is" if count == 1 else "are"
        yield f"{plural(count, 'workflow')} without model_invokation {verb} not in it: {slugs}"


def over_budget_lines(catalog: Catalog, budget: int, as_xml: bool) -> Iterator[str]:
    """That the list, or the XML, needs more tokens than it may, and what takes most of them."""
    needed = (catalog.xml_size if as_xml else catalog.size).tokens
    yield (
        f"over budget: about {plural(needed, 'token')}, {needed - budget:,} more than {budget:,}"
    )
    sizes = [((e.xml_size if as_xml else e.size).tokens, e.record.slug) for e in catalog.entries]
    largest = sorted(sizes, key=lambda size: -size[0])[:_LARGEST_NAMED]
    if largest:
        yield "  largest: " + ", ".join(f"/{one_line(slug)} {tokens:,}" for tokens, slug in largest)
