"""Finding skills: the direct children of a skills root, or all that lies in a tree."""

from __future__ import annotations

import errno
import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from insomnia_skills.diagnostic import Diagnostic, Finding, Fix, Severity, diagnose
from insomnia_skills.file import (
    broken_symlink,
    is_link,
    is_own_directory,
    link_target,
    read_skill_text,
    refused,
)
from insomnia_skills.limits import MAX_NESTED_DIRECTORIES, MAX_SEARCHED_DIRECTORIES
from insomnia_skills.rule import rule
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workspace import MARKER, Workspace, real_path

Tick: TypeAlias = Callable[[], None]
"""Is called again and again during long work: to show progress, or to raise and so end it."""


def no_tick() -> None:
    """Nobody looks on."""


class TooManyDirectoriesError(OSError):
    """There is more below a directory than is searched (decision: bounded input)."""

    def __init__(self, top: Path) -> None:
        what = f"more than {MAX_SEARCHED_DIRECTORIES:,} directories to search"
        super().__init__(errno.EOVERFLOW, what, str(top))


_SKIPPED_DIRECTORIES = frozenset((".git", "node_modules"))
_OF_THE_SYSTEM = ("/proc", "/sys", "/dev")
_MOST_KEPT = 100
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
_SKILL_FIELDS = re.compile(r"---\s*\n(?:name|description):.*\n(?:name|description):")


@dataclass(slots=True)
class Found:
    """A skill directory, or what stands where one should be.

    ``name`` is the directory's name (a link's own name), ``file`` the path of the SKILL.md.
    ``finding`` says why there is nothing to read there; ``beside`` are names of files in the
    directory that are nearly right. ``entries`` is what the directory was seen to have.
    """

    name: str
    file: str
    finding: Finding | None = None
    beside: tuple[str, ...] = ()
    entries: Sequence[os.DirEntry[str]] | None = field(default=None, compare=False, repr=False)

    @property
    def path(self) -> Path:
        return Path(self.file)

    @property
    def directory(self) -> Path:
        return Path(os.path.dirname(self.file))


@rule(Severity.ERROR, "specification: directory structure", fix="safe")
def wrong_case_filename(name: str, beside: bool, alone: bool = True) -> Finding:
    """The file's name is ``SKILL.md`` in the wrong case.

    On Linux it is another name, and only a file named exactly ``SKILL.md`` is read. Beside a
    real ``SKILL.md`` it is a leftover that a disk without case would mix up with it, and only a
    warning.

    Fails:
        -- release-notes/skill.md --
        ---
        name: release-notes
        description: Write release notes. Use when a release is being prepared.
        ---
        Begin with what breaks.

    Passes:
        -- release-notes/SKILL.md --
        ---
        name: release-notes
        description: Write release notes. Use when a release is being prepared.
        ---
        Begin with what breaks.
    """
    if beside:
        return Finding(
            f"{name} lies beside SKILL.md and is never read",
            help="remove it; a disk that ignores case mixes the two up",
            severity=Severity.WARNING,
        )
    return Finding(
        f"the file is named {name}, only SKILL.md is read",
        help=f"rename {name} to SKILL.md",
        # Of skill.md and Skill.md nobody knows which one was meant.
        fix=Fix("rename it to SKILL.md", rename=SKILL_FILE) if alone else None,
    )


@rule(Severity.WARNING, "decision: where skills come from")
def nested_skill(nested: list[str], more: bool) -> Finding:
    """Skills lie deeper in a skills root than its direct children, so they are not ingested.

    Often the root that was named is one level too high. Where the directory that they lie in is a
    skills root itself, they are ingested from there, and nothing is said.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ["skills"]
        -- skills/office/invoice/SKILL.md --
        ---
        name: invoice
        description: Fill in an invoice. Use when the user asks for one.
        ---
        Number it after the last one in the ledger.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ["skills/office"]
        -- skills/office/invoice/SKILL.md --
        ---
        name: invoice
        description: Fill in an invoice. Use when the user asks for one.
        ---
        Number it after the last one in the ledger.
    """
    first, count = nested[0], f"{len(nested)} or more" if more else str(len(nested))
    what = f'"{first}" lies' if count == "1" else f'{count} skills (such as "{first}") lie'
    return Finding(
        f"{what} too deep: only a root's direct children are skills",
        help=f'make "{os.path.dirname(first)}" in it a skills root of its own '
        "(insomnia-skills sources add), or move the skill up",
    )


def scan_root(
    root: Path, roots: Collection[str] = frozenset()
) -> tuple[list[Found], list[Diagnostic]]:
    """The skill directories of a root in order of name, and that some lie too deep in it.

    ``roots`` are the real paths of all roots that are read: what lies right in one of them is not
    too deep.
    """
    said: list[Diagnostic] = []
    return list(skills_in(root, roots, said)), said


def nested_skills(root: Path, roots: Collection[str] = frozenset()) -> list[Path]:
    """The skill directories that lie too deep in a root, as far as they are searched for.

    ``roots`` is as in `scan_root`.
    """
    below = _Below(root)
    for _ in _children(root, below):
        pass
    return [root / path for path in below.skills(roots)]


def skills_in(
    root: Path, roots: Collection[str], said: list[Diagnostic], tick: Tick = no_tick
) -> Iterator[Found]:
    """The skill directories of a root, one at a time; adds to ``said`` what lies too deep.

    ``roots`` is as in `scan_root`, ``tick`` is called for each child of the root.
    """
    below = _Below(root)
    yield from _children(root, below, tick)
    if nested := below.skills(roots):
        said += diagnose(root, "", (nested_skill(nested, not below.budget),))


class _Below:
    """What lies too deep in a root, and how many directories may still be searched for more."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths: list[str] = []
        self.budget = MAX_NESTED_DIRECTORIES

    def search(self, child: os.DirEntry[str]) -> None:
        """Look for skills below a child of the root, as far as the budget goes."""
        if self.budget and not _leads_up(child, self.root):
            below, self.budget = _nested_skills(child.path, self.budget)
            self.paths += (f"{child.name}/{path}" for path in below)

    def skills(self, roots: Collection[str]) -> list[str]:
        """Paths from the root, without what lies right in one of ``roots``."""
        parents = {os.path.dirname(path) for path in self.paths} if roots else ()
        read = {path for path in parents if real_path(self.root / path) in roots}
        return [path for path in self.paths if os.path.dirname(path) not in read]


def _children(root: Path, below: _Below, tick: Tick = no_tick) -> Iterator[Found]:
    """What lies right in a root; a child without a SKILL.md is searched for more."""
    try:
        with os.scandir(root) as entries:
            children = sorted(entries, key=_name_of)
    except OSError:  # it went away since the sources were ranked
        return
    for child in children:
        if child.name.startswith("."):
            continue
        tick()
        if not _is_directory(child):
            if child.is_symlink() and not os.path.exists(child.path):
                target = broken_symlink(link_target(child.path))
                yield Found(child.name, child.path, target)
            continue
        skill = look_at(child.path)
        if skill is not None:
            yield skill
        else:
            below.search(child)


def names_in(directory: Path) -> list[str]:
    """What a directory has, in order of name; nothing where it can't be listed.

    Whoever looks for a name asks the directory's own list, so that case counts on every disk.
    """
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def look_at(directory: str | os.PathLike[str]) -> Found | None:
    """The skill in one directory, or None where there is nothing like a SKILL.md.

    Names are compared with the directory's own list, so that case counts on every disk.
    """
    place = os.fspath(directory)
    try:
        with os.scandir(place) as listed:
            entries = list(listed)
    except OSError as error:
        return _unlisted(place, error)
    alike = _alike(entries)
    return _skill(place, entries, alike) if alike else None


def scan_tree(top: Path, tick: Tick = no_tick) -> Iterator[Found | Workspace]:
    """Every skill directory at or below ``top``, each real directory once, and every workspace.

    A workspace is given where its native Workflows lie below ``top``, or right in it. Left out:
    ``.git``, ``node_modules``, virtual environments, and whatever lies below a skill.
    Links to directories are followed after all real directories, so that a skill is found under
    its own name; a link to ``top`` or to a directory above it is not followed, nor one to where the
    system shows processes and devices as files. ``tick`` is called for each directory. Raises
    `TooManyDirectoriesError` where the search would go on and on.
    """
    bounded = _bounded(top, tick)
    for workspace in map(Workspace, top.parents[:3]):
        if top in (workspace.workflows, *workspace.workflows.parents[:2]):
            yield workspace
    links: deque[str] = deque()
    yield from _walk(str(top), links, bounded)
    if not links:
        return
    # Only a tree with links pays for knowing where it has been.
    seen = {_identity(parent) for parent in Path(real_path(top)).parents}
    for _ in _walk(str(top), deque(), tick, seen):
        pass
    while links:
        link = links.popleft()
        if _leads_to_the_system(link, top):
            continue
        yield from _walk(link, links, bounded, seen)


def _leads_to_the_system(link: str, top: Path) -> bool:
    """Whether a link leads to where the system shows processes and devices as files.

    From there links lead to every directory that a process has open.
    """
    real = real_path(link)
    return any(
        Path(real).is_relative_to(place) and not top.is_relative_to(place)
        for place in _OF_THE_SYSTEM
    )


def _bounded(top: Path, tick: Tick) -> Tick:
    """A tick that ends a search of too many directories."""
    numbers = count()

    def bounded() -> None:
        tick()
        if next(numbers) >= MAX_SEARCHED_DIRECTORIES:
            raise TooManyDirectoriesError(top)

    return bounded


def _walk(
    top: str, links: deque[str], tick: Tick, seen: set[tuple[int, int]] | None = None
) -> Iterator[Found | Workspace]:
    """`scan_tree` of real directories; adds the links to others to ``links``.

    With ``seen``, directories that are in it are left out, and the others added to it.
    """
    waiting = [top]
    while waiting:
        directory = waiting.pop()
        tick()
        try:
            if seen is not None and not _is_new(directory, seen):
                continue
            with os.scandir(directory) as listed:
                entries = list(listed)
        except OSError as error:
            yield _unlisted(directory, error)
            continue
        alike = _alike(entries)
        if alike and (SKILL_FILE in map(_name_of, alike) or any(map(_is_misnamed_skill, alike))):
            if MARKER in map(_name_of, entries):
                yield Workspace(Path(directory))
            yield _skill(directory, entries, alike)
            continue
        names = set(map(_name_of, entries))
        if _VIRTUAL_ENVIRONMENT in names:
            continue
        if MARKER in names:
            yield Workspace(Path(directory))
        below = [c for c in entries if c.name not in _SKIPPED_DIRECTORIES and _is_directory(c)]
        below.sort(key=_name_of)
        links += (child.path for child in below if is_link(child))
        waiting += (child.path for child in reversed(below) if not is_link(child))


def _is_new(directory: str, seen: set[tuple[int, int]]) -> bool:
    """Whether a directory is not yet in ``seen``; by then it is."""
    identity = _identity(directory)
    if identity in seen:
        return False
    seen.add(identity)
    return True


_name_of = attrgetter("name")


def _alike(entries: Iterable[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    """The entries that are named SKILL.md, whatever the case."""
    return [entry for entry in entries if len(entry.name) == 8 and entry.name.lower() == "skill.md"]


def _skill(
    directory: str, entries: Sequence[os.DirEntry[str]], alike: Iterable[os.DirEntry[str]]
) -> Found:
    """What is found in a directory, given which of its entries are ``alike``: one or more."""
    name, names = os.path.basename(directory), sorted(map(_name_of, alike))
    kept = entries if len(entries) <= _MOST_KEPT else None  # many skills wait to be read
    if names == [SKILL_FILE]:  # nearly always, and quicker
        return Found(name, os.path.join(directory, SKILL_FILE), entries=kept)
    first = names[0]
    if SKILL_FILE in names:
        names.remove(SKILL_FILE)
        return Found(name, os.path.join(directory, SKILL_FILE), None, tuple(names), kept)
    wrong = wrong_case_filename(first, beside=False, alone=len(names) == 1)
    return Found(name, os.path.join(directory, first), wrong)


def _unlisted(directory: str, error: OSError) -> Found:
    return Found(os.path.basename(directory), directory, refused(error))


def _identity(directory: str | os.PathLike[str]) -> tuple[int, int]:
    """What two paths to the same real directory have in common."""
    status = os.stat(directory)
    return status.st_dev, status.st_ino


def _is_misnamed_skill(entry: os.DirEntry[str]) -> bool:
    """Whether a file is a SKILL.md but for the case of its name.

    In a whole tree a skill.md may be a page about something else, so its fields must say so too.
    """
    return _SKILL_FIELDS.match(read_skill_text(entry.path).text) is not None


def _nested_skills(directory: str, budget: int) -> tuple[list[str], int]:
    """Paths of skill directories below ``directory``, relative to it, and what is left to look at.

    Links are not followed, so there are no loops.
    """
    nested: list[str] = []
    waiting = [directory]
    while waiting and budget:
        budget -= 1
        current = waiting.pop()
        try:
            with os.scandir(current) as entries:
                children = sorted(entries, key=lambda entry: entry.name, reverse=True)
        except OSError:
            continue
        names = {child.name for child in children}
        if _VIRTUAL_ENVIRONMENT in names or os.path.basename(current) in _SKIPPED_DIRECTORIES:
            continue
        if current != directory and SKILL_FILE in names:
            nested.append(os.path.relpath(current, directory).replace(os.sep, "/"))
            continue
        waiting += (
            child.path
            for child in children
            if not child.name.startswith(".") and is_own_directory(child)
        )
    return nested, budget


def _leads_up(entry: os.DirEntry[str], root: Path) -> bool:
    """Whether an entry is a link to ``root`` itself or to a directory above it."""
    if not is_link(entry):
        return False
    return Path(real_path(root)).is_relative_to(real_path(entry.path))


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads round in a circle
        return False
