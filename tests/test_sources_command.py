"""`sources list`, `add`, `remove` and `move`, as people see them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from insomnia_skills.cli.sources import editing
from insomnia_skills.edit.manifest import ManifestEdit
from tests.cli import NO_COLOR, Run, call_in
from tests.trees import Tree, break_skill, link, write, write_manifest, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace that names .cursor/skills; .claude/skills has two more and one of the same."""
    tree = Tree(tmp_path)
    write_skill(tree.workspace / ".cursor/skills", "review", description="Of Cursor.")
    for name in ("changelog", "deck", "review"):
        write_skill(tree.workspace / ".claude/skills", name)
    tree.name_roots(".cursor/skills")
    return tree


def run(tree: Tree, *arguments: str | Path, cwd: str = ".", terminal: bool = False) -> Run:
    place = tree.workspace / cwd
    return call_in(tree, "sources", *arguments, cwd=place, terminal=terminal, env=NO_COLOR)


class Keyboard(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


def run_at_terminal(tree: Tree, *arguments: str, typed: str = "") -> Run:
    with patch.object(sys, "stdin", Keyboard(typed)):
        return run(tree, *arguments, terminal=True)


def manifest_of(*directories: str) -> str:
    lines = "".join(f'  "{directory}",\n' for directory in directories)
    return f"[skills]\ndirectories = [\n{lines}]\n"


# The list.


def test_list(tree: Tree) -> None:
    write_manifest(tree.user_manifest, "none")
    done = run(tree, "list", terminal=True)
    assert done.code == 0
    assert [line.split() for line in done.lines] == [
        ["rank", "source", "declared", "in", "loaded", "shadowed", "skipped"],
        ["1", "native", "workflows", "default", "not", "there"],
        ["2.1", ".cursor/skills", "manifest.toml:3", "1", "0", "0"],
        ["2.2", "~/config/none", "user", "manifest.toml:3", "not", "there"],
        ["3", "user", "skills", "default", "not", "there"],
    ]
    assert "root-missing" in done.stderr


def test_list_piped(tree: Tree) -> None:
    done = run(tree, "list")
    root = tree.workspace
    assert done.lines == [
        f"1\tworkspace-workflow\t{root}/.insomnia/memory/workflow\tdefault\t0\t0\t0\tnot there",
        f"2.1\tworkspace-skill\t{root}/.cursor/skills\t{tree.manifest}:3\t1\t0\t0\t",
        f"3\tuser-skill\t{tree.user_skills}\tdefault\t0\t0\t0\tnot there",
    ]


def test_list_as_json(tree: Tree) -> None:
    document = run(tree, "list", "--format", "json").document
    assert document["workspace"] == str(tree.workspace)
    assert document["manifests"] == [
        {"path": str(tree.manifest), "exists": True, "directories": [".cursor/skills"]},
        {"path": str(tree.user_manifest), "exists": False, "directories": []},
    ]
    assert [source["rank"] for source in document["sources"]] == ["1", "2.1", "3"]


def test_list_of_a_manifest_that_cannot_be_read(tree: Tree) -> None:
    write(tree.manifest, "[skills\n")
    done = run(tree, "list")
    assert done.code == 2
    assert "manifest-syntax" in done.stderr


# What an edit tells, asks and writes.

TOLD = """\
.insomnia/manifest.toml
  [skills]
  directories = [
    ".cursor/skills",
+   ".claude/skills",
  ]
Gains      2 workflows: /changelog /deck
Shadows    .cursor/skills wins over .claude/skills (different): /review
"""


def test_add_at_a_terminal(tree: Tree) -> None:
    done = run_at_terminal(tree, "add", ".claude/skills", typed="\n")
    assert done.text == f"{TOLD}Write it? [Y/n] "
    assert done.stderr == "Wrote .insomnia/manifest.toml\n"
    assert done.code == 0
    assert tree.manifest.read_text() == manifest_of(".cursor/skills", ".claude/skills")


@pytest.mark.parametrize(
    ("typed", "code"),
    [("y\n", 0), ("YES\n", 0), ("what?\n\n", 0), ("n\n", 1), ("No\n", 1), ("", 1)],
    ids=["y", "yes", "asked again", "n", "no", "end of input"],
)
def test_answer(tree: Tree, typed: str, code: int) -> None:
    before = tree.manifest.read_bytes()
    done = run_at_terminal(tree, "add", ".claude/skills", typed=typed)
    assert done.code == code
    assert (tree.manifest.read_bytes() == before) is bool(code)
    if code:
        assert done.stderr == "Nothing was written.\n"


def test_interrupted_question(tree: Tree) -> None:
    class Interrupted(Keyboard):
        def readline(self, size: int = -1) -> str:  # type: ignore[override]
            raise KeyboardInterrupt

    with patch.object(sys, "stdin", Interrupted()):
        done = run(tree, "add", ".claude/skills", terminal=True)
    assert (done.code, done.stderr) == (130, "interrupted\n")
    assert done.text.endswith("Write it? [Y/n] \n")
    assert tree.manifest.read_text() == manifest_of(".cursor/skills")


@pytest.mark.parametrize("option", ["--yes", "-y"])
def test_yes_is_not_asked(tree: Tree, option: str) -> None:
    done = run_at_terminal(tree, "add", ".claude/skills", option)
    assert done.text == TOLD
    assert tree.manifest.read_text() == manifest_of(".cursor/skills", ".claude/skills")


def test_json_is_not_asked(tree: Tree) -> None:
    done = run_at_terminal(tree, "add", ".claude/skills", "--format", "json")
    assert done.document["written"] is True
    assert done.stderr == ""
    assert tree.manifest.read_text() == manifest_of(".cursor/skills", ".claude/skills")


def test_script_is_not_asked(tree: Tree) -> None:
    done = run(tree, "add", ".claude/skills")
    claude = tree.workspace / ".claude/skills"
    assert done.lines == [
        f"gained\tchangelog\t{claude}/changelog/SKILL.md",
        f"gained\tdeck\t{claude}/deck/SKILL.md",
        (
            f"shadowed\treview\t{claude}/review/SKILL.md"
            f"\t{tree.workspace}/.cursor/skills/review/SKILL.md"
        ),
    ]
    assert done.stderr == "Wrote .insomnia/manifest.toml\n"
    assert tree.manifest.read_text() == manifest_of(".cursor/skills", ".claude/skills")


def test_quiet(tree: Tree) -> None:
    assert run(tree, "add", ".claude/skills", "-q").stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [("add", ".claude/skills"), ("remove", ".cursor/skills"), ("move", ".cursor/skills", "--last")],
    ids=["add", "remove", "move"],
)
@pytest.mark.parametrize("format", ["table", "plain", "json"])
def test_dry_run_writes_nothing(tree: Tree, arguments: tuple[str, ...], format: str) -> None:
    tree.name_roots(".cursor/skills", "more")
    before = tree.manifest.read_bytes()
    done = run_at_terminal(tree, *arguments, "--dry-run", "--format", format)
    assert done.code == 0
    assert "Write it?" not in done.text
    assert tree.manifest.read_bytes() == before
    if format == "json":
        assert done.document["written"] is False
        assert len(done.document["manifests"]) == 1
    else:
        assert done.stderr == "Nothing was written (--dry-run).\n"


def test_json_tells_all_of_it(tree: Tree) -> None:
    break_skill(tree.workspace / ".claude/skills", "broken")
    done = run(tree, "add", ".claude/skills", "--first", "--format", "json")
    found = done.document
    assert found["manifests"] == [
        {
            "path": str(tree.manifest),
            "created": False,
            "before": [".cursor/skills"],
            "after": [".claude/skills", ".cursor/skills"],
        }
    ]
    assert [record["slug"] for record in found["gained"]] == ["changelog", "deck"]
    (new,) = found["changed"]
    assert new["slug"] == "review"
    assert new["before"]["path"].endswith(".cursor/skills/review/SKILL.md")
    assert new["after"]["path"].endswith(".claude/skills/review/SKILL.md")
    assert [shadow["relation"] for shadow in found["shadowed"]] == ["different"]
    assert [item["diagnostics"][0]["rule"] for item in found["skipped"]] == ["description-missing"]


def test_records_of_every_kind(tree: Tree) -> None:
    root = tree.workspace
    break_skill(root / ".cursor/skills", "deck")
    tree.name_roots(".cursor/skills", ".claude/skills")
    done = run(tree, "move", ".claude/skills", "--first")
    assert [line.replace(f"{root}/", "").split("\t") for line in done.lines] == [
        ["changed", "review", ".cursor/skills/review/SKILL.md", ".claude/skills/review/SKILL.md"],
        ["shadowed", "review", ".cursor/skills/review/SKILL.md", ".claude/skills/review/SKILL.md"],
        [
            "unshadowed",
            "review",
            ".claude/skills/review/SKILL.md",
            ".cursor/skills/review/SKILL.md",
        ],
        ["stand-in-gone", "deck", ".claude/skills/deck/SKILL.md"],
    ]
    done = run(tree, "remove", ".cursor/skills")
    assert [line.split("\t")[:2] for line in done.lines] == [
        ["unshadowed", "review"],
        ["unskipped", "deck"],
    ]
    done = run(tree, "remove", ".claude/skills")
    assert [line.split("\t")[:2] for line in done.lines] == [
        ["lost", "changelog"],
        ["lost", "deck"],
        ["lost", "review"],
    ]
    tree.name_roots(".claude/skills")
    done = run(tree, "add", ".cursor/skills", "--first")
    assert [line.split("\t")[:2] for line in done.lines] == [
        ["changed", "review"],
        ["shadowed", "review"],
        ["skipped", "deck"],
        ["stand-in", "deck"],
    ]


def test_long_lists_are_cut_on_a_terminal_only(tree: Tree) -> None:
    for number in range(30):
        write_skill(tree.workspace / "many", f"skill-{number:02}")
    at_terminal = run_at_terminal(tree, "add", "many", "--dry-run").text
    assert "/skill-11 … and 18 more" in " ".join(at_terminal.split())
    assert max(map(len, at_terminal.splitlines())) <= 80
    in_full = run_at_terminal(tree, "add", "many", "--dry-run", "--verbose").text
    assert "/skill-28 /skill-29" in " ".join(in_full.split())
    piped = run(tree, "add", "many", "--dry-run", "--format", "table").text
    assert "/skill-28 /skill-29\n" in piped
    assert len(run(tree, "add", "many", "--dry-run").lines) == 30


def test_two_hunks_have_a_gap(tree: Tree) -> None:
    tree.name_roots(*(f"root-{number}" for number in range(12)))
    done = run_at_terminal(tree, "move", "root-11", "--first", "--dry-run")
    assert "  …\n" in done.text


def test_warnings_about_the_new_root_are_told(tree: Tree) -> None:
    write_manifest(tree.user_manifest, "not-there")
    write_skill(tree.workspace / "more", "one", files={"deeper/two/x.md": ""})
    write_skill(tree.workspace / "more/group", "three")
    done = run(tree, "add", "more")
    assert "nested-skill" in done.stderr
    assert "root-missing" not in done.stderr


def test_a_directory_whose_skills_lie_deeper_is_refused(tree: Tree) -> None:
    done = run(tree, "add", ".claude", "--first")
    assert done.code == 2
    assert done.stderr == (
        'error: ".claude" has no skill in it, but .claude/skills has\n'
        "  help: add that one: insomnia-skills sources add .claude/skills --first\n"
    )


def test_a_path_of_this_machine_in_a_shared_manifest_is_told(tree: Tree) -> None:
    elsewhere = tree.top / "elsewhere"
    write_skill(elsewhere, "one")
    note = "note: this path is one of this machine; --user names it in your own manifest"
    assert note in run(tree, "add", elsewhere, "--dry-run").stderr
    assert note not in run(tree, "add", elsewhere, "--dry-run", "--user").stderr
    assert note not in run(tree, "add", "../elsewhere", "--dry-run").stderr


def test_a_new_workspace_below_its_repository_is_told(tree: Tree) -> None:
    (tree.top / ".git").mkdir()
    tree.manifest.unlink()
    tree.manifest.parent.rmdir()
    done = run(tree, "add", ".claude/skills", "--dry-run")
    assert done.stderr.startswith(
        "note: this makes workspace a workspace of its own; for the whole repository: --workspace "
    )
    done = run(tree, "add", ".claude/skills", "--dry-run", "--workspace", ".")
    assert "a workspace of its own" not in done.stderr


@pytest.fixture
def package(tree: Tree) -> Tree:
    """A workspace with skills at its root and in a package below, both named."""
    write_skill(tree.workspace / "pkg/.claude/skills", "two")
    write_manifest(tree.manifest, ".claude/skills", "pkg/.claude/skills")
    return tree


@pytest.mark.parametrize("given", ["./.claude/skills", "{pkg}/.claude/skills"])
def test_a_path_in_a_package_is_that_of_the_package(package: Tree, given: str) -> None:
    given = given.format(pkg=package.workspace / "pkg")
    assert run(package, "remove", given, cwd="pkg").code == 0
    assert package.manifest.read_text() == manifest_of(".claude/skills")


def test_a_path_with_two_meanings_is_refused(package: Tree) -> None:
    done = run(package, "remove", ".claude/skills", cwd="pkg")
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr == (
        'error: ".claude/skills" is an entry as it is written, and here the path of another one\n'
        "  help: write ./.claude/skills for the one here, or run it in ~/workspace for the other\n"
    )


def test_errors_elsewhere_are_told(tree: Tree) -> None:
    write(tree.user_manifest, "[skills\n")
    done = run(tree, "add", ".claude/skills")
    assert done.code == 0
    assert "manifest.toml:1:8: error[manifest-syntax]" in done.stderr


# Adding.


def test_add_makes_the_manifest(tree: Tree) -> None:
    tree.manifest.unlink()
    tree.manifest.parent.rmdir()
    done = run_at_terminal(tree, "add", ".cursor/skills", "--yes")
    assert done.text.startswith(".insomnia/manifest.toml (new)\n+ [skills]\n")
    assert tree.manifest.read_text() == manifest_of(".cursor/skills")


def test_add_to_the_users_manifest(tree: Tree) -> None:
    write_skill(tree.config / "more", "more")
    assert run(tree, "add", ".claude/skills", "--user").code == 0
    assert run(tree, "add", tree.config / "more", "--user", "--first").code == 0
    claude = str(tree.workspace / ".claude/skills")
    assert tree.user_manifest.read_text() == manifest_of("more", claude)
    assert tree.manifest.read_text() == manifest_of(".cursor/skills")


def test_add_from_below_the_root(tree: Tree) -> None:
    assert run(tree, "add", "skills/", cwd=".claude").code == 0
    assert tree.manifest.read_text() == manifest_of(".cursor/skills", ".claude/skills")


@pytest.mark.parametrize(
    ("options", "entries"),
    [
        ([], ["a", "b", ".claude/skills"]),
        (["--first"], [".claude/skills", "a", "b"]),
        (["--before", "b"], ["a", ".claude/skills", "b"]),
        (["--before", "./a/"], [".claude/skills", "a", "b"]),
    ],
    ids=["last", "first", "before", "before, by path"],
)
def test_add_somewhere(tree: Tree, options: list[str], entries: list[str]) -> None:
    tree.name_roots("a", "b")
    assert run(tree, "add", ".claude/skills", *options).code == 0
    assert tree.manifest.read_text() == manifest_of(*entries)


# The arguments, then what is said; "{top}" and "{home}" are the directories.
WRONG: dict[str, tuple[list[str], str]] = {
    "nothing": (["add", ""], "error: DIR is empty\n"),
    "nothing to remove": (["remove", ""], "error: DIR is empty\n"),
    "before nothing": (["move", ".cursor/skills", "--before", ""], "error: DIR is empty\n"),
    "not there": (
        ["add", "none"],
        (
            'error: "none" does not exist\n'
            "  help: make it first, or give another path; it counts from the working directory\n"
        ),
    ),
    "a tilde in quotes": (
        ["add", "~/skills"],
        (
            'error: "~/skills" does not exist\n'
            "  help: in quotes no shell expands it; it would be {home}/skills\n"
        ),
    ),
    "a variable in quotes": (
        ["add", "$HOME/none"],
        (
            'error: "$HOME/none" does not exist\n  help: in quotes no shell expands it; '
            "it would be {home}/none, which is not there either\n"
        ),
    ),
    "a variable that is not set": (
        ["add", "$NONE/skills"],
        (
            'error: "$NONE/skills" does not exist\n'
            "  help: make it first, or give another path; it counts from the working directory\n"
        ),
    ),
    "a file": (
        ["add", ".insomnia/manifest.toml"],
        (
            'error: ".insomnia/manifest.toml" is not a directory\n'
            "  help: a skills root is the directory that holds skills\n"
        ),
    ),
    "a skill": (
        ["add", ".claude/skills/deck"],
        (
            'error: ".claude/skills/deck" is itself a skill\n'
            "  help: add the directory above it: insomnia-skills sources add .claude/skills\n"
        ),
    ),
    "first and before": (
        ["add", ".claude/skills", "--first", "--before", ".cursor/skills"],
        "error: --first and --before contradict each other\n  help: leave out one of them\n",
    ),
    "user and no user": (
        ["add", ".claude/skills", "--user", "--no-user"],
        "error: --user and --no-user contradict each other\n  help: leave out one of them\n",
    ),
    "move to nowhere": (
        ["move", ".cursor/skills"],
        "error: it is not said where to\n  help: give one of --first, --last and --before DIR\n",
    ),
    "move to two places": (
        ["move", ".cursor/skills", "--first", "--last"],
        "error: --first and --last contradict each other\n  help: leave out one of them\n",
    ),
    "move to two places, one by a directory": (
        ["move", ".cursor/skills", "--last", "--before", "x"],
        "error: --last and --before contradict each other\n  help: leave out one of them\n",
    ),
    "a skill, with options": (
        ["add", ".claude/skills/deck", "--user", "--before", "x y"],
        (
            'error: ".claude/skills/deck" is itself a skill\n'
            "  help: add the directory above it: "
            "insomnia-skills sources add .claude/skills --before 'x y' --user\n"
        ),
    ),
    "a name that no file can have": (
        ["add", "x" * 300],
        f'error: "{"x" * 300}" can\'t be read: File name too long\n',
    ),
}


@pytest.mark.parametrize(("arguments", "told"), WRONG.values(), ids=WRONG)
def test_wrong_question(tree: Tree, arguments: list[str], told: str) -> None:
    (tree.top / "skills").mkdir()
    before = tree.manifest.read_bytes()
    done = run(tree, *arguments)
    assert (done.code, done.text) == (2, "")
    assert done.stderr == told.format(home=tree.top)
    assert tree.manifest.read_bytes() == before


def test_add_a_directory_that_cannot_be_listed(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "listdir", partial(fail_with, PermissionError(13, "Not allowed")))
    done = run(tree, "add", ".claude/skills")
    assert done.code == 2
    assert done.stderr == (
        'error: ".claude/skills" can\'t be read: Not allowed\n  help: check its permissions\n'
    )


def fail_with(error: Exception, *_: object) -> None:
    raise error


def test_add_a_name_that_is_not_utf8(tree: Tree) -> None:
    name = os.fsdecode(b"caf\xe9")
    try:
        write_skill(tree.workspace / name, "one")
    except OSError:
        pytest.skip("this disk takes no names but UTF-8")
    done = run(tree, "add", name)
    assert done.code == 2
    assert "a path that is not UTF-8 can't be written in TOML" in done.stderr
    assert "give the directory, or a link to it, a name in UTF-8" in done.stderr


REFUSED: dict[str, tuple[str, str]] = {
    "not TOML": ("[skills\n", ".insomnia/manifest.toml:1:8: not valid TOML: "),
    "wrong type": (
        'x = 1\n[skills]\ndirectories = "a"\n',
        ".insomnia/manifest.toml:3:15: directories must be a list of paths",
    ),
}


@pytest.mark.parametrize(("text", "told"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize(
    "arguments",
    [("add", ".claude/skills"), ("remove", "a"), ("move", "a", "--first")],
    ids=["add", "remove", "move"],
)
def test_manifest_that_is_refused(
    tree: Tree, text: str, told: str, arguments: tuple[str, ...]
) -> None:
    write(tree.manifest, text)
    done = run(tree, *arguments)
    assert (done.code, done.text) == (2, "")
    assert done.stderr.startswith(f"error: {told}")
    assert tree.manifest.read_text() == text


def test_edit_that_is_refused(tree: Tree) -> None:
    write(tree.manifest, "#" * (256 * 1024 - 10))
    done = run(tree, "add", ".claude/skills")
    assert done.code == 2
    assert done.stderr == (
        "error: .insomnia/manifest.toml: the manifest would have more than 262,144 bytes\n"
        "  help: edit the manifest by hand\n"
    )


def test_manifest_that_is_read_only(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    done = run_at_terminal(tree, "add", ".claude/skills")
    assert (done.code, done.text) == (74, "")
    assert done.stderr == (
        "error: .insomnia/manifest.toml is read-only\n  help: change its permissions\n"
    )
    assert run(tree, "add", ".claude/skills", "--dry-run").code == 0


def test_manifest_that_cannot_be_made(tree: Tree) -> None:
    tree.manifest.unlink()
    tree.manifest.parent.rmdir()
    write(tree.manifest.parent, "a file")
    done = run(tree, "add", ".claude/skills")
    assert done.code == 2
    assert done.stderr == (
        "error: can't write .insomnia/manifest.toml: .insomnia is not a directory\n"
        "  help: give that another name\n"
    )


def test_manifest_in_a_directory_that_is_read_only(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: os.path.isfile(path))
    done = run_at_terminal(tree, "add", ".claude/skills")
    assert (done.code, done.text) == (74, "")
    assert done.stderr == (
        "error: can't write .insomnia/manifest.toml: .insomnia is read-only\n"
        "  help: change the permissions of that directory\n"
    )


def test_disk_that_is_full(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(editing, "write_edit", partial(fail_with, full))
    done = run(tree, "add", ".claude/skills")
    assert done.code == 74
    assert done.stderr == ("error: can't write .insomnia/manifest.toml: No space left on device\n")


def test_manifest_that_changes_while_the_question_waits(tree: Tree) -> None:
    class Slow(Keyboard):
        def readline(self, size: int = -1) -> str:  # type: ignore[override]
            tree.name_roots("other")
            return "y\n"

    with patch.object(sys, "stdin", Slow()):
        done = run(tree, "add", ".claude/skills", terminal=True)
    assert done.code == 1
    assert done.stderr == (
        "error: .insomnia/manifest.toml has changed meanwhile, so it was left as it is\n"
        "  help: run the command again\n"
    )
    assert tree.manifest.read_text() == manifest_of("other")


# What is a source already.


@pytest.mark.parametrize("given", [".cursor/skills", "./.cursor/skills/", "alias"])
def test_add_what_is_a_source(tree: Tree, given: str) -> None:
    link(tree.workspace / "alias", ".cursor/skills")
    done = run(tree, "add", given)
    assert (done.code, done.text) == (0, "")
    assert done.stderr == f'"{given}" is a source already: rank 2.1, manifest.toml:3\n'
    assert tree.manifest.read_text() == manifest_of(".cursor/skills")
    done = run(tree, "add", given, "--format", "json")
    assert done.document["manifests"] == []
    assert done.document["written"] is False


@pytest.mark.parametrize("option", [["--first"], ["--before", "x y"]], ids=["first", "before"])
def test_add_what_is_a_source_elsewhere(tree: Tree, option: list[str]) -> None:
    done = run(tree, "add", ".cursor/skills", *option)
    assert (done.code, done.text) == (1, "")
    place = "--first" if option == ["--first"] else "--before 'x y'"
    assert done.stderr.endswith(
        f"  help: to rank it elsewhere: insomnia-skills sources move .cursor/skills {place}\n"
    )


def test_add_the_users_skills(tree: Tree) -> None:
    write_skill(tree.user_skills, "one")
    done = run(tree, "add", tree.user_skills)
    assert done.code == 0
    assert "rank 3, default\n" in done.stderr
    assert "the user's skills need no naming and rank last" in done.stderr


def test_add_what_the_other_manifest_names(tree: Tree) -> None:
    write_manifest(tree.user_manifest, str(tree.workspace / ".claude/skills"))
    done = run(tree, "add", ".claude/skills")
    assert done.code == 0
    assert "rank 2.2, user manifest.toml:3\n" in done.stderr
    assert "in the workspace's manifest too, add --no-user" in done.stderr
    assert run(tree, "add", ".claude/skills", "--no-user").code == 0
    assert tree.manifest.read_text() == manifest_of(".cursor/skills", ".claude/skills")
    assert "help" not in run(tree, "add", ".cursor/skills", "--user").stderr


def test_directory_of_this_command_line_is_no_source_yet(tree: Tree) -> None:
    assert run(tree, "add", ".claude/skills", "--directory", ".claude/skills").code == 0
    assert tree.manifest.read_text() == manifest_of(".cursor/skills", ".claude/skills")


# Removing and moving.


@pytest.mark.parametrize(
    ("given", "cwd"),
    [
        ("gone/skills", "."),
        ("gone/skills", ".claude"),
        ("../gone/skills", ".claude"),
        ("{top}/workspace/gone/skills/", "."),
    ],
    ids=["as written", "as written, from below", "from below", "absolute"],
)
def test_remove_what_is_gone(tree: Tree, given: str, cwd: str) -> None:
    tree.name_roots("gone/skills", ".cursor/skills")
    done = run(tree, "remove", given.format(top=tree.top), cwd=cwd)
    assert done.code == 0
    assert tree.manifest.read_text() == manifest_of(".cursor/skills")


@pytest.mark.parametrize("given", ["~/old", "{top}/old"], ids=["as written", "expanded"])
def test_remove_what_has_a_literal_tilde(tree: Tree, given: str) -> None:
    tree.name_roots("~/old")
    assert run(tree, "remove", given.format(top=tree.top)).code == 0
    assert tree.manifest.read_text() == "[skills]\ndirectories = []\n"


def test_remove_from_the_users_manifest(tree: Tree) -> None:
    write_manifest(tree.user_manifest, "more")
    assert run(tree, "remove", "more", "--user").code == 0
    assert tree.user_manifest.read_text() == "[skills]\ndirectories = []\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["remove", "none"], '  help: its entries are ".cursor/skills"\n'),
        (["move", "none", "--last"], '  help: its entries are ".cursor/skills"\n'),
        (
            ["move", ".cursor/skills", "--before", "none"],
            '  help: its entries are ".cursor/skills"\n',
        ),
        (
            ["add", ".claude/skills", "--before", "none"],
            '  help: its entries are ".cursor/skills"\n',
        ),
        (
            ["remove", "more"],
            (
                "  help: line 3 of ~/config/manifest.toml has it: "
                "insomnia-skills sources remove more --user\n"
            ),
        ),
        (
            ["move", "more", "--before", "it"],
            (
                "  help: line 3 of ~/config/manifest.toml has it: "
                "insomnia-skills sources move more --before it --user\n"
            ),
        ),
        (
            ["add", ".claude/skills", "--before", "more"],
            (
                "  help: line 3 of ~/config/manifest.toml has it: "
                "insomnia-skills sources add .claude/skills --before more --user\n"
            ),
        ),
        (
            ["remove", ".cursor/skills", "--user"],
            (
                "  help: line 3 of .insomnia/manifest.toml has it: "
                "insomnia-skills sources remove .cursor/skills\n"
            ),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_no_such_entry(tree: Tree, arguments: list[str], told: str) -> None:
    write_manifest(tree.user_manifest, "more")
    done = run(tree, *arguments)
    assert (done.code, done.text) == (1, "")
    assert done.stderr.endswith(told)


def test_no_such_entry_of_many(tree: Tree) -> None:
    names = ("review", "deck", *(f"root-{number}" for number in range(20)))
    tree.name_roots(*names)
    assert run(tree, "remove", "reviews").stderr.endswith('  help: did you mean "review"?\n')
    assert run(tree, "remove", "xyz").stderr.endswith(
        "  help: insomnia-skills sources list shows its 22 entries\n"
    )


def test_commands_to_paste_are_about_the_same_workspace(tree: Tree) -> None:
    elsewhere = ("--workspace", tree.workspace)
    write_manifest(tree.user_manifest, "more")
    for arguments, told in (
        (["add", "workspace/.claude/skills/deck"], "sources add workspace/.claude/skills"),
        (["add", "workspace/.cursor/skills", "--first"], "move workspace/.cursor/skills --first"),
        (["remove", ".cursor/skills", "--user"], "sources remove .cursor/skills"),
    ):
        done = run(tree, *arguments, *elsewhere, cwd="..")
        assert done.stderr.endswith(f"{told} --workspace workspace\n")


def test_command_to_paste_with_a_name_like_an_option(tree: Tree) -> None:
    tree.name_roots("-x")
    (tree.workspace / "-x").mkdir()
    done = run(tree, "add", "--first", "--", "-x")
    assert done.stderr.endswith("insomnia-skills sources move ./-x --first\n")
    assert run(tree, "move", "./-x", "--first").code == 0


def test_no_entry_at_all(tree: Tree) -> None:
    tree.manifest.unlink()
    done = run(tree, "remove", "x")
    assert done.code == 1
    assert done.stderr == (
        'error: .insomnia/manifest.toml has no entry "x"\n'
        "  help: it has none; insomnia-skills sources list says where skills come from\n"
    )


@pytest.mark.parametrize(
    ("arguments", "entries"),
    [
        (["c", "--first"], ["c", "a", "b"]),
        (["a", "--last"], ["b", "c", "a"]),
        (["a", "--before", "c"], ["b", "a", "c"]),
        (["c", "--before", "a"], ["c", "a", "b"]),
        (["./c/", "--before", "./b"], ["a", "c", "b"]),
    ],
    ids=" ".join,
)
def test_move(tree: Tree, arguments: list[str], entries: list[str]) -> None:
    tree.name_roots("a", "b", "c")
    assert run(tree, "move", *arguments).code == 0
    assert tree.manifest.read_text() == manifest_of(*entries)


@pytest.mark.parametrize(
    "arguments",
    [["a", "--first"], ["c", "--last"], ["a", "--before", "b"], ["b", "--before", "b"]],
    ids=" ".join,
)
def test_move_to_where_it_is(tree: Tree, arguments: list[str]) -> None:
    tree.name_roots("a", "b", "c")
    done = run(tree, "move", *arguments)
    assert (done.code, done.text) == (0, "")
    assert done.stderr == f'"{arguments[0]}" is there already: nothing to change\n'
    assert run(tree, "move", *arguments, "--format", "json").document["manifests"] == []
    assert tree.manifest.read_text() == manifest_of("a", "b", "c")


# Text of others.


def test_hostile_text_never_reaches_the_terminal(tree: Tree) -> None:
    escape = "\\u001b[31m\\u202e[bold]"
    write(tree.manifest, f'[skills] # \u202e\ndirectories = ["{escape}", ".cursor/skills"]\n')
    break_skill(tree.workspace / ".claude/skills", "\x1b[31mred\u202e")
    for arguments in (
        ["add", ".claude/skills", "--dry-run", "--format", "table"],
        ["add", ".claude/skills", "--dry-run", "--format", "plain"],
        ["add", ".claude/skills", "--dry-run", "--format", "json"],
        ["remove", "\x1b[31mnone\u202e"],
        ["remove", "\x1b[31m\u202e[bold]", "--dry-run", "--format", "table"],
        ["move", "\x1b[31m\u202e[bold]", "--first"],
        ["add", "\x1b[31mnone\u202e"],
    ):
        done = run(tree, *arguments)
        assert done.both, arguments
        assert not {"\x1b", "\u202e"} & set(done.both), arguments


# Several manifests in one go, as `sources discover --add` does.


def test_carry_out_two_edits(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    from insomnia_skills.cli.common import RecordFormat, Settings

    settings = Settings(workspace=tree.workspace)
    edits = [
        ManifestEdit(tree.manifest, tree.manifest.read_bytes(), b"[skills]\n"),
        ManifestEdit(tree.user_manifest, None, manifest_of("more").encode()),
    ]
    with patch.dict(os.environ, {"INSOMNIA_CONFIG_DIR": str(tree.config)}):
        editing.carry_out(settings, settings.ingest(), edits, format=RecordFormat.TABLE)
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if "manifest.toml" in line and "(new)" in line]
    assert err.count("Wrote ") == 2
    assert tree.user_manifest.read_text() == manifest_of("more")


# Completion.


def complete(tree: Tree, *words: str) -> Iterator[str]:
    line = " ".join(("insomnia-skills sources", *words))
    variables = {"_INSOMNIA_SKILLS_COMPLETE": "complete_fish", "_INSOMNIA_SKILLS_LINE": line}
    done = call_in(tree, cwd=tree.workspace, env=variables)
    return iter(done.lines)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["remove", ""], ["words", ".cursor/skills", "b"]),
        (["remove", ".c"], ["words", ".cursor/skills"]),
        (["move", ""], ["words", ".cursor/skills", "b"]),
        (["move", "b", "--before", "."], ["words", ".cursor/skills"]),
        (["remove", "--user", ""], ["words", "more"]),
        (["add", "x", "--before", ""], ["words", ".cursor/skills", "b"]),
        (["add", ""], ["directories"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_completion(tree: Tree, words: list[str], answer: list[str]) -> None:
    tree.name_roots(".cursor/skills", "b")
    write_manifest(tree.user_manifest, "more")
    assert list(complete(tree, *words)) == answer
