"""What is written down is true: pages made from code are current, captured runs are what runs."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import insomnia_skills
from docs.generate import PAGES
from insomnia_skills.cli.app import COMMANDS
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import CATALOGUE
from tests.cli import call, environment
from tests.trees import break_skill, write_skill

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCKS = re.DOTALL | re.MULTILINE
DECISIONS = (ROOT / "docs/decisions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted(PAGES))
def test_pages_made_from_code_are_current(page: str) -> None:
    written = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert written == PAGES[page](), "run: python docs/generate.py"


@pytest.mark.parametrize("rule", CATALOGUE.values(), ids=list(CATALOGUE))
def test_every_rule_says_what_it_finds_and_where_it_comes_from(rule: Rule[..., Any]) -> None:
    assert re.fullmatch(r"[A-Z`].+\.", rule.summary)
    headings = {heading.lower() for heading in re.findall(r"^##+ (.+)$", DECISIONS, re.MULTILINE)}
    for part in rule.source.split("; "):
        kind, _, where = part.partition(": ")
        if kind == "decision":
            assert where.lower() in headings
        else:
            assert kind in ("specification", "ticket") or part.startswith(("YAML 1.2", "TOML 1.0"))


_CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", _BLOCKS)
_COMMAND = re.compile(r"^\$ (.*)\n", re.MULTILINE)
SHOWN = [ROOT / "README.md", *sorted((ROOT / "docs/commands").glob("[a-z]*.md"))]


class Shell:
    """Runs what a page shows, in a copy of the examples, so that it may write too."""

    def __init__(self, copy: Path) -> None:
        shutil.copytree(ROOT / "examples", copy, symlinks=True)
        self._top, self._cwd = copy, copy / "workspace"
        self._env = {
            **environment(copy.parent / "home", Path("../config"), columns=88),
            "NO_COLOR": "1",
        }

    def output(self, line: str) -> str:
        program, *arguments = shlex.split(line, comments=True)
        if program == "insomnia-skills":
            text = call(*arguments, cwd=self._cwd, env=self._env, terminal=True).both
        else:
            assert program in ("cat", "ls", "tree"), f"a page may not show this: {line}"
            done = subprocess.run([program, *arguments], cwd=self._cwd, stdout=-1, check=True)
            text = done.stdout.decode()
        text = text.replace(str(self._top), "/home/ada/lantern")
        text = re.sub(r"in \d+\.\d\d s", "in 0.02 s", text)
        return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())

    def rerun(self, block: str) -> str:
        """A block of commands with the outputs they have now; the first may say where it is."""
        head, *rest = _COMMAND.split(block)[1:]
        if not head.startswith(("cd examples/workspace", "insomnia-skills")):
            return block  # installing, or the development of this project
        pieces = [*([] if head.startswith("cd ") else [head]), *rest[1::2]]
        runs = "\n".join(f"$ {line}\n{self.output(line)}" for line in pieces)
        return (f"$ {head}\n" if head.startswith("cd ") else "") + runs


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_pages_show_real_runs(page: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "copy")
    text = page.read_text(encoding="utf-8")
    real = _CONSOLE.sub(lambda block: shell.rerun(block[0]), text)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        page.write_text(real, encoding="utf-8")
    else:
        assert text == real, "if this was meant: UPDATE_SNAPSHOTS=1 pytest tests/test_docs.py"


def test_every_command_has_a_page_with_a_run() -> None:
    for name in COMMANDS:
        page = (ROOT / f"docs/commands/{name}.md").read_text(encoding="utf-8")
        assert f"\n$ insomnia-skills {name}" in page


def test_readme_library_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(example.splitlines()) <= 10
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example, {})
    assert "/deploy workspace-workflow Ship a release" in printed.getvalue()
    assert "[Skill shadowed] skill /review from user skill" in printed.getvalue()
    assert "plan-trip/SKILL.md:3: " in printed.getvalue()


def test_library_example_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    path = break_skill(tmp_path / "skills", "bad")
    write_skill(tmp_path / "skills", "good")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example, {"__name__": "__main__"})
    assert printed.getvalue() == f"{path}:1: description-missing\n"


def test_local_links_of_the_documentation_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")]
    for page in pages:
        text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=_BLOCKS)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_public_names_are_those_that_are_exported() -> None:
    for name in insomnia_skills.__all__:
        exported = getattr(insomnia_skills, name)
        assert name.isupper() or exported.__name__ == name
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(insomnia_skills, "no_such_name")  # noqa: B009
