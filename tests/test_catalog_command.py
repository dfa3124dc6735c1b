"""What every conversation carries: the list, its XML, and how many tokens they take."""

from __future__ import annotations

import random
from pathlib import Path
from xml.etree import ElementTree

import pytest

from insomnia_skills import build_catalog, catalog_xml, estimate_tokens
from insomnia_skills.invocation.catalog import Catalog, measure
from insomnia_skills.invocation.tokens import has_at_most
from insomnia_skills.markup import signs
from tests.cli import NO_COLOR, call_in
from tests.trees import Tree, break_skill, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def catalog(tree: Tree) -> Catalog:
    return build_catalog(tree.ingest().workflows)


def describe(tree: Tree, quoted: str, name: str = "one") -> None:
    """A skill whose description is this, as YAML has it."""
    write_skill(tree.user_skills, name, description=quoted)


# --- what is in it -------------------------------------------------------------------------------


def test_it_has_what_the_model_may_call(tree: Tree) -> None:
    tree.write_workflow("offered", "model_invokation: true", description="For the model.")
    tree.write_workflow("internal", "model_invokation: true", "user_invocable: false")
    tree.write_workflow("typed-only")
    tree.write_workflow("taken")
    write_skill(tree.user_skills, "skill")
    write_skill(tree.user_skills, "taken")
    break_skill(tree.user_skills, "broken")
    found = catalog(tree)
    assert [entry.record.slug for entry in found.entries] == ["internal", "offered", "skill"]
    assert [record.slug for record in found.hidden] == ["taken", "typed-only"]


@pytest.mark.parametrize(
    ("description", "line"),
    [
        pytest.param("Does it.", "- /one: Does it.", id="as-it-is"),
        pytest.param(r'"a\nb\r\nc\rd"', "- /one: a b c d", id="line-ends"),
        pytest.param(r'"a  \n\n   b\n"', "- /one: a b", id="blanks-around-line-ends"),
        pytest.param(r'"a\u2028b\u0085c"', "- /one: a b c", id="other-line-ends"),
        pytest.param("a  b", "- /one: a  b", id="blanks-in-a-line-stay"),
        pytest.param("'- /two: <b> & \"c\"'", '- /one: - /two: <b> & "c"', id="nothing-is-escaped"),
    ],
)
def test_the_list_has_one_line_for_each(tree: Tree, description: str, line: str) -> None:
    describe(tree, description)
    (entry,) = catalog(tree).entries
    assert entry.line == line


def test_sizes_add_up_to_that_of_the_list(tree: Tree) -> None:
    for name in ("a", "bb", "ccc"):
        describe(tree, f"Does {name * 7}. Use when it is wanted.", name)
    found = catalog(tree)
    assert found.size.characters == len(found.text)
    assert found.size.tokens == sum(entry.size.tokens for entry in found.entries)
    assert found.text.splitlines() == [entry.line for entry in found.entries]
    assert [entry.record.slug for entry in found.largest_first] == ["ccc", "bb", "a"]


# --- XML -----------------------------------------------------------------------------------------


def test_xml_is_in_the_form_of_the_reference_library(tree: Tree) -> None:
    describe(tree, "'Joins \"a\" & b <c>.'")
    assert catalog_xml(catalog(tree)) == (
        "<available_skills>\n"
        "<skill>\n"
        "<name>\none\n</name>\n"
        "<description>\nJoins &quot;a&quot; &amp; b &lt;c&gt;.\n</description>\n"
        f"<location>\n{tree.user_skills / 'one' / 'SKILL.md'}\n</location>\n"
        "</skill>\n"
        "</available_skills>"
    )


def test_xml_of_nothing(tree: Tree) -> None:
    assert catalog_xml(catalog(tree)) == "<available_skills>\n</available_skills>"
    assert catalog_xml(catalog(tree)) == call_in(tree, "catalog", "--format", "xml").text.rstrip()


@pytest.mark.parametrize(
    ("escape", "read"),
    [
        pytest.param(r"\0", "\ufffd", id="nul"),
        pytest.param(r"\e", "\ufffd", id="escape"),
        pytest.param(r"\uffff", "\ufffd", id="no-character"),
        pytest.param(r"\x7f", "\x7f", id="delete"),
        pytest.param(r"\x9b", "\x9b", id="c1"),
        pytest.param(r"\r", "\r", id="carriage-return"),
        pytest.param(r"\u202e", "\u202e", id="direction"),
        pytest.param(r"]]>", "]]>", id="end-of-a-cdata-section"),
        pytest.param(r"</description><name>", "</description><name>", id="tags"),
        pytest.param(r"\U0001F600", "\U0001f600", id="emoji"),
        pytest.param(r"\n::error::c", "\n::error::c", id="command-of-github"),
        pytest.param(r"##[error]c", "##[error]c", id="command-of-azure"),
    ],
)
def test_xml_is_xml_and_steers_no_terminal_and_no_ci(tree: Tree, escape: str, read: str) -> None:
    describe(tree, f'"a{escape}b"')
    done = call_in(tree, "catalog", "--format", "xml", "--quiet")
    (description,) = ElementTree.fromstring(done.text).iter("description")
    assert description.text == f"\na{read}b\n"
    assert {c for c in done.text if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f"} == set()
    assert "\n::" not in done.text
    assert "##[" not in done.text


def test_a_location_is_escaped_too(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "R&D <new>")
    write_skill(tree.user_skills, "one")
    root = ElementTree.fromstring(catalog_xml(catalog(tree)))
    assert root.findtext("skill/location") == f"\n{tree.user_skills / 'one' / 'SKILL.md'}\n"


# --- tokens --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("   ", 0, id="blanks"),
        pytest.param("the quick brown fox", 4, id="words"),
        pytest.param("internationalization", 3, id="long-word"),
        pytest.param("2026", 2, id="number"),
        pytest.param(".,;:!", 4, id="signs"),
        pytest.param("從檔案擷取文字和表格", 8, id="chinese"),
        pytest.param("スキルを読み込む", 7, id="japanese"),
        pytest.param("텍스트를 추출합니다", 8, id="korean"),
        pytest.param("извлекает текст", 4, id="russian"),
        pytest.param("internation", 2, id="a-letter-over-nine"),
        pytest.param("v1.10b2", 6, id="letters-and-digits-in-a-row"),
        pytest.param("naïve", 2, id="words-end-at-other-letters"),
        pytest.param("a\u00a0\u2003\u2028b", 2, id="all-blanks-are-blanks"),
        pytest.param("a\udc80b", 2, id="what-is-not-utf-8"),
    ],
)
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_what_has_surely_no_more_tokens_has_no_more() -> None:
    dice = random.Random(20261130)
    pieces = [*"aA1. \n\té日🙂", "abcdefghi", "abcdefghij", "b c "]
    told = 0
    for _ in range(3000):
        some = dice.sample(pieces, dice.randint(1, 4))
        text = "".join(dice.choices(some, k=dice.randint(0, 60)))
        tokens = estimate_tokens(text)
        assert not has_at_most(tokens - 1, text.encode(), signs(text.encode()))
        told += has_at_most(tokens + 5, text.encode(), signs(text.encode()))
    assert told > 1000


@pytest.mark.parametrize(
    ("text", "o200k"),
    [
        pytest.param(
            "Extract text and tables from PDF files, fill forms, merge documents. Use when "
            "working with PDF documents or when the user mentions PDFs, forms, or document "
            "extraction.",
            33,
            id="english",
        ),
        pytest.param(
            "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
            35,
            id="japanese",
        ),
        pytest.param("人人生而自由，在尊严和权利上一律平等。", 15, id="chinese"),
        pytest.param(
            "Все люди рождаются свободными и равными в своем достоинстве и правах.",
            17,
            id="russian",
        ),
    ],
)
def test_the_estimate_is_near_a_real_tokenizer(text: str, o200k: int) -> None:
    """The numbers on the right are those of o200k_base, by gpt-tokenizer 4.0.0."""
    assert estimate_tokens(text) == pytest.approx(o200k, rel=0.3)


# --- the command ---------------------------------------------------------------------------------


def two(tree: Tree) -> None:
    describe(tree, "Short.", "small")
    describe(tree, "Long. Use when a long description is what is wanted here.", "tall")


def test_piped_it_is_one_entry_a_line_the_largest_first(tree: Tree) -> None:
    two(tree)
    tree.write_workflow("typed")
    done = call_in(tree, "catalog")
    assert done.lines == [
        "tall\tuser-skill\t67\t18\tLong. Use when a long description is what is wanted here.",
        "small\tuser-skill\t17\t6\tShort.",
    ]
    assert done.stderr == (
        "2 entries: 84 characters, about 24 tokens\n"
        "1 workflow without model_invokation is not in it: /typed\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(("--budget", "24"), 0, id="just-enough"),
        pytest.param(("--budget", "23"), 1, id="one-too-many"),
        pytest.param(("--budget", "24", "--format", "xml"), 1, id="the-xml-needs-more"),
        pytest.param(("--budget", "0"), 1, id="nothing-allowed"),
        pytest.param(("--budget", "-1"), 2, id="negative"),
        pytest.param(("--budget", "8k"), 2, id="not-a-number"),
        pytest.param((), 0, id="no-budget"),
    ],
)
def test_budget(tree: Tree, arguments: tuple[str, ...], code: int) -> None:
    two(tree)
    assert call_in(tree, "catalog", *arguments).code == code


def test_over_budget_says_by_how_much_and_what_is_largest(tree: Tree) -> None:
    two(tree)
    done = call_in(tree, "catalog", "--budget", "10", "--quiet")
    assert (done.code, len(done.lines)) == (1, 2)
    assert done.stderr == (
        "over budget: about 24 tokens, 14 more than 10\n  largest: /tall 18, /small 6\n"
    )


def test_as_xml_every_number_is_about_the_xml(tree: Tree) -> None:
    two(tree)
    done = call_in(tree, "catalog", "--format", "xml", "--budget", "24")
    found = catalog(tree)
    size, small, tall = found.xml_size, *(entry.xml_size for entry in found.entries)
    frame = measure("<available_skills>\n</available_skills>")
    assert size.characters == len(catalog_xml(found))
    assert [a + b + c for a, b, c in zip(frame, small, tall, strict=True)] == list(size)
    assert done.stderr == (
        f"2 entries as XML: {size.characters} characters, about {size.tokens} tokens\n"
        f"over budget: about {size.tokens} tokens, {size.tokens - 24} more than 24\n"
        f"  largest: /tall {tall.tokens}, /small {small.tokens}\n"
    )


def test_the_xml_of_nothing_has_a_size_and_no_largest(tree: Tree) -> None:
    tree.write_workflow("typed")
    done = call_in(tree, "catalog", "--format", "xml", "--budget", "0", "--quiet")
    assert (done.code, done.stderr) == (1, "over budget: about 10 tokens, 10 more than 0\n")


def test_a_budget_where_there_is_nothing_is_a_wrong_question(tree: Tree) -> None:
    tree.workspace.mkdir()
    done = call_in(tree, "catalog", "--budget", "10", "--quiet")
    assert done.code == 2
    assert "--budget: nothing to check, there is no skill and no native Workflow" in done.stderr


def test_an_empty_catalog_is_within_every_budget(tree: Tree) -> None:
    tree.write_workflow("typed")
    done = call_in(tree, "catalog", "--budget", "0", terminal=True)
    assert done.code == 0
    assert done.both == (
        "The catalog is empty: no workflow is offered to the model. Why: insomnia-skills list\n"
        "1 workflow without model_invokation is not in it: /typed\n"
    )


def test_two_without_model_invokation_are_counted(tree: Tree) -> None:
    tree.write_workflow("a")
    tree.write_workflow("b")
    done = call_in(tree, "catalog", "--format", "list")
    assert (done.code, done.text) == (0, "")
    assert "2 workflows without model_invokation are not in it: /a /b\n" in done.stderr


def test_the_list_steers_no_terminal(tree: Tree) -> None:
    describe(tree, r'"a\e[31mb\u202ec"')
    done = call_in(tree, "catalog", "--format", "list", "--quiet", terminal=True)
    assert done.both == "- /one: a\\x1b[31mb\\u202ec\n"


def test_a_small_share_is_not_nothing(tree: Tree) -> None:
    describe(tree, "x", "tiny")
    for number in range(5):
        describe(tree, "word " * 200, f"huge-{number}")
    done = call_in(tree, "catalog", terminal=True, env=NO_COLOR)
    assert "<1%  x" in next(line for line in done.lines if line.startswith(" /tiny"))


def test_json(tree: Tree) -> None:
    two(tree)
    tree.write_workflow("typed")
    done = call_in(tree, "catalog", "--format", "json", "--budget", "10")
    document = done.document
    assert done.code == 1
    assert [(entry["slug"], entry["tokens"]) for entry in document["entries"]] == [
        ("tall", 18),
        ("small", 6),
    ]
    assert document["list"] == {"characters": 84, "tokens": 24}
    assert document["xml"]["characters"] == len(catalog_xml(catalog(tree)))
    assert [entry["xml"]["tokens"] for entry in document["entries"]] == [
        entry.xml_size.tokens for entry in catalog(tree).largest_first
    ]
    assert (document["hidden"], document["budget"], document["within_budget"]) == (
        ["typed"],
        10,
        False,
    )
    assert call_in(tree, "catalog", "--format", "json").document["within_budget"] is None


def test_a_broken_native_workflow_fails_it_but_the_rest_is_printed(tree: Tree) -> None:
    two(tree)
    tree.write_workflow("broken", "name: broken")
    done = call_in(tree, "catalog", "--format", "list", "--quiet")
    assert (done.code, len(done.lines)) == (1, 2)
    assert "workflow-name-key" in done.stderr
