"""Which directories are skills: the direct children of a root, or whatever lies in a tree."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills import scan
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.scan import Found, look_at, nested_skills, scan_root
from insomnia_skills.workspace import Workspace
from tests.trees import link, write, write_skill


def skill(directory: Path, name: str = "SKILL.md") -> Path:
    """Something like a skill in a directory; its text plays no part here."""
    write(directory / name, "")
    return directory


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A directory with nothing in it, and room beside it."""
    (tmp_path / "top").mkdir()
    return tmp_path / "top"


@pytest.fixture
def deny(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Make the listing of a directory fail, as it does for users who may not read it."""

    def deny(directory: Path) -> None:
        for function in ("scandir", "listdir"):
            monkeypatch.setattr(os, function, refusing(getattr(os, function), directory))

    return deny


def refusing(function: Callable[[Any], Any], directory: Path) -> Callable[[Any], Any]:
    def refuse(path: Any) -> Any:
        if Path(path) == directory:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return function(path)

    return refuse


def scan_tree(top: Path) -> list[Found]:
    """The skills of a tree; where there may be workspaces, one test asks."""
    return [place for place in scan.scan_tree(top) if isinstance(place, Found)]


def names(found: Iterable[Found]) -> list[str]:
    return [one.name for one in found]


def below(top: Path, found: Iterable[Found]) -> list[str]:
    """The directories of what was found, relative to the top."""
    return [one.path.parent.relative_to(top).as_posix() for one in found]


def scanned(root: Path) -> list[Found]:
    """What a root holds that has nothing too deep in it."""
    found, diagnostics = scan_root(root)
    assert diagnostics == []
    return found


def too_deep(root: Path) -> Diagnostic:
    """The one complaint about a root that has no skills but those that lie too deep."""
    found, diagnostics = scan_root(root)
    assert found == []
    (diagnostic,) = diagnostics
    assert diagnostic.rule == "nested-skill"
    assert diagnostic.severity is Severity.WARNING
    assert diagnostic.path == root
    return diagnostic


# --- look_at: one directory ----------------------------------------------------------------------


def test_a_skill_directory(top: Path) -> None:
    skill(top / "pdf")
    assert look_at(top / "pdf") == Found("pdf", str(top / "pdf" / "SKILL.md"))


def test_the_directory_of_what_was_found(top: Path) -> None:
    assert Found("pdf", str(top / "pdf" / "SKILL.md")).directory == top / "pdf"


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(None, id="empty"),
        pytest.param("README.md", id="another-file"),
        pytest.param("SKILL.txt", id="another-ending"),
        pytest.param("SKILL.md.bak", id="backup"),
        pytest.param("SKILLS.md", id="plural"),
        pytest.param("sub/SKILL.md", id="deeper"),
        pytest.param("ſkill.md", id="a-letter-that-only-folds-to-s"),
    ],
)
def test_no_skill_directory(top: Path, file: str | None) -> None:
    if file:
        write(top / file, "")
    assert look_at(top) is None


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD", "sKiLl.Md"])
def test_wrong_case(top: Path, name: str) -> None:
    found = look_at(skill(top / "pdf", name))
    assert found is not None
    assert (found.name, found.path, found.beside) == ("pdf", top / "pdf" / name, ())
    assert found.finding is not None
    assert found.finding.rule == "wrong-case-filename"
    assert found.finding.severity is Severity.ERROR
    assert f"the file is named {name}" in found.finding.message
    assert found.finding.help == f"rename {name} to SKILL.md"


def test_wrong_case_beside_the_right_one(top: Path) -> None:
    for name in ("skill.md", "SKILL.md", "Skill.md"):
        skill(top / "pdf", name)
    if len(os.listdir(top / "pdf")) < 3:
        pytest.skip("this disk ignores case")
    assert look_at(top / "pdf") == Found(
        "pdf",
        str(top / "pdf" / "SKILL.md"),
        beside=("Skill.md", "skill.md"),
    )


def test_a_directory_named_skill_md_is_for_the_reader_to_refuse(top: Path) -> None:
    (top / "pdf" / "SKILL.md").mkdir(parents=True)
    assert look_at(top / "pdf") == Found("pdf", str(top / "pdf" / "SKILL.md"))


def test_a_dangling_skill_md_is_for_the_reader_to_refuse(top: Path) -> None:
    link(top / "pdf" / "SKILL.md", "../gone/SKILL.md")
    assert look_at(top / "pdf") == Found("pdf", str(top / "pdf" / "SKILL.md"))


def test_a_directory_that_may_not_be_listed(top: Path, deny: Callable[[Path], None]) -> None:
    deny(skill(top / "pdf"))
    found = look_at(top / "pdf")
    assert found is not None
    assert (found.name, found.path) == ("pdf", top / "pdf")
    assert found.finding is not None
    assert found.finding.rule == "unreadable"
    assert found.finding.severity is Severity.ERROR
    assert "Permission denied" in found.finding.message


# --- scan_root: the direct children of a skills root ---------------------------------------------


def test_children_in_order_of_name(top: Path) -> None:
    for name in ("zip", "b-c", "Ab", "b", "10", "9", "b1"):
        skill(top / name)
    assert names(scanned(top)) == ["10", "9", "Ab", "b", "b-c", "b1", "zip"]


def test_an_empty_root(top: Path) -> None:
    assert scan_root(top) == ([], [])


def test_a_root_that_went_away(top: Path) -> None:
    assert scan_root(top / "gone") == ([], [])


def test_what_is_no_skill_is_passed_over(top: Path) -> None:
    skill(top / "pdf")
    skill(top)  # the root's own is the sources' to complain of
    write(top / "README.md", "")
    write(top / "notes" / "todo.md", "")
    link(top / "link.md", "README.md")
    assert names(scanned(top)) == ["pdf"]


@pytest.mark.parametrize("name", [".git", ".backup", ".system", ".pdf", "..."])
def test_children_with_a_dot_are_not_looked_at(top: Path, name: str) -> None:
    skill(top / name)
    skill(top / name / "deeper")
    link(top / ".dangling", "gone")
    assert scan_root(top) == ([], [])


def test_a_root_may_have_a_dot(tmp_path: Path) -> None:
    skill(tmp_path / ".claude" / ".skills" / "pdf")
    assert names(scanned(tmp_path / ".claude" / ".skills")) == ["pdf"]


def test_ignore_files_hide_nothing(top: Path) -> None:
    write(top / ".gitignore", "*\n")
    write(top / ".ignore", "pdf\n")
    skill(top / "pdf")
    assert names(scanned(top)) == ["pdf"]


def test_a_linked_directory_has_the_name_of_the_link(top: Path, tmp_path: Path) -> None:
    skill(tmp_path / "elsewhere" / "pdf-tools")
    link(top / "pdf", "../elsewhere/pdf-tools")
    assert scanned(top) == [Found("pdf", str(top / "pdf" / "SKILL.md"))]


def test_two_names_of_one_directory_are_two_children(top: Path) -> None:
    skill(top / "pdf")
    link(top / "document", "pdf")
    assert names(scanned(top)) == ["document", "pdf"]


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("../gone", id="dangling"),
        pytest.param("pdf", id="to-itself"),
    ],
)
def test_a_link_that_leads_nowhere_is_a_broken_skill(top: Path, target: str) -> None:
    link(top / "pdf", target)
    skill(top / "zip")
    broken, fine = scanned(top)
    assert fine == Found("zip", str(top / "zip" / "SKILL.md"))
    assert (broken.name, broken.path) == ("pdf", top / "pdf")
    assert broken.finding is not None
    assert broken.finding.rule == "broken-symlink"
    assert broken.finding.severity is Severity.ERROR
    assert f'a link to "{target}"' in broken.finding.message


def test_an_unreadable_child_leaves_the_others(top: Path, deny: Callable[[Path], None]) -> None:
    for name in ("a", "b", "c"):
        skill(top / name)
    deny(top / "b")
    found = scanned(top)
    assert names(found) == ["a", "b", "c"]
    assert [one.finding.rule if one.finding else "" for one in found] == ["", "unreadable", ""]


def test_wrong_case_in_a_root(top: Path) -> None:
    skill(top / "pdf", "skill.md")
    (found,) = scanned(top)
    assert found.finding is not None
    assert found.finding.rule == "wrong-case-filename"


# --- nested-skill: what lies too deep in a root --------------------------------------------------


def test_one_skill_too_deep(top: Path) -> None:
    skill(top / "documents" / "office" / "pdf")
    diagnostic = too_deep(top)
    assert '"documents/office/pdf" lies too deep' in diagnostic.message
    assert diagnostic.help == (
        'make "documents/office" in it a skills root of its own (insomnia-skills sources add), '
        "or move the skill up"
    )
    assert (diagnostic.line, diagnostic.column) == (1, 1)


def test_many_skills_too_deep_are_one_complaint(top: Path) -> None:
    for path in ("b/z", "a/y/x", "a/b", "c/d/e/f"):
        skill(top / path)
    assert '4 skills (such as "a/b") lie too deep' in too_deep(top).message


def test_children_beside_what_lies_too_deep_are_found(top: Path) -> None:
    skill(top / "a")
    skill(top / "group" / "b")
    found, diagnostics = scan_root(top)
    assert names(found) == ["a"]
    assert [diagnostic.rule for diagnostic in diagnostics] == ["nested-skill"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("pdf/references/example", id="inside-a-skill"),
        pytest.param("group/.hidden/zip", id="below-a-dot"),
        pytest.param("group/node_modules/zip", id="below-node-modules"),
        pytest.param("node_modules/zip", id="in-node-modules"),
        pytest.param("venv/lib/zip", id="in-a-virtual-environment"),
        pytest.param("group/venv/lib/zip", id="below-a-virtual-environment"),
    ],
)
def test_what_is_not_called_too_deep(top: Path, path: str) -> None:
    skill(top / "pdf")
    write(top / "venv" / "pyvenv.cfg", "")
    write(top / "group" / "venv" / "pyvenv.cfg", "")
    skill(top / path)
    assert names(scanned(top)) == ["pdf"]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        pytest.param("here", ".", id="to-the-root"),
        pytest.param("up", "..", id="to-a-directory-above"),
        pytest.param("group/here", "..", id="deeper-to-the-root"),
        pytest.param("group/here", ".", id="deeper-to-itself"),
        pytest.param("group/up", "../..", id="deeper-to-a-directory-above"),
    ],
)
def test_links_round_in_a_circle_hide_and_add_nothing(top: Path, path: str, target: str) -> None:
    skill(top / "pdf")
    link(top / path, target)
    assert names(scanned(top)) == ["pdf"]


def test_a_link_to_a_group_is_searched_too(top: Path, tmp_path: Path) -> None:
    skill(tmp_path / "shared" / "pdf")
    link(top / "group", "../shared")
    assert '"group/pdf" lies too deep' in too_deep(top).message


@pytest.mark.parametrize(
    ("roots", "left"),
    [
        pytest.param(("group",), "other/deep/zip", id="one"),
        pytest.param(("other/deep",), "group/pdf", id="deeper"),
        pytest.param(("other",), "2 skills", id="one-above-does-not-read-it"),
        pytest.param(("", "group/pdf"), "2 skills", id="itself-and-the-skill"),
        pytest.param(("group", "other/deep"), None, id="both"),
    ],
)
def test_what_lies_right_in_another_root_is_not_too_deep(
    top: Path, tmp_path: Path, roots: tuple[str, ...], left: str | None
) -> None:
    skill(tmp_path / "shared" / "pdf")
    link(top / "group", "../shared")
    skill(top / "other" / "deep" / "zip")
    read = {os.path.realpath(top / root) for root in roots}
    said = [diagnostic.message for diagnostic in scan_root(top, read)[1]]
    assert [left in message for message in said if left] == [True] * (left is not None)
    assert bool(nested_skills(top, read)) is bool(said)


def test_the_search_is_bounded(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_NESTED_DIRECTORIES", 20)
    for number in range(100):
        skill(top / "group" / f"s{number:03}")
    skill(top / "z")
    found, (diagnostic,) = scan_root(top)
    assert names(found) == ["z"]
    assert '19 or more skills (such as "group/s000") lie too deep' in diagnostic.message


def test_a_group_that_may_not_be_listed_further_down(
    top: Path, deny: Callable[[Path], None]
) -> None:
    skill(top / "group" / "a" / "pdf")
    skill(top / "group" / "b" / "zip")
    deny(top / "group" / "a")
    assert '"group/b/zip" lies too deep' in too_deep(top).message


# --- scan_tree: whatever lies in a tree ----------------------------------------------------------


def test_every_depth_in_order(top: Path) -> None:
    for path in ("b", "a/z", "a/y/x", "c/d/e/f", ".claude/skills/pdf"):
        skill(top / path)
    assert below(top, scan_tree(top)) == [".claude/skills/pdf", "a/y/x", "a/z", "b", "c/d/e/f"]


@pytest.mark.parametrize(
    ("at", "roots"),
    [
        pytest.param("", ["", "a/b", "pdf"], id="all-below"),
        pytest.param("a", ["a/b"], id="below"),
        pytest.param("a/b/.insomnia", ["a/b"], id="above-one-level"),
        pytest.param("a/b/.insomnia/memory", ["a/b"], id="above-two-levels"),
        pytest.param("a/b/.insomnia/memory/workflow", ["a/b"], id="right-in-it"),
        pytest.param("a/b/.insomnia/memory/workflow/deeper", [], id="deeper-than-any-is-read"),
        pytest.param("a/b/.insomnia/knowledge", [], id="beside-it"),
        pytest.param("a/b/memory/workflow", [], id="not-in-a-workspace"),
        pytest.param("pdf/assets", [], id="below-a-skill"),
    ],
)
def test_where_native_workflows_may_lie(at: str, roots: list[str], top: Path) -> None:
    for path in (".insomnia", "a/b/.insomnia/memory/workflow/deeper", "pdf/.insomnia"):
        (top / path).mkdir(parents=True)
    for path in ("a/b/.insomnia/knowledge", "a/b/memory/workflow", "pdf/assets"):
        (top / path).mkdir(parents=True)
    skill(top / "pdf")
    found = [place for place in scan.scan_tree(top / at) if isinstance(place, Workspace)]
    assert found == [Workspace(top / root) for root in roots]


def test_nothing_in_a_tree(top: Path) -> None:
    write(top / "a" / "README.md", "")
    assert list(scan_tree(top)) == []


def test_the_top_itself_is_a_skill(top: Path) -> None:
    skill(top)
    skill(top / "below")
    assert list(scan_tree(top)) == [Found("top", str(top / "SKILL.md"))]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(".git/hooks/zip", id="git"),
        pytest.param("a/.git/zip", id="git-of-a-submodule"),
        pytest.param("node_modules/zip", id="node-modules"),
        pytest.param("a/b/node_modules/@scope/zip", id="node-modules-deeper"),
        pytest.param("venv/lib/zip", id="virtual-environment"),
        pytest.param("pdf/references/zip", id="below-a-skill"),
    ],
)
def test_what_is_left_out(top: Path, path: str) -> None:
    skill(top / "pdf")
    write(top / "venv" / "pyvenv.cfg", "")
    skill(top / path)
    assert below(top, scan_tree(top)) == ["pdf"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(".github/skills/zip", id="another-directory-with-a-dot"),
        pytest.param("git/zip", id="git-without-dot"),
        pytest.param("venv/zip", id="only-named-venv"),
        pytest.param("build/zip", id="build"),
    ],
)
def test_what_is_not_left_out(top: Path, path: str) -> None:
    skill(top / path)
    assert below(top, scan_tree(top)) == [path]


@pytest.mark.parametrize("name", ["node_modules", ".git"])
def test_a_top_that_was_asked_for_is_searched_whatever_its_name(tmp_path: Path, name: str) -> None:
    skill(tmp_path / name / "pdf")
    assert names(scan_tree(tmp_path / name)) == ["pdf"]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        pytest.param("here", ".", id="to-the-top"),
        pytest.param("a/up", "..", id="to-the-top-from-below"),
        pytest.param("up", "..", id="to-a-directory-above"),
        pytest.param("root", "/", id="to-the-root-of-the-disk"),
        pytest.param("round", "round", id="to-itself"),
        pytest.param("gone", "nowhere", id="dangling"),
        pytest.param("a/same", "../pdf", id="to-a-skill-in-the-tree"),
        pytest.param("a/file", "../pdf/SKILL.md", id="to-a-file"),
    ],
)
def test_links_add_nothing_and_never_loop(top: Path, path: str, target: str) -> None:
    skill(top / "pdf")
    skill(top.parent / "beside")
    link(top / path, target)
    assert below(top, scan_tree(top)) == ["pdf"]


def test_two_directories_that_link_to_each_other(top: Path) -> None:
    skill(top / "a" / "pdf")
    skill(top / "b" / "zip")
    link(top / "a" / "to-b", "../b")
    link(top / "b" / "to-a", "../a")
    assert below(top, scan_tree(top)) == ["a/pdf", "b/zip"]


def test_a_skill_is_found_under_its_own_name_before_that_of_a_link(top: Path) -> None:
    skill(top / "z" / "pdf")
    link(top / "a", "z/pdf")
    assert below(top, scan_tree(top)) == ["z/pdf"]


def test_a_link_out_of_the_tree_is_followed_once(top: Path, tmp_path: Path) -> None:
    skill(tmp_path / "shared" / "pdf")
    skill(top / "zip")
    link(top / "a", "../shared")
    link(top / "b", "../shared/pdf")
    link(top / "c", tmp_path / "shared")
    assert below(top, scan_tree(top)) == ["zip", "a/pdf"]


def test_a_top_that_is_a_link(top: Path, tmp_path: Path) -> None:
    skill(top / "pdf")
    assert list(scan_tree(link(tmp_path / "link", "top"))) == [
        Found("pdf", str(tmp_path / "link" / "pdf" / "SKILL.md"))
    ]


def test_an_unreadable_directory_is_told_and_passed(
    top: Path, deny: Callable[[Path], None]
) -> None:
    for path in ("a/pdf", "b/zip", "c/csv"):
        skill(top / path)
    deny(top / "b")
    first, unreadable, last = scan_tree(top)
    assert names([first, last]) == ["pdf", "csv"]
    assert (unreadable.name, unreadable.path) == ("b", top / "b")
    assert unreadable.finding is not None
    assert unreadable.finding.rule == "unreadable"
    assert "Permission denied" in unreadable.finding.message


def test_a_top_that_is_not_there(top: Path) -> None:
    (found,) = scan_tree(top / "gone")
    assert found.finding is not None
    assert found.finding.rule == "unreadable"


def test_wrong_case_in_a_tree_is_told(top: Path) -> None:
    write(top / "skills/pdf/skill.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\n")
    write(top / "docs/skill.md", "---\ntitle: What a skill is\n---\n")
    skill(top / "skills" / "zip")
    pdf, zip_ = scan_tree(top)
    assert zip_ == Found("zip", str(top / "skills" / "zip" / "SKILL.md"))
    assert pdf.path == top / "skills" / "pdf" / "skill.md"
    assert pdf.finding is not None
    assert pdf.finding.rule == "wrong-case-filename"


def test_wrong_case_beside_a_skill_in_a_tree_is_told(top: Path) -> None:
    skill(top / "pdf")
    skill(top / "pdf", "skill.md")
    if len(os.listdir(top / "pdf")) < 2:
        pytest.skip("this disk ignores case")
    (found,) = scan_tree(top)
    assert found.beside == ("skill.md",)


def test_a_deep_tree(top: Path) -> None:
    deep = top.joinpath(*["d"] * 60)
    skill(deep)
    assert [found.path for found in scan_tree(top)] == [deep / "SKILL.md"]


def test_a_misnamed_skill_is_not_looked_for_in_another_place(top: Path) -> None:
    """A link out of the directory may lead to a device, and to open one may do something."""
    secret = write(top.parent / "secret.txt", "---\nname: a\ndescription: b\n---\n")
    link(top / "a/skill.md", secret)
    write(top / "b/skill.md", secret.read_text())
    assert below(top, scan_tree(top)) == ["b"]


def test_of_a_skill_with_many_files_its_entries_are_not_kept(top: Path) -> None:
    """Thousands of skills may wait to be read, each with as many files."""
    for name, count in (("few", 99), ("many", 100)):
        write_skill(top, name, files=dict.fromkeys(map(str, range(count)), ""))
    few, many = scan_tree(top)
    assert few.entries is not None
    assert len(few.entries) == 100
    assert many.entries is None
