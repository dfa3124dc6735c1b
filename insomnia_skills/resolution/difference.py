"""What a change of manifests does to the resolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Shadow

if TYPE_CHECKING:
    from insomnia_skills.workflow import WorkflowRecord


class _HasSlug(Protocol):
    @property
    def slug(self) -> str: ...


_Key = TypeVar("_Key")
_Item = TypeVar("_Item", bound=_HasSlug)


class NewWinner(NamedTuple):
    """A slug that is there before and after, but means another file."""

    before: WorkflowRecord
    after: WorkflowRecord

    @property
    def slug(self) -> str:
        return self.after.slug


@dataclass(frozen=True, slots=True)
class Difference:
    """What is not the same in two resolutions, each in order of slug.

    ``gained`` and ``lost`` are slugs that only one of them has, ``changed`` those with another
    winner. ``shadowed`` and ``skipped`` are copies that are so only after the change,
    ``unshadowed`` and ``unskipped`` those that were so only before it; they may win now, or not be
    read any more. ``stand_ins`` and ``stand_ins_gone`` are winners that stand in for a broken copy
    only after, or only before.
    """

    gained: tuple[WorkflowRecord, ...]
    lost: tuple[WorkflowRecord, ...]
    changed: tuple[NewWinner, ...]
    shadowed: tuple[Shadow, ...]
    unshadowed: tuple[Shadow, ...]
    skipped: tuple[Candidate, ...]
    unskipped: tuple[Candidate, ...]
    stand_ins: tuple[WorkflowRecord, ...]
    stand_ins_gone: tuple[WorkflowRecord, ...]

    def __bool__(self) -> bool:
        """Whether there is any."""
        return any(getattr(self, name) for name in self.__slots__)


def find_difference(before: Ingest, after: Ingest) -> Difference:
    """What a change does; both are of the same workspace."""
    olds = {record.slug: record for record in before.workflows}
    news = {record.slug: record for record in after.workflows}
    old_shadows = {(shadow.slug, shadow.lost.path): shadow for shadow in before.shadows}
    new_shadows = {(shadow.slug, shadow.lost.path): shadow for shadow in after.shadows}
    old_skipped = {candidate.path: candidate for candidate in before.skipped}
    new_skipped = {candidate.path: candidate for candidate in after.skipped}
    both = sorted(olds.keys() & news.keys())
    old_stand_ins = {record.path: record for record in before.workflows if record.stand_in}
    new_stand_ins = {record.path: record for record in after.workflows if record.stand_in}
    return Difference(
        gained=_only(news, olds),
        lost=_only(olds, news),
        changed=tuple(
            NewWinner(olds[slug], news[slug]) for slug in both if olds[slug].path != news[slug].path
        ),
        shadowed=_only(new_shadows, old_shadows),
        unshadowed=_only(old_shadows, new_shadows),
        skipped=_only(new_skipped, old_skipped),
        unskipped=_only(old_skipped, new_skipped),
        stand_ins=_only(new_stand_ins, old_stand_ins),
        stand_ins_gone=_only(old_stand_ins, new_stand_ins),
    )


def _only(these: dict[_Key, _Item], others: dict[_Key, _Item]) -> tuple[_Item, ...]:
    """The values of the keys that the others do not have, in order of slug."""
    own = (item for key, item in these.items() if key not in others)
    return tuple(sorted(own, key=lambda item: item.slug))
