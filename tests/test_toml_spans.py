"""Where keys and values stand in a TOML text: exactly the characters that somebody wrote."""

from __future__ import annotations

import tomllib

import pytest

from insomnia_skills.toml_spans import KeyPath, Spans


def keys(text: str) -> dict[KeyPath, str]:
    """Every key by its path, as its span cuts it out of the text."""
    tomllib.loads(text)  # spans are only promised for valid TOML
    found = Spans(text).keys
    return {path: text[start:end] for path, (start, end) in found.items()}


def values(text: str) -> dict[KeyPath, str]:
    """Every value by its path, as its span cuts it out of the text."""
    tomllib.loads(text)
    found = Spans(text).values
    return {path: text[start:end] for path, (start, end) in found.items()}


SURROUNDINGS = (
    "x = {}",
    "x={}#comment\ny = 0\n",
    "# comment\n\n\tx\t=\t{}  # comment\r\ny = 0\r\n",
    "y = 0\n[z]\nq = ['x = 9']\n[t]\n x = {}\n[u]\n",
    "t = [ 0, {},]\n",
    "t = [{}\n,0]\n",
    "t = { y = 0, x = {} }\n",
    "t = {x={}}\n",
)
"""What may stand around a value."""


@pytest.mark.parametrize(
    "written",
    [
        pytest.param('"plain"', id="basic"),
        pytest.param('""', id="basic-empty"),
        pytest.param(r'"a \" b \\"', id="basic-escaped-quote"),
        pytest.param('"# no comment ] , } ="', id="basic-with-signs"),
        pytest.param("'literal'", id="literal"),
        pytest.param("''", id="literal-empty"),
        pytest.param(r"'C:\skills\'", id="literal-ends-in-backslash"),
        pytest.param("'say \"hi\"'", id="literal-with-double-quotes"),
        pytest.param('"""a\nb"""', id="multi-line"),
        pytest.param('""""""', id="multi-line-empty"),
        pytest.param('"""a "quoted" b"""', id="multi-line-with-quotes"),
        pytest.param('"""a ""b"""', id="multi-line-with-two-quotes"),
        pytest.param('""""a"""', id="multi-line-begins-with-quote"),
        pytest.param('"""a"""""', id="multi-line-ends-in-two-quotes"),
        pytest.param('"""a \\""" b"""', id="multi-line-escaped-quote"),
        pytest.param('"""a \\\n   b"""', id="multi-line-continued"),
        pytest.param("'''a\n'b' ''c'''", id="multi-line-literal"),
        pytest.param("'''a'''''", id="multi-line-literal-ends-in-two-quotes"),
        pytest.param("''''''", id="multi-line-literal-empty"),
        pytest.param("'''\\'''", id="multi-line-literal-ends-in-backslash"),
        pytest.param('"日本語 😀"', id="beyond-ascii"),
        pytest.param("true", id="boolean"),
        pytest.param("-1_000", id="integer"),
        pytest.param("0xdead_beef", id="hexadecimal"),
        pytest.param("6.626e-34", id="float"),
        pytest.param("+inf", id="infinity"),
        pytest.param("1979-05-27", id="date"),
        pytest.param("1979-05-27T07:32:00Z", id="date-time"),
        pytest.param("1979-05-27 07:32:00.999-07:00", id="date-blank-time"),
        pytest.param("07:32:00", id="time"),
        pytest.param("[]", id="empty-array"),
        pytest.param("[ 1, 2 ]", id="array"),
        pytest.param("[\n  1, # one ]\n  2,\n]", id="array-over-lines"),
        pytest.param("[[1], ['a', \"]\"]]", id="array-of-arrays"),
        pytest.param("{}", id="empty-inline-table"),
        pytest.param('{ a = 1, b.c = "}" }', id="inline-table"),
        pytest.param("[{a = [1]}, {}]", id="array-of-tables"),
    ],
)
def test_a_value_is_cut_out_exactly(written: str) -> None:
    for surroundings in SURROUNDINGS:
        text = surroundings.replace("{}", written, 1)
        assert written in values(text).values(), text


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("# only a comment", [], id="comment"),
        pytest.param("a = 1\nb = 2\n", [("a",), ("b",)], id="top-level"),
        pytest.param("[t]\na = 1\n[u]\na = 2\n", [("t", "a"), ("u", "a")], id="tables"),
        pytest.param("[t.u]\na = 1\n", [("t", "u", "a")], id="nested-table"),
        pytest.param("a.b.c = 1\n", [("a", "b", "c")], id="dotted-key"),
        pytest.param("[t]\na.b = 1\n", [("t", "a", "b")], id="dotted-key-in-table"),
        pytest.param("a = [5, 6]", [("a", 0), ("a", 1), ("a",)], id="array"),
        pytest.param(
            "a = [[5], [], [6, 7]]",
            [("a", 0, 0), ("a", 0), ("a", 1), ("a", 2, 0), ("a", 2, 1), ("a", 2), ("a",)],
            id="array-of-arrays",
        ),
        pytest.param(
            "a = {b = 1, c = {d = 2}}",
            [("a", "b"), ("a", "c", "d"), ("a", "c"), ("a",)],
            id="inline-tables",
        ),
        pytest.param(
            "[[t]]\na = 1\n[[t.u]]\nb = 1\n[t.u.v]\nc = 1\n[[t]]\na.d = 1\n[[t.u]]\nb = 1\n",
            [
                ("t", 0, "a"),
                ("t", 0, "u", 0, "b"),
                ("t", 0, "u", 0, "v", "c"),
                ("t", 1, "a", "d"),
                ("t", 1, "u", 0, "b"),
            ],
            id="arrays-of-tables",
        ),
        pytest.param(
            "[skills]\ndirectories = ['x', 'y']\n",
            [
                ("skills", "directories", 0),
                ("skills", "directories", 1),
                ("skills", "directories"),
            ],
            id="manifest",
        ),
    ],
)
def test_the_paths_of_values(text: str, paths: list[KeyPath]) -> None:
    assert list(values(text)) == paths


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a = 1", {("a",): "a"}, id="bare"),
        pytest.param("a-b_9 = 1", {("a-b_9",): "a-b_9"}, id="bare-with-signs"),
        pytest.param("1234 = 1", {("1234",): "1234"}, id="bare-digits"),
        pytest.param('"a b" = 1', {("a b",): '"a b"'}, id="quoted"),
        pytest.param("'a.b' = 1", {("a.b",): "'a.b'"}, id="literal-with-dot"),
        pytest.param('"a=]" = 1', {("a=]",): '"a=]"'}, id="quoted-signs"),
        pytest.param("'' = 1", {("",): "''"}, id="quoted-empty"),
        pytest.param("'\"a\"' = 1", {('"a"',): "'\"a\"'"}, id="quotes-inside-quotes"),
        pytest.param(r'"sk\u0069lls" = 1', {("skills",): r'"sk\u0069lls"'}, id="escaped"),
        pytest.param(r'"a\"b" = 1', {('a"b',): r'"a\"b"'}, id="escaped-quote"),
        pytest.param(r"'a\u0062' = 1", {(r"a\u0062",): r"'a\u0062'"}, id="literal-has-no-escapes"),
        pytest.param("a . 'b' = 1", {("a",): "a", ("a", "b"): "'b'"}, id="blanks-round-dot"),
        pytest.param("[ t ]", {("t",): "t"}, id="table"),
        pytest.param("[t . u]", {("t",): "t", ("t", "u"): "u"}, id="nested-table"),
        pytest.param(
            "[[ t ]]\n[[t]]",
            {("t",): "t", ("t", 0): "t", ("t", 1): "t"},
            id="array-of-tables",
        ),
        pytest.param("['t']#[u]\n# [v]\n", {("t",): "'t'"}, id="comments"),
        pytest.param("a = {b = 1}", {("a",): "a", ("a", "b"): "b"}, id="inline-table"),
    ],
)
def test_keys(text: str, expected: dict[KeyPath, str]) -> None:
    assert keys(text) == expected


# --- asking for one ------------------------------------------------------------------------------

MANIFEST = """\
[skills.more]
x = 1
[skills]
directories = ["a", "b"]
[[skills.tables]]
path = "c"
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        pytest.param(("skills",), 1, id="written-twice-stands-where-it-was-first"),
        pytest.param(("skills", "directories"), MANIFEST.index("directories"), id="key"),
        pytest.param(("skills", "more", "x"), MANIFEST.index("x ="), id="in-a-table"),
        pytest.param(("skills", "absent"), 1, id="the-nearest-above"),
        pytest.param(("skills", "more", "absent", 3), 8, id="the-nearest-far-above"),
        pytest.param(("absent",), 0, id="none-above"),
    ],
)
def test_the_place_of_a_key(path: KeyPath, place: int) -> None:
    assert Spans(MANIFEST).key(*path)[0] == place


@pytest.mark.parametrize(
    ("path", "written"),
    [
        pytest.param(("skills", "directories", 1), '"b"', id="item"),
        pytest.param(("skills", "directories"), '["a", "b"]', id="array"),
        pytest.param(("skills", "more", "x"), "1", id="in-a-table"),
        pytest.param(("skills", "more"), "more", id="of-a-table-its-key"),
        pytest.param(("skills", "tables"), "tables", id="of-an-array-of-tables-its-key"),
        pytest.param(("skills", "tables", 0), "tables", id="of-a-table-in-an-array-its-key"),
    ],
)
def test_the_place_of_a_value(path: KeyPath, written: str) -> None:
    start, end = Spans(MANIFEST).value(*path)
    assert MANIFEST[start:end] == written
