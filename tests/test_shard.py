"""Which part of a check a path belongs to."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from insomnia_skills.checking.choice import Choice
from insomnia_skills.checking.config import Override
from insomnia_skills.checking.shard import Shard, digest, read_shard
from insomnia_skills.diagnostic import Severity


def part_of(path: str, count: int) -> list[int]:
    """All the parts that have a path, of so many."""
    return [index for index in range(1, count + 1) if Shard(index, count).has(path)]


@pytest.mark.parametrize(
    ("text", "shard"),
    [
        ("1/1", Shard(1, 1)),
        ("1/8", Shard(1, 8)),
        ("8/8", Shard(8, 8)),
        ("02/08", Shard(2, 8)),
        ("1000/1000", Shard(1000, 1000)),
    ],
)
def test_a_shard_is_named_by_its_number_and_how_many_there_are(text: str, shard: Shard) -> None:
    assert read_shard(text) == shard
    assert read_shard(str(shard)) == shard


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "/", "1/", "/3", "a/b", "1/2/3", "1.0/3", "-1/3", "+1/3", " 1/3", "1/3\n"),
        *("0/3", "4/3", "0/0", "1/0", "1/1001", "1/99999999999999999999", "١/٣", "1_0/2_0"),
    ],
)
def test_what_names_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no shard: I/N is part I of N, such as 1/8") as refused:
        read_shard(text)
    assert str(refused.value).startswith(f'"{text}"')


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("pdf", [5]),
        ("owner/repository/skills/pdf", [4]),
        ("a b/ключ/日本", [8]),
        (os.fsdecode(b"caf\xe9"), [2]),
        ("", [1]),
    ],
)
def test_the_part_of_a_path_is_the_same_everywhere_and_for_ever(
    path: str, parts: list[int]
) -> None:
    assert part_of(path, 8) == parts


@pytest.mark.parametrize("count", [1, 3, 8])
@pytest.mark.parametrize("pattern", ["skill-{:05}", "owner-{0}/{0}/skills/pdf", "{:x}"])
def test_every_path_is_in_one_part_and_parts_are_alike_in_size(pattern: str, count: int) -> None:
    paths = [pattern.format(number) for number in range(1000 * count)]
    sizes = Counter(tuple(part_of(path, count)) for path in paths)
    assert sorted(sizes) == [(index,) for index in range(1, count + 1)]
    assert min(sizes.values()) > 900
    assert max(sizes.values()) < 1100


def test_every_option_is_in_the_digest() -> None:
    rules = frozenset({"name-mismatch", "body-empty"})
    levels = {"name-mismatch": Severity.INFO}
    choices = [
        Choice(),
        Choice(select=rules),
        Choice(ignore=rules),
        Choice(severity=levels),
        Choice(overrides=(Override(("old",)),)),
        Choice(overrides=(Override(("old",), ignore=rules),)),
        Choice(overrides=(Override(("old",), severity=levels),)),
    ]
    asked = [
        (choice, strict, ref)
        for choice in choices
        for strict in (False, True)
        for ref in (None, "HEAD", "main")
    ]
    assert len({digest(*options) for options in asked}) == len(asked)


def test_the_digest_is_the_same_everywhere() -> None:
    rules = frozenset({"name-mismatch", "body-empty", "description-missing"})
    choice = Choice(select=rules, overrides=(Override(("old",), rules),), base=Path("/builds/1"))
    assert digest(choice, False, None) == "c37dfd567e301966"
    assert digest(choice._replace(base=Path("/builds/2")), False, None) == "c37dfd567e301966"
