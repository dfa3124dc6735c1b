"""What is written down is true: pages made from code are current, captured runs are what runs."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import insomnia_skills
from docs.generate import PAGES
from insomnia_skills.catalogue import CATALOGUE
from insomnia_skills.rule import Rule
from tests.cli import call, environment

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


def captured_runs() -> list[tuple[str, str]]:
    """Each ``$ insomnia-skills …`` of the README's first block with the output written below it."""
    (block,) = re.findall(r"```console\n(\$ cd examples/workspace.*?)```", README, re.DOTALL)
    runs = re.findall(r"^\$ insomnia-skills (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert len(runs) == block.count("$ insomnia-skills")
    return [(arguments, output.strip("\n")) for arguments, output in runs]


@pytest.mark.parametrize(("arguments", "output"), captured_runs(), ids=lambda value: value[:30])
def test_readme_shows_real_runs(arguments: str, output: str, tmp_path: Path) -> None:
    run = call(
        *shlex.split(arguments),
        cwd=ROOT / "examples/workspace",
        env={**environment(tmp_path, Path("../config"), columns=88), "NO_COLOR": "1"},
        terminal=True,
    )
    shown = "\n".join(line.rstrip() for line in run.both.splitlines()).strip("\n")
    assert re.sub(r"in \d+\.\d\d s", "in 0.02 s", shown) == output


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


def test_local_links_of_the_documentation_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]
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
