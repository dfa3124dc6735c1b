"""The ladder of one slug: every source from the highest rank down, and what it had for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate
from insomnia_skills.sources import SKILL_FILE, Source, SourceKind


class Outcome(StrEnum):
    """What became of a source's candidate for a slug."""

    WINS = "wins"
    SHADOWED = "shadowed"
    SKIPPED = "skipped"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Rung:
    """One source and what it had. ``reason`` says why in a few words; it may be empty."""

    source: Source
    outcome: Outcome
    candidate: Candidate | None
    reason: str


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
    def broken_above(self) -> Rung | None:
        """The broken copy that the winner stands in for."""
        if self.winner is None:
            return None
        above = self.rungs[: self.rungs.index(self.winner)]
        return next((rung for rung in above if rung.outcome is Outcome.SKIPPED), None)


def build_ladder(result: Ingest, slug: str) -> Ladder:
    """All that the sources have for ``/slug``; the slash may be there or not."""
    slug = slug.removeprefix("/")
    return Ladder(slug, tuple(_rungs(result, slug)), tuple(_near(result, slug)))


def _rungs(result: Ingest, slug: str) -> Iterator[Rung]:
    relations = {s.lost.path: s for s in result.shadows if s.slug == slug}
    winner = result.find(slug)
    for source in result.sources:
        mine = [c for c in result.candidates if c.source == source and c.slug == slug]
        if not mine:
            yield Rung(source, Outcome.ABSENT, None, _absence(source, slug))
        for candidate in mine:
            if candidate.record is None:
                yield Rung(source, Outcome.SKIPPED, candidate, candidate.reason)
            elif shadow := relations.get(candidate.path):
                how = ", ".join(shadow.differs)
                reason = f"differs in {how}" if how else shadow.relation.value
                yield Rung(source, Outcome.SHADOWED, candidate, reason)
            else:
                standing_in = winner is not None and winner.stand_in
                reason = "first valid copy from the top" if standing_in else ""
                yield Rung(source, Outcome.WINS, candidate, reason)


def _absence(source: Source, slug: str) -> str:
    if not source.scanned:
        return source.absent
    if source.kind is SourceKind.WORKSPACE_WORKFLOW:
        return f"no {slug}.md"
    if os.path.isdir(source.path / slug):
        return f"{slug}/ has no {SKILL_FILE}"
    return f"no {slug}/"


def _near(result: Ingest, slug: str) -> list[str]:
    slugs = sorted({candidate.slug for candidate in result.candidates} - {slug})
    if not slug:
        return []
    containing = [other for other in slugs if slug in other or (other and other in slug)]
    close = get_close_matches(slug, slugs, n=3, cutoff=0.6)
    return list(dict.fromkeys([*close, *containing]))[:3]
