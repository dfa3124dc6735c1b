"""The ladder of a slug: what every source had for it, from the highest rank down."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills.ladder import Ladder, Outcome, build_ladder
from tests.trees import Tree, break_skill, link, write, write_skill

WINS, SHADOWED, SKIPPED, ABSENT = Outcome


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace whose manifest names the roots ``high`` and ``low``, with one skill of each."""
    tree = Tree(tmp_path)
    tree.name_roots("high", "low")
    write_skill(tree.workspace / "high", "in-high")
    write_skill(tree.workspace / "low", "in-low")
    write_skill(tree.user_skills, "in-user")
    tree.write_workflow("in-native")
    return tree


def climb(tree: Tree, slug: str = "pdf") -> Ladder:
    return build_ladder(tree.ingest(), slug)


def rungs(ladder: Ladder) -> list[tuple[str, Outcome, str]]:
    return [(rung.source.rank, rung.outcome, rung.reason) for rung in ladder.rungs]


def test_a_slug_that_nobody_has(tree: Tree) -> None:
    ladder = climb(tree)
    assert rungs(ladder) == [
        ("1", ABSENT, "no pdf.md"),
        ("2.1", ABSENT, "no pdf/"),
        ("2.2", ABSENT, "no pdf/"),
        ("3", ABSENT, "no pdf/"),
    ]
    assert [rung.candidate for rung in ladder.rungs] == [None] * 4
    assert (ladder.winner, ladder.broken_above) == (None, None)


def test_every_source_has_it(tree: Tree) -> None:
    native = tree.write_workflow("pdf", "model_invokation: true", description="x")
    write_skill(tree.workspace / "high", "pdf", description="x")
    write_skill(tree.workspace / "low", "pdf", description="y", body="z")
    write_skill(tree.user_skills, "pdf", description="x", files={"a.md": ""})
    ladder = climb(tree)
    assert rungs(ladder) == [
        ("1", WINS, ""),
        ("2.1", SHADOWED, "identical"),
        ("2.2", SHADOWED, "differs in description, body"),
        ("3", SHADOWED, "differs in resources"),
    ]
    assert ladder.winner is ladder.rungs[0]
    assert ladder.winner.candidate is not None
    assert ladder.winner.candidate.path == native
    assert ladder.broken_above is None


def test_one_file_reached_twice(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdf")
    link(tree.workspace / "low" / "pdf", "../high/pdf")
    assert rungs(climb(tree))[1:3] == [("2.1", WINS, ""), ("2.2", SHADOWED, "same-file")]


def test_a_stand_in_says_so_and_the_broken_copy_says_why(tree: Tree) -> None:
    write(tree.workspace / "high" / "pdf" / "SKILL.md", "---\nname: PDF\ndescription: x\n---\n")
    write_skill(tree.workspace / "low", "pdf", description="x")
    write_skill(tree.user_skills, "pdf", description="x")
    ladder = climb(tree)
    native, broken, winner, shadow = rungs(ladder)
    assert native == ("1", ABSENT, "no pdf.md")
    assert broken[:2] == ("2.1", SKIPPED)
    assert broken[2].startswith("name-charset at SKILL.md:2:7: ")
    assert winner == ("2.2", WINS, "first valid copy from the top")
    assert shadow == ("3", SHADOWED, "identical")
    assert ladder.winner is ladder.rungs[2]
    assert ladder.broken_above is ladder.rungs[1]


def test_the_highest_of_several_broken_copies_is_the_one_stood_in_for(tree: Tree) -> None:
    break_skill(tree.workspace / "high", "pdf")
    break_skill(tree.workspace / "low", "pdf")
    write_skill(tree.user_skills, "pdf")
    ladder = climb(tree)
    assert [rung.outcome for rung in ladder.rungs] == [ABSENT, SKIPPED, SKIPPED, WINS]
    assert ladder.broken_above is ladder.rungs[1]


def test_a_broken_copy_below_the_winner_is_not_above_it(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdf")
    break_skill(tree.workspace / "low", "pdf")
    ladder = climb(tree)
    assert [rung.outcome for rung in ladder.rungs] == [ABSENT, WINS, SKIPPED, ABSENT]
    assert ladder.rungs[1].reason == ""
    assert ladder.broken_above is None


def test_broken_copies_alone_have_no_winner(tree: Tree) -> None:
    break_skill(tree.workspace / "high", "pdf")
    ladder = climb(tree)
    assert [rung.outcome for rung in ladder.rungs] == [ABSENT, SKIPPED, ABSENT, ABSENT]
    assert (ladder.winner, ladder.broken_above) == (None, None)


def test_a_broken_native_workflow_is_above_the_skill_that_stands_in(tree: Tree) -> None:
    tree.write_workflow("pdf", "name: pdf")
    write_skill(tree.user_skills, "pdf")
    ladder = climb(tree)
    assert [rung.outcome for rung in ladder.rungs] == [SKIPPED, ABSENT, ABSENT, WINS]
    assert ladder.rungs[0].reason.startswith("workflow-name-key at pdf.md:3:1: ")
    assert ladder.broken_above is ladder.rungs[0]


def test_a_directory_without_skill_is_not_the_same_as_no_directory(tree: Tree) -> None:
    write(tree.workspace / "high" / "pdf" / "README.md", "")
    write(tree.workspace / "low" / "pdf", "a file")
    assert rungs(climb(tree))[1:3] == [
        ("2.1", ABSENT, "pdf/ has no SKILL.md"),
        ("2.2", ABSENT, "no pdf/"),
    ]


def test_sources_that_are_not_read_say_why(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.workspace / "skills", "pdf")
    write(tree.workspace / "file", "")
    tree.name_roots("skills", "gone", "file", "skills/pdf", "skills/../skills")
    assert rungs(climb(tree)) == [
        ("1", ABSENT, "not there"),
        ("2.1", WINS, ""),
        ("2.2", ABSENT, "not there"),
        ("2.3", ABSENT, "a file"),
        ("2.4", ABSENT, "is itself a skill"),
        ("2.5", ABSENT, "same as rank 2.1"),
        ("3", ABSENT, "not there"),
    ]


@pytest.mark.parametrize("asked", ["pdf", "/pdf"])
def test_the_slash_may_be_there_or_not(tree: Tree, asked: str) -> None:
    write_skill(tree.user_skills, "pdf")
    ladder = climb(tree, asked)
    assert ladder.slug == "pdf"
    assert ladder.winner is ladder.rungs[-1]


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        pytest.param("in-hihg", "in-high", id="letters-swapped"),
        pytest.param("in-usr", "in-user", id="letter-missing"),
        pytest.param("native", "in-native", id="part-of-it"),
        pytest.param("in-native-2", "in-native", id="longer"),
    ],
)
def test_slugs_like_the_one_asked_for(tree: Tree, asked: str, near: str) -> None:
    assert climb(tree, asked).near[0] == near


@pytest.mark.parametrize("asked", ["", "/", "zzzz", "..", "../high", "a\0b", "手順"])
def test_nothing_odd_that_is_asked_for_is_there(tree: Tree, asked: str) -> None:
    ladder = climb(tree, asked)
    assert ladder.winner is None
    assert {rung.outcome for rung in ladder.rungs} == {ABSENT}


def test_a_slug_is_not_like_itself(tree: Tree) -> None:
    assert "in-high" not in climb(tree, "in-high").near
