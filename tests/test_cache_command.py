"""`cache info` and `cache clean`, and which commands use the cache at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from insomnia_skills import cache as caches
from insomnia_skills import reading
from tests import cli
from tests.trees import Tree, break_skill, write, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Three skills in a workspace that names them; one is broken."""
    tree = Tree(tmp_path)
    write_skill(tree.workspace / "skills", "one")
    write_skill(tree.workspace / "skills", "two")
    break_skill(tree.workspace / "skills", "three")
    tree.name_roots("skills")
    return tree


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written just now are kept as well."""
    monkeypatch.setattr(caches, "SETTLED_NS", -1_000_000_000)


def place(tree: Tree) -> Path:
    return tree.top / ".cache" / "insomnia-skills" / "results.sqlite"


def run(tree: Tree, *arguments: str) -> cli.Run:
    return cli.call_in(tree, *arguments, env={"XDG_CACHE_HOME": str(tree.top / ".cache")})


def values(done: cli.Run) -> dict[str, str]:
    """What `cache info` says."""
    assert (done.code, done.stderr) == (0, "")
    return dict(line.split("\t") for line in done.lines)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the skills that are judged, as they are."""
    names: list[str] = []
    judge = reading.judge

    def note(file: str, name: str, kind: reading.Kind) -> object:
        names.append(name)
        return judge(file, name, kind)

    monkeypatch.setattr(reading, "judge", note)
    return names


def test_info_and_clean(tree: Tree) -> None:
    shown = "~/.cache/insomnia-skills/results.sqlite"
    none = {"path": shown, "size": "0 B", "entries": "none yet"}
    assert values(run(tree, "cache", "info")) == none
    run(tree, "validate", "skills")
    info = values(run(tree, "cache", "info"))
    assert (info["path"], info["entries"]) == (shown, "3")
    assert info["size"].endswith(" kB")
    done = run(tree, "cache", "clean")
    assert (done.code, done.text, done.stderr) == (0, f"Removed {shown}, {info['size']}\n", "")
    assert os.listdir(place(tree).parent) == []
    assert values(run(tree, "cache", "info")) == none
    done = run(tree, "cache", "clean")
    assert (done.code, done.text, done.stderr) == (0, f"There is no cache at {shown}\n", "")


def test_without_a_command_the_help_is_shown(tree: Tree) -> None:
    done = run(tree, "cache")
    assert done.code == 2
    assert "clean" in done.both
    assert "info" in done.both


def test_a_cache_of_another_version(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tree, "validate", "skills")
    monkeypatch.setattr(caches, "_version", lambda: 1)
    entries = values(run(tree, "cache", "info"))["entries"]
    assert entries == "of another version, made anew by the next run"
    run(tree, "validate", "skills")
    assert values(run(tree, "cache", "info"))["entries"] == "3"


def test_where_there_can_be_no_cache_there_is_none(tree: Tree) -> None:
    write(tree.top / ".cache", "a file\n")
    assert values(run(tree, "cache", "info"))["entries"] == "none yet"
    done = run(tree, "cache", "clean")
    assert done.code == 0
    assert done.text.startswith("There is no cache at ")


def test_what_is_in_its_place_and_no_file_stays(tree: Tree) -> None:
    place(tree).mkdir(parents=True)
    done = run(tree, "cache", "clean")
    assert (done.code, done.text) == (74, "")
    assert done.stderr.startswith(
        "error: ~/.cache/insomnia-skills/results.sqlite can't be removed: "
    )
    assert place(tree).is_dir()


COMMANDS = (
    ("validate",),
    ("validate", "skills"),
    ("validate", "skills", "--format", "json"),
    ("list",),
    ("resolve",),
    ("show", "/one"),
    ("catalog",),
    ("scope",),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_skill_that_is_the_same_is_judged_again(
    tree: Tree, judged: list[str], command: tuple[str, ...]
) -> None:
    first = run(tree, *command)
    assert judged == ["one", "three", "two"]
    again = run(tree, *command)
    assert judged == ["one", "three", "two"]
    assert (again.code, again.stdout) == (first.code, first.stdout)
    write_skill(tree.workspace / "skills", "two", "license: MIT")
    run(tree, *command)
    assert judged == ["one", "three", "two", "two"]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_the_cache_it_is_neither_used_nor_written(
    tree: Tree, judged: list[str], command: tuple[str, ...]
) -> None:
    run(tree, *command, "--no-cache")
    assert not place(tree).exists()
    run(tree, *command)
    before = place(tree).read_bytes()
    del judged[:]
    write_skill(tree.workspace / "skills", "four")
    run(tree, *command, "--no-cache")
    assert judged == ["four", "one", "three", "two"]
    assert place(tree).read_bytes() == before


def test_what_is_chosen_is_chosen_after_the_cache(tree: Tree, judged: list[str]) -> None:
    assert run(tree, "validate", "skills").code == 1
    assert run(tree, "validate", "skills", "--ignore", "description-missing").code == 0
    assert len(judged) == 3
