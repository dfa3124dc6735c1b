"""Completion: what the command answers a shell, and what shells do with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from insomnia_skills.cli.app import COMMANDS
from insomnia_skills.cli.common import Settings
from insomnia_skills.cli.completing import BREAKS, INSTRUCTION, LINE, PROGRAM, SCRIPTS, read_line
from insomnia_skills.rules.catalogue import CATALOGUE
from tests.cli import Run, call_in
from tests.shells import Shell, why_not
from tests.trees import Tree, break_skill, write, write_skill

HOSTILE = "entry $(touch x)`touch x`;'\"\\"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Skills, a manifest with a hostile entry, and directories with names that shells could run."""
    tree = Tree(tmp_path_factory.mktemp("completion"))
    entry = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    tree.name_roots(".claude/skills", entry, "line\\nend", "esc\\u001b[31m", "tab\\tbed")
    break_skill(tree.workspace / ".claude/skills", "rebuild")
    break_skill(tree.workspace / ".claude/skills", "re;touch x")
    for name in ("review", "release", "plan-trip"):
        write_skill(tree.workspace / ".claude/skills", name)
    for name in (
        *("blank dir/inner dir", "dollar$(touch x)", "tick`touch x`", "quo'te\"d", "semi;touch x"),
        *("amp&touch x", "new\nline", "star*", "ünder", "percent%s", "back\\slash", "co:lon"),
    ):
        (tree.workspace / name).mkdir(parents=True)
    write(tree.workspace / "notes.txt", "")
    write_skill(tree.top / "home/elsewhere/.claude/skills", "other")
    write(
        tree.top / "home/elsewhere/.insomnia/manifest.toml",
        "[skills]\ndirectories = ['.claude/skills']",
    )
    return tree


def ask(tree: Tree, shell: str, line: str, breaks: str = "") -> Run:
    """Ask as the script of a shell does."""
    told = {INSTRUCTION: f"complete_{shell}", LINE: line, BREAKS: breaks}
    return call_in(tree, env={**told, "HOME": str(tree.top / "home")})


# What the command answers.


ANSWERS = {
    "": ["words", *COMMANDS],
    "va": ["words", "validate"],
    "unknown": [],
    "show ": ["words", "plan-trip", "release", "review"],
    "show re": ["words", "release", "review"],
    "show /rev": ["words", "/review"],
    "resolve /pl": ["words", "/plan-trip"],
    "resolve re": ["words", "rebuild", "release", "review"],
    "eject rel": ["words", "release"],
    "show --workspace ~/elsewhere /": ["words", "/other"],
    "show --workspace . --no-user 'rev": ["words", "review"],
    "show --no-user --directory ~/elsewhere/.claude/skills o": ["words", "other"],
    "show review --form": ["words", "--format"],
    "show review --format=js": ["words", "json"],
    "explain name-mis": ["words", "name-missing", "name-mismatch"],
    "explain name-missing yaml-ta": ["words", "yaml-tag"],
    "validate --select yaml-tag": ["words", "yaml-tag"],
    "validate --select name-empty,yaml-ta": ["words", "name-empty,yaml-tag"],
    "validate --ignore=name-empty,yaml-ta": ["words", "name-empty,yaml-tag"],
    "validate --severity yaml-ta": ["beginnings", "yaml-tag="],
    "validate --severity yaml-tag=": [
        *("words", "yaml-tag=error", "yaml-tag=warning", "yaml-tag=info"),
    ],
    "validate --severity yaml-tag=info,name-em": ["beginnings", "yaml-tag=info,name-empty="],
    "new x --with ": ["words", "scripts", "references", "assets"],
    "new x --with scripts,": ["words", "scripts,references", "scripts,assets"],
    "new x --with scripts,as": ["words", "scripts,assets"],
    "sources ": ["words", "list", "add", "remove", "move", "discover"],
    "sources discover --client claude-c": ["words", "claude-code"],
    "list --workspace ": ["directories"],
    "list --directory=any": ["directories"],
    "new x --in ": ["directories"],
    "sources add ": ["directories"],
    "validate ": ["files"],
    "validate --baseline ": ["files"],
    "validate --output any": ["files"],
    "validate --output any=": ["files"],
    "validate --output sarif=": ["files_behind"],
    "validate --output=sarif=any": ["files_behind"],
    "scope --check ": ["files"],
    "list ": [],
    "show review ": [],
    "--version ": [],
}


@pytest.mark.parametrize("line", ANSWERS, ids=lambda line: line or "empty")
def test_what_may_stand_there(line: str, tree: Tree) -> None:
    done = ask(tree, "zsh", f"{PROGRAM} {line}")
    words = [text.partition(":")[0] for text in done.lines]
    expected = ANSWERS[line]
    assert (done.code, done.stderr) == (0, "")
    assert (words[:1], set(words)) == (expected[:1], set(expected))


def test_every_rule_completes(tree: Tree) -> None:
    assert ask(tree, "bash", f"{PROGRAM} explain ").lines == ["words", *CATALOGUE]


def test_shells_that_can_are_told_what_a_word_means(tree: Tree) -> None:
    said = "--raw:Write the body alone, byte for byte."
    line = f"{PROGRAM} show --ra"
    assert ask(tree, "zsh", line).lines == ["words", said]
    assert ask(tree, "fish", line).lines == ["words", said.replace(":", "\t")]
    assert ask(tree, "bash", line).lines == ["words", "--raw"]


@pytest.mark.parametrize(
    ("line", "breaks", "word"),
    [
        ("--severity yaml-tag=inf", "=:@", "info"),
        ("--severity yaml-tag=inf", "", "yaml-tag=info"),
        ("--severity=yaml-tag=inf", "=:@", "info"),
        ("--severity=yaml-tag=inf", "", "--severity=yaml-tag=info"),
        ("--sele", "=:@", "--select"),
    ],
)
def test_bash_is_given_what_stands_behind_its_last_word_break(
    line: str, breaks: str, word: str, tree: Tree
) -> None:
    assert ask(tree, "bash", f"{PROGRAM} validate {line}", breaks).lines == ["words", word]


def test_what_is_written_elsewhere_is_quoted_for_bash_and_plain_for_the_others(tree: Tree) -> None:
    line = f"{PROGRAM} sources remove ent"
    (_, quoted) = ask(tree, "bash", line).lines
    assert quoted == "entry\\ \\$\\(touch\\ x\\)\\`touch\\ x\\`\\;\\'\\\"\\\\"
    assert ask(tree, "fish", line).lines == ["words", HOSTILE]
    assert ask(tree, "zsh", line).lines == ["words", HOSTILE.replace("\\", "\\\\")]


@pytest.mark.parametrize("begun", ["li", "esc", "tab"])
def test_a_name_that_no_line_can_have_is_left_out(begun: str, tree: Tree) -> None:
    for shell in SCRIPTS:
        assert ask(tree, shell, f"{PROGRAM} sources remove {begun}").lines == []


@pytest.mark.parametrize(
    "error", [OSError("gone"), SystemExit(2), RecursionError()], ids=lambda e: type(e).__name__
)
def test_an_error_says_nothing(
    error: BaseException, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(settings: Settings) -> None:
        print("no word")
        print("an error", file=sys.stderr)
        raise error

    monkeypatch.setattr(Settings, "ingest", fail)
    done = ask(tree, "zsh", f"{PROGRAM} show re")
    assert (done.code, done.text, done.stderr) == (0, "", "")


@pytest.mark.parametrize("instruction", ["", "complete_powershell", "complete_", "source_bash"])
def test_what_others_ask_is_not_answered_here(instruction: str) -> None:
    assert read_line({INSTRUCTION: instruction, LINE: "insomnia-skills "}) is None


def test_what_can_be_read_of_a_broken_workspace_is_offered(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write(tree.manifest, "[skills\n")
    write(tree.workspace / ".insomnia/memory/workflow/native.md", "no frontmatter")
    write_skill(tree.user_skills, "good")
    assert ask(tree, "fish", f"{PROGRAM} show /").lines == ["words", "/good"]


@pytest.mark.parametrize("shell", [*SCRIPTS, "powershell"])
def test_a_description_is_never_given(shell: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.user_skills, "good", description='"$(touch x) `touch x` [/b]: it"')
    told = {
        INSTRUCTION: f"complete_{shell}",
        LINE: f"{PROGRAM} show /",
        "_TYPER_COMPLETE_ARGS": f"{PROGRAM} show /",
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": "/",
    }
    done = call_in(tree, env=told)
    assert (done.code, done.stderr) == (0, "")
    assert done.lines[-1].rstrip(": ") == "/good"


# The scripts.


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_are_the_ones_to_install(shell: str, tree: Tree) -> None:
    assert call_in(tree, env={INSTRUCTION: f"source_{shell}"}).text == SCRIPTS[shell]
    undetected = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = call_in(tree, "--show-completion", shell, env=undetected)
    assert shown.text.strip() == SCRIPTS[shell].strip()


# Real shells, with what --install-completion has written.


@pytest.fixture(scope="module", params=list(SCRIPTS))
def shell(request: pytest.FixtureRequest, tree: Tree) -> Iterator[Shell]:
    if reason := why_not(request.param):
        pytest.skip(reason)
    home = tree.top / request.param
    home.mkdir()
    undetected = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "HOME": str(home)}
    installed = call_in(tree, "--install-completion", request.param, env=undetected)
    assert installed.code == 0, installed.both

    def answer(told: dict[str, str]) -> bytes:
        return call_in(tree, env={**told, "HOME": str(home)}).stdout

    shell = Shell(request.param, home, tree.workspace, answer)
    yield shell
    shell.close()


LINES = {
    "sources disc": "discover",
    "sources discover --client claude-c": "claude-code",
    "show /rev": "/review",
    "show review --form": "--format",
    "show review --format=js": "--format=json",
    "explain name-mism": "name-mismatch",
    "validate --select yaml-tag,name-mism": "yaml-tag,name-mismatch",
    "validate --severity name-mism": "name-mismatch=",
    "validate --severity=name-mismatch=inf": "--severity=name-mismatch=info",
    "validate not": "notes.txt",
    "validate --output not": "notes.txt",
    "validate --output sarif=not": "sarif=notes.txt",
    "validate --output=sarif=blank\\ dir/in": "--output=sarif=blank dir/inner dir/",
    "new x --in blank\\ dir/in": "blank dir/inner dir/",
    "new x --in=blank\\ dir/in": "--in=blank dir/inner dir/",
    "sources add dol": "dollar$(touch x)/",
    "sources add tic": "tick`touch x`/",
    "list --directory quo": "quo'te\"d/",
    "list --directory=sem": "--directory=semi;touch x/",
    "list --workspace am": "amp&touch x/",
    "list --workspace sta": "star*/",
    "list --workspace bac": "back\\slash/",
    "list --workspace co": "co:lon/",
    "list --workspace not": "not",
    "sources remove ent": HOSTILE,
}


@pytest.mark.parametrize("line", LINES)
def test_a_shell_completes(line: str, shell: Shell, tree: Tree) -> None:
    completed = shell.complete(f"{PROGRAM} {line}")
    assert shell.words(completed)[-1] == LINES[line]
    assert not (tree.workspace / "x").exists()


def test_a_shell_asks_the_command_that_is_typed(shell: Shell) -> None:
    completed = shell.complete("~/real/insomnia-skills show /rev")
    assert completed.rstrip() == "~/real/insomnia-skills show /review"


@pytest.mark.parametrize("line", ["sources add new", "validate new", "sources remove li"])
def test_a_shell_runs_no_line_of_a_name(line: str, shell: Shell, tree: Tree) -> None:
    """A name with a line end is given whole or not at all, or its first line as a word."""
    completed = shell.complete(f"{PROGRAM} {line}")
    assert shell.words(completed)[:-1] == [PROGRAM, *line.split()[:-1]]
