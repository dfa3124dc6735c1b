"""`validate --watch` and `resolve --watch` as a user has them."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from jsonschema import Draft202012Validator

from insomnia_skills.cli.common import Settings
from insomnia_skills.pipeline import Ingest
from tests.cli import call_in, environment
from tests.trees import Tree, break_skill, write, write_manifest, write_skill

pytestmark = pytest.mark.slow

SCHEMA = json.loads(
    (Path(__file__).parent.parent / "schemas/validate-line.schema.json").read_text(encoding="utf-8")
)


class Command:
    """A command that goes on; its lines come as they are written."""

    def __init__(self, tree: Tree, *arguments: str) -> None:
        # Where the tests run in the background, Ctrl-C may be ignored, and that is inherited.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "insomnia_skills", *arguments],
            cwd=tree.workspace,
            env={**environment(tree.top, tree.config), "XDG_CACHE_HOME": str(tree.top / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        signal.signal(signal.SIGINT, before)
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        for stream in (self._process.stdout, self._process.stderr):
            threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: Iterator[bytes]) -> None:
        for line in stream:
            self._lines.put(line.decode().rstrip("\n"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def until(self, *wanted: str) -> list[str]:
        """The lines until all these texts have come, in any order."""
        lines: list[str] = []
        while any(all(text not in line for line in lines) for text in wanted):
            lines.append(self._lines.get(timeout=30))
        return lines

    def interrupt(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(30)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    write_manifest(tree.workspace / ".insomnia/manifest.toml", "skills")
    write_skill(tree.workspace / "skills", "a")
    write_skill(tree.workspace / "skills", "b")
    return tree


@pytest.mark.parametrize("path", [[], ["skills"]], ids=["workspace", "path"])
def test_validate_reports_what_is_new_and_what_is_gone(tree: Tree, path: list[str]) -> None:
    with Command(tree, "validate", *path, "--watch") as command:
        first = command.until("Watching for changes")
        assert any("all good" in line for line in first)
        break_skill(tree.workspace / "skills", "a")
        lines = command.until("error[description-missing]", "1 error in 2 skills")
        assert any("1 file checked: 1 new error; 1 error in 2 skills" in line for line in lines)
        write_skill(tree.workspace / "skills", "a")
        command.until("gone skills/a/SKILL.md:1:1 description-missing", "1 error gone; all good")
        assert command.interrupt() == 0


def test_ending_says_what_the_last_answer_was(tree: Tree) -> None:
    break_skill(tree.workspace / "skills", "a")
    with Command(tree, "validate", "--watch", "-q") as command:
        command.until("description-missing")
        break_skill(tree.workspace / "skills", "b")
        command.until("skills/b/SKILL.md")
        assert command.interrupt() == 1


def test_a_configuration_is_read_again_and_may_be_broken_for_a_while(tree: Tree) -> None:
    break_skill(tree.workspace / "skills", "a")
    with Command(tree, "validate", "--watch") as command:
        command.until("Watching for changes")
        write(tree.workspace / "insomnia-skills.toml", "ignore = 1\n")
        command.until("error: ", "nothing new; the configuration or the baseline can't be used")
        write(tree.workspace / "insomnia-skills.toml", 'ignore = ["description-missing"]\n')
        command.until("1 error gone")
        (tree.workspace / "insomnia-skills.toml").unlink()
        command.until("1 new error")
        write(tree.workspace / "insomnia-skills.toml", "ignore = 1\n")
        command.until("can't be used")
        write_skill(tree.workspace / "skills", "a")
        lines = command.until("gone skills/a/SKILL.md", "1 file checked: 1 error gone")
        (totals,) = [line for line in lines if "1 file checked" in line]
        assert "can't be used" in totals
        assert command.interrupt() == 2


def test_no_interrupt_is_lost(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one that comes when something was read and nobody looks any more."""
    ingest = Settings.ingest

    def ingest_and_stop(*arguments: Any, **named: Any) -> Ingest:
        result = ingest(*arguments, **named)
        if next(calls) == 1:  # watching has begun
            signal.raise_signal(signal.SIGINT)
        return result

    calls = count()
    monkeypatch.setattr(Settings, "ingest", ingest_and_stop)
    done = call_in(tree, "validate", "--watch")
    assert done.code == 0
    assert "all good" in done.stderr
    assert "Watching for changes" in done.stderr
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("left", ["", "[skills]\n"], ids=["no manifest", "no entry"])
def test_nothing_to_check_is_no_answer(tree: Tree, left: str) -> None:
    with Command(tree, "validate", "--watch") as command:
        command.until("Watching for changes")
        if left:
            write(tree.manifest, left)
        else:
            tree.manifest.unlink()
        command.until("all checked again: nothing new; nothing to check in ")
        assert command.interrupt() == 2
        command.until("error: nothing to check")


def test_a_manifest_that_cannot_be_read_is_no_answer(tree: Tree) -> None:
    with Command(tree, "validate", "--watch", "--ignore", "manifest-*") as command:
        command.until("Watching for changes")
        write(tree.manifest, "[skills\n")
        command.until("a manifest can't be read in ")
        assert command.interrupt() == 2
        command.until("manifest-syntax")


def test_a_path_that_went_away_is_no_answer(tree: Tree) -> None:
    with Command(tree, "validate", "skills/a", "skills/b", "--watch") as command:
        command.until("Watching for changes")
        shutil.rmtree(tree.workspace / "skills/b")
        command.until("skills/b does not exist in ")
        assert command.interrupt() == 2
        command.until(f"error: {tree.workspace}/skills/b does not exist")


def test_json_lines_say_what_is_new_and_what_is_gone(tree: Tree) -> None:
    with Command(tree, "validate", "--watch", "--format", "jsonl") as command:
        lines = command.until('"type": "summary"', "Watching for changes")
        path = break_skill(tree.workspace / "skills", "a")
        lines += command.until('"type": "summary"')
        write_skill(tree.workspace / "skills", "a")
        lines += command.until('"type": "gone"', '"type": "summary"')
    records = [json.loads(line) for line in lines if line.startswith("{")]
    for record in records:
        Draft202012Validator(SCHEMA).validate(record)
    new, summary, gone, last = records[-4:]
    assert (new["type"], gone["type"]) == ("diagnostic", "gone")
    assert new["path"] == gone["path"] == str(path)
    assert (summary["errors"], last["errors"]) == (1, 0)
    assert summary["workspace"] == last["workspace"] == str(tree.workspace)


def test_a_known_finding_is_no_news(tree: Tree) -> None:
    break_skill(tree.workspace / "skills", "a")
    call_in(tree, "validate", "--baseline", "known.json", "--write-baseline")
    with Command(tree, "validate", "--baseline", "known.json", "--watch") as command:
        command.until("Watching for changes")
        break_skill(tree.workspace / "skills", "a")
        command.until("1 file checked: nothing new; all good")


def test_resolve_says_what_is_won_and_lost(tree: Tree) -> None:
    with Command(tree, "resolve", "--watch", "--format", "table") as command:
        command.until("Watching for changes")
        write_skill(tree.workspace / "skills", "c")
        command.until("Gains      1 workflow: /c", "3 workflows, 0 shadowed, 0 skipped")
        break_skill(tree.workspace / "skills", "c")
        command.until("Loses      1 workflow: /c", "Skips      /c of skills")
        write(tree.workspace / "skills/a/page.md", "text")
        command.until("nothing changed that a Pod gets; 2 workflows, 0 shadowed, 1 skipped")
        write_skill(tree.config / "skills", "a")
        command.until(
            "Shadows    skills wins over user skills (different): /a",
            "2 workflows, 1 shadowed, 1 skipped",
        )
        assert command.interrupt() == 0


def test_resolve_of_a_slug_is_written_again_when_it_changed(tree: Tree) -> None:
    with Command(tree, "resolve", "/a", "--watch") as command:
        command.until("Watching for changes")
        write_skill(tree.config / "skills", "a")
        lines = command.until("/a changed", "lower-rank")
        assert sum("\ta\t" in line or "/a" in line for line in lines) > 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["validate", "--fix"], "fixing"),
        (["validate", "--diff"], "fixing"),
        (["validate", "--output", "x.sarif"], "--output"),
        (["validate", "--changed"], "--changed"),
        (["validate", "skills", "--shard", "1/2"], "--shard"),
        (["validate", "-", "--stdin-filename", "a/SKILL.md"], "stdin"),
        (["validate", "--baseline", "x.json", "--write-baseline"], "--write-baseline"),
        (["validate", "--format", "json"], "json"),
        (["resolve", "--format", "json"], "json"),
        (["resolve", "--notifications"], "--notifications"),
        (["resolve", "/a", "--diff"], "--diff"),
        (["resolve", "--only-conflicts"], "--only-conflicts"),
        (["resolve", "--fail-on", "shadow"], "--fail-on"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_what_cannot_be_watched_is_refused(tree: Tree, arguments: list[str], named: str) -> None:
    run = call_in(tree, *arguments, "--watch")
    assert run.code == 2
    assert run.stderr.startswith("error: --watch ")
    assert named in run.stderr
    assert "help: " in run.stderr


@pytest.mark.parametrize("name", ["validate", "resolve"])
def test_without_watchfiles_it_is_said_how_to_get_it(
    tree: Tree, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles._rust_notify", None)
    run = call_in(tree, name, "--watch")
    assert run.code == 2
    assert run.stdout == b""
    assert run.stderr.startswith("error: --watch needs the package watchfiles: import of ")
    assert "pip install 'insomnia-skills[watch]'" in run.stderr


def test_a_path_that_is_not_there_is_refused(tree: Tree) -> None:
    run = call_in(tree, "validate", "nowhere", "--watch")
    assert run.code == 2
    assert "nowhere does not exist" in run.stderr


def test_a_system_that_tells_no_changes_ends_it(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", fail)
    run = call_in(tree, "validate", "--watch", env={"XDG_CACHE_HOME": os.devnull})
    assert run.code == 74
    assert "sudo sysctl fs.inotify.max_user_watches" in run.stderr
