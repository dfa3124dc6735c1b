"""What a change of manifests does to the resolution."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills.report.labels import Labels
from insomnia_skills.report.sources.words import sentences
from insomnia_skills.resolution.difference import Difference, find_difference
from tests.trees import Tree, break_skill, write, write_manifest, write_skill

# Roots with what lies in them: "name" is a skill, "name!" a broken one.
ROOTS = {
    "a": ("one", "same", "broken!"),
    "b": ("two", "same", "broken"),
    "c": ("three", "worse!"),
    "d": ("two", "lone"),
    "user": ("same", "worse", "lone"),
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    for root, skills in ROOTS.items():
        place = tree.user_skills if root == "user" else tree.workspace / root
        for skill in skills:
            if skill.endswith("!"):
                break_skill(place, skill.removesuffix("!"))
            else:
                write_skill(place, skill, description=f"In {root}.")
    return tree


def change(tree: Tree, before: list[str], after: list[str]) -> Difference:
    old = write_manifest(tree.manifest, *before).read_bytes()
    new = write_manifest(tree.manifest, *after).read_bytes()
    write(tree.manifest, old)
    drafts = {tree.manifest: new}
    return find_difference(tree.ingest(), tree.ingest(drafts=drafts))


def described(tree: Tree, found: Difference) -> dict[str, list[str]]:
    """The parts of a difference that have something, with where each copy lies."""

    def place(path: Path) -> str:
        return path.parent.relative_to(tree.top).as_posix().removeprefix("workspace/")

    parts = {
        "gained": [place(record.path) for record in found.gained],
        "lost": [place(record.path) for record in found.lost],
        "changed": [f"{place(n.before.path)} -> {place(n.after.path)}" for n in found.changed],
        "shadowed": [f"{place(s.lost.path)} by {place(s.kept.path)}" for s in found.shadowed],
        "unshadowed": [place(shadow.lost.path) for shadow in found.unshadowed],
        "skipped": [place(candidate.path) for candidate in found.skipped],
        "unskipped": [place(candidate.path) for candidate in found.unskipped],
        "stand_ins": [place(record.path) for record in found.stand_ins],
        "stand_ins_gone": [place(record.path) for record in found.stand_ins_gone],
    }
    return {name: part for name, part in parts.items() if part}


# The entries before and after, the difference, and the sentences that tell it.
CHANGES: dict[str, tuple[list[str], list[str], dict[str, list[str]], list[str]]] = {
    "nothing": (["a"], ["a"], {}, ["Changes nothing that a Pod gets"]),
    "a root that is not there": (["a"], ["a", "none"], {}, ["Changes nothing that a Pod gets"]),
    "the first root": (
        [],
        ["a"],
        {
            "gained": ["a/one"],
            "changed": ["config/skills/same -> a/same"],
            "shadowed": ["config/skills/same by a/same"],
            "skipped": ["a/broken"],
        },
        [
            "Gains 1 workflow: /one",
            "Changes from user skills to a: /same",
            "Shadows a wins over user skills (different): /same",
            "Skips /broken of a: description-missing at SKILL.md:1:1: description is missing",
        ],
    ),
    "a root of lower rank": (
        ["a"],
        ["a", "b"],
        {
            "gained": ["b/broken", "b/two"],
            "shadowed": ["b/same by a/same"],
            "stand_ins": ["b/broken"],
        },
        [
            "Gains 2 workflows: /broken /two",
            "Shadows a wins over b (different): /same",
            "Stands in /broken of b, for a broken copy",
        ],
    ),
    "a root of higher rank": (
        ["b"],
        ["a", "b"],
        {
            "gained": ["a/one"],
            "changed": ["b/same -> a/same"],
            "shadowed": ["b/same by a/same"],
            "skipped": ["a/broken"],
            "stand_ins": ["b/broken"],
        },
        [
            "Gains 1 workflow: /one",
            "Changes from b to a: /same",
            "Shadows a wins over b (different): /same",
            "Skips /broken of a: description-missing at SKILL.md:1:1: description is missing",
            "Stands in /broken of b, for a broken copy",
        ],
    ),
    "two roots at once": (
        [],
        ["a", "b"],
        {
            "gained": ["b/broken", "a/one", "b/two"],
            "changed": ["config/skills/same -> a/same"],
            "shadowed": ["b/same by a/same", "config/skills/same by a/same"],
            "skipped": ["a/broken"],
            "stand_ins": ["b/broken"],
        },
        [
            "Gains 3 workflows: /broken /one /two",
            "Changes from user skills to a: /same",
            "Shadows a wins over b (different): /same",
            "Shadows a wins over user skills (different): /same",
            "Skips /broken of a: description-missing at SKILL.md:1:1: description is missing",
            "Stands in /broken of b, for a broken copy",
        ],
    ),
    "a root that wins one and loses another": (
        ["b"],
        ["b", "d"],
        {
            "changed": ["config/skills/lone -> d/lone"],
            "shadowed": ["config/skills/lone by d/lone", "d/two by b/two"],
        },
        [
            "Changes from user skills to d: /lone",
            "Shadows d wins over user skills (different): /lone",
            "Shadows b wins over d (different): /two",
        ],
    ),
    "a root that makes another one stand in": (
        ["a"],
        ["a", "c"],
        {"gained": ["c/three"], "skipped": ["c/worse"], "stand_ins": ["config/skills/worse"]},
        [
            "Gains 1 workflow: /three",
            "Shadows nothing new",
            "Skips /worse of c: description-missing at SKILL.md:1:1: description is missing",
            "Stands in /worse of user skills, for a broken copy",
        ],
    ),
    "the winner goes": (
        ["a", "b"],
        ["b"],
        {
            "lost": ["a/one"],
            "changed": ["a/same -> b/same"],
            "unshadowed": ["b/same"],
            "unskipped": ["a/broken"],
            "stand_ins_gone": ["b/broken"],
        },
        [
            "Loses 1 workflow: /one",
            "Changes from a to b: /same",
            "Drops 1 broken skill: /broken",
            "Settles /broken, no broken copy is in the way any more",
        ],
    ),
    "the loser goes": (
        ["a", "b"],
        ["a"],
        {
            "lost": ["b/broken", "b/two"],
            "unshadowed": ["b/same"],
            "stand_ins_gone": ["b/broken"],
        },
        ["Loses 2 workflows: /broken /two", "Drops 1 shadowed copy: /same"],
    ),
    "a move": (
        ["a", "b"],
        ["b", "a"],
        {
            "changed": ["a/same -> b/same"],
            "shadowed": ["a/same by b/same"],
            "unshadowed": ["b/same"],
            "stand_ins_gone": ["b/broken"],
        },
        [
            "Changes from a to b: /same",
            "Shadows b wins over a (different): /same",
            "Settles /broken, no broken copy is in the way any more",
        ],
    ),
}


@pytest.mark.parametrize(("before", "after", "parts", "told"), CHANGES.values(), ids=CHANGES)
def test_difference(
    tree: Tree,
    before: list[str],
    after: list[str],
    parts: dict[str, list[str]],
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tree.workspace)
    found = change(tree, before, after)
    assert described(tree, found) == parts
    assert bool(found) is bool(parts)
    assert [" ".join(each) for each in sentences(found, Labels(tree.ingest()))] == told


def test_sentences_are_cut_where_asked(tree: Tree) -> None:
    for name in ("x", "y", "z"):
        break_skill(tree.workspace / "c", name)
    found = change(tree, [], ["a", "b", "c"])
    told = sentences(found, Labels(tree.ingest()), most=2)
    assert told[0] == ("Gains", "4 workflows: /broken /one … and 2 more")
    assert [rest.split(":")[0] for verb, rest in told if verb == "Skips"] == [
        "/broken of a",
        "/worse of c",
        "3 more",
    ]


def test_draft_of_the_users_manifest(tree: Tree) -> None:
    path = tree.config / "manifest.toml"
    draft = f'[skills]\ndirectories = ["{tree.workspace}/a"]\n'.encode()
    after = tree.ingest(drafts={path: draft})
    assert [record.slug for record in find_difference(tree.ingest(), after).gained] == ["one"]
    assert not path.exists()


def test_draft_that_is_no_manifest_is_judged_like_a_file(tree: Tree) -> None:
    after = tree.ingest(drafts={tree.manifest: b"[skills\n"})
    assert not after.manifest_readable
