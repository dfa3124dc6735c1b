"""Where the workspace and insomnia's configuration directory are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from insomnia_skills.workspace import Workspace, find_config_dir, find_workspace
from tests.trees import denied, link, write

# --- find_workspace ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "start", "root"),
    [
        pytest.param(["a"], "a", "a", id="here"),
        pytest.param(["a"], "a/b/c", "a", id="ancestor"),
        pytest.param(["a", "a/b"], "a/b/c", "a/b", id="nearest-ancestor"),
        pytest.param(["a", "a/b"], "a", "a", id="not-a-descendant"),
        pytest.param(["b"], "a", "a", id="not-a-sibling"),
        pytest.param(["a"], "a/.insomnia/memory", "a", id="inside-the-marker"),
        pytest.param(["a"], "a/gone/deeper", "a", id="start-not-there"),
    ],
)
def test_find_workspace(tmp_path: Path, marked: list[str], start: str, root: str) -> None:
    for directory in ("a/b/c", *(f"{directory}/.insomnia" for directory in marked)):
        (tmp_path / directory).mkdir(parents=True, exist_ok=True)
    assert find_workspace(tmp_path / start).root == tmp_path / root


def test_a_file_named_like_the_marker_marks_nothing(tmp_path: Path) -> None:
    (tmp_path / ".insomnia").mkdir()
    write(tmp_path / "a" / ".insomnia", "")
    assert find_workspace(tmp_path / "a").root == tmp_path


def test_a_link_to_a_directory_marks(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link(tmp_path / "a" / ".insomnia", tmp_path / "elsewhere")
    assert find_workspace(tmp_path / "a").root == tmp_path / "a"


def test_without_a_marker_it_is_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_workspace().root == tmp_path


def test_it_is_found_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".insomnia").mkdir()
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert find_workspace().root == tmp_path
    assert find_workspace(Path()).root == tmp_path


def test_a_directory_that_may_not_be_entered_marks_nothing(tmp_path: Path) -> None:
    (tmp_path / ".insomnia").mkdir()
    (tmp_path / "a" / "b").mkdir(parents=True)
    with denied(tmp_path / "a"):
        assert find_workspace(tmp_path / "a" / "b").root == tmp_path


def test_paths_below_the_workspace() -> None:
    workspace = Workspace(Path("/w"))
    assert workspace.manifest == Path("/w/.insomnia/manifest.toml")
    assert workspace.workflows == Path("/w/.insomnia/memory/workflow")
    assert workspace.knowledge == Path("/w/.insomnia/knowledge")


# --- find_config_dir -----------------------------------------------------------------------------

DIR, HOME, XDG = "INSOMNIA_CONFIG_DIR", "INSOMNIA_HOME", "XDG_CONFIG_HOME"
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has a place of its own")


@pytest.mark.parametrize(
    ("environment", "directory"),
    [
        pytest.param({DIR: "/d"}, "/d", id="config-dir"),
        pytest.param({HOME: "/h"}, "/h/config", id="home"),
        pytest.param({XDG: "/x"}, "/x/insomnia", id="xdg"),
        pytest.param({DIR: "/d", HOME: "/h", XDG: "/x"}, "/d", id="config-dir-first"),
        pytest.param({HOME: "/h", XDG: "/x"}, "/h/config", id="home-second"),
        pytest.param({DIR: "", HOME: "/h", XDG: "/x"}, "/h/config", id="empty-config-dir"),
        pytest.param({DIR: "", HOME: "", XDG: "/x"}, "/x/insomnia", id="empty-home"),
        pytest.param({DIR: "/d/"}, "/d", id="slash-at-the-end"),
        pytest.param({HOME: "/h/"}, "/h/config", id="slash-at-the-end-of-home"),
        pytest.param({DIR: "/a/../d"}, "/d", id="parent"),
        pytest.param({DIR: "/手 順"}, "/手 順", id="blank-and-japanese"),
        pytest.param({DIR: "/$HOME/~"}, "/$HOME/~", id="nothing-is-expanded"),
    ],
)
@needs_posix
def test_find_config_dir(environment: dict[str, str], directory: str) -> None:
    assert find_config_dir(environment) == Path(directory)


@pytest.mark.parametrize(
    ("environment", "below"),
    [
        pytest.param({DIR: "conf"}, "conf", id="config-dir"),
        pytest.param({HOME: "home"}, "home/config", id="home"),
        pytest.param({DIR: "."}, "", id="dot"),
    ],
)
def test_a_relative_variable_counts_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], below: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_config_dir(environment) == tmp_path / below


@pytest.mark.parametrize("environment", [{}, {DIR: "", HOME: "", XDG: ""}])
@pytest.mark.parametrize("platform", ["linux", "darwin"])
@needs_posix
def test_the_default_is_dot_config_on_linux_and_macos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_config_dir(environment) == tmp_path / ".config" / "insomnia"


def test_it_reads_the_environment_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIR, str(tmp_path))
    assert find_config_dir() == tmp_path
    monkeypatch.delenv(DIR)
    monkeypatch.setenv(HOME, str(tmp_path))
    assert find_config_dir() == tmp_path / "config"
