"""YAML to plain data with places, and the promise that it never matters which parser answered."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.limits import MAX_YAML_DEPTH
from insomnia_skills.yaml import events as yaml_events
from insomnia_skills.yaml.events import C_FIRST, PURE, Parser, compose
from insomnia_skills.yaml.node import Mapping, Node, Plain, Scalar, Sequence, plain

BEFORE = "---\n"
AFTER = "---\n# Body\n\na: [b\n"

NEL, LS, PS = "\x85", "\u2028", "\u2029"


def read(block: str, ask: tuple[Parser, ...] | None = None) -> tuple[Node | None, list[Finding]]:
    """What is read from a block of YAML between two fences, by the parsers asked in turn."""
    return compose(BEFORE + block + AFTER, len(BEFORE), len(BEFORE + block), ask)


def value(block: str, ask: tuple[Parser, ...] | None = None) -> Plain:
    """The plain data of a block that has no fault."""
    node, findings = read(block, ask)
    assert findings == []
    return None if node is None else plain(node)


def rules(block: str, ask: tuple[Parser, ...] | None = None) -> list[str]:
    return [finding.rule for finding in read(block, ask)[1]]


def cut(block: str, piece: Node | Finding) -> str:
    """The text that a node or finding stands for."""
    return (BEFORE + block + AFTER)[piece.start : piece.end]


def pieces(node: Node | None) -> Iterator[Node]:
    """A node with everything in it, keys included, in order."""
    if node is None:
        return
    yield node
    if isinstance(node, Mapping):
        for entry in node.entries.values():
            yield entry.key
            yield from pieces(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from pieces(item)


def assert_agreement(block: str) -> None:
    """Both orders of parsers give the same nodes and findings, with places inside the block."""
    by_c, by_pure, by_default = read(block, C_FIRST), read(block, PURE), read(block)
    assert by_c == by_pure
    assert by_default == by_c
    node, findings = by_c
    for piece in (*pieces(node), *findings):
        assert len(BEFORE) <= piece.start <= piece.end <= len(BEFORE + block)
    for finding in findings:
        assert finding.rule
        assert finding.severity is Severity.ERROR


# --- valid YAML ----------------------------------------------------------------------------------

VALID = [
    # Nothing.
    pytest.param("", None, id="empty"),
    pytest.param("\n\n", None, id="blank-lines"),
    pytest.param("# only a comment\n", None, id="only-a-comment"),
    # Plain values.
    pytest.param("name: pdf\n", {"name": "pdf"}, id="plain"),
    pytest.param("a: b   \n", {"a": "b"}, id="blanks-at-the-end"),
    pytest.param("a:     b\n", {"a": "b"}, id="blanks-before"),
    pytest.param("a : b\n", {"a": "b"}, id="blank-before-the-colon"),
    pytest.param("a: b:c ::d http://e.f/g?h=i#j\n", {"a": "b:c ::d http://e.f/g?h=i#j"}, id="url"),
    pytest.param("a: b\n  c\n\n  d\n", {"a": "b c\nd"}, id="plain-over-lines"),
    pytest.param("a:\n  b\n  c\nd: e\n", {"a": "b c", "d": "e"}, id="plain-on-the-next-line"),
    pytest.param("a: -b\nc: ?d\ne: :f\n", {"a": "-b", "c": "?d", "e": ":f"}, id="signs-glued"),
    pytest.param("a: b 'c' \"d\" [e] {f}\n", {"a": "b 'c' \"d\" [e] {f}"}, id="signs-inside"),
    pytest.param("a: b & c * d ! e | f > g\n", {"a": "b & c * d ! e | f > g"}, id="marks-inside"),
    pytest.param("a: --- b\nc: ...\n", {"a": "--- b", "c": "..."}, id="markers-inside"),
    pytest.param("1.10: 1.10\ntrue: no\n", {"1.10": "1.10", "true": "no"}, id="as-written"),
    pytest.param("a b c: d\n", {"a b c": "d"}, id="key-with-blanks"),
    pytest.param("<<: a\n", {"<<": "a"}, id="merge-key-is-a-key"),
    pytest.param("=: a\n", {"=": "a"}, id="value-key-is-a-key"),
    pytest.param(
        "日本語: 説明\né: ñ 😀 👩‍💻\n", {"日本語": "説明", "é": "ñ 😀 👩‍💻"}, id="unicode"
    ),
    pytest.param("a: b\xa0c\u3000d\u200be\n", {"a": "b\xa0c\u3000d\u200be"}, id="odd-blanks"),
    pytest.param("a: b", {"a": "b"}, id="no-line-end"),
    # Quoted values.
    pytest.param("a: 'it''s # not: a comment'\n", {"a": "it's # not: a comment"}, id="single"),
    pytest.param("a: ''\nb: \"\"\n", {"a": "", "b": ""}, id="quoted-empty"),
    pytest.param("a: 'b\n  c\n\n  d'\n", {"a": "b c\nd"}, id="single-over-lines"),
    pytest.param(
        'a: "b\\tc\\n\\"d\\" \\\\e \\x41\\u00e9"\n', {"a": 'b\tc\n"d" \\e Aé'}, id="double"
    ),
    pytest.param('a: "b\n  c\n\n  d"\n', {"a": "b c\nd"}, id="double-over-lines"),
    pytest.param('a: "b\\\n  c"\n', {"a": "bc"}, id="double-with-escaped-line-end"),
    pytest.param(
        'a: "\\U0001F600\\N\\L\\P\\_"\n', {"a": f"😀{NEL}{LS}{PS}\xa0"}, id="rare-escapes"
    ),
    pytest.param("'a': b\n\"c\": d\n", {"a": "b", "c": "d"}, id="quoted-keys"),
    pytest.param("'a: b': c\n", {"a: b": "c"}, id="quoted-key-with-colon"),
    pytest.param("a:   'b'   # c\n", {"a": "b"}, id="comment-after-quotes"),
    pytest.param("a: '\tb\t'\n", {"a": "\tb\t"}, id="tab-in-quotes"),
    # Block values.
    pytest.param("a: |\n  b\n    c\n  d\n", {"a": "b\n  c\nd\n"}, id="literal"),
    pytest.param("a: |-\n  b\n\n\nc: d\n", {"a": "b", "c": "d"}, id="literal-strip"),
    pytest.param("a: |+\n  b\n\n\nc: d\n", {"a": "b\n\n\n", "c": "d"}, id="literal-keep"),
    pytest.param("a: |\n  b\n\n\nc: d\n", {"a": "b\n", "c": "d"}, id="literal-clip"),
    pytest.param("a: |2\n    b\n  c\n", {"a": "  b\nc\n"}, id="literal-indent"),
    pytest.param("a: |1-\n   b\n", {"a": "  b"}, id="literal-indent-strip"),
    pytest.param("a: |-2\n    b\n", {"a": "  b"}, id="literal-strip-indent"),
    pytest.param("a: >\n  b\n  c\n\n  d\n    e\n  f\n", {"a": "b c\nd\n  e\nf\n"}, id="folded"),
    pytest.param("a: >-\n  b\n  c\n", {"a": "b c"}, id="folded-strip"),
    pytest.param("a: >+\n  b\n\n", {"a": "b\n\n"}, id="folded-keep"),
    pytest.param("a: >1+\n  b\n\n", {"a": " b\n\n"}, id="folded-indent-keep"),
    pytest.param("a: |\nb: c\n", {"a": "", "b": "c"}, id="literal-empty"),
    pytest.param("a: |+\n\n\nb: c\n", {"a": "\n\n", "b": "c"}, id="literal-keep-only-blank-lines"),
    pytest.param("a: | # why\n  b # text\n", {"a": "b # text\n"}, id="comment-after-indicator"),
    pytest.param("a: |\n  b\n# c\nd: e\n", {"a": "b\n", "d": "e"}, id="comment-ends-a-block"),
    pytest.param("a: |\n  b\n\n  # c\n", {"a": "b\n\n# c\n"}, id="hash-inside-a-block-is-text"),
    pytest.param("a: |\n  ---\n  ...\n  %b\n", {"a": "---\n...\n%b\n"}, id="markers-in-a-block"),
    pytest.param("a: |\n\n  \n  b\n", {"a": "\n\nb\n"}, id="blank-lines-first"),
    pytest.param("a: |\n  b\tc\n  \td\n", {"a": "b\tc\n\td\n"}, id="tab-in-a-block"),
    pytest.param("a: |\n  b", {"a": "b"}, id="block-without-line-end"),
    pytest.param("a: |\n \n  b\n", {"a": "\nb\n"}, id="a-shorter-blank-line-first"),
    pytest.param("a: |\n  \n \n  b\n", {"a": "\n\nb\n"}, id="shorter-blank-lines-first"),
    # Empty values.
    pytest.param("a:\n", {"a": None}, id="empty-value-at-the-end"),
    pytest.param("a:", {"a": None}, id="empty-value-without-line-end"),
    pytest.param("a:\nb:\n\nc: d\n", {"a": None, "b": None, "c": "d"}, id="empty-values"),
    pytest.param("a: # b\nc: ~\n", {"a": None, "c": None}, id="empty-value-before-a-comment"),
    pytest.param("a:\n  # b\n\n\nc: d\n", {"a": None, "c": "d"}, id="empty-value-comment-below"),
    pytest.param('"a" : \n', {"a": None}, id="empty-value-of-a-quoted-key"),
    pytest.param("- \n-\n- a\n", [None, None, "a"], id="empty-items"),
    pytest.param("a:\n-\n-\n", {"a": [None, None]}, id="empty-items-of-a-key"),
    # Lists and mappings in block style.
    pytest.param("- a\n- b\n", ["a", "b"], id="list"),
    pytest.param("a:\n- b\n- c\n", {"a": ["b", "c"]}, id="list-without-indent"),
    pytest.param("a:\n  - b\n  -   c\n", {"a": ["b", "c"]}, id="list-with-indent"),
    pytest.param("- - a\n  - b\n- - c\n", [["a", "b"], ["c"]], id="list-of-lists"),
    pytest.param("- a: b\n  c: d\n- e: f\n", [{"a": "b", "c": "d"}, {"e": "f"}], id="list-of-maps"),
    pytest.param("a:\n  b:\n    c:\n      d: e\n", {"a": {"b": {"c": {"d": "e"}}}}, id="nested"),
    pytest.param("a:\n b: c\nd:\n     e: f\n", {"a": {"b": "c"}, "d": {"e": "f"}}, id="indents"),
    pytest.param("  a: b\n  c: d\n", {"a": "b", "c": "d"}, id="all-indented"),
    # Flow style.
    pytest.param("a: [b, 'c', \"d\"]\n", {"a": ["b", "c", "d"]}, id="flow-list"),
    pytest.param("a: []\nb: {}\n", {"a": [], "b": {}}, id="flow-empty"),
    pytest.param("a: [b, ]\nc: {d: e, }\n", {"a": ["b"], "c": {"d": "e"}}, id="flow-last-comma"),
    pytest.param("a: [\n  b, # c\n  d\n]\n", {"a": ["b", "d"]}, id="flow-over-lines"),
    pytest.param(
        "a: {b: c, d: [e, {f: g}]}\n", {"a": {"b": "c", "d": ["e", {"f": "g"}]}}, id="flow"
    ),
    pytest.param("{a: b, 'c': d}\n", {"a": "b", "c": "d"}, id="all-in-flow"),
    pytest.param("{a, b: , c: }\n", {"a": None, "b": None, "c": None}, id="flow-empty-values"),
    pytest.param("[a: b, c]\n", [{"a": "b"}, "c"], id="flow-pair"),
    pytest.param('{"a":b, "c":"d"}\n', {"a": "b", "c": "d"}, id="json"),
    pytest.param("a: [b c, d\n  e]\n", {"a": ["b c", "d e"]}, id="flow-plain-over-lines"),
    pytest.param("a: [b#c, -d, :e]\n", {"a": ["b#c", "-d", ":e"]}, id="flow-signs-glued"),
    pytest.param(
        "a: {home: http://example.org:80/a, kind: [a:b, c]}\n",
        {"a": {"home": "http://example.org:80/a", "kind": ["a:b", "c"]}},
        id="flow-colon-inside",
    ),
    # Comments.
    pytest.param("# a\n\n# b\nc: d # e\n#f\ng: h#i\n# j\n", {"c": "d", "g": "h#i"}, id="comments"),
    pytest.param(
        "a:\n  # b\n  c: d\n # e\n  f: g\n", {"a": {"c": "d", "f": "g"}}, id="comments-in"
    ),
    pytest.param("a: 'b' # '\nc: [d] # ]\n", {"a": "b", "c": ["d"]}, id="comments-with-signs"),
    # Line ends.
    pytest.param("a: b\r\nc: |\r\n  d\r\n  e\r\n", {"a": "b", "c": "d\ne\n"}, id="crlf"),
    pytest.param("a: b\rc: d\r", {"a": "b", "c": "d"}, id="cr"),
    pytest.param("a: 'b\r\n  c'\r\nd:\r\n", {"a": "b c", "d": None}, id="crlf-in-quotes"),
    pytest.param(
        "a: b\nc: d\r\ne: f\rg: h\n", {"a": "b", "c": "d", "e": "f", "g": "h"}, id="mixed"
    ),
    # Tabs, where YAML allows them.
    pytest.param("a: b # c\td\n", {"a": "b"}, id="tab-in-a-comment"),
    pytest.param("a: [b,\tc]\n", {"a": ["b", "c"]}, id="tab-in-flow"),
    pytest.param("a: b\tc\n", {"a": "b\tc"}, id="tab-in-plain-text"),
    pytest.param("a:\tb\n", {"a": "b"}, id="tab-after-the-colon"),
    pytest.param("a: b\t\n", {"a": "b"}, id="tab-at-the-end"),
    pytest.param("a: b\t# c\n", {"a": "b"}, id="tab-before-a-comment"),
    pytest.param("a: b \tc\n", {"a": "b \tc"}, id="tab-after-a-blank"),
    pytest.param("a: b\t\t c\n", {"a": "b\t\t c"}, id="tabs-before-a-blank"),
    pytest.param("a\t: b\tc\n", {"a": "b\tc"}, id="tab-before-the-colon"),
    pytest.param("a: 'b:\tc'\nd: e\tf\n", {"a": "b:\tc", "d": "e\tf"}, id="tab-after-quoted-colon"),
    pytest.param("a: b [\tc\n  'd\te\n", {"a": "b [\tc 'd\te"}, id="tab-after-signs-in-text"),
    pytest.param(
        "a: |\n  -\tb\n  c:\td\ne:\tf\n", {"a": "-\tb\nc:\td\n", "e": "f"}, id="tabs-in-text"
    ),
    pytest.param(
        "a: |\t\n  b\nc: >2-\t# d\n    e\n", {"a": "b\n", "c": "  e"}, id="tab-in-a-header"
    ),
    pytest.param('"a\\\tb":\t"\\\tc"\t\n', {"a\tb": "\tc"}, id="escaped-tab"),
    pytest.param("-\ta\n- -\tb\n  -\tc\n", ["a", ["b", "c"]], id="tab-after-a-dash"),
    pytest.param("? \ta\n:\tb\n", {"a": "b"}, id="tab-in-an-explicit-key"),
    pytest.param("a: b\t\n  \tc\n \t\n  d\n", {"a": "b c\nd"}, id="tabs-on-other-lines"),
    # Characters that stand for nothing may stand anywhere.
    pytest.param(
        "a: b\U0010fff9c\U0010fffad\ue000\U000f0000\n",
        {"a": "b\U0010fff9c\U0010fffad\ue000\U000f0000"},
        id="private-use",
    ),
    pytest.param(
        'a: "\\U0010FFFA \\U0010FFF9"\n', {"a": "\U0010fffa \U0010fff9"}, id="escaped-private-use"
    ),
    # Explicit keys.
    pytest.param("? a\n: b\n", {"a": "b"}, id="explicit-key"),
    pytest.param("? a\n", {"a": None}, id="explicit-key-without-value"),
    pytest.param("? 'a'\n:\n  - b\n", {"a": ["b"]}, id="explicit-key-with-a-list"),
    pytest.param("? |\n  a\n: b\n", {"a\n": "b"}, id="explicit-block-key"),
    # The ends of a document.
    pytest.param("a: b\n...\n", {"a": "b"}, id="end-marker-last"),
    pytest.param("a: b\n...\n...\n", {"a": "b"}, id="end-marker-twice"),
    pytest.param("a: b\n... # c\n\n# d\n...\n...\n", {"a": "b"}, id="end-markers-and-comments"),
    pytest.param("\ufeffa: b\n", {"\ufeffa": "b"}, id="bom-first"),
]


@pytest.mark.parametrize(("block", "expected"), VALID)
def test_valid(block: str, expected: Plain) -> None:
    assert value(block) == expected
    assert_agreement(block)


@pytest.mark.parametrize("char", [NEL, LS, PS, "\ufeff"], ids=["nel", "ls", "ps", "bom"])
def test_what_stands_for_a_character_is_nothing_that_is_written(char: str) -> None:
    block = f'a: {char}b\U0010fffd\U0010fffc\nc: "\\U0010FFFB\\U0010fffa"\n'
    data = {"a": f"{char}b\U0010fffd\U0010fffc", "c": "\U0010fffb\U0010fffa"}
    assert value(block) == data
    assert_agreement(block)


@pytest.mark.parametrize("break_", [NEL, LS, PS], ids=["nel", "ls", "ps"])
@pytest.mark.parametrize(
    ("block", "expected"),
    [
        pytest.param("a: x{}y\nb: z\n", {"a": "x{}y", "b": "z"}, id="plain"),
        pytest.param("a: x {} y\nb: z\n", {"a": "x {} y", "b": "z"}, id="plain-between-blanks"),
        pytest.param("a: 'x {} y'\nb: z\n", {"a": "x {} y", "b": "z"}, id="single"),
        pytest.param('a: "x {} y"\nb: z\n', {"a": "x {} y", "b": "z"}, id="double"),
        pytest.param("a: |\n  x{}y\nb: z\n", {"a": "x{}y\n", "b": "z"}, id="literal"),
        pytest.param("a: >\n  x{}y\n  w\nb: z\n", {"a": "x{}y w\n", "b": "z"}, id="folded"),
        pytest.param("a: x # {}c: d\nb: z\n", {"a": "x", "b": "z"}, id="comment"),
        pytest.param("a{}b: z\n", {"a{}b": "z"}, id="key"),
        pytest.param("a: [x{}y]\n", {"a": ["x{}y"]}, id="flow"),
    ],
)
def test_nel_ls_and_ps_are_text(block: str, expected: Plain, break_: str) -> None:
    # YAML 1.2.2, 5.4: unlike in YAML 1.1 they end no line.
    def put(data: Plain) -> Plain:
        if isinstance(data, dict):
            return {key.replace("{}", break_): put(item) for key, item in data.items()}
        if isinstance(data, list):
            return [put(item) for item in data]
        return data.replace("{}", break_) if data else data

    block = block.replace("{}", break_)
    assert value(block) == put(expected)
    assert_agreement(block)


def test_without_the_c_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_events, "CParser", None)
    assert value("a: {b: [c:d]}\ne: 1.10\n") == {"a": {"b": ["c:d"]}, "e": "1.10"}


@pytest.mark.parametrize(
    ("block", "style"),
    [
        pytest.param("a: b\n", "", id="plain"),
        pytest.param("a: 'b'\n", "'", id="single"),
        pytest.param('a: "b"\n', '"', id="double"),
        pytest.param("a: |\n  b\n", "|", id="literal"),
        pytest.param("a: >+\n  b\n", ">", id="folded"),
        pytest.param("a: ''\n", "'", id="quoted-empty"),
        pytest.param("a: 'null'\n", "'", id="quoted-null"),
        pytest.param("a:\n", "", id="empty"),
    ],
)
@pytest.mark.parametrize("ask", [C_FIRST, PURE], ids=["c", "pure"])
def test_the_style_of_a_value(block: str, style: str, ask: tuple[Parser, ...]) -> None:
    node, _ = read(block, ask)
    assert isinstance(node, Mapping)
    scalar = node.entries["a"].value
    assert isinstance(scalar, Scalar)
    assert scalar.style == style


# --- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "cuts"),
    [
        pytest.param("a: b c  # d\n", [..., "a", "b c"], id="plain"),
        pytest.param("a: 'b'  \n", ["a: 'b'", "a", "'b'"], id="quotes-included"),
        pytest.param('"a" : "b"\n', ['"a" : "b"', '"a"', '"b"'], id="quotes-of-a-key"),
        pytest.param(
            "a: b\n  c\n\n\nd: e\n", [..., "a", "b\n  c", "d", "e"], id="plain-over-lines"
        ),
        pytest.param("a: 'b\n\n  c'\n", [..., "a", "'b\n\n  c'"], id="quoted-over-lines"),
        pytest.param("a: |\n  b\n\n\nc: d\n", [..., "a", "|\n  b", "c", "d"], id="literal"),
        pytest.param("a: |+\n  b\n\n", ["a: |+\n  b", "a", "|+\n  b"], id="literal-keep"),
        pytest.param("a: >- # c\n  b\n", [..., "a", ">- # c\n  b"], id="folded-with-comment"),
        pytest.param("a: |\n  b\n# c\nd: e\n", [..., "a", "|\n  b", "d", "e"], id="comment-after"),
        pytest.param("a: |\n\nb: c\n", [..., "a", "|", "b", "c"], id="literal-empty"),
        pytest.param("a:\n", ["a:", "a", ""], id="empty-value"),
        pytest.param(
            "a: {b: c, d: [e]} # f\n",
            [..., "a", "{b: c, d: [e]}", "b", "c", "d", "[e]", "e"],
            id="flow",
        ),
        pytest.param(
            "a: [\n  b\n]\n", ["a: [\n  b\n]", "a", "[\n  b\n]", "b"], id="flow-over-lines"
        ),
        pytest.param("a:\n- b\n- c\n", ["a:\n- b\n- c", "a", "- b\n- c", "b", "c"], id="list"),
        pytest.param(
            "a:\n  b: c\n\n\nd: e\n",
            ["a:\n  b: c\n\n\nd: e", "a", "b: c", "b", "c", "d", "e"],
            id="blank-lines-after-a-mapping",
        ),
        pytest.param(
            "a:\n  b: c\n\n# about d\nd: e\n",
            ["a:\n  b: c\n\n# about d\nd: e", "a", "b: c", "b", "c", "d", "e"],
            id="a-comment-after-a-mapping",
        ),
        pytest.param(
            "a:\n- b # c\n# d\ne: f\n",
            [..., "a", "- b", "b", "e", "f"],
            id="a-comment-after-a-list",
        ),
        pytest.param("? a\n: b\n", ["? a\n: b", "a", "b"], id="explicit-key"),
        pytest.param("a: b\r\nc: |\r\n  d\r\n", [..., "a", "b", "c", "|\r\n  d"], id="crlf"),
        pytest.param("é😀: 日本 # x\nb: c\n", [..., "é😀", "日本", "b", "c"], id="unicode"),
        pytest.param("\ufeffa: b\n", [..., "\ufeffa", "b"], id="bom-first"),
    ],
)
@pytest.mark.parametrize("ask", [C_FIRST, PURE], ids=["c", "pure"])
def test_the_text_of_every_piece(block: str, cuts: list[object], ask: tuple[Parser, ...]) -> None:
    node, _ = read(block, ask)
    found = [cut(block, piece) for piece in pieces(node)]
    assert [mine if mine is ... else other for mine, other in zip(cuts, found, strict=True)] == cuts


@pytest.mark.parametrize(
    ("block", "before"),
    [
        pytest.param("a:\nb: c\n", "a:", id="after-the-colon"),
        pytest.param("a :  # d\nb: c\n", "a :", id="after-a-colon-with-blank"),
        pytest.param("a:\n\n# d\n\nb: c\n", "a:", id="not-at-the-next-key"),
        pytest.param("a:", "a:", id="at-the-end"),
        pytest.param("{a, b: c}", "{a", id="key-without-colon-in-flow"),
        pytest.param("{a: , b: c}", "{a:", id="in-flow"),
        pytest.param("? a\n", "? a", id="explicit-key-without-colon"),
    ],
)
@pytest.mark.parametrize("ask", [C_FIRST, PURE], ids=["c", "pure"])
def test_where_a_missing_value_stands(block: str, before: str, ask: tuple[Parser, ...]) -> None:
    node, _ = read(block, ask)
    assert isinstance(node, Mapping)
    missing = node.entries["a"].value
    assert missing.start == missing.end == len(BEFORE + before)


# --- more than plain data ------------------------------------------------------------------------

REFUSED = [
    # Duplicate keys: the second is underlined.
    pytest.param("a: 1\na: 2\n", [("yaml-duplicate-key", "a")], id="duplicate"),
    pytest.param("a: 1\n'a': 2\n", [("yaml-duplicate-key", "'a'")], id="duplicate-quoted"),
    pytest.param('a: 1\n"\\x61": 2\n', [("yaml-duplicate-key", '"\\x61"')], id="duplicate-escaped"),
    pytest.param("1.0: a\n'1.0': b\n", [("yaml-duplicate-key", "'1.0'")], id="duplicate-number"),
    pytest.param("a:\n  b: 1\n  b: 2\n", [("yaml-duplicate-key", "b")], id="duplicate-nested"),
    pytest.param("a: {b: 1, b: 2}\n", [("yaml-duplicate-key", "b")], id="duplicate-in-flow"),
    pytest.param("- a: 1\n  a: 2\n", [("yaml-duplicate-key", "a")], id="duplicate-in-an-item"),
    pytest.param("a:\na:\n", [("yaml-duplicate-key", "a")], id="duplicate-without-values"),
    pytest.param(
        "a: 1\na: 2\na: 3\n",
        [("yaml-duplicate-key", "a"), ("yaml-duplicate-key", "a")],
        id="duplicate-twice",
    ),
    pytest.param(
        "? {b: 1, b: 2}\n: c\n",
        [("yaml-duplicate-key", "b"), ("yaml-key-type", "{b: 1, b: 2}")],
        id="duplicate-inside-a-key",
    ),
    # Anchors and aliases.
    pytest.param("a: &x b\n", [("yaml-alias", "&x")], id="anchor"),
    pytest.param("a: *x\n", [("yaml-alias", "*x")], id="alias"),
    pytest.param("a: &x b\nc: *x\n", [("yaml-alias", "&x")], id="anchor-and-alias-are-one-fault"),
    pytest.param("a: *x\nb: *x\n", [("yaml-alias", "*x")] * 2, id="alias-twice"),
    pytest.param("a: &x\n", [("yaml-alias", "&x")], id="anchor-without-value"),
    pytest.param("a: **b**\n", [("yaml-alias", "**b**")], id="bold-word"),
    pytest.param("a: # R&D *d !e\n  &x b\n", [("yaml-alias", "&x")], id="anchor-below-a-comment"),
    pytest.param("a: # R&D *d !e\n  !t b\n", [("yaml-tag", "!t")], id="tag-below-a-comment"),
    pytest.param("a: [b, *x]\n", [("yaml-alias", "*x")], id="alias-in-flow"),
    pytest.param("a: &x {b: c}\n", [("yaml-alias", "&x")], id="anchor-of-a-mapping"),
    pytest.param("a: &x\n  - b\n", [("yaml-alias", "&x")], id="anchor-of-a-list"),
    pytest.param("&x a: b\n", [("yaml-alias", "&x")], id="anchor-of-a-key"),
    pytest.param(
        "&x a: b\n&y c: d\n",
        [("yaml-alias", "&x"), ("yaml-alias", "&y")],
        id="anchors-of-two-keys",
    ),
    pytest.param("*x : b\n", [("yaml-alias", "*x")], id="alias-as-key"),
    pytest.param("a: b\n<<: *x\n", [("yaml-alias", "*x")], id="merge"),
    # Tags.
    pytest.param("a: !t b\n", [("yaml-tag", "!t")], id="tag"),
    pytest.param("a: !!str 1\n", [("yaml-tag", "!!str")], id="tag-of-yaml"),
    pytest.param("a: !<tag:x,y> b\n", [("yaml-tag", "!<tag:x,y>")], id="tag-verbatim"),
    pytest.param("a: ! b\n", [("yaml-tag", "!")], id="tag-non-specific"),
    pytest.param("a: !important\n", [("yaml-tag", "!important")], id="tag-without-value"),
    pytest.param("a: [!t b, c]\n", [("yaml-tag", "!t")], id="tag-in-flow"),
    pytest.param(
        "a: !!python/object:os.x {}\n", [("yaml-tag", "!!python/object:os.x")], id="tag-of-python"
    ),
    pytest.param("!t a: b\n", [("yaml-tag", "!t")], id="tag-of-a-key"),
    pytest.param("!t\na: b\n", [("yaml-tag", "!t")], id="tag-of-the-document"),
    pytest.param("a: &x !t b\n", [("yaml-alias", "&x"), ("yaml-tag", "!t")], id="anchor-then-tag"),
    pytest.param("a: !t &x b\n", [("yaml-alias", "&x"), ("yaml-tag", "!t")], id="tag-then-anchor"),
    # Keys that are no text.
    pytest.param("? [a, b]\n: c\n", [("yaml-key-type", "[a, b]")], id="list-as-key"),
    pytest.param("? [a]\n:\n", [("yaml-key-type", "[a]")], id="list-as-key-without-value"),
    pytest.param("[a]: b\n", [("yaml-key-type", "[a]")], id="list-as-key-on-one-line"),
    pytest.param("{a: b}: c\n", [("yaml-key-type", "{a: b}")], id="mapping-as-key"),
    pytest.param("? a: b\n: c\n", [("yaml-key-type", "a: b")], id="block-mapping-as-key"),
    pytest.param("? - a\n", [("yaml-key-type", "- a")], id="block-list-as-key"),
    pytest.param("name: {{name}}\n", [("yaml-key-type", "{{name}}")], id="template"),
    pytest.param("a: {{ b }}\nc: d\n", [("yaml-key-type", "{{ b }}")], id="template-with-blanks"),
    pytest.param("a: [{{b}}, c]\n", [("yaml-key-type", "{{b}}")], id="template-in-a-list"),
    pytest.param("a: { {b: c}: d }\n", [("yaml-key-type", "{b: c}")], id="mapping-as-key-in-flow"),
    pytest.param("a: {{b}: c}\n", [("yaml-key-type", "{b}")], id="mapping-as-key-no-template"),
]


@pytest.mark.parametrize(("block", "expected"), REFUSED)
def test_refused(block: str, expected: list[tuple[str, str]]) -> None:
    for ask in (C_FIRST, PURE):
        _, findings = read(block, ask)
        assert [(finding.rule, cut(block, finding)) for finding in findings] == expected
    assert_agreement(block)


@pytest.mark.parametrize(
    ("block", "says"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", '"a" is already set on line 2', id="line-of-the-file"),
        pytest.param("x:\n  b: 1\n\n  b: 2\n", '"b" is already set on line 3', id="nested"),
        pytest.param("a: 1\na: 2\na: 3\n", '"a" is already set on line 2', id="the-first-counts"),
        pytest.param("a: *x\n", 'YAML reads "*" at the start of a value', id="alias"),
        pytest.param("a: &x b\n", 'YAML reads "&" at the start of a value', id="anchor"),
        pytest.param("a: !t b\n", 'YAML reads "!" at the start of a value', id="tag"),
        pytest.param("[a]: b\n", "a key must be text, this is a list", id="list-as-key"),
        pytest.param("{a: b}: c\n", "a key must be text, this is a mapping", id="mapping-as-key"),
    ],
)
def test_what_a_refusal_says(block: str, says: str) -> None:
    finding = read(block)[1][-1]
    assert says in finding.message
    assert finding.help


def test_the_first_of_two_equal_keys_is_kept() -> None:
    node, _ = read("a: 1\nb: 2\na: 3\n")
    assert node is not None
    assert plain(node) == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("name: *star\n", id="alias"),
        pytest.param("name: &anchor text\n", id="anchor"),
        pytest.param("name: &anchor\n", id="anchor-without-value"),
        pytest.param("name: !tag text\n", id="tag"),
        pytest.param("name: !tag [text]\n", id="tag-of-a-list"),
        pytest.param("name: !tag\n", id="tag-without-value"),
    ],
)
@pytest.mark.parametrize("ask", [C_FIRST, PURE], ids=["c", "pure"])
def test_a_refused_value_is_there_and_marked(block: str, ask: tuple[Parser, ...]) -> None:
    # So its key is not taken for absent, and nothing else is said of it.
    node, _ = read(block, ask)
    assert isinstance(node, Mapping)
    refused = node.entries["name"].value
    assert isinstance(refused, Scalar)
    assert refused.is_refused
    assert not refused.is_null


@pytest.mark.parametrize("sign", ["&anchor ", "!tag "])
def test_a_key_with_a_sign_keeps_its_name(sign: str) -> None:
    node, _ = read(f"{sign}name: pdf\n{sign}license: MIT\n")
    assert isinstance(node, Mapping)
    assert list(node.entries) == ["name", "license"]


def test_a_document_with_a_fault_is_read_on() -> None:
    block = "a: !t 1\nb: *x\nc: 2\nc: 3\nd: 4\n"
    node, findings = read(block)
    assert isinstance(node, Mapping)
    assert list(node.entries) == ["a", "b", "c", "d"]
    assert sorted(finding.rule for finding in findings) == [
        "yaml-alias",
        "yaml-duplicate-key",
        "yaml-tag",
    ]


# --- not YAML ------------------------------------------------------------------------------------

BROKEN = [
    pytest.param("a: b: c\n", id="colon-in-a-plain-value"),
    pytest.param("a: Use when: b\nc: d\n", id="colon-in-a-description"),
    pytest.param("a: b:\n", id="colon-at-the-end"),
    pytest.param("a: | Use when\nb: c\n", id="text-after-a-block-indicator"),
    pytest.param("a: |0\n  b\n", id="indent-of-zero"),
    pytest.param("a: 'b\n", id="quote-not-closed"),
    pytest.param('a: "b\nc: d\n', id="double-quote-not-closed"),
    pytest.param("a: 'b' c\n", id="text-after-quotes"),
    pytest.param('a: "b" and "c"\n', id="two-quoted-words"),
    pytest.param("a: 'it's'\n", id="apostrophe"),
    pytest.param("a: [b, c\n", id="list-not-closed"),
    pytest.param("a: [b, c}\n", id="list-closed-by-a-brace"),
    pytest.param("a: {b: c\nd: e\n", id="mapping-not-closed"),
    pytest.param("a: [b] c\n", id="text-after-a-list"),
    pytest.param("a: {{b}} c\n", id="text-after-a-template"),
    pytest.param("a: [b, , c]\n", id="two-commas"),
    pytest.param("a: `b`\n", id="backtick"),
    pytest.param("a: @b\n", id="at-sign"),
    pytest.param("a: %b\n", id="percent"),
    pytest.param("a: **b** c\n", id="bold-words"),
    pytest.param("a: *\n", id="star-alone"),
    pytest.param("a: & b\n", id="ampersand-alone"),
    pytest.param("a: - b\n", id="list-on-the-line-of-its-key"),
    pytest.param("a: ? b\n", id="question-mark"),
    pytest.param("a: b\nc\n", id="line-without-a-key"),
    pytest.param("a: b\nc\nd: e\n", id="line-without-a-key-inside"),
    pytest.param("a:b\nc: d\n", id="no-blank-after-the-colon"),
    pytest.param("a: b\n c: d\n", id="indented-too-far"),
    pytest.param(" a: b\nc: d\n", id="first-key-indented"),
    pytest.param("a:\n   b: c\n  d: e\n", id="indents-differ"),
    pytest.param("a:\n- b\n c: d\n", id="key-after-an-item"),
    pytest.param("- a\nb: c\n", id="key-after-a-list"),
    pytest.param("a: b\n- c\n", id="item-after-a-key"),
    pytest.param("a:\n\tb: c\n", id="tab-as-indent"),
    pytest.param("\ta: b\n", id="tab-before-the-first-key"),
    pytest.param("a: >\n  b\n c\n", id="block-indented-less"),
    pytest.param("a: b # c\n  d\n", id="comment-inside-a-value"),
    pytest.param('a: "b\\c"\n', id="unknown-escape"),
    pytest.param('a: "\\x4"\n', id="short-escape"),
    pytest.param('a: "\\ud83d\\ude00"\n', id="surrogate-pair"),
    pytest.param('a: "\\ud83d"\n', id="surrogate-alone"),
    pytest.param('a: "\\uDE00 b"\nc: d\n', id="low-surrogate-alone"),
    pytest.param('"\\ud83d": b\n', id="surrogate-in-a-key"),
    pytest.param('a: "\\U00110000"\n', id="escape-beyond-unicode"),
    pytest.param('a: "\\UFFFFFFFF"\n', id="escape-far-beyond-unicode"),
    pytest.param("%YAML 1.2\na: b\n", id="directive"),
    pytest.param("%YAML 1.3\na: b\n", id="directive-of-a-version-to-come"),
    pytest.param("a: b\n%YAML 1.3\n", id="directive-below"),
    pytest.param("%FOO\na: b\n", id="directive-that-is-not-there"),
    pytest.param("%YAML 1.2\n--- # b\nc: d\n", id="directive-and-document"),
    pytest.param("%TAG ! tag:x\n--- a\n", id="tag-directive"),
    pytest.param("--- a\n", id="document-marker-with-text"),
    pytest.param("--- # c\na: b\n", id="document-marker-with-comment"),
    pytest.param("a: b\n--- c\n", id="second-document"),
    pytest.param("a: b\n...\nc: d\n", id="text-after-the-end-marker"),
    pytest.param("a: b\n...\n...\nc: d\n", id="text-after-the-second-end-marker"),
    pytest.param("a: b\n...\n... c\n", id="text-behind-the-second-end-marker"),
    pytest.param("a: 'b\n--- c'\n", id="document-marker-in-quotes"),
    pytest.param("<<<<<<< HEAD\na: b\n=======\n", id="merge-conflict"),
    pytest.param("a: &x &y b\n", id="two-anchors"),
    pytest.param("a: !t !u b\n", id="two-tags"),
    pytest.param("a: &x *y\n", id="anchor-of-an-alias"),
    pytest.param("a: !e!t b\n", id="tag-handle-that-is-not-there"),
]


@pytest.mark.parametrize("block", BROKEN)
def test_broken(block: str) -> None:
    node, findings = read(block)
    assert node is None
    assert [finding.rule for finding in findings] == ["yaml-syntax"]
    (finding,) = findings
    assert finding.severity is Severity.ERROR
    assert finding.message
    assert finding.help
    assert cut(block, finding)
    assert_agreement(block)


@pytest.mark.parametrize("character", [NEL, LS, PS, "\ufeff"], ids=["nel", "ls", "ps", "bom"])
def test_a_message_has_no_character_that_is_not_written(character: str) -> None:
    (finding,) = read(f"a: b\nfoo{character}bar\n")[1]
    assert finding.help
    assert not [char for char in finding.message + finding.help if char > "\U00100000"]


@pytest.mark.parametrize(
    "above",
    [
        pytest.param("a: b\tc\n", id="tab-in-plain-text"),
        pytest.param("a: [b:c]\n", id="colon-in-flow"),
    ],
)
def test_valid_yaml_above_is_not_blamed_for_a_fault(above: str) -> None:
    assert value(above) is not None
    block = above + "d: e: f\n"
    (finding,) = read(block)[1]
    assert finding.rule == "yaml-syntax"
    assert finding.start >= len(BEFORE + above)


@pytest.mark.parametrize(
    "block",
    [
        # libyaml ends the name at the colon, as YAML 1.1 did; in YAML 1.2 the colon is part of it.
        pytest.param("*a: b\n", id="alias-glued-to-a-colon"),
        pytest.param("&a: b\n", id="anchor-glued-to-a-colon"),
        pytest.param("a: *b:c\n", id="alias-with-a-colon-inside"),
    ],
)
@pytest.mark.parametrize("ask", [C_FIRST, PURE], ids=["c", "pure"])
def test_refused_whoever_reads_it(block: str, ask: tuple[Parser, ...]) -> None:
    _, (finding, *_) = read(block, ask)
    assert finding.severity is Severity.ERROR
    assert len(BEFORE) <= finding.start < finding.end <= len(BEFORE + block)


CONTROL = (
    *(0, 1, 7, 8, 0xB, 0xC, 0x1B, 0x1F),
    *(0x7F, 0x80, 0x84, 0x86, 0x9F),
    *(0xFFFE, 0xFFFF),
)


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("a: b{}c\n", id="plain"),
        pytest.param("a: 'b{}c'\nd: e\n", id="single"),
        pytest.param('a: "b{}c"\nd: e\n', id="double"),
        pytest.param("a: |\n  b{}c\n", id="literal"),
        pytest.param("é😀: b # {}c\n", id="comment"),
        pytest.param("{}a: b\n", id="first"),
        pytest.param("a: b{}\n", id="last"),
    ],
)
def test_control_characters(block: str) -> None:
    for code in CONTROL:
        text = block.replace("{}", chr(code))
        node, findings = read(text)
        assert node is None
        (finding,) = findings
        assert finding.rule == "control-character"
        assert f"U+{code:04X}" in finding.message
        assert cut(text, finding) == chr(code)
        assert_agreement(text)


# --- limits --------------------------------------------------------------------------------------


def nested(levels: int) -> str:
    """So many lists, each in the other, in a mapping."""
    return f"a: {'[' * levels}{']' * levels}\n"


def test_the_depth_limit() -> None:
    assert MAX_YAML_DEPTH == 32
    assert rules(nested(31)) == []
    assert rules(nested(32)) == ["yaml-too-deep"]


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(nested(40), id="lists"),
        pytest.param("{a: " * 40 + "}" * 40, id="mappings"),
        pytest.param("- " * 40 + "a\n", id="block-lists"),
        pytest.param("".join(" " * depth + "a:\n" for depth in range(40)), id="block-mappings"),
        pytest.param("? " * 40 + "a\n", id="keys"),
        pytest.param("? " + "[" * 40 + "]" * 40, id="lists-in-a-key"),
        pytest.param("[" * 20_000, id="hostile-lists"),
        pytest.param("{a: " * 15_000, id="hostile-mappings"),
        pytest.param("- " * 30_000 + "\n", id="hostile-block-lists"),
    ],
)
@pytest.mark.parametrize("ask", [C_FIRST, PURE], ids=["c", "pure"])
def test_too_deep(block: str, ask: tuple[Parser, ...]) -> None:
    node, findings = read(block, ask)
    assert node is None
    (finding,) = findings
    assert finding.rule == "yaml-too-deep"
    assert finding.severity is Severity.ERROR
    assert "32 levels" in finding.message
    assert len(cut(block, finding)) == 1


def test_too_deep_points_at_the_first_level_too_many() -> None:
    (finding,) = read(nested(40))[1]
    assert finding.start == len(BEFORE) + nested(40).index("[") + 31


def test_many_tabs_on_a_line_cost_no_more_than_a_text() -> None:
    block = "a: " + "b\tc " * 12_000 + "\nx: e: f\n"
    begin = time.process_time()
    assert rules(block) == ["yaml-syntax"]
    assert time.process_time() - begin < 5


def test_many_equal_keys_cost_no_more_than_many_keys() -> None:
    # As many as fit, above a long body: each is told with the line of the first.
    block, body = "a: b\n" * 200, "text\n" * 50_000
    text = BEFORE + block + AFTER + body
    begin = time.perf_counter()
    _, findings = compose(text, len(BEFORE), len(BEFORE + block))
    assert time.perf_counter() - begin < 0.5
    assert len(findings) == 199


# --- at random -----------------------------------------------------------------------------------

PLAIN = """\
name: pdf-tools
description: Reads PDF files. Use when a PDF is mentioned.
license: MIT
"""
FOLDED = """\
name: a
description: >-
  Folded text
  over lines.

metadata:
  author: b
  tags: [c, d]
"""
FLOW = """\
d: |2-
    a
   b

m: {home: http://example.org:80/a, kind: [a:b, 'c']}
l:
- e
- f: g
"""
QUOTED = """\
a: "b\\n\\u00e9 \\"c\\""
'd': 'it''s'
e:
  - - f
    - g
# h
i: j # k
"""
REFUSED_AT_LAST = """\
? a
: b
? [c]
: d
d: !t e
f: 日本 😀
f: twice
g:
h: ~
"""
SEEDS = (PLAIN, FOLDED, FLOW, QUOTED, QUOTED.replace("\n", "\r\n"), REFUSED_AT_LAST)

ALPHABET = (
    *("\n", "\n", "\n  ", "\r\n", "\r", " ", "  ", ":", ": ", "#", " #", "-", "- ", "? ", "!", "%"),
    *("|", ">", "|-\n", ">+\n", "'", '"', "''", "[", "]", "{", "}", ",", "{{", "}}", "@", "`", "~"),
    *(
        "\\",
        "\\n",
        "\\x4",
        "\\ud83d",
        "\\U00110000",
        "---",
        "\n--- ",
        "...",
        "\n...\n",
        "<<: ",
        "=",
    ),
    *("a", "a: ", "0", "é", "😀", "\xa0", "\u200b", "\x07", "\x7f", "\ufffe"),
)


def mutated(chance: random.Random) -> str:
    """A block with a few characters deleted, put in, replaced or repeated."""
    block = chance.choice(SEEDS)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(block))
        end = at + chance.choice((0, 0, 0, 1, 1, 2, 5, 20))
        put = chance.choice((*ALPHABET, "", block[end : end + 12]))
        block = block[:at] + put + block[end:]
    return block if block.endswith(("\n", "\r")) else block + "\n"


@pytest.mark.parametrize("seed", range(8))
def test_parsers_agree_on_random_changes(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(120):
        assert_agreement(mutated(chance))
