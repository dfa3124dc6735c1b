"""Slugs on the command line: completing them, and saying that one is not there."""

from __future__ import annotations

from collections.abc import Iterator


def complete_slug(incomplete: str) -> Iterator[tuple[str, str]]:
    """The slugs of the workspace in the working directory that begin so, with their description."""
    from insomnia_skills.ingest import ingest
    from insomnia_skills.report.text import one_line

    slash = "/" if incomplete.startswith("/") else ""
    for record in ingest().workflows:
        if record.slug.startswith(incomplete.removeprefix("/")):
            yield slash + record.slug, one_line(record.description)[:80]
