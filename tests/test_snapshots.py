"""Whole outputs, as people and programs see them, on `examples/` and on workspaces without skills.

Each file of `tests/snapshots/` holds one command in all its forms. After a change that was meant,

    UPDATE_SNAPSHOTS=1 pytest tests/test_snapshots.py

writes them anew; read their diff before you commit it. `$ROOT` stands for the directory that holds
the workspace, times are `0.00 s`, blanks at the ends of lines are left out.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import cli
from tests.trees import Tree, write, write_skill

SNAPSHOTS = Path(__file__).parent / "snapshots"
EXAMPLES = Path(__file__).parents[1] / "examples"
UPDATE = "UPDATE_SNAPSHOTS"
WIDTHS = (40, 80, 200)


@dataclass(frozen=True)
class Place:
    """Where a command runs; ``root`` is the home directory too, so that no path is a machine's."""

    root: Path
    workspace: Path
    config: Path

    def run(self, arguments: Iterable[str], columns: int | None = None) -> str:
        """One call as text: stdout, stderr if there is any, the exit code if it is not 0."""
        env = cli.environment(self.root, self.config, columns or 80, cli.NO_COLOR)
        done = cli.call(*arguments, cwd=self.workspace, env=env, terminal=columns is not None)
        text = done.text
        if done.stderr:
            text += f"--- stderr\n{done.stderr}"
        if done.code:
            text += f"--- exit code {done.code}\n"
        text = text.replace(str(self.root), "$ROOT")
        text = re.sub(r"\b\d+\.\d\d s\b", "0.00 s", text)
        return "".join(f"{line.rstrip(' ')}\n" for line in text.splitlines())

    def transcript(self, commands: Iterable[str], widths: Iterable[int] = WIDTHS) -> str:
        return "\n".join(
            section for command in commands for section in self._sections(command, widths)
        )

    def _sections(self, command: str, widths: Iterable[int]) -> Iterator[str]:
        """The command in its forms; those that look the same are told once."""
        arguments = command.split()
        if "--format" in arguments:
            forms = {"": self.run(arguments)}
        else:
            forms = {f"{width} columns": self.run(arguments, width) for width in widths}
            forms["piped"] = self.run(arguments)
        by_output: dict[str, list[str]] = {}
        for form, output in forms.items():
            by_output.setdefault(output, []).append(form)
        for output, names in by_output.items():
            title = f"$ insomnia-skills {command}"
            form = ", ".join(names)
            yield f"{title}{form and '   # ' + form}\n{output}"


EXAMPLE = Place(EXAMPLES, EXAMPLES / "workspace", EXAMPLES / "config")

TRANSCRIPTS = {
    "list": ("list", "list --all", "list --format json"),
    "resolve": (
        "resolve",
        "resolve --only-conflicts",
        "resolve --notifications",
        "resolve --notifications --format json",
        "resolve -q --fail-on different,stand-in",
    ),
    "resolve-slug": (
        "resolve /plan-trip",
        "resolve /deploy",
        "resolve /pdf",
        "resolve /deploy --diff",
        "resolve /plan-trip --diff",
        "resolve /review --no-user",
        "resolve /plan-trip --format json",
        "resolve /deploy --diff --format json",
    ),
    "show": (
        "show /review",
        "show /deploy",
        "show /pdf",
        "show /review --format json",
        "show /review --format markdown",
        "show /deploy --as-invoked",
        "show /deploy --source workspace-skill",
        "show /plan-trip --source .claude/skills",
        "show /clean-branches --mapping",
        "show /deploy --mapping --format json",
    ),
    "catalog": (
        "catalog",
        "catalog --budget 200 --format list",
        "catalog --format xml --no-user --quiet",
    ),
    "new": (
        "new pdf-tables --with scripts,assets --dry-run",
        "new deploy --in team/skills --dry-run --format json",
    ),
    "eject": (
        "eject /review --dry-run",
        "eject /deploy",
        "eject /deploy --force --format json --dry-run",
    ),
    "scope": (
        "scope",
        "scope --format toml",
        "scope --format json",
        "scope --check .cursor/skills/review .claude/skills/plan-trip ../notes.md",
    ),
    "validate": (
        "validate",
        "validate -v",
        "validate .claude/skills/plan-trip",
        "validate .claude/skills/changelog",
        "validate --format json",
    ),
    "explain": (
        "explain name-mismatch",
        "explain broken-symlink invisible-character",
        "explain name-mismtach",
        "explain no-such-thing",
        "explain name-mismatch --format json",
    ),
}


def no_manifest(tree: Tree) -> None:
    tree.workspace.mkdir(parents=True)


def skills_that_no_manifest_names(tree: Tree) -> None:
    for name in ("review", "deploy"):
        write_skill(tree.workspace / ".claude/skills", name)
    write_skill(tree.workspace / ".cursor/skills", "tidy")
    tree.user_skills.mkdir(parents=True)


def manifest_that_names_nothing(tree: Tree) -> None:
    write(tree.manifest, "[scope]\n")
    (tree.workspace / ".insomnia/memory/workflow").mkdir(parents=True)


def manifest_that_names_what_is_not_there(tree: Tree) -> None:
    tree.name_roots(".claude/skills", "~/skills")


FIRST_RUNS: tuple[Callable[[Tree], None], ...] = (
    no_manifest,
    skills_that_no_manifest_names,
    manifest_that_names_nothing,
    manifest_that_names_what_is_not_there,
)
FIRST_COMMANDS = ("list", "resolve", "resolve /review", "show /review", "scope", "validate")


def compare(name: str, actual: str) -> None:
    """Fail with the difference where a snapshot is another one, or write it if that is wanted."""
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get(UPDATE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(actual, encoding="utf-8")
        return
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    if actual != expected:
        difference = difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), f"snapshots/{name}.txt", "now", lineterm=""
        )
        advice = f"If this was meant: {UPDATE}=1 pytest tests/test_snapshots.py, and read the diff."
        pytest.fail("\n".join((*difference, "", advice)), pytrace=False)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_examples(name: str) -> None:
    compare(name, EXAMPLE.transcript(TRANSCRIPTS[name]))


def test_first_runs(tmp_path: Path) -> None:
    chapters = []
    for lay_out in FIRST_RUNS:
        tree = Tree(tmp_path / lay_out.__name__)
        lay_out(tree)
        place = Place(tree.top, tree.workspace, tree.config)
        title = lay_out.__name__.replace("_", " ")
        chapters.append(f"### {title}\n\n{place.transcript(FIRST_COMMANDS, widths=(80,))}")
    compare("first-runs", "\n".join(chapters))


def test_no_snapshot_is_left_over() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == {*TRANSCRIPTS, "first-runs"}


@pytest.mark.parametrize("name", sorted(TRANSCRIPTS.keys() - {"explain"}))
def test_snapshots_depend_on_no_place(name: str, tmp_path: Path) -> None:
    """The same files elsewhere give the same output, however long the way to them is."""
    elsewhere = tmp_path / "some where" / ("far-away-" * 10)
    shutil.copytree(EXAMPLES, elsewhere, symlinks=True)
    place = Place(elsewhere, elsewhere / "workspace", elsewhere / "config")
    commands = TRANSCRIPTS[name]
    assert place.transcript(commands, (80,)) == EXAMPLE.transcript(commands, (80,))


def test_json_snapshots_are_json() -> None:
    text = (SNAPSHOTS / "list.txt").read_text(encoding="utf-8")
    document = text.partition("$ insomnia-skills list --format json\n")[2]
    assert json.loads(document)["version"] == 1
