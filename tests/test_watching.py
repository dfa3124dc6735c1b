"""A live answer is what a new run would say, whatever has happened to the files meanwhile."""

from __future__ import annotations

import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from insomnia_skills import Ingest, ingest
from insomnia_skills.checking.check import CheckedFile, check_paths, check_workspace, judge_paths
from insomnia_skills.checking.choice import Choice
from insomnia_skills.reading import Note, Reader
from insomnia_skills.resources import ships_files
from insomnia_skills.watching import live as live_module
from insomnia_skills.watching.events import CannotWatchError, Directories, Events
from insomnia_skills.watching.findings import Findings
from insomnia_skills.watching.live import Live, LivePaths, LiveWorkspace
from insomnia_skills.watching.places import real_places
from insomnia_skills.watching.watch import Watched, watch
from tests.trees import Tree, break_skill, link, write, write_manifest, write_skill

pytestmark = pytest.mark.slow

BODIES = (
    "Do it.\n",
    "See [the page](../shared/x.md) and [another](refs/a.md).\n",
    "Read `references/guide.md`, then run `scripts/go.py`.\n",
    "See [the other](../../other/SKILL.md).\n",
)


def judge(paths: Sequence[Path], note: Note) -> Iterable[CheckedFile]:
    return judge_paths(paths, reader=Reader(note=note))


def live_workspace(tree: Tree, thorough: bool = True) -> LiveWorkspace:
    def read(note: Note) -> Ingest:
        return ingest(
            tree.workspace,
            config_dir=tree.config,
            thorough=thorough,
            reader=lambda: Reader(note=note),
        )

    return LiveWorkspace(read)


class Disk:
    """Does something at random to a directory, and tells where, as the system would."""

    def __init__(self, top: Path, seed: int) -> None:
        self.top = top
        self._random = random.Random(seed)
        self._changed: dict[str, bool] = {}

    def change(self, times: int) -> dict[str, bool]:
        self._changed = {}
        for _ in range(times):
            before = self._look()
            self._random.choice(self._operations())()
            after = self._look()
            for path in before.keys() ^ after.keys():
                self._changed[path] = True
            for path in before.keys() & after.keys():
                if before[path] != after[path]:
                    replaced = before[path][0] != after[path][0]
                    self._changed[path] = self._changed.get(path, False) or replaced
        return self._changed

    def _look(self) -> dict[str, tuple[object, ...]]:
        seen: dict[str, tuple[object, ...]] = {}
        for directory, directories, files in os.walk(self.top):
            for name in (*directories, *files):
                path = os.path.join(directory, name)
                status = os.lstat(path)
                what = os.readlink(path) if os.path.islink(path) else ""
                is_directory = os.path.isdir(path) and not what
                text = Path(path).read_bytes() if os.path.isfile(path) and not what else b""
                seen[path] = ((what, is_directory, status.st_ino), text)
        return seen

    def _operations(self) -> list[Callable[[], object]]:
        skill, file = self._skill(), self._pick(self._files())
        return [
            lambda: write_skill(skill.parent, skill.name, body=self._random.choice(BODIES)),
            lambda: write_skill(skill.parent, skill.name, body=self._random.choice(BODIES)),
            lambda: break_skill(skill.parent, skill.name),
            lambda: self._write(skill / "refs" / "a.md"),
            lambda: self._write(skill.parent / "shared" / "x.md"),
            lambda: self._write(skill.parent / "note.md"),
            lambda: self._rename(skill, self._skill()),
            lambda: self._rename(skill / "SKILL.md", skill / "skill.md"),
            lambda: self._rename(skill / "skill.md", skill / "SKILL.md"),
            lambda: self._remove(skill),
            lambda: self._remove(skill / "SKILL.md"),
            lambda: self._remove(file),
            lambda: self._link(skill, self._skill()),
            lambda: self._link(skill / "refs" / "b.md", self._pick(self._files())),
            lambda: self._link(skill / "SKILL.md", self._skill() / "SKILL.md"),
            lambda: self._replace(file),
            lambda: write_skill(skill.parent / "deep", "inner"),
            lambda: self._dir(skill.parent / "empty"),
            lambda: self._write(skill.parent / "pyvenv.cfg"),
            lambda: self._remove(skill.parent / "pyvenv.cfg"),
        ]

    def _skill(self) -> Path:
        return self._random.choice(self._roots()) / self._random.choice("abcde")

    def _roots(self) -> list[Path]:
        return [self.top / name for name in ("one", "two", "one/more")]

    def _files(self) -> list[Path]:
        return [Path(d, name) for d, _, names in os.walk(self.top) for name in sorted(names)]

    def _pick(self, paths: list[Path]) -> Path:
        return self._random.choice(paths) if paths else self.top / "nothing"

    def _write(self, path: Path) -> None:
        if not path.is_dir():
            self._dir(path.parent)
            if path.parent.is_dir():
                write(path, self._random.choice(("text", "other")))

    def _dir(self, path: Path) -> None:
        if not os.path.lexists(path):
            path.mkdir(parents=True)

    def _rename(self, old: Path, new: Path) -> None:
        if new.is_relative_to(old) or os.path.lexists(new) or not new.parent.is_dir():
            return
        if os.path.lexists(old):
            old.rename(new)

    def _replace(self, path: Path) -> None:
        if path.is_file() and not path.is_symlink():
            write(path.with_name(".tmp"), path.read_bytes() + b"More.\n").replace(path)

    def _link(self, path: Path, target: Path) -> None:
        if not os.path.lexists(path) and path.parent.is_dir() and path != target:
            link(path, os.path.relpath(target, os.path.realpath(path.parent)))

    def _remove(self, path: Path) -> None:
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)


def guarded(disk: Disk, times: int) -> dict[str, bool]:
    """A few changes; one that is not possible is none."""
    try:
        return disk.change(times)
    except OSError:
        return disk._changed


SEEDS = range(int(os.environ.get("WATCH_SEEDS", "4")))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_workspace_stays_what_a_new_run_says(tmp_path: Path, seed: int) -> None:
    tree = Tree(tmp_path)
    top = tree.workspace / "skills"
    write_manifest(tree.workspace / ".insomnia/manifest.toml", "skills/one", "skills/two")
    for root in ("one", "two"):
        write_skill(top / root, "a")
    live, plain = live_workspace(tree), live_workspace(tree, thorough=False)
    live.read_all()
    plain.read_all()
    disk = Disk(top, seed)
    for step in range(40):
        places = real_places(guarded(disk, disk._random.randint(1, 3)))
        for one, thorough in ((live, True), (plain, False)):
            if places:
                one.update(places)
            ships_files.cache_clear()
            fresh = ingest(tree.workspace, config_dir=tree.config, thorough=thorough)
            assert one.ingest == fresh, f"step {step}: {places}"
        fresh_check = check_workspace(ingest(tree.workspace, config_dir=tree.config, thorough=True))
        by_file = {file.file: file for file in live.files}
        assert by_file == {file.file: file for file in fresh_check.files}
        assert live.others == fresh_check.others


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("parts", [(".",), ("one", "two"), (".", "one")], ids=" ".join)
def test_paths_stay_what_a_new_run_says(tmp_path: Path, seed: int, parts: tuple[str, ...]) -> None:
    top = tmp_path / "top"
    for root in ("one", "two", "one/more"):
        write_skill(top / root, "a")
    paths = [top / part for part in parts]
    live = LivePaths(paths, judge)
    live.read_all()
    disk = Disk(top, seed)
    for step in range(40):
        places = real_places(guarded(disk, disk._random.randint(1, 3)))
        if places:
            live.update(places)
        ships_files.cache_clear()
        there = [path for path in paths if path.exists()]
        fresh = check_paths(there).files if there else ()
        by_file = {file.file: file for file in live.files}
        assert by_file == {file.file: file for file in fresh}, f"step {step}: {places}"


# Real changes: what the system tells is enough.


class Watching:
    """Watches in a thread of its own."""

    def __init__(self, live: Live) -> None:
        self.told: list[Watched] = []
        self._lock = threading.Lock()
        thread = threading.Thread(target=self._run, args=(live,), daemon=True)
        thread.start()
        self.wait_for(lambda: bool(self.told))

    def _run(self, live: Live) -> None:
        for watched in watch(live):
            self.told.append(watched)

    def wait_for(self, reached: Callable[[], bool], seconds: float = 20) -> bool:
        """Whether something became so within a time that is ample."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if reached():
                    return True
            except RuntimeError:  # it is just being changed
                pass
            time.sleep(0.02)
        return False


@pytest.mark.parametrize("seed", range(2))
def test_what_the_system_tells_is_enough(tmp_path: Path, seed: int) -> None:
    tree = Tree(tmp_path)
    top = tree.workspace / "skills"
    write_manifest(tree.workspace / ".insomnia/manifest.toml", "skills/one", "skills/two")
    for root in ("one", "two"):
        write_skill(top / root, "a")
    live = live_workspace(tree)
    live.read_all()
    watching = Watching(live)
    disk = Disk(top, seed)
    for _ in range(6):
        guarded(disk, 5)
        fresh = ingest(tree.workspace, config_dir=tree.config, thorough=True)
        assert watching.wait_for(lambda fresh=fresh: live.ingest == fresh)  # type: ignore[misc]


def no_change(top: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("prepare", "change"),
    [
        (no_change, lambda top: write_skill(top / "more", "b")),
        (no_change, lambda top: shutil.rmtree(top / "skills")),
        (no_change, lambda top: (top / "skills").rename(top / "away")),
        (no_change, lambda top: write_manifest(top / ".insomnia/manifest.toml", "skills")),
        (no_change, lambda top: (top / ".insomnia/manifest.toml").unlink()),
        (no_change, lambda top: write(top / ".insomnia/memory/workflow/x.md", "---\n---\n")),
        (no_change, shutil.rmtree),
        (
            lambda top: write(top / ".insomnia/memory/workflow/x.md", REQUIRING),
            lambda top: write(top / ".insomnia/knowledge/page.md", "Knowledge.\n"),
        ),
        (
            lambda top: link(write_skill(top / "other", "a").parent / "c.md", "../../here/c.md"),
            lambda top: write(top / "here/c.md", "text"),
        ),
        (
            lambda top: write_skill(top / "skills", "a", body="See [it](../../shared/x.md).\n"),
            lambda top: write(top / "shared/x.md", "text"),
        ),
        (
            lambda top: link(top / "skills/b", write_skill(top / "elsewhere", "b").parent),
            lambda top: break_skill(top / "elsewhere", "b"),
        ),
        (
            lambda top: link(top / "skills/b/SKILL.md", write_skill(top / "elsewhere", "b")),
            lambda top: break_skill(top / "elsewhere", "b"),
        ),
    ],
    ids=[
        *("missing root comes", "root goes", "root is moved", "manifest changes", "manifest goes"),
        *("workflow comes", "workspace goes", "knowledge comes", "link is mended"),
        *("link of the body is mended", "linked skill breaks", "linked file breaks"),
    ],
)
def test_what_happens_around_skills_is_seen(
    tmp_path: Path, prepare: Callable[[Path], object], change: Callable[[Path], object]
) -> None:
    tree = Tree(tmp_path)
    write_manifest(tree.workspace / ".insomnia/manifest.toml", "skills", "more", "other")
    write_skill(tree.workspace / "skills", "a")
    prepare(tree.workspace)
    live = live_workspace(tree)
    live.read_all()
    before = live.ingest
    watching = Watching(live)
    change(tree.workspace)
    fresh = ingest(tree.workspace, config_dir=tree.config, thorough=True)
    assert before != fresh
    assert watching.wait_for(lambda: live.ingest == fresh)


REQUIRING = "---\ndescription: Ship it.\nrequires: [page]\n---\nDo it.\n"


def test_a_root_that_came_back_is_watched(tmp_path: Path) -> None:
    write_skill(tmp_path / "top", "a")
    live = LivePaths([tmp_path / "top"], judge)
    live.read_all()
    watching = Watching(live)
    shutil.rmtree(tmp_path / "top")
    assert watching.wait_for(lambda: not live.files)
    write_skill(tmp_path / "top", "a")
    assert watching.wait_for(lambda: len(live.files) == 1)
    break_skill(tmp_path / "top", "a")
    assert watching.wait_for(lambda: [file.valid for file in live.files] == [False])


def test_a_root_below_a_link_is_watched(tmp_path: Path) -> None:
    write_skill(tmp_path / "real/top", "a")
    link(tmp_path / "linked", "real")
    live = LivePaths([tmp_path / "linked/top"], judge)
    live.read_all()
    watching = Watching(live)
    path = break_skill(tmp_path / "linked/top", "a")
    assert watching.wait_for(lambda: [file.valid for file in live.files] == [False])
    assert live.files[0].path == path


# What is read again, and what is not.


def opened(run: Callable[[], object], top: Path) -> set[str]:
    """What below a directory was listed or opened, as paths from it."""
    seen: set[str] = set()
    on = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if on and event in ("open", "os.scandir", "os.listdir") and arguments:
            path = str(arguments[0])
            if path.startswith(str(top)):
                seen.add(os.path.relpath(path, top))

    sys.addaudithook(hook)
    run()
    on = False
    return seen


def test_of_many_skills_only_the_changed_one_is_looked_at(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_manifest(tree.workspace / ".insomnia/manifest.toml", "skills")
    root = tree.workspace / "skills"
    for number in range(50):
        write_skill(root, f"skill-{number}", files={"refs/a.md": "text"})
    path = root / "skill-7" / "SKILL.md"
    for live in (live_workspace(tree), LivePaths([root], judge)):
        live.read_all()
        seen = opened(lambda live=live: live.update({str(path): False}), root)  # type: ignore[misc]
        assert seen == {"skill-7", "skill-7/SKILL.md", "skill-7/refs"}


def test_what_concerns_nothing_is_no_update(tmp_path: Path) -> None:
    write_skill(tmp_path / "top", "a")
    live = LivePaths([tmp_path / "top"], judge)
    live.read_all()
    assert live.update({str(tmp_path / "other"): True}) is None
    assert live.update({str(tmp_path / "top/page.md"): True}) is None


def test_many_changes_at_once_read_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_module, "MOST_KEYS", 3)
    for number in range(4):
        write_skill(tmp_path, f"skill-{number}")
    live = LivePaths([tmp_path], judge)
    live.read_all()
    update = live.update({file.file: False for file in live.files})
    assert update is not None
    assert update.whole


# Findings that are new or gone.


def test_a_finding_that_only_moved_is_neither_new_nor_gone(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "a", "license: [1]")
    live = LivePaths([tmp_path], judge)
    findings = Findings(live, Choice().check)
    (found,) = findings.apply(live.read_all()).new
    write_skill(tmp_path, "a", "compatibility: none", "license: [1]")
    update = live.update({str(path): False})
    assert update is not None
    assert findings.apply(update) == ((), ())
    write_skill(tmp_path, "a")
    update = live.update({str(path): False})
    assert update is not None
    (gone,) = findings.apply(update).gone
    assert (gone.rule, gone.line) == (found.rule, found.line + 1)
    assert not +findings.found


# What can't be watched.


@pytest.mark.parametrize(
    ("error", "message", "help"),
    [
        (OSError("OS file watch limit reached. about [...]"), "no more", "max_user_watches"),
        (OSError(28, "No space left on device"), "no more", "max_user_watches"),
        (RuntimeError("Too many open files (os error 24)"), "no more", "max_user_instances"),
        (OSError("something else"), "something else", ""),
    ],
    ids=["watches", "space", "instances", "other"],
)
def test_a_limit_of_the_system_is_explained(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    message: str,
    help: str,
) -> None:
    def fail(*given: object) -> None:
        raise error

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", fail)
    with pytest.raises(CannotWatchError, match=message) as caught:
        Events(Directories(frozenset([str(tmp_path)])))
    assert help in (caught.value.help or "")


def test_changes_in_skipped_directories_are_not_told(tmp_path: Path) -> None:
    top = tmp_path / "node_modules" / "top"
    for name in ("a", ".git", "node_modules"):
        (top / name).mkdir(parents=True)
    with Events(Directories(frozenset([str(top)]))) as events:
        write(top / ".git/index", "x")
        write(top / "node_modules/x", "x")
        write(top / "a/x", "x")
        assert events.wait(10) == {str(top / "a/x"): True}
        assert events.wait(0.2) is None
