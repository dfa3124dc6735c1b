"""Scope: the read rules that ingested skills add to a Pod's, and what they make readable."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from insomnia_skills.workspace import absolute_path, real_path

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.registry import Candidate
    from insomnia_skills.workflow import WorkflowRecord

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class ReadRule:
    """Permission to read a directory and all below it, on behalf of one skill or of several.

    ``target`` is absolute and free of symlinks, since a Pod compares paths after resolving them.
    ``slugs`` are in order, never empty.
    """

    slugs: tuple[str, ...]
    target: Path
    permission: str = "read"
    recursive: bool = True

    @property
    def slug(self) -> str:
        """The first of the slugs."""
        return self.slugs[0]


def scope_rules(workflows: Iterable[WorkflowRecord]) -> tuple[ReadRule, ...]:
    """The fewest rules that grant exactly the directories of the ingested skills, in order of slug.

    Skills with one real directory share a rule, and so does a skill that lies in another one's
    directory. No rule has a target that is no skill directory (decision: scope). A native Workflow
    is one file that the Pod knows already; it adds no rule.
    """
    slugs: dict[Path, list[str]] = {}
    for record in workflows:
        if record.directory is not None:
            slugs.setdefault(_real(record.directory), []).append(record.slug)
    served: dict[Path, list[str]] = {}
    for target, names in slugs.items():
        outermost = next((p for p in reversed(target.parents) if p in slugs), target)
        served.setdefault(outermost, []).extend(names)
    rules = (ReadRule(tuple(sorted(names)), target) for target, names in served.items())
    return tuple(sorted(rules, key=lambda rule: rule.slug))


def is_readable(path: str | os.PathLike[str], rules: Iterable[ReadRule]) -> ReadRule | None:
    """The rule that lets a Pod read ``path``, after resolving its symlinks; or None.

    A path where nothing is counts as what would be there. No rule covers a path that can lead
    nowhere: with a NUL in it, or through links that go in a circle.
    """
    return Scope(rules).rule_for(path)


class Scope:
    """Rules by their targets, for many questions."""

    def __init__(self, rules: Iterable[ReadRule]) -> None:
        self.rules = tuple(rules)
        self._by_target = {rule.target: rule for rule in self.rules}

    def rule_for(self, path: str | os.PathLike[str]) -> ReadRule | None:
        """As `is_readable`."""
        place = find_place(path)
        return None if place.real is None else self.covering(place.real)

    def covering(self, real: Path) -> ReadRule | None:
        """The rule that covers a path without symlinks."""
        found = _nearest(real, self._by_target)
        if found is None or found.recursive or found.target == real:
            return found
        return None


class Place(NamedTuple):
    """What a path leads to.

    ``real`` is the path with all symlinks resolved, as far as there is something; None where they
    go in a circle, or where the path has a NUL. ``exists`` says whether something is there.
    """

    real: Path | None
    exists: bool


def find_place(path: str | os.PathLike[str]) -> Place:
    """Where a path leads; a relative one counts from the working directory."""
    try:
        os.stat(path)
        exists = True
    except ValueError:
        return Place(None, False)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return Place(None, False)
        # What may not be looked at is there, or might be.
        exists = isinstance(error, PermissionError)
    return Place(_real(path), exists)


@dataclass(frozen=True, slots=True)
class Escape:
    """A link in an ingested skill whose real place no rule covers: a Pod can't read it.

    ``path`` is the link's, ``target`` the real place, ``slug`` the skill's.
    """

    path: Path
    target: Path
    slug: str


def find_escapes(
    workflows: Iterable[WorkflowRecord], rules: Iterable[ReadRule]
) -> Iterator[Escape]:
    """Every link that leads out of what the rules grant, in order of slug and path, each once."""
    from insomnia_skills.resources import list_resources

    scope, seen = Scope(rules), set()
    for record in workflows:
        if record.directory is None:
            continue
        directory = _real(record.directory)
        for resource in list_resources(record.directory):
            if resource.link is None or resource.readable:
                continue
            path = directory / resource.path
            if path in seen:
                continue
            seen.add(path)
            target = _real(path)
            if scope.covering(target) is None:
                yield Escape(record.directory / resource.path, target, record.slug)


class Refused(StrEnum):
    """Why a Pod can't read a path."""

    NO_RULE = "no-rule"
    NATIVE = "native-workflow"
    SHADOWED = "shadowed"
    SKIPPED = "skipped"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class PathCheck:
    """Whether a Pod may read one path, and why.

    ``path`` is absolute, its links not resolved. Either there is the ``rule`` that covers it, or
    ``refused`` says why none does; then ``holder`` is the copy or the native Workflow that the path
    belongs to, if it belongs to one.
    """

    path: Path
    place: Place
    rule: ReadRule | None
    refused: Refused | None = None
    holder: Candidate | None = None

    @property
    def led_elsewhere(self) -> bool:
        """Whether links lead from the path to another place."""
        return self.place.real is not None and self.place.real != self.path


def check_readable(
    paths: Iterable[str | os.PathLike[str]], result: Ingest
) -> tuple[PathCheck, ...]:
    """What a Pod with the skills of ``result`` may read, and why not the rest.

    A relative path counts from the working directory.
    """
    scope = Scope(scope_rules(result.workflows))
    holders = {
        _real(candidate.directory or candidate.path): candidate
        for candidate in reversed(result.candidates)
    }
    return tuple(_check(path, scope, holders) for path in paths)


def _check(
    path: str | os.PathLike[str], scope: Scope, holders: Mapping[Path, Candidate]
) -> PathCheck:
    absolute, place = absolute_path(path), find_place(path)
    if place.real is None:
        return PathCheck(absolute, place, None, Refused.NOWHERE)
    if rule := scope.covering(place.real):
        return PathCheck(absolute, place, rule)
    holder = _nearest(place.real, holders)
    if holder is None:
        return PathCheck(absolute, place, None, Refused.NO_RULE)
    if holder.is_native:
        refused = Refused.NATIVE
    else:
        refused = Refused.SHADOWED if holder.record else Refused.SKIPPED
    return PathCheck(absolute, place, None, refused, holder)


def _nearest(path: Path, values: Mapping[Path, _Value]) -> _Value | None:
    """The value of the path itself, else of the nearest directory above it that has one."""
    return next((values[place] for place in (path, *path.parents) if place in values), None)


def _real(path: str | os.PathLike[str]) -> Path:
    return Path(real_path(path))
