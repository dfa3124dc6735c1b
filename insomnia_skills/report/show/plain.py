"""One Workflow in lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from insomnia_skills.report.plain import record_line
from insomnia_skills.report.text import safe
from insomnia_skills.resources import Resource
from insomnia_skills.workflow import WorkflowRecord


def show_lines(
    record: WorkflowRecord,
    fields: Iterable[tuple[str, str]],
    resources: Iterable[Resource],
    body: str,
) -> Iterator[str]:
    """``field<TAB>value`` lines, ``resource<TAB>path<TAB>size`` lines, an empty line, the body."""
    yield record_line("slug", record.slug)
    yield record_line("description", record.description)
    for field, value in fields:
        yield record_line(field, value)
    for resource in resources:
        yield record_line("resource", resource.path, resource.size)
    yield ""
    yield safe(body).removesuffix("\n")
