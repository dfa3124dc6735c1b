"""Several processes that try the targets in turns, and one that listens to them."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.engine import Finding, Lines, Session, attempt, bound_memory, reduce
from tests.fuzz.mutate import MAX_BYTES
from tests.fuzz.targets import TARGETS

_SILENT_SECONDS = 120.0
"""A process that says nothing for so long hangs, whatever it has of the processor's time."""

_SPOKEN_SECONDS = 60.0
_MOST_PROCESSES = 100
_NOTE_BYTES = 4 * MAX_BYTES
_SPAWN = multiprocessing.get_context("spawn")


class Plan(NamedTuple):
    """What is to be tried, for how long, and where findings are put down."""

    targets: tuple[str, ...]
    seconds: float
    seed: str
    jobs: int
    findings: Path


class Told(NamedTuple):
    """What a process has done so far: inputs, seconds, and inputs that were kept, by target."""

    tried: dict[str, int]
    seconds: dict[str, float]
    kept: dict[str, int]
    lines: int


class _Note:
    """The input that is being tried, where another process sees it when this one is gone."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _NOTE_BYTES)

    def write(self, target: str, data: bytes) -> None:
        head = f"{target} {len(data)}\n".encode()
        self._map[: len(head)] = head
        self._map[len(head) : len(head) + len(data)] = data

    def read(self) -> tuple[str, bytes]:
        head, _, rest = self._map[:].partition(b"\n")
        target, _, size = head.decode().partition(" ")
        return target, rest[: int(size or 0)]


class _Job:
    """One process, from here."""

    def __init__(self, plan: Plan, number: int, top: Path) -> None:
        self.number = number
        path = top / f"note-{number}"
        path.write_bytes(bytes(_NOTE_BYTES))
        self.note = _Note(path)
        self.heard = time.monotonic()
        self.told = Told({}, {}, {}, 0)
        self.connection, theirs = _SPAWN.Pipe(duplex=False)
        arguments = (plan, number, top / f"job-{number}", path, theirs)
        self.process: BaseProcess = _SPAWN.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        theirs.close()


def run(plan: Plan) -> int:
    """Try the targets; how many findings there are. Each is told of when it comes."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        return _Listener(plan, Path(os.path.realpath(name))).listen()


class _Listener:
    """Begins the processes, hears what they find, and begins others where one ends too early."""

    def __init__(self, plan: Plan, top: Path) -> None:
        self._plan = plan
        self._top = top
        self._begin = time.monotonic()
        self._jobs: list[_Job] = []
        self._begun = 0
        self._told: list[Told] = []
        self._found: dict[tuple[str, str], Finding] = {}
        self._times: Counter[str] = Counter()

    def listen(self) -> int:
        for _ in range(self._plan.jobs):
            self._begin_one(self._plan)
        spoken = self._begin
        while self._jobs:
            if time.monotonic() - spoken > _SPOKEN_SECONDS:
                spoken = time.monotonic()
                tried = sum(sum(job.told.tried.values()) for job in self._jobs)
                found = f"{tried:,} inputs, {len(self._found)} findings"
                print(f"{spoken - self._begin:.0f} s: {found}", file=sys.stderr, flush=True)
            ready = wait([job.connection for job in self._jobs], timeout=1.0)
            for job in list(self._jobs):
                is_over = job.connection in ready and not self._hear(job)
                hangs = time.monotonic() - job.heard > _SILENT_SECONDS
                if is_over or hangs:
                    self._end(job, hangs)
        self._sum_up()
        return len(self._found)

    def _begin_one(self, plan: Plan) -> None:
        self._jobs.append(_Job(plan, self._begun, self._top))
        self._begun += 1

    def _hear(self, job: _Job) -> bool:
        """Take what a process says; False where it has ended."""
        try:
            said = job.connection.recv()
        except (EOFError, OSError):
            return False
        job.heard = time.monotonic()
        if isinstance(said, Told):
            job.told = said
        else:
            self._take(said)
        return True

    def _end(self, job: _Job, hangs: bool) -> None:
        if hangs:
            job.process.kill()
        job.process.join()
        self._jobs.remove(job)
        self._told.append(job.told)
        if not job.process.exitcode:
            return
        target, data = job.note.read()
        how = "hangs" if hangs else f"ends the process with {job.process.exitcode}"
        self._take(Finding(target or "none", how, how, data))
        left = self._plan.seconds - (time.monotonic() - self._begin)
        if target and left > 1 and self._begun < _MOST_PROCESSES:
            self._begin_one(self._plan._replace(seconds=left))

    def _take(self, finding: Finding) -> None:
        self._times[finding.target] += 1
        key = finding.target, finding.kind
        if self._found.setdefault(key, finding) is finding:
            put_down(finding, self._plan)

    def _sum_up(self) -> None:
        seconds = time.monotonic() - self._begin
        head = ("inputs", "a second", "kept", "findings", "times")
        print(f"\n{'target':10}{''.join(f'{word:>10}' for word in head)}")
        total = 0
        for name in self._plan.targets:
            tried = sum(told.tried.get(name, 0) for told in self._told)
            used = sum(told.seconds.get(name, 0.0) for told in self._told)
            kept = sum(told.kept.get(name, 0) for told in self._told)
            kinds = sum(target == name for target, _ in self._found)
            rate = tried / used if used else 0.0
            print(f"{name:10}{tried:10,}{rate:10,.0f}{kept:10,}{kinds:10,}{self._times[name]:10,}")
            total += tried
        lines = max((told.lines for told in self._told), default=0)
        reached = f", {lines:,} lines reached" if lines else ""
        print(
            f"{total:,} inputs in {seconds:.0f} s{reached}, seed {self._plan.seed}: "
            f"{len(self._found)} findings"
        )


def put_down(finding: Finding, plan: Plan) -> None:
    """Show a finding, and keep its input in a file."""
    plan.findings.mkdir(parents=True, exist_ok=True)
    kind = re.sub(r"[^A-Za-z0-9]+", "-", finding.kind).strip("-").lower()[:50]
    digest = hashlib.sha256(finding.data).hexdigest()[:8]
    path = plan.findings / f"{finding.target}-{kind}-{digest}"
    path.write_bytes(finding.data)
    print(f"\n{finding.target}: {finding.kind}\n{finding.detail.rstrip()}")
    print(f"input, {len(finding.data):,} bytes: {finding.data[:300]!r}")
    print(f"again: python -m tests.fuzz --target {finding.target} --input {path}", flush=True)


def _work(plan: Plan, number: int, place: Path, note: Path, connection: Connection) -> None:
    """Try the targets in turns until the time is over; each gets its share."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    place.mkdir()
    os.chdir(place)
    noted = _Note(note)
    lines = Lines()
    # Beside each other: what one target leaves behind is not in another's way.
    sessions = []
    for name in plan.targets:
        own = place / name
        own.mkdir()
        sessions.append(Session(TARGETS[name], f"{plan.seed}/{number}", own, lines))
    bound_memory()
    spoken = 0.0

    def tell() -> None:
        nonlocal spoken
        if time.monotonic() - spoken > 1:
            connection.send(_told(sessions, lines))
            spoken = time.monotonic()

    end = time.monotonic() + plan.seconds
    seen: set[tuple[str, str]] = set()
    while time.monotonic() < end:
        session = min(sessions, key=lambda s: (s.seconds / s.target.share, s.target.name))
        finding = session.step(partial(noted.write, session.target.name))
        if finding is not None:
            key = (finding.target, finding.kind)
            if key not in seen:
                seen.add(key)
                with _quiet():
                    finding = reduce(finding, session.target, session.place, tell)
            connection.send(finding)
        tell()
    connection.send(_told(sessions, lines))


def _told(sessions: list[Session], lines: Lines) -> Told:
    return Told(
        {s.target.name: s.tried for s in sessions},
        {s.target.name: s.seconds for s in sessions},
        {s.target.name: len(s.kept) for s in sessions},
        lines.count,
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stderr(None), contextlib.redirect_stdout(None):
        yield


def try_again(name: str, data: bytes) -> int:
    """Try one input on one target; 1 if something is wrong with it."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as top:
        came = attempt(TARGETS[name], data, Path(os.path.realpath(top)))
    if isinstance(came, Finding):
        print(f"{came.target}: {came.kind}\n{came.detail}")
        return 1
    print(f"{name}: nothing wrong; {', '.join(sorted(came))}")
    return 0
