"""Directories on the command line of `sources`: those to add, and those that are entries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from insomnia_skills.cli.common import Exit, fail, say
from insomnia_skills.cli.slugs import typed_settings
from insomnia_skills.report.text import PathNames, path_text
from insomnia_skills.workspace import absolute_path

_MOST_ENTRIES = 8

if TYPE_CHECKING:
    from insomnia_skills.edit.manifest import ManifestText
    from insomnia_skills.manifest import Manifest, ManifestEntry
    from insomnia_skills.pipeline import Ingest


def complete_entry(context: typer.Context, incomplete: str) -> Iterator[str]:
    """The entries of the manifest to be edited that begin so."""
    result = typed_settings(context).ingest()
    manifest = result.manifests[-1 if context.params.get("user") else 0]
    return (entry.value for entry in manifest.entries if entry.value.startswith(incomplete))


EntryArgument = Annotated[
    str,
    typer.Argument(
        metavar="DIR",
        help="An entry as the manifest has it, or a path to the same directory.",
        autocompletion=complete_entry,
    ),
]
BeforeOption = Annotated[
    str | None,
    typer.Option(
        "--before",
        metavar="DIR",
        help="Rank it right before this entry.",
        autocompletion=complete_entry,
    ),
]


def read_place(first: bool, before: str | None, last: bool = False) -> list[str]:
    """The options that say where to rank a directory; ends with exit code 2 if there are two."""
    places = [
        *([["--first"]] if first else ()),
        *([["--last"]] if last else ()),
        *([["--before", path_text(before)]] if before is not None else ()),
    ]
    if len(places) > 1:
        fail(f"{places[0][0]} and {places[1][0]} contradict each other", "leave out one of them")
    return places[0] if places else []


def require_root(directory: str, place: Sequence[str], result: Ingest, user: bool) -> bool:
    """Whether a directory has skills; ends with exit code 2 where another one must be meant."""
    from insomnia_skills.report.commands import sources_command
    from insomnia_skills.scan import nested_skills, scan_root
    from insomnia_skills.sources import SKILL_FILE, expand, read_roots

    shown = path_text(directory)
    if not directory:
        fail("DIR is empty")
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        expanded = expand(directory)
        help = "make it first, or give another path; it counts from the working directory"
        if expanded:
            state = "" if os.path.exists(expanded) else ", which is not there either"
            help = f"in quotes no shell expands it; it would be {path_text(expanded)}{state}"
        fail(f'"{shown}" does not exist', help)
    except NotADirectoryError:
        fail(f'"{shown}" is not a directory', "a skills root is the directory that holds skills")
    except OSError as error:
        denied = "check its permissions" if isinstance(error, PermissionError) else None
        fail(f'"{shown}" can\'t be read: {error.strerror}', denied)
    if SKILL_FILE in names:
        above = PathNames()(os.path.dirname(os.path.abspath(directory)))
        line = sources_command("add", above, place, result, PathNames(), user)
        fail(f'"{shown}" is itself a skill', f"add the directory above it: {line}")
    path = absolute_path(directory)
    if scan_root(path)[0]:
        return True
    if nested := nested_skills(path, read_roots(result.sources)):
        below = PathNames()(nested[0].parent)
        line = sources_command("add", below, place, result, PathNames(), user)
        fail(f'"{shown}" has no skill in it, but {below} has', f"add that one: {line}")
    return False


def find_entry(manifest: ManifestText, directory: str, result: Ingest, command: str) -> list[int]:
    """The indexes of the entries that are a directory; ends with exit code 1 where there is none.

    ``command`` is the one that does the same to the other manifest.
    """
    from insomnia_skills.edit.entries import AmbiguousEntryError, find_entries

    if not directory:
        fail("DIR is empty")
    try:
        found = find_entries(manifest.manifest, directory)
    except AmbiguousEntryError:
        base = PathNames()(manifest.manifest.base)
        fail(
            f"{_quoted(directory)} is an entry as it is written, and here the path of another one",
            f"write ./{path_text(directory)} for the one here, or run it in {base} for the other",
        )
    return found or _not_there(manifest, directory, result, command)


def _quoted(entry: str) -> str:
    return f'"{path_text(entry)}"'


def _not_there(manifest: ManifestText, directory: str, result: Ingest, command: str) -> NoReturn:
    from difflib import get_close_matches

    name = PathNames()
    own = manifest.manifest
    values = [entry.value for entry in own.entries]
    say(f"error: {name(own.path)} has no entry {_quoted(directory)}")
    other = next((m for m in result.manifests if m.path != own.path), None)
    if other and (entry := _in_other(other, directory)):
        say(f"  help: line {entry.line} of {name(other.path)} has it: {command}")
    elif near := get_close_matches(directory, values):
        say(f"  help: did you mean {' or '.join(map(_quoted, near))}?")
    elif len(values) > _MOST_ENTRIES:
        say(f"  help: insomnia-skills sources list shows its {len(values):,} entries")
    elif values:
        say(f"  help: its entries are {', '.join(map(_quoted, values))}")
    else:
        say("  help: it has none; insomnia-skills sources list says where skills come from")
    raise typer.Exit(Exit.NO)


def _in_other(manifest: Manifest, directory: str) -> ManifestEntry | None:
    """The first entry of another manifest that is a directory."""
    from insomnia_skills.edit.entries import AmbiguousEntryError, find_entries

    try:
        found = find_entries(manifest, directory)
    except AmbiguousEntryError:
        return None
    return manifest.entries[found[0]] if found else None
