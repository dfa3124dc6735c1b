"""Commands on many skills: other processes, progress, Ctrl-C, parts, and what is kept of it all."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from insomnia_skills import reading
from insomnia_skills.checking import check
from insomnia_skills.cli import app
from insomnia_skills.cli import reading as cli_reading
from insomnia_skills.edit import fixes
from insomnia_skills.judged import Judged
from insomnia_skills.processes import Processes, available_processors
from insomnia_skills.reading import MOST_JOBS, Kind
from tests import cli
from tests.trees import Tree, break_skill, write, write_skill

COUNT = 150


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace that names a root with many skills, every third of them broken."""
    tree = Tree(tmp_path)
    for number in range(COUNT):
        add = write_skill if number % 3 else break_skill
        add(tree.workspace / "skills", f"skill-{number:03}")
    tree.name_roots("skills")
    return tree


def at_judging(monkeypatch: pytest.MonkeyPatch, act: Callable[[str], None]) -> None:
    """Do something right before each skill is judged."""
    judge = reading.judge

    def act_and_judge(place: str, name: str, kind: Kind) -> tuple[Judged, bytes]:
        act(name)
        return judge(place, name, kind)

    monkeypatch.setattr(reading, "judge", act_and_judge)


# Other processes.


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Other processes pay off at once; how many were begun each time."""
    begun: list[int] = []
    start = reading._start

    def note(jobs: int, cache: Path | None) -> Processes:
        begun.append(jobs)
        return start(jobs, cache)

    monkeypatch.setattr(reading, "PAYS_OFF", 10)
    monkeypatch.setattr(reading, "BATCH", 16)
    monkeypatch.setattr(reading, "_start", note)
    return begun


COMMANDS = (
    ("validate", "skills", "--format", "concise"),
    ("validate", "skills", "--format", "jsonl"),
    ("validate", "--format", "json"),
    ("list", "--all"),
    ("resolve",),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_jobs_change_nothing(tree: Tree, pools: list[int], command: tuple[str, ...]) -> None:
    alone = cli.call_in(tree, *command, "--jobs", "1")
    assert pools == []
    together = cli.call_in(tree, *command, "-j", "3")
    assert pools == [3]
    assert (together.code, together.stdout) == (alone.code, alone.stdout)


def test_there_are_as_many_as_pay_off(tree: Tree, pools: list[int]) -> None:
    cli.call_in(tree, "validate", "skills")
    jobs = min(available_processors(), MOST_JOBS)
    assert pools == ([jobs] if jobs > 1 else [])


@pytest.mark.parametrize("jobs", ["0", "-1", "many", ""])
def test_what_is_no_number_of_processes(tree: Tree, jobs: str) -> None:
    done = cli.call_in(tree, "validate", "skills", "--jobs", jobs)
    assert (done.code, done.text) == (2, "")
    assert "--jobs" in done.stderr


# Progress.


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock by which every skill takes 10 ms."""
    now = 100.0

    def pass_by(_name: str) -> None:
        nonlocal now
        now += 0.01

    at_judging(monkeypatch, pass_by)
    monkeypatch.setattr(cli_reading, "time", SimpleNamespace(monotonic=lambda: now))


def validate(tree: Tree, *options: str, terminal: bool = True, **env: str) -> cli.Run:
    arguments = ("validate", "skills", "--format", "json", "--jobs", "1", *options)
    return cli.call_in(tree, *arguments, terminal=terminal, env=env)


def test_progress_is_shown_after_half_a_second(tree: Tree, clock: None) -> None:
    done = validate(tree)
    shown = re.findall(r"\r(\d+) skills, (\d+) a second", done.stderr)
    assert shown[0] == ("49", "98")
    assert [int(count) for count, _ in shown] == list(range(49, COUNT, 10))
    assert len(done.document["files"]) == COUNT


def test_progress_stays_on_one_line(
    tree: Tree, clock: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli.Stream, "fileno", lambda _: 2)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((20, 24)))
    done = validate(tree)
    assert "\r49 skills, 98 a sec\r" in done.stderr
    assert {len(shown) for shown in done.stderr.split("\r")} == {0, 19}


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("options", "terminal", "env"),
    [
        pytest.param((), False, {}, id="piped"),
        pytest.param((), True, {"TERM": "dumb"}, id="dumb-terminal"),
        pytest.param(("--quiet",), True, {}, id="quiet"),
    ],
)
def test_progress_is_for_people(
    tree: Tree, options: tuple[str, ...], terminal: bool, env: dict[str, str]
) -> None:
    done = validate(tree, *options, terminal=terminal, **env)
    assert done.code == 1
    assert "\r" not in done.both


def test_a_short_run_shows_no_progress(tree: Tree, clock: None) -> None:
    for number in range(40, COUNT):
        (tree.workspace / "skills" / f"skill-{number:03}" / "SKILL.md").unlink()
    assert "\r" not in validate(tree).both


def screen(text: str) -> str:
    """What is to be seen in the end where a line begins anew with each carriage return."""
    lines = []
    for line in text.split("\n"):
        cells: list[str] = []
        for written in line.split("\r"):
            cells[: len(written)] = written
        lines.append("".join(cells).rstrip())
    return re.sub(r"in \d+\.\d\d s", "in 0.02 s", "\n".join(lines))


@pytest.mark.parametrize("format", ["text", "concise", "json", "jsonl", "github"])
def test_nothing_is_left_of_progress(
    tree: Tree, request: pytest.FixtureRequest, format: str
) -> None:
    def written() -> str:
        both = cli.Stream(terminal=True)
        env = cli.environment(tree.top, tree.config, more=cli.NO_COLOR)
        arguments = ("validate", "skills", "--format", format, "--jobs", "1")
        cli.call_on(both, both, *arguments, cwd=tree.workspace, env=env)
        return both.value().decode()

    expected = screen(written())
    request.getfixturevalue("clock")
    with_progress = written()
    assert " a second" in with_progress
    assert screen(with_progress) == expected


def test_a_terminal_that_is_gone_stops_nothing(
    tree: Tree, clock: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(cli.Stream):
        def write(self, text: str) -> int:
            if "\r" in text:
                raise OSError(5, "Input/output error")
            return super().write(text)

    out, err = cli.Stream(), Gone(terminal=True)
    env = cli.environment(tree.top, tree.config)
    arguments = ("validate", "skills", "--format", "json", "--jobs", "1")
    assert cli.call_on(out, err, *arguments, cwd=tree.workspace, env=env) == 1
    assert len(json.loads(out.value())["files"]) == COUNT


# Ctrl-C.


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C while the skill in the middle is judged."""

    def interrupt(name: str) -> None:
        if name == "skill-100":
            signal.raise_signal(signal.SIGINT)

    at_judging(monkeypatch, interrupt)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("command", ["validate", "list", "resolve", "catalog"])
def test_ctrl_c_is_what_it_was_after_a_command(tree: Tree, command: str) -> None:
    cli.call_in(tree, command)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("command", [("list", "--all"), ("resolve",)], ids=" ".join)
def test_interrupted_command_shows_what_was_read(tree: Tree, command: tuple[str, ...]) -> None:
    done = cli.call_in(tree, *command, "--format", "json")
    assert done.code == 130
    assert done.stderr == "interrupted: this is what was read until then\n"
    document = done.document
    slugs = [one["slug"] for one in (*document["workflows"], *document["skipped"])]
    assert sorted(slugs) == [f"skill-{number:03}" for number in range(100)]


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize(
    "format", ["text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"]
)
@pytest.mark.parametrize(
    "paths", [["skills"], [], ["skills", "-q"]], ids=["path", "workspace", "quiet"]
)
def test_interrupted_validate_reports_what_was_checked(
    tree: Tree, format: str, paths: list[str]
) -> None:
    done = cli.call_in(tree, "validate", *paths, "--format", format)
    assert done.code == 130
    assert done.stderr.endswith("interrupted: there may be more\n")
    assert "skill-099" in done.text
    assert "skill-102" not in done.text
    if format == "json":
        assert done.document["interrupted"] is True
    elif format == "jsonl":
        assert json.loads(done.lines[-1])["interrupted"] is True
    elif format == "markdown":
        assert done.lines[0].startswith("## insomnia-skills: interrupted")
    elif format == "sarif":
        (invocation,) = done.document["runs"][0]["invocations"]
        assert not invocation["executionSuccessful"]
        assert invocation["toolExecutionNotifications"]


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize(
    "options",
    [
        ("--output", "report.json"),
        ("--fix",),
        ("--diff",),
        ("--baseline", "known.json", "--write-baseline"),
    ],
    ids=" ".join,
)
def test_interrupted_validate_writes_nothing(tree: Tree, options: tuple[str, ...]) -> None:
    fixable = tree.workspace / "skills" / "skill-001" / "SKILL.md"
    before = write(fixable, "---\nname: skill-001\ndescription: Use when: a\n---\nDo it.\n")
    text = before.read_bytes()
    files = sorted(os.listdir(tree.workspace))
    done = cli.call_in(tree, "validate", "skills", *options)
    assert done.code == 130
    assert fixable.read_bytes() == text
    assert sorted(os.listdir(tree.workspace)) == files


@pytest.mark.parametrize("where", ["plan_fixes", "apply_change"])
def test_ctrl_c_ends_fixing_between_two_files(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    text = "---\nname: {}\ndescription: Use when: a\n---\nDo it.\n"
    skills = [tree.workspace / "skills" / f"skill-{number:03}" for number in range(3)]
    files = [write(skill / "SKILL.md", text.format(skill.name)) for skill in skills]
    before = [file.read_text() for file in files]
    act = getattr(fixes, where)

    def interrupt(*arguments: object) -> object:
        signal.raise_signal(signal.SIGINT)
        return act(*arguments)

    monkeypatch.setattr(fixes, where, interrupt)
    done = cli.call_in(tree, "validate", *skills, "--fix")
    assert (done.code, done.text, done.stderr) == (130, "", "interrupted\n")
    changed = [file.read_text() != text for file, text in zip(files, before, strict=True)]
    assert changed == [where == "apply_change", False, False]


def test_ctrl_c_while_it_starts(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "read_line", lambda _: signal.raise_signal(signal.SIGINT))
    done = cli.call_in(tree, "list")
    assert (done.code, done.both) == (130, "")


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize(
    "command",
    ["catalog", "scope", "show /skill-001", "eject /skill-001", "sources add more --yes"],
)
def test_interrupted_command_that_needs_all_of_it_does_nothing(tree: Tree, command: str) -> None:
    write_skill(tree.workspace / "more", "another")
    manifest = tree.manifest.read_bytes()
    done = cli.call_in(tree, *command.split())
    assert (done.code, done.text, done.stderr) == (130, "", "interrupted\n")
    assert tree.manifest.read_bytes() == manifest
    assert os.listdir(tree.manifest.parent) == ["manifest.toml"]


def test_a_second_interrupt_ends_the_command(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, interrupted: None
) -> None:
    """What it waits for may take long."""

    def wait(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("insomnia_skills.cli.validate._Run.choose", wait)
    done = cli.call_in(tree, "validate", "skills", "--format", "json")
    assert (done.code, done.text, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups of this kind")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_at_a_terminal_ends_every_process(tmp_path: Path, jobs: str) -> None:
    tree = Tree(tmp_path)
    for number in range(1000):
        break_skill(tree.workspace / "skills", f"skill-{number:03}")
    with subprocess.Popen(
        (sys.executable, "-m", "insomnia_skills", "validate", "skills", "-j", jobs),
        cwd=tree.workspace,
        env={
            **cli.environment(tree.top, tree.config),
            "PYTHONPATH": str(Path(__file__).parents[1]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        rest, said = process.communicate(timeout=30)
    lines = (first + rest).decode().splitlines()
    assert process.returncode == 130, said
    assert 0 < len(lines) < 1000
    assert all(f"skill-{number:03}/" in line for number, line in enumerate(lines))
    assert b"nterrupted" in said
    assert b"Traceback" not in said
    deadline = time.monotonic() + 10
    while group_exists(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


# Parts.


def test_every_file_is_in_one_shard(tree: Tree) -> None:
    parts = []
    for index in (1, 2, 3):
        done = cli.call_in(
            tree, "validate", "skills", "--shard", f"{index}/3", "--format", "json"
        ).document
        shard = done["shard"]
        assert (shard["index"], shard["count"], shard["of"]) == (index, 3, ["skills"])
        parts += [file["file"] if "file" in file else file["path"] for file in done["files"]]
    whole = cli.call_in(tree, "validate", "skills", "--format", "json").document
    assert sorted(parts) == sorted(file["path"] for file in whole["files"])


def test_an_empty_shard_is_an_answer(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.workspace / "skills", "one")
    codes = {
        cli.call_in(tree, "validate", "skills", "--shard", f"{index}/9").code
        for index in range(1, 10)
    }
    assert codes == {0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("skills", "--shard", "4/3"), '--shard: "4/3" is no shard'),
        (("skills", "--shard", ""), '--shard: "" is no shard'),
        (("--shard", "1/3"), "--shard is about directories"),
        (("skills/skill-000/SKILL.md", "--shard", "1/3"), "--shard is about directories"),
        (("-", "--stdin-filename", "a/SKILL.md", "--shard", "1/3"), "--shard is about directories"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_shard_that_makes_no_sense(tree: Tree, arguments: tuple[str, ...], said: str) -> None:
    done = cli.call_in(tree, "validate", *arguments)
    assert (done.code, done.text) == (2, "")
    assert said in done.stderr


# What is kept.


@pytest.fixture
def most_kept(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many checked files there were at once, at most."""
    most, now = [0], 0

    class Counted(check.CheckedFile):
        def __new__(cls, *values: Any) -> Self:
            nonlocal now
            now += 1
            most[0] = max(most[0], now)
            return super().__new__(cls, *values)

        def __del__(self) -> None:
            nonlocal now
            now -= 1

    monkeypatch.setattr(check, "CheckedFile", Counted)
    return most


@pytest.mark.parametrize("format", ["text", "concise", "jsonl"])
@pytest.mark.parametrize("options", [(), ("--ignore", "name-*", "-v")], ids=["all", "chosen"])
def test_what_was_written_is_not_kept(
    tree: Tree, most_kept: list[int], format: str, options: tuple[str, ...]
) -> None:
    done = cli.call_in(tree, "validate", "skills", "--format", format, *options)
    assert done.text.count("description-missing") >= COUNT // 3
    assert 0 < most_kept[0] < 5


def test_a_document_is_made_of_all_files(tree: Tree, most_kept: list[int]) -> None:
    cli.call_in(tree, "validate", "skills", "--format", "json")
    assert most_kept[0] >= COUNT
