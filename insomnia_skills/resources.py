"""The files of a skill beside its SKILL.md: scripts, references, assets and whatever else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Finding, Severity, diagnose
from insomnia_skills.file import broken_symlink, unreadable
from insomnia_skills.judged import Judged, SkillReading
from insomnia_skills.rule import rule
from insomnia_skills.scan import Found, wrong_case_filename
from insomnia_skills.sources import SKILL_FILE

_KINDS = {"scripts": "script", "references": "reference", "assets": "asset"}


# A skills root may be any directory, and each entry costs a look.
MAX_SIBLINGS = 200


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


def look_beside(found: Found, judged: Judged, thorough: bool) -> SkillReading:
    """Add what is to be said of the other files of a skill; of all of them where ``thorough``."""
    directory = os.path.dirname(found.file)
    beside = check_resources(directory, found.entries).diagnostics if thorough else ()
    return reading_of(found, judged, beside)


def reading_of(found: Found, judged: Judged, beside: tuple[Diagnostic, ...]) -> SkillReading:
    """What was judged of a SKILL.md, and ``beside`` of other files, as one."""
    record, diagnostics, ignores, *_ = judged
    for name in found.beside:
        wrong = wrong_case_filename(name, beside=True)
        diagnostics += diagnose(found.directory / name, "", (wrong,))
    return SkillReading(record, diagnostics + beside, ignores)


class Beside(NamedTuple):
    """What lies in a skill directory beside its SKILL.md, as far as a check goes.

    ``is_empty`` says that there is no file, or nothing but SKILL.md files of other skills.
    """

    is_empty: bool
    diagnostics: tuple[Diagnostic, ...]


def check_resources(directory: str, entries: Iterable[os.DirEntry[str]] | None = None) -> Beside:
    """Find everything among the files of a skill directory that a Pod cannot read.

    ``entries`` is what the directory has, where that is known.
    """
    is_empty = True
    unreachable: list[Resource] = []
    for path, entry in _files(directory, entries):
        is_empty = is_empty and path.endswith(SKILL_FILE)
        if entry is None:
            unreachable.append(Resource(path, _kind(path), 0, readable=False))
        elif entry.is_symlink() or not os.access(entry.path, os.R_OK):
            resource = _resource(entry, path, directory)
            if not resource.readable:
                unreachable.append(resource)
    if not unreachable:
        return Beside(is_empty, ())
    unreachable.sort(key=lambda resource: resource.path)
    return Beside(is_empty, tuple(_judge(directory, unreachable)))


def _judge(directory: str, unreachable: Iterable[Resource]) -> Iterator[Diagnostic]:
    for resource in unreachable:
        path = Path(directory, resource.path)
        if resource.link is None:
            finding = unreadable("the system refuses it")._replace(severity=Severity.WARNING)
            yield from diagnose(path, "", (finding,))
        elif os.path.exists(path):
            yield from diagnose(path, "", (link_escapes_skill(resource.link),))
        elif resource.path != SKILL_FILE:
            finding = broken_symlink(resource.link)._replace(severity=Severity.WARNING)
            yield from diagnose(path, "", (finding,))


@lru_cache(maxsize=1024)
def ships_files(root: str) -> bool:
    """Whether a skill that lies directly in ``root`` has a file beside its SKILL.md.

    Of a large root the first skills in order of name are looked at, and no more than that. It is
    told once for each root; a new `Reader` asks again.
    """
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return False
    skills = (os.path.join(root, name) for name in names[:MAX_SIBLINGS])
    return any(
        name != SKILL_FILE and not name.startswith(".")
        for skill in skills
        if os.path.isfile(os.path.join(skill, SKILL_FILE))
        for _, _, files in islice(os.walk(skill), MAX_SIBLINGS)
        for name in files
    )


class Answers:
    """Tells whether a path relative to a skill directory exists, and whether the skill is alone.

    What it has told is kept: ``given`` and ``alone``, which is None as long as nobody asked.
    Outside the skill that is asked only within its repository, or where there is none, within the
    parent of its skills root; and anywhere for a SKILL.md. What lies elsewhere counts as existing.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._real = ""
        self._around = ""
        self.given: dict[str, bool] = {}
        self.alone: bool | None = None

    def __call__(self, path: str) -> bool:
        answer = self.given.get(path)
        if answer is None:
            answer = self.given[path] = self._exists(path)
        return answer

    def is_alone(self) -> bool:
        """Whether a skill has no files but its SKILL.md, and neither have those around it.

        Then what it speaks of was probably taken away.
        """
        if self.alone is None:
            is_empty = check_resources(self._directory).is_empty
            self.alone = is_empty and not ships_files(os.path.dirname(self._directory))
        return self.alone

    def _exists(self, path: str) -> bool:
        if not path.startswith("../"):
            return os.path.exists(os.path.join(self._directory, path))
        if not self._real:
            self._real = os.path.realpath(self._directory)
            self._around = os.path.join(_tree(Path(self._real)), "")
        place = os.path.normpath(os.path.join(self._real, path))
        is_around = os.path.join(place, "").startswith(self._around)
        return os.path.exists(place) or not (is_around or os.path.basename(place) == SKILL_FILE)


def _tree(directory: Path) -> Path:
    """The directory around a skill that is sure to belong to it; never the whole file system."""
    above = [parent for parent in directory.parents if parent != parent.parent]
    repositories = (parent for parent in (directory, *above) if os.path.exists(parent / ".git"))
    return next(repositories, (directory, *above)[:3][-1])


def list_resources(directory: str | os.PathLike[str]) -> list[Resource]:
    """Every file below a skill directory but its SKILL.md, in order of path.

    A SKILL.md that is a link is one of them: what it leads to may be out of a Pod's reach.

    Links to directories are listed but not followed. A directory that can't be listed is itself
    one of the list, and not readable.
    """
    place = os.fspath(directory)
    resources = [
        Resource(path, _kind(path), 0, readable=False)
        if entry is None
        else _resource(entry, path, place)
        for path, entry in _files(place)
    ]
    return sorted(resources, key=lambda resource: resource.path)


def _files(
    directory: str, entries: Iterable[os.DirEntry[str]] | None = None
) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """The files below a skill directory with their paths from it, in no order.

    Without an entry comes a directory that can't be listed.
    """
    waiting = [""]
    while waiting:
        below = waiting.pop()
        children = entries if not below else None
        if children is None:
            try:
                with os.scandir(f"{directory}/{below}") as listed:
                    children = list(listed)
            except OSError:
                # What can't be listed is still there, and nobody knows what is in it.
                if below:
                    yield below, None
                continue
        prefix = f"{below}/" if below else ""
        for child in children:
            path = prefix + child.name
            if child.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif path != SKILL_FILE or child.is_symlink():
                yield path, child


def _kind(path: str) -> str:
    directory, slash, _ = path.partition("/")
    return _KINDS.get(directory, "other") if slash else "other"


def _resource(entry: os.DirEntry[str], path: str, directory: str) -> Resource:
    kind = _kind(path)
    link = None
    try:
        if not entry.is_symlink():
            status = entry.stat()
            readable = os.access(entry.path, os.R_OK)
            return Resource(path, kind, _size(status), readable, None, _is_executable(status))
        link = os.readlink(entry.path)
        real, target = os.path.realpath(directory), os.path.realpath(entry.path)
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
