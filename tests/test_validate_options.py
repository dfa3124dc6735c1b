"""The options of `validate` as a user gives them: what is chosen, read, written, and the end.

What the choice of rules, comments and baselines mean in detail is in their own tests.
"""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from insomnia_skills.cli.output import CheckFormat
from tests import cli
from tests.cli import Run
from tests.trees import Tree, break_skill, link, write, write_skill

VALID = "---\nname: pdf\ndescription: Read PDF files. Use when the user names one.\n---\nRead it.\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Skills with an error, a warning, an info, and nothing to say of."""
    tree = Tree(tmp_path)
    break_skill(tree.workspace / "skills", "bad")
    write_skill(tree.workspace / "skills", "fair", "allowed-tools: Read")
    write_skill(tree.workspace / "skills", "good")
    write_skill(tree.workspace / "skills", "noted", "colour: blue")
    tree.name_roots("skills")
    return tree


def validate(
    tree: Tree,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    terminal: bool = False,
    cwd: Path | None = None,
) -> Run:
    return cli.call_in(tree, "validate", *arguments, env=env, terminal=terminal, cwd=cwd)


def rules(done: Run) -> list[str]:
    return [f"{found['severity']} {found['rule']}" for found in done.document["diagnostics"]]


def configure(tree: Tree, text: str) -> Path:
    return write(tree.workspace / "insomnia-skills.toml", text)


ALL = ["error description-missing", "warning allowed-tools-ignored", "info unknown-field"]


# --- choosing rules ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        pytest.param([], 1, ALL, id="no option"),
        pytest.param(["--select", "description-missing"], 1, ALL[:1], id="select an error"),
        pytest.param(["--select", "allowed-tools-ignored"], 0, ALL[1:2], id="select a warning"),
        pytest.param(
            ["--select", "description-*,unknown-*"], 1, ALL[::2], id="commas and patterns"
        ),
        pytest.param(
            ["--select", "description-*", "--select", "unknown-*"], 1, ALL[::2], id="repeated"
        ),
        pytest.param(["--ignore", "description-missing"], 0, ALL[1:], id="ignore the error"),
        pytest.param(["--ignore", "*"], 0, [], id="ignore all"),
        pytest.param(["--ignore", ""], 1, ALL, id="ignore nothing"),
        pytest.param(["--strict"], 1, ALL, id="strict"),
        pytest.param(["--strict", "--ignore", "description-missing"], 1, ALL[1:], id="a warning"),
        pytest.param(
            ["--strict", "--ignore", "description-*,allowed-*"], 0, ALL[2:], id="only an info"
        ),
        pytest.param(
            ["--severity", "description-missing=warning"],
            0,
            ["warning description-missing", *ALL[1:]],
            id="severity down",
        ),
        pytest.param(
            ["--severity", "description-missing=warning", "--strict"],
            1,
            ["warning description-missing", *ALL[1:]],
            id="severity down, strict",
        ),
        pytest.param(
            ["--severity", "unknown-field=error", "--ignore", "description-missing"],
            1,
            [ALL[1], "error unknown-field"],
            id="severity up",
        ),
        pytest.param(
            ["--severity", "description-missing=info,allowed-tools-ignored=info", "--strict"],
            0,
            ["info description-missing", "info allowed-tools-ignored", ALL[2]],
            id="all down",
        ),
    ],
)
def test_rules_and_exit_code(
    tree: Tree, options: list[str], code: int, expected: list[str]
) -> None:
    done = validate(tree, *options, "--format", "json")
    assert done.code == code
    assert rules(done) == expected
    assert [file["valid"] for file in done.document["files"]] == [True, False, True, True, True]


@pytest.mark.parametrize(
    ("options", "error", "help"),
    [
        pytest.param(
            ["--select", "body-lang"],
            '--select: no rule is called "body-lang"',
            "did you mean body-long?",
            id="select",
        ),
        pytest.param(
            ["--ignore", "body-long,zzz"],
            '--ignore: no rule is called "zzz"',
            "insomnia-skills rules lists them",
            id="ignore",
        ),
        pytest.param(
            ["--severity", "body-long"],
            '--severity: "body-long" is not RULE=LEVEL',
            "for example body-long=warning",
            id="severity without level",
        ),
        pytest.param(
            ["--severity", "body-long=fatal"],
            '--severity: no severity is called "fatal"',
            "error, warning or info; to have none, ignore it",
            id="no severity",
        ),
        pytest.param(
            ["--select", ""],
            "--select names no rule",
            "leave it out to have every rule",
            id="empty",
        ),
        pytest.param(
            ["--select", " , "], "--select names no rule", "leave it out to have every rule", id=","
        ),
        pytest.param(
            ["--baseline", "no.json"],
            "baseline: {workspace}/no.json does not exist",
            "write it: add --write-baseline",
            id="no baseline",
        ),
        pytest.param(
            ["--write-baseline"],
            "--write-baseline: no file is named",
            "name it: --baseline skills-baseline.json",
            id="no name of a baseline",
        ),
    ],
)
def test_a_choice_that_makes_no_sense(
    tree: Tree, options: list[str], error: str, help: str
) -> None:
    done = validate(tree, *options)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr == f"error: {error.format(workspace=tree.workspace)}\n  help: {help}\n"


@pytest.mark.parametrize(
    ("ignore", "unused"),
    [
        pytest.param("allowed-tools-ignored", [], id="used"),
        pytest.param("body-long", ["body-long"], id="unused"),
        pytest.param(
            "body-long,unknown-field,root-missing", ["body-long", "root-missing"], id="some"
        ),
        pytest.param("allowed-*", [], id="a pattern that is used"),
        pytest.param("root-*", ["root-*"], id="a pattern that is not"),
        pytest.param("ignore-unused", [], id="of a comment"),
    ],
)
def test_an_ignore_that_left_nothing_out_is_told(
    tree: Tree, ignore: str, unused: list[str]
) -> None:
    comment = "<!-- insomnia-skills: ignore body-long -->\n"
    write_skill(tree.workspace / "skills", "good", body=comment)
    done = validate(tree, "--ignore", ignore, "--format", "json")
    assert done.stderr == "".join(f"note: --ignore {name} left nothing out\n" for name in unused)
    assert validate(tree, "--ignore", ignore, "--format", "json", "-q").stderr == ""


def test_an_ignored_error_still_says_what_becomes_of_the_skill(tree: Tree) -> None:
    done = validate(tree, "--ignore", "description-missing", "--format", "text")
    assert done.code == 0
    assert "1 skill would be skipped all the same." in done.text


# --- configuration -------------------------------------------------------------------------------


def test_the_configuration_is_the_nearest_upward(tree: Tree) -> None:
    configure(tree, 'ignore = ["description-missing"]\n')
    assert validate(tree).code == 0
    assert validate(tree, cwd=tree.workspace / "skills").code == 0
    write(tree.workspace / "skills/pyproject.toml", "[tool.insomnia-skills]\n")
    assert validate(tree, cwd=tree.workspace / "skills").code == 1
    assert validate(tree, "--workspace", "..", cwd=tree.workspace / "skills").code == 0


def test_with_workspace_it_is_that_ones(tree: Tree, tmp_path: Path) -> None:
    configure(tree, 'ignore = ["description-missing"]\n')
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / "insomnia-skills.toml", "nonsense\n")
    assert validate(tree, "--workspace", "../workspace", cwd=elsewhere).code == 0


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        pytest.param('ignore = ["description-*"]', [], 0, id="ignored"),
        pytest.param(
            'ignore = ["description-*"]', ["--select", "description-missing"], 1, id="yet selected"
        ),
        pytest.param('select = ["name-*"]', [], 0, id="others selected"),
        pytest.param('severity.description-missing = "info"', [], 0, id="weighed"),
        pytest.param(
            'severity.description-missing = "info"',
            ["--severity", "description-missing=error"],
            1,
            id="weighed again",
        ),
        pytest.param('strict = true\nignore = ["description-*"]', [], 1, id="strict"),
        pytest.param(
            '[[overrides]]\npaths = ["skills/bad"]\nignore = ["description-*"]',
            [],
            0,
            id="override",
        ),
        pytest.param(
            '[[overrides]]\npaths = ["skills/good"]\nignore = ["description-*"]',
            [],
            1,
            id="override of another",
        ),
        pytest.param(
            '[[overrides]]\npaths = ["**"]\nseverity.description-missing = "info"',
            ["--severity", "description-missing=warning", "--strict"],
            1,
            id="the command before an override",
        ),
    ],
)
def test_configuration_and_options(tree: Tree, text: str, options: list[str], code: int) -> None:
    configure(tree, text)
    assert validate(tree, *options).code == code


def test_a_configuration_that_makes_no_sense(tree: Tree) -> None:
    path = configure(tree, 'strict = true\nignore = ["body-lang"]\n')
    done = validate(tree)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr == (
        f'error: {path}:2:11: no rule is called "body-lang"\n  help: did you mean body-long?\n'
    )


def test_strict_in_the_configuration_is_said_where_it_fails(tree: Tree) -> None:
    configure(tree, "strict = true\n")
    note = "Warnings fail here: strict = true in insomnia-skills.toml\n"
    done = validate(tree, "skills/fair")
    assert done.code == 1
    assert done.stderr.endswith(note)
    for arguments in (["skills/fair", "--strict"], ["skills/bad"], ["skills/good"]):
        assert note not in validate(tree, *arguments).stderr


def test_quiet_and_strict_shows_the_warnings_that_fail(tree: Tree) -> None:
    assert validate(tree, "skills/fair", "-q").both == ""
    done = validate(tree, "skills/fair", "-q", "--strict")
    assert done.code == 1
    assert done.text.startswith("skills/fair/SKILL.md:4:1: warning[allowed-tools-ignored]")
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["list", "resolve", "show /good", "scope"])
def test_the_other_commands_are_not_concerned(tree: Tree, command: str) -> None:
    write_skill(tree.user_skills, "bad")
    before = cli.call_in(tree, *command.split(), "--format", "json")
    configure(tree, 'ignore = ["*"]\nstrict = true\nbaseline = "no.json"\n')
    body = "<!-- insomnia-skills: ignore description-missing -->\n"
    write(tree.workspace / "skills/bad/SKILL.md", f"---\nname: bad\n---\n{body}")
    assert cli.call_in(tree, *command.split(), "--format", "json") == before
    configure(tree, "nonsense\n")
    assert cli.call_in(tree, *command.split(), "--format", "json") == before


def test_an_unreadable_manifest_is_said_though_it_is_ignored(tree: Tree) -> None:
    write(tree.manifest, "[skills\n")
    told = ".insomnia/manifest.toml:1:8: error[manifest-syntax]"
    for options in (["--ignore", "manifest-syntax"], ["--select", "name-*", "-q"]):
        done = validate(tree, *options)
        assert (done.code, done.stdout) == (2, b"")
        assert told in done.stderr
    done = validate(tree)
    assert done.code == 2
    assert done.both.count(told) == 1


# --- which files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "slugs"),
    [
        pytest.param(["skills/*"], ["bad", "fair", "good", "noted"], id="star"),
        pytest.param(["skills/*/SKILL.md"], ["bad", "fair", "good", "noted"], id="files"),
        pytest.param(["**/good"], ["good"], id="two stars"),
        pytest.param(["skills/[fg]*"], ["fair", "good"], id="set"),
        pytest.param(["skills/g??d", "skills/bad"], ["good", "bad"], id="with a path"),
        pytest.param(["skills/*", "skills/good"], ["bad", "fair", "good", "noted"], id="once each"),
    ],
)
def test_a_pattern_that_no_shell_has_expanded(
    tree: Tree, paths: list[str], slugs: list[str]
) -> None:
    done = validate(tree, *paths, "--format", "json")
    assert [file["slug"] for file in done.document["files"]] == slugs


def test_a_path_that_looks_like_a_pattern_is_a_path(tree: Tree) -> None:
    write_skill(tree.workspace / "skills[1]", "one")
    done = validate(tree, "skills[1]", "--format", "json")
    assert [file["slug"] for file in done.document["files"]] == ["one"]


@pytest.mark.parametrize(
    ("paths", "error"),
    [
        pytest.param(["missing"], "{workspace}/missing does not exist", id="missing"),
        pytest.param(["skills", "missing"], "{workspace}/missing does not exist", id="one of two"),
        pytest.param(["skills/x*"], "nothing matches skills/x*", id="pattern"),
        pytest.param(["skills/good", "*/*/no"], "nothing matches */*/no", id="pattern of two"),
        pytest.param(
            ["empty"], "nothing to check in empty: no skill and no native Workflow", id="empty"
        ),
        pytest.param(
            ["empty", "also"],
            "nothing to check in empty, also: no skill and no native Workflow",
            id="two empty",
        ),
        pytest.param(
            ["dangling"],
            '{workspace}/dangling is a link to "nowhere", which leads nowhere',
            id="link",
        ),
        pytest.param(
            ["*.txt"], "{workspace}/notes.txt is neither a SKILL.md", id="match of no kind"
        ),
    ],
)
def test_paths_that_lead_to_nothing(tree: Tree, paths: list[str], error: str) -> None:
    for name in ("empty", "also"):
        (tree.workspace / name).mkdir()
    link(tree.workspace / "dangling", "nowhere")
    write(tree.workspace / "notes.txt", "x")
    done = validate(tree, *paths)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"error: {error.format(workspace=tree.workspace)}")


def test_a_manifest_alone_is_an_answer(tree: Tree) -> None:
    assert validate(tree, ".insomnia/manifest.toml").code == 0


# --- stdin ---------------------------------------------------------------------------------------


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """What stands on stdin; write to it and go back to its start."""
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data, encoding="utf-8"))
    return data


def check_typed(tree: Tree, typed: io.BytesIO, data: str | bytes, name: str, *options: str) -> Run:
    typed.write(data.encode() if isinstance(data, str) else data)
    typed.seek(0)
    return validate(tree, "-", "--stdin-filename", name, *options, "--format", "json")


NATIVE = ".insomnia/memory/workflow/pdf.md"


@pytest.mark.parametrize(
    ("name", "data", "kind", "expected"),
    [
        pytest.param("pdf/SKILL.md", VALID, "skill", [], id="skill"),
        pytest.param("doc/SKILL.md", VALID, "skill", ["error name-mismatch"], id="of another name"),
        pytest.param(
            "skills/good/SKILL.md", VALID, "skill", ["error name-mismatch"], id="of one on disk"
        ),
        pytest.param("no/such/pdf/SKILL.md", VALID, "skill", [], id="in no directory yet"),
        pytest.param("../elsewhere/pdf/SKILL.md", VALID, "skill", [], id="outside"),
        pytest.param("pdf/SKILL.md", "", "skill", ["error frontmatter-missing"], id="empty"),
        pytest.param(
            "pdf/SKILL.md", f"\ufeff{VALID}", "skill", ["warning byte-order-mark"], id="BOM"
        ),
        pytest.param(
            "pdf/SKILL.md", VALID.encode() + b"\xff", "skill", ["error not-utf8"], id="not UTF-8"
        ),
        pytest.param(
            "pdf/SKILL.md", VALID + "x" * 1024 * 1024, "skill", ["error file-too-large"], id="huge"
        ),
        pytest.param(
            NATIVE, "---\ndescription: Read.\n---\nRead.\n", "workflow", [], id="native Workflow"
        ),
        pytest.param(NATIVE, VALID, "workflow", ["error workflow-name-key"], id="skill as native"),
        pytest.param(".insomnia/manifest.toml", "[skills]\n", "manifest", [], id="manifest"),
        pytest.param(
            ".insomnia/manifest.toml",
            "[skills]\ndirectories = 1\n",
            "manifest",
            ["error manifest-type"],
            id="manifest of wrong type",
        ),
    ],
)
def test_stdin(
    tree: Tree, typed: io.BytesIO, name: str, data: str | bytes, kind: str, expected: list[str]
) -> None:
    done = check_typed(tree, typed, data, name)
    assert [file["kind"] for file in done.document["files"]] == [kind]
    assert [f for f in rules(done) if not f.startswith("info")] == expected
    assert done.code == any(found.startswith("error") for found in expected)
    assert done.stderr == ""


def test_stdin_is_judged_with_the_files_beside_it(tree: Tree, typed: io.BytesIO) -> None:
    write_skill(tree.workspace / "skills", "pdf", files={"a.md": "x"})
    text = f"{VALID}[a](a.md), [b](b.md)\n"
    done = check_typed(tree, typed, text, "skills/pdf/SKILL.md")
    (found,) = done.document["diagnostics"]
    assert found["rule"] == "reference-missing"
    assert found["path"] == str(tree.workspace / "skills/pdf/SKILL.md")
    assert "b.md" in found["message"]


def test_stdin_of_a_file_whose_name_is_in_the_wrong_case(tree: Tree, typed: io.BytesIO) -> None:
    write(tree.workspace / "skills/pdf/skill.md", VALID)
    done = check_typed(tree, typed, VALID, "skills/pdf/skill.md")
    assert (done.code, rules(done)) == (1, ["error wrong-case-filename"])


def test_stdin_obeys_options_and_comments(tree: Tree, typed: io.BytesIO) -> None:
    text = f"{VALID}<!-- insomnia-skills: ignore name-mismatch, name-type -->\n"
    done = check_typed(tree, typed, text, "x/SKILL.md", "--ignore", "ignore-unused")
    assert (done.code, done.document["diagnostics"]) == (0, [])


HELP = "  help: validate - --stdin-filename SKILL.md < SKILL.md\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param(["-"], "stdin is checked alone, and as a file that has a name", id="no name"),
        pytest.param(
            ["--stdin-filename", "pdf/SKILL.md"],
            "stdin is checked alone, and as a file that has a name",
            id="no stdin",
        ),
        pytest.param(
            ["-", "skills", "--stdin-filename", "pdf/SKILL.md"],
            "stdin is checked alone, and as a file that has a name",
            id="with another path",
        ),
        pytest.param(
            ["-", "--stdin-filename", "pdf/README.md"],
            "--stdin-filename: pdf/README.md is no SKILL.md, native Workflow or manifest",
            id="another file",
        ),
        pytest.param(
            ["-", "--stdin-filename", "skills/good"],
            "--stdin-filename: skills/good is no SKILL.md, native Workflow or manifest",
            id="a directory",
        ),
    ],
)
def test_stdin_that_makes_no_sense(
    tree: Tree, typed: io.BytesIO, arguments: list[str], error: str
) -> None:
    done = validate(tree, *arguments)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"error: {error}\n  help: ")


def test_stdin_that_is_closed(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    done = validate(tree, "-", "--stdin-filename", "pdf/SKILL.md")
    assert (done.code, done.stderr) == (2, "error: stdin is closed\n")


# --- output --------------------------------------------------------------------------------------

FIRST_BYTES = {
    "json": b'{\n  "version": 1,\n  "workspace"',
    "jsonl": b'{"type":',
    "sarif": b'{\n  "$schema": "https://',
    "junit": b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites',
    "markdown": b"## insomnia-skills: failed",
    "gitlab": b'[\n  {\n    "description"',
    "text": b"error[description-missing]: ",
    "concise": b"skills/bad/SKILL.md:1:1: error[description-missing]",
    "github": b"::error file=",
}


@pytest.mark.parametrize(
    ("given", "file", "format"),
    [
        pytest.param("r.json", "r.json", "json", id="json"),
        pytest.param("r.jsonl", "r.jsonl", "jsonl", id="jsonl"),
        pytest.param("r.sarif", "r.sarif", "sarif", id="sarif"),
        pytest.param("r.xml", "r.xml", "junit", id="xml"),
        pytest.param("r.md", "r.md", "markdown", id="md"),
        pytest.param("r.txt", "r.txt", "text", id="txt"),
        pytest.param("R.JSON", "R.JSON", "json", id="upper case"),
        pytest.param("gl-code-quality-report.json", None, "gitlab", id="GitLab's name"),
        pytest.param("sarif=r.json", "r.json", "sarif", id="format before another suffix"),
        pytest.param("concise=r", "r", "concise", id="format before no suffix"),
        pytest.param("github=a=b", "a=b", "github", id="file with an equals sign"),
        pytest.param("./a=b.json", "a=b.json", "json", id="path with an equals sign"),
        pytest.param("a/b/c.json", "a/b/c.json", "json", id="directories that are not there yet"),
    ],
)
def test_output(tree: Tree, given: str, file: str | None, format: str) -> None:
    done = validate(tree, "--output", given)
    written = (tree.workspace / (file or given)).read_bytes()
    assert written.startswith(FIRST_BYTES[format])
    assert done.stdout == validate(tree).stdout
    assert done.code == 1


def test_several_outputs(tree: Tree) -> None:
    names = ("a.json", "b.sarif", "c.xml")
    done = validate(tree, *(part for name in names for part in ("--output", name)))
    assert done.code == 1
    assert done.text.startswith("skills/bad/SKILL.md:1:1: error[description-missing]")
    assert all((tree.workspace / name).stat().st_size for name in names)


def test_an_output_is_what_the_format_would_be(tree: Tree) -> None:
    done = validate(tree, "--format", "json", "--output", "r.json")
    assert (tree.workspace / "r.json").read_bytes() == done.stdout


def test_an_output_is_there_in_any_case(tree: Tree) -> None:
    assert validate(tree, "skills/good", "--output", "r.json").code == 0
    assert json.loads((tree.workspace / "r.json").read_bytes())["summary"]["valid"] == 1


def test_an_output_keeps_what_its_file_is(tree: Tree) -> None:
    target = write(tree.workspace / "elsewhere/r.json", "old")
    target.chmod(0o640)
    link(tree.workspace / "r.json", "elsewhere/r.json")
    validate(tree, "--output", "r.json")
    assert (tree.workspace / "r.json").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert json.loads(target.read_bytes())["version"] == 1


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="this system has no /dev/null")
def test_an_output_to_a_device(tree: Tree) -> None:
    assert validate(tree, "--output", "json=/dev/null").code == 1
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


FORMATS = "text, concise, json, jsonl, sarif, github, gitlab, junit, markdown"


@pytest.mark.parametrize(
    ("given", "error", "help"),
    [
        pytest.param(
            "report",
            'the name "report" tells no format',
            "put one before it: --output sarif=report",
            id="no suffix",
        ),
        pytest.param(
            "a.html",
            'the name "a.html" tells no format',
            "put one before it: --output sarif=a.html",
            id="unknown suffix",
        ),
        pytest.param(
            "xml=r.txt",
            'no format is called "xml"',
            f"the formats are {FORMATS}; a file of this name is ./xml=r.txt",
            id="unknown format",
        ),
        pytest.param(
            "auto=r.txt",
            'no format is called "auto"',
            f"the formats are {FORMATS}; a file of this name is ./auto=r.txt",
            id="auto",
        ),
        pytest.param("json=", '"json=" names no file', None, id="no file"),
        pytest.param(
            "json=skills", '"skills" is a directory', "name a file in it", id="a directory"
        ),
        pytest.param(
            "", 'the name "" tells no format', "put one before it: --output sarif=", id="empty"
        ),
    ],
)
def test_an_output_that_makes_no_sense(
    tree: Tree, given: str, error: str, help: str | None
) -> None:
    done = validate(tree, "--output", given)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr == f"error: --output: {error}\n" + (f"  help: {help}\n" if help else "")


def test_an_output_that_can_not_be_written(tree: Tree) -> None:
    write(tree.workspace / "file", "x")
    done = validate(tree, "--output", "file/r.json")
    assert done.code == 74
    assert done.stderr.startswith("error: can't go on: ")


@pytest.mark.parametrize(
    ("env", "terminal", "format"),
    [
        pytest.param({}, False, "concise", id="a pipe"),
        pytest.param({}, True, "text", id="a terminal"),
        pytest.param({"GITHUB_ACTIONS": "true"}, False, "github", id="GitHub Actions"),
        pytest.param({"GITHUB_ACTIONS": "false"}, False, "concise", id="not GitHub Actions"),
        pytest.param({"GITHUB_ACTIONS": "true"}, True, "text", id="GitHub's name on a terminal"),
        pytest.param({"GITLAB_CI": "true"}, False, "gitlab", id="GitLab"),
        pytest.param({"CI": "true"}, False, "concise", id="another CI"),
    ],
)
def test_the_format_suits_the_reader(
    tree: Tree, env: dict[str, str], terminal: bool, format: str
) -> None:
    done = validate(tree, env={**env, **cli.NO_COLOR}, terminal=terminal)
    assert done.stdout.startswith(FIRST_BYTES[format])
    given = validate(tree, "--format", "concise", env={**env, **cli.NO_COLOR}, terminal=terminal)
    assert given.stdout.startswith(FIRST_BYTES["concise"])


@pytest.mark.parametrize("format", FIRST_BYTES)
def test_the_exit_code_is_the_same_in_every_format(tree: Tree, format: str) -> None:
    done = validate(tree, "--format", format)
    assert done.code == 1
    assert done.stdout.startswith(FIRST_BYTES[format])
    assert validate(tree, "--format", format, "--ignore", "description-missing").code == 0


class TestRename:
    """A file that a fix renames is still what was asked for."""

    @pytest.fixture
    def top(self, tree: Tree) -> Path:
        text = "---\nname: pdf\ndescription: Reads PDF files. Use when: asked\n---\nDo it.\n"
        write(tree.workspace / "pdf/skill.md", text)
        (tree.workspace / "link").symlink_to("pdf")
        return tree.workspace

    @pytest.mark.parametrize(
        "path",
        ["pdf/skill.md", "./pdf/../pdf/skill.md", "p*/[Ss]kill.md", "pdf"],
        ids=["file", "way-round", "pattern", "directory"],
    )
    def test_as_asked(self, tree: Tree, top: Path, path: str) -> None:
        done = validate(tree, path, "--fix", "--format", "json")
        assert (done.code, done.document["summary"]["checked"]) == (0, 1)
        assert os.listdir(top / "pdf") == ["SKILL.md"]

    @pytest.mark.parametrize("path", [".", "./", "pdf/.."])
    def test_here(self, tree: Tree, top: Path, path: str) -> None:
        done = validate(tree, path, "--fix", "--format", "json")
        pdf = str(top / "pdf/SKILL.md")
        assert pdf in [file["path"] for file in done.document["files"] if file["valid"]]
        assert [fixed["path"] for fixed in done.document["fixed"]] == [pdf, pdf]

    def test_here_without_another_name(self, tree: Tree) -> None:
        write_skill(tree.workspace / "fixable", "pdf", description="Use: it. Use when asked.")
        done = validate(tree, ".", "--fix", cwd=tree.workspace / "fixable")
        assert (done.code, done.stderr.splitlines()[0]) == (0, "Fixed 1 finding in 1 file:")

    def test_through_two_ways(self, tree: Tree, top: Path) -> None:
        done = validate(tree, "pdf/skill.md", "link/skill.md", "--fix", "--format", "json")
        assert (done.code, done.document["summary"]["checked"]) == (0, 1)


class TestDiff:
    def test_it_writes_nothing_and_fails_where_there_is_something(self, tree: Tree) -> None:
        path = write_skill(tree.workspace, "pdf", description="Reads: all. Use when asked.")
        before = path.read_bytes()
        done = validate(tree, "pdf", "--diff")
        assert done.code == 1
        assert '+description: "Reads: all. Use when asked."' in done.lines
        assert done.stderr == "--fix would fix 1 finding in 1 file\n"
        assert path.read_bytes() == before

    def test_nothing_to_fix(self, tree: Tree) -> None:
        write_skill(tree.workspace, "pdf")
        done = validate(tree, "pdf", "--diff", "--unsafe-fixes")
        assert (done.code, done.text) == (0, "")
        assert done.stderr == "--unsafe-fixes has nothing to fix\n"

    @pytest.mark.parametrize(
        ("text", "options", "said"),
        [
            pytest.param(
                "name: pdf",
                (),
                "--fix has nothing to fix\n--fix leaves 1 error without a fix\n",
                id="no-fix",
            ),
            pytest.param(
                "name: zip\ndescription: Reads.",
                (),
                "--fix has nothing to fix\n--fix leaves 1 error; --unsafe-fixes would fix 1\n",
                id="unsafe-fix",
            ),
            pytest.param(
                "name: pdf\ndescription: Reads: all.\nlicense: [x]\nmetadata: x",
                ("--unsafe-fixes",),
                "--unsafe-fixes would fix 1 finding in 1 file\n"
                "--unsafe-fixes leaves 2 errors without a fix\n",
                id="uncovered-by-a-fix",
            ),
            pytest.param(
                "name: pdf\nlicense: MIT\nallowed-tools: Read",
                ("--strict",),
                "--fix has nothing to fix\n--fix leaves 1 error and 1 warning without a fix\n",
                id="strict",
            ),
            pytest.param("name: pdf", ("-q",), "", id="quiet"),
        ],
    )
    def test_what_no_fix_mends_fails_too(
        self, text: str, options: tuple[str, ...], said: str, tree: Tree
    ) -> None:
        write(tree.workspace / "pdf/SKILL.md", f"---\n{text}\n---\nDo it.\n")
        done = validate(tree, "pdf", "--diff", *options)
        assert (done.code, done.stderr) == (1, said)

    def test_what_the_baseline_knows_is_not_left(self, tree: Tree) -> None:
        write(
            tree.workspace / "pdf/SKILL.md",
            "---\nname: pdf\nlicense: [x]\nallowed-tools: [Read]\n---\nDo it.\n",
        )
        validate(tree, "pdf", "--baseline", "b.json", "--write-baseline")
        again = validate(tree, "pdf", "--baseline", "b.json", "--diff")
        assert again.stderr == "--fix would fix 1 finding in 1 file\n"

    def test_a_check_of_nothing_is_no_success(self, tree: Tree) -> None:
        (tree.workspace / "empty").mkdir(parents=True)
        done = validate(tree, "empty", "--diff")
        assert done.code == 2
        assert "nothing to check in empty" in done.stderr

    @pytest.mark.parametrize("option", [("--output", "a.sarif"), ("--write-baseline",)], ids=str)
    def test_with_what_writes(self, tree: Tree, option: tuple[str, ...]) -> None:
        write_skill(tree.workspace, "pdf")
        done = validate(tree, "pdf", "--diff", "--baseline", "b.json", *option)
        assert done.code == 2
        assert done.stderr.startswith("error: --diff writes nothing\n")
        assert not {"a.sarif", "b.json"} & set(os.listdir(tree.workspace))

    def test_of_stdin(self, tree: Tree) -> None:
        done = validate(tree, "-", "--stdin-filename", "pdf/SKILL.md", "--diff")
        assert done.code == 2


ALL_FORMATS = [format.value for format in CheckFormat if format is not CheckFormat.AUTO]


class TestSecrets:
    """A SKILL.md that is a link out of its skill may lead to anything."""

    LINES = (
        "password: HUNTER: TWO",
        "HUNTER=TWO",
        "key: @HUNTER",
        'key: "a" HUNTER',
        "name: Hunter HUNTER",
        "HUNTER: 1\nHUNTER: 2",
        "metadata:\n  HUNTER: 1",
        "name: x\ndescription: y\n---\n[a](HUNTER.md) <!-- insomnia-skills: ignore HUNTER -->",
    )

    @pytest.mark.parametrize("format", ALL_FORMATS)
    def test_nothing_of_it_is_said(self, tree: Tree, format: str) -> None:
        for number, line in enumerate(self.LINES):
            secret = write(tree.top / f"secret-{number}", f"---\n{line}\n---\n# HUNTER\n")
            link(tree.workspace / f"linked/skill-{number}/SKILL.md", secret)
        baseline = tree.top / "known.json"
        ways: tuple[tuple[str, ...], ...] = (
            (),
            ("--unsafe-fixes",),
            ("--baseline", str(baseline), "--write-baseline"),
        )
        for options in ways:
            done = validate(tree, "linked", "-v", "--format", format, *options)
            assert "HUNTER" not in done.both
            for number in range(len(self.LINES)):
                assert "baseline" in str(options) or f"skill-{number}/SKILL.md" in done.both
        assert "HUNTER" not in baseline.read_text()
        assert "HUNTER" in (tree.top / "secret-0").read_text()

    def test_the_rule_and_the_place_are_said(self, tree: Tree) -> None:
        secret = write(tree.top / "secret", "---\npassword: HUNTER: TWO\n---\n")
        link(tree.workspace / "skills/pdf/SKILL.md", secret)
        (line,) = validate(tree, "skills/pdf").lines
        assert line == (
            "skills/pdf/SKILL.md:1:1: error[link-escapes-skill] leads out of the skill, "
            f'to "{secret}", where its read rule does not reach '
            "(put a copy of the file into the skill)"
        )


class TestLogs:
    """A CI obeys what stands in its log."""

    def test_names_give_no_commands(self, tree: Tree) -> None:
        for name in ("::add-mask::x", "##[error]x", "##vso[task.setvariable]x"):
            write(tree.workspace / name / "SKILL.md", "\ufeff---\nname: \ndescription: a\n---\nb\n")
        for format in ("text", "concise", "github"):
            done = validate(tree, ".", "--fix", "--format", format)
            commands = [line for line in done.both.splitlines() if line.lstrip().startswith("::")]
            assert all(line.startswith(("::error ", "::warning ")) for line in commands)
            assert "##[" not in done.both
            assert "##vso[" not in done.both


class TestFiles:
    def test_a_device_and_the_summary_of_a_job_are_added_to(self, tree: Tree) -> None:
        write_skill(tree.workspace, "pdf")
        file = write(tree.top / "summary", "# Before\n")
        env = {"GITHUB_STEP_SUMMARY": str(file)}
        done = validate(tree, "pdf", "--output", f"markdown={file}", env=env)
        assert done.code == 0
        assert file.read_text().startswith("# Before\n## insomnia-skills")
        assert validate(tree, "pdf", "--output", "json=/dev/null").code == 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--output", "a.json", "--output", "sarif=./a.json"), "is the json report already"),
            (("--baseline", "b.json", "--write-baseline", "--output", "b.json"), "is the baseline"),
            (("--output", "text=pdf/SKILL.md"), "is a file to be checked, not a report"),
            (("--output", "json=new/"), "is a directory"),
            (("--output", "json=-"), "stdout has the report of --format"),
        ],
        ids=["twice", "baseline", "skill", "directory", "stdout"],
    )
    def test_what_would_be_overwritten(
        self, tree: Tree, options: tuple[str, ...], message: str
    ) -> None:
        path = write_skill(tree.workspace, "pdf")
        before = path.read_bytes()
        done = validate(tree, "pdf", *options)
        assert done.code == 2
        assert message in done.stderr
        assert path.read_bytes() == before

    @pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
    def test_a_width_of_nothing(self, tree: Tree, terminal: bool) -> None:
        write_skill(tree.workspace, "pdf")
        options = ("--format", "text", "--output", "r.txt")
        env = {"COLUMNS": "0", "NO_COLOR": "1"}
        done = validate(tree, "pdf", *options, env=env, terminal=terminal)
        assert "Checked 1 skill: all good" in done.text
        assert "Checked 1 skill: all good" in (tree.workspace / "r.txt").read_text()


def test_a_full_disk_is_told_without_a_buffer_too(tree: Tree) -> None:
    """With PYTHONUNBUFFERED Python's own stream forgets what did not fit."""
    for number in range(60):
        write_skill(tree.workspace, f"skill-{number}", description="x" * 2000)
    command = [sys.executable, "-m", "insomnia_skills", "validate", ".", "--format", "json"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    with open(tree.top / "out.json", "wb") as out:
        done = subprocess.run(
            command,
            cwd=tree.workspace,
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=limit,
            check=False,
        )
    assert done.returncode == 74
    assert b"can't go on: File too large" in done.stderr
