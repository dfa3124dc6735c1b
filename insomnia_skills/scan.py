"""Finding skills: the direct children of a skills root, or all that lies in a tree."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from insomnia_skills.diagnostic import Diagnostic, Finding, Fix, Severity, diagnose
from insomnia_skills.file import broken_symlink, link_target, read_text, unreadable
from insomnia_skills.rule import rule
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workspace import MARKER, Workspace

MAX_NESTED_DIRECTORIES = 2000
"""Directories of one root that are searched for skills that lie too deep, to point them out."""

_SKIPPED_DIRECTORIES = frozenset((".git", "node_modules"))
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
_SKILL_FIELDS = re.compile(r"---\s*\n(?:name|description):.*\n(?:name|description):")


@dataclass(frozen=True, slots=True)
class Found:
    """A skill directory, or what stands where one should be.

    ``name`` is the directory's name (a link's own name), ``path`` the SKILL.md. ``finding`` says
    why there is nothing to read at ``path``; ``beside`` are files with a name that is nearly right.
    """

    name: str
    path: Path
    finding: Finding | None = None
    beside: tuple[Path, ...] = ()

    @property
    def directory(self) -> Path:
        return self.path.parent


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
    found, nested, more = _scan(root, roots)
    if not nested:
        return found, []
    return found, list(diagnose(root, "", (nested_skill(nested, more),)))


def nested_skills(root: Path, roots: Collection[str] = frozenset()) -> list[Path]:
    """The skill directories that lie too deep in a root, as far as they are searched for.

    ``roots`` is as in `scan_root`.
    """
    return [root / path for path in _scan(root, roots)[1]]


def _scan(root: Path, roots: Collection[str]) -> tuple[list[Found], list[str], bool]:
    """What is in a root, paths of what lies too deep, and whether more may be there."""
    found: list[Found] = []
    nested: list[str] = []
    budget = MAX_NESTED_DIRECTORIES
    try:
        with os.scandir(root) as entries:
            children = sorted(entries, key=lambda entry: entry.name)
    except OSError:  # it went away since the sources were ranked
        return [], [], False
    for child in children:
        if child.name.startswith("."):
            continue
        if not _is_directory(child):
            if child.is_symlink() and not os.path.exists(child.path):
                target = broken_symlink(link_target(child.path))
                found.append(Found(child.name, Path(child.path), target))
            continue
        skill = look_at(child.path)
        if skill is not None:
            found.append(skill)
        elif budget and not _leads_up(child, root):
            below, budget = _nested_skills(child.path, budget)
            nested += (f"{child.name}/{path}" for path in below)
    if roots:
        parents = {os.path.dirname(path) for path in nested}
        read = {path for path in parents if os.path.realpath(root / path) in roots}
        nested = [path for path in nested if os.path.dirname(path) not in read]
    return found, nested, not budget


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
    path = Path(directory)
    try:
        names = os.listdir(directory)
    except OSError as error:
        return Found(path.name, path, unreadable(error.strerror or str(error)))
    alike = sorted(name for name in names if name.lower() == "skill.md")
    if not alike:
        return None
    if SKILL_FILE in alike:
        beside = tuple(path / name for name in alike if name != SKILL_FILE)
        return Found(path.name, path / SKILL_FILE, beside=beside)
    wrong = wrong_case_filename(alike[0], beside=False, alone=len(alike) == 1)
    return Found(path.name, path / alike[0], wrong)


def scan_tree(top: Path) -> Iterator[Found | Workspace]:
    """Every skill directory at or below ``top``, each real directory once, and every workspace.

    A workspace is given where its native Workflows lie below ``top``, or right in it. Left out:
    ``.git``, ``node_modules``, virtual environments, and whatever lies below a skill.
    Links to directories are followed after all real directories, so that a skill is found under
    its own name; a link to ``top`` or to a directory above it is not followed.
    """
    seen = {_identity(parent) for parent in Path(os.path.realpath(top)).parents}
    waiting = [str(top)]
    links: list[str] = []
    for workspace in map(Workspace, top.parents[:3]):
        if top in (workspace.workflows, *workspace.workflows.parents[:2]):
            yield workspace
    while waiting or links:
        directory = waiting.pop() if waiting else links.pop(0)
        try:
            identity = _identity(directory)
            if identity in seen:
                continue
            seen.add(identity)
            with os.scandir(directory) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            path = Path(directory)
            yield Found(path.name, path, unreadable(error.strerror or str(error)))
            continue
        names = {child.name for child in children}
        if SKILL_FILE in names or any(_is_misnamed_skill(child) for child in children):
            found = look_at(directory)
            if found is not None:
                yield found
            continue
        if _VIRTUAL_ENVIRONMENT in names:
            continue
        if MARKER in names:
            yield Workspace(Path(directory))
        below = [c for c in children if c.name not in _SKIPPED_DIRECTORIES and _is_directory(c)]
        links += (child.path for child in below if child.is_symlink())
        waiting += (child.path for child in reversed(below) if not child.is_symlink())


def _identity(directory: str | os.PathLike[str]) -> tuple[int, int]:
    """What two paths to the same real directory have in common."""
    status = os.stat(directory)
    return status.st_dev, status.st_ino


def _is_misnamed_skill(entry: os.DirEntry[str]) -> bool:
    """Whether a file is a SKILL.md but for the case of its name.

    In a whole tree a skill.md may be a page about something else, so its fields must say so too.
    """
    if entry.name.lower() != SKILL_FILE.lower():
        return False
    return _SKILL_FIELDS.match(read_text(entry.path).text) is not None


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
            if not child.name.startswith(".") and child.is_dir(follow_symlinks=False)
        )
    return nested, budget


def _leads_up(entry: os.DirEntry[str], root: Path) -> bool:
    """Whether an entry is a link to ``root`` itself or to a directory above it."""
    if not entry.is_symlink():
        return False
    return Path(os.path.realpath(root)).is_relative_to(os.path.realpath(entry.path))


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads round in a circle
        return False
