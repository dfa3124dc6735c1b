"""A part of what there is to check, so that several machines share the work."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from insomnia_skills.limits import MAX_SHARDS

if TYPE_CHECKING:
    from insomnia_skills.checking.choice import Choice


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` parts; the first has the ``index`` 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def has(self, path: str) -> bool:
        """Whether what lies at a path belongs to this part.

        The path counts from where the search began, with ``/`` between its parts: from the
        directory that was given, or its last name alone where it was itself given. It belongs to
        exactly one part, the same on every machine, and stays there when others come or go.
        """
        return crc32(path.encode("utf-8", "surrogatepass")) % self.count == self.index - 1


class Part(NamedTuple):
    """A shard, and what it is a shard of: parts of one check differ in nothing but the shard.

    ``of`` are the paths as they were given, ``options`` is a digest of what else was asked for.
    """

    shard: Shard
    of: tuple[str, ...]
    options: str


def digest(choice: Choice, strict: bool, changed: str | None) -> str:
    """What stands for these options in a result: the same on every machine, wherever it checks."""
    from hashlib import sha256

    rules = (choice.select, choice.ignore, choice.severity, choice.overrides)
    text = json.dumps((rules, strict, changed), default=sorted, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def read_shard(text: str) -> Shard:
    """The shard that ``I/N`` names. Raises `ValueError` for what names none."""
    match = re.fullmatch("([0-9]{1,4})/([0-9]{1,4})", text)
    index, count = map(int, match.groups()) if match else (0, 0)
    if not 1 <= index <= count <= MAX_SHARDS:
        raise ValueError(
            f'"{text}" is no shard: I/N is part I of N, such as 1/8, with N up to {MAX_SHARDS:,}'
        )
    return Shard(index, count)
