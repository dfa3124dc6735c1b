"""The benchmark measures what it says: skills broken as meant, whole processes, targets."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from benchmarks import run
from benchmarks.contenders import AGNIX, CONTENDERS
from benchmarks.corpus import BROKEN_EVERY, corpus, write_skills
from benchmarks.figures import Figures, markdown, targets
from benchmarks.process import Process, UnusableError, measure
from tests.cli import call, environment


def process(*arguments: str, name: str = "python") -> Process:
    return Process(name, [sys.executable, "-S", *arguments], Path.cwd(), dict(os.environ))


def texts(top: Path) -> dict[str, bytes]:
    return {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file()
    }


def test_every_tenth_made_skill_is_broken_and_no_other(tmp_path: Path) -> None:
    write_skills(tmp_path, 200)
    done = call("validate", ".", "--format=json", cwd=tmp_path, env=environment(tmp_path / "home"))
    files = json.loads(done.text)["files"]
    broken = sorted(int(file["slug"].rpartition("-")[2]) for file in files if not file["valid"])
    assert len(files) == 200
    assert broken == list(range(BROKEN_EVERY - 1, 200, BROKEN_EVERY))


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one(tmp_path: Path) -> None:
    write_skills(tmp_path / "small", 3)
    write_skills(tmp_path / "large", 5)
    assert texts(tmp_path / "small").items() < texts(tmp_path / "large").items()


def test_a_corpus_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.corpus.SETTLING_SECONDS", 0)
    made = corpus(tmp_path, 1)
    (made.skill / "SKILL.md").unlink()
    assert not (corpus(tmp_path, 1).skill / "SKILL.md").exists()


def test_a_process_is_timed_in_turns_after_what_has_to_be_done_before() -> None:
    turns: list[str] = []
    first, second = (
        process("-c", "", name="first"),
        process("-c", "import sys; sys.exit(1)", name="second"),
    )
    first.before = lambda: turns.append("first")
    second.before = lambda: turns.append("second")
    measure([first, second], 2)
    assert turns == ["first", "second"] * 2
    assert len(first.seconds) == len(second.cpu) == 2
    assert 0 < first.least <= first.median


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process tree takes")
def test_memory_is_that_of_the_whole_tree() -> None:
    child = "import time; held = bytearray(b'x' * 40_000_000); time.sleep(0.3)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {child!r}])"
    watched = process("-c", f"{parent}; {child}")
    watched.watch()
    assert watched.memory is not None
    assert watched.memory > 40_000_000


@pytest.mark.parametrize(
    ("code", "says"),
    [
        pytest.param("import sys; sys.exit(2)", "exited 2", id="other-exit-code"),
        pytest.param("1 / 0", "exited 1: ZeroDivisionError", id="traceback"),
    ],
)
def test_a_command_that_fails_is_not_measured(code: str, says: str) -> None:
    with pytest.raises(UnusableError, match=says):
        process("-c", code).watch()


def figures() -> Figures:
    """Made-up ones: every contender takes a second, one of them more with every skill."""
    sizes = {}
    for count in (1, 1_000, 10_000):
        sizes[count] = {one.name: process(name=one.name) for one in CONTENDERS}
        for one in sizes[count].values():
            one.seconds, one.cpu = [1.0, 1.5], [1.0, 1.0]
        sizes[count][AGNIX].seconds = [5.0]
        sizes[count]["insomnia-skills validate, cold"].seconds = [1 + count / 1_000]
        sizes[count]["insomnia-skills validate, cold"].memory = 100 * 2**20
    starts = [process(name=name) for name in ("pass", "typer", "list")]
    for start, seconds in zip(starts, (0.01, 0.1, 0.12), strict=True):
        start.seconds = [seconds]
    return Figures(sizes, starts, ["drskill is left out: no registry."], "1234abc")


def test_targets_are_ratios_of_least_times() -> None:
    reached = {target.what: target for target in targets(figures())}
    assert reached["1,000 skills, `validate` warm: time, agnix = 1"].reached == 0.2
    assert reached["10,000 skills, `validate` cold: time, agnix = 1"].row()[-1] == "**no**"
    assert reached["start: time, `import typer` = 1"].row()[1:] == ("1.30", "1.20", "yes")
    growth = reached["1,000 to 10,000 skills, cold: time for one more, greatest to least"]
    assert growth.reached == pytest.approx(1, rel=0.01)


def test_figures_are_written_into_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"before\n{run.BEGIN}old\n{run.END}after\n")
    monkeypatch.setattr(run, "PAGE", page)
    run.write(text := markdown(figures()))
    assert page.read_text() == f"before\n{run.BEGIN}\n{text}\n{run.END}after\n"
    assert "drskill is left out: no registry." in text


def test_the_page_has_a_place_for_figures() -> None:
    page = run.PAGE.read_text(encoding="utf-8")
    assert page.index(run.BEGIN) < page.index(run.END)
