"""What became of a skill in lines: one fact a line."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.edit.eject import Ejection
from insomnia_skills.report.plain import record_line


def eject_records(ejection: Ejection) -> Iterator[str]:
    """What it is, then its path, field or place; the native Workflow first."""
    directory = ejection.skill.path.parent
    yield record_line("workflow", ejection.path)
    for record in ejection.shadows:
        yield record_line("shadows", record.path)
    for field in ejection.dropped:
        yield record_line("dropped", field)
    for resource in ejection.resources:
        yield record_line("unreadable", directory / resource.path)
    for link in ejection.links:
        yield record_line("link", link.path, link.line, link.column)
