"""Edits of ``[skills] directories`` in a manifest that leave all else as it was written.

tomlkit writes what is not there yet, the key in a section that has no header of its own, and
quotes. A list that is there is edited by `toml_list`: tomlkit's own drops the comment behind an
entry that goes, and may put a comma behind a comment. Whatever comes out is parsed again and
compared.
"""

from __future__ import annotations

import os
import re
import time
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from errno import EWOULDBLOCK
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.edit.toml_list import line_end_of, quoted, read_list
from insomnia_skills.edit.write import ChangedError, directories_for, replace_file
from insomnia_skills.file import decode, read_bytes
from insomnia_skills.limits import MAX_MANIFEST_BYTES
from insomnia_skills.manifest import Manifest, load_manifest
from insomnia_skills.toml_spans import STRING, read_toml
from insomnia_skills.workspace import real_path

LOCKED_SECONDS = 10.0
"""So long another program may have the directory locked; each edit of this one takes far less."""

_LOOK_AGAIN_SECONDS = 0.02
_BY_HAND = "edit the manifest by hand"
_BOM = b"\xef\xbb\xbf"
_COMMENTS = re.compile(rf"{STRING.pattern}|(#[^\r\n]*)", re.DOTALL)
_HEADER_START = re.compile(r"[ \t]*\[[ \t]*")
_HEADER_END = re.compile(r"[ \t]*\][^\n]*\n?")


class ManifestEditError(Exception):
    """A manifest that can't be edited; ``help`` is the next step.

    ``place`` is line and column of what is in the way, "2:8", where that is known.
    """

    def __init__(self, message: str, help: str = _BY_HAND, place: str = "") -> None:
        super().__init__(message)
        self.help = help
        self.place = place


class ManifestText(NamedTuple):
    """A manifest that can be edited: what it says, and the bytes that say it (None: not there)."""

    manifest: Manifest
    data: bytes | None

    @property
    def text(self) -> str:
        return (self.data or b"").removeprefix(_BOM).decode()


class ManifestEdit(NamedTuple):
    """A manifest with other bytes; ``before`` is None where the file is not there yet."""

    path: Path
    before: bytes | None
    after: bytes


def read_manifest(path: Path, base: Path) -> ManifestText:
    """A manifest, to be edited. A missing one says nothing yet.

    Raises `ManifestEditError` for one that is not TOML, has wrong types in ``[skills]``, is no
    regular file, too large or unreadable.
    """
    read = read_bytes(path, MAX_MANIFEST_BYTES)
    data = None if isinstance(read, Finding) else read
    manifest = load_manifest(path, base, None if data is None else decode(data))
    for diagnostic in manifest.diagnostics:
        if diagnostic.severity is Severity.ERROR:
            raise ManifestEditError(
                diagnostic.message,
                diagnostic.help or "mend it, then try again",
                f"{diagnostic.line}:{diagnostic.column}",
            )
    return ManifestText(manifest, data)


def add_entries(
    manifest: ManifestText, entries: Sequence[str], before: int | None = None
) -> ManifestEdit:
    """More ``[skills] directories``, as the last ones or before the one of an index.

    The section and the key are made where they are not there. Raises `ManifestEditError`.
    """
    text = manifest.text
    data, _ = read_toml(text)
    if "directories" not in data.get("skills", {}):
        return _edit(manifest, _with_key(text, entries), entries)
    values = _values(manifest)
    at = len(values) if before is None else before
    written = read_list(text, "skills", "directories")
    for number, entry in enumerate(entries):
        written = written.insert(at + number, quoted(entry, written.items))
    return _edit(manifest, written.text(), [*values[:at], *entries, *values[at:]])


def remove_entries(manifest: ManifestText, indexes: Collection[int]) -> ManifestEdit:
    """The manifest without the entries of these indexes. Raises `ManifestEditError`."""
    written = read_list(manifest.text, "skills", "directories")
    for index in sorted(indexes, reverse=True):
        written = written.remove(index)
    left = [value for index, value in enumerate(_values(manifest)) if index not in indexes]
    return _edit(manifest, written.text(), left)


def move_entry(manifest: ManifestText, index: int, to: int) -> ManifestEdit:
    """An entry at another index, counted without it. Raises `ManifestEditError`.

    A comment behind it on its line goes with it, and so do those right above it.
    """
    written = read_list(manifest.text, "skills", "directories").move(index, to)
    values = _values(manifest)
    values.insert(to, values.pop(index))
    return _edit(manifest, written.text(), values)


def write_edit(edit: ManifestEdit) -> None:
    """Write an edit, and make the directory for it where there is none.

    Raises `ChangedError` where the file is not as it was before the edit, else `OSError` where it
    can't be written, also where another program keeps it locked for long. Of two that write at
    once the second one finds what the first one wrote.
    """
    directory = os.path.dirname(real_path(edit.path))
    with directories_for(edit.path), _locked(directory):
        if edit.before is None and os.path.lexists(edit.path):
            raise ChangedError(str(edit.path))
        replace_file(edit.path, edit.after, edit.before)


@contextmanager
def _locked(directory: str) -> Iterator[None]:
    """Keep others that lock the directory waiting, where the system has such locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        until = time.monotonic() + LOCKED_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise OSError(EWOULDBLOCK, "another program has it locked") from None
                time.sleep(_LOOK_AGAIN_SECONDS)
            except OSError:  # some network disks have no locks
                break
            else:
                break
        yield
    finally:
        os.close(descriptor)


def _values(manifest: ManifestText) -> list[str]:
    return [entry.value for entry in manifest.manifest.entries]


def _with_key(text: str, entries: Sequence[str]) -> str:
    """The text of a manifest that has no directories, with some."""
    data, spans = read_toml(text)
    end = line_end_of(text)
    key = "directories = [\n" + "".join(f"  {quoted(entry)},\n" for entry in entries) + "]\n"
    key = key.replace("\n", end)
    if "skills" not in data:
        gap = end if text and not text.endswith("\n") else ""
        gap += end if text.strip() and not text.endswith((2 * end, "\n\n")) else ""
        return f"{text}{gap}[skills]{end}{key}"
    name_start, name_end = spans.key("skills")
    line_start = text.rfind("\n", 0, name_start) + 1
    header_end = _HEADER_END.match(text, name_end)
    if header_end and _HEADER_START.fullmatch(text, line_start, name_start):
        at = header_end.end()
        gap = "" if text[:at].endswith("\n") else end
        return f"{text[:at]}{gap}{key}{text[at:]}"
    return re.sub(r"(?<!\r)\n", end, _with_key_of_tomlkit(text, entries))


def _with_key_of_tomlkit(text: str, entries: Sequence[str]) -> str:
    import tomlkit

    try:
        document = tomlkit.parse(text)
        document["skills"]["directories"] = list(entries)
        return tomlkit.dumps(document)
    except Exception as error:  # tomlkit has faults of its own on rare layouts
        raise ManifestEditError(f"can't write [skills] directories: {error}") from None


def _edit(manifest: ManifestText, text: str, entries: Sequence[str]) -> ManifestEdit:
    """The edit, if its text says what was meant, all else as before, with all comments."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ManifestEditError(
            "a path that is not UTF-8 can't be written in TOML",
            "give the directory, or a link to it, a name in UTF-8",
        ) from None
    wanted = tomllib.loads(manifest.text, parse_float=str)
    wanted.setdefault("skills", {})["directories"] = list(entries)
    try:
        is_meant = tomllib.loads(text, parse_float=str) == wanted
    except (tomllib.TOMLDecodeError, RecursionError):
        is_meant = False
    if not is_meant or _comments(text) != _comments(manifest.text):
        raise ManifestEditError("the list of directories is laid out in a way this can't edit")
    if manifest.data and manifest.data.startswith(_BOM):
        data = _BOM + data
    if len(data) > MAX_MANIFEST_BYTES:
        limit = f"{MAX_MANIFEST_BYTES:,}"
        raise ManifestEditError(f"the manifest would have more than {limit} bytes")
    return ManifestEdit(manifest.manifest.path, manifest.data, data)


def _comments(text: str) -> Counter[str]:
    return Counter(match[1] for match in _COMMENTS.finditer(text) if match[1])
