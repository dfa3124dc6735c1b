"""The ladder of a slug: what every source had for it, from the highest rank down."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

import pytest

from insomnia_skills.resolution.ladder import Ladder, Outcome, build_ladder
from tests.trees import Tree, break_skill, denied, link, write, write_manifest, write_skill

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
        ("1", WINS, "rank 1 goes before all skills"),
        ("2.1", SHADOWED, "rank 1 comes first; is identical"),
        ("2.2", SHADOWED, "rank 1 comes first; differs in description, body"),
        ("3", SHADOWED, "rank 1 comes first; differs in resources"),
    ]
    assert [shadow.lost.source.rank for shadow in ladder.shadows] == ["2.1", "2.2", "3"]
    assert ladder.skipped == ()
    assert ladder.winner is ladder.rungs[0]
    assert ladder.winner.candidate is not None
    assert ladder.winner.candidate.path == native
    assert ladder.broken_above is None


def test_one_file_reached_twice(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdf")
    link(tree.workspace / "low" / "pdf", "../high/pdf")
    assert rungs(climb(tree))[1:3] == [
        ("2.1", WINS, "first of the roots that have it"),
        ("2.2", SHADOWED, "rank 2.1 comes first; is the same file"),
    ]


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
    assert shadow == ("3", SHADOWED, "rank 2.2 comes first; is identical")
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
    assert ladder.rungs[1].reason == "only valid copy"
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
        ("2.2", ABSENT, "pdf is no directory"),
    ]


def test_sources_that_are_not_read_say_why(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.workspace / "skills", "pdf")
    write(tree.workspace / "file", "")
    tree.name_roots("skills", "gone", "file", "skills/pdf", "skills/../skills")
    assert rungs(climb(tree)) == [
        ("1", ABSENT, "not there"),
        ("2.1", WINS, "only copy"),
        ("2.2", ABSENT, "not there"),
        ("2.3", ABSENT, "a file"),
        ("2.4", ABSENT, "is itself a skill"),
        ("2.5", ABSENT, "same as rank 2.1"),
        ("3", ABSENT, "not there"),
    ]


RULES = {
    "only-copy": (["user"], "user"),
    "only-valid": (["high", "low broken"], "high"),
    "native-first": (["native", "low", "user"], "native"),
    "first-root": (["high", "low", "user"], "high"),
    "workspace-first": (["low", "user"], "low"),
    "first-valid": (["native broken", "low", "user"], "low"),
}


def copy(tree: Tree, place: str) -> None:
    """A copy of /pdf; ``place`` is a root or native, and maybe ``broken``."""
    where, _, broken = place.partition(" ")
    if where == "native":
        tree.write_workflow("pdf", *(["name: pdf"] if broken else []))
    else:
        root = tree.user_skills if where == "user" else tree.workspace / where
        (break_skill if broken else write_skill)(root, "pdf")


@pytest.mark.parametrize(("rule", "case"), RULES.items(), ids=RULES)
def test_the_rule_by_which_a_copy_wins(rule: str, case: tuple[list[str], str], tree: Tree) -> None:
    places, wins = case
    for place in places:
        copy(tree, place)
    ladder = climb(tree)
    assert ladder.winner is not None
    assert ladder.winner.rule == rule
    rank = {"native": "1", "high": "2.1", "low": "2.2", "user": "3"}[wins]
    assert ladder.winner.source.rank == rank
    losers = [rung.rule for rung in ladder.rungs if rung.outcome is SHADOWED]
    assert set(losers) <= {"lower-rank"}
    assert {rung.rule for rung in ladder.rungs if rung.outcome is SKIPPED} <= {"has-error"}


def test_the_rule_by_which_a_source_has_nothing(tree: Tree) -> None:
    tree.name_roots(
        "none", "file", "no-skill", "a-file", "case", "a-file/../a-file", "no-skill/pdf"
    )
    write(tree.workspace / "file", "")
    write(tree.workspace / "no-skill/pdf/README.md", "")
    write(tree.workspace / "a-file/pdf", "")
    write(tree.workspace / "case/Pdf/README.md", "")
    tree.write_workflow("PDF", "name: pdf")
    assert [(rung.rule.value, rung.reason) for rung in climb(tree).rungs] == [
        ("wrong-case", "no pdf.md, but PDF.md"),
        ("source-missing", "not there"),
        ("source-not-directory", "a file"),
        ("no-skill-file", "pdf/ has no SKILL.md"),
        ("not-a-directory", "pdf is no directory"),
        ("wrong-case", "no pdf/, but Pdf/"),
        ("source-duplicate", "same as rank 2.4"),
        ("no-directory", "no pdf/"),
        ("no-directory", "no pdf/"),
    ]


def test_a_root_that_is_a_skill_and_one_that_cannot_be_listed(tree: Tree) -> None:
    tree.name_roots("high/in-high", "low")
    with denied(tree.workspace / "low"):
        rules = [rung.rule.value for rung in climb(tree).rungs]
    assert rules[1:3] == ["source-is-skill", "source-unreadable"]


def test_a_root_that_went_away_meanwhile(tree: Tree) -> None:
    result = tree.ingest()
    rmtree(tree.workspace / "high")
    assert build_ladder(result, "pdf").rungs[1].rule == "no-directory"


def test_a_name_with_a_dot_before_it_is_not_looked_at(tree: Tree) -> None:
    write_skill(tree.workspace / "high", ".pdf")
    rung = climb(tree, ".pdf").rungs[1]
    assert (rung.rule, rung.reason) == ("hidden", ".pdf/ begins with a dot, so it is not looked at")
    tree.write_workflow(".pdf")
    rung = climb(tree, ".pdf").rungs[0]
    reason = ".pdf.md begins with a dot, so it is not looked at"
    assert (rung.rule, rung.reason) == ("hidden", reason)


def test_sources_that_were_left_out_come_last(tree: Tree) -> None:
    write_manifest(tree.user_manifest, "more")
    write_skill(tree.config / "more", "pdf")
    write(tree.user_skills / "pdf", "no directory")
    write_skill(tree.workspace / "low", "pdf")
    extra = tree.top / "extra"
    extra.mkdir()
    result = tree.ingest(user=False, directories=[extra])
    assert [(r.source.rank, r.rule.value, r.reason) for r in build_ladder(result, "pdf").rungs] == [
        ("1", "no-file", "no pdf.md"),
        ("2.1", "no-directory", "no pdf/"),
        ("2.2", "no-directory", "no pdf/"),
        ("2.3", "only-copy", "only copy"),
        ("2.4", "left-out", "pdf/ is there, but --no-user leaves it out"),
        ("3", "left-out", "left out (--no-user)"),
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


@pytest.mark.parametrize(
    "asked",
    ["", "/", "zzzz", pytest.param("z" * 100_000, id="long"), "..", "../high", "a\0b", "手順"],
)
def test_nothing_odd_that_is_asked_for_is_there(tree: Tree, asked: str) -> None:
    ladder = climb(tree, asked)
    assert ladder.winner is None
    assert {rung.outcome for rung in ladder.rungs} == {ABSENT}


def test_a_letter_or_two_are_like_nothing(tree: Tree) -> None:
    write_skill(tree.workspace / "low", "o")
    assert climb(tree, "in").near == ()
    assert climb(tree, "follow").near == ()


def test_what_is_no_slug_is_not_offered(tree: Tree) -> None:
    tree.write_workflow("Four Five")
    tree.write_workflow("four-fife")
    assert climb(tree, "four-five").near == ("four-fife",)


def test_a_slug_is_not_like_itself(tree: Tree) -> None:
    assert "in-high" not in climb(tree, "in-high").near
