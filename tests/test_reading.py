"""Reading many skills: the cache and other processes change nothing but the time it takes."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from insomnia_skills import cache as caches
from insomnia_skills import check_paths, ingest, processes, reading
from insomnia_skills.cache import Cache
from insomnia_skills.checking.check import CheckedFile, judge_paths
from insomnia_skills.judged import Judged, decode, encode
from insomnia_skills.processes import Processes, Task
from insomnia_skills.reading import Kind, Reader
from insomnia_skills.scan import Found, scan_root
from insomnia_skills.skill import judge_file
from tests.trees import Tree, link, write

T = TypeVar("T")

SETTLED = 20_000_000
TEXTS = (
    "---\nname: {name}\ndescription: Reads files. Use when a file is to be read.\n---\nBody.\n",
    "---\nname: {name}\ndescription: Reads files. Use when a file is to be rest.\n---\nBody.\n",
    "---\nname: {name}\ndescription: Reads: files. Use when a file is to be red.\n---\nBody.\n",
    "---\nname: wrong\n---\nBody.\n",
    "---\nname: {name}\ndescription: Reads it.\n---\nSee [a](references/a.md) and TODO.\n",
    "---\nname: {name}\ndescription: Reads it.\n---\nSee [it](../shared/x.md).\n",
    "---\nname: {name}\n---\n<!-- insomnia-skills: ignore description-missing -->\n",
    "# none\n",
    "",
)
NAMES = ("one", "two", "three")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock's grain that a test can wait for."""
    monkeypatch.setattr(caches, "SETTLED_NS", SETTLED)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def settle() -> None:
    time.sleep(SETTLED / 1e9 + 0.01)


def skill(root: Path, name: str, text: str = TEXTS[0]) -> Path:
    return write(root / name / "SKILL.md", text.format(name=name))


def checked(root: Path, reader: Reader | None = None) -> list[CheckedFile]:
    return list(judge_paths(root, reader=reader))


def with_cache(root: Path, cache: Path, jobs: int = 1) -> list[CheckedFile]:
    with Reader(Cache(cache), jobs) as reader:
        return checked(root, reader)


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if a skill is judged anew."""

    def refuse(*_: object) -> Any:
        raise AssertionError("this was known")

    monkeypatch.setattr(reading, "judge", refuse)


# What the cache knows


def test_what_is_known_is_not_read_again(
    tmp_path: Path, cache: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "skills"
    for number, text in enumerate(TEXTS):
        skill(root, f"skill-{number}", text)
    settle()
    expected = checked(root)
    assert with_cache(root, cache) == expected
    forbid(monkeypatch)
    assert with_cache(root, cache) == expected


def test_records_are_known_too(
    tmp_path: Path, cache: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = Tree(tmp_path / "tree")
    tree.name_roots("skills", "more")
    for root in (tree.workspace / "skills", tree.workspace / "more", tree.user_skills):
        for number, text in enumerate(TEXTS):
            skill(root, f"skill-{number}", text)
    link(tree.workspace / "skills" / "skill-9" / "SKILL.md", "../skill-0/SKILL.md")
    tree.write_workflow("native")
    settle()

    def result(reader: Reader, thorough: bool) -> Any:
        return ingest(
            tree.workspace,
            config_dir=tree.config,
            thorough=thorough,
            reader=lambda: reader,
        )

    judge = reading.judge

    def judge_links(place: str, name: str, kind: Kind) -> tuple[Judged, bytes]:
        assert os.path.islink(place)
        return judge(place, name, kind)

    for thorough in (False, True):
        expected = result(Reader(), thorough)
        with Reader(Cache(cache)) as reader:
            assert result(reader, thorough) == expected
        with Reader(Cache(cache)) as reader, monkeypatch.context() as patch:
            patch.setattr(reading, "judge", judge_links)
            assert result(reader, thorough) == expected


def test_what_had_changed_just_before_it_was_read_is_not_kept(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_long(*arguments: Any) -> Judged:
        judged = judge_file(*arguments)
        settle()
        return judged

    file = skill(tmp_path, "one")
    monkeypatch.setattr("insomnia_skills.skill.judge_file", take_long)
    assert reading.judge(str(file), "one", Kind())[1] == b""
    assert reading.judge(str(file), "one", Kind())[1] != b""


def test_what_changed_just_now_is_not_kept(tmp_path: Path, cache: Path) -> None:
    skill(tmp_path / "skills", "one")
    with_cache(tmp_path / "skills", cache)
    assert not cache.exists()


def test_a_link_is_read_each_time(tmp_path: Path, cache: Path, quick: None) -> None:
    secret = write(tmp_path / "secret", "name: secret\n")
    (tmp_path / "skills" / "one").mkdir(parents=True)
    (tmp_path / "skills" / "one" / "SKILL.md").symlink_to(secret)
    settle()
    with_cache(tmp_path / "skills", cache)
    assert not cache.exists()


def test_the_name_of_the_directory_is_part_of_what_is_known(
    tmp_path: Path, cache: Path, quick: None
) -> None:
    root = tmp_path / "skills"
    skill(root, "one")
    settle()
    (valid,) = with_cache(root, cache)
    (root / "one").rename(root / "two")
    (invalid,) = with_cache(root, cache)
    assert (valid.valid, invalid.valid) == (True, False)
    assert [d.rule for d in invalid.diagnostics] == ["name-mismatch"]


class Files:
    """Random changes of a few skills and of what lies around them."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root = root
        self.dice = dice

    def change(self) -> None:
        with suppress(OSError):
            self.dice.choice(self.ways)()

    @property
    def ways(self) -> list[Callable[[], None]]:
        return [
            *[self.rewrite] * 4,
            *[self.rewrite_in_place] * 3,
            self.replace_with_old_times,
            self.swap,
            self.remove,
            self.link,
            self.rename_directory,
            *[self.toggle_reference] * 3,
            self.toggle_shared,
            self.add_wrong_case,
            self.chmod,
        ]

    def file(self) -> Path:
        return self.root / self.dice.choice(NAMES) / "SKILL.md"

    def text(self, file: Path) -> str:
        return self.dice.choice(TEXTS).format(name=file.parent.name)

    def rewrite(self) -> None:
        file = self.file()
        file.unlink(missing_ok=True)
        write(file, self.text(file))

    def rewrite_in_place(self) -> None:
        file = self.file()
        before = file.stat()
        file.write_text(self.text(file))
        if self.dice.random() < 0.5:
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def replace_with_old_times(self) -> None:
        file = self.file()
        other = write(file.with_name("new"), self.text(file))
        before = file.stat()
        os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
        other.replace(file)

    def swap(self) -> None:
        one, two = self.file(), self.file()
        one.rename(self.root / "swap")
        two.rename(one)
        (self.root / "swap").rename(two)

    def remove(self) -> None:
        shutil.rmtree(self.file().parent)

    def link(self) -> None:
        file = self.file()
        target = write(self.root.parent / "target", self.text(file))
        file.unlink(missing_ok=True)
        file.symlink_to(target)

    def rename_directory(self) -> None:
        self.file().parent.rename(self.file().parent)

    def toggle_reference(self) -> None:
        self.toggle(self.file().parent / "references" / self.dice.choice(("a.md", "b.md")))

    def toggle_shared(self) -> None:
        self.toggle(self.root / "shared" / "x.md")

    def toggle(self, file: Path) -> None:
        if file.exists():
            file.unlink()
        else:
            write(file, "Text.\n")

    def add_wrong_case(self) -> None:
        self.toggle(self.file().with_name("skill.md"))

    def chmod(self) -> None:
        self.file().chmod(self.dice.choice((0o644, 0o600)))


@pytest.mark.parametrize("seed", range(12))
def test_a_changed_file_is_never_answered_from_the_cache(
    tmp_path: Path, cache: Path, quick: None, seed: int
) -> None:
    dice = random.Random(seed)
    root = tmp_path / "skills"
    for name in NAMES:
        skill(root, name)
    files = Files(root, dice)
    for _ in range(40):
        for _ in range(dice.randrange(3)):
            files.change()
        if dice.random() < 0.4:
            settle()
        assert with_cache(root, cache) == checked(root)
        if dice.random() < 0.3:  # changed right after it was read
            with suppress(OSError):
                files.rewrite_in_place()
            assert with_cache(root, cache) == checked(root)


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, cache: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = skill(tmp_path / "skills", "one")
    settle()

    def change_then_judge(*given: Any, **more: Any) -> Judged:
        file.write_text(TEXTS[1].format(name="one"))
        return judge_file(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr("insomnia_skills.skill.judge_file", change_then_judge)
        with_cache(tmp_path / "skills", cache)
    file.write_text(TEXTS[2].format(name="one"))
    settle()
    assert with_cache(tmp_path / "skills", cache) == checked(tmp_path / "skills")


def test_a_file_that_goes_away_before_it_is_read(tmp_path: Path, cache: Path, quick: None) -> None:
    file = skill(tmp_path / "skills", "one")
    settle()
    with_cache(tmp_path / "skills", cache)
    (found,) = found_in(tmp_path / "skills")
    file.unlink()
    with Reader(Cache(cache)) as reader:
        ((_, read),) = reader.read([found], Kind(True, False))
    assert [d.rule for d in read.diagnostics] == ["unreadable"]


@pytest.mark.parametrize("kind", [Kind(), Kind(thorough=True), Kind(True, False)])
def test_what_is_kept_is_what_was_made(tmp_path: Path, kind: Kind) -> None:
    texts = [
        *TEXTS,
        '---\nname: x\ndescription: Read.\nmetadata:\n  a: "1.10"\n  b: é\n---\nB.\n',
        "---\nname: x\ndescription: Read.\nlicense: MIT\nallowed-tools: Read\n---\nB.\n",
        "\ufeff---\nname: X\ndescription: a: b\ntags: [a, b]\n---  \n",
    ]
    for text in texts:
        file = skill(tmp_path, "x", text)
        judged = judge_file(str(file), "x", kind.thorough, kind.record)
        assert decode(encode(judged), str(file), "x") == judged


# Other processes


@pytest.fixture
def many(tmp_path: Path) -> Path:
    root = tmp_path / "skills"
    for number in range(150):
        skill(root, f"skill-{number:03}", TEXTS[number % len(TEXTS)])
    return root


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes pay off at once."""
    monkeypatch.setattr(reading, "PAYS_OFF", 10)
    monkeypatch.setattr(reading, "BATCH", 16)


def test_processes_change_nothing(
    many: Path, cache: Path, quick: None, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle()
    expected = checked(many)
    assert [file.slug for file in expected] == sorted(os.listdir(many))
    with Reader(jobs=2) as reader:
        assert checked(many, reader) == expected
        assert reader.done == 150
    assert with_cache(many, cache, jobs=3) == expected
    forbid(monkeypatch)
    assert with_cache(many, cache, jobs=3) == expected


def test_processes_that_are_started_anew(
    many: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "START_METHOD", "spawn")
    with Reader(jobs=2) as reader:
        assert checked(many, reader) == checked(many)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_can_not_be_read_keeps_its_place(many: Path, soon: None, jobs: int) -> None:
    for number in range(0, 150, 10):
        file = skill(many, f"skill-{number:03}")
        file.rename(file.with_name("skill.md"))
    noted: list[str] = []
    with Reader(jobs=jobs, note=lambda found, _: noted.append(found.name)) as reader:
        files = checked(many, reader)
    assert [file.slug for file in files] == sorted(os.listdir(many))
    wrong = [
        file.slug for file in files if [d.rule for d in file.diagnostics] == ["wrong-case-filename"]
    ]
    assert wrong == [f"skill-{number:03}" for number in range(0, 150, 10)]
    assert noted == [file.slug for file in files if file.slug not in wrong]


def test_few_skills_are_read_here(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_start", lambda *_: 1 / 0)
    with Reader(jobs=8) as reader:
        assert len(checked(many, reader)) == 150


def result(task: Task[T]) -> T:
    """What comes of it."""
    while not task.done(30):
        pass
    assert task.result is not None
    return task.result


def test_other_processes_leave_interrupts_to_this_one() -> None:
    pool = reading._start(1, None)
    assert result(pool.submit(signal.getsignal, signal.SIGINT)) is signal.SIG_IGN
    pool.close()


def test_other_processes_end_whatever_they_do() -> None:
    pool = reading._start(2, None)
    os.kill(result(pool.submit(os.getpid)), signal.SIGSTOP)
    for _ in range(4):
        pool.submit(time.sleep, 60)
    started = time.monotonic()
    pool.close()
    assert time.monotonic() - started < 5
    assert not multiprocessing.active_children()


def test_other_processes_end_with_this_one(tmp_path: Path) -> None:
    def begin_and_die() -> None:
        pool = reading._start(3, None)
        children = multiprocessing.active_children()
        write(tmp_path / "pids", " ".join(str(child.pid) for child in children))
        pool.submit(bytes, 10_000_000)  # more than a pipe holds
        os.kill(os.getpid(), signal.SIGKILL)

    parent = multiprocessing.get_context("fork").Process(target=begin_and_die)
    parent.start()
    parent.join()
    deadline = time.monotonic() + 10
    while any(map(is_running, map(int, (tmp_path / "pids").read_text().split()))):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with suppress(OSError):  # one that has ended may wait for somebody to take notice
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    return False


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_system_that_lets_no_more_processes_begin(
    many: Path, soon: None, monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    fork, left = os.fork, [None] * allowed

    def refuse() -> int:
        if not left:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        left.pop()
        return fork()

    monkeypatch.setattr(os, "fork", refuse)
    with Reader(jobs=3) as reader:
        assert checked(many, reader) == checked(many)
    assert not left
    assert not multiprocessing.active_children()


def test_no_more_processes_than_can_have_something_to_do(
    many: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    start = reading._start

    def note(jobs: int, cache: Path | None) -> Processes:
        asked.append(jobs)
        return start(1, cache)

    monkeypatch.setattr(reading, "_start", note)
    with Reader(jobs=1_000_000) as reader:
        assert len(checked(many, reader)) == 150
    assert asked == [32]


def test_a_process_that_is_killed_is_done_without(
    many: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, here = reading.judge, os.getpid()

    def die(place: str, name: str, kind: Kind) -> tuple[Judged, bytes]:
        if name == "skill-020" and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(place, name, kind)

    monkeypatch.setattr(reading, "judge", die)
    with Reader(jobs=2) as reader:
        assert checked(many, reader) == checked(many)


def test_a_process_that_was_killed_is_given_no_more(
    many: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, here = reading.judge, os.getpid()

    def die(place: str, name: str, kind: Kind) -> tuple[Judged, bytes]:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(place, name, kind)

    def slowly() -> Iterator[Found]:
        for number, found in enumerate(found_in(many)):
            if number == 100:
                assert reader._pool is not None
                while reader._pool._busy:
                    reader._pool.advance(30)
            yield found

    monkeypatch.setattr(reading, "judge", die)
    with Reader(jobs=2) as reader:
        assert len(list(reader.read(slowly(), Kind()))) == 150


def test_what_the_tick_raises_ends_the_reading(many: Path, soon: None) -> None:
    calls = iter(range(1000))

    def tick() -> None:
        if next(calls) > 250:
            raise KeyboardInterrupt

    with Reader(jobs=2, tick=tick) as reader:
        seen: list[CheckedFile] = []
        with pytest.raises(KeyboardInterrupt):
            seen.extend(judge_paths(many, reader=reader))
    assert len(seen) == 0 or seen == checked(many)[: len(seen)]


def test_an_ingest_that_is_stopped_has_what_was_read(many: Path, tmp_path: Path) -> None:
    calls = iter(range(1000))

    def tick() -> None:
        if next(calls) > 250:
            raise KeyboardInterrupt

    result = ingest(tmp_path, user=False, directories=[many], reader=lambda: Reader(tick=tick))
    assert result.interrupted
    names = [candidate.slug for candidate in result.candidates]
    assert 0 < len(names) < 150
    assert names == sorted(os.listdir(many))[: len(names)]


def test_an_ingest_without_a_reader_is_stopped_as_anything_is(
    many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(reading, "judge", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ingest(tmp_path, user=False, directories=[many])


def found_in(root: Path) -> Iterator[Found]:
    yield from scan_root(root)[0]


def test_only_a_window_of_skills_is_begun(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BATCH", 4)
    monkeypatch.setattr(reading, "_BEGUN", 3)
    given = 0

    def counted() -> Iterator[Found]:
        nonlocal given
        for found in found_in(many):
            given += 1
            yield found

    done = 0
    with Reader() as reader:
        for _ in reader.read(counted(), Kind()):
            done += 1
            assert given - done <= 4 * 4
    assert done == 150
    assert check_paths(many).files[0].slug == "skill-000"
