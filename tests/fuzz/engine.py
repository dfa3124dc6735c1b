"""Trying inputs on one target: within bounds, keeping what reaches something new."""

from __future__ import annotations

import contextlib
import gc
import random
import re
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from tests.fuzz.mutate import mutated

PACKAGE = "insomnia_skills"

MAX_SECONDS = 10.0
"""Of the processor's time for one input; a slow machine needs no more of it."""

MAX_MORE_BYTES = 1024 * 1024 * 1024
"""Of memory, beyond what the process had when it began."""

_MAX_KEPT = 4000
_SECONDS_TO_REDUCE = 20.0


class Target(NamedTuple):
    """Something that takes bytes. ``check`` tries them in a directory of its own.

    It yields words for what came of it (which rules, which exit codes), and raises where something
    does not hold that must. ``vary`` changes an input in a way that only this target knows. Of the
    time it gets ``share`` times as much as others.
    """

    name: str
    seeds: Callable[[], Sequence[bytes]]
    tokens: Sequence[bytes]
    check: Callable[[bytes, Path], Iterable[str]]
    vary: Callable[[random.Random, bytes], bytes] | None = None
    share: float = 1.0


class BrokenError(AssertionError):
    """Something does not hold; ``kind`` says what in a few words, always the same for the same."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


class SlowError(BaseException):
    """An input took too long. No `Exception`, since what is tried catches those."""


class Finding(NamedTuple):
    """What went wrong, and the input. Those of one kind are taken for one fault."""

    target: str
    kind: str
    detail: str
    data: bytes


def require(holds: object, kind: str, detail: object = "") -> None:
    """Raise `BrokenError` where something does not hold."""
    if not holds:
        raise BrokenError(kind, str(detail))


def attempt(target: Target, data: bytes, place: Path) -> Finding | frozenset[str]:
    """Try one input; what is wrong, or the words for what came of it."""
    unraisable: list[str] = []
    sys.unraisablehook = lambda args: unraisable.append(repr(args.exc_value))
    try:
        with warnings.catch_warnings(), _bounded():
            warnings.simplefilter("error")
            reached = frozenset(target.check(data, place))
    except (Exception, SlowError, SystemExit) as error:
        kind = _kind(error)
        detail = "".join(traceback.format_exception(error, limit=-12))[-6000:]
        del error
        return Finding(target.name, kind, detail, data)
    finally:
        sys.unraisablehook = sys.__unraisablehook__
    if unraisable:
        kind = f"unraisable: {re.sub('[^A-Za-z ].*', '', unraisable[0])}"
        return Finding(target.name, kind, "\n".join(unraisable), data)
    return reached


def _kind(error: BaseException) -> str:
    if isinstance(error, BrokenError):
        return error.kind
    if isinstance(error, SlowError):
        return "slow"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"/{PACKAGE}/" in frame.filename.replace("\\", "/")]
    last = (own or frames)[-1]
    return f"{type(error).__name__} in {Path(last.filename).stem}.{last.name}"


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    """Raise `SlowError` after too much of the processor's time, where the system can tell."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise SlowError(f"more than {MAX_SECONDS:g} s")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def bound_memory() -> None:
    """Let a process that takes far too much memory meet a MemoryError, where the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        used = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        limit = int(used) * resource.getpagesize() + MAX_MORE_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


class Lines:
    """The lines of the package that were reached, from Python 3.12 on; before, nothing.

    Each line is told of once, so that it costs next to nothing.
    """

    def __init__(self, watch: bool = True) -> None:
        self.count = 0
        monitoring: Any = getattr(sys, "monitoring", None)
        if monitoring is None or not watch:
            return

        def reach(code: CodeType, line: int) -> Any:
            if f"/{PACKAGE}/" in code.co_filename.replace("\\", "/"):
                self.count += 1
            return monitoring.DISABLE

        tool = monitoring.COVERAGE_ID
        monitoring.use_tool_id(tool, "fuzz")
        monitoring.register_callback(tool, monitoring.events.LINE, reach)
        monitoring.set_events(tool, monitoring.events.LINE)


class Session:
    """One target with the inputs that reached something new. The same seed gives the same inputs.

    What was reached depends on the inputs before, so those of another Python may be others.
    """

    def __init__(self, target: Target, seed: str, place: Path, lines: Lines) -> None:
        self.target = target
        self.place = place
        self.tried = 0
        self.seconds = 0.0
        self.kept: list[bytes] = []
        self._dice = random.Random(f"{seed}/{target.name}")
        self._lines = lines
        self._words: set[str] = set()
        self._sets: set[frozenset[str]] = set()
        self._seeds = list(target.seeds())
        self._dice.shuffle(self._seeds)
        self._untried = list(self._seeds)

    def step(self, note: Callable[[bytes], None] = lambda data: None) -> Finding | None:
        """Try one more input, of which ``note`` is told first; what is wrong with it."""
        data = self._next()
        note(data)
        begin, reached_before = time.monotonic(), self._lines.count
        came = attempt(self.target, data, self.place)
        self.seconds += time.monotonic() - begin
        self.tried += 1
        if self.tried % 500 == 0:
            gc.collect()
        if isinstance(came, Finding):
            return came
        is_new = not came <= self._words or self._lines.count > reached_before
        if is_new or (came not in self._sets and len(self.kept) < _MAX_KEPT):
            self.kept.append(data)
        self._words |= came
        self._sets.add(came)
        return None

    def _next(self) -> bytes:
        if self._untried:
            return self._untried.pop()
        dice = self._dice
        known = self._seeds
        if self.kept and dice.random() < 0.7:
            known = self.kept if dice.random() < 0.6 else self.kept[-50:]
        # Of two the shorter one, since it takes less time.
        data = min(dice.choice(known), dice.choice(known), key=len)
        if self.target.vary is not None and dice.random() < 0.5:
            data = self.target.vary(dice, data)
        others = self.kept if self.kept and dice.random() < 0.5 else self._seeds
        return mutated(dice, data, self.target.tokens, others)


def reduce(
    finding: Finding, target: Target, place: Path, tick: Callable[[], None] = lambda: None
) -> Finding:
    """A smaller input of which the same is wrong: without some lines, then without some bytes.

    ``tick`` is called for each that is tried.
    """
    end = time.monotonic() + _SECONDS_TO_REDUCE
    best = finding

    def tried(data: bytes) -> bool:
        nonlocal best
        tick()
        came = attempt(target, data, place)
        if isinstance(came, Finding) and came.kind == finding.kind:
            best = came
            return True
        return False

    for pieces_of in (_lines_of, _bytes_of):
        pieces = pieces_of(best.data)
        size = max(len(pieces) // 2, 1)
        while pieces and time.monotonic() < end:
            at, smaller = 0, False
            while at < len(pieces) and time.monotonic() < end:
                rest = pieces[:at] + pieces[at + size :]
                if tried(b"".join(rest)):
                    pieces, smaller = rest, True
                else:
                    at += size
            if size == 1 and not smaller:
                break
            size = max(size // 2, 1)
    return best


def _lines_of(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _bytes_of(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]
