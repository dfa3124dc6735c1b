"""One Workflow in lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from insomnia_skills.invocation.mapping import Mapped
from insomnia_skills.invocation.preview import Preview
from insomnia_skills.report.plain import record_line
from insomnia_skills.report.show.fields import plain_text
from insomnia_skills.report.text import safe


def show_lines(preview: Preview, fields: Iterable[tuple[str, str]]) -> Iterator[str]:
    """``field<TAB>value`` lines, a line for each resource, an empty line, the body.

    A resource: ``resource``, path, size in bytes, kind, ``executable`` or ``-``, ``readable`` or
    ``not-readable``, and what it links to or ``-``.
    """
    yield record_line("slug", preview.record.slug)
    yield record_line("description", preview.record.description)
    for field, value in fields:
        yield record_line(field, value)
    for resource, rule in preview.resources:
        yield record_line(
            "resource",
            resource.path,
            resource.size,
            resource.kind,
            "executable" if resource.executable else "-",
            "readable" if rule else "not-readable",
            resource.link or "-",
        )
    yield ""
    yield safe(preview.body).removesuffix("\n")


def mapping_lines(mapped: Iterable[Mapped]) -> Iterator[str]:
    """Field, fate, the value in the file, what the Workflow has, the consequence, the lines."""
    for row in mapped:
        yield record_line(
            row.field,
            row.fate.value,
            plain_text(row.value) or "-",
            row.becomes or "-",
            row.consequence,
            ",".join(map(str, row.lines)) or "-",
        )
