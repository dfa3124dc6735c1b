"""Two records side by side: which fields, and which files beside their SKILL.md, differ."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from insomnia_skills.limits import MAX_COMPARED_BYTES

if TYPE_CHECKING:
    from insomnia_skills.resources import Resource
    from insomnia_skills.workflow import WorkflowRecord

_CHUNK = 64 * 1024

COMPARED_FIELDS = (
    "description",
    "model_invokation",
    "user_invocable",
    "requires",
    "license",
    "compatibility",
    "metadata",
    "allowed_tools",
)
"""The fields of a record that are compared, in the order in which they are told."""


class FieldDifference(NamedTuple):
    """A field with the values that two records have for it."""

    name: str
    kept: Any
    lost: Any


class FileChange(StrEnum):
    """What is not the same about a file beside two SKILL.md."""

    ONLY_KEPT = "only-kept"
    ONLY_LOST = "only-lost"
    CONTENT = "content"
    LINK = "link"
    UNREADABLE = "unreadable"
    TOO_MUCH = "too-much"


class FileDifference(NamedTuple):
    """A file by its path in the skill directory, with ``/`` between the parts."""

    path: str
    change: FileChange


def compare_fields(kept: WorkflowRecord, lost: WorkflowRecord) -> Iterator[FieldDifference]:
    """The fields that differ, in the order of `COMPARED_FIELDS`."""
    for name in COMPARED_FIELDS:
        ours, theirs = getattr(kept, name), getattr(lost, name)
        if ours != theirs:
            yield FieldDifference(name, ours, theirs)


def compare_files(kept: WorkflowRecord, lost: WorkflowRecord) -> Iterator[FileDifference]:
    """The files beside two SKILL.md that differ, in order of path; each is read when asked for.

    Where there are more files than are looked at, the skill's directory, ".", is the last one.
    """
    ours, have_all_ours = _files(kept.directory)
    theirs, have_all_theirs = _files(lost.directory)
    left = MAX_COMPARED_BYTES
    for path in sorted(ours.keys() | theirs.keys()):
        if path not in theirs:
            yield FileDifference(path, FileChange.ONLY_KEPT)
        elif path not in ours:
            yield FileDifference(path, FileChange.ONLY_LOST)
        elif kept.directory and lost.directory:
            change = _change(ours[path], theirs[path], kept.directory, lost.directory, left)
            if change is not None:
                yield FileDifference(path, change)
            if change is not FileChange.TOO_MUCH:
                left -= min(left, ours[path].size)
    if not (have_all_ours and have_all_theirs):
        yield FileDifference(".", FileChange.TOO_MUCH)


def _files(directory: Path | None) -> tuple[dict[str, Resource], bool]:
    """The files of a skill by their paths, and whether these are all."""
    from insomnia_skills.resources import all_resources

    files, is_whole = all_resources(directory) if directory else ([], True)
    return {file.path: file for file in files}, is_whole


def _change(
    ours: Resource, theirs: Resource, kept: Path, lost: Path, left: int
) -> FileChange | None:
    """What is not the same about a file, of which ``left`` bytes may be read."""
    if ours.link != theirs.link:
        return FileChange.LINK
    if ours.size != theirs.size:
        return FileChange.CONTENT
    if ours.readable != theirs.readable:
        return FileChange.UNREADABLE
    if ours.link is not None and os.path.isdir(kept / ours.path):
        return None  # what is in the directory is compared where it lies
    if ours.size > left:
        return FileChange.TOO_MUCH
    try:
        same = _have_same_bytes(kept / ours.path, lost / ours.path, ours.size)
    except OSError:
        return FileChange.UNREADABLE
    return None if same else FileChange.CONTENT


def _have_same_bytes(one: Path, other: Path, size: int) -> bool:
    """Whether two files have the same bytes; no more than ``size`` of each, and one, are read."""
    with _opened(one) as ours, _opened(other) as theirs:
        while size >= 0:
            data = ours.read(min(size + 1, _CHUNK))
            if data != theirs.read(len(data) or 1):
                return False
            if not data:
                return True
            size -= len(data)
    return False  # both have grown


def _opened(path: Path) -> BinaryIO:
    """A regular file to read; it raises `OSError` for anything else, and waits for nothing."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return open(descriptor, "rb")
