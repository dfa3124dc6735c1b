"""What a command reads skills with: the cache, processes, a line of progress, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insomnia_skills.cli.common import Settings
    from insomnia_skills.reading import Note, Reader

_FIRST_SHOWN = 0.5
_SHOWN_EVERY = 0.1
"""Seconds until progress is shown, and from then on."""


class Progress:
    """How many skills were read, on one line of a terminal, if it takes a while."""

    def __init__(self, shows: bool) -> None:
        self.reader: Reader | None = None
        self.stopped = False
        self._shows = shows
        self._started = time.monotonic()
        self._next = self._started + _FIRST_SHOWN
        self._shown = 0

    def __call__(self) -> None:
        """Is called again and again. Raises `KeyboardInterrupt` once it was stopped."""
        if self.stopped:
            raise KeyboardInterrupt
        if self._shows and (now := time.monotonic()) >= self._next:
            self._next = now + _SHOWN_EVERY
            self._show(now)

    def hide(self) -> None:
        """Make room for something else."""
        if self._shown:
            self._write(f"\r{' ' * self._shown}\r")
            self._shown = 0

    def _show(self, now: float) -> None:
        count = self.reader.done if self.reader else 0
        line = f"{count:,} skills, {count / (now - self._started):,.0f} a second"
        line = line[: _columns() - 1]  # what is broken into two lines can't be written over
        self._write(f"\r{line.ljust(self._shown)}")
        self._shown = len(line)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # a line of progress is nothing to fail for
            self._shows = False


class Means:
    """What a command reads skills with; the reader is made when the first one is to be read.

    ``note`` is what the reader is to tell of each skill.
    """

    def __init__(self, settings: Settings, note: Note | None = None) -> None:
        self.progress = Progress(not settings.quiet and _has_moving_lines())
        self._settings = settings
        self._note = note
        self._reader: Reader | None = None

    def reader(self) -> Reader:
        """The one reader of the command."""
        if self._reader is None:
            from insomnia_skills.cache import Cache, find_cache
            from insomnia_skills.reading import Reader

            cache = None if self._settings.no_cache else Cache(find_cache())
            self._reader = Reader(cache, self._settings.jobs, self.progress, self._note)
            self.progress.reader = self._reader
        return self._reader

    def close(self) -> None:
        """Write the cache, and let processes and progress go away."""
        self.progress.hide()
        if self._reader is not None:
            self._reader.close()


@contextmanager
def reading(
    settings: Settings, stoppable: bool = False, note: Note | None = None
) -> Iterator[Means]:
    """Means to read skills with; ``note`` is told of each.

    Where it is ``stoppable``, Ctrl-C ends the reading between two skills, and a second one the
    command; otherwise the first does.
    """
    means = Means(settings, note)
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: object) -> None:
        means.progress.stopped = True
        signal.signal(signal.SIGINT, before)

    stoppable = stoppable and before is signal.default_int_handler
    try:
        if stoppable:
            signal.signal(signal.SIGINT, stop)
        yield means
    finally:
        if stoppable:
            signal.signal(signal.SIGINT, before)
        means.close()


def _columns() -> int:
    """The width of the terminal that shows progress."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _has_moving_lines() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
