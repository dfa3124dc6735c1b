"""One record a line: what a change of sources does."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.report.plain import record_line
from insomnia_skills.resolution.difference import Difference


def change_records(difference: Difference) -> Iterator[str]:
    """The kind of line first, then the slug and its file.

    With ``changed`` the file before and that after, with ``shadowed`` and ``unshadowed`` the copy
    and the one that wins, with ``skipped`` why.
    """
    for record in difference.gained:
        yield record_line("gained", record.slug, record.path)
    for record in difference.lost:
        yield record_line("lost", record.slug, record.path)
    for new in difference.changed:
        yield record_line("changed", new.slug, new.before.path, new.after.path)
    for kind, shadows in (
        ("shadowed", difference.shadowed),
        ("unshadowed", difference.unshadowed),
    ):
        for shadow in shadows:
            yield record_line(kind, shadow.slug, shadow.lost.path, shadow.kept.path)
    for candidate in difference.skipped:
        yield record_line("skipped", candidate.slug, candidate.path, candidate.reason)
    for candidate in difference.unskipped:
        yield record_line("unskipped", candidate.slug, candidate.path)
    for kind, records in (
        ("stand-in", difference.stand_ins),
        ("stand-in-gone", difference.stand_ins_gone),
    ):
        for record in records:
            yield record_line(kind, record.slug, record.path)
