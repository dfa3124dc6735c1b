"""Who wins a slug: ranks, shadows and their relations, notifications and stand-ins."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from insomnia_skills.diagnostic import Severity
from insomnia_skills.registry import Relation, Shadow
from tests.trees import Tree, break_skill, link, slugs, write, write_skill

SAME, IDENTICAL, DIFFERENT = Relation


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace whose manifest names the roots ``high`` and ``low``."""
    tree = Tree(tmp_path)
    tree.name_roots("high", "low")
    for root in ("high", "low"):
        (tree.workspace / root).mkdir()
    return tree


def high(tree: Tree) -> Path:
    return tree.workspace / "high"


def low(tree: Tree) -> Path:
    return tree.workspace / "low"


def only_shadow(tree: Tree) -> Shadow:
    (shadow,) = tree.ingest().shadows
    return shadow


# --- winners -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "winner"),
    [
        pytest.param(["native", "high", "low", "user"], "native", id="native-over-all"),
        pytest.param(["high", "low", "user"], "high", id="first-root-over-second"),
        pytest.param(["low", "user"], "low", id="workspace-over-user"),
        pytest.param(["native", "user"], "native", id="native-over-user"),
        pytest.param(["user"], "user", id="user-alone"),
    ],
)
def test_the_highest_rank_wins(tree: Tree, places: list[str], winner: str) -> None:
    for place in places:
        if place == "native":
            tree.write_workflow("pdf", description=place)
        else:
            root = tree.user_skills if place == "user" else tree.workspace / place
            write_skill(root, "pdf", description=place)
    result = tree.ingest()
    assert [record.description for record in result.workflows] == [winner]
    assert [shadow.kept.description for shadow in result.shadows] == [winner] * (len(places) - 1)
    assert [shadow.lost.description for shadow in result.shadows] == places[1:]
    assert not result.workflows[0].stand_in


def test_workflows_come_in_order_of_slug_whatever_their_source(tree: Tree) -> None:
    write_skill(low(tree), "b")
    write_skill(tree.user_skills, "a")
    write_skill(high(tree), "d-2")
    write_skill(high(tree), "d-10")
    tree.write_workflow("c")
    assert slugs(tree.ingest()) == ["a", "b", "c", "d-10", "d-2"]


def test_different_slugs_do_not_meet(tree: Tree) -> None:
    write_skill(high(tree), "pdf")
    write_skill(low(tree), "pdfs")
    assert tree.ingest().shadows == ()


# --- notifications -------------------------------------------------------------------------------


def test_the_notification_of_a_skill_under_a_native_workflow(tree: Tree) -> None:
    native = tree.write_workflow("pdf")
    skill = write_skill(tree.user_skills, "pdf")
    assert only_shadow(tree).message == (
        f"[Skill shadowed] skill /pdf from user skill ({skill}) "
        f"was shadowed by existing workspace workflow ({native})"
    )


def test_the_notification_of_a_skill_under_a_workspace_skill(tree: Tree) -> None:
    kept = write_skill(high(tree), "pdf")
    lost = write_skill(low(tree), "pdf")
    assert only_shadow(tree).message == (
        f"[Skill shadowed] skill /pdf from workspace skill ({lost}) "
        f"was shadowed by existing workspace skill ({kept})"
    )


def test_every_loser_is_told_of_the_winner(tree: Tree) -> None:
    kept = write_skill(high(tree), "pdf")
    write_skill(low(tree), "pdf")
    write_skill(tree.user_skills, "pdf")
    messages = [shadow.message for shadow in tree.ingest().shadows]
    assert len(messages) == 2
    assert all(message.endswith(f"existing workspace skill ({kept})") for message in messages)


def test_a_shadow_is_an_info_at_the_loser(tree: Tree) -> None:
    write_skill(high(tree), "pdf")
    lost = write_skill(low(tree), "pdf")
    (found,) = tree.ingest().registry.diagnostics
    assert (found.rule, found.severity, found.path) == ("skill-shadowed", Severity.INFO, lost)
    assert "/pdf" in found.message
    assert "rank 2.1" in found.message


# --- relations -----------------------------------------------------------------------------------


def test_one_file_reached_twice(tree: Tree) -> None:
    write_skill(high(tree), "pdf")
    link(low(tree) / "pdf", "../high/pdf")
    shadow = only_shadow(tree)
    assert (shadow.relation, shadow.differs) == (SAME, ())
    assert shadow.lost.path == low(tree) / "pdf" / "SKILL.md"


def test_a_linked_file_is_the_same_file(tree: Tree) -> None:
    write_skill(high(tree), "pdf")
    link(low(tree) / "pdf" / "SKILL.md", "../../high/pdf/SKILL.md")
    assert only_shadow(tree).relation is SAME


def test_an_equal_copy_is_identical(tree: Tree) -> None:
    for root in (high(tree), low(tree)):
        write_skill(root, "pdf", "license: MIT", files={"scripts/run.sh": "run", "a/b/c": "d"})
    shadow = only_shadow(tree)
    assert (shadow.relation, shadow.differs) == (IDENTICAL, ())


@pytest.mark.parametrize(
    ("lines", "options", "differs"),
    [
        pytest.param([], {"description": "Other."}, ("description",), id="description"),
        pytest.param([], {"body": "Do other things.\n"}, ("body",), id="body"),
        pytest.param([], {"body": "Do it.\r\n"}, ("body",), id="line-end-in-body"),
        pytest.param(["license: MIT"], {}, ("license",), id="license"),
        pytest.param(["compatibility: git"], {}, ("compatibility",), id="compatibility"),
        pytest.param(["metadata: {a: b}"], {}, ("metadata",), id="metadata"),
        pytest.param(["allowed-tools: Read"], {}, ("allowed_tools",), id="allowed-tools"),
        pytest.param([], {"files": {"scripts/a.sh": "b"}}, ("resources",), id="one-file-more"),
        pytest.param(
            ["license: MIT"],
            {"description": "Other.", "body": "x", "files": {"y": "z"}},
            ("description", "license", "body", "resources"),
            id="nearly-everything",
        ),
    ],
)
def test_what_differs(
    tree: Tree, lines: list[str], options: dict[str, str], differs: tuple[str, ...]
) -> None:
    write_skill(high(tree), "pdf")
    write_skill(low(tree), "pdf", *lines, **options)  # type: ignore[arg-type]
    shadow = only_shadow(tree)
    assert (shadow.relation, shadow.differs) == (DIFFERENT, differs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        pytest.param({"a.md": "x"}, {"a.md": "y"}, id="same-size"),
        pytest.param({"a.md": "x"}, {"b.md": "x"}, id="other-name"),
        pytest.param({"a/b.md": "x"}, {"b.md": "x"}, id="other-directory"),
        pytest.param({"a.md": "x"}, {"a.md": "x\n"}, id="line-break"),
    ],
)
def test_resources_that_differ(tree: Tree, ours: dict[str, str], theirs: dict[str, str]) -> None:
    write_skill(high(tree), "pdf", files=ours)
    write_skill(low(tree), "pdf", files=theirs)
    for path in tree.workspace.rglob("*.md"):
        os.utime(path, (0, 0))  # the same time must not be taken for the same content
    shadow = only_shadow(tree)
    assert (shadow.relation, shadow.differs) == (DIFFERENT, ("resources",))


def test_a_skill_under_a_native_workflow_differs_in_who_may_call_it(tree: Tree) -> None:
    tree.write_workflow("pdf", "user_invocable: false", "requires: [team]", description="x")
    write_skill(low(tree), "pdf", description="x")
    shadow = only_shadow(tree)
    assert shadow.relation is DIFFERENT
    assert shadow.differs == ("model_invokation", "user_invocable", "requires")


def test_a_skill_may_be_identical_to_a_native_workflow(tree: Tree) -> None:
    tree.write_workflow("pdf", "model_invokation: true", description="x")
    write_skill(low(tree), "pdf", description="x")
    assert only_shadow(tree).relation is IDENTICAL


def test_a_loser_is_compared_with_the_winner_not_with_the_one_above(tree: Tree) -> None:
    write_skill(high(tree), "pdf", description="x")
    write_skill(low(tree), "pdf", description="y")
    write_skill(tree.user_skills, "pdf", description="x")
    relations = [shadow.relation for shadow in tree.ingest().shadows]
    assert relations == [DIFFERENT, IDENTICAL]


# --- skipped copies and stand-ins ----------------------------------------------------------------


def test_a_stand_in_has_its_slug_only_because_the_copy_above_is_broken(tree: Tree) -> None:
    break_skill(high(tree), "pdf")
    path = write_skill(low(tree), "pdf")
    result = tree.ingest()
    (record,) = result.workflows
    assert (record.path, record.stand_in) == (path, True)
    assert result.shadows == ()
    (found,) = result.registry.diagnostics
    assert (found.rule, found.severity, found.path) == ("stand-in", Severity.WARNING, path)
    assert "/pdf" in found.message
    assert "rank 2.1" in found.message


def test_a_stand_in_under_several_broken_copies_is_told_once(tree: Tree) -> None:
    break_skill(high(tree), "pdf")
    break_skill(low(tree), "pdf")
    path = write_skill(tree.user_skills, "pdf")
    result = tree.ingest()
    (record,) = result.workflows
    assert (record.path, record.stand_in) == (path, True)
    (found,) = result.registry.diagnostics
    assert found.rule == "stand-in"
    assert "rank 2.1" in found.message
    assert len(result.skipped) == 2


def test_a_stand_in_shadows_what_is_below_it(tree: Tree) -> None:
    break_skill(high(tree), "pdf")
    path = write_skill(low(tree), "pdf")
    write_skill(tree.user_skills, "pdf")
    shadow = only_shadow(tree)
    assert shadow.kept.path == path
    assert shadow.kept.stand_in


def test_a_broken_copy_below_the_winner_changes_nothing(tree: Tree) -> None:
    write_skill(high(tree), "pdf")
    break_skill(low(tree), "pdf")
    result = tree.ingest()
    assert [record.stand_in for record in result.workflows] == [False]
    assert (result.shadows, result.registry.diagnostics) == ((), ())
    assert len(result.skipped) == 1


def test_a_broken_copy_between_two_is_neither_winner_nor_shadow(tree: Tree) -> None:
    kept = write_skill(high(tree), "pdf")
    break_skill(low(tree), "pdf")
    lost = write_skill(tree.user_skills, "pdf")
    result = tree.ingest()
    assert [record.stand_in for record in result.workflows] == [False]
    assert [(s.kept.path, s.lost.path) for s in result.shadows] == [(kept, lost)]


def test_broken_copies_alone_leave_the_slug_free(tree: Tree) -> None:
    break_skill(high(tree), "pdf")
    break_skill(low(tree), "pdf")
    result = tree.ingest()
    assert (result.workflows, result.shadows, result.registry.diagnostics) == ((), (), ())
    assert [candidate.slug for candidate in result.skipped] == ["pdf", "pdf"]


def test_a_skill_of_a_broken_native_workflow_is_a_stand_in(tree: Tree) -> None:
    native = tree.write_workflow("pdf", "name: pdf")
    path = write_skill(low(tree), "pdf")
    result = tree.ingest()
    (record,) = result.workflows
    assert (record.path, record.stand_in) == (path, True)
    assert [candidate.path for candidate in result.broken] == [native]
    assert result.skipped == ()
    assert result.has_errors
    (found,) = result.registry.diagnostics
    assert found.rule == "stand-in"
    assert "rank 1 " in found.message


def test_warnings_do_not_break_a_copy(tree: Tree) -> None:
    path = write_skill(high(tree), "pdf", "allowed-tools: Read", "licence: MIT")
    write_skill(low(tree), "pdf")
    (record,) = tree.ingest().workflows
    assert (record.path, record.stand_in) == (path, False)


def test_a_skill_is_called_by_its_directory_not_by_its_name(tree: Tree) -> None:
    """A broken name gives no claim on the slug it spells."""
    write(high(tree) / "docx" / "SKILL.md", "---\nname: pdf\ndescription: x\n---\n")
    path = write_skill(low(tree), "pdf")
    result = tree.ingest()
    assert [(record.path, record.stand_in) for record in result.workflows] == [(path, False)]
    assert [candidate.slug for candidate in result.skipped] == ["docx"]


def test_the_reason_of_a_skipped_copy_names_rule_and_place(tree: Tree) -> None:
    write(high(tree) / "pdf" / "SKILL.md", "---\nname: PDF\ndescription: x\n---\n")
    (candidate,) = tree.ingest().skipped
    assert candidate.reason.startswith("name-charset at SKILL.md:2:7: ")
