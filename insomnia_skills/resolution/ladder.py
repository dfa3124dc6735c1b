"""The ladder of one slug: every source from the highest rank down, and what it had for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import NamedTuple

from insomnia_skills.manifest import load_manifest
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Relation, Shadow
from insomnia_skills.rules.name import is_slug
from insomnia_skills.scan import names_in
from insomnia_skills.sources import (
    A_FILE,
    IS_SKILL,
    NOT_LISTED,
    NOT_THERE,
    SKILL_FILE,
    Source,
    SourceKind,
    rank_sources,
)

_MAX_ASKED = 255
"""No name on a disk is longer, so nothing is like a slug that is."""


_LEAST_SHARED = 3
"""Characters of a slug that say something where they are a part of another one."""


class Outcome(StrEnum):
    """What became of a source's candidate for a slug."""

    WINS = "wins"
    SHADOWED = "shadowed"
    SKIPPED = "skipped"
    ABSENT = "absent"


class RungRule(StrEnum):
    """What decided the outcome of a rung."""

    ONLY_COPY = "only-copy"
    ONLY_VALID = "only-valid"
    NATIVE_FIRST = "native-first"
    WORKSPACE_FIRST = "workspace-first"
    FIRST_ROOT = "first-root"
    FIRST_VALID = "first-valid"
    LOWER_RANK = "lower-rank"
    HAS_ERROR = "has-error"
    NO_FILE = "no-file"
    NO_DIRECTORY = "no-directory"
    NO_SKILL_FILE = "no-skill-file"
    NOT_A_DIRECTORY = "not-a-directory"
    HIDDEN = "hidden"
    WRONG_CASE = "wrong-case"
    SOURCE_MISSING = "source-missing"
    SOURCE_NOT_DIRECTORY = "source-not-directory"
    SOURCE_UNREADABLE = "source-unreadable"
    SOURCE_IS_SKILL = "source-is-skill"
    SOURCE_DUPLICATE = "source-duplicate"
    LEFT_OUT = "left-out"


_UNSCANNED = {
    NOT_THERE: RungRule.SOURCE_MISSING,
    A_FILE: RungRule.SOURCE_NOT_DIRECTORY,
    NOT_LISTED: RungRule.SOURCE_UNREADABLE,
    IS_SKILL: RungRule.SOURCE_IS_SKILL,
}


class _Verdict(NamedTuple):
    rule: RungRule
    reason: str


_WINS = {
    RungRule.ONLY_COPY: "only copy",
    RungRule.ONLY_VALID: "only valid copy",
    RungRule.NATIVE_FIRST: "rank 1 goes before all skills",
    RungRule.WORKSPACE_FIRST: "workspace skills go before user skills",
    RungRule.FIRST_ROOT: "first of the roots that have it",
    RungRule.FIRST_VALID: "first valid copy from the top",
}


@dataclass(frozen=True, slots=True)
class Rung:
    """One source and what it had.

    ``rule`` is what decided, ``reason`` the same for people. ``shadow`` says how a shadowed
    candidate relates to the winner.
    """

    source: Source
    outcome: Outcome
    candidate: Candidate | None
    rule: RungRule
    reason: str
    shadow: Shadow | None = None


@dataclass(frozen=True, slots=True)
class Ladder:
    """``near`` are slugs like the one asked for, the likeliest first."""

    slug: str
    rungs: tuple[Rung, ...]
    near: tuple[str, ...]

    @property
    def winner(self) -> Rung | None:
        return next((rung for rung in self.rungs if rung.outcome is Outcome.WINS), None)

    @property
    def shadows(self) -> tuple[Shadow, ...]:
        """The valid losers, in order of rank."""
        return tuple(rung.shadow for rung in self.rungs if rung.shadow)

    @property
    def skipped(self) -> tuple[Candidate, ...]:
        """The copies that have an error, in order of rank."""
        return tuple(
            rung.candidate
            for rung in self.rungs
            if rung.outcome is Outcome.SKIPPED and rung.candidate
        )

    @property
    def broken_above(self) -> Rung | None:
        """The broken copy that the winner stands in for."""
        if self.winner is None:
            return None
        above = self.rungs[: self.rungs.index(self.winner)]
        return next((rung for rung in above if rung.outcome is Outcome.SKIPPED), None)


def build_ladder(result: Ingest, slug: str) -> Ladder:
    """All that the sources have for ``/slug``; the slash may be there or not.

    Sources that ``user=False`` left out are among them, and have nothing.
    """
    slug = slug.removeprefix("/")
    return Ladder(slug, tuple(_rungs(result, slug)), tuple(_near(result, slug)))


def left_out_sources(result: Ingest) -> tuple[Source, ...]:
    """The user's sources where the ingest left them out: they would come last, in this order."""
    if result.left_out is None:
        return ()
    manifest = load_manifest(result.left_out / "manifest.toml", base=result.left_out)
    directories = [s.path for s in result.sources if s.origin == "--directory"]
    manifests = (*result.manifests, manifest)
    ranked, _ = rank_sources(result.workspace, manifests, directories, result.left_out)
    return ranked[len(result.sources) :]


def _rungs(result: Ingest, slug: str) -> Iterator[Rung]:
    shadows = {shadow.lost.path: shadow for shadow in result.shadows if shadow.slug == slug}
    candidates = [candidate for candidate in result.candidates if candidate.slug == slug]
    for source in result.sources:
        mine = [candidate for candidate in candidates if candidate.source == source]
        if not mine:
            yield Rung(source, Outcome.ABSENT, None, *_absent(source, slug))
        for candidate in mine:
            if candidate.record is None:
                verdict = _Verdict(RungRule.HAS_ERROR, candidate.reason)
                yield Rung(source, Outcome.SKIPPED, candidate, *verdict)
            elif shadow := shadows.get(candidate.path):
                verdict = _Verdict(RungRule.LOWER_RANK, _loses(shadow))
                yield Rung(source, Outcome.SHADOWED, candidate, *verdict, shadow)
            else:
                rule = _wins(candidate, candidates)
                yield Rung(source, Outcome.WINS, candidate, rule, _WINS[rule])
    for source in left_out_sources(result):
        there = source.scanned and slug in names_in(source.path)
        there = there and os.path.isdir(source.path / slug)
        reason = (
            f"{slug}/ is there, but --no-user leaves it out" if there else "left out (--no-user)"
        )
        yield Rung(source, Outcome.ABSENT, None, RungRule.LEFT_OUT, reason)


def _wins(winner: Candidate, candidates: list[Candidate]) -> RungRule:
    """Why a candidate wins; ``candidates`` are all for its slug, in order of rank."""
    if len(candidates) == 1:
        return RungRule.ONLY_COPY
    if winner is not candidates[0]:
        return RungRule.FIRST_VALID
    rivals = [c.source.kind for c in candidates if c.record and c is not winner]
    if not rivals:
        return RungRule.ONLY_VALID
    if winner.is_native:
        return RungRule.NATIVE_FIRST
    in_roots = SourceKind.WORKSPACE_SKILL in rivals
    return RungRule.FIRST_ROOT if in_roots else RungRule.WORKSPACE_FIRST


def _loses(shadow: Shadow) -> str:
    how = {
        Relation.SAME_FILE: "is the same file",
        Relation.IDENTICAL: "is identical",
        Relation.DIFFERENT: f"differs in {', '.join(shadow.differs)}",
    }[shadow.relation]
    return f"rank {shadow.kept.source.rank} comes first; {how}"


def _absent(source: Source, slug: str) -> _Verdict:
    if not source.scanned:
        return _Verdict(_UNSCANNED.get(source.absent, RungRule.SOURCE_DUPLICATE), source.absent)
    native = source.kind is SourceKind.WORKSPACE_WORKFLOW
    name, slash = (f"{slug}.md", "") if native else (slug, "/")
    names = names_in(source.path)
    alike = [other for other in names if other.lower() == name.lower() and other != name]
    if name in names:
        if not native and not os.path.isdir(source.path / name):
            return _Verdict(RungRule.NOT_A_DIRECTORY, f"{name} is no directory")
        if name.startswith("."):
            reason = f"{name}{slash} begins with a dot, so it is not looked at"
            return _Verdict(RungRule.HIDDEN, reason)
        if not native:
            return _Verdict(RungRule.NO_SKILL_FILE, f"{name}/ has no {SKILL_FILE}")
    if alike:
        return _Verdict(RungRule.WRONG_CASE, f"no {name}{slash}, but {alike[0]}{slash}")
    return _Verdict(RungRule.NO_FILE if native else RungRule.NO_DIRECTORY, f"no {name}{slash}")


def _near(result: Ingest, slug: str) -> list[str]:
    slugs = sorted({c.slug for c in result.candidates if is_slug(c.slug)} - {slug})
    if not 0 < len(slug) <= _MAX_ASKED:
        return []
    close = get_close_matches(slug, slugs, n=3, cutoff=0.6)
    containing = [
        other
        for other in sorted(slugs, key=len)
        if (slug in other or other in slug) and min(len(slug), len(other)) >= _LEAST_SHARED
    ]
    return list(dict.fromkeys([*close, *containing]))[:3]
