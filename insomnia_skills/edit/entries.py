"""Directories as people name them, and as ``[skills] directories`` has them."""

from __future__ import annotations

import os
from pathlib import Path

from insomnia_skills.manifest import Manifest
from insomnia_skills.sources import expand
from insomnia_skills.workspace import absolute_path, is_explicit, place_key, real_path


def entry_for(directory: str, base: Path, outward: bool = True) -> str:
    """What to write in a manifest for a directory that counts from the working directory.

    Below ``base``, which entries count from, it is relative to that. Outside of it, it is so only
    if it was given as a relative one, and never with ``outward=False``, as for a user's manifest.
    """
    path = absolute_path(directory)
    for above in (path, *path.parents):
        if _is_same(above, base):
            return path.relative_to(above).as_posix()
    if outward and not os.path.isabs(directory):
        try:
            relative = os.path.relpath(path, base)
        except ValueError:  # on another drive
            return path.as_posix()
        # From a place that is reached by a link, ".." may lead elsewhere.
        if real_path(base / relative) == real_path(path):
            return Path(relative).as_posix()
    return path.as_posix()


class AmbiguousEntryError(ValueError):
    """What was given is one entry as it is written, and the path of another."""


def find_entries(manifest: Manifest, directory: str) -> list[int]:
    """The indexes of the entries that are a directory: written so, or leading there.

    A path counts from the working directory. One that says so itself, like ``./skills``, is never
    taken for what an entry says. An entry with ``~`` or ``$NAME`` is also found by what a shell
    makes of it. Raises `AmbiguousEntryError` where the two readings are different entries.
    """
    path = absolute_path(directory)
    leading = [
        index
        for index, entry in enumerate(manifest.entries)
        if _is_same(path, absolute_path(entry.value, manifest.base))
        or ((expanded := expand(entry.value)) and _is_same(path, Path(expanded)))
    ]
    if is_explicit(directory):
        return leading
    written = directory.rstrip("/")
    same = [i for i, entry in enumerate(manifest.entries) if entry.value.rstrip("/") == written]
    if same and leading and set(same).isdisjoint(leading):
        raise AmbiguousEntryError(directory)
    return same or leading


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one == other or place_key(one) == place_key(other)
    except ValueError:  # a NUL in it
        return False
