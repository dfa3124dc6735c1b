"""The commands as a user calls them: exit codes, streams, wrong questions, and how things end."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from insomnia_skills import __version__
from tests import cli
from tests.trees import Tree, break_skill, link, write, write_skill

COMMANDS: dict[str, tuple[str, ...]] = {
    "list": ("list",),
    "resolve": ("resolve",),
    "resolve /good": ("resolve", "/good"),
    "show /good": ("show", "/good"),
    "catalog": ("catalog",),
    "scope": ("scope",),
    "validate": ("validate",),
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


# Exit codes.


def nothing(tree: Tree) -> None:
    pass


def clean(tree: Tree) -> None:
    write_skill(tree.user_skills, "good")


def only_natives(tree: Tree) -> None:
    tree.write_workflow("good")


def skipped_skill(tree: Tree) -> None:
    clean(tree)
    break_skill(tree.user_skills, "bad")


def shadowed(tree: Tree) -> None:
    clean(tree)
    tree.write_workflow("good")


def stand_in(tree: Tree) -> None:
    clean(tree)
    break_skill(tree.workspace / "skills", "good")
    tree.name_roots("skills")


def missing_root(tree: Tree) -> None:
    clean(tree)
    tree.name_roots("skills")


def skill_with_warning(tree: Tree) -> None:
    write_skill(tree.user_skills, "good", "allowed-tools: Read")


def skill_with_note(tree: Tree) -> None:
    write_skill(tree.user_skills, "good", "colour: blue")


def broken_native(tree: Tree) -> None:
    clean(tree)
    tree.write_workflow("bad", description="")


def native_without_slug(tree: Tree) -> None:
    clean(tree)
    tree.write_workflow("No Slug")


def native_lacks_knowledge(tree: Tree) -> None:
    tree.write_workflow("good", "requires: [facts]")


def manifest_of_wrong_type(tree: Tree) -> None:
    clean(tree)
    write(tree.manifest, '[skills]\ndirectories = "skills"\n')


def manifest_with_unknown_key(tree: Tree) -> None:
    clean(tree)
    write(tree.manifest, '[skills]\ndirectory = "skills"\n')


def manifest_not_toml(tree: Tree) -> None:
    clean(tree)
    write(tree.manifest, "[skills\n")


def manifest_not_utf8(tree: Tree) -> None:
    clean(tree)
    write(tree.manifest, b"# caf\xe9\n")


def manifest_is_directory(tree: Tree) -> None:
    clean(tree)
    tree.manifest.mkdir(parents=True)


def manifest_link_leads_nowhere(tree: Tree) -> None:
    clean(tree)
    link(tree.manifest, "elsewhere.toml")


def user_manifest_not_toml(tree: Tree) -> None:
    clean(tree)
    write(tree.user_manifest, "[skills\n")


def manifest_not_toml_and_broken_native(tree: Tree) -> None:
    manifest_not_toml(tree)
    broken_native(tree)


EXIT_CODES: list[tuple[Callable[[Tree], None], dict[str, int]]] = [
    (tree, dict(zip(COMMANDS, codes, strict=True)))
    # list, resolve, resolve /good, show /good, catalog, scope, validate
    for tree, *codes in (
        (clean, 0, 0, 0, 0, 0, 0, 0),
        (only_natives, 0, 0, 0, 0, 0, 0, 0),
        (shadowed, 0, 0, 0, 0, 0, 0, 0),
        (missing_root, 0, 0, 0, 0, 0, 0, 0),
        (skill_with_warning, 0, 0, 0, 0, 0, 0, 0),
        (skill_with_note, 0, 0, 0, 0, 0, 0, 0),
        (manifest_with_unknown_key, 0, 0, 0, 0, 0, 0, 0),
        (skipped_skill, 0, 0, 0, 0, 0, 0, 1),
        (stand_in, 0, 0, 0, 0, 0, 0, 1),
        (native_lacks_knowledge, 0, 0, 0, 1, 0, 0, 1),
        (broken_native, 1, 1, 1, 1, 1, 1, 1),
        (native_without_slug, 1, 1, 1, 1, 1, 1, 1),
        (manifest_of_wrong_type, 1, 1, 1, 1, 1, 1, 1),
        (manifest_not_toml, 2, 2, 2, 2, 2, 2, 2),
        (manifest_not_utf8, 2, 2, 2, 2, 2, 2, 2),
        (manifest_is_directory, 2, 2, 2, 2, 2, 2, 2),
        (manifest_link_leads_nowhere, 2, 2, 2, 2, 2, 2, 2),
        (user_manifest_not_toml, 2, 2, 2, 2, 2, 2, 2),
        (manifest_not_toml_and_broken_native, 2, 2, 2, 2, 2, 2, 2),
        (nothing, 0, 0, 1, 1, 0, 0, 2),
    )
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("lay_out", "codes"), EXIT_CODES, ids=[lay_out.__name__ for lay_out, _ in EXIT_CODES]
)
def test_exit_code(
    lay_out: Callable[[Tree], None], codes: dict[str, int], command: str, tree: Tree
) -> None:
    lay_out(tree)
    assert cli.call_in(tree, *COMMANDS[command]).code == codes[command]


@pytest.mark.parametrize("form", ["auto", "json"])
@pytest.mark.parametrize("command", COMMANDS)
def test_exit_code_is_the_same_in_every_form(command: str, form: str, tree: Tree) -> None:
    broken_native(tree)
    for terminal in (False, True):
        done = cli.call_in(tree, *COMMANDS[command], "--format", form, terminal=terminal)
        assert done.code == 1


@pytest.mark.parametrize(
    ("lay_out", "code"),
    [
        (clean, 0),
        (shadowed, 0),
        (skill_with_note, 0),
        (missing_root, 1),
        (skill_with_warning, 1),
        (manifest_with_unknown_key, 1),
        (skipped_skill, 1),
        (manifest_not_toml, 2),
        (nothing, 2),
    ],
)
def test_exit_code_of_validate_strict(
    lay_out: Callable[[Tree], None], code: int, tree: Tree
) -> None:
    lay_out(tree)
    assert cli.call_in(tree, "validate", "--strict").code == code


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("list", "good\tuser-skill\t{skill}/SKILL.md\tDoes one thing. Use when it is wanted."),
        ("resolve", "source\t3\tuser-skill\t{root}\tdefault\t1\t0\t0\t"),
        ("resolve /good", "3\tuser-skill\twins\t{skill}/SKILL.md\tonly copy\tonly-copy"),
        ("show /good", "slug\tgood"),
        ("catalog", "good\tuser-skill\t48\t14\tDoes one thing. Use when it is wanted."),
        ("scope", "read\t{skill}/**\tgood"),
    ],
)
@pytest.mark.parametrize("lay_out", [broken_native, manifest_not_toml, manifest_of_wrong_type])
def test_what_could_be_read_is_printed(
    command: str, line: str, lay_out: Callable[[Tree], None], tree: Tree
) -> None:
    lay_out(tree)
    done = cli.call_in(tree, *COMMANDS[command])
    assert line.format(root=tree.user_skills, skill=tree.user_skills / "good") in done.lines


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("lay_out", "complaint"),
    [
        (broken_native, ".insomnia/memory/workflow/bad.md:2:13: error[description-missing]"),
        (manifest_of_wrong_type, ".insomnia/manifest.toml:2:15: error[manifest-type]"),
        (manifest_not_toml, ".insomnia/manifest.toml:1:8: error[manifest-syntax]"),
    ],
)
def test_why_it_failed_is_said(
    command: str, lay_out: Callable[[Tree], None], complaint: str, tree: Tree
) -> None:
    lay_out(tree)
    done = cli.call_in(tree, *COMMANDS[command], "-q")
    place = done.text if command == "validate" else done.stderr
    assert place.startswith(complaint)


def test_no_user_leaves_out_a_broken_user_manifest(tree: Tree) -> None:
    only_natives(tree)
    user_manifest_not_toml(tree)
    assert cli.call_in(tree, "list", "--no-user").code == 0


# Slugs.


@pytest.mark.parametrize("command", ["resolve", "show"])
def test_the_slash_may_be_left_out(command: str, tree: Tree) -> None:
    clean(tree)
    with_slash, without = (cli.call_in(tree, command, slug) for slug in ("/good", "good"))
    assert with_slash.code == 0
    assert with_slash == without


LIST_SAYS = "insomnia-skills list says what there is, sources discover where more may lie"


@pytest.mark.parametrize("command", ["resolve", "show"])
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("/good", "No workflow is called /good. Nearest: /goods, /goodness"),
        ("revew", "No workflow is called /revew. Nearest: /review"),
        ("/pdf", "No workflow is called /pdf. Nearest: /pdf-processing"),
        ("/zzz", f"No workflow is called /zzz.\n  help: {LIST_SAYS}"),
    ],
)
def test_an_unknown_slug_is_answered_with_near_ones(
    command: str, asked: str, answer: str, tree: Tree
) -> None:
    for name in ("goods", "goodness", "review", "pdf-processing"):
        write_skill(tree.user_skills, name)
    done = cli.call_in(tree, command, asked)
    assert (done.code, done.stderr) == (1, answer + "\n")


def test_a_broken_slug_is_answered_with_the_reason(tree: Tree) -> None:
    break_skill(tree.user_skills, "bad")
    done = cli.call_in(tree, "show", "/bad")
    assert (done.code, done.stdout) == (1, b"")
    assert done.stderr == (
        "No workflow is called /bad.\n"
        "~/config/skills/bad/SKILL.md is skipped: description-missing at 1:1: "
        "description is missing.\n"
        "  help: say what it does and when to use it; then insomnia-skills validate "
        "~/config/skills/bad\n"
    )
    resolved = cli.call_in(tree, "resolve", "/bad")
    assert resolved.code == 1
    assert "description-missing at SKILL.md:1:1" in resolved.text


# Wrong questions.


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("list", "extra"), "(extra)"),
        (("list", "--nonsense"), "No such option: --nonsense"),
        (("list", "--workspace"), "--workspace"),
        (("list", "--format", "xml"), "'xml' is not one of 'auto', 'table', 'plain', 'json'"),
        (("scope", "--format", "xml"), "'xml' is not one of 'auto', 'table', 'plain', 'toml'"),
        (("validate", "--format", "xml"), "'xml' is not one of 'auto', 'text', 'concise'"),
        (("list", "--color", "blue"), "'blue' is not one of 'auto', 'always', 'never'"),
        (("show",), "Missing argument 'SLUG'"),
        (("show", "/good", "/more"), "(/more)"),
        (("resolve", "/good", "/more"), "(/more)"),
        (("validate", "missing"), "missing does not exist"),
        (("validate", "a-file"), "a-file is neither a SKILL.md nor a native Workflow"),
        (("validate", "empty"), "nothing to check in empty"),
        (("validate", "skills", "missing"), "missing does not exist"),
        (("validate", "skills", "--workspace", "missing"), '"missing" does not exist'),
        *(
            ((*arguments, option, value), f'{option}: "{value}" {why}')
            for arguments in COMMANDS.values()
            for option in ("--workspace", "--directory")
            for value, why in (("missing", "does not exist"), ("a-file", "is not a directory"))
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_question(arguments: tuple[str, ...], said: str, tree: Tree) -> None:
    clean(tree)
    write_skill(tree.workspace / "skills", "one")
    write(tree.workspace / "a-file", "")
    (tree.workspace / "empty").mkdir()
    done = cli.call_in(tree, *arguments, columns=200)
    assert (done.code, done.stdout) == (2, b"")
    assert said in done.stderr


def test_without_a_command_the_help_is_shown(tree: Tree) -> None:
    done = cli.call_in(tree)
    assert done.code == 2
    assert all(name in done.both for name in ("list", "validate", "resolve", "show", "scope"))


# Streams: results go to stdout, everything else to stderr.


def lay_out_one_of_each(tree: Tree) -> None:
    """A native Workflow, a skill, a shadow, a skipped skill; an info, warnings, an error."""
    tree.write_workflow("native")
    write_skill(tree.user_skills, "native")
    write_skill(tree.user_skills, "good", "colour: blue", "allowed-tools: Read")
    break_skill(tree.user_skills, "bad")
    tree.name_roots("missing")


def test_list_piped_is_one_record_a_line(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    done = cli.call_in(tree, "list")
    native = tree.workspace / ".insomnia/memory/workflow/native.md"
    good = tree.user_skills / "good/SKILL.md"
    assert [line.split("\t") for line in done.lines] == [
        ["good", "user-skill", str(good), "Does one thing. Use when it is wanted."],
        ["native", "workspace-workflow", str(native), "Native."],
    ]
    assert "2 workflows from 2 sources · 1 shadowed, 1 skipped" in done.stderr


def test_list_all_piped_adds_what_became_of_each(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    native = tree.workspace / ".insomnia/memory/workflow/native.md"
    records = [line.split("\t") for line in cli.call_in(tree, "list", "--all").lines]
    assert [(slug, status, reason) for slug, _, _, _, status, reason in records] == [
        ("good", "loaded", ""),
        ("native", "loaded", ""),
        ("native", "shadowed", f"by {native}"),
        ("bad", "skipped", records[-1][-1]),
    ]
    assert records[-1][-1].startswith("description-missing at SKILL.md:1:1: ")


def test_list_all_says_the_whole_of_what_shadows_a_record(tree: Tree) -> None:
    tree.name_roots(".agents/skills", ".claude/skills")
    write_skill(tree.workspace / ".agents/skills", "commit-message")
    write_skill(tree.workspace / ".claude/skills", "commit-message", "license: MIT", body="No.\n")
    done = cli.call_in(tree, "list", "--all", terminal=True, columns=60, env=cli.NO_COLOR)
    assert [line.rstrip() for line in done.text.split("Shadowed\n")[1].splitlines()][:3] == [
        " workflow         from            shadowed by",
        " /commit-message  .claude/skills  .agents/skills; they",
        "                                  differ in license, body",
    ]


def test_resolve_piped_is_one_record_a_line(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    records = [line.split("\t") for line in cli.call_in(tree, "resolve").lines]
    assert [record[:3] for record in records if record[0] == "source"] == [
        ["source", "1", "workspace-workflow"],
        ["source", "2.1", "workspace-skill"],
        ["source", "3", "user-skill"],
    ]
    assert [record[:2] for record in records if record[0] != "source"] == [
        ["conflict", "native"],
        ["skipped", "bad"],
    ]


def test_the_notification_of_a_shadow(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    lost = tree.user_skills / "native/SKILL.md"
    kept = tree.workspace / ".insomnia/memory/workflow/native.md"
    assert cli.call_in(tree, "resolve", "--notifications").lines == [
        (
            f"[Skill shadowed] skill /native from user skill ({lost}) "
            f"was shadowed by existing workspace workflow ({kept})"
        ),
    ]


def test_scope_piped_is_one_rule_a_line(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    done = cli.call_in(tree, "scope")
    assert done.lines == [f"read\t{tree.user_skills / 'good'}/**\tgood"]


def test_scope_as_toml_is_what_a_manifest_says(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    done = cli.call_in(tree, "scope", "--format", "toml")
    assert done.lines == [
        "[[scope.allow]]",
        f'target = "{tree.user_skills / "good"}"',
        'permission = "read"',
        "recursive = true",
    ]


def test_validate_piped_is_one_finding_a_line(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    done = cli.call_in(tree, "validate")
    assert [line.partition("] ")[0] for line in done.lines] == [
        "~/config/skills/bad/SKILL.md:1:1: error[description-missing",
        "~/config/skills/good/SKILL.md:5:1: warning[allowed-tools-ignored",
        ".insomnia/manifest.toml:3:3: warning[root-missing",
    ]
    checked, skipped, more = done.stderr.splitlines()
    found = "3 skills, 1 native workflow, 1 manifest: 1 error, 2 warnings, 2 infos (-v)"
    assert re.sub(r"\d+\.\d\d s", "N s", checked) == f"Checked {found} in N s"
    assert skipped == "1 skill would be skipped."
    assert more == "insomnia-skills explain RULE tells more."


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_says_nothing_but_results(command: str, tree: Tree) -> None:
    lay_out_one_of_each(tree)
    done = cli.call_in(tree, *COMMANDS[command], "--quiet")
    assert done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["list", "resolve", "catalog", "scope"])
def test_quiet_still_says_errors(command: str, tree: Tree) -> None:
    broken_native(tree)
    done = cli.call_in(tree, command, "-q")
    assert done.stderr.count("\n") == 1
    assert "error[description-missing]" in done.stderr


def test_quiet_validate_shows_errors_alone(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    for terminal in (False, True):
        done = cli.call_in(tree, "validate", "-q", terminal=terminal, env=cli.NO_COLOR)
        assert re.findall(r"(\w+)\[", done.text) == ["error"]
        assert "Checked" not in done.both


@pytest.mark.parametrize("command", ["list", "resolve", "catalog", "scope"])
def test_verbose_says_notes_too(command: str, tree: Tree) -> None:
    lay_out_one_of_each(tree)
    plain, verbose = (cli.call_in(tree, command, *option) for option in ((), ("-v",)))
    assert "root-missing" in plain.stderr
    assert "unknown-field" not in plain.stderr
    assert "allowed-tools-ignored" not in plain.stderr
    for rule in ("root-missing", "unknown-field", "allowed-tools-ignored", "skill-shadowed"):
        assert f"[{rule}]" in verbose.stderr
    assert plain.stdout == verbose.stdout


def test_verbose_validate_shows_notes_too(tree: Tree) -> None:
    lay_out_one_of_each(tree)
    for terminal in (False, True):
        plain, verbose = (
            cli.call_in(tree, "validate", *option, terminal=terminal, env=cli.NO_COLOR)
            for option in ((), ("-v",))
        )
        assert "info[" not in plain.text
        assert re.findall(r"info\[(.*?)\]", verbose.text) == ["unknown-field", "skill-shadowed"]


@pytest.mark.parametrize("command", ["list", "resolve", "resolve /good", "scope", "validate"])
def test_json_is_the_whole_answer(command: str, tree: Tree) -> None:
    """What a machine reads stands in the document; stderr has only what made it fail."""
    lay_out_one_of_each(tree)
    assert cli.call_in(tree, *COMMANDS[command], "--format", "json").stderr == ""


def test_directory_ranks_before_the_manifest(tree: Tree) -> None:
    for root in ("named", "extra"):
        write_skill(tree.workspace / root, "good", description=f"From {root}.")
    tree.name_roots("named")
    done = cli.call_in(tree, "list", "--directory", "extra", "--format", "json")
    assert [workflow["description"] for workflow in done.document["workflows"]] == ["From extra."]
    assert [source["origin"] for source in done.document["sources"]] == [
        "default",
        "--directory",
        f"{tree.manifest}:3",
        "default",
    ]


def test_workspace_is_found_upward_or_given(tree: Tree, tmp_path: Path) -> None:
    only_natives(tree)
    below = tree.workspace / "src/deep"
    below.mkdir(parents=True)
    found = cli.call_in(tree, "list", cwd=below)
    given = cli.call_in(tree, "list", "--workspace", "../workspace", cwd=tree.workspace)
    assert found.stdout == given.stdout == cli.call_in(tree, "list").stdout != b""


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (("list",), "sources discover"),
        (("catalog",), "list"),
        (("catalog", "--budget", "1"), "list"),
        (("scope",), "list"),
        (("resolve", "--fail-on", "shadow"), "list"),
        (("sources", "discover"), "sources discover --all"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_command_to_paste_asks_of_the_same_sources(
    command: tuple[str, ...], hint: str, tree: Tree
) -> None:
    (tree.workspace / "extra").mkdir(parents=True)
    options = ("--workspace", "workspace", "--directory", "workspace/extra", "--no-user")
    done = cli.call_in(tree, *command, *options, cwd=tree.top, terminal=True)
    same = f"insomnia-skills {hint} {' '.join(options)}"
    assert re.search(rf"{same}( says where it looked)?$", done.both, re.MULTILINE)


# validate PATH.


def lay_out_paths(tree: Tree) -> None:
    for name in ("one", "two"):
        write_skill(tree.workspace / "skills", name)
    write_skill(tree.workspace / "deep/er/skills", "three")
    for hidden in ("node_modules/m", ".git/g", "skills/one/nested"):
        write_skill(tree.workspace / hidden, "hidden")
    link(tree.workspace / "linked", "skills/one")
    link(tree.workspace / "natives/.insomnia", "../.insomnia")
    tree.write_workflow("native", "requires: [facts]")
    tree.name_roots("skills")
    write(tree.workspace / "wrong-case/skill.md", "---\nname: wrong-case\ndescription: D.\n---\n")
    link(tree.workspace / "broken-link/SKILL.md", "nowhere")
    (tree.workspace / "directory/SKILL.md").mkdir(parents=True)


@pytest.mark.parametrize(
    ("cwd", "paths", "checked"),
    [
        pytest.param(".", ["skills/one"], ["skill one"], id="skill directory"),
        pytest.param(".", ["skills/one/"], ["skill one"], id="trailing slash"),
        pytest.param(".", ["skills/one/SKILL.md"], ["skill one"], id="SKILL.md"),
        pytest.param("skills/one", ["."], ["skill one"], id="working directory"),
        pytest.param("skills/one", ["SKILL.md"], ["skill one"], id="SKILL.md in working directory"),
        pytest.param("skills/one", ["../two"], ["skill two"], id="upward"),
        pytest.param(".", ["skills"], ["skill one", "skill two"], id="skills root"),
        pytest.param(".", ["deep"], ["skill three"], id="searched downward"),
        pytest.param(".", ["skills/two", "skills/one"], ["skill two", "skill one"], id="in order"),
        pytest.param(
            ".",
            ["skills/one", "skills/one/SKILL.md", "./skills/../skills/one", "linked", "skills"],
            ["skill one", "skill two"],
            id="each once",
        ),
        pytest.param(".", ["linked"], ["skill linked"], id="a link has its own name"),
        pytest.param(
            ".",
            [".insomnia/memory/workflow/native.md"],
            ["workflow native"],
            id="native Workflow",
        ),
        pytest.param(".", [".insomnia/manifest.toml"], ["manifest None"], id="manifest"),
        pytest.param(".insomnia", ["manifest.toml"], ["manifest None"], id="manifest from inside"),
        pytest.param(
            ".insomnia/memory/workflow", ["native.md"], ["workflow native"], id="native from inside"
        ),
        pytest.param(".", [".insomnia"], ["workflow native"], id="native Workflows below"),
        pytest.param(
            ".insomnia/memory/workflow", ["."], ["workflow native"], id="native Workflows in it"
        ),
        pytest.param(
            ".",
            [".", ".insomnia/memory/workflow/native.md", "natives"],
            [
                *("workflow native", "skill broken-link", "skill three", "skill directory"),
                *("skill one", "skill two", "skill wrong-case"),
            ],
            id="native Workflows once",
        ),
        pytest.param(".", ["wrong-case"], ["skill wrong-case"], id="skill.md"),
        pytest.param(".", ["broken-link"], ["skill broken-link"], id="link to nowhere"),
        pytest.param(".", ["directory"], ["skill directory"], id="SKILL.md is a directory"),
        pytest.param(
            ".",
            ["."],
            [
                *("workflow native", "skill broken-link", "skill three", "skill directory"),
                *("skill one", "skill two", "skill wrong-case"),
            ],
            id="whole workspace",
        ),
    ],
)
def test_validate_path(cwd: str, paths: list[str], checked: list[str], tree: Tree) -> None:
    lay_out_paths(tree)
    done = cli.call_in(tree, "validate", *paths, "--format", "json", cwd=tree.workspace / cwd)
    files = done.document["files"]
    assert [f"{file['kind']} {file['slug']}" for file in files] == checked
    assert done.document["workspace"] is None


@pytest.mark.parametrize(
    ("path", "rules"),
    [
        ("skills", ["skill-in-skill"]),
        ("linked", ["name-mismatch", "skill-in-skill"]),
        (".insomnia/memory/workflow/native.md", ["requires-missing"]),
        (".insomnia/memory", ["requires-missing"]),
        ("wrong-case", ["wrong-case-filename"]),
        ("wrong-case/skill.md", ["wrong-case-filename"]),
        ("broken-link", ["broken-symlink"]),
        ("directory", ["not-a-file"]),
    ],
)
def test_validate_path_finds(path: str, rules: list[str], tree: Tree) -> None:
    lay_out_paths(tree)
    done = cli.call_in(tree, "validate", path, "--format", "json")
    assert [found["rule"] for found in done.document["diagnostics"]] == rules
    assert done.code == (0 if rules == ["skill-in-skill"] else 1)


@pytest.mark.parametrize(
    ("path", "help"),
    [
        pytest.param("one", "this takes paths; for the Workflow /one: {} skills/one", id="skill"),
        pytest.param("/one", "this takes paths; for the Workflow /one: {} skills/one", id="slash"),
        pytest.param(
            "both",
            "this takes paths; for the Workflow /both: "
            "{} .insomnia/memory/workflow/both.md skills/both",
            id="all-copies",
        ),
        pytest.param(
            "broken", "this takes paths; for the Workflow /broken: {} skills/broken", id="broken"
        ),
        pytest.param(
            "/none",
            "this takes paths; for a slug: insomnia-skills resolve /none",
            id="no-such-slug",
        ),
        pytest.param("skill", "did you mean {top}/skills?", id="near-name"),
        pytest.param("deep/one", "name a directory with skills, or a SKILL.md", id="no-slug"),
    ],
)
def test_validate_is_given_a_slug(path: str, help: str, tree: Tree) -> None:
    for name in ("one", "both"):
        write_skill(tree.workspace / "skills", name)
    break_skill(tree.workspace / "skills", "broken")
    tree.write_workflow("both")
    tree.name_roots("skills")
    done = cli.call_in(tree, "validate", path)
    assert (done.code, done.text) == (2, "")
    said = help.format("insomnia-skills validate", top=tree.workspace)
    assert done.stderr.splitlines()[1:] == [f"  help: {said}"]


def test_validate_path_needs_no_workspace(tree: Tree) -> None:
    manifest_not_toml(tree)
    write_skill(tree.workspace / "skills", "one")
    assert cli.call_in(tree, "validate", "skills").code == 0


# How things end.


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("first\nsecond \x1b[31mred"), r"RuntimeError: first second \x1b[31mred"),
        (KeyError("x"), "KeyError: 'x'"),
        (ValueError("odd"), "ValueError: odd"),
        (RecursionError(), "RecursionError: "),
    ],
    ids=["text", "key", "value", "empty"],
)
def test_an_unforeseen_fault_is_said_in_one_line(
    error: Exception, said: str, command: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("insomnia_skills.pipeline.find_config_dir", fail)
    done = cli.call_in(tree, *COMMANDS[command])
    assert (done.code, done.stdout) == (70, b"")
    first, second = done.stderr.splitlines()
    assert first.rstrip() == f"internal error: {said}".rstrip()
    assert second.startswith("  help: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_ends_quietly(
    command: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("insomnia_skills.pipeline.find_config_dir", interrupt)
    done = cli.call_in(tree, *COMMANDS[command])
    assert (done.code, done.stdout) == (130, b"")
    assert done.stderr in ("", "interrupted\n")


@pytest.fixture(scope="module")
def output_trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tree]:
    """Trees whose output goes out at the end of a command, and while it still runs."""
    small, large = (Tree(tmp_path_factory.mktemp(size)) for size in ("small", "large"))
    for tree in (small, large):
        lay_out_one_of_each(tree)
    for number in range(100):
        break_skill(large.user_skills, f"bad-{number}-{'x' * 40}")
    for number in range(20):
        write_skill(large.user_skills, f"skill-{number}", description="word " * 200)
    write_skill(large.user_skills, "good", body="word " * 10_000)
    return {"small": small, "large": large}


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize(
    "arguments",
    [
        *COMMANDS.values(),
        ("show", "/good", "--raw"),
        ("list", "--format", "json"),
        ("list", "--format", "table"),
        ("resolve", "--format", "table"),
        ("resolve", "/good", "--format", "table"),
        ("show", "/good", "--format", "table"),
        ("scope", "--format", "table"),
        ("scope", "--format", "toml"),
        ("scope", "--check", "."),
        ("catalog", "--format", "list"),
        ("catalog", "--format", "table"),
        ("catalog", "--format", "xml"),
        ("validate", "--format", "text"),
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_fault(
    arguments: tuple[str, ...], size: str, output_trees: dict[str, Tree]
) -> None:
    """As `insomnia-skills list | head -1` does it. 141 is what a shell says of such an end."""
    tree = output_trees[size]
    reader, writer = os.pipe()
    os.close(reader)
    env = cli.environment(tree.top, tree.config)
    err = cli.Stream()
    out = io.TextIOWrapper(os.fdopen(writer, "wb"), encoding="utf-8")
    code = cli.call_on(out, err, *arguments, "-q", cwd=tree.workspace, env=env)
    with contextlib.suppress(BrokenPipeError):
        out.close()
    assert (code, err.value()) == (141, b"")


def test_the_program_itself_ends_well_too(tree: Tree) -> None:
    """Python flushes stdout once more at its end, which only a process of its own shows."""
    clean(tree)
    reader, writer = os.pipe()
    os.close(reader)
    env = {**cli.environment(tree.top, tree.config), "PYTHONPATH": str(Path(__file__).parents[1])}
    tree.workspace.mkdir()
    command = (sys.executable, "-m", "insomnia_skills", "list", "-q")
    done = subprocess.run(
        command, cwd=tree.workspace, env=env, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


# Help, version.


def test_version(tree: Tree) -> None:
    done = cli.call_in(tree, "--version")
    assert (done.code, done.text, done.stderr) == (0, f"insomnia-skills {__version__}\n", "")


def test_the_package_is_a_program(tree: Tree) -> None:
    env = {**cli.environment(tree.top), "PYTHONPATH": str(Path(__file__).parents[1])}
    command = (sys.executable, "-m", "insomnia_skills", "--version")
    done = subprocess.run(command, cwd=tree.top, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()[-1]) == (0, __version__.encode())


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_the_commands(option: str, tree: Tree) -> None:
    done = cli.call_in(tree, option)
    assert (done.code, done.stderr) == (0, "")
    assert "Usage: insomnia-skills" in done.text
    commands = re.findall(r"^│ (\w+) ", done.text, re.MULTILINE)
    names = "list validate report resolve show catalog scope sources new eject cache rules explain"
    assert commands == names.split()


@pytest.mark.parametrize("command", ["list", "validate", "resolve", "show", "catalog", "scope"])
def test_every_command_on_a_workspace_takes_the_common_options(command: str, tree: Tree) -> None:
    done = cli.call_in(tree, command, "--help", columns=200)
    assert done.code == 0
    for option in ("--workspace", "--no-user", "--directory", "--format", "--color", "--no-cache"):
        assert option in done.text
    for short, long in (("-q", "--quiet"), ("-v", "--verbose"), ("-j", "--jobs"), ("-h", "--help")):
        assert re.search(rf"{long} +{short} ", done.text)


@pytest.mark.parametrize("command", ["show", "resolve"])
def test_a_skill_in_a_root_that_no_manifest_names_is_pointed_out(command: str, tree: Tree) -> None:
    write_skill(tree.workspace / ".claude/skills", "pdf")
    done = cli.call_in(tree, command, "/pdf")
    assert done.code == 1
    assert ".claude/skills/pdf is there, but no manifest names .claude/skills." in done.stderr


@pytest.mark.parametrize("command", ["show", "resolve"])
@pytest.mark.parametrize("slug", ["", "/"])
def test_an_empty_slug_is_a_wrong_question(command: str, slug: str, tree: Tree) -> None:
    done = cli.call_in(tree, command, slug)
    assert (done.code, done.text) == (2, "")
    assert "the slug is empty" in done.stderr


def test_a_full_disk_is_no_answer(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("insomnia_skills.pipeline.find_config_dir", fail)
    done = cli.call_in(tree, "list")
    assert (done.code, done.stdout) == (74, b"")
    assert done.stderr == "error: can't go on: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "arguments", [("list",), ("list", "--format", "json"), ("--help",), ("--version",)]
)
def test_output_to_a_full_disk_ends_without_a_traceback(
    arguments: tuple[str, ...], tree: Tree
) -> None:
    clean(tree)
    tree.workspace.mkdir(exist_ok=True)
    env = {**cli.environment(tree.top, tree.config), "PYTHONPATH": str(Path(__file__).parents[1])}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "insomnia_skills", *arguments],
            cwd=tree.workspace,
            env=env,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 74
    assert done.stderr == b"error: can't go on: No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate", ""),
        ("validate", "", "--fix"),
        ("validate", "--workspace", ""),
        ("validate", "--baseline="),
        ("list", "--directory", ""),
        ("report", "merge", ""),
        ("new", "x", "--in", ""),
        ("scope", "--check", ""),
        ("sources", "add", ""),
    ],
    ids=" ".join,
)
def test_an_empty_path_is_not_the_working_directory(arguments: tuple[str, ...], tree: Tree) -> None:
    """A script may have left a variable empty."""
    clean(tree)
    done = cli.call_in(tree, *arguments)
    assert (done.code, done.text) == (2, "")
    assert done.stderr


@pytest.mark.parametrize(
    "command", [("list",), ("validate",), ("resolve",), ("scope",), ("catalog",), ("show", "/good")]
)
def test_a_long_chain_of_links_stops_nothing(command: tuple[str, ...], tree: Tree) -> None:
    """The system follows 40; Python runs out of stack after a thousand."""
    clean(tree)
    for name in ("chain", "good"):
        directory = tree.user_skills / name
        for number in range(1_200):
            link(directory / f"a{number}", f"a{number + 1}")
    link(tree.user_skills / "chain/SKILL.md", "a0")
    link(tree.user_skills / "more", "chain/a0")
    done = cli.call_in(tree, *command, "--format", "json")
    assert done.code in (0, 1)
    assert done.document
    if command == ("list",):
        assert {skill["slug"] for skill in done.document["skipped"]} == {"chain", "more"}
    if command == ("validate",):
        assert {d["rule"] for d in done.document["diagnostics"]} == {"broken-symlink"}


def test_a_link_before_dots_leads_where_the_system_says(tree: Tree) -> None:
    write_skill(tree.top / "real/group", "pdf")
    write_skill(tree.workspace, "zip")
    link(tree.workspace / "link", "../real/group/pdf")
    done = cli.call_in(tree, "validate", "link/..", "--format", "json")
    assert [file["slug"] for file in done.document["files"]] == ["pdf"]


@pytest.mark.parametrize("place", [".insomnia", ".insomnia/memory", ".insomnia/memory/workflow"])
def test_native_workflows_behind_a_broken_link_are_no_silence(place: str, tree: Tree) -> None:
    link(tree.workspace / place, "nowhere")
    done = cli.call_in(tree, "list", "--workspace", ".")
    assert done.code == 1
    assert "error[unreadable]" in done.stderr


def test_a_manifest_with_a_key_of_many_parts_costs_nothing(tree: Tree) -> None:
    write(tree.manifest, "a" + ".a" * 50_000 + " = 1\n")
    done = cli.call_in(tree, "list")
    assert done.code == 2
    assert "error[manifest-syntax] not valid TOML: a key has more than 100 parts" in done.stderr


@pytest.mark.parametrize(
    "manifest", ["", "[skills]\ndirectories = []\n", "[skill]\ndirectories = ['skills']\n"]
)
def test_a_check_of_no_skill_is_no_success(manifest: str, tree: Tree) -> None:
    break_skill(tree.workspace / "skills", "bad")
    write(tree.manifest, manifest)
    done = cli.call_in(tree, "validate")
    assert done.code == 2
    assert "nothing to check in .: no skill and no native Workflow" in done.stderr
    assert cli.call_in(tree, "validate", ".insomnia/manifest.toml").code == 0
