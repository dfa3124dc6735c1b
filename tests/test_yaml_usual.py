"""Frontmatter read without a parser: which, and that no parser would read it otherwise."""

from __future__ import annotations

import random

import pytest

from insomnia_skills.yaml.events import C_FIRST, PURE, compose
from insomnia_skills.yaml.node import Mapping, Plain, plain
from insomnia_skills.yaml.usual import read_usual

BEFORE = "---\n"
AFTER = "---\nname: a name in the body\n"


def read(block: str) -> dict[str, Plain] | None:
    """The plain data of a block between two fences, if it is read without a parser.

    Then both parsers give the same nodes in the same places, and find no fault.
    """
    text, start, end = BEFORE + block + AFTER, len(BEFORE), len(BEFORE + block)
    fields = read_usual(text, start, end)
    if fields is None:
        return None
    for ask in (C_FIRST, PURE):
        node, findings = compose(text, start, end, ask)
        assert findings == []
        assert isinstance(node, Mapping)
        assert list(node.entries.items()) == list(fields.items())
    return {key: plain(entry.value) for key, entry in fields.items()}


USUAL = [
    pytest.param("name: pdf\ndescription: Read. Use it.\n", ["pdf", "Read. Use it."], id="plain"),
    pytest.param("a:   b c   \n", ["b c"], id="blanks-around"),
    pytest.param("a: b\r\nc: d\r\n", ["b", "d"], id="crlf"),
    pytest.param("a: b:c ::d http://e#f\n", ["b:c ::d http://e#f"], id="signs-inside"),
    pytest.param("a: 日本語 é 😀\n", ["日本語 é 😀"], id="unicode"),
    pytest.param("a: ~\nb: 1.10\nc: true\n", [None, "1.10", "true"], id="as-written"),
    pytest.param("a:\nb:  \nc: d\n", [None, None, "d"], id="nothing"),
    pytest.param("a: 'b: #c \\d'\nb: ''\n", ["b: #c \\d", ""], id="single-quotes"),
    pytest.param('a: "b: #c \'d\'"\nb: ""\n', ["b: #c 'd'", ""], id="double-quotes"),
    pytest.param('a: "\\"b\\" \\\\ c\\\\"\n', ['"b" \\ c\\'], id="escaped-quotes"),
    pytest.param("a: >-\n  b: c\n  d # e\nf: g\n", ["b: c d # e", "g"], id="folded-strip"),
    pytest.param("a: >\n b\n c\n", ["b c\n"], id="folded"),
    pytest.param("a: |\r\n  b\r\n  c\r\n", ["b\nc\n"], id="literal-crlf"),
    pytest.param("a: |-\n  b\n  c\n", ["b\nc"], id="literal-strip"),
    pytest.param("a: >\n  b\n\n  c\n  d\n\n\n  e\n", ["b\nc d\n\ne\n"], id="paragraphs"),
    pytest.param("a: |\r\n  b\r\n\r\n  c\r\n", ["b\n\nc\n"], id="literal-paragraphs"),
    pytest.param("a: [b, c d,e-f/1.0 ]\n", [["b", "c d", "e-f/1.0"]], id="list"),
    pytest.param("a: ['b, c', \"d: ]\",'']\n", [["b, c", "d: ]", ""]], id="list-of-quoted"),
    pytest.param("a: []\nb: [ ]\n", [[], []], id="empty-list"),
    pytest.param("a:\n  b: [null, 1.10]\n", [{"b": [None, "1.10"]}], id="list-below-a-key"),
    pytest.param(
        "a:\n  b: c\n  d:\n  e: >-\n    f\n    g\nh: i\n",
        [{"b": "c", "d": None, "e": "f g"}, "i"],
        id="below-a-key",
    ),
]


@pytest.mark.parametrize(("block", "values"), USUAL)
def test_read_without_a_parser(block: str, values: list[Plain]) -> None:
    fields = read(block)
    assert fields is not None
    assert list(fields.values()) == values


OTHERS = [
    *("", "\n", "# a comment\n", "a\n", "- a\n", "{a: b}\n", "a: b\n\nc: d\n", "a: b\n# c\n"),
    *("a:b\n", "a: b\n c\n", "a: b\n  c: d\n", "a: b: c\n", "a: b #c\n", "a: b:\n", "a: #b\n"),
    *("a: [b\n", "a: [b,]\n", "a: [b,,c]\n", "a: [b: c]\n", "a: [b:c]\n", "a: [-]\n"),
    *("a: [[b]]\n", "a: [b] c\n", "a: [b] # c\n", "a: [b,\n  c]\n", "a: ['b'c]\n"),
    *("a: ['it''s']\n", "a: ['b': c]\n", 'a: ["b\\n"]\n'),
    *("a: {b: c}\n", "a: *b\n", "a: &b c\n", "a: !b c\n", "a: @b\n", "a: -b\n"),
    *("a: 'b' c\n", "a: 'b\n", "a: '\n", "a: 'it''s'\n", 'a: "b" c\n', 'a: "b\n', 'a: "\n'),
    *('a: "b"c"\n', 'a: "b\\"\n', 'a: "b\\tc"\n', 'a: "b\\\\"c"\n', 'a: "\\ud83d"\n'),
    *("a: >\n", "a: >\nb: c\n", "a: >+\n  b\n", "a: |2\n  b\n", "a: > # b\n  c\n"),
    *("a: >\n\n  b\n", "a: >\n  b\n \n  c\n", "a: >\n  b\n    c\n", "a: >\n    b\n  c\n"),
    *("a: |\n  b \n  c\n", "a: |\n  b\n\nc: d\n"),
    *("a: >\n  b\n\tc\n", "a: |\n  \r\n  b\n", "a:\n  b: >\n  c: d\n", "a:\n  b: >\n  c\n"),
    *("a:\n  b:\n    c: d\n", "a:\n  - b\n", "a:\n- b\n", "a:\n  b: c\n d: e\n", "a:\n  b\n"),
    *("a: b\na: c\n", "a:\n  b: c\n  b: d\n", " a: b\n", "1: b\n", "é: b\n", '"a": b\n', "a : b\n"),
    *("a:\tb\n", "a: b\tc\n", "a: b\rc: d\n", "a: b\x85c\n", "a: b\u2028c\n", "a: \ufeffb\n"),
    *("a: b\x00\n", "a: b\x7f\n", "a: b\xa0c\n", "a: \u3000b\n", "a: |\n  b\u2029c\n", "a: b"),
    f"{'a' * 65}: b\n",
]


@pytest.mark.parametrize("block", [pytest.param(block, id=repr(block)) for block in OTHERS])
def test_left_to_the_parsers(block: str) -> None:
    assert read(block) is None


def test_no_parser_reads_it_otherwise() -> None:
    dice = random.Random(20261130)
    blocks = [param.values[0] for param in USUAL]
    pieces = [*"abc-:#'\"\\>|[]{}&*!%@`?,~. \t\n\r", "\r\n", ": ", " #", "\n  ", "\n    ", '\\"']
    pieces += ["b: ", "\nc: ", "\nd:\n  e: ", ": >-\n  ", ": |\n  ", "---", "...", "null", "0x1"]
    pieces += ["x: [b, c]\n", ", ", "'d'", "\n\n"]
    pieces += ["<<", "- ", "\x85", "\ufeff", "\u2028", "\xa0", "é", "😀"]
    read_here = 0
    for _ in range(5000):
        block = str(dice.choice(blocks))
        for _ in range(dice.randint(1, 3)):
            at = dice.randint(0, len(block))
            block = block[:at] + dice.choice(pieces) + block[at + dice.randint(0, 2) :]
        read_here += read(block) is not None
    assert read_here > 500
