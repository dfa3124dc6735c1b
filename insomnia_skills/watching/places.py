"""What depends on which places of the file system."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from insomnia_skills.watching.events import Burst, Directories
from insomnia_skills.workspace import real_path

_Keys: TypeAlias = defaultdict[str, set[str]]

_MOST_LINKS = 40
"""More links than this in a row lead nowhere, as far as the system goes."""

ALL = ""
"""The key of everything: whatever changes there, all is read again."""


class Places:
    """Places by what depends on them.

    Who depends on anything has a key, such as the path of a skill directory. A *spot* matters
    itself, with whether it is there, and so do all directories above it; a *tree* matters with all
    that lies below it. Places are real paths but for their last part, which may be a link.
    """

    def __init__(self) -> None:
        self._trees: _Keys = defaultdict(set)
        self._spots: _Keys = defaultdict(set)
        self._watched: _Keys = defaultdict(set)
        self._of: defaultdict[str, list[tuple[_Keys, str]]] = defaultdict(list)
        self._spots_in_order: list[str] | None = None
        self._directories: Directories | None = None

    def add_tree(self, place: str, key: str) -> None:
        """Whatever changes at ``place`` or below it matters to ``key``; it has to be watched."""
        self.add_known_tree(real_path(place), key)
        self.add_watched(place, key)

    def add_watched(self, place: str, key: str) -> None:
        """``place`` has to be watched with all below it; only that itself matters to ``key``."""
        self._add(self._watched, real_path(place), key)
        self.add_spot(place, key)

    def add_known_tree(self, place: str, key: str) -> None:
        """The same for a real path in something that is watched anyway."""
        self._add(self._trees, place, key)

    def add_spot(self, place: str, key: str) -> None:
        """What becomes of ``place`` matters to ``key``, and of all that it leads to by links."""
        for path in _led_through(place):
            self._add(self._spots, path, key)
        self._spots_in_order = self._directories = None

    def _add(self, places: _Keys, place: str, key: str) -> None:
        places[place].add(key)
        self._of[key].append((places, place))

    def discard(self, key: str) -> None:
        """Nothing matters to ``key`` any more."""
        for places, place in self._of.pop(key, ()):
            places[place].discard(key)
            if not places[place]:
                del places[place]
            if places is not self._trees:
                self._spots_in_order = self._directories = None

    def affected(self, place: str, came_or_went: bool) -> Iterator[str]:
        """The keys to which a change at a place matters."""
        yield from self._spots.get(place, ())
        for above in with_parents(place):
            yield from self._trees.get(above, ())
        if came_or_went:
            if self._spots_in_order is None:
                self._spots_in_order = sorted(self._spots)
            for spot in below(place, self._spots_in_order):
                yield from self._spots[spot]

    def directories(self) -> Directories:
        """The directories to be watched so that no change of a place is missed."""
        if self._directories is None:
            self._directories = self._find_directories()
        return self._directories

    def _find_directories(self) -> Directories:
        trees = {place for place in self._watched if os.path.isdir(place)}
        whole = {tree for tree in trees if trees.isdisjoint(with_parents(os.path.dirname(tree)))}
        parents = {os.path.dirname(spot) for spot in self._spots}
        flat = {_nearest_directory(parent) for parent in parents}
        return Directories(
            frozenset(whole),
            frozenset(place for place in flat if whole.isdisjoint(with_parents(place))),
        )


def below(place: str, in_order: Sequence[str]) -> Iterator[str]:
    """Those of some paths, which are in order, that lie below a place."""
    start = os.path.join(place, "")
    for path in islice(in_order, bisect_left(in_order, start), None):
        if not path.startswith(start):
            return
        yield path


def real_place(path: str) -> str:
    """A path whose links are followed, but for that of its last part."""
    directory, name = os.path.split(path)
    return os.path.join(real_path(directory), name)


def with_parents(path: str) -> Iterator[str]:
    """A path and every directory above it."""
    yield path
    while (above := os.path.dirname(path)) != path:
        yield above
        path = above


def _led_through(path: str) -> Iterator[str]:
    """A place, and if it is a link, each to which that leads."""
    for _ in range(_MOST_LINKS):
        path = real_place(path)
        yield path
        if not os.path.islink(path):
            return
        path = os.path.join(os.path.dirname(path), os.readlink(path))


def real_places(burst: Burst) -> dict[str, bool]:
    """The places of a burst of changes, each with whether something came or went there."""
    directories = dict.fromkeys(map(os.path.dirname, burst), "")
    for directory in directories:
        directories[directory] = real_path(directory)
    places: dict[str, bool] = {}
    for path, came_or_went in burst.items():
        directory, name = os.path.split(path)
        place = os.path.join(directories[directory], name)
        places[place] = places.get(place, False) or came_or_went
    return places


def _nearest_directory(path: str) -> str:
    return next((place for place in with_parents(path) if os.path.isdir(place)), path)
