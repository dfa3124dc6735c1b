"""Watching: bursts of changes become updates of a live answer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from insomnia_skills.watching.events import LOST, QUIET_MS, Events
from insomnia_skills.watching.live import Live, Update
from insomnia_skills.watching.places import real_places

_PATIENCE = 2 * QUIET_MS / 1000
"""How long further changes are waited for when all was read again, in seconds."""

_MOST_REPEATS = 10


class Watched(NamedTuple):
    """An update, and how many seconds it took. ``asked`` says that a change asked for it.

    Otherwise it only makes sure that no change was missed.
    """

    update: Update
    seconds: float
    asked: bool


def watch(
    live: Live, waiting: Callable[[], AbstractContextManager[None]] = nullcontext
) -> Iterator[Watched]:
    """What is read again whenever something changes, without end.

    What ``waiting`` gives is entered where nothing is to be done until something changes.
    ``live`` has read everything before; that is done once more as soon as all is watched, so that
    nothing that changed in between is missed. Raises `CannotWatchError` where the system watches
    no more, and `ImportError` without the package `watchfiles`.
    """
    events = Events(live.places.directories())
    try:
        yield _whole(live)
        while True:
            with waiting():
                burst = events.wait()
            places = real_places(burst or LOST)
            watched = _update(live, places, events)
            if watched is not None:
                yield watched
            if live.places.directories() != events.directories or _are_cut(places, live):
                events.close()
                events = Events(live.places.directories())
                yield _whole(live)
    finally:
        events.close()


def _whole(live: Live) -> Watched:
    started = time.perf_counter()
    update = live.read_all()
    return Watched(update, time.perf_counter() - started, asked=False)


def _update(live: Live, places: dict[str, bool], events: Events) -> Watched | None:
    """What comes of changes; adds to ``places`` those that changed while all was read again."""
    started = time.perf_counter()
    update = live.update(places)
    if update is None or not update.whole:
        return update and Watched(update, time.perf_counter() - started, asked=True)
    # Reading everything takes so long that it may have seen a change half done.
    for _ in range(_MOST_REPEATS):
        burst = events.wait(_PATIENCE)
        if burst is None:
            break
        more = real_places(burst)
        live.update(more)
        places.update(more)
    update = Update(update.before, live.files, whole=True)
    return Watched(update, time.perf_counter() - started, asked=True)


def _are_cut(places: Mapping[str, bool], live: Live) -> bool:
    """Whether a watched directory, or a link to one, may be another directory now."""
    whole, flat = live.places.directories()
    watched = (*whole, *flat, *live.links)
    return any(
        path == place or path.startswith(os.path.join(place, ""))
        for place, came_or_went in places.items()
        if came_or_went
        for path in watched
    )
