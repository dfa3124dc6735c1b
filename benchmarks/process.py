"""Time whole processes in turns, and watch how much memory a tree of them takes."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import IO

CRASH = b"Traceback (most recent call last)"
WATCH_SECONDS = 0.005


class UnusableError(Exception):
    """A command is not there, or did not do the work; the message says which."""


def nothing() -> None:
    """What has to be done before most commands."""


@dataclass
class Process:
    """A command that answers with 0 (fine) or 1 (found something), and what its runs took."""

    name: str
    command: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    before: Callable[[], None] = nothing
    memory: int | None = None
    """The greatest sum, in bytes, over the processes of the tree; shared pages are divided."""
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """Seconds of processor time for each run, of the whole tree."""

    @property
    def least(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return median(self.seconds)

    def time(self) -> None:
        """Run once, with nobody watching."""
        self.before()
        started = time.perf_counter()
        with self._start(subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds.append(time.perf_counter() - started)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu.append(usage.ru_utime + usage.ru_stime)
        self._insist(process.returncode)

    def watch(self) -> None:
        """Run once, see that it works, and note the memory it takes where the system tells."""
        self.before()
        with tempfile.TemporaryFile() as said, self._start(said) as process:
            while process.poll() is None:
                if (now := _memory(process.pid)) is not None:
                    self.memory = max(self.memory or 0, now)
                time.sleep(WATCH_SECONDS)
            said.seek(0)
            self._insist(process.returncode, said.read())

    def _start(self, stderr: int | IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self.command,
                cwd=self.cwd,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
        except FileNotFoundError:
            raise UnusableError(f"there is no command {self.command[0]}") from None

    def _insist(self, code: int, said: bytes = b"") -> None:
        if code not in (0, 1) or CRASH in said:
            last = said.decode(errors="replace").strip().splitlines()[-1:]
            raise UnusableError(": ".join([f"{self.name} exited {code}", *last]))


def measure(processes: Sequence[Process], rounds: int) -> None:
    """Time each of them once a round, in turns, so that a busy machine slows all alike."""
    for _ in range(rounds):
        for process in processes:
            process.time()


def _memory(pid: int) -> int | None:
    """Proportional set size of a process and its descendants; None where Linux does not tell."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except (OSError, ValueError):
        return None  # it is not Linux, or the process has just ended
    [kib] = [line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")] or ["0"]
    return int(kib) * 1024 + sum(_memory(child) or 0 for child in children)
