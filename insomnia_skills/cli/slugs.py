"""Slugs on the command line: completing them, and saying that one is not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insomnia_skills.ladder import Ladder


def complete_slug(incomplete: str) -> Iterator[str]:
    """The slugs of the workspace in the working directory that begin so.

    Without their descriptions: shells evaluate what completion gives them, and a description is
    text that somebody else wrote. A slug has nothing but a-z, 0-9 and the hyphen.
    """
    from insomnia_skills.pipeline import ingest

    slash = "/" if incomplete.startswith("/") else ""
    for record in ingest().workflows:
        if record.slug.startswith(incomplete.removeprefix("/")):
            yield slash + record.slug


def no_such_workflow(ladder: Ladder) -> str:
    """That nothing holds a slug, with what comes near and where the next step is."""
    line = f"No workflow is called /{ladder.slug}."
    if any(rung.candidate for rung in ladder.rungs):
        line += f" A copy is broken: insomnia-skills resolve /{ladder.slug}"
    elif ladder.near:
        line += " Nearest: " + ", ".join(f"/{slug}" for slug in ladder.near)
    return line
