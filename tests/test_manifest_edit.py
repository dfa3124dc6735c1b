"""Edits of a manifest: what is written, and that all else stays as it was."""

from __future__ import annotations

import os
import re
import sys
import threading
import tomllib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills.edit.entries import AmbiguousEntryError, entry_for, find_entries
from insomnia_skills.edit.manifest import (
    ManifestEdit,
    ManifestEditError,
    ManifestText,
    add_entries,
    move_entry,
    read_manifest,
    remove_entries,
    write_edit,
)
from insomnia_skills.edit.write import ChangedError
from insomnia_skills.file import decode
from insomnia_skills.limits import MAX_MANIFEST_BYTES
from insomnia_skills.manifest import load_manifest
from tests.trees import denied, link, write, write_manifest

# Every way to lay out a list that we could think of. All entries are one letter.
LAYOUTS = {
    "one line": '[skills]\ndirectories = ["a", "b", "c"]\n',
    "one line, one entry": '[skills]\ndirectories = ["a"]\n',
    "one line, no blanks": 'skills.directories=["a","b","c"]\n',
    "one line, blanks inside": '[skills]\ndirectories = [ "a", "b" ]\n',
    "one line, last comma": '[skills]\ndirectories = ["a", "b", ]\n',
    "one line, blank before a comma": '[skills]\ndirectories = ["a" , "b" , "c"]\n',
    "one line, comment behind": '[skills]\ndirectories = ["a", "b"] # ["x"], all\n',
    "one line, no last newline": '[skills]\ndirectories = ["a", "b"]',
    "one line that ends below": '[skills]\ndirectories = ["a", "b"\n]\n',
    "single quotes": "[skills]\ndirectories = ['a', 'b']\n",
    "escapes and long strings": '[skills]\ndirectories = ["\\u0061", """b""", \'\'\'c\'\'\']\n',
    "an entry a line": '[skills]\ndirectories = [\n  "a",\n  "b",\n  "c",\n]\n',
    "an entry a line, only one": '[skills]\ndirectories = [\n  "a",\n]\n',
    "an entry a line, no last comma": '[skills]\ndirectories = [\n  "a",\n  "b",\n  "c"\n]\n',
    "an entry a line, tabs": '[skills]\n\tdirectories = [\n\t\t"a",\n\t\t"b",\n\t]\n',
    "an entry a line, CRLF": '[skills]\r\ndirectories = [\r\n  "a",\r\n  "b",\r\n]\r\n',
    "an entry a line, no indent": '[skills]\ndirectories = [\n"a",\n"b",\n]\n',
    "hanging": '[skills]\ndirectories = ["a",\n               "b",\n               "c"]\n',
    "packed": '[skills]\ndirectories = [\n  "a", "b",\n  "c", "d",\n]\n',
    "commas first": '[skills]\ndirectories = [\n    "a"\n  , "b"\n  , "c"\n]\n',
    "a comma on its own line": '[skills]\ndirectories = [\n  "a"\n  ,\n  "b"\n  ,\n]\n',
    "blank lines": '[skills]\ndirectories = [\n\n  "a",\n\n  "b",\n\n  "c",\n\n]\n',
    "comments behind": '[skills]\ndirectories = [\n  "a", # A, "x"\n  "b",  # B\n  "c" # C\n]\n',
    "comments behind, hanging": '[skills]\ndirectories = ["a", # A\n  "b", # B\n  "c"] # C\n',
    "a comment before a comma": '[skills]\ndirectories = [\n  "a" # A\n  , "b" # B\n]\n',
    "comments above": (
        '[skills]\ndirectories = [\n  # on a\n  "a",\n  # on b\n  # more\n  "b",\n'
        '  # on c\n  "c", # C\n  # the end\n]\n'
    ),
    "a comment above the list": (
        '[skills]\ndirectories = [ # first line\n  # in order\n\n  "a",\n  "b",\n  # "c",\n]\n'
    ),
    "comments above, CRLF": (
        '[skills]\r\ndirectories = [\r\n  # on a\r\n  "a",\r\n  # on b\r\n  "b"\r\n]\r\n'
    ),
    "commas and comments anywhere": (
        '[skills]\ndirectories = ["a"  # A, x\n  # more\n  ,\t"b"\t, # B\n \n "c"\n # C\n , ]'
    ),
    "nothing but one list, CRLF": (
        'skills.directories = ["a", # A\r\n  "b"\r\n  # more\r\n  , "c"]'
    ),
    "inline table": 'skills = {directories = ["a", "b"]} # all\nother = 1\n',
    "inline table with more": 'skills = { x = 1, directories = ["a"], y = [2, 3] }\n',
    "dotted key at the top": '# top\nskills.directories = ["a", "b"]\nother = 1\n\n[scope]\n',
    "quoted names": "['skills']\n\"directories\" = ['a', 'b']\n",
    "out of order": '[skills.x]\ny = 1\n[scope]\n[skills]\ndirectories = ["a"]\n[skills.z]\n',
    "among much else": (
        '# "directories" = ["no"]\ntext = """\n[skills]\ndirectories = ["no"] # no\n"""\n'
        'when = 2026-01-01T00:00:00Z\nnumber = nan\n[[scope.allow]]\ntarget = "/x" # [skills]\n'
        '\n[skills] # here\n# Earlier wins.\ndirectories = ["a", "b"]\n\n[[scope.allow]]\nx = 1e3\n'
    ),
}
EMPTY = {
    "empty": "[skills]\ndirectories = []\n",
    "empty with a blank": "[skills]\ndirectories = [ ] # none\n",
    "empty, on two lines": "[skills]\n  directories = [\n  ]\n",
    "empty with comments": '[skills]\ndirectories = [\n  # none\n    # "x",\n]\nx = 1\n',
    "empty, inline": "skills = {directories = []}\n",
}
ABSENT = {
    "nothing": "",
    "only a comment": "# Manifest\n",
    "another section": "[scope]\nx = 1\n",
    "no last newline": "[scope]\nx = 1",
    "blank lines at the end": "[scope]\nx = 1\n\n\n",
    "a key at the top": "x = 1\n",
    "tables in a list": '[[scope.allow]]\ntarget = "/x"\n# end\n',
    "CRLF": "[scope]\r\nx = 1\r\n",
    "empty section": "[skills]\n",
    "empty section, no last newline": "x = 1\n[skills] # here",
    "empty section among others": "[skills]\n# none\n\n# on scope\n[scope]\nx = 1\n",
    "empty section, CRLF": "[skills]\r\n\r\n[scope]\r\n",
    "section with another key": "[skills]\nx = 1\n[scope]\n",
    "inline table": "skills = {}\n[scope]\n",
    "inline table with more": "skills = { x = 1 } # all\n",
    "dotted key": "skills.x = 1\ny = 2\n[scope]\n",
    "only a section below": "[skills.x]\ny = 1\n[scope]\n",
    "a list of sections below": "[[skills.x]]\ny = 1\n[[skills.x]]\n[scope]\n",
    "a dotted key of many parts": "skills.x.y = 1\nskills.x.z = 2 # z\n[scope]\n",
    "a dotted key in an inline table": "skills = {x.y = 1}\n",
    "an inline table with blanks": "skills = {  } # none\n",
    "an inline table with a list": "skills = {x = [\n  1, # one\n]}\n",
    "only sections below, CRLF": "[skills.x]\r\ny = 1\r\n[scope]\r\n[skills.z]\r\n",
}


def edited(text: str, edit: Callable[..., ManifestEdit], *arguments: object) -> str:
    """What an edit makes of a manifest's text."""
    data = text.encode()
    manifest = ManifestText(load_manifest(Path("m"), Path(), decode(data)), data)
    return edit(manifest, *arguments).after.decode()


def add(text: str, entries: list[str], before: int | None = None) -> str:
    return edited(text, add_entries, entries, before)


def remove(text: str, indexes: Collection[int]) -> str:
    return edited(text, remove_entries, indexes)


def move(text: str, index: int, to: int) -> str:
    return edited(text, move_entry, index, to)


def read(text: str) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=str)


def entries_of(text: str) -> list[str]:
    return list(read(text).get("skills", {}).get("directories", []))


def rest_of(text: str) -> dict[str, Any]:
    """All that a manifest says but for the entries."""
    data = read(text)
    data.setdefault("skills", {}).pop("directories", None)
    return data


def comments_of(text: str) -> list[str]:
    """The comments of a text that has no "#" but for them."""
    return sorted(re.findall(r"#[^\r\n]*", text))


def assert_only_entries_differ(before: str, after: str) -> None:
    """All other data is as it was, and line ends are of one kind where they were."""
    assert rest_of(after) == rest_of(before)
    if "\r\n" in before:
        assert not re.search(r"(?<!\r)\n", after)
    else:
        assert "\r" not in after


each_layout = pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)


@pytest.mark.parametrize("text", [*LAYOUTS.values(), *EMPTY.values()], ids=[*LAYOUTS, *EMPTY])
@pytest.mark.parametrize("new", [["N"], ["N", "M"]], ids=["one", "two"])
def test_add(text: str, new: list[str]) -> None:
    before = entries_of(text)
    for at in range(len(before) + 1):
        after = add(text, new, at)
        assert entries_of(after) == [*before[:at], *new, *before[at:]]
        assert_only_entries_differ(text, after)
        assert comments_of(after) == comments_of(text)
    assert add(text, new) == add(text, new, len(before))


@pytest.mark.parametrize("text", ABSENT.values(), ids=ABSENT)
@pytest.mark.parametrize("new", [["N"], ["N", "M"]], ids=["one", "two"])
def test_add_the_first(text: str, new: list[str]) -> None:
    after = add(text, new)
    assert entries_of(after) == new
    assert_only_entries_differ(text, after)
    assert comments_of(after) == comments_of(text)


@pytest.mark.parametrize("name", sorted(LAYOUTS.keys() - {"a comma on its own line"}))
def test_remove_what_was_added(name: str) -> None:
    """The text is then as it was, byte for byte."""
    text = LAYOUTS[name]
    for at in range(len(entries_of(text)) + 1):
        assert remove(add(text, ["N"], at), [at]) == text


@each_layout
def test_remove(text: str) -> None:
    before = entries_of(text)
    for at in range(len(before)):
        after = remove(text, [at])
        assert entries_of(after) == [*before[:at], *before[at + 1 :]]
        assert_only_entries_differ(text, after)
        assert comments_of(after) == comments_of(text)


@each_layout
def test_remove_all(text: str) -> None:
    after = remove(text, range(len(entries_of(text))))
    assert entries_of(after) == []
    assert comments_of(after) == comments_of(text)
    assert_only_entries_differ(text, after)


@each_layout
def test_move(text: str) -> None:
    before = entries_of(text)
    for at, entry in enumerate(before):
        others = [*before[:at], *before[at + 1 :]]
        for to in range(len(before)):
            after = move(text, at, to)
            assert entries_of(after) == [*others[:to], entry, *others[to:]]
            assert_only_entries_differ(text, after)
            assert comments_of(after) == comments_of(text)
        assert move(text, at, at) == text


def lines(*items: str) -> str:
    return "[skills]\ndirectories = [\n" + "".join(f"  {item}\n" for item in items) + "]\n"


# What a person would have written. Before, the edit, after.
PICTURES: dict[str, tuple[str, Callable[[str], str], str]] = {
    "last, with a last comma": (
        lines('"a",'),
        lambda text: add(text, ["n"]),
        lines('"a",', '"n",'),
    ),
    "last, with none": (
        lines('"a"'),
        lambda text: add(text, ["n"]),
        lines('"a",', '"n"'),
    ),
    "last, before comments at the end": (
        lines('"a", # A', "# the end"),
        lambda text: add(text, ["n"]),
        lines('"a", # A', '"n",', "# the end"),
    ),
    "first, below a comment about the list": (
        lines("# in order", '"a",', '"b",'),
        lambda text: add(text, ["n"], 0),
        lines("# in order", '"n",', '"a",', '"b",'),
    ),
    "first, above a comment about an entry": (
        lines("# on a", '"a",', "# on b", '"b",'),
        lambda text: add(text, ["n"], 0),
        lines('"n",', "# on a", '"a",', "# on b", '"b",'),
    ),
    "before an entry with a comment": (
        lines('"a",', "# on b", '"b", # B'),
        lambda text: add(text, ["n"], 1),
        lines('"a",', '"n",', "# on b", '"b", # B'),
    ),
    "first on one line": (
        '[skills]\ndirectories = ["a", "b"]\n',
        lambda text: add(text, ["n"], 0),
        '[skills]\ndirectories = ["n", "a", "b"]\n',
    ),
    "first of hanging ones": (
        '[skills]\ndirectories = ["a",\n  "b"]\n',
        lambda text: add(text, ["n"], 0),
        '[skills]\ndirectories = ["n",\n  "a",\n  "b"]\n',
    ),
    "the last of a line that goes on below": (
        '[skills]\ndirectories = ["a" # A\n]\n',
        lambda text: add(text, ["n"]),
        '[skills]\ndirectories = ["a", # A\n  "n"\n]\n',
    ),
    "in the quotes of the others": (
        "[skills]\ndirectories = ['a']\n",
        lambda text: add(text, ["b c", "it's"]),
        "[skills]\ndirectories = ['a', 'b c', \"it's\"]\n",
    ),
    "an empty list": (
        "[skills]\ndirectories = [ ] # none\n",
        lambda text: add(text, ["n"]),
        '[skills]\ndirectories = ["n"] # none\n',
    ),
    "a list with nothing but a comment": (
        lines("# none"),
        lambda text: add(text, ["n"]),
        lines("# none", '"n",'),
    ),
    "no manifest": (
        "",
        lambda text: add(text, ["n"]),
        lines('"n",'),
    ),
    "no section": (
        "[scope]\nx = 1",
        lambda text: add(text, ["n"]),
        "[scope]\nx = 1\n\n" + lines('"n",'),
    ),
    "a section without the key": (
        "[skills] # here\n# none\n\n[scope]\n",
        lambda text: add(text, ["n"]),
        '[skills] # here\ndirectories = [\n  "n",\n]\n# none\n\n[scope]\n',
    ),
    "an inline table without the key": (
        "skills = {}\n",
        lambda text: add(text, ["n"]),
        'skills = {directories = ["n"]}\n',
    ),
    "hostile text": (
        "[skills]\ndirectories = []\n",
        lambda text: add(text, ['\x1b[31m"\\\n\u202e']),
        '[skills]\ndirectories = ["\\u001b[31m\\"\\\\\\n\u202e"]\n',
    ),
    "remove, and keep its comments": (
        lines('"a", # A', "# on b", '"b", # B', '"c", # C'),
        lambda text: remove(text, [1]),
        lines('"a", # A', "# on b", "# B", '"c", # C'),
    ),
    "remove the last, without a last comma": (
        lines('"a",', '"b"'),
        lambda text: remove(text, [1]),
        lines('"a"'),
    ),
    "remove the first on one line": (
        '[skills]\ndirectories = ["a", "b"]\n',
        lambda text: remove(text, [0]),
        '[skills]\ndirectories = ["b"]\n',
    ),
    "remove the only one": (
        lines('"a",'),
        lambda text: remove(text, [0]),
        "[skills]\ndirectories = []\n",
    ),
    "remove the first of hanging ones": (
        '[skills]\ndirectories = ["a", # A\n               "b"]\n',
        lambda text: remove(text, [0]),
        '[skills]\ndirectories = [\n  # A\n               "b"]\n',
    ),
    "remove two": (
        lines('"a",', '"b",', '"c",'),
        lambda text: remove(text, [0, 2]),
        lines('"b",'),
    ),
    "move, with all its comments": (
        lines("# on a", '"a", # A', "# on b", '"b"  # B'),
        lambda text: move(text, 1, 0),
        lines("# on b", '"b",  # B', "# on a", '"a" # A'),
    ),
    "move over commas that are first": (
        '[skills]\ndirectories = [\n    "a"\n  , "b"\n]\n',
        lambda text: move(text, 1, 0),
        '[skills]\ndirectories = [\n    "b"\n  , "a"\n]\n',
    ),
    "move as it is written": (
        "[skills]\ndirectories = ['a', \"\\u0062\"]\n",
        lambda text: move(text, 1, 0),
        "[skills]\ndirectories = [\"\\u0062\", 'a']\n",
    ),
}


@pytest.mark.parametrize(("before", "change", "after"), PICTURES.values(), ids=PICTURES)
def test_picture(before: str, change: Callable[[str], str], after: str) -> None:
    assert change(before) == after


# What cannot be edited.


def test_edit_that_went_wrong_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes out that says anything else than was meant, or lacks a comment."""
    from insomnia_skills.edit import toml_list

    text = lines('"a", # A')
    for wrong in (lines('"a", # A', '"x",'), lines('"a",', '"n",'), "[skills\n"):
        monkeypatch.setattr(toml_list.TomlList, "text", lambda self, wrong=wrong: wrong)
        with pytest.raises(ManifestEditError, match="laid out in a way") as caught:
            add(text, ["n"])
        assert caught.value.help == "edit the manifest by hand"


def test_key_that_tomlkit_cannot_add_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import tomlkit

    def fail(text: str) -> None:
        raise tomlkit.exceptions.TOMLKitError("no")

    monkeypatch.setattr(tomlkit, "parse", fail)
    with pytest.raises(ManifestEditError, match=r"can't write \[skills\] directories: no"):
        add("skills.x = 1\n", ["n"])


# Files.


def test_manifest_that_is_not_there(tmp_path: Path) -> None:
    manifest = read_manifest(tmp_path / "deep" / "manifest.toml", tmp_path)
    assert manifest.data is None
    edit = add_entries(manifest, ["a"])
    assert edit == ManifestEdit(tmp_path / "deep" / "manifest.toml", None, lines('"a",').encode())
    write_edit(edit)
    assert edit.path.read_bytes() == edit.after


def test_byte_order_mark_stays(tmp_path: Path) -> None:
    path = write(tmp_path / "manifest.toml", b'\xef\xbb\xbf[skills]\r\ndirectories = ["a"]\r\n')
    edit = add_entries(read_manifest(path, tmp_path), ["b"])
    assert edit.after == b'\xef\xbb\xbf[skills]\r\ndirectories = ["a", "b"]\r\n'


UNREADABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "not TOML": (
        lambda path: write(path, "x = 1\n[skills\n"),
        "2:8: not valid TOML",
    ),
    "skills is no section": (
        lambda path: write(path, "skills = 1\n"),
        "1:1: skills must be a section, [skills]",
    ),
    "skills is a list of sections": (
        lambda path: write(path, "[[skills]]\n"),
        "1:3: skills must be a section, [skills]",
    ),
    "directories is a text": (
        lambda path: write(path, '[skills]\ndirectories = "a"\n'),
        "2:15: directories must be a list of paths",
    ),
    "an entry is a number": (
        lambda path: write(path, '[skills]\ndirectories = ["a", 1]\n'),
        "2:21: an entry of directories must be a path in quotes",
    ),
    "an entry is empty": (
        lambda path: write(path, '[skills]\ndirectories = [""]\n'),
        "2:16: an entry of directories is empty",
    ),
    "not UTF-8": (lambda path: write(path, b"\xff"), "not UTF-8"),
    "too large": (lambda path: write(path, b"#" * (MAX_MANIFEST_BYTES + 1)), "the limit is"),
    "a directory": (lambda path: path.mkdir(), "this is a directory"),
    "a pipe": (os.mkfifo, "this is a named pipe"),
    "a link to nothing": (lambda path: link(path, "nothing"), "leads nowhere"),
}


@pytest.mark.parametrize(("make", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_file_that_is_refused(tmp_path: Path, make: Callable[[Path], object], message: str) -> None:
    make(tmp_path / "manifest.toml")
    with pytest.raises(ManifestEditError) as caught:
        read_manifest(tmp_path / "manifest.toml", tmp_path)
    assert message in f"{caught.value.place}: {caught.value}"
    assert caught.value.help


def test_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = write_manifest(tmp_path / "manifest.toml", "a")
    with denied(path), pytest.raises(ManifestEditError, match="can't be read"):
        read_manifest(path, tmp_path)


def test_file_that_would_be_too_large(tmp_path: Path) -> None:
    path = write(tmp_path / "manifest.toml", b"#" * (MAX_MANIFEST_BYTES - 10))
    with pytest.raises(ManifestEditError, match="would have more than 262,144 bytes"):
        add_entries(read_manifest(path, tmp_path), ["a"])


def test_name_that_is_not_utf8(tmp_path: Path) -> None:
    manifest = read_manifest(tmp_path / "manifest.toml", tmp_path)
    with pytest.raises(ManifestEditError, match="not UTF-8 can't be written in TOML"):
        add_entries(manifest, [os.fsdecode(b"caf\xe9")])


@pytest.mark.parametrize("before", [None, b"", b"x = 1\n"], ids=["none", "empty", "text"])
def test_file_that_changed_meanwhile_is_left(tmp_path: Path, before: bytes | None) -> None:
    path = write(tmp_path / "manifest.toml", "y = 2\n")
    with pytest.raises(ChangedError):
        write_edit(ManifestEdit(path, before, b"z = 3\n"))
    assert path.read_text() == "y = 2\n"


def test_lock_is_on_the_directory_of_the_file_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workspaces may have links to one manifest."""
    fcntl = pytest.importorskip("fcntl")
    real = write(tmp_path / "shared" / "manifest.toml", "")
    path = link(tmp_path / ".insomnia" / "manifest.toml", real)
    locked = []
    monkeypatch.setattr(fcntl, "flock", lambda file, how: locked.append(os.fstat(file)))
    write_edit(ManifestEdit(path, b"", b"x = 1\n"))
    assert [os.path.samestat(status, real.parent.stat()) for status in locked] == [True]
    assert real.read_bytes() == b"x = 1\n"


def test_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    path = tmp_path / "manifest.toml"
    write_edit(ManifestEdit(path, None, b"x = 1\n"))
    assert path.read_bytes() == b"x = 1\n"


def test_of_many_that_write_at_once_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / ".insomnia" / "manifest.toml"
    names = [f"root-{number}" for number in range(16)]

    def add(name: str) -> None:
        while True:
            manifest = read_manifest(path, tmp_path)
            try:
                write_edit(add_entries(manifest, [name]))
            except ChangedError:
                continue
            return

    threads = [threading.Thread(target=add, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(entries_of(path.read_text())) == sorted(names)
    assert list(path.parent.iterdir()) == [path]


# Directories and entries.


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace root with a directory below, in which the command runs."""
    for name in ("root/sub/skills", "shared/skills", "linked"):
        (tmp_path / name).mkdir(parents=True)
    link(tmp_path / "linked" / "root", tmp_path / "root")
    link(tmp_path / "root" / "out", tmp_path / "shared" / "skills")
    monkeypatch.chdir(tmp_path / "root" / "sub")
    return tmp_path


ENTRIES = {
    "below the working directory": ("skills", "sub/skills"),
    "with a slash at the end": ("skills/", "sub/skills"),
    "below the root": ("../skills", "skills"),
    "the root": ("..", "."),
    "absolute, below the root": ("{top}/root/skills", "skills"),
    "below the root, by a link to it": ("{top}/linked/root/skills", "skills"),
    "a link in the root that leads out": ("../out", "out"),
    "outside": ("../../shared/skills", "../shared/skills"),
    "absolute, outside": ("{top}/shared/skills", "{top}/shared/skills"),
    "a literal tilde": ("~/skills", "sub/~/skills"),
}


@pytest.mark.parametrize(("given", "entry"), ENTRIES.values(), ids=ENTRIES)
def test_entry_for_a_directory(place: Path, given: str, entry: str) -> None:
    given, entry = given.format(top=place), entry.format(top=place)
    assert entry_for(given, place / "root") == entry


def test_entry_of_a_root_that_is_reached_by_a_link(place: Path) -> None:
    """From there ".." leads elsewhere."""
    link(place / "deep" / "er" / "root", place / "root")
    given = "../../shared/skills"
    assert entry_for(given, place / "deep" / "er" / "root") == str(place / "shared" / "skills")


def test_entry_on_another_drive(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: object, start: object) -> str:
        raise ValueError

    monkeypatch.setattr(os.path, "relpath", fail)
    assert entry_for("../../shared/skills", place / "root") == str(place / "shared" / "skills")


def test_entry_in_the_users_manifest_never_leads_up(place: Path) -> None:
    config = place / "config"
    assert entry_for("skills", config, outward=False) == str(place / "root" / "sub" / "skills")
    assert entry_for("../../config/more", config, outward=False) == "more"


FOUND = {
    "as written": ("sub/skills", ["sub/skills"], [0]),
    "as written, but for a slash": ("sub/skills/", ["sub/skills"], [0]),
    "as written, gone": ("far/gone", ["x", "far/gone"], [1]),
    "here, not as written": ("../gone", ["x", "../gone"], []),
    "here alone": ("./skills", ["skills", "sub/skills"], [1]),
    "absolute alone": ("{top}/root/sub/skills", ["skills", "sub/skills"], [1]),
    "from the working directory": ("skills", ["x", "sub/skills"], [1]),
    "from the working directory, gone": ("gone", ["sub/gone"], [0]),
    "absolute": ("{top}/shared/skills", ["../shared/skills"], [0]),
    "by a link": ("../out", ["../shared/skills"], [0]),
    "twice": ("skills", ["sub/skills", "x", "./sub/skills"], [0, 2]),
    "a tilde as written": ("~/x", ["~/x"], [0]),
    "a tilde that the shell expanded": ("{home}/x", ["~/x"], [0]),
    "none": ("nothing", ["x"], []),
    "the root itself": ("/", ["/", "x"], [0]),
    "beside a name that no file can have": ("skills", ["a\\u0000b", "sub/skills"], [1]),
}


@pytest.mark.parametrize(("given", "entries", "found"), FOUND.values(), ids=FOUND)
def test_find_entries(place: Path, given: str, entries: list[str], found: list[int]) -> None:
    path = write_manifest(place / "manifest.toml", *entries)
    manifest = load_manifest(path, place / "root")
    given = given.format(top=place, home=os.path.expanduser("~"))
    assert find_entries(manifest, given) == found


def test_an_entry_that_is_the_path_of_another_is_ambiguous(place: Path) -> None:
    path = write_manifest(place / "manifest.toml", "skills", "sub/skills")
    with pytest.raises(AmbiguousEntryError):
        find_entries(load_manifest(path, place / "root"), "skills")
