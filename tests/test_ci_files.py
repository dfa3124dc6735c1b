"""The files for other people's CI: the action, the hooks and the examples do what they say.

A runner's work is done here by a few lines; installing is left out, for the tool is here already.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main
from ruamel.yaml import YAML

from insomnia_skills import __version__
from insomnia_skills.checking.check import kind_of
from insomnia_skills.cli.app import make_app
from insomnia_skills.cli.output import CheckFormat, read_output
from tests.trees import break_skill, write, write_skill

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
BASH = shutil.which("bash")


def load(path: str) -> Any:
    return YAML(typ="safe").load(ROOT / path)


ACTION = load("action.yml")
HOOKS = load(".pre-commit-hooks.yaml")
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
EXAMPLES = ("examples/ci/github.yml", "examples/ci/gitlab-ci.yml")
PAGE = "docs/ci.md"


def options(*commands: str) -> set[str]:
    """All options of these commands."""
    group: Any = typer.main.get_command(make_app(commands))
    found = [p for name in commands for p in group.commands[name].params]
    return {name for parameter in found for name in parameter.opts}


def code(path: str) -> str:
    """A file, of a page the blocks and quoted pieces of code alone."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        blocks = re.findall(r"^( *)```.*?\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE)
        return "\n".join([*(block for _, block in blocks), *re.findall(r"`([^`\n]+)`", text)])
    return text


def used_options(path: str) -> Iterator[str]:
    """The options that a file gives to insomnia-skills, or names in words."""
    for line in code(path).splitlines():
        if not re.search(r"\b(pip|pipx|git|python|uvx?) [a-z-]", line):
            yield from re.findall(r"(?<![\w-])--[a-z][a-z-]+", line)


@pytest.mark.parametrize("path", ["action.yml", ".pre-commit-hooks.yaml", *EXAMPLES, PAGE])
def test_every_option_that_is_used_is_there(path: str) -> None:
    # Of bash and pip, in the action's own steps.
    others = {"--quiet", "--disable-pip-version-check"} if path == "action.yml" else set()
    used = set(used_options(path)) - others
    assert used
    gates = ("resolve", "catalog", "scope") if path == PAGE else ()
    assert used <= options("validate", *gates)


@pytest.mark.parametrize("path", [*EXAMPLES, PAGE])
def test_every_report_that_is_written_has_a_format(path: str) -> None:
    given = re.findall(r"--output[ =](\S+)", code(path))
    assert given
    for output in given:
        assert read_output(output.strip('"')).format in CheckFormat


@pytest.mark.parametrize("path", [*EXAMPLES, PAGE])
def test_examples_name_this_version(path: str) -> None:
    named = re.findall(r"insomnia-skills(?:\.git)?@v([\d.]+)|rev: v([\d.]+)", code(path))
    assert {version for pair in named for version in pair if version} == {__version__}


# The action


class Done(NamedTuple):
    """How a step of the action ended."""

    code: int
    stdout: str
    stderr: str
    outputs: dict[str, str]
    summary: str


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The checkout of a repository."""
    (tmp_path / "home").mkdir()
    (tmp_path / "temp").mkdir()
    write(tmp_path / "repo/.git/HEAD", "ref: refs/heads/main\n")
    return tmp_path / "repo"


def run_step(name: str, place: Path, inputs: Mapping[str, str], path: str = os.defpath) -> Done:
    """Run a step as a runner does, after an installation into this environment."""
    if BASH is None:
        pytest.skip("there is no bash")
    step, top = STEPS[name], place.parent
    values = {f"inputs.{key}": str(item["default"]) for key, item in ACTION["inputs"].items()}
    values |= {f"inputs.{key}": value for key, value in inputs.items()}
    values["steps.install.outputs.bin"] = str(BIN)
    assert set(inputs) <= set(ACTION["inputs"])

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], text)

    output, summary = write(top / "output", ""), write(top / "summary", "")
    environment = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "HOME": str(top / "home"),
        "PATH": path,
        "RUNNER_TEMP": str(top / "temp"),
    }
    done = subprocess.run(
        [BASH, "--noprofile", "--norc", "-e", "-o", "pipefail", write(top / "run.sh", step["run"])],
        cwd=place / filled(step.get("working-directory", ".")),
        env=environment | {key: filled(value) for key, value in step.get("env", {}).items()},
        capture_output=True,
        text=True,
        check=False,
    )
    pairs = (line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    return Done(
        done.returncode,
        done.stdout,
        done.stderr,
        dict(pairs),
        summary.read_text(encoding="utf-8"),
    )


def validate(place: Path, **inputs: str) -> Done:
    return run_step("validate", place, {key.replace("_", "-"): v for key, v in inputs.items()})


def test_action_has_all_that_is_referred_to() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" for step in STEPS.values())
    expressions = set(re.findall(r"\$\{\{ (.*?) \}\}", (ROOT / "action.yml").read_text()))
    wanted = {f"inputs.{key}" for key in ACTION["inputs"]}
    wanted |= {f"steps.validate.outputs.{key}" for key in ACTION["outputs"]}
    assert expressions == wanted | {"steps.install.outputs.bin"}


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
def test_no_input_is_part_of_a_script(step: dict[str, Any]) -> None:
    assert "${{" not in step["run"]


@pytest.mark.parametrize("path", ["action.yml", *EXAMPLES, PAGE, "README.md"])
def test_no_script_has_an_expression_in_it(path: str) -> None:
    lines = code(path).splitlines()
    assert lines
    assert [line for line in lines if re.search(r"\brun:.*\$\{\{", line)] == []
    # Whoever can change the checkout then has no token to push with.
    checkouts = [index for index, line in enumerate(lines) if "actions/checkout@" in line]
    below = ["".join(lines[index + 1 : index + 4]) for index in checkouts]
    steps = [text for text in below if "run: " in text.partition("- uses")[0]]
    assert [text for text in steps if "persist-credentials: false" not in text] == []


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
def test_no_module_comes_from_the_checkout(step: dict[str, Any]) -> None:
    """Python looks for modules in the working directory first, unless it is isolated."""
    calls = re.findall(r'python"? (-\S+)', step["run"])
    assert calls
    assert set(calls) == {"-I"}


def test_a_checkout_with_a_module_of_the_standard_library_is_not_run(place: Path) -> None:
    write_skill(place / "skills", "good")
    for name in ("json", "sys", "venv", "pip"):
        write(place / f"{name}.py", 'open("ran", "w")\n')
    done = validate(place, paths="skills")
    assert done.code == 0
    assert done.outputs["errors"] == "0"
    assert not (place / "ran").exists()


def test_action_annotates_counts_and_summarizes(place: Path) -> None:
    break_skill(place / "skills", "broken")
    write_skill(place / "skills", "good")
    done = validate(place, paths="skills")
    assert done.code == 1
    assert done.stdout.startswith("::error file=skills/broken/SKILL.md,line=")
    assert done.outputs == {"errors": "1", "warnings": "0"}
    assert "description-missing" in done.summary


def test_action_passes_what_is_good(place: Path) -> None:
    write_skill(place / "skills", "good")
    done = validate(place, paths="skills", summary="false")
    assert (done.code, done.stdout, done.summary) == (0, "", "")
    assert done.outputs == {"errors": "0", "warnings": "0"}


def test_action_checks_the_workspace_where_no_path_is_given(place: Path) -> None:
    write(place / "sub/.insomnia/manifest.toml", '[skills]\ndirectories = ["skills"]\n')
    break_skill(place / "sub/skills", "broken")
    done = validate(place, working_directory="sub")
    assert done.code == 1
    assert "::error file=sub/skills/broken/SKILL.md," in done.stdout


@pytest.mark.parametrize("sarif", ["reports/skills.sarif", "no suffix", "/absolute"])
def test_action_writes_sarif(place: Path, sarif: str) -> None:
    write_skill(place / "skills", "good")
    if sarif.startswith("/"):
        sarif = str(place.parent) + sarif
    done = validate(place, paths="skills", sarif_file=sarif)
    assert done.code == 0
    assert done.outputs["sarif"] == str(place / sarif)
    assert '"runs"' in (place / sarif).read_text(encoding="utf-8")


def test_action_is_strict_where_it_is_told_to(place: Path) -> None:
    write_skill(place / "skills", "warned", "allowed-tools: Bash")
    assert validate(place, paths="skills").code == 0
    done = validate(place, paths="skills", strict="true")
    assert (done.code, done.outputs) == (1, {"errors": "0", "warnings": "1"})


def test_action_takes_options_and_paths_apart(place: Path) -> None:
    write_skill(place / "my skills", "warned", "allowed-tools: Bash")
    break_skill(place / "-q", "broken")
    done = validate(
        place,
        paths="my skills\n\n  -q  \n",
        args="--ignore description-*,allowed-tools-ignored\n  --strict",
    )
    assert (done.code, done.outputs["errors"], done.stdout) == (0, "0", "")


@pytest.mark.parametrize("given", ["paths", "args", "sarif-file", "strict", "summary"])
def test_an_input_is_never_run(place: Path, given: str) -> None:
    write_skill(place / "skills", "good")
    code = "\"; touch pwned; $(touch pwned) `touch pwned` '\n$(touch pwned)"
    run_step("validate", place, {"paths": "skills", given: code})
    assert not list(place.parent.rglob("pwned"))


@pytest.mark.parametrize(
    "inputs",
    [
        pytest.param({"paths": "gone"}, id="no-such-path"),
        pytest.param({"paths": "."}, id="nothing-to-check"),
        pytest.param({"paths": ".", "args": "--no-such-option"}, id="usage"),
    ],
)
def test_a_wrong_question_fails_and_is_annotated(place: Path, inputs: dict[str, str]) -> None:
    done = run_step("validate", place, inputs)
    assert (done.code, done.outputs) == (2, {})
    assert "::error::insomnia-skills could not check: exit code 2" in done.stdout


def test_action_needs_a_python_that_the_tool_runs_on(place: Path) -> None:
    for name in ("python3", "python"):
        write(place.parent / "bin" / name, "#!/bin/sh\nexit 1\n").chmod(0o755)
    done = run_step("install", place, {}, path=str(place.parent / "bin"))
    assert (done.code, done.outputs) == (1, {})
    assert done.stdout.startswith("::error::insomnia-skills needs Python 3.11")


# The hooks


def test_hooks_run_this_tool() -> None:
    for hook in HOOKS:
        assert hook["language"] == "python"
        assert hook["entry"].startswith("insomnia-skills validate")


@pytest.mark.parametrize(
    "path",
    [
        "SKILL.md",
        "skills/pdf/SKILL.md",
        "a/.claude/skills/pdf/SKILL.md",
        "skills/pdf/skill.md",
        "skills/pdf/Skill.md",
        ".insomnia/manifest.toml",
        "sub/.insomnia/memory/workflow/deploy.md",
    ],
)
def test_hooks_take_what_validate_checks(path: str) -> None:
    assert kind_of(Path("/repo") / path) is not None
    assert [hook["id"] for hook in HOOKS if takes(hook, path)] == [
        "insomnia-skills",
        "insomnia-skills-fix",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "docs/skill.md",
        "docs/MY-SKILL.md",
        "skills/pdf/SKILL.md.orig",
        "skills/pdf/references/forms.md",
        ".insomnia/knowledge/targets.md",
        ".insomnia/memory/workflow/drafts/deploy.md",
        "manifest.toml",
        "x.insomnia/manifest.toml",
    ],
)
def test_hooks_leave_out_what_validate_does_not_check(path: str) -> None:
    assert not any(takes(hook, path) for hook in HOOKS)


def takes(hook: dict[str, Any], path: str) -> bool:
    return "files" in hook and re.search(hook["files"], path) is not None
