"""Slugs on the command line: reading them, completing them, saying that one is not there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import Settings, fail, say
from insomnia_skills.report.text import one_line, path_word

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.resolution.ladder import Ladder


def typed_settings(context: typer.Context) -> Settings:
    """The common options as far as they are typed, for completion."""
    given = {name: value for name, value in context.params.items() if name in Settings.__slots__}
    return Settings(**given)


def complete_slug(context: typer.Context, incomplete: str) -> Iterator[str]:
    """The slugs of the workspace that begin so, with the options typed so far.

    Without their descriptions, which are text that somebody else wrote.
    """
    return _begun(
        [record.slug for record in typed_settings(context).ingest().workflows], incomplete
    )


def complete_wanted_slug(context: typer.Context, incomplete: str) -> Iterator[str]:
    """The same, and the slugs that nothing has because all copies are broken."""
    from insomnia_skills.rules.name import is_slug

    slugs = {candidate.slug for candidate in typed_settings(context).ingest().candidates}
    return _begun(sorted(filter(is_slug, slugs)), incomplete)


def _begun(slugs: Iterable[str], incomplete: str) -> Iterator[str]:
    begun = incomplete.lstrip("/")
    slashes = incomplete[: len(incomplete) - len(begun)]
    return (slashes + slug for slug in slugs if slug.startswith(begun))


SlugArgument = Annotated[
    str,
    typer.Argument(
        metavar="SLUG",
        help="A Workflow's slug, with or without its slash.",
        autocompletion=complete_slug,
    ),
]


def read_slug(slug: str) -> str:
    """The slug without its slash; ends with exit code 2 where nothing is left.

    There may be more slashes: Git Bash on Windows makes a path of a word with only one. A path of
    a skill is told from a slug, which has no slash in it.
    """
    given, slug = slug, slug.lstrip("/")
    if not slug:
        fail("the slug is empty", "name one: insomnia-skills list says which there are")
    refuse_made_path(given)
    if ("/" in slug or os.sep in slug) and os.path.exists(given):
        place = os.path.dirname(given) if os.path.isfile(given) else given
        name = one_line(os.path.basename(os.path.abspath(place)))
        fail(f'"{one_line(given)}" is a path, and this takes a slug', f"is /{name} meant?")
    return slug


def refuse_made_path(given: str) -> None:
    """End with exit code 2 where Git Bash, or another shell of MSYS2, made a path of a slug.

    They put the directory that they lie in before a word that begins with one slash, so that
    ``/deploy`` comes as ``C:/Program Files/Git/deploy``; of ``/c`` they make ``C:/``.
    """
    if re.match("[A-Za-z]:/", given):
        parts = [part for part in given[3:].split("/") if part]
        slug = path_word(parts[-1] if parts else given[0].lower())
        fail(
            f'"{one_line(given)}" is a path, and this takes a slug',
            f"write {slug}, or //{slug}: Git Bash makes a path of a word with one slash before it",
        )


def say_absent(ladder: Ladder, result: Ingest) -> None:
    """Say that nothing holds a slug, with the likely reasons and the next step of each."""
    from insomnia_skills.report.absence import absence_lines
    from insomnia_skills.report.text import PathNames
    from insomnia_skills.resolution.absence import explain_absence

    for line in absence_lines(explain_absence(result, ladder), ladder.slug, result, PathNames()):
        say(line)
