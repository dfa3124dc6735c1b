"""What ingested skills add to a Pod's Scope, and which paths that makes readable."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from insomnia_skills.scope import ReadRule, is_readable, scope_rules
from tests.trees import Tree, break_skill, link, write, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def rules(tree: Tree) -> tuple[ReadRule, ...]:
    return scope_rules(tree.ingest().workflows)


# --- rules ---------------------------------------------------------------------------------------


def test_one_recursive_read_rule_for_each_skill(tree: Tree) -> None:
    write_skill(tree.user_skills, "b")
    write_skill(tree.user_skills, "a")
    assert rules(tree) == (
        ReadRule("a", tree.user_skills / "a", permission="read", recursive=True),
        ReadRule("b", tree.user_skills / "b", permission="read", recursive=True),
    )


def test_only_what_is_ingested_is_readable(tree: Tree) -> None:
    tree.write_workflow("native")
    tree.name_roots("skills")
    write_skill(tree.workspace / "skills", "pdf")
    write_skill(tree.user_skills, "pdf")
    write_skill(tree.user_skills, "native")
    break_skill(tree.user_skills, "broken")
    write(tree.user_skills / "no-skill" / "README.md", "")
    assert [rule.target for rule in rules(tree)] == [tree.workspace / "skills" / "pdf"]


def test_without_skills_there_are_no_rules(tree: Tree) -> None:
    tree.write_workflow("native")
    assert rules(tree) == ()


def test_the_target_of_a_linked_skill_is_where_it_really_lies(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    link(tree.user_skills / "pdf", "../../shared/pdf")
    (rule,) = rules(tree)
    assert (rule.slug, rule.target) == ("pdf", tree.top / "shared" / "pdf")


def test_the_target_below_a_linked_root_is_where_it_really_lies(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    link(tree.workspace / "skills", "../shared")
    tree.name_roots("skills")
    (rule,) = rules(tree)
    assert rule.target == tree.top / "shared" / "pdf"


def test_a_linked_skill_file_does_not_move_the_target(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    link(tree.user_skills / "pdf" / "SKILL.md", "../../../shared/pdf/SKILL.md")
    (rule,) = rules(tree)
    assert rule.target == tree.user_skills / "pdf"


# --- is_readable ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "readable"),
    [
        pytest.param("skills/pdf", True, id="the-directory"),
        pytest.param("skills/pdf/SKILL.md", True, id="skill-file"),
        pytest.param("skills/pdf/scripts/deep/run.sh", True, id="deep-file"),
        pytest.param("skills/pdf/not-there.md", True, id="not-there-yet"),
        pytest.param("skills/pdf/scripts/../SKILL.md", True, id="up-and-down"),
        pytest.param("skills/pdf/inner-link.md", True, id="link-that-stays-inside"),
        pytest.param("skills/pdf/.hidden", True, id="hidden-file"),
        pytest.param("alias/SKILL.md", True, id="by-a-link-to-the-skill"),
        pytest.param("skills/pdf-2/notes.md", False, id="sibling-with-the-same-prefix"),
        pytest.param("skills/pdf.md", False, id="file-with-the-same-prefix"),
        pytest.param("skills/pd", False, id="shorter-name"),
        pytest.param("skills", False, id="the-root"),
        pytest.param("skills/pdf/..", False, id="up"),
        pytest.param("skills/pdf/../pdf-2/notes.md", False, id="up-and-over"),
        pytest.param("skills/pdf/outer-link.md", False, id="link-that-leads-out"),
        pytest.param("skills/pdf/outer/secret.md", False, id="below-a-link-that-leads-out"),
        pytest.param("skills/pdf/dangling.md", False, id="dangling-link-that-leads-out"),
        pytest.param("secret/secret.md", False, id="elsewhere"),
    ],
)
def test_is_readable(tree: Tree, path: str, readable: bool) -> None:
    skill = tree.user_skills / "pdf"
    write_skill(tree.user_skills, "pdf", files={"scripts/deep/run.sh": "", ".hidden": ""})
    write(tree.user_skills / "pdf-2" / "notes.md", "")
    write(tree.config / "secret" / "secret.md", "")
    link(tree.config / "alias", "skills/pdf")
    link(skill / "inner-link.md", "scripts/deep/run.sh")
    link(skill / "outer-link.md", "../../secret/secret.md")
    link(skill / "outer", tree.config / "secret")
    link(skill / "dangling.md", "../gone.md")
    (rule,) = rules(tree)
    assert is_readable(tree.config / path, [rule]) is (rule if readable else None)
    assert is_readable(os.fspath(tree.config / path), [rule]) is (rule if readable else None)


def test_every_link_that_is_not_readable_is_pointed_out(tree: Tree) -> None:
    skill = write_skill(tree.user_skills, "pdf", files={"a.md": ""}).parent
    write(tree.user_skills / "pdf-2" / "notes.md", "")
    links = [
        link(skill / "inner.md", "a.md"),
        link(skill / "itself", "."),
        link(skill / "outer.md", "../../../top.md"),
        link(skill / "sibling.md", "../pdf-2/notes.md"),
        link(skill / "root", ".."),
    ]
    write(tree.top / "top.md", "")
    result = tree.ingest(thorough=True)
    told = {found.path for found in result.diagnostics if found.rule == "link-escapes-skill"}
    rules = scope_rules(result.workflows)
    assert told == {path for path in links if is_readable(path, rules) is None}
    assert {path.name for path in told} == {"outer.md", "sibling.md", "root"}


def test_a_skill_file_that_is_a_link_out_of_the_skill_is_not_readable(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    path = link(tree.user_skills / "pdf" / "SKILL.md", "../../../shared/pdf/SKILL.md")
    assert is_readable(path, rules(tree)) is None


def test_a_relative_path_counts_from_the_working_directory(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tree.user_skills, "pdf")
    monkeypatch.chdir(tree.user_skills)
    assert is_readable("pdf/SKILL.md", rules(tree)) is not None
    assert is_readable("SKILL.md", rules(tree)) is None


def test_the_rule_that_allows_it_is_named(tree: Tree) -> None:
    write_skill(tree.user_skills, "a")
    write_skill(tree.user_skills, "b")
    rule = is_readable(tree.user_skills / "b" / "SKILL.md", rules(tree))
    assert rule is not None
    assert rule.slug == "b"


def test_without_rules_nothing_is_readable(tmp_path: Path) -> None:
    assert is_readable(tmp_path, []) is None
