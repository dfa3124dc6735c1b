"""A file's text becomes fields and a body: where the frontmatter begins and where it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.frontmatter import (
    Document,
    parse,
    read_document,
)
from insomnia_skills.limits import MAX_FRONTMATTER_CHARACTERS
from insomnia_skills.yaml.node import Plain, plain
from tests.trees import link, write

PATH = Path("/skills/pdf/SKILL.md")
BODY = "# Title\n\nText.\n"


def fields(document: Document) -> dict[str, Plain]:
    """The fields of a document that has some, as plain data."""
    assert document.fields is not None
    return {key: plain(entry.value) for key, entry in document.fields.items()}


def the_error(document: Document) -> Finding:
    """The one error of a document that could not be read."""
    assert document.fields is None
    (error,) = (f for f in document.findings if f.severity is Severity.ERROR)
    return error


def underlined(document: Document, finding: Finding) -> str:
    return document.text[finding.start : finding.end]


# --- the fences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected", "body"),
    [
        pytest.param("---\na: b\n---\n" + BODY, {"a": "b"}, BODY, id="lf"),
        pytest.param("---\na: b\n---", {"a": "b"}, "", id="ends-with-the-fence"),
        pytest.param("---\na: b\n---\n", {"a": "b"}, "", id="no-body"),
        pytest.param("---\na: b\n---\n\n\nc", {"a": "b"}, "\n\nc", id="blank-lines-are-body"),
        pytest.param("---\na: b\n---\n \tc \n", {"a": "b"}, " \tc \n", id="blanks-are-body"),
        pytest.param("---\na: b\n---\na\r\nb\rc\n", {"a": "b"}, "a\r\nb\rc\n", id="body-as-it-is"),
        pytest.param("---\ra: b\r---\rc", {"a": "b"}, "c", id="cr"),
        pytest.param("---\na: b\n---\rc", {"a": "b"}, "c", id="mixed-line-ends"),
        # What ends nothing.
        pytest.param("---\na: b --- c\n---\nd", {"a": "b --- c"}, "d", id="hyphens-in-a-value"),
        pytest.param("---\na: ---\n---\nb", {"a": "---"}, "b", id="hyphens-as-value"),
        pytest.param("---\na: '---'\n---\nb", {"a": "---"}, "b", id="quoted-hyphens"),
        pytest.param("---\na: |\n  ---\n  b\n---\nc", {"a": "---\nb\n"}, "c", id="block-value"),
        pytest.param('---\na: "b\n  ---\n  c"\n---\nd', {"a": "b --- c"}, "d", id="quoted-line"),
        pytest.param("---\na: b\n# ---\n---\nc", {"a": "b"}, "c", id="comment"),
        # Only the first one ends it.
        pytest.param("---\na: b\n---\nc\n---\nd", {"a": "b"}, "c\n---\nd", id="rule-in-the-body"),
        pytest.param("---\na: b\n---\n---\nc", {"a": "b"}, "---\nc", id="two-fences"),
        # Frontmatter with nothing in it.
        pytest.param("---\n---\nb", {}, "b", id="empty"),
        pytest.param("---\n\n \n---\nb", {}, "b", id="blank"),
        pytest.param("---\n# a\n---\nb", {}, "b", id="comment-only"),
        pytest.param("---\n~\n---\nb", {}, "b", id="null"),
        pytest.param("---\n{}\n---\nb", {}, "b", id="empty-mapping"),
    ],
)
def test_frontmatter_and_body(text: str, expected: dict[str, Plain], body: str) -> None:
    document = parse(PATH, text)
    assert fields(document) == expected
    assert document.body == body
    assert document.findings == ()
    assert document.text == text
    assert document.path == PATH


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("--- \na: b\n---\nc", [" "], id="opening"),
        pytest.param("---\na: b\n---\t \nc", ["\t "], id="closing"),
        pytest.param("---  \na: b\n---   \nc", ["  ", "   "], id="both"),
        pytest.param("---\na: b\n--- ", [" "], id="at-the-end"),
        pytest.param("---\na: b\n---\n--- \n", [], id="only-the-first-closing-line-is-one"),
    ],
)
def test_fence_trailing_blanks(text: str, expected: list[str]) -> None:
    document = parse(PATH, text)
    assert fields(document) == {"a": "b"}
    assert [underlined(document, finding) for finding in document.findings] == expected
    for finding in document.findings:
        assert finding.rule == "fence-trailing-blanks"
        assert finding.severity is Severity.WARNING
        assert "blanks follow the ---" in finding.message


def test_windows_line_endings_are_an_info() -> None:
    document = parse(PATH, "---\r\na: b\r\n---\r\nc\r\n")
    assert fields(document) == {"a": "b"}
    assert document.body == "c\r\n"
    (finding,) = document.findings
    assert finding.rule == "crlf-line-endings"
    assert finding.severity is Severity.INFO


def test_windows_line_endings_and_blanks() -> None:
    document = parse(PATH, "---\t\r\na: b\r\n---  \r\nc")
    assert fields(document) == {"a": "b"}
    assert document.body == "c"
    assert sorted(finding.rule for finding in document.findings) == [
        "crlf-line-endings",
        "fence-trailing-blanks",
        "fence-trailing-blanks",
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_the_places_of_keys_and_values(line_end: str) -> None:
    text = "---\nname: pdf\ndescription: 'Reads.'\nlicense:\n---\n# name: no\n"
    document = parse(PATH, text.replace("\n", line_end))
    assert document.fields is not None
    assert [
        (document.text[e.key.start : e.key.end], document.text[e.value.start : e.value.end])
        for e in document.fields.values()
    ] == [("name", "pdf"), ("description", "'Reads.'"), ("license", "")]


def test_fields_keep_their_order() -> None:
    assert list(fields(parse(PATH, "---\nz: 1\na: 2\nm: 3\n---\n"))) == ["z", "a", "m"]


# --- no frontmatter ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says", "place"),
    [
        pytest.param("", "the file is empty", "", id="empty"),
        pytest.param(" \n\t\r\n", "the file is empty", "", id="blank"),
        pytest.param(BODY, "does not begin with frontmatter", "# Title", id="only-a-body"),
        pytest.param("name: pdf\n", "does not begin with frontmatter", "name: pdf", id="no-fence"),
        pytest.param(
            "name: pdf\r\n---\r\nBody\r\n",
            "does not begin with frontmatter",
            "name: pdf",
            id="only-a-closing-fence",
        ),
        pytest.param(
            "# A\n\n---\nb\n---\nc\n",
            "does not begin with frontmatter",
            "# A",
            id="rules-in-a-body",
        ),
        pytest.param("+++\nname = 'a'\n+++\n", "TOML frontmatter", "+++", id="toml"),
        pytest.param(
            "---# Title\nname: a\n---\n",
            "first line must be exactly ---",
            "---# Title",
            id="glued-title",
        ),
        pytest.param(
            "--- name: a\n---\n", "first line must be exactly ---", "--- name: a", id="glued-field"
        ),
        pytest.param(
            "----\nname: a\n----\n", "first line must be exactly ---", "----", id="four-hyphens"
        ),
        pytest.param(
            " ---\nname: a\n ---\n", "first line must be exactly ---", " ---", id="indented"
        ),
        pytest.param("—\nname: a\n—\n", "first line must be exactly ---", "—", id="dash"),
        pytest.param("--\nname: a\n--\n", "first line must be exactly ---", "--", id="two-hyphens"),
        pytest.param("-\0-\0-\0\n\0", "binary or UTF-16", "", id="utf-16-without-mark"),
        pytest.param(
            "\ufeff---\nname: a\n---\n", "a second byte-order mark", "\ufeff", id="second-bom"
        ),
    ],
)
def test_frontmatter_missing(text: str, says: str, place: str) -> None:
    document = parse(PATH, text)
    error = the_error(document)
    assert error.rule == "frontmatter-missing"
    assert says in error.message
    assert underlined(document, error) == place
    assert document.body == text


@pytest.mark.parametrize(
    ("text", "only_opening"),
    [
        pytest.param("name: a\ndescription: b\n---\n# T\n", True, id="name"),
        pytest.param("description: b\nname: a\n---\n", True, id="description"),
        pytest.param("name: a\r\n---\r\nText", True, id="crlf"),
        pytest.param("name: a\n\nText\n", False, id="no-fence-at-all"),
        pytest.param("# T\n\nname: a\n---\n", False, id="title-first"),
        pytest.param("license: a\n---\n", False, id="another-field"),
    ],
)
def test_help_where_only_the_opening_fence_is_missing(text: str, only_opening: bool) -> None:
    error = the_error(parse(PATH, text))
    assert error.rule == "frontmatter-missing"
    assert (error.help == "write a line --- above line 1") is only_opening


@pytest.mark.parametrize(
    ("above", "says", "place"),
    [
        pytest.param("\n", "a blank line stands above", "", id="blank-line"),
        pytest.param("\r\n \t\r\n", "a blank line stands above", "", id="blank-lines-crlf"),
        pytest.param("<!-- a\nb -->\n", "a comment stands above", "<!-- a\nb -->", id="comment"),
        pytest.param("# Title\n\n", "text stands above", "# Title", id="title"),
        pytest.param(
            "\n\n# Title\n", "text stands above", "\n\n# Title", id="blank-line-and-title"
        ),
        pytest.param("```yaml\n", "wrapped in a code fence", "```", id="code-fence"),
        pytest.param("~~~\n", "wrapped in a code fence", "~~~", id="code-fence-of-tildes"),
        pytest.param("\n```markdown\n", "wrapped in a code fence", "```", id="code-fence-below"),
    ],
)
@pytest.mark.parametrize("field", ["name: pdf", "description: Reads."])
def test_content_before_frontmatter(above: str, says: str, place: str, field: str) -> None:
    document = parse(PATH, f"{above}---\n{field}\n---\n{BODY}")
    error = the_error(document)
    assert error.rule == "content-before-frontmatter"
    assert says in error.message
    assert underlined(document, error) == place
    assert error.help


def test_how_far_below_frontmatter_is_looked_for() -> None:
    near, far = ("text\n" * count + "---\nname: a\n---\n" for count in (700, 2000))
    assert the_error(parse(PATH, near)).rule == "content-before-frontmatter"
    assert the_error(parse(PATH, far)).rule == "frontmatter-missing"


# --- not closed ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says", "place"),
    [
        pytest.param("---", "never closed", "---", id="only-a-fence"),
        pytest.param("---\n", "never closed", "---", id="only-a-line"),
        pytest.param("---\nname: a\n", "never closed", "---", id="no-fence"),
        pytest.param("---\nname: a\n\n# Title\n\nText — text.\n", "never closed", "---", id="body"),
        pytest.param("---\nname: a\n...\nText\n", "never closed", "---", id="end-marker"),
        pytest.param("---\nname: a\n---# T\nb\n", "text follows the ---", "---# T", id="glued"),
        pytest.param("---\nname: a\n--- b\nc\n", "text follows the ---", "--- b", id="glued-text"),
        pytest.param("---\nname: a\n----\nb\n", "not exactly ---", "----", id="four-hyphens"),
        pytest.param("---\nname: a\n--\nb\n", "not exactly ---", "--", id="two-hyphens"),
        pytest.param("---\nname: a\n  ---\nb\n", "not exactly ---", "---", id="indented"),
        pytest.param("---\nname: a\n—\nb\n", "not exactly ---", "—", id="em-dash"),
        pytest.param("---\nname: a\n––\nb\n", "not exactly ---", "––", id="en-dashes"),
        pytest.param("---\nname: a\n--—\nb\n", "not exactly ---", "--—", id="hyphens-and-a-dash"),
        pytest.param("---\r\nname: a\r\n----\r\nb\r\n", "not exactly ---", "----", id="crlf"),
        pytest.param("---\nname: a\n\xa0---\nb\n", "never closed", "---", id="hard-blank"),
    ],
)
def test_frontmatter_unclosed(text: str, says: str, place: str) -> None:
    document = parse(PATH, text)
    error = the_error(document)
    assert error.rule == "frontmatter-unclosed"
    assert "never closed" in error.message
    assert says in error.message
    assert underlined(document, error) == place
    assert error.help
    assert document.body == text


# --- not key: value lines ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        pytest.param("Just text", "text", id="text"),
        pytest.param("name:pdf", "text", id="no-blank-after-the-colon"),
        pytest.param("'name: pdf'", "text", id="quoted"),
        pytest.param("42", "a number", id="number"),
        pytest.param("true", "true or false", id="boolean"),
        pytest.param("- name: pdf\n- b", "a list", id="list"),
        pytest.param("[name, pdf]", "a list", id="flow-list"),
    ],
)
def test_frontmatter_not_mapping(block: str, kind: str) -> None:
    document = parse(PATH, f"---\n{block}\n---\n{BODY}")
    error = the_error(document)
    assert error.rule == "frontmatter-not-mapping"
    assert f"this is {kind}" in error.message
    assert underlined(document, error) == block
    assert document.body == BODY


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        pytest.param("a: b: c", "yaml-syntax", id="syntax"),
        pytest.param("a: 'b", "yaml-syntax", id="quote-not-closed"),
        pytest.param('a: "\\ud83d"', "yaml-syntax", id="surrogate"),
        pytest.param("a: \x07", "control-character", id="control-character"),
        pytest.param("a: " + "[" * 99, "yaml-too-deep", id="depth"),
    ],
)
def test_yaml_that_cannot_be_read(block: str, rule: str) -> None:
    document = parse(PATH, f"---\n{block}\n---\n{BODY}")
    error = the_error(document)
    assert error.rule == rule
    assert 4 <= error.start < error.end <= len(block) + 4
    # What follows the frontmatter is the body all the same.
    assert document.body == BODY


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        pytest.param("a: 1\na: 2\nz: 3", "yaml-duplicate-key", id="duplicate-key"),
        pytest.param("a: *b\nz: 3", "yaml-alias", id="alias"),
        pytest.param("a: !b c\nz: 3", "yaml-tag", id="tag"),
        pytest.param("a: 1\n[c]: d\nz: 3", "yaml-key-type", id="key-type"),
    ],
)
def test_errors_that_leave_fields(block: str, rule: str) -> None:
    document = parse(PATH, f"---\n{block}\n---\n{BODY}")
    assert list(fields(document)) == ["a", "z"]
    assert [(f.rule, f.severity) for f in document.findings] == [(rule, Severity.ERROR)]


def test_a_list_with_a_fault_has_one_error() -> None:
    document = parse(PATH, "---\n- *b\n---\n")
    assert the_error(document).rule == "yaml-alias"


def test_warnings_stay_beside_an_error() -> None:
    document = parse(PATH, "--- \na: b: c\n---\n")
    assert [finding.rule for finding in document.findings] == [
        "fence-trailing-blanks",
        "yaml-syntax",
    ]


# --- limits --------------------------------------------------------------------------------------


def with_frontmatter_of(size: int, letter: str = "x") -> str:
    return f"---\na: {letter * (size - 4)}\n---\n{BODY}"


@pytest.mark.parametrize("letter", ["x", "😀"], ids=["ascii", "characters-not-bytes"])
def test_the_largest_frontmatter(letter: str) -> None:
    assert MAX_FRONTMATTER_CHARACTERS == 65_536
    document = parse(PATH, with_frontmatter_of(65_536, letter))
    assert fields(document) == {"a": letter * 65_532}
    assert document.findings == ()


def test_a_frontmatter_too_large() -> None:
    document = parse(PATH, with_frontmatter_of(65_537))
    error = the_error(document)
    assert error.rule == "frontmatter-too-large"
    assert "65,537 characters" in error.message
    assert "limit is 65,536" in error.message
    assert error.start == error.end == 4


def test_a_large_body_has_no_limit_here() -> None:
    document = parse(PATH, "---\na: b\n---\n" + "x\n" * 400_000)
    assert fields(document) == {"a": "b"}
    assert len(document.body) == 800_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("---\n" * 200_000, id="fences"),
        pytest.param("---\n" + "----\n" * 150_000, id="nearly-fences"),
        pytest.param("---\n" + "--- x\n" * 150_000, id="glued-fences"),
        pytest.param("---\n" + "-" * 800_000, id="hyphens"),
        pytest.param("---\n" + " " * 800_000, id="blanks"),
        pytest.param("---" + " " * 800_000 + "x", id="blanks-after-the-fence"),
        pytest.param("\n" * 800_000, id="blank-lines"),
        pytest.param("x\n---\n" * 130_000, id="rules"),
        pytest.param("x\n---\n" + "name\n" * 150_000, id="no-field"),
    ],
)
def test_hostile_text_is_read_without_fail(text: str) -> None:
    document = parse(PATH, text)
    for finding in document.findings:
        assert 0 <= finding.start <= finding.end <= len(text)


# --- the body's digest ---------------------------------------------------------------------------


def test_equal_bodies_have_equal_digests() -> None:
    one = parse(PATH, "---\na: b\n---\n" + BODY)
    other = parse(PATH, "--- \r\nc: d\r\n---\r\n" + BODY)
    assert one.body_digest() == other.body_digest()
    assert len(one.body_digest()) == 16


@pytest.mark.parametrize("body", ["", "# Title\r\n\r\nText.\r\n", BODY + "\n", BODY.upper()])
def test_other_bodies_have_other_digests(body: str) -> None:
    one, other = (parse(PATH, "---\na: b\n---\n" + text) for text in (BODY, body))
    assert one.body_digest() != other.body_digest()


# --- read_document: from the disk ----------------------------------------------------------------


def test_read_document(tmp_path: Path) -> None:
    path = write(tmp_path / "SKILL.md", "---\nname: pdf\n---\n" + BODY)
    document = read_document(path)
    assert document.path == path
    assert fields(document) == {"name": "pdf"}
    assert document.body == BODY
    assert document.findings == ()


def test_a_bom_is_read_past_with_a_warning(tmp_path: Path) -> None:
    document = read_document(write(tmp_path / "SKILL.md", "\ufeff---\nname: pdf\n---\n" + BODY))
    assert "byte-order-mark" in [finding.rule for finding in document.findings]
    assert fields(document) == {"name": "pdf"}
    assert document.body == BODY
    assert document.fields is not None
    # Places count from behind it, as editors do.
    assert document.fields["name"].key.start == 4
    assert [(f.rule, f.severity) for f in document.findings] == [
        ("byte-order-mark", Severity.WARNING)
    ]


def test_two_boms_are_one_too_many(tmp_path: Path) -> None:
    document = read_document(
        write(tmp_path / "SKILL.md", "\ufeff\ufeff---\nname: pdf\n---\n" + BODY)
    )
    assert document.fields is None
    assert [(f.rule, f.severity) for f in document.findings] == [
        ("byte-order-mark", Severity.WARNING),
        ("frontmatter-missing", Severity.ERROR),
    ]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        pytest.param(b"---\nname: caf\xe9\n---\n", "not-utf8", id="latin-1"),
        pytest.param("\ufeff---\nname: a\n---\n".encode("utf-16-le"), "not-utf8", id="utf-16"),
        pytest.param(
            "---\nname: a\n---\n".encode("utf-16-le"),
            "frontmatter-missing",
            id="utf-16-without-mark",
        ),
        pytest.param(b"", "frontmatter-missing", id="empty"),
        pytest.param(b"\x7fELF\0\0\0", "frontmatter-missing", id="binary"),
        pytest.param(b"---\nname: a\0b\n---\n", "control-character", id="nul-in-frontmatter"),
        pytest.param(b"---\n" + b"x" * (1 << 20), "file-too-large", id="too-large"),
    ],
)
def test_a_file_without_fields_has_one_error(tmp_path: Path, data: bytes, rule: str) -> None:
    assert the_error(read_document(write(tmp_path / "SKILL.md", data))).rule == rule


def test_a_nul_in_the_body_is_not_the_frontmatters_affair(tmp_path: Path) -> None:
    document = read_document(write(tmp_path / "SKILL.md", b"---\nname: a\n---\nb\0c"))
    assert fields(document) == {"name": "a"}
    assert document.body == "b\0c"


def test_what_is_no_file(tmp_path: Path) -> None:
    assert the_error(read_document(tmp_path)).rule == "not-a-file"
    assert the_error(read_document(link(tmp_path / "a", "gone"))).rule == "broken-symlink"
    assert the_error(read_document(tmp_path / "gone")).rule == "unreadable"
