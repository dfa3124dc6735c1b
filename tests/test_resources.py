"""The files beside a SKILL.md, and which of them a Pod can't read because they are links."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.resources import Resource, check_resources, list_resources
from tests.trees import link, write


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A skill directory with nothing but its SKILL.md."""
    write(tmp_path / "pdf" / "SKILL.md", "---\nname: pdf\n---\n")
    return tmp_path / "pdf"


def complaints(directory: Path) -> list[Diagnostic]:
    return list(check_resources(str(directory)).diagnostics)


def paths(directory: Path) -> list[str]:
    return [resource.path for resource in list_resources(directory)]


# --- what is listed ------------------------------------------------------------------------------


def test_a_skill_of_one_file(pdf: Path) -> None:
    assert list_resources(pdf) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        pytest.param("scripts/run.py", "script", id="script"),
        pytest.param("scripts/lib/deep/util.py", "script", id="script-deeper"),
        pytest.param("references/api.md", "reference", id="reference"),
        pytest.param("assets/logo.png", "asset", id="asset"),
        pytest.param("assets/scripts/run.py", "asset", id="the-first-directory-decides"),
        pytest.param("README.md", "other", id="beside"),
        pytest.param("examples/one.md", "other", id="another-directory"),
        pytest.param("Scripts/run.py", "other", id="case-counts"),
        pytest.param("script/run.py", "other", id="singular"),
        pytest.param("scripts", "other", id="a-file-named-scripts"),
        pytest.param("references.md", "other", id="a-file-named-like-a-directory"),
        pytest.param(".env", "other", id="dot-file"),
        pytest.param("references/.notes/a.md", "reference", id="dot-directory"),
        pytest.param("sub/SKILL.md", "other", id="a-nested-skill-md"),
        pytest.param("skill.md", "other", id="wrong-case"),
    ],
)
def test_kind(pdf: Path, path: str, kind: str) -> None:
    if path == "skill.md" and (pdf / path).exists():
        pytest.skip("this disk ignores case")
    write(pdf / path, "12345")
    assert list_resources(pdf) == [Resource(path, kind, size=5)]


def test_order_of_path(pdf: Path) -> None:
    for path in (
        "z.md",
        "scripts/b.py",
        "scripts/a/z.py",
        "assets/x",
        "B.md",
        "a.md",
        "scripts.md",
    ):
        write(pdf / path, "")
    assert paths(pdf) == [
        "B.md",
        "a.md",
        "assets/x",
        "scripts.md",
        "scripts/a/z.py",
        "scripts/b.py",
        "z.md",
    ]


def test_size_is_in_bytes(pdf: Path) -> None:
    write(pdf / "a.md", "é😀")
    write(pdf / "b.md", b"")
    assert [resource.size for resource in list_resources(pdf)] == [6, 0]


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of this kind")
def test_what_is_no_file_has_no_size(pdf: Path) -> None:
    os.mkfifo(pdf / "pipe")
    link(pdf / "self", ".")
    link(pdf / "up", "..")
    assert [(resource.path, resource.size) for resource in list_resources(pdf)] == [
        ("pipe", 0),
        ("self", 0),
        ("up", 0),
    ]


def test_empty_directories_are_not_listed(pdf: Path) -> None:
    (pdf / "assets" / "empty").mkdir(parents=True)
    assert list_resources(pdf) == []


def test_a_directory_that_went_away(tmp_path: Path) -> None:
    assert list_resources(tmp_path / "gone") == []


def test_an_unreadable_directory_hides_only_itself(
    pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(pdf / "assets" / "a.md", "")
    write(pdf / "scripts" / "b.py", "")
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if Path(path) == pdf / "assets":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert paths(pdf) == ["assets", "scripts/b.py"]
    assets, script = list_resources(pdf)
    assert (assets.readable, script.readable) == (False, True)
    (told,) = complaints(pdf)
    assert (told.rule, told.severity, told.path) == ("unreadable", "warning", pdf / "assets")


def test_an_unreadable_file_is_told(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = write(pdf / "scripts/b.py", "")
    write(pdf / "scripts/c.py", "")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed)
    assert [resource.readable for resource in list_resources(pdf)] == [False, True]
    (told,) = complaints(pdf)
    assert (told.rule, told.severity, told.path) == ("unreadable", "warning", closed)


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions of this kind")
@pytest.mark.parametrize(
    ("mode", "executable"), [(0o644, False), (0o755, True), (0o744, True), (0o601, True)]
)
def test_executable(pdf: Path, mode: int, executable: bool) -> None:
    write(pdf / "scripts/run.sh", "true\n").chmod(mode)
    link(pdf / "run", "scripts/run.sh")
    link(pdf / "all", "scripts")
    by_path = {resource.path: resource.executable for resource in list_resources(pdf)}
    assert by_path == {"scripts/run.sh": executable, "run": executable, "all": False}


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_pipe_is_listed_and_not_opened(pdf: Path) -> None:
    os.mkfifo(pdf / "pipe")
    assert paths(pdf) == ["pipe"]


# --- links ---------------------------------------------------------------------------------------


def listed_link(directory: Path, path: str, target: Path | str) -> Resource:
    """What a link in a skill is listed as."""
    link(directory / path, target)
    (found,) = (one for one in list_resources(directory) if one.path == path)
    return found


def test_a_link_inside_the_skill(pdf: Path) -> None:
    write(pdf / "references" / "api.md", "1234567")
    assert listed_link(pdf, "assets/api.md", "../references/api.md") == Resource(
        "assets/api.md", "asset", size=7, link="../references/api.md"
    )
    assert complaints(pdf) == []


@pytest.mark.parametrize("target", ["references/../data.md", "../pdf/data.md", "./data.md"])
def test_a_link_that_comes_back_into_the_skill(pdf: Path, target: str) -> None:
    write(pdf / "data.md", "1")
    (pdf / "references").mkdir()
    assert listed_link(pdf, "link.md", target) == Resource("link.md", "other", 1, link=target)
    assert complaints(pdf) == []


def test_an_absolute_link_into_the_skill(pdf: Path) -> None:
    target = write(pdf / "data.md", "1")
    assert listed_link(pdf, "link.md", target).readable


def test_a_skill_that_is_itself_reached_by_a_link(pdf: Path, tmp_path: Path) -> None:
    write(pdf / "data.md", "1")
    link(pdf / "link.md", "data.md")
    other = link(tmp_path / "other", "pdf")
    assert [resource.readable for resource in list_resources(other)] == [True, True]
    assert complaints(other) == []


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("../shared/data.md", id="beside-the-skill"),
        pytest.param("../pdf-tools/data.md", id="a-directory-whose-name-begins-alike"),
        pytest.param("through/data.md", id="through-another-link"),
        pytest.param("../shared", id="a-directory"),
        pytest.param("..", id="a-directory-above"),
    ],
)
def test_a_link_out_of_the_skill(pdf: Path, tmp_path: Path, target: str) -> None:
    write(tmp_path / "shared" / "data.md", "123")
    write(tmp_path / "pdf-tools" / "data.md", "123")
    link(pdf / "through", "../shared")
    resource = listed_link(pdf, "link.md", target)
    assert not resource.readable
    assert resource.link == target
    (diagnostic,) = (one for one in complaints(pdf) if one.path == pdf / "link.md")
    assert diagnostic.rule == "link-escapes-skill"
    assert diagnostic.severity is Severity.WARNING
    assert f'leads out of the skill, to "{target}"' in diagnostic.message
    assert (diagnostic.line, diagnostic.column) == (1, 1)


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("gone.md", id="dangling"),
        pytest.param("../gone/data.md", id="dangling-outside"),
        pytest.param("link.md", id="to-itself"),
    ],
)
def test_a_link_that_leads_nowhere(pdf: Path, target: str) -> None:
    assert listed_link(pdf, "link.md", target) == Resource(
        "link.md", "other", size=0, readable=False, link=target
    )
    (diagnostic,) = complaints(pdf)
    assert diagnostic.rule == "broken-symlink"
    # It costs the skill a file, not its life.
    assert diagnostic.severity is Severity.WARNING
    assert diagnostic.path == pdf / "link.md"
    assert f'a link to "{target}"' in diagnostic.message


def test_links_to_directories_are_listed_and_not_followed(pdf: Path, tmp_path: Path) -> None:
    write(pdf / "references" / "api.md", "")
    write(tmp_path / "shared" / "data.md", "")
    link(pdf / "inside", "references")
    link(pdf / "outside", "../shared")
    link(pdf / "round", ".")
    assert paths(pdf) == ["inside", "outside", "references/api.md", "round"]
    assert [diagnostic.path.name for diagnostic in complaints(pdf)] == ["outside"]


# --- a SKILL.md that is a link -------------------------------------------------------------------


def test_a_linked_skill_md_inside_the_skill(pdf: Path) -> None:
    (pdf / "SKILL.md").rename(pdf / "real.md")
    assert listed_link(pdf, "SKILL.md", "real.md").readable
    assert complaints(pdf) == []


def test_a_linked_skill_md_out_of_the_skill_is_the_readers_to_complain_of(
    pdf: Path, tmp_path: Path
) -> None:
    (pdf / "SKILL.md").rename(tmp_path / "shared.md")
    assert not listed_link(pdf, "SKILL.md", "../shared.md").readable
    assert complaints(pdf) == []


def test_a_skill_md_that_two_skills_share(pdf: Path, tmp_path: Path) -> None:
    write(tmp_path / "doc" / "SKILL.md", "")
    (pdf / "SKILL.md").unlink()
    assert not listed_link(pdf, "SKILL.md", "../doc/SKILL.md").readable
    (diagnostic,) = complaints(pdf)
    assert (diagnostic.rule, diagnostic.path) == ("link-escapes-skill", pdf / "SKILL.md")
    assert diagnostic.severity is Severity.WARNING


def test_a_dangling_skill_md_is_the_readers_to_complain_of(pdf: Path) -> None:
    (pdf / "SKILL.md").unlink()
    assert not listed_link(pdf, "SKILL.md", "gone.md").readable
    assert complaints(pdf) == []


def test_a_dangling_skill_md_further_down_is_complained_of_here(pdf: Path) -> None:
    link(pdf / "sub" / "SKILL.md", "gone.md")
    nested, diagnostic = complaints(pdf)
    assert nested.rule == "skill-in-skill"
    assert (diagnostic.rule, diagnostic.path) == ("broken-symlink", pdf / "sub" / "SKILL.md")


@pytest.mark.parametrize(
    ("files", "severity", "message"),
    [
        (["sub/SKILL.md"], Severity.INFO, '"sub/SKILL.md" lies in this skill, and is no'),
        (["b/SKILL.md", "a/c/SKILL.md"], Severity.INFO, '2 SKILL.md (such as "a/c/SKILL.md")'),
        (["skills/SKILL.md"], Severity.WARNING, '"skills/SKILL.md" lies in this skill'),
        (["a/SKILL.md", ".x/skills/b/SKILL.md"], Severity.WARNING, "2 SKILL.md (such as"),
    ],
)
def test_skills_in_a_skill(pdf: Path, files: list[str], severity: Severity, message: str) -> None:
    for file in files:
        write(pdf / file, "")
    write(pdf / "a-SKILL.md", "")
    (diagnostic,) = complaints(pdf)
    assert (diagnostic.rule, diagnostic.severity) == ("skill-in-skill", severity)
    assert diagnostic.path == pdf / "SKILL.md"
    assert message in diagnostic.message


def test_complaints_come_in_order_of_path(pdf: Path, tmp_path: Path) -> None:
    write(tmp_path / "data.md", "")
    for path in ("c.md", "a.md", "b.md"):
        link(pdf / path, "../data.md" if path == "b.md" else "gone.md")
    assert [(one.path.name, one.rule) for one in complaints(pdf)] == [
        ("a.md", "broken-symlink"),
        ("b.md", "link-escapes-skill"),
        ("c.md", "broken-symlink"),
    ]
