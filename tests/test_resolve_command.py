"""`resolve` and `resolve /SLUG` as a person, a pipe and a program see them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from insomnia_skills.cli.resolve import complete_fail_on
from insomnia_skills.workflow import FileChangedError
from tests import cli
from tests.test_schemas import SCHEMAS
from tests.trees import Tree, break_skill, denied, link, write, write_manifest, write_skill

LIST_SAYS = "  help: insomnia-skills list says what there is, sources discover where more may lie\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace whose manifest names the roots ``high`` and ``low``."""
    tree = Tree(tmp_path)
    tree.name_roots("high", "low")
    for root in ("high", "low"):
        (tree.workspace / root).mkdir()
    return tree


def contested(tree: Tree) -> None:
    """/three has three copies, /one stands in, /bad is broken, /alone is alone."""
    write_skill(tree.workspace / "high", "three", description="One.")
    write_skill(tree.workspace / "low", "three", description="Two.", body="Do two.\n")
    write_skill(tree.user_skills, "three", description="One.")
    break_skill(tree.workspace / "high", "one")
    write_skill(tree.workspace / "low", "one")
    break_skill(tree.user_skills, "bad")
    write_skill(tree.user_skills, "alone")


def see(tree: Tree, *arguments: str, columns: int = 80) -> str:
    """What a person sees at a terminal, without colour."""
    done = cli.call_in(
        tree, *arguments, terminal=True, columns=columns, env={**cli.NO_COLOR, "TERM": "xterm"}
    )
    return "".join(f"{line.rstrip()}\n" for line in done.both.splitlines())


# --- resolve -------------------------------------------------------------------------------------


def test_all_at_a_glance(tree: Tree) -> None:
    contested(tree)
    assert see(tree, "resolve") == (
        " rank  source            declared in      loaded  shadowed  skipped\n"
        " 1     native workflows  default          not there\n"
        " 2.1   high              manifest.toml:3       1         0        1\n"
        " 2.2   low               manifest.toml:4       1         1        0\n"
        " 3     user skills       default               1         1        1\n"
        "\n"
        "Conflicts\n"
        " workflow  wins  loses        they\n"
        " /three    high  low          differ in description, body\n"
        "                 user skills  are identical\n"
        "\n"
        "Standing in\n"
        " workflow  from  instead of  because\n"
        " /one      low   high        description-missing at SKILL.md:1:1\n"
        "\n"
        "Skipped\n"
        " workflow  from         because\n"
        " /one      high         description-missing at SKILL.md:1:1: description is\n"
        "                        missing\n"
        " /bad      user skills  description-missing at SKILL.md:1:1: description is\n"
        "                        missing\n"
        "\n"
        "3 workflows · why: resolve /SLUG · what a Pod is told: resolve --notifications\n"
    )


def test_all_in_a_narrow_terminal(tree: Tree) -> None:
    contested(tree)
    text = see(tree, "resolve", columns=40)
    assert text.split("\n\n")[1:3] == [
        (
            "Conflicts\n"
            "/three\n"
            "  wins: high\n"
            "  loses: low; they differ in\n"
            "  description, body\n"
            "  loses: user skills; they are identical"
        ),
        "Standing in\n/one\n  low instead of high\n  description-missing at SKILL.md:1:1",
    ]


def test_nothing_contested(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "alone")
    *_, blank, said, blank_too, last = see(tree, "resolve").splitlines()
    assert (blank, said, blank_too) == ("", "No slug is contested.", "")
    assert last == "1 workflow · why: resolve /SLUG"


def test_sources_say_who_declared_them_and_why_one_is_not_read(tree: Tree) -> None:
    write(tree.workspace / "file", "")
    tree.name_roots("high", "gone", "file", "high/../high")
    write_manifest(tree.user_manifest, "more")
    extra = tree.top / "extra"
    extra.mkdir()
    text = see(tree, "resolve", "-q", "--directory", str(extra))
    assert text.split("\n\n")[0].splitlines() == [
        " rank  source            declared in           loaded  shadowed  skipped",
        " 1     native workflows  default               not there",
        " 2.1   ~/extra           --directory                0         0        0",
        " 2.2   high              manifest.toml:3            0         0        0",
        " 2.3   gone              manifest.toml:4       not there",
        " 2.4   file              manifest.toml:5       a file",
        " 2.5   high              manifest.toml:6       same as rank 2.2",
        " 2.6   ~/config/more     user manifest.toml:3  not there",
        " 3     user skills       default               not there",
    ]
    ask = ("resolve", "--directory", extra, "--format", "json")
    assert [source["state"] for source in cli.call_in(tree, *ask).document["sources"]] == [
        "not there",
        None,
        None,
        "not there",
        "a file",
        "same as rank 2.2",
        "not there",
        "not there",
    ]


def test_a_broken_native_workflow(tree: Tree) -> None:
    tree.write_workflow("bad", "name: bad")
    done = cli.call_in(tree, "resolve", terminal=True, columns=200, env=cli.NO_COLOR)
    assert done.code == 1
    assert "\nBroken\n" in done.text
    assert "/bad      native workflows  workflow-name-key at bad.md:3:1: " in done.text


LONG = "packages/front-end/application/agent-skills"


@pytest.mark.parametrize(
    "arguments",
    [("resolve",), ("resolve", "/three"), ("resolve", "/three", "--diff")],
    ids=" ".join,
)
def test_no_word_is_cut_or_lost_at_any_width(arguments: tuple[str, ...], tree: Tree) -> None:
    contested(tree)
    tree.name_roots("high", "low", LONG, "gone")
    write_skill(tree.workspace / LONG, "three", "license: Apache-2.0", files={"scripts/a.sh": ""})
    break_skill(tree.workspace / LONG, "one")
    wide, *narrower = (
        set(re.split(r"[;,]?\s+", see(tree, *arguments, "-q", columns=width)))
        for width in (300, 120, 100, 80, 60, 40, 20)
    )
    headings = {"workflow", "wins", "loses", "they", "from", "of", "because", "rank", "source"}
    for narrow in narrower:
        assert wide - narrow <= headings | {"declared", "in", "outcome", "why"}


# --- copies that no manifest leads to, and paths for slugs ---------------------------------------


def test_copies_that_no_manifest_leads_to_are_told(tree: Tree) -> None:
    tree.name_roots("high")
    write_skill(tree.workspace / "high", "pdf")
    write_skill(tree.workspace / ".claude/skills", "pdf")
    done = cli.call_in(tree, "resolve", "/pdf")
    assert done.code == 0
    assert done.stderr == (
        "note: .claude/skills/pdf is there, but no manifest names .claude/skills\n"
    )
    done = cli.call_in(tree, "resolve", "/pdf", "--format", "json")
    (copy,) = json.loads(done.stdout)["unnamed"]
    assert (copy["kind"], copy["path"]) == (
        "unnamed-root",
        str(tree.workspace / ".claude/skills/pdf/SKILL.md"),
    )


@pytest.mark.parametrize("path", ["high/pdf", "high/pdf/", "./high/pdf/SKILL.md"])
@pytest.mark.parametrize("command", ["resolve", "show", "eject"])
def test_a_path_where_a_slug_is_due(tree: Tree, command: str, path: str) -> None:
    tree.name_roots("high")
    write_skill(tree.workspace / "high", "pdf")
    done = cli.call_in(tree, command, path)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr == (
        f'error: "{path}" is a path, and this takes a slug\n  help: is /pdf meant?\n'
    )


def test_a_broken_copy_above_is_told_with_how_to_mend_it(tree: Tree) -> None:
    tree.name_roots("high", "low")
    write_skill(tree.workspace / "high", "pdf", description="Reads: a PDF.")
    write_skill(tree.workspace / "low", "pdf")
    assert see(tree, "resolve", "/pdf").endswith(
        "\n\nMend high/pdf/SKILL.md and it wins instead.\n"
        '  help: write description: "Reads: a PDF.": '
        "insomnia-skills validate high/pdf/SKILL.md --fix\n"
    )


# --- --only-conflicts, --notifications, --fail-on ------------------------------------------------


def test_only_conflicts_at_a_terminal(tree: Tree) -> None:
    contested(tree)
    whole, part = see(tree, "resolve"), see(tree, "resolve", "--only-conflicts")
    start, end = whole.index("Conflicts"), whole.index("Skipped")
    assert part == whole[start:end] + whole.splitlines(keepends=True)[-1]


def test_only_conflicts_piped(tree: Tree) -> None:
    contested(tree)
    kinds = ("conflict", "conflict", "stand-in")
    lines = cli.call_in(tree, "resolve", "--only-conflicts").lines
    assert tuple(line.split("\t")[0] for line in lines) == kinds
    assert set(lines) <= set(cli.call_in(tree, "resolve").lines)


def test_only_conflicts_as_json(tree: Tree) -> None:
    contested(tree)
    whole = cli.call_in(tree, "resolve", "--format", "json").document
    part = cli.call_in(tree, "resolve", "--only-conflicts", "--format", "json").document
    assert [workflow["slug"] for workflow in part["workflows"]] == ["one", "three"]
    assert [skipped["slug"] for skipped in part["skipped"]] == ["one"]
    for key in set(whole) - {"workflows", "skipped"}:
        assert part[key] == whole[key]


def test_only_conflicts_where_there_are_none(tree: Tree) -> None:
    assert see(tree, "resolve", "--only-conflicts", "-q").startswith("No slug is contested.\n")


def test_a_stand_in_piped_has_what_it_stands_in_for(tree: Tree) -> None:
    contested(tree)
    (line,) = (x for x in cli.call_in(tree, "resolve").lines if x.startswith("stand-in"))
    assert line.split("\t")[1:] == [
        "one",
        str(tree.workspace / "low/one/SKILL.md"),
        str(tree.workspace / "high/one/SKILL.md"),
        "description-missing at SKILL.md:1:1",
    ]


@pytest.mark.parametrize("form", ["auto", "table", "plain"])
def test_notifications_as_text(form: str, tree: Tree) -> None:
    contested(tree)
    done = cli.call_in(tree, "resolve", "--notifications", "--format", form, terminal=True)
    assert done.code == 0
    assert [line.split(" from ")[0] for line in done.lines] == ["[Skill shadowed] skill /three"] * 2
    assert done.stderr == ""


def test_notifications_as_json_lines(tree: Tree) -> None:
    contested(tree)
    document = cli.call_in(tree, "resolve", "--format", "json").document
    done = cli.call_in(tree, "resolve", "--notifications", "--format", "json")
    lines = [json.loads(line) for line in done.lines]
    assert lines == document["notifications"]
    for line in lines:
        Draft202012Validator(SCHEMAS["notification"]).validate(line)


def test_notifications_of_one_slug(tree: Tree) -> None:
    contested(tree)
    assert cli.call_in(tree, "resolve", "/alone", "--notifications") == cli.Run(0, b"", "")
    assert len(cli.call_in(tree, "resolve", "/three", "--notifications").lines) == 2
    missing = cli.call_in(tree, "resolve", "/zzz", "--notifications")
    assert (missing.code, missing.text) == (1, "")
    assert missing.stderr.startswith("No workflow is called /zzz.\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(["shadow"], ["shadow: 2 shadows (/three)"], id="shadow"),
        pytest.param(
            ["different"], ["different: 1 shadow that is different (/three)"], id="differ"
        ),
        pytest.param(["stand-in"], ["stand-in: 1 stand-in (/one)"], id="stand-in"),
        pytest.param(["skipped"], ["skipped: 2 skipped skills (/one, /bad)"], id="skipped"),
        pytest.param(
            ["stand-in, shadow", "shadow"],
            ["shadow: 2 shadows (/three)", "stand-in: 1 stand-in (/one)"],
            id="several",
        ),
    ],
)
def test_fail_on(options: list[str], said: list[str], tree: Tree) -> None:
    contested(tree)
    given = [part for option in options for part in ("--fail-on", option)]
    done = cli.call_in(tree, "resolve", *given, "-q")
    assert done.code == 1
    assert done.stderr.splitlines() == [f"--fail-on {line}" for line in said]
    assert done.text == cli.call_in(tree, "resolve").text


def test_fail_on_what_is_not_there(tree: Tree) -> None:
    write_skill(tree.user_skills, "alone")
    done = cli.call_in(tree, "resolve", "--fail-on", "shadow,different,stand-in,skipped")
    assert (done.code, done.stderr) == (0, "")


def test_fail_on_is_about_the_slug_that_was_asked_for(tree: Tree) -> None:
    contested(tree)
    assert cli.call_in(tree, "resolve", "/alone", "--fail-on", "shadow,skipped").code == 0
    done = cli.call_in(tree, "resolve", "/three", "--fail-on", "different")
    assert (done.code, done.stderr) == (
        1,
        "--fail-on different: 1 shadow that is different (/three)\n",
    )


@pytest.mark.parametrize("asked", ["three", "//three"])
def test_fail_on_knows_the_slug_however_it_was_typed(asked: str, tree: Tree) -> None:
    contested(tree)
    done = cli.call_in(tree, "resolve", asked, "--fail-on", "shadow")
    assert (done.code, done.stderr) == (1, "--fail-on shadow: 2 shadows (/three)\n")


def test_fail_on_leaves_out_what_is_meant(tree: Tree) -> None:
    contested(tree)
    done = cli.call_in(tree, "resolve", "--fail-on", "different", "--allow", "/three")
    assert (done.code, done.stderr) == (0, "")
    done = cli.call_in(tree, "resolve", "--fail-on", "skipped", "--allow", "three,bad")
    assert (done.code, done.stderr) == (1, "--fail-on skipped: 1 skipped skill (/one)\n")


def test_fail_on_where_there_is_nothing_is_a_wrong_question(tree: Tree) -> None:
    done = cli.call_in(tree, "resolve", "--fail-on", "shadow", "--quiet")
    assert done.code == 2
    assert "--fail-on: nothing to check, there is no skill and no native Workflow" in done.stderr


def test_fail_on_is_told_of_a_slug_that_is_not_there_too(tree: Tree) -> None:
    break_skill(tree.user_skills, "bad")
    done = cli.call_in(tree, "resolve", "/bad", "--fail-on", "skipped,shadow")
    assert done.code == 1
    assert done.stderr.splitlines()[-1] == "--fail-on skipped: 1 skipped skill (/bad)"


def test_fail_on_names_ten_slugs(tree: Tree) -> None:
    for number in range(12):
        break_skill(tree.user_skills, f"bad-{number:02}")
    done = cli.call_in(tree, "resolve", "--fail-on", "skipped")
    assert done.stderr.endswith("/bad-08, /bad-09 and 2 more)\n")


@pytest.mark.parametrize("options", [(), ("--notifications",), ("--diff",)], ids=" ".join)
def test_why_a_slug_is_not_there_begins_with_the_manifest_that_is_unreadable(
    options: tuple[str, ...], tree: Tree
) -> None:
    write(tree.manifest, "[skills\n")
    done = cli.call_in(tree, "resolve", "/zzz", *options)
    assert done.code == 2
    error, last, help = done.stderr.splitlines()
    assert error.startswith(".insomnia/manifest.toml:1:8: error[manifest-syntax]")
    assert last == "No workflow is called /zzz."
    assert help.startswith("  help: insomnia-skills list")


def test_an_unreadable_manifest_is_worse_than_what_fails(tree: Tree) -> None:
    break_skill(tree.user_skills, "bad")
    write(tree.manifest, "[skills\n")
    assert cli.call_in(tree, "resolve", "--fail-on", "skipped").code == 2


@pytest.mark.parametrize(
    ("begun", "offered"),
    [
        ("", ["shadow", "different", "stand-in", "skipped"]),
        ("s", ["shadow", "stand-in", "skipped"]),
        ("shadow,s", ["shadow,stand-in", "shadow,skipped"]),
        ("x", []),
    ],
)
def test_fail_on_completes_after_each_comma(begun: str, offered: list[str]) -> None:
    assert list(complete_fail_on(begun)) == offered


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--diff",), "--diff needs a slug"),
        (("/one", "--diff", "--notifications"), "--diff and --notifications"),
        (("/one", "--only-conflicts"), "--only-conflicts is about all slugs"),
        (("--only-conflicts", "--notifications"), "--only-conflicts and --notifications"),
        (("//",), "the slug is empty"),
        (("--fail-on", "shadows"), '--fail-on: there is no "shadows"'),
        (("--allow", "pdf"), "--allow is about --fail-on"),
        (("--fail-on", "shadow,"), "--fail-on: a name is empty"),
        (("--fail-on", ""), "--fail-on: a name is empty"),
    ],
    ids=" ".join,
)
def test_wrong_questions(arguments: tuple[str, ...], said: str, tree: Tree) -> None:
    done = cli.call_in(tree, "resolve", *arguments)
    assert (done.code, done.text) == (2, "")
    error, help_ = done.stderr.splitlines()
    assert error.startswith(f"error: {said}")
    assert help_.startswith("  help: ")


# --- the ladder ----------------------------------------------------------------------------------


def test_the_ladder_of_a_contested_slug(tree: Tree) -> None:
    contested(tree)
    assert see(tree, "resolve", "/three") == (
        "/three → high/three/SKILL.md  (workspace skill)\n"
        "\n"
        " rank  source            outcome   why\n"
        " 1     native workflows            not there\n"
        " 2.1   high              WINS      first of the roots that have it\n"
        " 2.2   low               shadowed  rank 2.1 comes first; differs in\n"
        "                                   description, body\n"
        " 3     user skills       shadowed  rank 2.1 comes first; is identical\n"
        "\n"
        "How they differ: insomnia-skills resolve /three --diff\n"
    )


def test_the_ladder_of_a_stand_in(tree: Tree) -> None:
    contested(tree)
    text = see(tree, "resolve", "/one")
    assert text.startswith("/one → low/one/SKILL.md  (workspace skill, standing in)\n")
    assert text.endswith(
        "\nMend high/one/SKILL.md and it wins instead.\n"
        "  help: say what it does and when to use it; then insomnia-skills validate "
        "high/one/SKILL.md\n"
    )


def test_the_ladder_as_json(tree: Tree) -> None:
    contested(tree)
    document = cli.call_in(tree, "resolve", "/one", "--format", "json").document
    native, broken, winner, user = document["ladder"]
    assert (native["rule"], winner["rule"], user["rule"]) == (
        "source-missing",
        "first-valid",
        "no-directory",
    )
    assert broken["rule"] == "has-error"
    assert broken["error"]["rule"] == "description-missing"
    assert winner["origin"] == f"{tree.manifest}:4"
    (shadowed,) = cli.call_in(tree, "resolve", "/three", "--format", "json").document["ladder"][2:3]
    assert (shadowed["rule"], shadowed["relation"], shadowed["differs"]) == (
        "lower-rank",
        "different",
        ["description", "body"],
    )


# --- --diff --------------------------------------------------------------------------------------


def test_the_ladder_as_json_has_what_decides_the_exit_code(tree: Tree) -> None:
    tree.name_roots("high", "gone")
    contested(tree)
    tree.write_workflow("other", "name: other")
    done = cli.call_in(tree, "resolve", "/three", "--format", "json")
    said = [(d["rule"], d["severity"]) for d in done.document["diagnostics"]]
    assert (done.code, said) == (
        1,
        [("root-missing", "warning"), ("workflow-name-key", "error"), ("skill-shadowed", "info")],
    )


def test_diff_at_a_terminal(tree: Tree) -> None:
    write_skill(
        tree.workspace / "high", "pdf", description="One.", body="Do it.\n", files={"a.md": ""}
    )
    write_skill(
        tree.workspace / "low",
        "pdf",
        "metadata: {a: [1]}",
        description="Two.",
        body="Do it now.\n",
        files={"scripts/b.sh": ""},
    )
    assert see(tree, "resolve", "/pdf", "--diff") == (
        "/pdf → high/pdf/SKILL.md  (workspace skill)\n"
        "\n"
        "--- high/pdf/SKILL.md  wins\n"
        "+++ low/pdf/SKILL.md  loses\n"
        "\n"
        "2 fields differ\n"
        "  description\n"
        "    - One.\n"
        "    + Two.\n"
        "  metadata\n"
        "    - (not set)\n"
        '    + {"a": ["1"]}\n'
        "\n"
        "2 files differ\n"
        "  - a.md  only the winner has it\n"
        "  + scripts/b.sh  the winner does not have it\n"
        "\n"
        "The body differs\n"
        "@@ -5 +6 @@\n"
        "-Do it.\n"
        "+Do it now.\n"
    )


def test_changed_words_have_a_style_of_their_own_at_a_terminal(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdf", body="Read it once.\n")
    write_skill(tree.workspace / "low", "pdf", body="Read it twice.\n")
    done = cli.call_in(tree, "resolve", "/pdf", "--diff", terminal=True)
    assert "\x1b[31mRead it \x1b[0m\x1b[1;7;31monce\x1b[0m\x1b[31m.\x1b[0m" in done.text
    assert "\x1b[32mRead it \x1b[0m\x1b[1;7;32mtwice\x1b[0m\x1b[32m.\x1b[0m" in done.text


def test_diff_piped(tree: Tree) -> None:
    kept = tree.write_workflow("pdf", "requires: [k]", description="Same.", body="a\n")
    lost = write_skill(
        tree.user_skills, "pdf", description="Same.", body="b\r\n", files={"x.md": ""}
    )
    tree.write_knowledge("k")
    assert cli.call_in(tree, "resolve", "/pdf", "--diff").lines == [
        f"compare\t{kept}\t{lost}\tdifferent",
        f"field\t{lost}\tmodel_invokation\tfalse\ttrue",
        f"field\t{lost}\trequires\tk\t(none)",
        f"file\t{lost}\tx.md\tonly-lost",
        f"body\t{lost}\tin its line ends: LF in the winner, CRLF in the loser",
        f"--- {kept}",
        f"+++ {lost}",
        "@@ -5 +5 @@",
        "-a",
        "+b",
    ]


def test_diff_as_json(tree: Tree) -> None:
    contested(tree)
    document = cli.call_in(tree, "resolve", "/three", "--diff", "--format", "json").document
    kept = str(tree.workspace / "high/three/SKILL.md")
    assert document["comparisons"] == [
        {
            "kept": kept,
            "lost": str(tree.workspace / "low/three/SKILL.md"),
            "relation": "different",
            "fields": [{"name": "description", "kept": "One.", "lost": "Two."}],
            "files": [],
            "body": {
                "diff": "@@ -5 +5 @@\n-Do it.\n+Do two.\n",
                "line_ends": None,
                "omitted": None,
            },
        },
        {
            "kept": kept,
            "lost": str(tree.user_skills / "three/SKILL.md"),
            "relation": "identical",
            "fields": [],
            "files": [],
            "body": None,
        },
    ]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        pytest.param(
            lambda tree: write_skill(tree.workspace / "low", "pdf"),
            "They are identical: fields, body and files are the same.",
            id="identical",
        ),
        pytest.param(
            lambda tree: link(tree.workspace / "low/pdf", "../high/pdf"),
            "They are one file, reached by two paths.",
            id="same-file",
        ),
        pytest.param(
            lambda _: None, "There is no other valid copy to compare it with.", id="no-loser"
        ),
        pytest.param(
            lambda tree: break_skill(tree.workspace / "low", "pdf"),
            "There is no other valid copy to compare it with.\n"
            "low/pdf/SKILL.md can't be compared: it is no record, description-missing at\n"
            "SKILL.md:1:1: description is missing",
            id="broken",
        ),
        pytest.param(
            lambda tree: write_skill(tree.workspace / "low", "pdf", body="a\n" * 5000),
            "The body differs\n"
            "  not shown: they differ in 5,000 lines, more than the 4,000 that are compared.\n"
            "  To see all: diff high/pdf/SKILL.md low/pdf/SKILL.md",
            id="too-long",
        ),
    ],
)
def test_diff_where_there_is_none(make: Callable[[Tree], object], said: str, tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdf")
    make(tree)
    assert see(tree, "resolve", "/pdf", "--diff").endswith(f"\n\n{said}\n")
    assert cli.call_in(tree, "resolve", "/pdf", "--diff").code == 0


def test_diff_piped_says_on_stderr_what_cannot_be_compared(tree: Tree) -> None:
    contested(tree)
    done = cli.call_in(tree, "resolve", "/one", "--diff")
    assert (done.code, done.text) == (0, "")
    assert done.stderr == (
        "/one has no other valid copy to compare with\n"
        "high/one/SKILL.md can't be compared: it is no record, "
        "description-missing at SKILL.md:1:1: description is missing\n"
    )


def test_diff_of_a_file_that_has_changed_meanwhile(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    contested(tree)

    def changed(_: object) -> None:
        raise FileChangedError("SKILL.md has changed since it was read; run it again")

    monkeypatch.setattr("insomnia_skills.resolution.comparison.compare", changed)
    done = cli.call_in(tree, "resolve", "/three", "--diff")
    assert (done.code, done.text) == (2, "")
    assert done.stderr == "error: SKILL.md has changed since it was read; run it again\n"


def test_left_out_is_what_the_users_manifest_names_too(tree: Tree) -> None:
    write_manifest(tree.user_manifest, "more")
    break_skill(tree.config / "more", "pdf")
    write(tree.user_skills / "pdf", "a file")
    done = cli.call_in(tree, "resolve", "/pdf", "--no-user")
    assert done.stderr == (
        "No workflow is called /pdf.\n"
        "~/config/more/pdf is there, but --no-user leaves it out, and it is broken: "
        "description-missing at 1:1: description is missing.\n"
        "  help: leave --no-user out\n"
    )


def test_the_command_to_paste_asks_about_the_same_sources(tree: Tree) -> None:
    for root in ("high", "my skills"):
        write_skill(tree.workspace / root, "pdf", description=root)
    ask: list[str | Path] = ["resolve", "/pdf", "--workspace", tree.workspace, "--no-user"]
    ask += ["--directory", tree.workspace / "my skills"]
    done = cli.call_in(tree, *ask, cwd=tree.top, terminal=True)
    command = (
        "insomnia-skills resolve /pdf --diff --workspace workspace "
        "--directory 'workspace/my skills' --no-user"
    )
    assert done.text.endswith(f"\nHow they differ: {command}\n")
    again = cli.call_in(tree, *shlex.split(command)[1:], cwd=tree.top)
    assert again.text == cli.call_in(tree, *ask, "--diff", cwd=tree.top).text


def test_a_slug_in_a_command_to_paste_runs_nothing(tree: Tree) -> None:
    done = cli.call_in(tree, "show", "/$(pdf)", "--source", "high")
    assert "insomnia-skills resolve '/$(pdf)'" in done.stderr


def test_a_directory_whose_name_is_no_slug_is_not_offered(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "$(pdf)")
    document = cli.call_in(tree, "resolve", "/pdf", "--format", "json").document
    assert (document["near"], document["absence"]) == ([], [])


# --- a slug that is not there --------------------------------------------------------------------


def skipped(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdf", description="Reads a PDF in two ways: as text.")


def file_in_wrong_case(tree: Tree) -> None:
    write(tree.workspace / "high/pdf/skill.md", "---\nname: pdf\ndescription: a\n---\n")


def broken_native(tree: Tree) -> None:
    tree.write_workflow("pdf", "name: pdf")


def in_an_unnamed_root(tree: Tree) -> None:
    write_skill(tree.workspace / ".claude/skills", "pdf")
    write_skill(tree.workspace / ".claude/skills", "other")


def broken_in_an_unnamed_root(tree: Tree) -> None:
    write(tree.workspace / ".cursor/skills/pdf/SKILL.md", "---\nname: pdf\n---\n")


def in_an_unnamed_root_with_an_odd_name(tree: Tree) -> None:
    odd = "my skills"
    write_skill(tree.workspace / "high" / odd, "pdf")


def in_the_home_directory(tree: Tree) -> None:
    write_skill(tree.top / ".claude/skills", "pdf")


def named_itself(tree: Tree) -> None:
    tree.name_roots("high/office/pdf", "high/office/./pdf")
    write_skill(tree.workspace / "high/office", "pdf")


def where_a_shell_would_look(tree: Tree) -> None:
    tree.name_roots("high", "~/.claude/skills")
    in_the_home_directory(tree)


def broken_link(tree: Tree) -> None:
    link(tree.workspace / "high/pdf", "nowhere")


def broken_link_in_wrong_case(tree: Tree) -> None:
    link(tree.workspace / "high/Pdf", "nowhere")


def nested(tree: Tree) -> None:
    write_skill(tree.workspace / "high/office", "pdf")


def nested_in_the_users(tree: Tree) -> None:
    write_skill(tree.user_skills / "office", "pdf")


def nested_in_a_root_of_the_users_manifest(tree: Tree) -> None:
    write_manifest(tree.user_manifest, "more")
    write_skill(tree.config / "more/office", "pdf")


def nested_out_of_the_workspace(tree: Tree) -> None:
    tree.name_roots("../elsewhere")
    write_skill(tree.top / "elsewhere/office", "pdf")


def without_skill_file(tree: Tree) -> None:
    write(tree.workspace / "high/pdf/README.md", "")


def in_another_directory(tree: Tree) -> None:
    write(tree.workspace / "high/papers/SKILL.md", "---\nname: pdf\ndescription: a\n---\n")


def directory_in_wrong_case(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "PDF")


def near(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdfs")


REASONS: dict[str, tuple[Callable[[Tree], None], str]] = {
    "skipped": (
        skipped,
        (
            "high/pdf/SKILL.md is skipped: yaml-syntax at 3:37: description: a plain value can't "
            'contain ": ".\n'
            '  help: write description: "Reads a PDF in two ways: as text.": '
            "insomnia-skills validate high/pdf --fix\n"
        ),
    ),
    "skipped, file in the wrong case": (
        file_in_wrong_case,
        (
            "high/pdf/skill.md is skipped: wrong-case-filename at 1:1: the file is named skill.md, "
            "only SKILL.md is read.\n"
            "  help: rename skill.md to SKILL.md: insomnia-skills validate high/pdf --fix\n"
        ),
    ),
    "native, broken": (
        broken_native,
        (
            ".insomnia/memory/workflow/pdf.md is broken, so no Pod starts: "
            "workflow-name-key at 3:1: "
            "a native Workflow has no name key, its file's name is its slug.\n"
            "  help: remove the line; "
            "then insomnia-skills validate .insomnia/memory/workflow/pdf.md\n"
        ),
    ),
    "unnamed-root": (
        in_an_unnamed_root,
        (
            ".claude/skills/pdf is there, but no manifest names .claude/skills.\n"
            "  help: insomnia-skills sources add .claude/skills\n"
        ),
    ),
    "unnamed-root, broken": (
        broken_in_an_unnamed_root,
        (
            ".cursor/skills/pdf is there, but no manifest names .cursor/skills, and it is broken: "
            "description-missing at 1:1: description is missing.\n"
            "  help: insomnia-skills sources add .cursor/skills\n"
        ),
    ),
    "unnamed-root, in the home directory": (
        in_the_home_directory,
        (
            "~/.claude/skills/pdf is there, but no manifest names ~/.claude/skills.\n"
            "  help: insomnia-skills sources add ~/.claude/skills --user\n"
        ),
    ),
    "unnamed-root, though the skill is named": (
        named_itself,
        (
            "high/office/pdf is there, but no manifest names high/office.\n"
            "  help: insomnia-skills sources add high/office\n"
        ),
    ),
    "unexpanded-root": (
        where_a_shell_would_look,
        (
            '~/.claude/skills/pdf is there, but insomnia does not expand "~/.claude/skills" at '
            ".insomnia/manifest.toml:4.\n"
            '  help: write "HOME/.claude/skills" there\n'
        ),
    ),
    "skipped, a link that leads nowhere": (
        broken_link,
        (
            'high/pdf is skipped: broken-symlink at 1:1: this is a link to "nowhere", '
            "which leads nowhere.\n"
            "  help: point the link at what was meant, or remove it\n"
        ),
    ),
    "wrong-case, a link that leads nowhere": (
        broken_link_in_wrong_case,
        "high/Pdf is there, but case counts.\n  help: rename it to pdf\n",
    ),
    "nested": (
        nested,
        (
            "high/office/pdf lies too deep: only a root's direct children are skills.\n"
            "  help: insomnia-skills sources add high/office, or move it up\n"
        ),
    ),
    "nested, odd name": (
        in_an_unnamed_root_with_an_odd_name,
        (
            "high/my skills/pdf lies too deep: only a root's direct children are skills.\n"
            "  help: insomnia-skills sources add 'high/my skills', or move it up\n"
        ),
    ),
    "nested, of the user": (
        nested_in_the_users,
        (
            "~/config/skills/office/pdf lies too deep: only a root's direct children are skills.\n"
            "  help: insomnia-skills sources add ~/config/skills/office --user, or move it up\n"
        ),
    ),
    "nested, of the user's manifest": (
        nested_in_a_root_of_the_users_manifest,
        (
            "~/config/more/office/pdf lies too deep: only a root's direct children are skills.\n"
            "  help: insomnia-skills sources add ~/config/more/office --user, or move it up\n"
        ),
    ),
    "nested, out of the workspace": (
        nested_out_of_the_workspace,
        (
            "~/elsewhere/office/pdf lies too deep: only a root's direct children are skills.\n"
            "  help: insomnia-skills sources add ~/elsewhere/office, or move it up\n"
        ),
    ),
    "no-skill-file": (
        without_skill_file,
        "high/pdf is there, but has no SKILL.md.\n  help: write high/pdf/SKILL.md\n",
    ),
    "other-directory": (
        in_another_directory,
        (
            "high/papers has the name pdf, but the directory's name must be the same.\n"
            "  help: rename the directory to pdf\n"
        ),
    ),
    "wrong-case, directory": (
        directory_in_wrong_case,
        "high/PDF is there, but case counts.\n  help: rename it to pdf\n",
    ),
}


@pytest.mark.parametrize(("make", "said"), REASONS.values(), ids=REASONS)
def test_the_likely_reason_and_the_next_step(
    make: Callable[[Tree], None], said: str, tree: Tree
) -> None:
    make(tree)
    said = said.replace("HOME", str(tree.top))
    done = cli.call_in(tree, "resolve", "/pdf", "-q")
    assert done.code == 1
    assert f"No workflow is called /pdf.\n{said}" in done.stderr
    assert f"No workflow is called /pdf.\n{said}" in cli.call_in(tree, "show", "/pdf", "-q").stderr


def test_above_the_workspace_too(tree: Tree) -> None:
    (tree.workspace / ".git").mkdir(parents=True)
    write_skill(tree.workspace / ".claude/skills", "pdf")
    inner = tree.workspace / "packages"
    (inner / ".insomnia").mkdir(parents=True)
    assert cli.call_in(tree, "resolve", "/pdf", cwd=inner).stderr == (
        "No workflow is called /pdf.\n"
        "../.claude/skills/pdf is there, but no manifest names ../.claude/skills.\n"
        "  help: insomnia-skills sources add ../.claude/skills\n"
    )


def test_what_the_user_has_elsewhere_is_no_reason_with_no_user(tree: Tree) -> None:
    in_the_home_directory(tree)
    done = cli.call_in(tree, "resolve", "/pdf", "--no-user")
    assert done.stderr == f"No workflow is called /pdf.\n{LIST_SAYS}"


def test_what_begins_with_a_dot_is_not_to_be_added(tree: Tree) -> None:
    write_skill(tree.workspace / ".claude/skills", ".pdf")
    done = cli.call_in(tree, "resolve", "/.pdf")
    assert done.stderr == f"No workflow is called /.pdf.\n{LIST_SAYS}"


def test_left_out_with_no_user(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf")
    done = cli.call_in(tree, "resolve", "/pdf", "--no-user")
    assert done.code == 1
    assert done.stderr == (
        "No workflow is called /pdf.\n"
        "~/config/skills/pdf is there, but --no-user leaves it out.\n"
        "  help: leave --no-user out\n"
    )


def test_a_slug_in_wrong_case(tree: Tree) -> None:
    write_skill(tree.workspace / "high", "pdf")
    assert cli.call_in(tree, "resolve", "/PDF").stderr == (
        "No workflow is called /PDF.\n"
        "/pdf is there, but case counts.\n"
        "  help: insomnia-skills resolve /pdf\n"
    )


def test_a_near_slug_comes_after_a_better_reason(tree: Tree) -> None:
    near(tree)
    nested(tree)
    *_, help_, last = cli.call_in(tree, "resolve", "/pdf", "-q").stderr.splitlines()
    assert help_.startswith("  help: insomnia-skills sources add")
    assert last == "Nearest: /pdfs"


def test_reasons_come_in_order_of_likelihood(tree: Tree) -> None:
    for make in (near, directory_in_wrong_case, in_another_directory, nested, in_an_unnamed_root):
        make(tree)
    broken_in_an_unnamed_root(tree)
    break_skill(tree.workspace / "low", "pdf")
    document = cli.call_in(tree, "resolve", "/pdf", "--format", "json").document
    found = [(absence["kind"], absence["error"] is not None) for absence in document["absence"]]
    assert found == [
        ("skipped", True),
        ("unnamed-root", False),
        ("unnamed-root", True),
        ("nested", False),
        ("other-directory", True),
        ("wrong-case", True),
        ("near", False),
    ]
    unnamed = document["absence"][1]
    root = tree.workspace / ".claude/skills"
    assert (unnamed["path"], unnamed["root"]) == (str(root / "pdf/SKILL.md"), str(root))
    assert unnamed["message"] == f"{root}/pdf is there, but no manifest names {root}"
    assert unnamed["help"] == f"insomnia-skills sources add {root}"
    assert document["absence"][-1]["slug"] == "pdfs"


def test_diff_as_json_of_a_slug_that_is_not_there(tree: Tree) -> None:
    done = cli.call_in(tree, "resolve", "/pdf", "--diff", "--format", "json")
    assert (done.code, done.document["comparisons"]) == (1, [])


def test_a_slug_that_is_there_has_no_absence(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf")
    nested(tree)
    assert cli.call_in(tree, "resolve", "/pdf", "--format", "json").document["absence"] == []


def test_a_copy_in_a_root_of_its_own_is_not_too_deep(tree: Tree) -> None:
    nested(tree)
    write_skill(tree.workspace / "high/more", "other")
    tree.name_roots("high", "high/office")
    break_skill(tree.workspace / "high/office", "pdf")
    document = cli.call_in(tree, "resolve", "/pdf", "--format", "json").document
    assert [absence["kind"] for absence in document["absence"]] == ["skipped"]


def test_at_a_terminal_the_ladder_comes_before_the_reason(tree: Tree) -> None:
    in_an_unnamed_root(tree)
    assert see(tree, "resolve", "/pdf") == (
        " rank  source            outcome  why\n"
        " 1     native workflows           not there\n"
        " 2.1   high                       no pdf/\n"
        " 2.2   low                        no pdf/\n"
        " 3     user skills                not there\n"
        "\n"
        "No workflow is called /pdf.\n"
        ".claude/skills/pdf is there, but no manifest names .claude/skills.\n"
        "  help: insomnia-skills sources add .claude/skills\n"
    )


def test_a_directory_that_cannot_be_listed_has_nothing(tree: Tree) -> None:
    root = tree.workspace / ".claude/skills"
    in_an_unnamed_root(tree)
    with denied(root):
        done = cli.call_in(tree, "resolve", "/pdf")
    assert done.stderr == f"No workflow is called /pdf.\n{LIST_SAYS}"
