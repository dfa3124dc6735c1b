"""What SECURITY.md says is true, as far as a test can tell."""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from packaging.requirements import Requirement

from insomnia_skills.cli.main import main
from insomnia_skills.rules.catalogue import CATALOGUE
from tests.cli import call_in
from tests.trees import Tree, write

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "insomnia_skills"
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def imports() -> Iterator[tuple[str, str]]:
    """Every module that the package imports, with the file that does."""
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                yield from ((alias.name, name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or "", name


IMPORTS = tuple(imports())


def test_what_the_page_names_is_there() -> None:
    words = set(re.findall(r"`([^`\n]+)`", PAGE))
    modules = {word for word in words if re.fullmatch(r"[a-z_/]+(?:\.py|/)", word)} - {"json.py"}
    tests = {word for word in modules if word.startswith("test_")}
    rules = {word for word in words if re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)+", word)}
    assert len(tests) > 10
    assert [name for name in sorted(tests) if not (ROOT / "tests" / name).is_file()] == []
    assert [name for name in sorted(modules - tests) if not (PACKAGE / name).exists()] == []
    assert sorted(rules - {"insomnia-skills"} - set(CATALOGUE)) == []


def test_every_row_of_the_page_is_whole() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| to ")]
    assert len(rows) > 10
    for row in rows:
        what, done, where, tested = (cell.strip() for cell in row.strip("|").split(" | "))
        assert all((what, done, where))
        assert re.fullmatch(r"`test_\w+\.py`(?:, `test_\w+\.py`)*", tested), row


def test_nothing_can_be_sent() -> None:
    network = {
        "asyncio",
        "ftplib",
        "http",
        "httpx",
        "requests",
        "smtplib",
        "socket",
        "ssl",
        "urllib3",
    }
    assert [one for one in IMPORTS if one[0].partition(".")[0] in network] == []
    assert {name for name, _ in IMPORTS if name.startswith("urllib")} <= {"urllib.parse"}


def test_only_git_and_the_pager_are_run() -> None:
    by = {path for name, path in IMPORTS if name == "subprocess"}
    assert by == {"checking/git.py", "cli/paging.py"}
    source = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    assert not re.search(r"os\.(system|popen|exec\w*|spawn\w*|posix_spawn\w*)\(", source)
    assert not re.search(r"shell=True|(?<![.\w])(?:eval|exec|__import__)\(", source)
    assert {name for name, _ in IMPORTS} & {"marshal", "pickle", "shelve"} == set()


def test_a_program_in_the_working_directory_is_not_run_on_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("atexit.register", lambda _: None)
    monkeypatch.setattr("gc.set_threshold", lambda _: None)
    monkeypatch.setattr("insomnia_skills.cli.app.run", lambda: None)
    with patch.dict(os.environ, clear=True):
        main()
        assert os.environ == {"NoDefaultCurrentDirectoryInExePath": "1"}


def test_what_is_imported_is_required() -> None:
    own = {*sys.stdlib_module_names, "_typeshed", "insomnia_skills", ""}
    imported = {name.partition(".")[0] for name, _ in IMPORTS} - own
    lines = (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["watch"])
    required = {Requirement(line).name.replace("-", "_").replace(".yaml", "") for line in lines}
    modules = {"markdown_it_py": "markdown_it", "ruamel.clib": "ruamel"}
    assert imported == {modules.get(name, name) for name in required}


def test_every_requirement_has_a_lowest_version() -> None:
    for line in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["watch"]):
        operators = [one.operator for one in Requirement(line).specifier]
        assert operators.count(">=") == 1, line


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_manifest_is_not_expanded_or_run(tree: Tree) -> None:
    ran = tree.top / "ran"
    tree.name_roots(f"$(touch {ran})", f"`touch {ran}`", "$HOME/skills", "~/skills")
    done = call_in(tree, "list", "--format", "json")
    assert done.code == 0
    assert done.document["workflows"] == []
    assert not ran.exists()


def test_a_file_may_silence_itself_but_is_not_ingested(tree: Tree) -> None:
    body = "Do it.\n<!-- insomnia-skills: ignore description-missing -->\n"
    write(tree.workspace / "skills/pdf/SKILL.md", f"---\nname: pdf\n---\n{body}")
    tree.name_roots("skills")
    done = call_in(tree, "validate", "--format", "json")
    assert done.code == 0
    assert [file["valid"] for file in done.document["files"] if file["kind"] == "skill"] == [False]
    assert "would be skipped all the same" in call_in(tree, "validate").both
    assert call_in(tree, "list", "--format", "json").document["workflows"] == []
    assert call_in(tree, "scope", "--format", "json").document["allow"] == []
