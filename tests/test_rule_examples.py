"""Every rule's documentation has an example that brings the rule, and the same put right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills import Severity
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import CATALOGUE
from insomnia_skills.rules.example import ExampleFile, ExampleKind, parse_example
from tests.examples import check_example, lay_out
from tests.trees import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


each_rule = pytest.mark.parametrize("rule", CATALOGUE.values(), ids=list(CATALOGUE))

SKILL = "---\nname: pdf\n---\n"

BESIDE = {"allowed-tools-list": "allowed-tools-ignored"}
"""Rules whose examples in order bring another one: it warns of the field however it is written."""


# The examples of the rules.


@each_rule
def test_failing_example_brings_the_rule(rule: Rule[..., Any], tree: Tree) -> None:
    assert rule.fails
    found = [d for d in check_example(rule.fails, tree).diagnostics if d.rule == rule.name]
    assert found, "the rule finds nothing in it"
    assert found[0].severity is rule.severity
    fixes = [diagnostic.fix for diagnostic in found if diagnostic.fix]
    assert bool(fixes) is bool(rule.fix)
    assert all(fix.safe is (rule.fix == "safe") for fix in fixes)


@each_rule
def test_passing_example_is_in_order(rule: Rule[..., Any], tree: Tree) -> None:
    assert rule.passes
    check = check_example(rule.passes, tree)
    allowed = BESIDE.get(rule.name)
    grave = [d for d in check.diagnostics if d.severity is not Severity.INFO and d.rule != allowed]
    assert grave == []
    assert rule.name not in {diagnostic.rule for diagnostic in check.diagnostics}


@each_rule
def test_examples_can_be_read_in_a_narrow_terminal(rule: Rule[..., Any]) -> None:
    """Indented by 4 at 100 columns; what is long on purpose is written as a repetition."""
    for line in (rule.fails + rule.passes).splitlines():
        assert len(line) <= 92, line


# How examples are written.


@pytest.mark.parametrize(
    ("text", "files"),
    [
        pytest.param(SKILL, [ExampleFile("pdf/SKILL.md", text=SKILL)], id="no header"),
        pytest.param(
            "-- a/SKILL.md --\n---\n-- a/b.txt --\nb\n\n",
            [ExampleFile("a/SKILL.md", text="---\n"), ExampleFile("a/b.txt", text="b\n\n")],
            id="two files",
        ),
        pytest.param(
            SKILL + "-- pdf/b.txt --\n",
            [ExampleFile("pdf/SKILL.md", text=SKILL), ExampleFile("pdf/b.txt")],
            id="text before the first header",
        ),
        pytest.param(
            "-- a -> ../b c --\n",
            [ExampleFile("a", ExampleKind.LINK, target="../b c")],
            id="link",
        ),
        pytest.param("-- a/ --\n", [ExampleFile("a", ExampleKind.DIRECTORY)], id="directory"),
        pytest.param("-- a (named pipe) --\n", [ExampleFile("a", ExampleKind.PIPE)], id="pipe"),
        pytest.param(
            "-- a (not readable) --\nx\n",
            [ExampleFile("a", text="x\n", readable=False)],
            id="file that is not readable",
        ),
        pytest.param(
            "-- a/ (12 files) --\n",
            [ExampleFile("a", ExampleKind.DIRECTORY, files=12)],
            id="directory with files",
        ),
        pytest.param(
            "-- a/ (not readable) --\n",
            [ExampleFile("a", ExampleKind.DIRECTORY, readable=False)],
            id="directory that is not readable",
        ),
        pytest.param(
            "{3 × ab}{2 × - }{0 × x}\n",
            [ExampleFile("pdf/SKILL.md", text="ababab- - \n")],
            id="repetition",
        ),
        pytest.param(
            "{1000 x a} {{ b }} {n × c} {0xfc} {0x41}\n",
            [ExampleFile("pdf/SKILL.md", text="{1000 x a} {{ b }} {n × c} {0xfc} {0x41}\n")],
            id="no repetition and no byte",
        ),
        pytest.param("K{0xF6}ln\n", [ExampleFile("pdf/SKILL.md", text="K\udcf6ln\n")], id="byte"),
    ],
)
def test_parse(text: str, files: list[ExampleFile]) -> None:
    assert list(parse_example(text)) == files


def test_bytes_are_those_written() -> None:
    (file,) = parse_example("\ufeffK{0xF6}ln, Köln\n")
    assert file.data == b"\xef\xbb\xbfK\xf6ln, K\xc3\xb6ln\n"


def test_lay_out(tree: Tree) -> None:
    example = (
        "-- a/SKILL.md -> b.txt --\n-- a/b.txt --\nb\n-- a/pipe (named pipe) --\n-- empty/ --\n"
        "-- locked (not readable) --\n-- many/ (3 files) --\n-- ~/.config/insomnia/skills/c --\nc\n"
    )
    assert lay_out(example, tree) == [tree.workspace / "locked"]
    assert (tree.workspace / "a/SKILL.md").read_text(encoding="utf-8") == "b\n"
    assert (tree.workspace / "a/pipe").is_fifo()
    assert list((tree.workspace / "empty").iterdir()) == []
    assert len(list((tree.workspace / "many").iterdir())) == 3
    assert (tree.user_skills / "c").read_text(encoding="utf-8") == "c\n"


def test_the_documentation_of_the_format_names_all_of_it() -> None:
    from insomnia_skills.rules import example

    assert re.findall(r"^    -- (.+?) --", example.__doc__ or "", re.MULTILINE) == [
        "PATH",
        "PATH (not readable)",
        "PATH (named pipe)",
        "PATH/",
        "PATH/ (N files)",
        "PATH -> TARGET",
    ]
