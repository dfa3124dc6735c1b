"""The fuzzer notices what goes wrong, and gives the same inputs for the same seed."""

from __future__ import annotations

import os
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from insomnia_skills.checking.check import FileKind, check_file
from insomnia_skills.file import decode
from tests.fuzz import engine
from tests.fuzz.__main__ import main
from tests.fuzz.engine import BrokenError, Finding, Lines, Session, Target, attempt, reduce
from tests.fuzz.mutate import MAX_BYTES, mutated
from tests.fuzz.run import Plan, put_down
from tests.fuzz.targets import TARGETS
from tests.fuzz.targets.holds import check_places
from tests.fuzz.targets.trees import packed, unpack

HAS_TIMER = hasattr(signal, "setitimer")


def target(check: Callable[[bytes, Path], Iterator[str]]) -> Target:
    return Target("toy", lambda: [b"one\ntwo\nthree\n", b"x"], (b"a", b"b"), check)


def lengths(data: bytes, place: Path) -> Iterator[str]:
    yield f"length {len(data) // 4}"


def refuse_b(data: bytes, place: Path) -> Iterator[str]:
    yield "looked"
    if b"b" in data:
        raise BrokenError("has a b", repr(data))


def inputs(seed: str, tmp_path: Path, count: int = 100) -> list[bytes]:
    session = Session(target(lengths), seed, tmp_path, Lines(watch=False))
    tried: list[bytes] = []
    for _ in range(count):
        assert session.step(tried.append) is None
    return tried


def test_the_same_seed_gives_the_same_inputs(tmp_path: Path) -> None:
    assert inputs("1", tmp_path) == inputs("1", tmp_path)
    assert inputs("1", tmp_path) != inputs("2", tmp_path)
    assert len(set(inputs("1", tmp_path))) > 70


def test_what_reaches_something_new_is_kept(tmp_path: Path) -> None:
    session = Session(target(lengths), "1", tmp_path, Lines(watch=False))
    for _ in range(300):
        session.step()
    kept = [len(data) // 4 for data in session.kept]
    assert len(kept) == len(set(kept)) > 10


def test_a_finding_is_made_small_and_put_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session(target(refuse_b), "1", tmp_path, Lines(watch=False))
    found = next(finding for _ in range(500) if (finding := session.step()))
    assert found.kind == "has a b"
    small = reduce(found._replace(data=b"one\nabc\n" * 20), target(refuse_b), tmp_path)
    assert (small.kind, small.data) == ("has a b", b"b")
    put_down(small, Plan(("toy",), 1, "1", 1, tmp_path / "found"))
    (path,) = (tmp_path / "found").iterdir()
    assert path.read_bytes() == b"b"
    assert f"--target toy --input {path}" in capsys.readouterr().out


def raising(error: BaseException) -> Callable[[bytes, Path], Iterator[str]]:
    def check(data: bytes, place: Path) -> Iterator[str]:
        yield "begun"
        raise error

    return check


def leaving_an_error(data: bytes, place: Path) -> Iterator[str]:
    class Left:
        def __del__(self) -> None:
            raise ValueError("nobody sees this")

    Left()
    yield "done"


def warning(data: bytes, place: Path) -> Iterator[str]:
    warnings.warn("old", DeprecationWarning, stacklevel=1)
    yield "done"


def busy(data: bytes, place: Path) -> Iterator[str]:
    yield "begun"
    while data:
        pass


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        pytest.param(raising(ValueError("x")), "ValueError in test_fuzz.check", id="exception"),
        pytest.param(raising(SystemExit(1)), "SystemExit in test_fuzz.check", id="exit"),
        pytest.param(raising(MemoryError()), "MemoryError in test_fuzz.check", id="memory"),
        pytest.param(leaving_an_error, "unraisable: ValueError", id="unraisable"),
        pytest.param(warning, "DeprecationWarning in test_fuzz.warning", id="warning"),
        pytest.param(
            busy, "slow", id="slow", marks=pytest.mark.skipif(not HAS_TIMER, reason="no timer")
        ),
    ],
)
def test_everything_that_goes_wrong_is_a_finding(
    check: Callable[[bytes, Path], Iterator[str]],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "MAX_SECONDS", 0.05)
    came = attempt(target(check), b"input", tmp_path)
    assert isinstance(came, Finding)
    assert (came.kind, came.data) == (kind, b"input")


def test_inputs_are_bounded() -> None:
    dice = random.Random(1)
    data = b"x"
    for _ in range(200):
        data = mutated(dice, data, (b"token " * 100,), (b"other", data))
        assert len(data) <= MAX_BYTES


def test_a_place_outside_of_the_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "pdf" / "SKILL.md"
    text = "---\nname: PDF\n---\n"
    found = check_file(path, FileKind.SKILL, decode(text.encode())).diagnostics
    check_places(found, path, text)
    with pytest.raises(BrokenError, match="outside of the file"):
        check_places(found, path, "---\n")
    with pytest.raises(BrokenError, match="another line"):
        check_places(found, path, text.replace("PDF", "FDP"))


def test_a_tree_stays_inside(tmp_path: Path) -> None:
    files = [
        ("a/b.md", b"text", ""),
        ("a/c", None, "b.md"),
        ("../out", b"x", ""),
        ("/out", b"x", ""),
    ]
    top = tmp_path / "top"
    top.mkdir()
    unpack(packed(iter(files)) + b"-- d/ --\n-- e -> /etc --\n-- a/b.md/c --\n\xff\0", top)
    made = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert made == ["top", "top/a", "top/a/b.md", "top/a/c", "top/d"]
    assert (top / "a/b.md").read_bytes() == b"text\n"
    assert os.readlink(top / "a/c") == "b.md"


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_inputs_of_every_target(name: str, tmp_path: Path) -> None:
    session = Session(TARGETS[name], "1", tmp_path, Lines(watch=False))
    for _ in range(3):
        assert session.step() is None
    assert session.kept


def test_an_input_can_be_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"name: pdf\n")
    assert main(["--target", "yaml", "--input", str(path)]) == 0
    assert capsys.readouterr().out == "yaml: nothing wrong; Mapping, usual\n"
    with pytest.raises(SystemExit) as end:
        main(["--input", str(path)])
    assert end.value.code == 2
