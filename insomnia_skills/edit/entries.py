"""Directories as people name them, and as ``[skills] directories`` has them."""

from __future__ import annotations

import os
from pathlib import Path

from insomnia_skills.manifest import Manifest
from insomnia_skills.sources import expand
from insomnia_skills.workspace import absolute_path


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
        if os.path.realpath(base / relative) == os.path.realpath(path):
            return Path(relative).as_posix()
    return path.as_posix()


def find_entries(manifest: Manifest, directory: str) -> list[int]:
    """The indexes of the entries that are a directory: those written so, else those leading there.

    An entry with ``~`` or ``$NAME`` is also found by what a shell makes of it.
    """
    written = directory.rstrip("/") or directory
    values = [entry.value for entry in manifest.entries]
    same = [index for index, value in enumerate(values) if (value.rstrip("/") or value) == written]
    if same:
        return same
    path = absolute_path(directory)
    return [
        index
        for index, value in enumerate(values)
        if _is_same(path, absolute_path(value, manifest.base))
        or _is_same(path, Path(expand(value) or value))
    ]


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one == other or os.path.realpath(one) == os.path.realpath(other)
    except ValueError:  # a NUL in it
        return False
