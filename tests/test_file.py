"""Whatever lies at a path: its text, or the one reason why there is none, soon and in any case."""

from __future__ import annotations

import errno
import itertools
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.file import FileText, read_skill_text, read_text
from insomnia_skills.limits import MAX_FILE_BYTES
from tests.trees import link, write

BOM = b"\xef\xbb\xbf"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def the_error(file: FileText) -> Finding:
    """The one finding of a file that cannot be read."""
    assert not file.readable
    (finding,) = file.findings
    assert finding.severity is Severity.ERROR
    assert finding.help
    return finding


@contextmanager
def nothing_left_open() -> Iterator[None]:
    """Whatever is opened inside must be closed again."""
    before = open_descriptors()
    yield
    assert open_descriptors() == before


def open_descriptors() -> set[int]:
    return {descriptor for descriptor in range(256) if is_open(descriptor)}


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"---\nname: pdf\n---\n", id="lf"),
        pytest.param(b"---\r\nname: pdf\r\n---\r\n", id="crlf-stays"),
        pytest.param(b"a\rb\nc\r\n", id="mixed-line-ends-stay"),
        pytest.param("é 日本語 😀\u2028\x85".encode(), id="beyond-ascii"),
        pytest.param(b"a\0b\x07\x1b[31m", id="control-characters-are-text-here"),
        pytest.param("a\ufeffb".encode(), id="bom-inside-stays"),
        pytest.param(b"no line end", id="no-line-end"),
        pytest.param(b"\xf4\x8f\xbf\xbf", id="last-code-point"),
    ],
)
def test_text_is_kept_as_written(tmp_path: Path, data: bytes) -> None:
    file = read_text(write(tmp_path / "SKILL.md", data))
    assert file == FileText(data.decode())
    assert file.readable


def test_one_bom_is_read_past_with_a_warning(tmp_path: Path) -> None:
    file = read_text(write(tmp_path / "SKILL.md", BOM + b"---\n"))
    assert file.readable
    assert [finding.rule for finding in file.findings] == ["byte-order-mark"]
    assert file.text == "---\n"
    (finding,) = file.findings
    assert finding.rule == "byte-order-mark"
    assert finding.severity is Severity.WARNING
    assert "byte-order mark" in finding.message
    assert (finding.start, finding.end) == (0, 0)


def test_only_a_bom(tmp_path: Path) -> None:
    file = read_text(write(tmp_path / "SKILL.md", BOM))
    assert (file.text, file.readable) == ("", True)
    assert [finding.rule for finding in file.findings] == ["byte-order-mark"]


def test_of_two_boms_the_second_is_text(tmp_path: Path) -> None:
    file = read_text(write(tmp_path / "SKILL.md", BOM + BOM + b"---\n"))
    assert file.text == "\ufeff---\n"
    assert [finding.rule for finding in file.findings] == ["byte-order-mark"]


# --- not UTF-8 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "says", "text"),
    [
        pytest.param(b"abc\xff", "byte 4 is 0xFF", "abc", id="never-utf8"),
        pytest.param(b"\x80abc", "byte 1 is 0x80", "", id="lone-continuation"),
        pytest.param("é日x".encode() + b"\xe9t\xe9", "byte 7 is 0xE9", "é日x", id="latin-1"),
        pytest.param(b"a\n" * 600 + b"\xff", "byte 1,201 is 0xFF", "a\n" * 600, id="far-below"),
        pytest.param(b"ab\xe6\x97", "byte 3 is 0xE6", "ab", id="cut-in-a-character"),
        pytest.param(b"ab\xc0\xaf", "byte 3 is 0xC0", "ab", id="overlong"),
        pytest.param(b"ab\xed\xa0\xbd", "byte 3 is 0xED", "ab", id="surrogate"),
        pytest.param(b"\xf5\x80\x80\x80", "byte 1 is 0xF5", "", id="beyond-unicode"),
        pytest.param(BOM + b"ab\xff", "byte 6 is 0xFF", "ab", id="the-bom-counts-as-bytes"),
    ],
)
def test_not_utf8(tmp_path: Path, data: bytes, says: str, text: str) -> None:
    file = read_text(write(tmp_path / "SKILL.md", data))
    finding = the_error(file)
    assert finding.rule == "not-utf8"
    assert f"not UTF-8: {says}" in finding.message
    assert "UTF-16" not in finding.message
    # The text up to the byte is kept, and the finding stands where it ends.
    assert file.text == text
    assert finding.start == finding.end == len(text)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_recognised_by_its_mark(tmp_path: Path, encoding: str) -> None:
    data = "\ufeff---\nname: pdf\n---\n".encode(encoding)
    finding = the_error(read_text(write(tmp_path / "SKILL.md", data)))
    assert finding.rule == "not-utf8"
    assert f"byte 1 is 0x{data[0]:02X}, it looks like UTF-16" in finding.message


# --- limits --------------------------------------------------------------------------------------


def test_the_limit_is_one_mebibyte(tmp_path: Path) -> None:
    assert MAX_FILE_BYTES == 1_048_576
    largest = read_text(write(tmp_path / "largest.md", b"x" * MAX_FILE_BYTES))
    assert largest.readable
    assert len(largest.text) == MAX_FILE_BYTES
    file = read_text(write(tmp_path / "larger.md", b"x" * (MAX_FILE_BYTES + 1)))
    finding = the_error(file)
    assert finding.rule == "file-too-large"
    assert "1,048,577 bytes" in finding.message
    assert "limit is 1,048,576" in finding.message
    assert file.text == ""


@POSIX
def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.touch()
    os.truncate(path, 1 << 32)  # a hole: no disk is used
    finding = the_error(read_text(path))
    assert finding.rule == "file-too-large"
    assert "4,294,967,296 bytes" in finding.message


def test_a_lower_limit(tmp_path: Path) -> None:
    path = write(tmp_path / "SKILL.md", "12345")
    assert read_text(path, limit=5).text == "12345"
    assert the_error(read_text(path, limit=4)).rule == "file-too-large"


def test_a_file_that_says_it_is_empty_is_bounded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "SKILL.md", b"x" * 100)
    status = os.stat(path)

    def as_in_proc(_descriptor: int) -> os.stat_result:
        return os.stat_result((*status[:6], 0, *status[7:]))

    monkeypatch.setattr(os, "fstat", as_in_proc)
    assert read_text(path).text == "x" * 100
    assert the_error(read_text(path, limit=99)).rule == "file-too-large"


# --- no regular file -----------------------------------------------------------------------------


def make_directory(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def make_link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(make_directory, "this is a directory", id="directory"),
        pytest.param(make_pipe, "this is a named pipe", id="pipe", marks=POSIX),
        pytest.param(make_link_to_pipe, "this is a named pipe", id="link-to-pipe", marks=POSIX),
        pytest.param(make_link_to_device, "this is a device", id="link-to-device", marks=POSIX),
    ],
)
def test_not_a_file(tmp_path: Path, make: Callable[[Path], None], says: str) -> None:
    path = tmp_path / "SKILL.md"
    make(path)
    finding = the_error(read_text(path))
    assert finding.rule == "not-a-file"
    assert says in finding.message


@POSIX
def test_an_endless_device_is_not_read() -> None:
    finding = the_error(read_text("/dev/zero"))
    assert finding.rule == "not-a-file"
    assert "a device" in finding.message


@POSIX
def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("SKILL.md")
        finding = the_error(read_text(tmp_path / "SKILL.md"))
    assert finding.rule == "not-a-file"
    assert "this is a socket" in finding.message


# --- links that lead nowhere ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("../gone/SKILL.md", id="dangling"),
        pytest.param("SKILL.md", id="to-itself"),
        pytest.param("other.md", id="round-in-a-circle"),
        pytest.param("file.txt/SKILL.md", id="through-a-file"),
    ],
)
def test_broken_symlink(tmp_path: Path, target: str) -> None:
    write(tmp_path / "file.txt", "")
    link(tmp_path / "other.md", "SKILL.md")
    finding = the_error(read_text(link(tmp_path / "SKILL.md", target)))
    assert finding.rule == "broken-symlink"
    assert f'a link to "{target}", which leads nowhere' in finding.message


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    write(tmp_path / "real.md", "text")
    assert read_text(link(tmp_path / "SKILL.md", "real.md")) == FileText("text")


# --- nothing through a link out of the directory -------------------------------------------------


def test_a_skill_is_read_as_any_file(tmp_path: Path) -> None:
    write(tmp_path / "fine.md", BOM + b"text")
    write(tmp_path / "latin.md", b"\xff")
    make_directory(tmp_path / "directory")
    link(tmp_path / "inside.md", "fine.md")
    link(tmp_path / "gone.md", "nowhere")
    link(tmp_path / "round.md", "round.md")
    for name in ("fine", "latin", "inside", "gone", "round", "absent"):
        path = tmp_path / f"{name}.md"
        assert read_skill_text(path) == read_text(path)
    assert read_skill_text(tmp_path / "directory") == read_text(tmp_path / "directory")


@pytest.mark.parametrize(
    "target", ["../secret.md", "sub/../../secret.md", "/dev/zero", "deep", ".."]
)
def test_nothing_is_read_through_a_link_out_of_the_directory(tmp_path: Path, target: str) -> None:
    write(tmp_path / "secret.md", "text")
    (tmp_path / "pdf/sub").mkdir(parents=True)
    link(tmp_path / "pdf/deep", "sub/deep")
    link(tmp_path / "pdf/sub/deep", "../../secret.md")
    finding = the_error(read_skill_text(link(tmp_path / "pdf/SKILL.md", target)))
    assert finding.rule == "link-escapes-skill"
    assert f'leads out of the skill, to "{target}"' in finding.message


@pytest.mark.parametrize("marker", [".git", ".insomnia"])
def test_the_file_of_another_skill_is_read_within_the_repository(
    tmp_path: Path, marker: str
) -> None:
    (tmp_path / "top" / marker).mkdir(parents=True)
    write(tmp_path / "top/shared/doc/SKILL.md", "text")
    write(tmp_path / "doc/SKILL.md", "text")
    inside = link(tmp_path / "top/a/skills/pdf/SKILL.md", "../../../shared/doc/SKILL.md")
    outside = link(tmp_path / "top/a/skills/odf/SKILL.md", "../../../../doc/SKILL.md")
    assert read_skill_text(inside).text == "text"
    assert the_error(read_skill_text(outside)).rule == "link-escapes-skill"


def test_a_link_to_the_file_of_another_skill_is_read(tmp_path: Path) -> None:
    write(tmp_path / "doc/SKILL.md", "text")
    file = read_skill_text(link(tmp_path / "pdf/SKILL.md", "../doc/SKILL.md"))
    assert (file.text, file.is_outside, file.findings) == ("text", True, ())


def test_a_directory_that_is_a_link_is_where_its_file_lies(tmp_path: Path) -> None:
    write(tmp_path / "real/SKILL.md", "text")
    assert read_skill_text(link(tmp_path / "pdf", "real") / "SKILL.md").text == "text"


@POSIX
def test_a_link_that_leads_elsewhere_by_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leads out of the skill and into it in turns; what was judged is what is read."""
    path = link(tmp_path / "pdf/SKILL.md", "fine.md")
    write(tmp_path / "pdf/fine.md", "fine")
    write(tmp_path / "secret.md", "secret")
    turns = itertools.cycle(("../secret.md", "fine.md"))

    def realpath(place: str | os.PathLike[str]) -> str:
        there = resolve(place)
        if os.fspath(place) == str(path):
            path.unlink()
            link(path, next(turns))
        return there

    resolve = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", realpath)
    for _ in range(4):
        assert "secret" not in read_skill_text(path).text


@POSIX
def test_what_a_link_led_to_may_be_another_link_by_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = link(tmp_path / "pdf/SKILL.md", "real.md")
    real = write(tmp_path / "pdf/real.md", "text")
    secret = write(tmp_path / "secret.md", "secret")

    def realpath(place: str | os.PathLike[str]) -> str:
        there = resolve(place)
        if os.path.basename(there) == "real.md" and not os.path.islink(there):
            real.unlink()
            link(real, secret)
        return there

    resolve = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", realpath)
    assert "secret" not in read_skill_text(path).text


# --- the system says no --------------------------------------------------------------------------


def test_nothing_there(tmp_path: Path) -> None:
    finding = the_error(read_text(tmp_path / "SKILL.md"))
    assert finding.rule == "unreadable"
    assert "No such file or directory" in finding.message


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(errno.EACCES, id="permission-denied"),
        pytest.param(errno.EPERM, id="not-permitted"),
        pytest.param(errno.EIO, id="broken-disk"),
        pytest.param(errno.EMFILE, id="too-many-open-files"),
    ],
)
def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    path = write(tmp_path / "SKILL.md", "text")

    def refuse(*_args: object, **_kwargs: object) -> int:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(os, "open", refuse)
    finding = the_error(read_text(path))
    assert finding.rule == "unreadable"
    assert os.strerror(code) in finding.message


def test_a_link_that_may_not_be_followed_is_not_called_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = link(tmp_path / "SKILL.md", write(tmp_path / "real.md", "text"))

    def refuse(*_args: object, **_kwargs: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(os, "open", refuse)
    assert the_error(read_text(path)).rule == "unreadable"


def test_a_disk_that_breaks_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "SKILL.md", "text")

    def refuse(_descriptor: int) -> os.stat_result:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with nothing_left_open(), monkeypatch.context() as patch:
        patch.setattr(os, "fstat", refuse)
        finding = the_error(read_text(path))
        patch.undo()
    assert finding.rule == "unreadable"
    assert os.strerror(errno.EIO) in finding.message


def test_every_kind_of_file_is_closed_again(tmp_path: Path) -> None:
    write(tmp_path / "fine.md", "text")
    write(tmp_path / "latin.md", b"\xff")
    write(tmp_path / "large.md", b"x" * 9)
    make_directory(tmp_path / "directory")
    with nothing_left_open():
        for name in ("fine.md", "latin.md", "large.md", "directory", "absent"):
            read_text(tmp_path / name, limit=8)
