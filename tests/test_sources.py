"""Ranked sources: which places records come from, in which order, and what is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from insomnia_skills import Ingest, ingest
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.sources import Source, SourceKind
from tests import cli
from tests.trees import (
    Tree,
    denied,
    link,
    slugs,
    underlined,
    write,
    write_manifest,
    write_skill,
)

NATIVE, WORKSPACE, USER = SourceKind


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def skill_sources(result: Ingest) -> list[Source]:
    return [source for source in result.sources if source.kind is not NATIVE]


def paths(result: Ingest, kind: SourceKind = WORKSPACE) -> list[Path]:
    return [source.path for source in result.sources if source.kind is kind]


def only(result: Ingest) -> Diagnostic:
    """The one thing that is said about manifests and roots; it never is an error."""
    (found,) = result.source_diagnostics
    assert found.severity is Severity.WARNING
    assert not result.has_errors
    return found


# --- ranks ---------------------------------------------------------------------------------------


def test_without_manifest_there_are_two_sources(tree: Tree) -> None:
    result = tree.ingest()
    workflows = tree.workspace / ".insomnia" / "memory" / "workflow"
    assert [(s.rank, s.kind, s.path, s.origin) for s in result.sources] == [
        ("1", NATIVE, workflows, "default"),
        ("3", USER, tree.user_skills, "default"),
    ]
    assert [(s.exists, s.scanned) for s in result.sources] == [(False, False)] * 2
    assert result.diagnostics == ()


def test_the_order_of_ranks(tree: Tree, tmp_path: Path) -> None:
    named = {name: tmp_path / "elsewhere" / name for name in ("x2", "x1", "m2", "m1", "u2", "u1")}
    for directory in (*named.values(), tree.user_skills):
        directory.mkdir(parents=True)
    tree.write_workflow("native")
    tree.name_roots(str(named["m2"]), str(named["m1"]))
    write_manifest(tree.user_manifest, str(named["u2"]), str(named["u1"]))
    result = tree.ingest(directories=[named["x2"], named["x1"]])
    workflows = tree.workspace / ".insomnia" / "memory" / "workflow"
    assert [(s.rank, s.kind, s.path, s.origin) for s in result.sources] == [
        ("1", NATIVE, workflows, "default"),
        ("2.1", WORKSPACE, named["x2"], "--directory"),
        ("2.2", WORKSPACE, named["x1"], "--directory"),
        ("2.3", WORKSPACE, named["m2"], f"{tree.manifest}:3"),
        ("2.4", WORKSPACE, named["m1"], f"{tree.manifest}:4"),
        ("2.5", WORKSPACE, named["u2"], f"{tree.user_manifest}:3"),
        ("2.6", WORKSPACE, named["u1"], f"{tree.user_manifest}:4"),
        ("3", USER, tree.user_skills, "default"),
    ]
    assert all(source.exists and source.scanned for source in result.sources)
    assert result.diagnostics == ()


def test_without_the_user_there_is_neither_user_manifest_nor_user_skills(tree: Tree) -> None:
    (tree.workspace / "skills").mkdir(parents=True)
    write_skill(tree.user_skills, "mine")
    write_skill(tree.config / "more", "more")
    tree.name_roots("skills")
    write_manifest(tree.user_manifest, "more")
    result = tree.ingest(user=False)
    assert [(s.rank, s.path) for s in skill_sources(result)] == [("2.1", tree.workspace / "skills")]


def test_labels_of_a_notification() -> None:
    labels = [kind.label for kind in SourceKind]
    assert labels == ["workspace workflow", "workspace skill", "user skill"]


# --- what an entry leads to ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "leads_to"),
    [
        pytest.param(".claude/skills", "workspace/.claude/skills", id="relative"),
        pytest.param("./skills", "workspace/skills", id="dot"),
        pytest.param("skills/", "workspace/skills", id="slash-at-the-end"),
        pytest.param("../shared/skills", "shared/skills", id="parent"),
        pytest.param("gone/../skills", "workspace/skills", id="parent-of-nothing"),
        pytest.param(".", "workspace", id="workspace-itself"),
        pytest.param("手 順/[a]*", "workspace/手 順/[a]*", id="blank-japanese-and-glob"),
        pytest.param(".insomnia/skills", "workspace/.insomnia/skills", id="inside-the-marker"),
    ],
)
def test_an_entry_is_relative_to_the_workspace_root(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, entry: str, leads_to: str
) -> None:
    cwd = tree.top / "cwd" / "deep"
    write_skill(cwd / entry, "wrong")
    write_skill(tree.top / leads_to, "right")
    monkeypatch.chdir(cwd)
    tree.name_roots(entry)
    result = tree.ingest()
    assert paths(result) == [tree.top / leads_to]
    assert slugs(result) == ["right"]


def test_an_entry_of_the_user_manifest_is_relative_to_the_config_directory(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    for top in (tree.top / "cwd", tree.workspace):
        write_skill(top / "more", "wrong")
    write_skill(tree.config / "more", "right")
    monkeypatch.chdir(tree.top / "cwd")
    write_manifest(tree.user_manifest, "more")
    result = tree.ingest()
    assert paths(result) == [tree.config / "more"]
    assert slugs(result) == ["right"]


def test_an_absolute_entry(tree: Tree) -> None:
    write_skill(tree.top / "a", "right")
    tree.name_roots(str(tree.top / "b" / ".." / "a"))
    result = tree.ingest()
    assert paths(result) == [tree.top / "a"]
    assert slugs(result) == ["right"]


def test_a_directory_of_the_command_line_is_relative_to_the_working_directory(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tree.top / "cwd" / "more", "right")
    write_skill(tree.workspace / "more", "wrong")
    monkeypatch.chdir(tree.top / "cwd")
    result = tree.ingest(directories=["more"])
    assert paths(result) == [tree.top / "cwd" / "more"]
    assert slugs(result) == ["right"]


def test_a_root_may_be_a_link_and_keeps_its_name(tree: Tree) -> None:
    write_skill(tree.top / "elsewhere", "right")
    root = link(tree.workspace / "skills", "../elsewhere")
    tree.name_roots("skills")
    result = tree.ingest()
    assert paths(result) == [root]
    assert [record.path for record in result.workflows] == [root / "right" / "SKILL.md"]


def test_the_parent_of_a_link_is_that_of_where_it_leads(tree: Tree) -> None:
    write_skill(tree.top / "elsewhere" / "skills", "right")
    write_skill(tree.workspace / "skills", "wrong")
    (tree.top / "elsewhere" / "deep").mkdir()
    link(tree.workspace / "way", "../elsewhere/deep")
    tree.name_roots("way/../skills")
    assert slugs(tree.ingest()) == ["right"]


# --- ~ and $ -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "help_"),
    [
        pytest.param("~/skills", "/home/ann/skills", id="tilde"),
        pytest.param("~", "/home/ann", id="tilde-alone"),
        pytest.param("$HOME/skills", "/home/ann/skills", id="variable"),
        pytest.param("${HOME}/skills", "/home/ann/skills", id="variable-in-braces"),
        pytest.param("skills/$TEAM", "skills/red", id="variable-inside"),
        pytest.param("$NOT_SET/skills", "write", id="variable-not-set"),
        pytest.param("~no-such-user/skills", "write", id="another-user"),
    ],
)
def test_root_unexpanded(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, entry: str, help_: str
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("TEAM", "red")
    monkeypatch.delenv("NOT_SET", raising=False)
    tree.name_roots(entry)
    found = only(tree.ingest())
    assert found.rule == "root-unexpanded"
    assert f'"{entry}"' in found.message
    assert help_ in (found.help or "")
    assert (found.path, underlined(found)) == (tree.manifest, f'"{entry}"')


@pytest.mark.parametrize("entry", ["~", "~/skills", "$HOME/skills", "a/$b", "a~b"])
def test_a_directory_of_that_very_name_is_a_root(tree: Tree, entry: str) -> None:
    write_skill(tree.workspace / entry, "odd")
    tree.name_roots(entry)
    result = tree.ingest()
    assert slugs(result) == ["odd"]
    assert result.diagnostics == ()


def test_a_tilde_is_never_the_home_directory(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tree.top / "home"))
    write_skill(tree.top / "home" / "skills", "private")
    tree.name_roots("~/skills", "$HOME/skills")
    assert tree.ingest().workflows == ()


# --- roots that give nothing ---------------------------------------------------------------------


def test_root_missing(tree: Tree) -> None:
    tree.name_roots("gone")
    result = tree.ingest()
    found = only(result)
    assert found.rule == "root-missing"
    assert str(tree.workspace / "gone") in found.message
    assert (found.path, found.line, found.column) == (tree.manifest, 3, 3)
    assert underlined(found) == '"gone"'
    (source, _user) = skill_sources(result)
    assert (source.exists, source.scanned) == (False, False)


def test_a_dangling_link_is_a_missing_root(tree: Tree) -> None:
    link(tree.workspace / "skills", "gone")
    tree.name_roots("skills")
    assert only(tree.ingest()).rule == "root-missing"


def test_what_lies_below_a_file_is_a_missing_root(tree: Tree) -> None:
    write(tree.workspace / "file", "")
    tree.name_roots("file/skills")
    assert only(tree.ingest()).rule == "root-missing"


def test_help_on_a_missing_root_says_what_it_counts_from(tree: Tree) -> None:
    """Not the workspace root: that is for entries of the workspace's manifest."""
    write_manifest(tree.user_manifest, "gone")
    assert "workspace root" not in (only(tree.ingest()).help or "")
    found = only(tree.ingest(user=False, directories=["gone"]))
    assert "workspace root" not in (found.help or "")


def test_root_not_directory(tree: Tree) -> None:
    write(tree.workspace / "file", "")
    tree.name_roots("file")
    result = tree.ingest()
    found = only(result)
    assert found.rule == "root-not-directory"
    assert str(tree.workspace / "file") in found.message
    assert (found.path, underlined(found)) == (tree.manifest, '"file"')
    (source, _user) = skill_sources(result)
    assert (source.exists, source.scanned) == (True, False)


def test_root_is_skill(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.name_roots("skills/pdf")
    result = tree.ingest()
    found = only(result)
    assert found.rule == "root-is-skill"
    assert str(tree.workspace / "skills") in (found.help or "")
    assert (found.path, underlined(found)) == (tree.manifest, '"skills/pdf"')
    assert result.workflows == ()
    (source, _user) = skill_sources(result)
    assert (source.exists, source.scanned) == (True, False)


def test_root_unreadable(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.name_roots("skills")
    with denied(tree.workspace / "skills"):
        result = tree.ingest()
    found = only(result)
    assert found.rule == "root-unreadable"
    assert "Permission denied" in found.message
    assert (found.path, underlined(found)) == (tree.manifest, '"skills"')


def test_a_link_that_leads_round_in_a_circle_is_no_root(tree: Tree) -> None:
    link(tree.workspace / "skills", "skills")
    tree.name_roots("skills")
    found = only(tree.ingest())
    assert found.rule.startswith("root-")
    assert (found.path, underlined(found)) == (tree.manifest, '"skills"')


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("a\\u0000b", id="nul"),
        pytest.param("\\u0000", id="nul-alone"),
        pytest.param("x" * 5000, id="too-long"),
        pytest.param("a/" * 3000, id="too-deep"),
        pytest.param("\\n", id="line-break"),
        pytest.param(" ", id="blank"),
        pytest.param("\\u001b[31m", id="escape"),
    ],
)
def test_an_odd_entry_stops_no_other(tree: Tree, entry: str) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.name_roots(entry, "skills")
    result = tree.ingest()
    assert slugs(result) == ["pdf"]
    found = only(result)
    assert found.rule.startswith("root-")
    assert (found.path, found.line) == (tree.manifest, 3)
    for command in (
        ("resolve", "/none", "--diff"),
        ("new", "fresh", "--dry-run"),
        ("sources", "add", "other", "--dry-run"),
        ("sources", "discover"),
        ("validate",),
        ("scope",),
    ):
        assert cli.call_in(tree, *command).code in (0, 1, 2), command


def test_no_root_stops_another(tree: Tree) -> None:
    write(tree.workspace / "file", "")
    write_skill(tree.workspace / "first", "a")
    write_skill(tree.workspace / "last", "b")
    tree.name_roots("first", "gone", "file", "first/a", "~/x", "first", "last")
    result = tree.ingest()
    assert slugs(result) == ["a", "b"]
    assert [(found.line, found.rule) for found in result.source_diagnostics] == [
        (4, "root-missing"),
        (5, "root-not-directory"),
        (6, "root-is-skill"),
        (7, "root-unexpanded"),
        (8, "root-duplicate"),
    ]


def test_user_skills_that_are_not_there_are_no_fault(tree: Tree) -> None:
    tree.config.mkdir()
    assert tree.ingest().diagnostics == ()


def test_user_skills_that_are_a_file_are_one(tree: Tree) -> None:
    write(tree.user_skills, "")
    found = only(tree.ingest())
    assert (found.rule, found.path) == ("root-not-directory", tree.user_skills)


def test_a_directory_of_the_command_line_that_is_not_there(tree: Tree) -> None:
    found = only(tree.ingest(directories=[tree.top / "gone"]))
    assert (found.rule, found.path) == ("root-missing", tree.top / "gone")


# --- the place of an entry -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manifest", "place"),
    [
        pytest.param('[skills]\ndirectories = ["gone"]', (2, 16, 22), id="one-line"),
        pytest.param("[skills]\ndirectories=['gone']", (2, 14, 20), id="literal-string"),
        pytest.param('[skills]\ndirectories = [\n\t"gone"\n]', (3, 2, 8), id="tab"),
        pytest.param('[skills]\r\ndirectories = [\r\n  "gone",\r\n]\r\n', (3, 3, 9), id="crlf"),
        pytest.param('# é\n[skills] # "gone"\ndirectories = ["gone"]', (3, 16, 22), id="comments"),
        pytest.param('[skills]\ndirectories = [ # ]\n  "gone"]', (3, 3, 9), id="comment-in-list"),
        pytest.param('skills.directories = ["gone"]', (1, 23, 29), id="dotted-key"),
        pytest.param('skills = { directories = ["gone"] }', (1, 27, 33), id="inline-table"),
        pytest.param('["skills"]\n"directories" = ["gone"]', (2, 18, 24), id="quoted-keys"),
        pytest.param('[skills]\ndirectories = ["\\u0067one"]', (2, 16, 27), id="escape"),
        pytest.param(
            '[a]\ndirectories = ["x"]\n[skills]\ndirectories = ["gone"]',
            (4, 16, 22),
            id="another-section-first",
        ),
        pytest.param('[skills]\ndirectories = ["手順", "gone"]', (2, 22, 28), id="japanese-before"),
        pytest.param('[skills]\ndirectories = ["\U0001f680", "gone"]', (2, 21, 27), id="astral"),
    ],
)
def test_line_and_columns(tree: Tree, manifest: str, place: tuple[int, int, int]) -> None:
    for name in ("手順", "\U0001f680"):
        (tree.workspace / name).mkdir(parents=True)
    write(tree.manifest, manifest)
    result = tree.ingest()
    found = only(result)
    line, column, end_column = place
    assert found.rule == "root-missing"
    assert (found.line, found.column, found.end_line, found.end_column) == (
        line,
        column,
        line,
        end_column,
    )
    assert result.sources[-2].origin == f"{tree.manifest}:{line}"


# --- root-duplicate ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    [
        pytest.param("skills", id="same"),
        pytest.param("./skills/", id="other-spelling"),
        pytest.param("../workspace/skills", id="by-the-parent"),
        pytest.param("alias", id="link"),
        pytest.param("alias-of-alias", id="link-to-link"),
        pytest.param("folder/skills", id="link-above"),
    ],
)
def test_root_duplicate(tree: Tree, again: str) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    link(tree.workspace / "alias", "skills")
    link(tree.workspace / "alias-of-alias", "alias")
    link(tree.workspace / "folder", ".")
    tree.name_roots("skills", again)
    result = tree.ingest()
    found = only(result)
    assert found.rule == "root-duplicate"
    assert (found.path, found.line, underlined(found)) == (tree.manifest, 4, f'"{again}"')
    assert str(tree.workspace / "skills") in found.message
    assert "rank 2.1" in found.message
    assert [(s.rank, s.exists, s.scanned) for s in skill_sources(result)[:2]] == [
        ("2.1", True, True),
        ("2.2", True, False),
    ]
    assert slugs(result) == ["pdf"]
    assert result.shadows == ()


def test_an_absolute_and_a_relative_entry_for_one_directory(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.name_roots(str(tree.workspace / "skills"), "skills")
    assert only(tree.ingest()).rule == "root-duplicate"


def test_an_option_and_a_manifest_for_one_directory(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.name_roots("skills")
    result = tree.ingest(directories=[tree.workspace / "skills"])
    found = only(result)
    assert (found.rule, found.path, found.line) == ("root-duplicate", tree.manifest, 3)
    assert [s.origin for s in skill_sources(result) if s.scanned] == ["--directory"]


def test_both_manifests_for_one_directory(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    tree.name_roots("../shared")
    write_manifest(tree.user_manifest, "../shared")
    found = only(tree.ingest())
    assert (found.rule, found.path, found.line) == ("root-duplicate", tree.user_manifest, 3)


@pytest.mark.parametrize("entry", ["skills", "link"])
def test_the_user_root_named_in_a_manifest_is_read_once_at_the_higher_rank(
    tree: Tree, entry: str
) -> None:
    write_skill(tree.user_skills, "mine")
    link(tree.config / "link", "skills")
    write_manifest(tree.user_manifest, entry)
    result = tree.ingest()
    assert only(result).rule == "root-duplicate"
    assert [(s.rank, s.scanned) for s in skill_sources(result)] == [("2.1", True), ("3", False)]
    assert [record.source.rank for record in result.workflows] == ["2.1"]
    assert result.shadows == ()


def test_two_directories_with_the_same_files_are_two_roots(tree: Tree) -> None:
    for root in ("a", "b"):
        write_skill(tree.workspace / root, "pdf")
    tree.name_roots("a", "b")
    result = tree.ingest()
    assert result.source_diagnostics == ()
    assert len(result.shadows) == 1


def test_a_root_inside_another_is_a_root_of_its_own(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "a")
    write_skill(tree.workspace / "skills" / "group", "b")
    tree.name_roots("skills", "skills/group")
    assert slugs(tree.ingest()) == ["a", "b"]


# --- what a manifest may hold --------------------------------------------------------------------


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param("", id="empty"),
        pytest.param("# [skills]\n# directories = ['skills']\n", id="commented-out"),
        pytest.param("[skills]\n", id="no-directories"),
        pytest.param("[skills]\ndirectories = []\n", id="no-entries"),
        pytest.param("[scope]\nallow = []\n", id="another-section"),
        pytest.param("[other]\ndirectories = ['skills']\n", id="of-another-section"),
        pytest.param("[other.skills]\ndirectories = ['skills']\n", id="below-another-section"),
    ],
)
def test_a_manifest_that_names_nothing(tree: Tree, manifest: str) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    write(tree.manifest, manifest)
    result = tree.ingest()
    assert (result.workflows, paths(result), result.diagnostics) == ((), [], ())


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param("skills.directories = ['skills']", id="dotted-key"),
        pytest.param("skills = { directories = ['skills'] }", id="inline-table"),
        pytest.param("[skills]\n'directories' = ['skills',]", id="literal-key"),
        pytest.param('[skills]\n"director\\u0069es" = ["skills"]', id="escape-in-key"),
        pytest.param('["sk\\u0069lls"]\ndirectories = ["skills"]', id="escape-in-section"),
        pytest.param('[skills]\ndirectories = ["""\nskills"""]', id="long-string"),
        pytest.param("[skills]\ndirectories = ['''skills''']", id="long-literal-string"),
        pytest.param(
            "a = [[1, {b = ']'}], '''\n[x''']\n[skills]\ndirectories = ['skills']",
            id="odd-values-before",
        ),
        pytest.param("a = 1979-05-27 07:32:00Z\nskills.directories = ['skills']", id="date-before"),
    ],
)
def test_all_that_toml_allows(tree: Tree, manifest: str) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    write(tree.manifest, manifest)
    result = tree.ingest()
    assert slugs(result) == ["pdf"]
    assert result.diagnostics == ()


@pytest.mark.parametrize(
    ("manifest", "marked"),
    [
        pytest.param("[skills]\ndirectories = 'skills'", "'skills'", id="text"),
        pytest.param("[skills]\ndirectories = 3", "3", id="number"),
        pytest.param("[skills]\ndirectories = {a = 1}", "{a = 1}", id="inline-table"),
        pytest.param("[skills]\ndirectories.a = 1", None, id="dotted-table"),
        pytest.param("[skills.directories]\na = 1", None, id="table"),
        pytest.param("[[skills.directories]]\na = 1", None, id="list-of-tables"),
        pytest.param("[[skills]]\ndirectories = ['skills']", None, id="section-twice"),
        pytest.param("skills = ['skills']", None, id="section-as-list"),
        pytest.param("skills = 'skills'", None, id="section-as-text"),
        pytest.param("[skills]\ndirectories = [3]", "3", id="number-in-list"),
        pytest.param("[skills]\ndirectories = [['skills']]", "['skills']", id="list-in-list"),
        pytest.param("[skills]\ndirectories = [{a = 1}]", "{a = 1}", id="table-in-list"),
        pytest.param("[skills]\ndirectories = [true]", "true", id="true-in-list"),
        pytest.param("[skills]\ndirectories = [2026-01-02]", "2026-01-02", id="date-in-list"),
        pytest.param("[skills]\ndirectories = ['']", "''", id="empty-text"),
    ],
)
def test_manifest_type(tree: Tree, manifest: str, marked: str | None) -> None:
    write_skill(tree.user_skills, "mine")
    write(tree.manifest, manifest)
    result = tree.ingest()
    (found,) = result.source_diagnostics
    assert (found.rule, found.severity) == ("manifest-type", Severity.ERROR)
    assert found.path == tree.manifest
    if marked is not None:
        assert underlined(found) == marked
    assert result.manifest_readable
    assert slugs(result) == ["mine"]


def test_a_wrong_entry_stops_no_other(tree: Tree) -> None:
    write_skill(tree.workspace / "a", "a")
    write_skill(tree.workspace / "b", "b")
    write(tree.manifest, "[skills]\ndirectories = ['a', 3, '', ['x', 'y'], 'b']\n")
    result = tree.ingest()
    assert slugs(result) == ["a", "b"]
    assert [underlined(found) for found in result.source_diagnostics] == ["3", "''", "['x', 'y']"]
    assert {found.rule for found in result.source_diagnostics} == {"manifest-type"}


@pytest.mark.parametrize(
    ("manifest", "key", "instead"),
    [
        pytest.param("[skills]\ndirectory = ['a']", "directory", "directories", id="singular"),
        pytest.param("[skills]\nDirectories = ['a']", "Directories", "directories", id="capital"),
        pytest.param("[skills]\nexclude = ['a']", "exclude", "", id="not-known"),
        pytest.param("[skill]\ndirectories = ['a']", "skill", "[skills]", id="section-singular"),
        pytest.param("[Skills]\ndirectories = ['a']", "Skills", "[skills]", id="section-capital"),
        pytest.param("directories = ['a']", "directories", "[skills]", id="no-section"),
        pytest.param('[skills]\n"\\u0061" = 1', '"\\u0061"', "", id="escape-in-key"),
        pytest.param('["sk\\u0069ll"]', '"sk\\u0069ll"', "[skills]", id="escape-in-section"),
    ],
)
def test_manifest_unknown_key(tree: Tree, manifest: str, key: str, instead: str) -> None:
    write(tree.manifest, manifest)
    found = only(tree.ingest())
    assert found.rule == "manifest-unknown-key"
    assert instead in (found.help or "")
    assert (found.path, underlined(found).strip("'\"")) == (tree.manifest, key.strip('"'))


def test_paths_are_absolute_whatever_was_given(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.name_roots("skills", "gone")
    monkeypatch.chdir(tree.top)
    result = ingest("workspace", config_dir="config", directories=["more"])
    assert all(os.path.isabs(source.path) for source in result.sources)
    assert all(os.path.isabs(found.path) for found in result.diagnostics)
    assert all(os.path.isabs(record.path) for record in result.workflows)
    assert result.workspace.root == tree.workspace
    assert result.config_dir == tree.config
