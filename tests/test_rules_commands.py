"""`rules` and `explain`: the catalogue as people and programs read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills.report.rules.text import example_text, fenced
from insomnia_skills.report.text import safe
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import CATALOGUE, THEMES, theme_of
from tests import cli
from tests.trees import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


# rules


@pytest.mark.parametrize("columns", [80, 200])
def test_rules_is_a_table_by_theme_on_a_terminal(columns: int, tree: Tree) -> None:
    done = cli.call_in(tree, "rules", columns=columns, terminal=True, env=cli.NO_COLOR)
    assert (done.code, done.stderr) == (0, "")
    assert max(map(len, done.lines)) <= columns
    themes = [line.strip() for line in done.lines if line.strip() in THEMES]
    assert themes == list(THEMES)
    rows = re.findall(r"^ ([a-z0-9-]+) +(error|warning|info) ", done.text, re.MULTILINE)
    assert rows == [(rule.name, rule.severity.value) for rule in CATALOGUE.values()]


def test_rules_says_which_have_a_fix(tree: Tree) -> None:
    done = cli.call_in(tree, "rules", columns=200, terminal=True, env=cli.NO_COLOR)
    found = re.findall(r"^ ([a-z0-9-]+) +\w+ +(safe|unsafe) ", done.text, re.MULTILINE)
    assert found == [(rule.name, rule.fix) for rule in CATALOGUE.values() if rule.fix]


def test_rules_in_a_narrow_terminal_is_a_stack_for_each(tree: Tree) -> None:
    done = cli.call_in(tree, "rules", columns=40, terminal=True, env=cli.NO_COLOR)
    stack = (
        "byte-order-mark\n  warning, safe fix\n  The file begins with a UTF-8\n  byte-order mark.\n"
    )
    assert stack in done.text


def test_rules_piped_is_one_record_a_line(tree: Tree) -> None:
    done = cli.call_in(tree, "rules")
    assert (done.code, done.stderr) == (0, "")
    assert [line.split("\t") for line in done.lines] == [
        [
            rule.name,
            rule.severity.value,
            rule.fix or "",
            theme_of(rule),
            rule.summary.replace("``", "`"),
        ]
        for rule in CATALOGUE.values()
    ]


def test_rules_as_json_has_every_rule(tree: Tree) -> None:
    document = cli.call_in(tree, "rules", "--format", "json").document
    assert [rule["name"] for rule in document["rules"]] == list(CATALOGUE)
    (mismatch,) = [rule for rule in document["rules"] if rule["name"] == "name-mismatch"]
    assert mismatch["severity"] == "error"
    assert mismatch["theme"] == "Fields"
    assert mismatch["summary"] == "The `name` is not the name of the directory."
    assert mismatch["why"].startswith("insomnia calls a skill by its directory;")
    assert mismatch["source"] == "specification: name field"
    assert mismatch["fails"].startswith("-- pdf-processing/SKILL.md --\n---\nname: pdf\n")
    assert mismatch["passes"].endswith("---\nRun `pdftotext` on the file.\n")


# explain


@pytest.mark.parametrize("columns", [60, 120])
@pytest.mark.parametrize("rule", CATALOGUE.values(), ids=list(CATALOGUE))
def test_explain_says_all_that_is_known(rule: Rule[..., Any], columns: int, tree: Tree) -> None:
    done = cli.call_in(tree, "explain", rule.name, columns=columns, terminal=True, env=cli.NO_COLOR)
    assert (done.code, done.stderr) == (0, "")
    words = " ".join(done.text.split())
    assert words.startswith(f"{rule.severity.value}[{rule.name}]: ")
    for text in (rule.summary, rule.why, rule.source):
        assert " ".join(text.replace("``", "`").split()) in words
    for example in (rule.fails, rule.passes):
        for line in example_text(example).splitlines():
            if not line.startswith("-- "):
                assert f"    {line}".rstrip() + "\n" in done.text
    assert f"insomnia-skills validate --ignore {rule.name}\n" in done.text
    # Its prose is wrapped between words.
    prose = [line for line in done.lines if not line.startswith("  ") and "<!--" not in line]
    assert [line for line in prose if len(line) > columns and "--ignore" not in line] == []
    # Nothing is written that a terminal acts on.
    assert safe(done.text) == done.text
    assert re.findall(r" +$", done.text, re.MULTILINE) == []


def test_explain_piped_does_not_wrap(tree: Tree) -> None:
    rule = CATALOGUE["name-mismatch"]
    lines = cli.call_in(tree, "explain", rule.name).lines
    assert rule.why in lines


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("byte-order-mark", "\\ufeff---"),
        ("control-character", "\\x1b[31mERROR"),
        ("crlf-line-endings", "name: pdf\\r"),
        ("fence-trailing-blanks", "---\\x20\\x20"),
        ("invisible-character", "in\\u200b three"),
        ("not-utf8", "K{0xF6}ln"),
    ],
)
def test_explain_writes_out_what_nobody_would_see(name: str, shown: str, tree: Tree) -> None:
    assert shown in cli.call_in(tree, "explain", name).text


@pytest.mark.parametrize(
    ("name", "in_a_file", "refused"),
    [
        ("name-mismatch", True, True),
        ("unknown-field", True, False),
        ("requires-missing", True, True),
        ("root-missing", False, False),
        ("manifest-type", False, True),
        ("file-too-large", False, True),
        ("stand-in", False, False),
    ],
)
def test_explain_says_what_silences_a_rule(
    name: str, in_a_file: bool, refused: bool, tree: Tree
) -> None:
    text = cli.call_in(tree, "explain", name).text
    assert (f"<!-- insomnia-skills: ignore {name} -->" in text) is in_a_file
    assert ("insomnia refuses it all the same" in text) is refused


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("byte-order-mark", "safe (validate --fix)"),
        ("name-mismatch", "unsafe, it chooses for you (validate --unsafe-fixes)"),
        ("file-too-large", "by hand"),
    ],
)
def test_explain_says_who_puts_it_right(name: str, label: str, tree: Tree) -> None:
    assert f"\nfix         {label}\n" in cli.call_in(tree, "explain", name).text


def test_explain_takes_several_rules_and_patterns(tree: Tree) -> None:
    done = cli.call_in(tree, "explain", "yaml-t*", "not-utf8", "not-utf8")
    heads = re.findall(r"^error\[([a-z0-9-]+)\]", done.text, re.MULTILINE)
    assert heads == ["not-utf8", "yaml-tag", "yaml-too-deep"]


def test_explain_as_json_gives_the_objects_of_rules(tree: Tree) -> None:
    every = cli.call_in(tree, "rules", "--format", "json").document["rules"]
    some = cli.call_in(tree, "explain", "yaml-*", "--format", "json").document
    assert some == {"version": 1, "rules": [r for r in every if r["name"].startswith("yaml-")]}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("names", "help"),
    [
        (("name-mismtach",), "did you mean name-mismatch or name-"),
        (("NAME_MISMATCH",), "did you mean name-mismatch"),
        (("name-mismatch", "no-such-thing-at-all"), "insomnia-skills rules lists them"),
        (("zz*",), "insomnia-skills rules lists them"),
    ],
)
def test_a_rule_that_is_not_there_is_a_wrong_question(
    names: tuple[str, ...], help: str, form: str, tree: Tree
) -> None:
    done = cli.call_in(tree, "explain", *names, "--format", form)
    assert (done.code, done.text) == (2, "")
    assert f'error: no rule is called "{names[-1]}"\n' in done.stderr
    assert help in done.stderr


def test_explain_without_a_rule_is_a_wrong_question(tree: Tree) -> None:
    done = cli.call_in(tree, "explain")
    assert (done.code, done.text) == (2, "")


# Both


@pytest.mark.parametrize("arguments", [("rules", "--format", "table"), ("explain", "name-type")])
@pytest.mark.parametrize(("color", "colored"), [("always", True), ("never", False)])
def test_color(arguments: tuple[str, ...], color: str, colored: bool, tree: Tree) -> None:
    text = cli.call_in(tree, *arguments, "--color", color, terminal=True).text
    assert ("\x1b" in text) is colored


@pytest.mark.parametrize("command", ["rules", "explain"])
def test_no_option_is_without_effect(command: str, tree: Tree) -> None:
    text = cli.call_in(tree, command, "--help", columns=200).text
    assert set(re.findall(r"--[a-z-]+", text)) == {"--format", "--color", "--help"}


# How examples are shown


@pytest.mark.parametrize(
    ("example", "shown"),
    [
        ("a\nb\n\n", "a\nb"),
        ("a \r\nb\t\n", "a\\x20\\r\nb\t"),
        ("\ufeff---\n\u202e\x00\n", "\\ufeff---\n\\u202e\\x00"),
    ],
)
def test_example_text(example: str, shown: str) -> None:
    assert example_text(example) == shown


@pytest.mark.parametrize(
    ("text", "fence"), [("a", "```"), ("`a`", "```"), ("```sh\n```", "````"), ("`````", "``````")]
)
def test_a_fence_is_longer_than_any_in_its_text(text: str, fence: str) -> None:
    assert fenced(text) == f"{fence}text\n{text}\n{fence}"
