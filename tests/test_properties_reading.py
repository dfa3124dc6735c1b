"""What holds for reading any SKILL.md at all, tried on texts that hypothesis makes up."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from insomnia_skills.diagnostic import Diagnostic, Severity, Span
from insomnia_skills.file import decode as decode_bytes
from insomnia_skills.frontmatter import parse
from insomnia_skills.judged import Judged, decode, encode
from insomnia_skills.limits import MAX_FRONTMATTER_CHARACTERS
from insomnia_skills.markup import Markup, hints
from insomnia_skills.skill import judge_file
from insomnia_skills.yaml.events import C_FIRST, PURE, Parser, compose
from insomnia_skills.yaml.node import Mapping, Node, Plain, Scalar, Sequence, plain
from insomnia_skills.yaml.usual import read_usual
from tests import strategies
from tests.cli import call_in
from tests.trees import Tree, write

IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
BEFORE, AFTER = "---\n", "---\n# Body\n\na: [b\n"
SECONDS = 5
"""Of the processor, that is. No example takes a tenth of that; a machine may be slow."""

LINE_END = re.compile(r"\r\n|\r|\n")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A workspace whose one skills root is ``skills``."""
    tree = Tree(tmp_path_factory.mktemp("properties"))
    tree.name_roots("skills")
    return tree


def judge(place: Path, data: bytes, thorough: bool = True) -> Judged:
    return judge_file(str(place), "pdf", thorough, file=decode_bytes(data))


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    begin = time.process_time()
    yield
    assert time.process_time() - begin < SECONDS


# --- whatever the bytes are ----------------------------------------------------------------------


@given(data=strategies.files())
def test_any_bytes_have_a_result(data: bytes, tree: Tree) -> None:
    place = tree.workspace / "skills" / "pdf" / "SKILL.md"
    with in_time():
        brief, thorough = judge(place, data, thorough=False), judge(place, data)
    # More is said by a thorough reading, and nothing else.
    assert brief.record == thorough.record
    assert [d for d in thorough.diagnostics if d in brief.diagnostics] == list(brief.diagnostics)
    errors = [[d for d in judged.diagnostics if is_error(d)] for judged in (brief, thorough)]
    assert errors[0] == errors[1]
    assert bool(errors[0]) == (brief.record is None)
    for diagnostic in thorough.diagnostics:
        assert diagnostic.rule
        assert diagnostic.message
        assert diagnostic.path == place


@given(data=strategies.files())
def test_judging_again_and_keeping_it_change_nothing(data: bytes, tree: Tree) -> None:
    place = tree.workspace / "skills" / "pdf" / "SKILL.md"
    for thorough in (False, True):
        judged = judge(place, data, thorough)
        assert judge(place, data, thorough) == judged
        assert decode(encode(judged), str(place), "pdf") == judged


@given(data=strategies.files(), format=st.sampled_from(("text", "json", "github", "sarif")))
def test_any_bytes_can_be_validated(data: bytes, format: str, tree: Tree) -> None:
    path = write(tree.workspace / "skills" / "pdf" / "SKILL.md", data)
    with in_time():
        run = call_in(tree, "validate", path.parent, "--format", format)
    is_valid = judge(path, data).record is not None
    assert run.code == (0 if is_valid else 1), run.both
    if format in ("json", "sarif"):
        assert run.document


HOSTILE = (
    *strategies.YAML_SIGNS,
    *strategies.MARKDOWN,
    *strategies.ODD,
    "a: b\tc\n",
    "[[",
    "&a b,",
)


@given(
    start=strategies.pieces(("a: ", "- ", "[", "{", "x: [", "|\n  ", "'", '"', "# "), 2),
    piece=strategies.pieces(HOSTILE, 3),
    end=strategies.pieces(("\n", "]", "}", "'", '"', "x: e: f\n"), 3),
    in_body=st.booleans(),
)
@example(start="a: ", piece="b\tc ", end="\nx: e: f\n", in_body=False)
@example(start="x: [", piece="&a b,", end="]\n", in_body=False)
def test_a_piece_repeated_costs_no_more_than_a_text(
    start: str, piece: str, end: str, in_body: bool, tree: Tree
) -> None:
    place = tree.workspace / "skills" / "pdf" / "SKILL.md"
    size = MAX_FRONTMATTER_CHARACTERS - 100 if IS_LONG else 2000
    text = start + piece * (size // max(len(piece), 1)) + end
    if in_body:
        text = f"name: pdf\ndescription: Reads. Use it.\n---\n{text}"
    data = f"---\n{text}\n---\n".encode("utf-8", "surrogatepass")
    with in_time():
        judged = judge(place, data)
    assert len(encode(judged)) < 10_000_000


# --- places --------------------------------------------------------------------------------------


def is_error(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is Severity.ERROR


class Text:
    """A text with lines and columns, found anew for each place."""

    def __init__(self, data: bytes) -> None:
        self.text = decode_bytes(data).text
        self.has_bom = data.startswith(b"\xef\xbb\xbf")
        self.starts = [0, *(match.end() for match in LINE_END.finditer(self.text))]
        self.lines = LINE_END.split(self.text)

    def offset(self, line: int, column: int) -> int:
        assert 1 <= line <= len(self.starts)
        assert column >= 1
        offset = self.starts[line - 1] + column - 1
        last = self.starts[line] if line < len(self.starts) else len(self.text) + 1
        assert offset < last, "a column behind the end of its line"
        return offset

    def offsets(self, span: Span) -> tuple[int, int]:
        start, end = self.offset(*span[:2]), self.offset(*span[2:])
        assert start <= end
        return start, end


@given(data=strategies.files())
def test_every_place_lies_in_the_file(data: bytes, tree: Tree) -> None:
    place = tree.workspace / "skills" / "pdf" / "SKILL.md"
    text = Text(data)
    diagnostics = judge(place, data).diagnostics
    for diagnostic in diagnostics:
        text.offsets(diagnostic.span)
        for related in diagnostic.related:
            if related.path == place:
                text.offsets(related.span)
        if diagnostic.excerpt:
            line, column = text.lines[diagnostic.line - 1], diagnostic.excerpt.column
            assert line[column - 1 :].startswith(diagnostic.excerpt.text)
            assert diagnostic.excerpt.text.strip()
            assert 1 <= column <= diagnostic.column
            assert diagnostic.column - column <= len(diagnostic.excerpt.text)
        if diagnostic.fix:
            assert_applicable(diagnostic, text)
    assert [d.span[:2] for d in diagnostics] == sorted(d.span[:2] for d in diagnostics)


def assert_applicable(diagnostic: Diagnostic, text: Text) -> None:
    """The edits of a fix lie in the file, and apart; each changes something."""
    assert diagnostic.fix
    places = []
    for span, new in diagnostic.fix.edits:
        if span.column == 0:
            assert (text.has_bom, span.line, new) == (True, 1, "")
            places.append((-1, text.offset(*span[2:])))
        else:
            places.append(text.offsets(span))
        assert places[-1][0] < places[-1][1] or new
    for (_, end), (start, _) in pairwise(sorted(places)):
        assert end <= start


def pieces(node: Node | None) -> Iterator[Node]:
    """A node with everything in it, keys included, in order; each lies within what holds it."""
    if node is None:
        return
    yield node
    parts: list[Node] = []
    if isinstance(node, Mapping):
        parts = [part for entry in node.entries.values() for part in entry]
    elif isinstance(node, Sequence):
        parts = list(node.items)
    for part in parts:
        assert node.start <= part.start <= part.end <= max(node.end, part.end)
        yield from pieces(part)
    for before, after in pairwise(parts):
        assert before.end <= after.start


@given(block=strategies.blocks())
def test_a_value_is_what_stands_at_its_place(block: str) -> None:
    text = BEFORE + block + AFTER
    node, findings = compose(text, len(BEFORE), len(BEFORE + block))
    for finding in findings:
        assert len(BEFORE) <= finding.start <= finding.end <= len(BEFORE + block)
    if findings:
        return
    for piece in pieces(node):
        assert len(BEFORE) <= piece.start <= piece.end <= len(BEFORE + block)
        written = text[piece.start : piece.end]
        assert written == written.strip(" \n\r")
        if not isinstance(piece, Scalar):
            continue
        if piece.style in ("|", ">"):
            assert written.startswith(piece.style)
        elif piece.style:
            assert len(written) >= 2
            assert written[0] == written[-1] == piece.style
        if piece.style not in ("|", ">") and written.strip("-?:") and written[-1] != ":":
            # Read alone, it is the same.
            alone = f"? {written}\n" if "\n" not in written and "\r" not in written else written
            again, _ = compose(alone, 0, len(alone))
            if isinstance(again, Mapping):
                again = next(iter(again.entries.values())).key
            assert again is not None
            assert plain(again) == plain(piece)
        assert bool(written) == (piece.value != "" or piece.style != "")


# --- the readers ---------------------------------------------------------------------------------


def read(block: str, ask: tuple[Parser, ...] | None = None) -> tuple[Node | None, list[Any]]:
    return compose(BEFORE + block + AFTER, len(BEFORE), len(BEFORE + block), ask)


@given(block=strategies.blocks())
@example("a: |\n \n  b\n")
@example("a: *b\n")
@example("*a: b\n")
def test_all_readers_agree(block: str) -> None:
    by_c, by_pure = read(block, C_FIRST), read(block, PURE)
    if {"yaml-alias", "yaml-tag"} & {finding.rule for finding in by_c[1]}:
        # docs/decisions.md: what makes a value more than plain data is refused, in whatever words.
        assert by_pure[1]
    else:
        assert by_c == by_pure
    assert read(block) == by_c
    usual = read_usual(BEFORE + block + AFTER, len(BEFORE), len(BEFORE + block))
    if usual is not None:
        node, findings = by_c
        assert findings == []
        assert isinstance(node, Mapping)
        assert list(node.entries.items()) == list(usual.items())


class _Yaml(YAML):
    """ruamel.yaml as YAML 1.2 has it, without looking for plug-ins."""

    def official_plug_ins(self) -> list[Any]:
        return []


def same(node: Node, loaded: Any) -> bool:
    """Whether ruamel.yaml loaded what was read; we keep numbers and truth values as written."""
    if isinstance(node, Mapping):
        return isinstance(loaded, dict) and (
            len(node.entries) == len(loaded)
            and all(
                same(entry.key, key) and same(entry.value, value)
                for entry, (key, value) in zip(node.entries.values(), loaded.items(), strict=True)
            )
        )
    if isinstance(node, Sequence):
        return isinstance(loaded, list) and (
            len(node.items) == len(loaded) and all(map(same, node.items, loaded))
        )
    if node.is_null:
        return loaded is None
    if node.boolean is not None:
        return loaded is node.boolean
    if node.is_number:
        return type(loaded) in (int, float)
    if isinstance(loaded, datetime.date):  # which YAML 1.2 does not have
        return node.value.startswith(str(loaded.year))
    return isinstance(loaded, str) and loaded == node.value


@given(block=strategies.blocks())
def test_what_is_read_is_what_ruamel_yaml_loads(block: str) -> None:
    assume(not set(block) & set("\t\x85\u2028\u2029\ufeff"))  # which it reads as YAML 1.1 does
    node, findings = read(block)
    assume(not findings)
    try:
        loaded = _Yaml(typ="safe", pure=True).load(block)
    except YAMLError:
        assume(False)
    if node is None:
        assert loaded is None
    else:
        assert same(node, loaded)


@given(data=strategies.plain_data())
def test_plain_data_is_read_as_it_was_written(data: Plain) -> None:
    for written in (strategies.as_blocks({"a": data}), f"a: {strategies.as_json(data)}\n"):
        node, findings = read(written)
        assert findings == []
        assert node is not None
        assert plain(node) == {"a": data}


# --- bodies and what is shown of them ------------------------------------------------------------


@given(text=strategies.texts())
def test_every_part_of_a_body_is_something(text: str) -> None:
    document = parse(Path("SKILL.md"), text)
    assert document.body == text[document.body_start :]
    assert document.body_digest() == parse(Path("x"), text).body_digest()
    markup = Markup(text, document.body_start)
    assert len(markup.visible) == len(text)
    assert markup.unclear in (True, False)
    for offset in range(document.body_start, len(text) + 1):
        place = markup.place(offset)
        assert document.body_start <= place.start <= place.end <= len(text)
        assert place.kind == "other" or place.start <= offset < place.end
        assert markup.section(offset).line(offset) >= 0
        assert markup.in_example(offset) in (True, False)
    for piece in ("$ARGUMENTS", "](", "\n- ", "日本"):
        assert markup.has_any(hints(piece)) == (piece in text)


SHOWN = (
    *(("show", "/pdf", "--format", format) for format in ("table", "plain", "json", "markdown")),
    *(("show", "/pdf", option) for option in ("--as-invoked", "--mapping", "--raw")),
    *(("catalog", "--format", format) for format in ("list", "table", "plain", "json", "xml")),
    ("list",),
    ("resolve", "/pdf"),
    ("scope",),
)


@given(text=strategies.valid_texts(), command=st.sampled_from(SHOWN), terminal=st.booleans())
def test_a_valid_skill_can_be_shown(
    text: str, command: tuple[str, ...], terminal: bool, tree: Tree
) -> None:
    write(tree.workspace / "skills" / "pdf" / "SKILL.md", text)
    run = call_in(tree, *command, terminal=terminal)
    # To a terminal control characters are refused.
    assert run.code == 0 or (terminal and run.code == 1 and "control character" in run.both)
    assert run.stdout or run.stderr
