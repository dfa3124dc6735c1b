"""What a Mac does that Linux does not: its disks take `café` and `CAFÉ`, composed or not, for one.

On Linux a disk that answers so is made up: every name in a path is looked up in the list of its
directory first, in any case and with letters and marks in any form. Lists have names as written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from insomnia_skills import check_paths
from insomnia_skills.checking import git
from insomnia_skills.checking.check import FileKind
from insomnia_skills.edit.entries import entry_for, find_entries
from insomnia_skills.edit.write import create_file
from insomnia_skills.invocation.preview import sources_named
from insomnia_skills.workspace import composed, place_key
from tests.cli import call_in
from tests.trees import Tree, link, slugs, write, write_skill

COMPOSED, APART = normalize("NFC", "café"), normalize("NFD", "café")


def folded(name: str) -> str:
    return normalize("NFD", name).casefold()


def as_on_disk(path: Any) -> Any:
    """The path with each name as its directory has it."""
    if not isinstance(path, str | os.PathLike):
        return path
    text = os.fspath(path)
    if isinstance(text, bytes) or "\0" in text or REAL["lexists"](text):
        return path
    above, name = os.path.split(text.rstrip("/"))
    above = as_on_disk(above) if above and above != text else above
    try:
        names = REAL["listdir"](above or ".")
    except OSError:
        return path
    found = next((each for each in names if folded(each) == folded(name)), name)
    return os.path.join(above, found)


REAL: dict[str, Callable[..., Any]] = {"listdir": os.listdir, "lexists": os.path.lexists}


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk as a Mac has it, until the test ends."""

    def folding(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda path=".", *args, **kwargs: function(as_on_disk(path), *args, **kwargs)

    lstat = os.lstat
    monkeypatch.setitem(REAL, "lexists", lambda path: _is_there(path, lstat))
    for name in ("stat", "lstat", "open", "listdir", "scandir", "readlink", "access"):
        monkeypatch.setattr(os, name, folding(getattr(os, name)))


def _is_there(path: str, lstat: Callable[[str], object]) -> bool:
    try:
        lstat(path)
    except OSError:
        return False
    return True


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.mark.usefixtures("mac")
def test_the_made_up_disk_ignores_case_and_form(tmp_path: Path) -> None:
    write(tmp_path / "Skills" / APART / "a.md", "x")
    assert os.path.isfile(tmp_path / "skills" / COMPOSED.upper() / "A.MD")
    assert not os.path.exists(tmp_path / "skills/cafe")
    assert os.listdir(tmp_path / "SKILLS") == [APART]


# Two names of one directory


@pytest.mark.usefixtures("mac")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(".claude/skills", ".Claude/Skills", id="case"),
        pytest.param(f"{APART}/skills", f"{COMPOSED}/skills", id="form"),
        pytest.param(f"{APART}/skills", f"{COMPOSED.upper()}/SKILLS", id="both"),
    ],
)
def test_a_root_named_in_two_ways_is_read_once(tree: Tree, one: str, other: str) -> None:
    write_skill(tree.workspace / one, "pdf")
    tree.name_roots(one, other)
    result = tree.ingest()
    assert slugs(result) == ["pdf"]
    assert result.shadows == ()
    assert [(d.rule, d.line) for d in result.diagnostics] == [("root-duplicate", 4)]
    assert sources_named(result, str(tree.workspace / other))[0].rank == "2.1"


def test_roots_that_differ_in_case_are_two_where_the_disk_has_two(tree: Tree) -> None:
    for root in ("skills", "Skills"):
        write_skill(tree.workspace / root, "pdf")
    if len(os.listdir(tree.workspace)) == 1:
        pytest.skip("this disk ignores case")
    tree.name_roots("skills", "Skills")
    result = tree.ingest()
    assert [source.scanned for source in result.sources[1:3]] == [True, True]
    assert len(result.shadows) == 1
    assert place_key(tree.workspace / "skills") != place_key(tree.workspace / "Skills")


@pytest.mark.usefixtures("mac")
def test_an_entry_is_found_by_another_name_of_its_directory(tree: Tree) -> None:
    write_skill(tree.workspace / ".claude/skills", "pdf")
    tree.name_roots(".claude/skills")
    before = tree.manifest.read_bytes()
    run = call_in(tree, "sources", "add", ".Claude/Skills", "--yes")
    assert run.code == 0
    assert "is a source already" in run.both
    assert tree.manifest.read_bytes() == before
    manifest = tree.ingest().manifests[0]
    assert find_entries(manifest, str(tree.workspace / ".CLAUDE/skills")) == [0]
    assert entry_for(str(tree.top / "Workspace/.claude/skills"), tree.workspace) == ".claude/skills"


@pytest.mark.usefixtures("mac")
def test_a_directory_of_another_client_in_another_case_is_configured(tree: Tree) -> None:
    write_skill(tree.workspace / ".claude/skills", "pdf")
    tree.name_roots(".Claude/Skills")
    run = call_in(tree, "sources", "discover", "--format", "json", "--no-user")
    found = [d for d in run.document["directories"] if d["path"].endswith(".claude/skills")]
    assert [d["configured"]["rank"] for d in found] == ["2.1"]
    assert "no manifest names" not in call_in(tree, "list", "--no-user").both


# Names are those of the directory's list


@pytest.mark.usefixtures("mac")
def test_a_slug_is_not_found_by_another_case(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.write_workflow("deploy")
    tree.name_roots("skills")
    for slug, there in (("PDF", "pdf"), ("Deploy", "deploy")):
        run = call_in(tree, "resolve", f"/{slug}")
        assert run.code == 1
        assert f"/{there}" in run.both, "and the right one is named"
        assert call_in(tree, "show", slug).code == 1
        assert call_in(tree, "eject", slug, "--dry-run").code == 1


@pytest.mark.usefixtures("mac")
def test_a_skill_md_is_told_by_its_name_though_it_could_be_opened(tree: Tree) -> None:
    path = write_skill(tree.workspace / "skills", "pdf")
    wrong = path.rename(path.with_name("skill.md"))
    assert os.path.isfile(path)
    for place in (path.parent, tree.workspace / "skills", wrong):
        check = check_paths(place)
        assert [(d.rule, d.path) for d in check.diagnostics] == [("wrong-case-filename", wrong)]
    tree.name_roots("skills")
    assert slugs(tree.ingest()) == []


@pytest.mark.usefixtures("mac")
def test_nothing_is_written_over_what_has_the_name_in_another_case(tree: Tree) -> None:
    old = write_skill(tree.workspace / "skills", "PDF")
    text = old.read_bytes()
    tree.name_roots("skills")
    run = call_in(tree, "new", "pdf")
    assert run.code == 1
    assert "is there already" in run.stderr
    assert os.listdir(tree.workspace / "skills") == ["PDF"]
    assert old.read_bytes() == text


@pytest.mark.usefixtures("mac")
def test_a_file_of_another_case_is_neither_replaced_nor_written_over(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "deploy")
    tree.name_roots("skills")
    old = write(tree.workspace / ".insomnia/memory/workflow/Deploy.md", "mine")
    for options in ((), ("--force",)):
        run = call_in(tree, "eject", "deploy", *options)
        assert run.code == 1
        assert "is there in another case, which this disk ignores" in run.stderr
    with pytest.raises(FileExistsError):
        create_file(old.with_name("deploy.md"), b"theirs")
    assert os.listdir(old.parent) == ["Deploy.md"]
    assert old.read_bytes() == b"mine"


@pytest.mark.usefixtures("mac")
def test_a_file_gets_its_name_in_another_case(tree: Tree) -> None:
    path = write_skill(tree.workspace / "skills", "pdf")
    path.rename(path.with_name("skill.md"))
    assert call_in(tree, "validate", "skills", "--fix").code == 0
    assert os.listdir(path.parent) == ["SKILL.md"]


@pytest.mark.usefixtures("mac")
def test_paths_to_one_skill_are_judged_once(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    places = ("skills", "Skills/pdf", "SKILLS/pdf/SKILL.md")
    check = check_paths([tree.workspace / place for place in places])
    assert [file.path for file in check.files] == [tree.workspace / "skills/pdf/SKILL.md"]


# Letters and marks apart (NFD)


def test_a_name_is_refused_in_either_form(tree: Tree) -> None:
    """Neither is in `a-z 0-9 -`; a Mac's directory and the name typed in it are no mismatch."""
    for root, form in (("one", COMPOSED), ("two", APART)):
        text = f"---\nname: {COMPOSED}\ndescription: Makes it. Use when asked.\n---\nDo it.\n"
        write(tree.workspace / root / form / "SKILL.md", text)
        check = check_paths(tree.workspace / root)
        rules = [d.rule for d in check.diagnostics if d.severity == "error"]
        assert rules == ["name-charset"], root
        assert "cafe" in (check.diagnostics[0].help or "")


def test_a_root_may_have_any_name(tree: Tree) -> None:
    write_skill(tree.workspace / APART, "pdf")
    tree.name_roots(APART)
    result = tree.ingest()
    assert slugs(result) == ["pdf"]
    assert result.diagnostics == ()


@pytest.mark.parametrize(
    ("there", "named"),
    [
        pytest.param(APART, COMPOSED, id="file-apart"),
        pytest.param(COMPOSED, APART, id="link-apart"),
    ],
)
def test_a_link_to_a_file_whose_name_looks_the_same(tree: Tree, there: str, named: str) -> None:
    """Where the disk has no such file the link leads nowhere, and the help tells the two apart."""
    body = f"See [the menu](references/{named}.md).\n"
    files = {f"references/{there}.md": "Coffee.\n"}
    path = write_skill(tree.workspace / "skills", "menu", body=body, files=files)
    if os.path.exists(path.parent / f"references/{named}.md"):
        pytest.skip("this disk takes both for one")
    (found,) = check_paths(path.parent).diagnostics
    assert found.rule == "reference-missing"
    assert "only looks the same" in (found.help or "")


@pytest.mark.usefixtures("mac")
@pytest.mark.parametrize("name", [COMPOSED, COMPOSED.upper()])
def test_a_link_that_the_disk_finds_is_not_missing(tree: Tree, name: str) -> None:
    body = f"See [the menu](references/{name}.md).\n"
    files = {f"references/{APART}.md": "Coffee.\n"}
    path = write_skill(tree.workspace / "skills", "menu", body=body, files=files)
    assert check_paths(path.parent).diagnostics == ()


def test_composed_leaves_all_else_alone() -> None:
    assert composed("skills/pdf") == "skills/pdf"
    assert composed(APART) == composed(COMPOSED) == COMPOSED
    assert composed("\udcff\ud800") == "\udcff\ud800"


# Git


@pytest.mark.parametrize(
    ("on_disk", "in_git", "platform"),
    [
        pytest.param(f"{APART}/skills", f"{COMPOSED}/skills", "linux", id="form"),
        pytest.param("team/Skills", "team/skills", "darwin", id="case"),
    ],
)
def test_git_writes_a_path_as_it_knows_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    on_disk: str,
    in_git: str,
    platform: str,
) -> None:
    """It composes letters, and keeps the case that it saw first; the change is still one."""
    changed, same = (write_skill(tmp_path / on_disk, name) for name in ("pdf", "mail"))
    (tmp_path / ".git").mkdir()
    answer = [os.path.join(os.path.realpath(tmp_path), in_git, "pdf/SKILL.md")]
    monkeypatch.setattr(git, "_changed", lambda root, ref: answer)
    monkeypatch.setattr(sys, "platform", platform)
    is_changed = git.changed_since("HEAD", tmp_path)
    assert is_changed(FileKind.SKILL, str(changed))
    assert not is_changed(FileKind.SKILL, str(same))


def test_case_counts_where_the_disk_has_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_skill(tmp_path / "Skills", "pdf")
    (tmp_path / ".git").mkdir()
    answer = [os.path.join(os.path.realpath(tmp_path), "skills/pdf/SKILL.md")]
    monkeypatch.setattr(git, "_changed", lambda root, ref: answer)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not git.changed_since("HEAD", tmp_path)(FileKind.SKILL, str(path))


# What a Mac leaves lying around


def test_files_of_the_finder_are_no_skills(tree: Tree) -> None:
    root = tree.workspace / "skills"
    write_skill(root, "pdf")
    write(root / ".DS_Store", b"\0\0\0\1Bud1")
    write(root / "._pdf", b"\0\5\26\7")
    write(root / "pdf/._SKILL.md", b"\0\5\26\7\xff")
    write(root / "__MACOSX/pdf/._SKILL.md", b"\0\5\26\7")
    link(root / "Icon\r", "pdf/SKILL.md")
    tree.name_roots("skills")
    result = tree.ingest(thorough=True)
    assert slugs(result) == ["pdf"]
    assert [d.rule for d in result.diagnostics] == []
