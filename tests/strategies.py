"""Texts for property tests: SKILL.md that are valid, nearly so, or anything at all.

The alphabets here are lists, which is much quicker than what hypothesis makes of all Unicode: where
a test needs characters of its own, let it add pieces to a list and not call ``st.text()``.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from hypothesis import strategies as st

from insomnia_skills.yaml.node import Plain

Texts: TypeAlias = st.SearchStrategy[str]

_CASES = Path(__file__).parent / "cases" / "cases.jsonl"
_NOT_IN_YAML = "[\x7f-\x84\x86-\x9f\ufffe\uffff]"

LINE_ENDS = ("\n", "\r\n", "\r")

ODD = (
    *("\t", "\xa0", "\u3000", "\x85", "\u2028", "\u2029", "\ufeff", "\u200b", "\u200d", "\u202e"),
    *("\x00", "\x07", "\x0c", "\x1b[31m", "\x7f", "\x9b", "\ufffe", "\uffff", "\ufffd"),
    *("é", "e\u0301", "ﬁ", "ß", "İ", "日本", "한국", "א", "😀", "👩‍💻", "\U000e0041", "\U0010fffa"),
)
"""What is rare in a text: controls, odd blanks, line ends of elsewhere, astral letters."""

YAML_SIGNS = (
    *("\n", "\n  ", "\n    ", "\n\n", "\r\n", "\r", " ", "  ", ":", ": ", " :", "#", " #", " # "),
    *("-", "- ", "\n- ", "? ", "!", "!t ", "!!str ", "&", "&x ", "*", "*x", "%", "%YAML 1.2\n"),
    *("|", ">", "|-\n  ", ">+\n  ", "|2\n", "'", '"', "''", "[", "]", "{", "}", ",", ", ", "@"),
    *("{{", "}}", "`", "~", "\\", "\\n", '\\"', "\\x4", "\\ud83d", "\\U00110000", "<<: ", "="),
    *("---", "\n---\n", "\n--- ", "...", "\n...\n", "null", "true", "0x1F", "1e3", "a", "b c"),
    *("a: ", "\nb: ", "\nname: ", "\ndescription: ", "\nmetadata:\n  ", "\nallowed-tools: "),
    *("license: ", "\nversion: 1.10\n", "context: fork", "requires: [a]", "Use when x. "),
)
"""What YAML is made of, and what is mistaken for it."""

MARKDOWN = (
    *(
        "\n",
        "\n\n",
        "  ",
        "    ",
        "\t",
        "# ",
        "- ",
        "1. ",
        "> ",
        "```",
        "```sh\n",
        "~~~",
        "`",
        "``",
    ),
    *("*", "**", "_", "[", "](", ")", "[a](b.md)", "[a](../x)", "![i](a.png)", "]: ", "[a]: b\n"),
    *("<!--", "-->", "<", "</", "<script>", "<example>", "&amp;", "<!-- insomnia-ignore: "),
    *("name-mismatch", "$ARGUMENTS", "$1", "${X}", "!`date`", "{{x}}", "@file.md", "TODO", "|a|b|"),
    *("scripts/run.py", "references/a.md", "python ", "this skill", "\\", "---", "===", "word "),
)
"""What a body is made of."""

WORDS = ("pdf", "Read files.", "Use when asked", "word", "two words", "it's", "http://a.b/c?d=e#f")
"""Text that a plain value of YAML can hold."""


def pieces(choices: Sequence[str], most: int = 12) -> Texts:
    """A few of the pieces, one after the other."""
    return st.lists(st.sampled_from(choices), max_size=most).map("".join)


def mutated(texts: Texts, put: Sequence[str], most: int = 4) -> Texts:
    """Texts with a few characters deleted, put in, replaced or repeated."""
    edit = st.tuples(
        st.integers(0, 4000), st.sampled_from((0, 0, 0, 1, 1, 2, 5, 20)), st.sampled_from(put)
    )
    return st.builds(_edited, texts, st.lists(edit, min_size=1, max_size=most))


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    for place, cut, put in edits:
        at = place % (len(text) + 1)
        text = text[:at] + put + text[at + cut :]
    return text


# --- frontmatter ---------------------------------------------------------------------------------

_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
_keys = st.sampled_from(("a", "b-c", "d_e", "author", "version", "n"))
_scalars: st.SearchStrategy[Plain] = st.one_of(
    _words,
    st.sampled_from((None, "", "1.10", "true", "no", "0x1F", "2026-02-11", "a: b", "c #d", "- e")),
    pieces((*WORDS, *(c for c in ODD if c.isprintable()), " ", "\n", '"', "'", "\\", ": "), 6),
)


def plain_data(most: int = 8) -> st.SearchStrategy[Plain]:
    """What frontmatter can say: texts, nothing, lists, mappings."""
    return st.recursive(
        _scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(_keys, inner, max_size=3)
        ),
        max_leaves=most,
    )


def as_json(data: Plain) -> str:
    """Plain data on one line, as JSON and YAML both have it."""
    written = json.dumps(data, ensure_ascii=False)
    return re.sub(_NOT_IN_YAML, lambda found: f"\\u{ord(found[0]):04x}", written)


def as_blocks(data: Plain, indent: int = 0) -> str:
    """Plain data as YAML in block style: what follows the colon or the dash, line end included."""
    blanks = " " * indent
    if isinstance(data, dict) and data:
        lines = (f"{blanks}{key}:{as_blocks(item, indent + 2)}" for key, item in data.items())
        return "\n" + "".join(lines)
    if isinstance(data, list) and data:
        return "\n" + "".join(f"{blanks}-{as_blocks(item, indent + 2)}" for item in data)
    return "\n" if data is None else f" {as_json(data)}\n"


_broken_values = pieces((*YAML_SIGNS, *WORDS), 5)
_values = st.one_of(
    _words,
    _words.map(as_json),
    _words.map(lambda text: f"'{text.replace(chr(39), chr(39) * 2)}'"),
    st.lists(_words, min_size=1, max_size=3).map(lambda lines: ">-\n  " + "\n  ".join(lines)),
    st.lists(_words, min_size=1, max_size=3).map(lambda lines: "|\n  " + "\n\n  ".join(lines)),
    st.lists(st.sampled_from(("a", "b c", "'d'", '"e"')), max_size=3).map(
        lambda items: f"[{', '.join(items)}]"
    ),
    st.sampled_from(("", "~", "true", "1.10", "{a: b}", "\n  a: b\n  c: [d, e]", "\n- a\n- b")),
)
_lines = st.builds(
    "{}: {}\n".format,
    st.sampled_from(
        ("name", "description", "license", "metadata", "allowed-tools", "a", "Name", "descripton")
    ),
    st.one_of(_values, _values, _broken_values),
)


def blocks() -> Texts:
    """Frontmatter without its fences, or what looks like it; the last line ends."""
    made = st.one_of(
        st.lists(_lines, min_size=1, max_size=5).map("".join),
        pieces((*YAML_SIGNS, *WORDS), 14),
        mutated(st.sampled_from(SEEDS), (*YAML_SIGNS, *ODD)),
        plain_data().map(as_blocks),
        plain_data().map(lambda data: as_json({"a": data})),
    )
    return made.map(lambda block: block if block.endswith(("\n", "\r")) else block + "\n")


SEEDS = (
    "name: pdf\ndescription: Reads PDF files. Use when a PDF is mentioned.\nlicense: MIT\n",
    "name: a\ndescription: >-\n  Folded text\n  over lines.\n\nmetadata:\n  a: b\n  c: [d, e]\n",
    "d: |2-\n    a\n   b\n\nm: {home: http://a.org:80/a, kind: [a:b, 'c']}\nl:\n- e\n- f: g\n",
    "a: \"b\\n\\u00e9 \\\"c\\\"\"\n'd': 'it''s'\ne:\n  - - f\n    - g\n# h\ni: j # k\n",
    "a: 'b\r\n  c'\r\nd: |\r\n  e\r\n\r\n  f\r\ng:\r\n",
    "? a\n: b\n? [c]\n: d\nd: !t e\nf: 日本 😀\nf: twice\ng:\nh: ~\n",
    "a: b\tc\nd:\te\nf: [g,\th]\ni: 'j\tk'\n",
)


# --- whole files ---------------------------------------------------------------------------------

_more_fields = st.lists(
    st.one_of(
        st.sampled_from(("license: MIT", "compatibility: Python 3", "allowed-tools: Read Grep")),
        st.sampled_from(("allowed-tools: [Read]", "model: x", "user-invocable: false", "tags: []")),
        st.dictionaries(_keys, plain_data(3), min_size=1, max_size=3).map(
            lambda data: "metadata:" + as_blocks(data, 2).rstrip("\n")
        ),
        st.just("# a comment"),
    ),
    max_size=3,
    unique_by=lambda line: line.partition(":")[0],
)
_descriptions = st.one_of(
    st.just("Reads PDF files. Use when a PDF is mentioned."),
    _words,
    _words.map(as_json),
    _words.map(lambda text: f">-\n  {text}\n  and more"),
    pieces((*WORDS, *ODD, " ", '"', "\\"), 6).map(lambda text: as_json(f"a{text}")),
)


def bodies() -> Texts:
    """Markdown, or what looks like it; no control characters of the ASCII range."""
    return st.one_of(st.sampled_from(("", "Do it.\n")), pieces((*MARKDOWN, *ODD[:10], *WORDS), 16))


def valid_texts(name: str = "pdf") -> Texts:
    """A SKILL.md without errors for a directory of this name, with whatever warnings."""
    return st.builds(
        lambda description, fields, end, body: (
            "\n".join(("---", f"name: {name}", f"description: {description}", *fields, "---", ""))
            + body
        ).replace("\n", end),
        _descriptions,
        _more_fields,
        st.sampled_from(LINE_ENDS[:2]),
        bodies(),
    )


def texts(name: str = "pdf") -> Texts:
    """A SKILL.md for a directory of this name: valid, nearly so, recorded and mutated, or not."""
    put = (*YAML_SIGNS, *MARKDOWN, *ODD)
    return st.one_of(
        valid_texts(name),
        mutated(valid_texts(name), put),
        mutated(st.sampled_from(RECORDED_TEXTS), put),
        st.builds(
            "---{}{}---{}{}".format,
            st.sampled_from(LINE_ENDS),
            blocks(),
            st.sampled_from(("", *LINE_ENDS, " \n", "\t\r\n")),
            bodies(),
        ),
        pieces((*put, "---\n", "--- \n", f"name: {name}\n", "+++", "\ufeff---\n"), 20),
    )


def files(name: str = "pdf") -> st.SearchStrategy[bytes]:
    """The bytes of a SKILL.md, of which some are no text: see `texts`."""
    written = texts(name).map(lambda text: text.encode("utf-8", "surrogatepass"))
    return st.one_of(
        written,
        written.map(b"\xef\xbb\xbf".__add__),
        st.builds(_spliced, written, st.integers(0, 400), st.binary(min_size=1, max_size=4)),
        st.binary(max_size=60),
        st.sampled_from(RECORDED),
        texts(name).map(lambda text: text.encode("utf-16", "surrogatepass")),
    )


def _spliced(data: bytes, place: int, more: bytes) -> bytes:
    at = place % (len(data) + 1)
    return data[:at] + more + data[at:]


def _recorded() -> tuple[bytes, ...]:
    """The SKILL.md of all recorded cases, each once."""
    found = {}
    for line in _CASES.read_bytes().splitlines():
        for path, content in json.loads(line)["files"].items():
            if path.endswith("SKILL.md"):
                if isinstance(content, str):
                    found[content.encode("utf-8", "surrogatepass")] = path
                elif "base64" in content:
                    found[base64.b64decode(content["base64"])] = path
    return tuple(found)


RECORDED = _recorded()
RECORDED_TEXTS = tuple(data.decode("utf-8", "replace") for data in RECORDED)
