"""Commands to paste."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.text import one_line, path_word, shell_word
from insomnia_skills.workspace import find_workspace


def add_command(root: Path, result: Ingest, name: Callable[[Path], str], user: bool = False) -> str:
    """What makes a directory a skills root of the workspace, or with ``user`` of the user.

    ``name`` says how paths are written. Where the command would find another workspace by itself,
    it is told which one is meant.
    """
    return sources_command("add", name(root), (), result, name, user)


def sources_command(
    command: Literal["add", "remove", "move"],
    directory: str,
    place: Sequence[str],
    result: Ingest,
    name: Callable[[Path], str],
    user: bool = False,
) -> str:
    """What edits the workspace's manifest, or with ``user`` the user's.

    ``place`` is ``("--first",)``, ``("--before", DIRECTORY)`` and the like.
    """
    words = ["insomnia-skills sources", command, path_word(directory), *map(shell_word, place)]
    if user:
        words.append("--user")
    else:
        words += _same_workspace(result, name)
    return " ".join(words)


def resolve_command(slug: str, result: Ingest, name: Callable[[Path], str], *options: str) -> str:
    """What shows the ladder of a slug, of the same sources as ``result`` has."""
    return _slug_command("resolve", slug, result, name, options)


def show_command(slug: str, result: Ingest, name: Callable[[Path], str], *options: str) -> str:
    """What shows the Workflow of a slug, of the same sources as ``result`` has."""
    return _slug_command("show", slug, result, name, options)


def list_command(result: Ingest, name: Callable[[Path], str]) -> str:
    """What says where the Workflows are looked for, and what is there, in the same sources."""
    return " ".join(("insomnia-skills list", *_same_sources(result, name)))


def discover_command(result: Ingest, name: Callable[[Path], str], *options: str) -> str:
    """What finds directories of other clients, or with ``--add`` adds them."""
    return " ".join(("insomnia-skills sources discover", *options, *_same_sources(result, name)))


def _slug_command(
    command: str,
    slug: str,
    result: Ingest,
    name: Callable[[Path], str],
    options: Sequence[str],
) -> str:
    slash = "" if os.name == "nt" else "/"  # Git Bash would make a path of it
    words = ["insomnia-skills", command, shell_word(f"{slash}{one_line(slug)}"), *options]
    return " ".join((*words, *_same_sources(result, name)))


def _same_sources(result: Ingest, name: Callable[[Path], str]) -> Iterator[str]:
    yield from _same_workspace(result, name)
    for source in result.sources:
        if source.origin == "--directory":
            yield f"--directory {path_word(name(source.path))}"
    if result.left_out is not None:
        yield "--no-user"


def _same_workspace(result: Ingest, name: Callable[[Path], str]) -> Iterator[str]:
    workspace = result.workspace.root
    if workspace != find_workspace().root:
        yield f"--workspace {path_word(name(workspace))}"
