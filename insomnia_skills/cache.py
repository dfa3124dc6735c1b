"""What earlier runs made of files, in one SQLite file that may be lost at any time."""

from __future__ import annotations

import os
import stat
import struct
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self
from zlib import crc32

from insomnia_skills import __version__
from insomnia_skills.limits import MAX_CACHE_BYTES

if TYPE_CHECKING:
    import sqlite3

SETTLED_NS = 2_000_000_000
"""How long ago a file must have changed before it is read, or it is not kept, in nanoseconds.

Within the grain of a clock a file can change and keep its times. The coarsest file system in use,
FAT, counts in steps of two seconds.
"""

_BUSY_SECONDS = 1.0
_FLUSH_ENTRIES = 10_000
_STAMP = struct.Struct("<5Q")
_CHECKSUM = struct.Struct("<I")
_UNSIGNED = 2**64 - 1
_JUDGING = ("clients", "rules", "yaml")
"""The packages of this one that have a part in what is found in a file."""

_OUTSIDE = (3, 5, 6, 7, 8, 9, 10, 13, 14, 22, 23)
"""SQLite's codes for a file that is locked, on a full disk, may not be read, and the like."""

# A journal would be a second file, and one that outlives its cache would spoil the next one. What
# a crash leaves half written is dropped.
_SETUP = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA trusted_schema = OFF"
_TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
PRAGMA user_version = {version};
COMMIT;
"""


class Entry(NamedTuple):
    """What is kept of a file: how it looked from outside, and what was made of it then."""

    stamp: bytes
    payload: bytes


class CacheInfo(NamedTuple):
    """What a cache file holds. ``entries`` is None where it is not usable by this version."""

    path: Path
    bytes: int
    entries: int | None


def stamp(status: os.stat_result) -> bytes:
    """What changes when a file does: size, times of change in nanoseconds, inode and device.

    No program can set the time when the status last changed, so it tells of a file that was given
    back its old modification time.
    """
    return _STAMP.pack(
        status.st_size,
        status.st_mtime_ns & _UNSIGNED,
        status.st_ctime_ns & _UNSIGNED,
        status.st_ino & _UNSIGNED,
        status.st_dev & _UNSIGNED,
    )


def is_settled(status: os.stat_result) -> bool:
    """Whether the file will have another stamp if it changes from now on."""
    return max(status.st_mtime_ns, status.st_ctime_ns) < time.time_ns() - SETTLED_NS


def find_cache() -> Path:
    """Where the cache lies, be it there or not: in the user's cache directory.

    A relative path, at which no cache is kept, where nobody knows the home directory.
    """
    from platformdirs import user_cache_path

    try:
        directory = user_cache_path("insomnia-skills", appauthor=False)
    except RuntimeError:  # older versions give a path that begins with "~"
        directory = Path("~", "insomnia-skills")
    return directory / "results.sqlite"


def clean(path: Path) -> None:
    """Remove a cache file. Raises `OSError` where it can't be."""
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)


def inspect(path: Path) -> CacheInfo:
    """What a cache file holds."""
    with Cache(path) as cache:
        return CacheInfo(path, cache.bytes(), cache.count())


class Cache:
    """The entries of a cache file, by a key for each; its path has to be absolute.

    A cache that can't be read or written is no error: it has no entries, and keeps none. Every
    entry has a checksum; a file with a wrong one, or of another version, is dropped as a whole.
    Several processes may use it at once; one that finds it locked for long goes on without.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made: dict[bytes, Entry] = {}
        self._connection: sqlite3.Connection | None = None
        # Where nobody knows the home directory, its "~" would be one in the working directory.
        self._usable = path.is_absolute()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, Entry]:
        """The entries of those keys that have one."""
        asked = tuple(keys)
        connection = self._connect()
        if connection is None:
            return {}
        marks = ",".join("?" * len(asked))
        found: dict[bytes, Entry] = {}
        try:
            query = f"SELECT key, value FROM entries WHERE key IN ({marks})"
            for key, value in connection.execute(query, asked):
                found[key] = _read(key, value)
        except Exception as error:
            self._give_up(error)
            return {}
        return found

    def keep(self, key: bytes, entry: Entry) -> None:
        """Put down an entry, which takes the place of the one before."""
        self._made[key] = entry
        if len(self._made) >= _FLUSH_ENTRIES:
            self._write()

    def count(self) -> int | None:
        """How many entries there are; None where this version can't use the file."""
        connection = self._connect()
        if connection is None:
            return None
        try:
            return int(connection.execute("SELECT count(*) FROM entries").fetchone()[0])
        except Exception as error:
            self._give_up(error)
            return None

    def bytes(self) -> int:
        """The size of the file; 0 where there is none."""
        try:
            return os.stat(self.path).st_size
        except OSError:
            return 0

    def close(self) -> None:
        """Write what was put down."""
        self._write()
        self._disconnect()

    def _write(self) -> None:
        made, self._made = self._made, {}
        if not made:
            return
        connection = self._connect(create=True)
        if connection is None:
            return
        rows = ((key, _written(key, entry)) for key, entry in made.items())
        try:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?)", rows)
        except Exception as error:
            self._give_up(error)

    def _connect(self, create: bool = False) -> sqlite3.Connection | None:
        """The open file; None where there is none that this version can use."""
        if self._connection is not None or not self._usable:
            return self._connection
        try:
            self._open(create)
        except Exception as error:
            self._give_up(error)
        return self._connection

    def _open(self, create: bool) -> None:
        import sqlite3

        version = _version()  # now, since files of the package may change while it judges
        size = _size(self.path)
        if size is not None:
            connection = self._connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
            connection.executescript(_SETUP)
            made_by = connection.execute("PRAGMA user_version").fetchone()[0]
            if made_by == version and (size < MAX_CACHE_BYTES or not create):
                return
            self._disconnect()
        if not create:
            return
        clean(self.path)
        os.makedirs(self.path.parent, mode=0o700, exist_ok=True)
        os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600))  # it has what skills say
        connection = self._connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
        connection.executescript(_SETUP)
        connection.executescript(_TABLES.format(version=version))

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _give_up(self, error: Exception) -> None:
        """Go on without a cache; one that is spoilt is removed, so that the next run makes it anew.

        A file that is locked, or that may not be written, is not spoilt.
        """
        self._usable = False
        with suppress(Exception):
            self._disconnect()
        self._connection = None
        if _is_spoilt(error):
            with suppress(OSError):
                os.unlink(self.path)


def _is_spoilt(error: Exception) -> bool:
    """Whether an error speaks of what is in the file, and not of how it can be had."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, ValueError | TypeError) or (
        code is not None and code & 0xFF not in _OUTSIDE
    )


def _size(path: Path) -> int | None:
    """The bytes of the cache; None where there is none. Raises `OSError` for what is no file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{path} is not a file")
    return status.st_size


def _written(key: bytes, entry: Entry) -> bytes:
    return _checksum(key, entry) + entry.stamp + entry.payload


def _read(key: bytes, value: bytes) -> Entry:
    start = _CHECKSUM.size + _STAMP.size
    entry = Entry(value[_CHECKSUM.size : start], value[start:])
    if value[: _CHECKSUM.size] != _checksum(key, entry):
        raise ValueError("a wrong checksum")
    return entry


def _checksum(key: bytes, entry: Entry) -> bytes:
    return _CHECKSUM.pack(crc32(entry.payload, crc32(entry.stamp, crc32(key))))


@lru_cache(maxsize=1)
def _version() -> int:
    """What an entry depends on besides the file: Python, this package, and those that it uses.

    A package that is worked on has the same number all the time, so its files are looked at.
    """
    parts = [str(sys.hexversion), __version__]
    for directory, below, files in os.walk(os.path.dirname(__file__)):
        below[:] = [name for name in below if name in _JUDGING]
        for name in files:
            status = os.stat(os.path.join(directory, name))
            parts.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    parser = find_spec("markdown_it")
    if parser and parser.origin:
        # A package that is installed beside it, or goes, changes the directory around.
        parts.append(str(os.stat(os.path.dirname(os.path.dirname(parser.origin))).st_mtime_ns))
    return crc32("\0".join(sorted(parts)).encode()) & 0x7FFFFFFF
