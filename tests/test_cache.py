"""The result cache: what is kept, when it is trusted, and what it survives."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from insomnia_skills import cache as caches
from insomnia_skills.cache import Cache, Entry, clean, find_cache, inspect, is_settled, stamp

STAMP = bytes(range(40))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "results.sqlite"


def fill(path: Path, count: int = 3) -> dict[bytes, Entry]:
    entries = {b"key %d" % n: Entry(STAMP, b"payload %d" % n) for n in range(count)}
    with Cache(path) as cache:
        for key, entry in entries.items():
            cache.keep(key, entry)
    return entries


def found(path: Path, count: int = 3) -> dict[bytes, Entry]:
    with Cache(path) as cache:
        return cache.find([b"key %d" % n for n in range(count)])


def test_what_is_kept_is_found(path: Path) -> None:
    entries = fill(path)
    assert found(path, 5) == entries
    assert sorted(os.listdir(path.parent)) == ["results.sqlite"]


def test_an_entry_takes_the_place_of_the_one_before(path: Path) -> None:
    fill(path)
    with Cache(path) as cache:
        cache.keep(b"key 1", Entry(STAMP[::-1], b""))
    assert found(path)[b"key 1"] == Entry(STAMP[::-1], b"")
    assert inspect(path).entries == 3


def test_looking_makes_no_file(path: Path) -> None:
    assert found(path) == {}
    assert inspect(path) == (path, 0, None)
    assert not path.parent.exists()


def test_nothing_kept_makes_no_file(path: Path) -> None:
    Cache(path).close()
    assert not path.exists()


def test_only_the_user_may_look_into_it(path: Path) -> None:
    fill(path)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


def test_without_a_home_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fill(Path("~/.cache/results.sqlite"))
    assert os.listdir(tmp_path) == []


def test_clean(path: Path) -> None:
    fill(path)
    clean(path)
    assert not path.exists()
    clean(path)


def test_what_is_kept_is_written_before_it_fills_the_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "_FLUSH_ENTRIES", 4)
    with Cache(path) as cache:
        for number in range(10):
            cache.keep(b"key %d" % number, Entry(STAMP, b""))
            assert len(cache._made) < 4
        assert inspect(path).entries == 8
    assert inspect(path).entries == 10


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def one_byte_wrong(data: bytes) -> bytes:
    at = data.index(b"payload 1")
    return data[:at] + b"P" + data[at + 1 :]


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "cut-short": cut,
    "one-byte": one_byte_wrong,
    "no-database": lambda data: b"junk" * 5000,
    "empty": lambda data: b"",
    "zeros": lambda data: bytes(len(data)),
    "another-schema": lambda data: data.replace(b"entries", b"ENTRIEZ"),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_is_spoilt_is_dropped_and_made_anew(
    path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    entries = fill(path, 200)
    path.write_bytes(spoil(path.read_bytes()))
    trusted = found(path, 200)
    assert trusted.items() <= entries.items()
    assert b"key 1" not in trusted
    for _ in range(2):  # the first may only find out that it is spoilt
        fill(path, 200)
    assert found(path, 200) == entries


def test_no_single_wrong_byte_is_ever_trusted(path: Path) -> None:
    entries = fill(path, 50)
    data = path.read_bytes()
    dice = random.Random(7)
    for _ in range(300):
        at = dice.randrange(len(data))
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :])
        assert found(path, 50).items() <= entries.items()


def test_another_version_finds_nothing_and_begins_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    monkeypatch.setattr(caches, "_version", lambda: 1)
    assert found(path) == {}
    assert inspect(path).entries is None
    fill(path, 1)
    assert inspect(path).entries == 1


def test_the_version_is_that_of_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "insomnia_skills"
    here = Path(caches.__file__).parent
    shutil.copytree(here, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(caches, "__file__", str(package / "cache.py"))
    seen = {caches._version.__wrapped__()}
    for changed in ("frontmatter.py", "rules/name.py", "yaml/events.py"):
        with open(package / changed, "a", encoding="utf-8") as file:
            file.write("# another\n")
        seen.add(caches._version.__wrapped__())
    assert len(seen) == 4


def test_a_cache_that_grew_too_large_begins_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path, 20)
    monkeypatch.setattr(caches, "MAX_CACHE_BYTES", 1000)
    assert len(found(path, 20)) == 20
    fill(path, 1)
    assert inspect(path).entries == 1


@pytest.mark.parametrize("kind", ["directory", "fifo", "no-directory", "file-above"])
def test_what_can_not_be_a_cache_is_none(path: Path, kind: str) -> None:
    if kind == "directory":
        path.mkdir(parents=True)
    elif kind == "fifo":
        path.parent.mkdir()
        os.mkfifo(path)
    elif kind == "no-directory":
        path = Path(os.devnull) / "cache"
    else:
        path.parent.write_text("")
    fill(path)
    assert found(path) == {}
    assert inspect(path).entries is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_directory_that_may_not_be_written(path: Path) -> None:
    path.parent.mkdir(mode=0o500)
    fill(path)
    assert found(path) == {}


def test_a_locked_cache_is_gone_without(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = fill(path)
    monkeypatch.setattr(caches, "_BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with Cache(path) as cache:
        assert cache.find([b"key 1"]) == {}
        cache.keep(b"key 9", Entry(STAMP, b""))
    other.rollback()
    other.close()
    assert found(path, 10) == entries


def test_a_cache_that_is_locked_at_the_end_stays_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = fill(path)
    monkeypatch.setattr(caches, "_BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    with Cache(path) as cache:
        assert cache.find([b"key 1"])
        cache.keep(b"key 9", Entry(STAMP, b""))
        other.execute("BEGIN EXCLUSIVE")
    other.rollback()
    other.close()
    assert found(path, 10) == entries


def test_a_cache_without_its_table_has_no_entries(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE entries")
    other.close()
    assert inspect(path).entries is None
    assert not path.exists()


@pytest.mark.parametrize("value", ["5", "'text'", "zeroblob(100)"])
def test_values_that_are_no_entries_are_dropped(path: Path, value: str) -> None:
    entries = fill(path)
    with sqlite3.connect(path) as other:
        other.execute(f"UPDATE entries SET value = {value}")
    other.close()
    assert found(path) == {}
    assert not path.exists()
    assert fill(path) == entries == found(path)


def test_the_version_is_that_of_the_beginning(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the package may change while it judges by those that it has read."""
    files = 1
    version = lru_cache(lambda: files)
    monkeypatch.setattr(caches, "_version", version)
    with Cache(path) as cache:
        assert cache.find([b"key"]) == {}
        files = 2
        cache.keep(b"key", Entry(STAMP, b"judged by the first version"))
    version.cache_clear()
    assert inspect(path).entries is None


def _write_many(path: Path, writer: int) -> None:
    for round_ in range(5):
        with Cache(path) as cache:
            for number in range(100):
                key = b"%d %d %d" % (writer, round_, number)
                cache.keep(key, Entry(STAMP, key * 3))


def test_several_processes_write_at_once(path: Path) -> None:
    fill(path)
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_many, args=(path, number)) for number in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    keys = [b"%d %d %d" % (w, r, n) for w in range(3) for r in range(5) for n in range(100)]
    with Cache(path) as cache:
        known = {
            k: e
            for start in range(0, 1500, 100)
            for k, e in cache.find(keys[start : start + 100]).items()
        }
    assert known == {key: Entry(STAMP, key * 3) for key in keys}


# What a file looks like from outside


def changes(file: Path) -> Iterator[None]:
    """Changes of a file, one after the other."""
    file.write_text("AAAA")  # in place, of the same size
    yield
    other = file.with_name("other")
    other.write_text("BBBB")
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    other.replace(file)  # another file with the same time
    yield
    before = file.stat()
    time.sleep(0.01)
    file.write_text("CCCC")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # that was given back its time
    yield
    file.write_text("CCCCC")
    yield


def test_every_change_gives_another_stamp(tmp_path: Path) -> None:
    file = tmp_path / "SKILL.md"
    file.write_text("aaaa")
    seen = [stamp(file.stat())]
    steps = changes(file)
    time.sleep(0.02)
    for _ in steps:
        seen.append(stamp(file.stat()))
        time.sleep(0.02)
    assert len(set(seen)) == len(seen) == 5
    assert stamp(file.stat()) == seen[-1]


@pytest.mark.parametrize(
    ("age", "settled"), [(3600, True), (2.5, True), (1.5, False), (0, False), (-3600, False)]
)
def test_what_changed_just_now_is_not_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: float, settled: bool
) -> None:
    file = tmp_path / "SKILL.md"
    file.write_text("aaaa")
    status = file.stat()
    now = max(status.st_mtime_ns, status.st_ctime_ns) + int(age * 1e9)
    monkeypatch.setattr(time, "time_ns", lambda: now)
    assert is_settled(status) is settled


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert find_cache().is_relative_to(tmp_path)
    assert find_cache().name == "results.sqlite"
