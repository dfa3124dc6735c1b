"""What a command reads skills with: the cache, processes, a line of progress, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insomnia_skills.cli.common import Settings
    from insomnia_skills.reading import Note, Reader

_FIRST_SHOWN = 0.5
_SHOWN_EVERY = 0.1
"""Seconds until progress is shown, and from then on."""


class Interrupt:
    """Ctrl-C while skills are read: it ends the work between two of them, a second one at once."""

    def __init__(self) -> None:
        self.asked = False
        self._waits = False

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Where this is, Ctrl-C asks for the end. Without effect where another one decides."""
        before = signal.getsignal(signal.SIGINT)
        if before is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Where this is, nothing is half done: Ctrl-C ends it at once, as one before it does.

        Raises `KeyboardInterrupt`.
        """
        self._waits = True
        try:
            self.check()
            yield
        finally:
            self._waits = False

    def check(self) -> None:
        """Raises `KeyboardInterrupt` once the end was asked for."""
        if self.asked:
            raise KeyboardInterrupt

    def _ask(self, number: int, frame: object) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._waits:
            raise KeyboardInterrupt


class Progress:
    """How many skills were read, on one line of a terminal, if it takes a while."""

    def __init__(self, shows: bool, interrupt: Interrupt) -> None:
        self.reader: Reader | None = None
        self._interrupt = interrupt
        self._shows = shows
        self._started = time.monotonic()
        self._next = self._started + _FIRST_SHOWN
        self._shown = 0

    def __call__(self) -> None:
        """Is called again and again. Raises `KeyboardInterrupt` once the end was asked for."""
        self._interrupt.check()
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

    def __init__(self, settings: Settings, interrupt: Interrupt, note: Note | None = None) -> None:
        self.progress = Progress(not settings.quiet and _has_moving_lines(), interrupt)
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
    settings: Settings, interrupt: Interrupt | None = None, note: Note | None = None
) -> Iterator[Means]:
    """Means to read skills with; ``note`` is told of each.

    With an ``interrupt``, that decides on Ctrl-C meanwhile; otherwise the first one ends it all.
    """
    means = Means(settings, interrupt or Interrupt(), note)
    try:
        with interrupt.armed() if interrupt else nullcontext():
            yield means
    finally:
        means.close()


def _columns() -> int:
    """The width of the terminal that shows progress."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _has_moving_lines() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
