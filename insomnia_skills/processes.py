"""Other processes that work for this one, and end when it does or when it says so."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

P = ParamSpec("P")
T = TypeVar("T")
_Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

# A fork has all modules at once. Elsewhere it is not safe, or not there.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"


_GARBAGE = 2_000
"""Such a process looks for garbage when it has made so many objects more than went away.

The command itself waits far longer, which is for short runs; here that would cost 25 MB.
"""


def available_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Task(Generic[T]):
    """What one of several processes is to do, or has done.

    ``result`` is None until then, and stays so where there is no process to do it any more.
    """

    def __init__(self, processes: Processes, call: _Call) -> None:
        self.call = call
        self.result: T | None = None
        self.is_over = False
        self._processes = processes

    def done(self, seconds: float = 0) -> bool:
        """Whether it is over; what all of them do is waited for up to so many seconds."""
        if not self.is_over:
            self._processes.advance(seconds)
        return self.is_over

    def end(self, result: T | None = None) -> None:
        """Take what came of it."""
        self.is_over, self.result = True, result


class Processes:
    """Up to ``count`` processes, as many as the system lets begin.

    Each calls ``prepare`` with the arguments once, before all else. They don't hear of Ctrl-C,
    which is for the process that began them. Each is told one thing at a time, through a pipe of
    its own: that needs neither threads nor semaphores, which not every system gives.
    """

    def __init__(
        self, count: int, prepare: Callable[P, None], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        self._idle: list[Connection] = []
        self._busy: dict[Connection, Task[Any]] = {}
        self._waiting: deque[Task[Any]] = deque()
        self._processes: list[BaseProcess] = []
        with suppress(ImportError, OSError):
            for _ in range(count):
                self._begin((prepare, args, kwargs))

    def _begin(self, prepare: _Call) -> None:
        from multiprocessing import Pipe, get_context

        ours, theirs = Pipe()
        forks = START_METHOD == "fork"
        # A fork has our ends of all pipes too; while one is open, its pipe can't tell we are gone.
        to_close = [*self._idle, ours] if forks else []
        start = get_context("fork").Process if forks else get_context("spawn").Process
        process = start(target=_serve, args=(theirs, to_close, prepare), daemon=True)
        try:
            process.start()
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._idle.append(ours)
        self._processes.append(process)

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Task[T]:
        """Have one of them do something, as soon as it has done what it was told before."""
        task: Task[T] = Task(self, (work, args, kwargs))
        self._waiting.append(task)
        self.advance(0)
        return task

    def advance(self, seconds: float) -> None:
        """Take what is done, and tell those that wait what to do.

        If nothing is done yet, wait for it, but no longer than so many seconds.
        """
        from multiprocessing.connection import wait

        ready = wait(self._busy, seconds) if self._busy else ()
        for channel in [channel for channel in self._busy if channel in ready]:
            task = self._busy.pop(channel)
            try:
                task.end(channel.recv())
            except (EOFError, OSError):
                task.end()
            else:
                self._idle.append(channel)
        while self._waiting and self._idle:
            task, channel = self._waiting.popleft(), self._idle.pop()
            try:
                channel.send(task.call)
            except OSError:
                task.end()
            else:
                self._busy[channel] = task
        if not self._busy:
            while self._waiting:
                self._waiting.popleft().end()

    def close(self) -> None:
        """End them, whatever they are doing."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        for channel in (*self._idle, *self._busy):
            channel.close()


def _serve(channel: Connection, to_close: list[Connection], prepare: _Call) -> None:
    """What such a process does until the one that began it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what it has from the one that began it stays shared with that
    gc.set_threshold(_GARBAGE)
    for other in to_close:
        other.close()
    # Whatever goes wrong here goes wrong once more there, where it is told of.
    with suppress(Exception):
        call, args, kwargs = prepare
        call(*args, **kwargs)
        while True:
            call, args, kwargs = channel.recv()
            channel.send(call(*args, **kwargs))
