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
from insomnia_skills.file import (
    broken_symlink,
    is_link,
    is_own_directory,
    is_shared,
    link_escapes_skill,
    refused,
    tree_around,
    unreadable,
)
from insomnia_skills.judged import Judged, SkillReading
from insomnia_skills.limits import MAX_SIBLINGS, MAX_SKILL_FILES
from insomnia_skills.rule import rule
from insomnia_skills.scan import Found, wrong_case_filename
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workspace import real_path

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


@rule(Severity.WARNING, "decision: bounded input")
def too_many_files() -> Finding:
    """The skill directory has more files and directories than a skill can need.

    All of them become readable for a Pod, and many are hardly there on purpose: what a package
    manager or a build puts into a directory, say. The limit is 10,000; those after that are not
    looked at, so nobody says which of them can't be read.

    Fails:
        -- chart/SKILL.md --
        ---
        name: chart
        description: Draw a chart of a table. Use when asked for a diagram.
        ---
        Run `scripts/draw.js` on the table.
        -- chart/scripts/draw.js --
        import "d3";
        -- chart/node_modules/ (10001 files) --

    Passes:
        -- chart/SKILL.md --
        ---
        name: chart
        description: Draw a chart of a table. Use when asked for a diagram.
        ---
        Run `scripts/draw.js` on the table, after `npm install -g d3`.
        -- chart/scripts/draw.js --
        import "d3";
    """
    return Finding(
        f"the skill has more than {MAX_SKILL_FILES:,} files and directories, those after that are "
        "not looked at",
        help="take out what is no part of the skill, such as node_modules",
    )


@rule(Severity.WARNING, "decision: where skills come from")
def skill_in_skill(nested: list[str]) -> Finding:
    """Other skills lie in the skill directory, and none of them is ingested or checked.

    A directory with a SKILL.md is one skill with all that lies in it: insomnia looks for no more
    below it. A directory named ``skills`` in it is a collection, such as that of a repository with
    a SKILL.md at its top, and hidden so. Elsewhere it is often meant, as a skill leads to parts of
    it or brings templates, and only an info.

    Fails:
        -- office/SKILL.md --
        ---
        name: office
        description: Write letters and invoices. Use when the user asks for one.
        ---
        Choose the kind of document first.
        -- office/skills/invoice/SKILL.md --
        ---
        name: invoice
        description: Fill in an invoice. Use when the user asks for one.
        ---
        Number it after the last one in the ledger.

    Passes:
        -- office/SKILL.md --
        ---
        name: office
        description: Write letters and invoices. Use when the user asks for one.
        ---
        Choose the kind of document first.
        -- invoice/SKILL.md --
        ---
        name: invoice
        description: Fill in an invoice. Use when the user asks for one.
        ---
        Number it after the last one in the ledger.
    """
    first = f'"{nested[0]}"'
    what = (
        f"{first} lies in this skill, and is no skill of its own"
        if len(nested) == 1
        else f"{len(nested):,} SKILL.md (such as {first}) lie in this skill, and are no skills of "
        "their own"
    )
    are_many = any("skills" in path.split("/")[:-1] for path in nested)
    severity = None if are_many else Severity.INFO
    return Finding(what, help="move what is to be one out of it", severity=severity)


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
    said: tuple[Diagnostic, ...] = ()
    nested: list[str] = []
    unreachable: list[Resource] = []
    for path, entry in _files(directory, entries):
        if path == _TOO_MANY:
            said = diagnose(Path(directory, SKILL_FILE), "", (too_many_files(),))
            continue
        if path.endswith(SKILL_FILE):
            nested += [path] if path.endswith(_NESTED) else []
        else:
            is_empty = False
        if entry is None:
            unreachable.append(Resource(path, _kind(path), 0, readable=False))
        elif is_link(entry) or not os.access(entry.path, os.R_OK):
            resource = _resource(entry, path, directory)
            if not resource.readable:
                unreachable.append(resource)
    if nested:
        nested.sort()
        said += diagnose(Path(directory, SKILL_FILE), "", (skill_in_skill(nested),))
    if not unreachable:
        return Beside(is_empty, said)
    unreachable.sort(key=lambda resource: resource.path)
    return Beside(is_empty, (*said, *_judge(directory, unreachable)))


def _judge(directory: str, unreachable: Iterable[Resource]) -> Iterator[Diagnostic]:
    for resource in unreachable:
        path = Path(directory, resource.path)
        if resource.link is None:
            finding = _refused(path)._replace(severity=Severity.WARNING)
            yield from diagnose(path, "", (finding,))
        elif resource.path == SKILL_FILE and not is_shared(path, real_path(path)):
            continue  # whoever reads it says so
        elif os.path.exists(path):
            yield from diagnose(path, "", (link_escapes_skill(resource.link),))
        else:
            finding = broken_symlink(resource.link)._replace(severity=Severity.WARNING)
            yield from diagnose(path, "", (finding,))


def _refused(path: Path) -> Finding:
    """Why a file or a directory can't be read."""
    try:
        if stat.S_ISDIR(os.lstat(path).st_mode):
            os.scandir(path).close()
    except OSError as error:
        return refused(error)
    return unreadable("the system refuses it")


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
            self._real = real_path(self._directory)
            self._around = os.path.join(tree_around(Path(self._real)), "")
        place = os.path.normpath(os.path.join(self._real, path))
        is_around = os.path.join(place, "").startswith(self._around)
        return os.path.exists(place) or not (is_around or os.path.basename(place) == SKILL_FILE)


def list_resources(directory: str | os.PathLike[str]) -> list[Resource]:
    """Every file below a skill directory but its SKILL.md, in order of path.

    A SKILL.md that is a link is one of them: what it leads to may be out of a Pod's reach.

    Links to directories are listed but not followed. A directory that can't be listed is itself
    one of the list, and not readable. Of a skill with too many files only some are there
    (decision: bounded input); `all_resources` says so.
    """
    return all_resources(directory)[0]


def all_resources(directory: str | os.PathLike[str]) -> tuple[list[Resource], bool]:
    """`list_resources`, and whether these are all of them."""
    place = os.fspath(directory)
    is_whole = True
    resources = []
    for path, entry in _files(place):
        if path == _TOO_MANY:
            is_whole = False
        elif entry is None:
            resources.append(Resource(path, _kind(path), 0, readable=False))
        else:
            resources.append(_resource(entry, path, place))
    return sorted(resources, key=lambda resource: resource.path), is_whole


_NESTED = f"/{SKILL_FILE}"
_TOO_MANY = ""
"""Stands for a path where there are more files than are looked at."""


def _files(
    directory: str, entries: Iterable[os.DirEntry[str]] | None = None
) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """The files below a skill directory with their paths from it, in no order.

    Without an entry comes a directory that can't be listed, and, as the last one, `_TOO_MANY`.
    """
    left = MAX_SKILL_FILES
    waiting = [""]
    while waiting:
        below = waiting.pop()
        children = entries if not below else None
        if children is None:
            try:
                with os.scandir(os.path.join(directory, below.replace("/", os.sep))) as listed:
                    children = list(listed)
            except OSError:
                # What can't be listed is still there, and nobody knows what is in it.
                if below:
                    yield below, None
                continue
        prefix = f"{below}/" if below else ""
        for child in children:
            if not left:
                yield _TOO_MANY, None
                return
            left -= 1
            path = prefix + child.name
            if is_own_directory(child):
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
        if not is_link(entry):
            status = entry.stat()
            readable = os.access(entry.path, os.R_OK)
            return Resource(path, kind, _size(status), readable, None, _is_executable(status))
        link = os.readlink(entry.path)
        real, target = real_path(directory), real_path(entry.path)
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
