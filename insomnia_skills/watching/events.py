"""What changes in directories, told in bursts, by the package `watchfiles`."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

Burst: TypeAlias = Mapping[str, bool]
"""The paths of some changes, each with whether something came or went there."""

LOST: Burst = {}
"""The burst of which nobody knows what changed."""

QUIET_MS = 50
"""A burst ends when nothing changed for so long, in milliseconds."""

LONGEST_MS = 1600
"""It ends after this time in any case, in milliseconds."""

SKIPPED_DIRECTORIES = frozenset((".git", "node_modules"))
"""What changes in these directories is not told."""

_MODIFIED = 2
_POLL_MS = 300
_NO_POLLING = ("", "false", "disable", "disabled")


class Directories(NamedTuple):
    """Directories to be watched: ``whole`` ones, and ``flat`` ones without those below them."""

    whole: frozenset[str] = frozenset()
    flat: frozenset[str] = frozenset()


class CannotWatchError(OSError):
    """The system watches no more directories, or not those; ``help`` says what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


class Events:
    """Tells what changes in directories, from when it is made. To be closed, best by ``with``.

    Raises `CannotWatchError` where that can't be told, `ImportError` without `watchfiles`.
    """

    def __init__(self, directories: Directories) -> None:
        self.directories = directories
        self._told: SimpleQueue[Burst] = SimpleQueue()
        self._closed = threading.Event()
        self._threads: list[threading.Thread] = []
        watching = [
            _watch(places, recursive)
            for places, recursive in ((directories.whole, True), (directories.flat, False))
            if places
        ]
        for notify in watching:
            thread = threading.Thread(target=self._listen, args=(notify,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Tell no more."""
        self._closed.set()
        for thread in self._threads:
            thread.join()

    def wait(self, seconds: float | None = None) -> Burst | None:
        """The next burst; None where there is none for so many seconds."""
        try:
            burst = dict(self._told.get(timeout=seconds))
        except Empty:
            return None
        lost = not burst
        while not self._told.empty():
            more = self._told.get()
            lost = lost or not more
            for path, came_or_went in more.items():
                burst[path] = burst.get(path, False) or came_or_went
        return LOST if lost else burst

    def _listen(self, notify: RustNotify) -> None:
        with notify:
            while True:
                try:
                    told = notify.watch(LONGEST_MS, QUIET_MS, 0, self._closed)
                except RuntimeError:  # something went wrong between the system and watchfiles
                    if self._closed.wait(LONGEST_MS / 1000):
                        return
                    self._told.put(LOST)
                    continue
                if not isinstance(told, set):
                    return
                if burst := self._burst(told):
                    self._told.put(burst)

    def _burst(self, told: Iterable[tuple[int, str]]) -> Burst:
        burst: dict[str, bool] = {}
        for kind, path in told:
            if not self._is_skipped(path):
                burst[path] = burst.get(path, False) or kind != _MODIFIED
        return burst

    def _is_skipped(self, path: str) -> bool:
        """Whether a path lies in a skipped directory, and not because all that is watched does."""
        parts = os.path.dirname(path).split(os.sep)
        if SKIPPED_DIRECTORIES.isdisjoint(parts):
            return False
        depth = max(_depths_above(path, self.directories), default=len(parts))
        return not SKIPPED_DIRECTORIES.isdisjoint(parts[depth:])


def _depths_above(path: str, directories: Directories) -> Iterator[int]:
    """How many parts the watched directories have that a path lies in."""
    for place in (*directories.whole, *directories.flat):
        if path.startswith(os.path.join(place, "")):
            yield len(place.split(os.sep))


def _watch(places: Iterable[str], recursive: bool) -> RustNotify:
    """Watch directories; those that may not be listed are left out."""
    from watchfiles._rust_notify import RustNotify

    polls = os.environ.get("WATCHFILES_FORCE_POLLING", "").lower() not in _NO_POLLING
    paths = sorted(places)
    try:
        try:
            return RustNotify(paths, False, polls, _POLL_MS, recursive, False)
        except (FileNotFoundError, PermissionError):
            # Tolerant of these it is of everything, so not at first.
            return RustNotify(paths, False, polls, _POLL_MS, recursive, True)
    except (OSError, RuntimeError) as error:
        raise _explained(error) from None


def _explained(error: OSError | RuntimeError) -> CannotWatchError:
    text = str(error)
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOSPC or "watch limit" in text or "No space left" in text:
        return CannotWatchError(
            "the system watches no more directories",
            "raise its limit: sudo sysctl fs.inotify.max_user_watches=1048576",
        )
    if number == errno.EMFILE or "Too many open files" in text:
        return CannotWatchError(
            "the system lets no more programs watch directories",
            "raise its limit: sudo sysctl fs.inotify.max_user_instances=1024",
        )
    return CannotWatchError(f"directories can't be watched: {text}")
