"""Files are replaced as a whole or not at all, and renamed without overwriting another one."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills.edit.write import ChangedError, rename_file, replace_file
from tests.trees import link, write

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


def test_a_file_gets_new_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", b"old\r\n")
    replace_file(path, b"new\r\n\xff")
    assert path.read_bytes() == b"new\r\n\xff"
    assert os.listdir(tmp_path) == ["a.md"]


@needs_modes
def test_a_new_file_gets_the_mode_of_any_new_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.md", b"new")
    other = write(tmp_path / "b.md", "made in the usual way")
    assert (tmp_path / "a.md").read_bytes() == b"new"
    assert (tmp_path / "a.md").stat().st_mode == other.stat().st_mode


@needs_modes
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path = write(tmp_path / "a.md", "old")
    path.chmod(mode)
    replace_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "old")
    os.chown(path, 1234, 2345)
    replace_file(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@needs_modes
def test_where_the_owner_cannot_be_kept_the_file_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    path = write(tmp_path / "a.md", "old")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"


@needs_modes
def test_what_a_file_may_do_as_its_owner_is_not_given_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise PermissionError

    path = write(tmp_path / "a.md", "old")
    path.chmod(0o6755)
    replace_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o6755
    monkeypatch.setattr(os, "chown", refuse)
    replace_file(path, b"newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


@pytest.mark.parametrize("now", [b"other", None])
def test_a_file_with_other_bytes_than_expected_is_kept(tmp_path: Path, now: bytes | None) -> None:
    if now is not None:
        write(tmp_path / "a.md", now)
    with pytest.raises(ChangedError):
        replace_file(tmp_path / "a.md", b"new", b"old")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([now] if now else [])


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Python has no extended attributes here")
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "old")
    try:
        os.setxattr(path, "user.note", b"mine")  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        pytest.skip("this disk has none")
    replace_file(path, b"new")
    assert os.getxattr(path, "user.note") == b"mine"  # type: ignore[attr-defined,unused-ignore]


@pytest.mark.parametrize("target", ["real/a.md", "{}/real/a.md"], ids=["relative", "absolute"])
def test_a_link_stays_a_link(tmp_path: Path, target: str) -> None:
    real = write(tmp_path / "real/a.md", "old")
    path = link(tmp_path / "a.md", target.format(tmp_path))
    replace_file(path, b"new")
    assert os.readlink(path) == target.format(tmp_path)
    assert real.read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path)) == ["a.md", "real"]
    assert os.listdir(tmp_path / "real") == ["a.md"]


@pytest.mark.parametrize("function", ["replace", "fsync", "chmod", "open"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    path = write(tmp_path / "a.md", "old")
    monkeypatch.setattr(os, function, fail)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.md"]


def test_an_interruption_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    path = write(tmp_path / "a.md", "old")
    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.md"]


@needs_modes
def test_what_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "old")
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write everything")
    with pytest.raises(PermissionError):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(OSError, match="not a regular file"):
        replace_file(tmp_path / "a.md", b"new")
    assert stat.S_ISFIFO((tmp_path / "a.md").stat().st_mode)


def test_a_file_in_no_directory_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "none/a.md", b"new")


def test_a_file_gets_another_name(tmp_path: Path) -> None:
    path = write(tmp_path / "skill.md", "text")
    assert rename_file(path, "SKILL.md") == tmp_path / "SKILL.md"
    assert os.listdir(tmp_path) == ["SKILL.md"]
    assert (tmp_path / "SKILL.md").read_bytes() == b"text"


def test_a_link_itself_gets_another_name(tmp_path: Path) -> None:
    write(tmp_path / "real.md", "text")
    path = link(tmp_path / "skill.md", "real.md")
    rename_file(path, "SKILL.md")
    assert os.readlink(tmp_path / "SKILL.md") == "real.md"
    assert sorted(os.listdir(tmp_path)) == ["SKILL.md", "real.md"]


def test_no_other_file_is_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path / "skill.md", "one")
    write(tmp_path / "SKILL.md", "other")
    if len(os.listdir(tmp_path)) == 1:
        pytest.skip("this disk ignores case")
    with pytest.raises(FileExistsError):
        rename_file(path, "SKILL.md")
    assert path.read_bytes() == b"one"
    assert (tmp_path / "SKILL.md").read_bytes() == b"other"


def test_a_file_that_comes_up_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "skill.md", "one")
    write(tmp_path / "SKILL.md", "other")
    monkeypatch.setattr(os, "listdir", lambda path: ["skill.md"])
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    with pytest.raises(FileExistsError):
        rename_file(path, "SKILL.md")
    assert (tmp_path / "SKILL.md").read_bytes() == b"other"


def test_only_the_case_differs_on_a_disk_that_ignores_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "skill.md", "text")
    lstat = os.lstat  # such a disk answers for one name as for the other
    monkeypatch.setattr(os, "lstat", lambda place: lstat(path if "SKILL" in str(place) else place))
    rename_file(path, "SKILL.md")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["SKILL.md"]


@pytest.mark.parametrize("function", ["link", "unlink"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupted_renaming_leaves_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, when: str
) -> None:
    done = getattr(os, function)

    def interrupt(*args: Any, **kwargs: Any) -> None:
        monkeypatch.setattr(os, function, done)
        if when == "after":
            done(*args, **kwargs)
        raise KeyboardInterrupt

    path = write(tmp_path / "skill.md", "text")
    monkeypatch.setattr(os, function, interrupt)
    with pytest.raises(KeyboardInterrupt):
        rename_file(path, "SKILL.md")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"text"]


def test_a_disk_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    rename_file(write(tmp_path / "skill.md", "text"), "SKILL.md")
    assert os.listdir(tmp_path) == ["SKILL.md"]


def test_what_is_not_there_is_not_renamed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rename_file(tmp_path / "skill.md", "SKILL.md")
