"""The files of a skill beside its SKILL.md: scripts, references, assets and whatever else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from insomnia_skills.diagnostic import Diagnostic, Finding, Severity, diagnose
from insomnia_skills.file import broken_symlink, unreadable
from insomnia_skills.rule import rule
from insomnia_skills.sources import SKILL_FILE

_KINDS = {"scripts": "script", "references": "reference", "assets": "asset"}


@dataclass(frozen=True, slots=True)
class Resource:
    """One file below a skill directory.

    ``path`` is relative to the directory, with ``/`` between its parts. ``kind`` is ``script``,
    ``reference`` or ``asset`` after the directory it lies in, else ``other``. ``size`` is in
    bytes, 0 for what is no file. ``link`` is a symlink's target as written. ``readable`` is false
    for a link that leads out of the skill or nowhere, since the skill's own read rule does not
    cover it (decision: scope), and for what the system refuses to open.
    ``executable`` tells of a file that anybody may run, by its permissions; a Pod runs nothing, so
    files that differ in it alone are the same.
    """

    path: str
    kind: str
    size: int
    readable: bool = True
    link: str | None = None
    executable: bool = field(default=False, compare=False)


@rule(Severity.WARNING, "decision: scope")
def link_escapes_skill(target: str) -> Finding:
    """A symbolic link in a skill leads out of the skill directory.

    A Pod may read the skill directory and nothing else on the skill's behalf, and paths are
    compared after links are resolved. So what the link leads to cannot be read.

    Fails:
        -- docs/house-style.md --
        Short sentences.
        -- skills/letter/SKILL.md --
        ---
        name: letter
        description: Draft a letter. Use when a letter is asked for.
        ---
        Keep to [the house style](style.md).
        -- skills/letter/style.md -> ../../docs/house-style.md --

    Passes:
        -- docs/house-style.md --
        Short sentences.
        -- skills/letter/SKILL.md --
        ---
        name: letter
        description: Draft a letter. Use when a letter is asked for.
        ---
        Keep to [the house style](style.md).
        -- skills/letter/style.md --
        Short sentences.
    """
    return Finding(
        f'leads out of the skill, to "{target}", where its read rule does not reach',
        help="put a copy of the file into the skill",
    )


def check_resources(directory: Path, resources: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Everything among the files of a skill directory that a Pod cannot read."""
    for resource in resources:
        if resource.readable:
            continue
        path = directory / resource.path
        if resource.link is None:
            finding = replace(unreadable("the system refuses it"), severity=Severity.WARNING)
            yield from diagnose(path, "", (finding,))
            continue
        if os.path.exists(path):
            yield from diagnose(path, "", (link_escapes_skill(resource.link),))
        elif resource.path != SKILL_FILE:
            finding = replace(broken_symlink(resource.link), severity=Severity.WARNING)
            yield from diagnose(path, "", (finding,))


def list_resources(directory: Path) -> list[Resource]:
    """Every file below a skill directory but its SKILL.md, in order of path.

    A SKILL.md that is a link is one of them: what it leads to may be out of a Pod's reach.

    Links to directories are listed but not followed. A directory that can't be listed is itself
    one of the list, and not readable.
    """
    real = os.path.realpath(directory)
    resources: list[Resource] = []
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(os.path.join(directory, below)) as entries:
                children = list(entries)
        except OSError:
            # What can't be listed is still there, and nobody knows what is in it.
            if below:
                resources.append(Resource(below, _kind(below), 0, readable=False))
            continue
        for child in children:
            path = f"{below}/{child.name}" if below else child.name
            if child.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif path != SKILL_FILE or child.is_symlink():
                resources.append(_resource(child, path, real))
    return sorted(resources, key=lambda resource: resource.path)


def _kind(path: str) -> str:
    directory, slash, _ = path.partition("/")
    return _KINDS.get(directory, "other") if slash else "other"


def _resource(entry: os.DirEntry[str], path: str, real: str) -> Resource:
    kind = _kind(path)
    link = None
    try:
        if not entry.is_symlink():
            status = entry.stat()
            readable = os.access(entry.path, os.R_OK)
            return Resource(path, kind, _size(status), readable, None, _is_executable(status))
        link = os.readlink(entry.path)
        target = os.path.realpath(entry.path)
        inside = target == real or target.startswith(os.path.join(real, ""))
        status = os.stat(target)
        return Resource(path, kind, _size(status), inside, link, _is_executable(status))
    except OSError:  # it leads nowhere, or went away since
        return Resource(path, kind, 0, readable=False, link=link)


def _size(status: os.stat_result) -> int:
    """The bytes of a file; the size of a directory or a device says nothing of what is in it."""
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _is_executable(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and bool(status.st_mode & 0o111)
