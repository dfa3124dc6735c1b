"""Skills directories of other clients: around a workspace and in the home directory."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.clients.data import (
    CLIENTS,
    PROJECT_DIRECTORIES,
    USER_DIRECTORIES,
    VARIABLES,
    Client,
    Reader,
)
from insomnia_skills.clients.unnamed import expand_braces
from insomnia_skills.diagnostic import Diagnostic, diagnose
from insomnia_skills.pipeline import Ingest
from insomnia_skills.sources import NOT_THERE, Source, check_root, read_roots
from insomnia_skills.workspace import PlaceKey, absolute_path, find_repository, place_key, real_path


class Where(StrEnum):
    """Where a client's directory was looked for.

    ``below`` are the working directory and those between it and the workspace's root.
    """

    BELOW = "below"
    WORKSPACE = "workspace"
    ANCESTOR = "ancestor"
    USER = "user"


@dataclass(frozen=True, slots=True)
class ClientRoot:
    """A skills directory of other clients.

    ``also`` are further paths of clients that lead to the same real directory. ``clients`` are
    those that read any of them, each with whether that is a checked fact. ``source`` is the source
    as which the directory is configured, by a manifest or by default. ``absent`` says in a few
    words why no skill was read (`sources.NOT_THERE` or another reason), else it is empty.
    """

    path: Path
    where: Where
    clients: tuple[tuple[Client, bool], ...]
    also: tuple[Path, ...] = ()
    source: Source | None = None
    absent: str = ""
    valid: int = 0
    broken: int = 0

    @property
    def exists(self) -> bool:
        return self.absent != NOT_THERE


class Discovery(NamedTuple):
    """What was found where other clients keep skills.

    ``roots`` are all directories that were looked at, in the order they were; ``diagnostics`` are
    about those that no source names. ``bases`` are the directories below which was looked.
    """

    roots: tuple[ClientRoot, ...]
    diagnostics: tuple[Diagnostic, ...]
    bases: tuple[tuple[Where, Path], ...]

    @property
    def found(self) -> tuple[ClientRoot, ...]:
        """The directories that are there."""
        return tuple(root for root in self.roots if root.exists)

    @property
    def addable(self) -> tuple[ClientRoot, ...]:
        """The directories with a valid skill that nobody has configured."""
        return tuple(root for root in self.roots if root.valid and root.source is None)


def discover_roots(
    result: Ingest,
    clients: Collection[str] = (),
    *,
    here: Path | None = None,
    home: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Discovery:
    """Look where other clients keep skills, and count them; each real directory once.

    In the workspace, in the directories between it and ``here`` (the working directory), in those
    above it up to the root of its repository, and, unless ``result`` is without the user's
    manifest, in the home directory. That never counts as one above: what lies in it is the user's.
    ``clients`` are ids, where not all clients matter. ``home`` and ``environment`` are those of
    the process where they are not given. Never raises for what it finds.
    """
    home = absolute_path(home or os.path.expanduser("~"))
    environment = os.environ if environment is None else environment
    bases = _bases(result, absolute_path(here or "."), home)
    merged = _places(bases, home, environment)
    there = [(place_key(s.path), s) for s in reversed(result.sources) if s.exists]
    scanned = {real: source for real, source in there if source.scanned}
    # What is a source of this command only is not configured.
    configured = {real: source for real, source in there if source.origin != "--directory"}
    roots: list[ClientRoot] = []
    diagnostics: list[Diagnostic] = []
    for real, place in merged.items():
        if clients and place.checked.keys().isdisjoint(clients):
            continue
        root, said = _look_at(place, configured.get(real), scanned.get(real), result)
        roots.append(root)
        diagnostics += said
    return Discovery(tuple(roots), tuple(diagnostics), tuple(bases))


def unnamed_directories(result: Ingest) -> list[tuple[Where, Path]]:
    """Where `discover_roots` looks, but for the sources; whether anything is there nobody asked."""
    home = absolute_path(os.path.expanduser("~"))
    named = {place_key(source.path) for source in result.sources}
    bases = _bases(result, absolute_path("."), home)
    places = _places(bases, home, os.environ)
    return [(place.where, place.path) for real, place in places.items() if real not in named]


def _bases(result: Ingest, here: Path, home: Path) -> list[tuple[Where, Path]]:
    """The directories below which clients may keep skills; the home directory is the last."""
    root = result.workspace.root
    bases = [(Where.WORKSPACE, root)]
    bases += (
        (Where.BELOW, path)
        for path in (here, *here.parents)
        if path.is_relative_to(root) and path != root
    )
    bases += ((Where.ANCESTOR, path) for path in _ancestors(root, home))
    if result.config_dir is not None:
        bases.append((Where.USER, home))
    return bases


def _places(
    bases: Sequence[tuple[Where, Path]], home: Path, environment: Mapping[str, str]
) -> dict[PlaceKey, _Place]:
    """Every directory of a client below ``bases``, each real one once."""
    merged: dict[PlaceKey, _Place] = {}
    for where, base in bases:
        user = where is Where.USER
        for directory, readers in (USER_DIRECTORIES if user else PROJECT_DIRECTORIES).items():
            pattern = _user_path(directory, home, environment) if user else base / directory
            for path in expand_braces(pattern):
                place = merged.setdefault(place_key(path), _Place(where, path))
                place.add(path, readers)
    return merged


@dataclass(slots=True)
class _Place:
    """A directory that is to be looked at, with all that leads there."""

    where: Where
    path: Path
    also: list[Path] = field(default_factory=list)
    checked: dict[str, bool] = field(default_factory=dict)

    def add(self, path: Path, readers: Sequence[Reader]) -> None:
        if path != self.path and path not in self.also:
            self.also.append(path)
        for client, place in readers:
            self.checked[client.id] = place.checked or self.checked.get(client.id, False)

    @property
    def clients(self) -> tuple[tuple[Client, bool], ...]:
        return tuple((c, self.checked[c.id]) for c in CLIENTS if c.id in self.checked)


def _look_at(
    place: _Place, source: Source | None, scanned: Source | None, result: Ingest
) -> tuple[ClientRoot, Sequence[Diagnostic]]:
    """What is in a directory, and what is to be said of it unless that is said of its source.

    ``scanned`` is the source as which it was read already.
    """
    finding, absent = check_root(place.path)
    valid = broken = 0
    said: Sequence[Diagnostic] = ()
    if scanned is not None:
        own = [c.record is not None for c in result.candidates if c.source == scanned]
        valid, broken = own.count(True), own.count(False)
    elif absent:
        if source is None and finding and absent != NOT_THERE:
            said = diagnose(place.path, "", (finding,))
    else:
        from insomnia_skills.scan import scan_root
        from insomnia_skills.skill import read_skill

        skills, said = scan_root(place.path, read_roots(result.sources))
        valid = sum(read_skill(skill).record is not None for skill in skills)
        broken = len(skills) - valid
    also = tuple(place.also) if absent != NOT_THERE else ()
    root = ClientRoot(place.path, place.where, place.clients, also, source, absent, valid, broken)
    return root, said


def _ancestors(root: Path, home: Path) -> list[Path]:
    """The directories above a workspace up to the root of its repository, the nearest first."""
    repository = find_repository(root)
    if repository is None or repository == root:
        return []
    above = list(root.parents)
    above = above[: above.index(repository) + 1]
    return [path for path in above if real_path(path) != real_path(home)]


def _user_path(directory: str, home: Path, environment: Mapping[str, str]) -> Path:
    """A user directory of the data as a path."""
    first, _, below = directory.partition("/")
    if first.startswith("$"):
        if given := environment.get(first[1:]):
            return absolute_path(os.path.join(given, below))
        first = VARIABLES[first[1:]]
    return home / first.removeprefix("~").removeprefix("/") / below
