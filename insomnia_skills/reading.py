"""Reading many skills: what earlier runs found out, and other processes, make it quick."""

from __future__ import annotations

import math
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeAlias

from insomnia_skills.cache import Cache, Entry, is_settled, stamp
from insomnia_skills.diagnostic import Diagnostic, diagnose
from insomnia_skills.judged import Judged, SkillReading, decode, encode
from insomnia_skills.limits import MAX_ASKED
from insomnia_skills.processes import Processes, Task, available_processors
from insomnia_skills.resources import Answers, check_resources, reading_of, ships_files
from insomnia_skills.scan import Found, Tick, no_tick

BATCH = 64
"""So many skills are looked up at once, or given to another process at once."""

PAYS_OFF = 400
"""So many skills to be read make other processes save more time than they take to begin."""

MOST_JOBS = 4
"""More processes than this would wait for the one that finds the skills and writes the report."""

_BEGUN = 32
"""So many batches are begun, at most, before the first one is done: it bounds the memory."""

_PATIENCE = 0.1
"""How long another process is waited for before the next tick, in seconds."""


class Kind(NamedTuple):
    """What is wanted of skills: all that there is to say of them (``thorough``), and a record."""

    thorough: bool = False
    record: bool = True


Note: TypeAlias = Callable[[Found, Judged], None]
"""Is told what came of judging a skill."""


class Reader:
    """Reads skills, and gives them back in the order in which it gets them.

    ``cache`` holds what earlier runs found out. ``jobs`` is how many processes read at once, None
    for as many as pay off. ``tick`` is called for each skill, and while nothing happens. What it
    raises comes out of the reading, between two skills. ``note`` is told of each skill that could
    be read. ``done`` counts the skills. To be closed, best by ``with``.
    """

    def __init__(
        self,
        cache: Cache | None = None,
        jobs: int | None = 1,
        tick: Tick = no_tick,
        note: Note | None = None,
    ) -> None:
        self.tick = tick
        self._note = note
        self.done = 0
        self._cache = cache
        self._jobs = min(available_processors(), MOST_JOBS) if jobs is None else min(jobs, _BEGUN)
        self._unknown = 0
        self._pool: Processes | None = None
        ships_files.cache_clear()  # an earlier run may have told it of other files

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
        """Write the cache and end the other processes."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
        if self._cache is not None:
            self._cache.close()

    def read(self, skills: Iterable[Found], kind: Kind) -> Iterator[tuple[Found, SkillReading]]:
        """Every skill with what came of reading it."""
        begun: deque[_Batch] = deque()
        source = iter(skills)
        while batch := list(islice(source, BATCH)):
            begun.append(_Batch(batch, self._hand_over(batch, kind)))
            if self._pool is None and len(begun) * BATCH >= self._pays_off:
                self._pool = _start(self._jobs, self._cache.path if self._cache else None)
                for earlier in begun:
                    earlier.task = self._hand_over(earlier.skills, kind)
            while begun and (len(begun) > self._most_begun or begun[0].is_done):
                yield from self._finish(begun.popleft(), kind)
        while begun:
            yield from self._finish(begun.popleft(), kind)

    @property
    def _pays_off(self) -> float:
        """How many skills that wait to be read are worth other processes.

        To look something up costs less than to be told by another process.
        """
        return PAYS_OFF if self._jobs > 1 and self._unknown * 4 > self.done else math.inf

    @property
    def _most_begun(self) -> float:
        """How many batches may wait. The first one tells how much the cache knows."""
        if self._pool is not None:
            return _BEGUN
        return self._pays_off / BATCH if self._unknown and self._pays_off < math.inf else 0

    def _finish(self, batch: _Batch, kind: Kind) -> Iterator[tuple[Found, SkillReading]]:
        made = self._from_elsewhere(batch) if batch.task else None
        for found, read in zip(batch.skills, made or self._read(batch.skills, kind), strict=True):
            self.tick()
            self.done += 1
            if read is None:
                assert found.finding
                yield found, SkillReading(None, diagnose(found.path, "", (found.finding,)))
                continue
            self._unknown += not read.is_known
            if self._cache is not None and read.stamp:
                payload = encode(read.judged) if read.payload is None else read.payload
                self._cache.keep(_key(found.file, kind), Entry(read.stamp, payload))
            if self._note is not None:
                self._note(found, read.judged)
            yield found, reading_of(found, read.judged, read.beside)

    def _read(self, skills: Sequence[Found], kind: Kind) -> Iterator[_Read | None]:
        for read in _read_all(skills, kind, self._cache):
            self.tick()
            yield read

    def _hand_over(self, skills: Sequence[Found], kind: Kind) -> Task[list[_Made | None]] | None:
        """Let another process read skills, if there are any."""
        if self._pool is None:
            return None
        places = [(found.name, found.file, found.finding is None) for found in skills]
        return self._pool.submit(_make_all, places, kind)

    def _from_elsewhere(self, batch: _Batch) -> list[_Read | None] | None:
        """What another process made of a batch; None where it was killed, or none could begin."""
        assert batch.task
        while not batch.task.done(_PATIENCE):
            self.tick()
        if batch.task.result is None:
            return None
        return [
            one and _Read(decode(one.payload, found.file, found.name), *one[1:], one.payload)
            for found, one in zip(batch.skills, batch.task.result, strict=True)
        ]


class _Batch:
    """Some skills, and what another process will have made of them."""

    def __init__(self, skills: Sequence[Found], task: Task[list[_Made | None]] | None) -> None:
        self.skills = skills
        self.task = task

    @property
    def is_done(self) -> bool:
        return self.task is not None and self.task.done()


class _Read(NamedTuple):
    """What was found out about one skill.

    ``beside`` is what is to be said of its other files. ``stamp`` is there if something new is to
    be kept, ``payload`` if that is encoded already. ``is_known`` says that the cache knew it.
    """

    judged: Judged
    beside: tuple[Diagnostic, ...]
    stamp: bytes
    is_known: bool
    payload: bytes | None = None


class _Made(NamedTuple):
    """A `_Read` on its way from another process."""

    payload: bytes
    beside: tuple[Diagnostic, ...]
    stamp: bytes
    is_known: bool


def _read_all(skills: Sequence[Found], kind: Kind, cache: Cache | None) -> Iterator[_Read | None]:
    """Look up, or judge, each of the skills; None where there is nothing to read."""
    keys = [_key(found.file, kind) for found in skills] if cache else []
    entries = cache.find(keys) if cache else {}
    for index, found in enumerate(skills):
        if found.finding is not None:
            yield None
            continue
        entry = entries.get(keys[index]) if entries else None
        known = _recalled(found, entry) if entry else None
        judged, seen = (known, b"") if known else judge(found.file, found.name, kind)
        beside: tuple[Diagnostic, ...] = ()
        if kind.thorough:
            beside = check_resources(os.path.dirname(found.file), found.entries).diagnostics
        yield _Read(judged, beside, seen, known is not None)


_cache: Cache | None = None
"""What another process looks things up in."""


def _make_all(places: Sequence[tuple[str, str, bool]], kind: Kind) -> list[_Made | None]:
    """What another process does."""
    skills = [Found(name, file) for name, file, is_there in places if is_there]
    made = iter(_read_all(skills, kind, _cache))
    return [_made(next(made)) if is_there else None for *_, is_there in places]


def _made(read: _Read | None) -> _Made | None:
    return read and _Made(encode(read.judged), read.beside, read.stamp, read.is_known)


def judge(place: str, name: str, kind: Kind) -> tuple[Judged, bytes]:
    """Judge one SKILL.md; with its stamp, or an empty one where that is not to be kept."""
    from insomnia_skills.skill import judge_file

    status = _status(place)
    seen = stamp(status) if status and is_settled(status) else b""  # before it is read
    judged = judge_file(place, name, kind.thorough, kind.record)
    return judged, seen if len(judged.asked) <= MAX_ASKED else b""


def _key(place: str, kind: Kind) -> bytes:
    return b"%d%d:%b" % (*kind, os.fsencode(place))


def _status(place: str) -> os.stat_result | None:
    """How a file looks from outside; None where it is a link or not a file, or can't be told.

    What a link leads to changes without it.
    """
    try:
        status = os.lstat(place)
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _recalled(found: Found, entry: Entry) -> Judged | None:
    """What an entry says of a skill; None where the file, or what was asked, is not as it was."""
    status = _status(found.file)
    if status is None or stamp(status) != entry.stamp:
        return None
    judged = decode(entry.payload, found.file, found.name)
    if judged.asked:
        answers = Answers(os.path.dirname(found.file))
        for path, given in judged.asked.items():
            if answers(path) != given:
                return None
        if judged.alone is not None and answers.is_alone() != judged.alone:
            return None
    return judged


def _start(jobs: int, cache: Path | None) -> Processes:
    """Processes that read."""
    import insomnia_skills.skill  # noqa: F401 - once for all of them

    return Processes(jobs, _prepare, cache)


def _prepare(cache: Path | None) -> None:
    """What another process does before it reads."""
    global _cache  # noqa: PLW0603 - it has no other place for it
    _cache = Cache(cache) if cache else None
