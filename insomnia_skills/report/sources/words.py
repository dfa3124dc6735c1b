"""What a change of sources does to the resolution, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.registry import Candidate, Relation, Shadow
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import one_line, plural
from insomnia_skills.resolution.difference import Difference

if TYPE_CHECKING:
    from insomnia_skills.workflow import WorkflowRecord


_RELATIONS = {
    Relation.SAME_FILE: "the same file",
    Relation.IDENTICAL: "identical",
    Relation.DIFFERENT: "different",
}


class Sentence(NamedTuple):
    """A verb, and what it is about: "Gains", "2 workflows: /deck /review"."""

    verb: str
    rest: str


def sentences(difference: Difference, labels: Labels, most: int | None = None) -> list[Sentence]:
    """What the change does; lists are cut after ``most``, and say how many are left out."""
    return list(_sentences(difference, labels, most)) or [
        Sentence("Changes", "nothing that a Pod gets")
    ]


def _sentences(change: Difference, labels: Labels, most: int | None) -> Iterator[Sentence]:
    if change.gained:
        yield Sentence("Gains", _counted(change.gained, "workflow", most))
    if change.lost:
        yield Sentence("Loses", _counted(change.lost, "workflow", most))
    yield from _changes(change, labels, most)
    yield from _drops(change, most)
    yield from _skips(change.skipped, labels, most)
    now = _by_text((labels.source(record.source), record.slug) for record in change.stand_ins)
    for source, slugs in now.items():
        broken = "a broken copy" if len(slugs) == 1 else "broken copies"
        yield Sentence("Stands in", f"{_listed(slugs, most)} of {source}, for {broken}")
    others = {record.path for record in change.lost} | {new.before.path for new in change.changed}
    settled = [record.slug for record in change.stand_ins_gone if record.path not in others]
    if settled:
        yield Sentence(
            "Settles", f"{_listed(settled, most)}, no broken copy is in the way any more"
        )


def _changes(change: Difference, labels: Labels, most: int | None) -> Iterator[Sentence]:
    """Slugs that another file wins, then copies that are shadowed."""
    moved = _by_text(
        (f"from {labels.source(new.before.source)} to {labels.source(new.after.source)}", new.slug)
        for new in change.changed
    )
    for where, slugs in moved.items():
        yield Sentence("Changes", f"{where}: {_listed(slugs, most)}")
    shadowed = _by_text((_how(shadow, labels), shadow.slug) for shadow in change.shadowed)
    for who, slugs in shadowed.items():
        yield Sentence("Shadows", f"{who}: {_listed(slugs, most)}")
    if change.gained and not shadowed:
        yield Sentence("Shadows", "nothing new")


def _how(shadow: Shadow, labels: Labels) -> str:
    winner, loser = labels.source(shadow.kept.source), labels.source(shadow.lost.source)
    return f"{winner} wins over {loser} ({_RELATIONS[shadow.relation]})"


def _drops(change: Difference, most: int | None) -> Iterator[Sentence]:
    winners = {new.after.path for new in change.changed} | {r.path for r in change.gained}
    gone = [shadow for shadow in change.unshadowed if shadow.lost.path not in winners]
    if gone:
        copies = plural(len(gone), "shadowed copy", "shadowed copies")
        yield Sentence("Drops", f"{copies}: {_listed([s.slug for s in gone], most)}")
    if change.unskipped:
        yield Sentence("Drops", _counted(change.unskipped, "broken skill", most))


def _skips(skipped: Sequence[Candidate], labels: Labels, most: int | None) -> Iterator[Sentence]:
    for candidate in skipped[:most]:
        where = labels.source(candidate.source)
        reason = one_line(candidate.reason)
        yield Sentence("Skips", f"/{one_line(candidate.slug)} of {where}: {reason}")
    if most is not None and len(skipped) > most:
        yield Sentence("Skips", f"{len(skipped) - most:,} more")


def _by_text(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Slugs by what there is to say of them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text, slug in pairs:
        groups[text].append(slug)
    return groups


def _counted(
    items: Sequence[WorkflowRecord] | Sequence[Candidate], word: str, most: int | None
) -> str:
    return f"{plural(len(items), word)}: {_listed([item.slug for item in items], most)}"


def _listed(slugs: Sequence[str], most: int | None) -> str:
    words = [f"/{one_line(slug)}" for slug in slugs]
    if most is not None and len(words) > most:
        words[most:] = [f"… and {len(words) - most:,} more"]
    return " ".join(words)
