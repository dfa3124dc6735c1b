"""Slugs on the command line: reading them, completing them, saying that one is not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import Settings, fail

if TYPE_CHECKING:
    from insomnia_skills.ladder import Ladder
    from insomnia_skills.pipeline import Ingest


def complete_slug(context: typer.Context, incomplete: str) -> Iterator[str]:
    """The slugs of the workspace that begin so, with the options typed so far.

    Without their descriptions: shells evaluate what completion gives them, and a description is
    text that somebody else wrote. A slug has nothing but a-z, 0-9 and the hyphen.
    """
    given = {name: value for name, value in context.params.items() if name in Settings.__slots__}
    slash = "/" if incomplete.startswith("/") else ""
    for record in Settings(**given).ingest().workflows:
        if record.slug.startswith(incomplete.removeprefix("/")):
            yield slash + record.slug


SlugArgument = Annotated[
    str,
    typer.Argument(
        metavar="SLUG",
        help="A Workflow's slug, with or without its slash.",
        autocompletion=complete_slug,
    ),
]


def read_slug(slug: str) -> str:
    """The slug without its slash; ends with exit code 2 where nothing is left."""
    slug = slug.removeprefix("/")
    if not slug:
        fail("the slug is empty", "name one: insomnia-skills list says which there are")
    return slug


def no_such_workflow(ladder: Ladder, result: Ingest) -> str:
    """That nothing holds a slug, with what comes near and where the next step is."""
    from insomnia_skills.discover import unnamed_roots
    from insomnia_skills.report.text import PathNames
    from insomnia_skills.sources import SKILL_FILE

    name = PathNames()
    line = f"No workflow is called /{ladder.slug}."
    if any(rung.candidate for rung in ladder.rungs):
        return f"{line} A copy is broken: insomnia-skills resolve /{ladder.slug}"
    for root, _ in unnamed_roots(result):
        skill = root / ladder.slug
        if os.path.isfile(skill / SKILL_FILE):
            return f"{line} {name(skill)} is there, but no manifest names {name(root)}."
    if ladder.near:
        line += " Nearest: " + ", ".join(f"/{slug}" for slug in ladder.near)
    return line
