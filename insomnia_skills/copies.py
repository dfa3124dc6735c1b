"""Two records side by side: which fields, and which files beside their SKILL.md, differ."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from insomnia_skills.resources import Resource
    from insomnia_skills.workflow import WorkflowRecord

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
    """The files beside two SKILL.md that differ, in order of path; each is read when asked for."""
    from insomnia_skills.resources import list_resources

    ours = {file.path: file for file in list_resources(kept.directory)} if kept.directory else {}
    theirs = {file.path: file for file in list_resources(lost.directory)} if lost.directory else {}
    for path in sorted(ours.keys() | theirs.keys()):
        if path not in theirs:
            yield FileDifference(path, FileChange.ONLY_KEPT)
        elif path not in ours:
            yield FileDifference(path, FileChange.ONLY_LOST)
        elif kept.directory and lost.directory:
            change = _change(ours[path], theirs[path], kept.directory, lost.directory)
            if change is not None:
                yield FileDifference(path, change)


def _change(ours: Resource, theirs: Resource, kept: Path, lost: Path) -> FileChange | None:
    import filecmp

    if ours.link != theirs.link:
        return FileChange.LINK
    if ours.size != theirs.size:
        return FileChange.CONTENT
    if ours.readable != theirs.readable:
        return FileChange.UNREADABLE
    if ours.link is not None and (kept / ours.path).is_dir():
        return None  # what is in the directory is compared where it lies
    try:
        same = filecmp.cmp(kept / ours.path, lost / ours.path, shallow=False)
    except OSError:
        return FileChange.UNREADABLE
    return None if same else FileChange.CONTENT
