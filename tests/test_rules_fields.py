"""The rules on a skill's frontmatter fields: what each accepts, refuses, says and underlines."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.judged import SkillRecord
from insomnia_skills.scan import look_at
from insomnia_skills.skill import read_skill
from tests.trees import underlined, write

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
NAME = "name: pdf"
DESCRIPTION = "description: Reads PDF files."
ROCKET = "\U0001f680"


def judge(
    tmp_path: Path, *lines: str, directory: str = "pdf", newline: str = "\n"
) -> tuple[SkillRecord | None, tuple[Diagnostic, ...]]:
    """What becomes of a skill with these lines of frontmatter."""
    text = newline.join(("---", *lines, "---", "Do it.", ""))
    write(tmp_path / directory / "SKILL.md", text)
    found = look_at(tmp_path / directory)
    assert found is not None
    return read_skill(found)[:2]


def accept(tmp_path: Path, *lines: str, directory: str = "pdf") -> SkillRecord:
    """The record of a skill that nothing at all is said about."""
    record, diagnostics = judge(tmp_path, *lines, directory=directory)
    assert diagnostics == ()
    assert record is not None
    return record


def complain(tmp_path: Path, *lines: str, directory: str = "pdf") -> Diagnostic:
    """The one thing that is said about a skill, which only an error keeps from being ingested."""
    record, diagnostics = judge(tmp_path, *lines, directory=directory)
    assert len(diagnostics) == 1, [f"{d.rule}: {d.message}" for d in diagnostics]
    assert (record is None) is (diagnostics[0].severity is ERROR)
    return diagnostics[0]


def rules(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.rule for diagnostic in diagnostics]


# --- YAML 1.2's types ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param("MIT", "MIT", id="word"),
        pytest.param("yes", "yes", id="yes"),
        pytest.param("No", "No", id="no"),
        pytest.param("on", "on", id="on"),
        pytest.param("OFF", "OFF", id="off"),
        pytest.param("y", "y", id="y"),
        pytest.param("tRUE", "tRUE", id="odd-case-true"),
        pytest.param("nULL", "nULL", id="odd-case-null"),
        pytest.param("none", "none", id="none"),
        pytest.param("2026-01-02", "2026-01-02", id="date"),
        pytest.param("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", id="date-and-time"),
        pytest.param("12:30:45", "12:30:45", id="base-60"),
        pytest.param("1_000", "1_000", id="underscores"),
        pytest.param("1,000", "1,000", id="thousands"),
        pytest.param("1.2.3", "1.2.3", id="version"),
        pytest.param("0b11", "0b11", id="binary"),
        pytest.param("0o8", "0o8", id="no-octal-digit"),
        pytest.param("0xG", "0xG", id="no-hexadecimal-digit"),
        pytest.param("-0x1F", "-0x1F", id="signed-hexadecimal"),
        pytest.param("0X1F", "0X1F", id="capital-x"),
        pytest.param("1e", "1e", id="no-exponent"),
        pytest.param(".", ".", id="dot"),
        pytest.param("inf", "inf", id="inf-without-dot"),
        pytest.param(".iNF", ".iNF", id="odd-case-inf"),
        pytest.param("-.nan", "-.nan", id="signed-nan"),
        pytest.param("=", "=", id="equals"),
        pytest.param('"123"', "123", id="double-quoted-number"),
        pytest.param("'1.10'", "1.10", id="single-quoted-number"),
        pytest.param('"true"', "true", id="quoted-true"),
        pytest.param("'null'", "null", id="quoted-null"),
        pytest.param("'~'", "~", id="quoted-tilde"),
        pytest.param("''", "", id="quoted-nothing"),
        pytest.param('"a\\n\\u00e9"', "a\né", id="escapes"),
        pytest.param("'it''s'", "it's", id="doubled-quote"),
        pytest.param("|\n  a\n  b\n", "a\nb\n", id="literal-block"),
        pytest.param("|-\n  7", "7", id="literal-block-with-digit"),
        pytest.param(">-\n  a\n  b\n\n  c", "a b\nc", id="folded-block"),
        pytest.param("a\n  b", "a b", id="plain-over-two-lines"),
        pytest.param("a#b", "a#b", id="hash-inside"),
        pytest.param("a:b", "a:b", id="colon-inside"),
        pytest.param("---x", "---x", id="hyphens"),
        pytest.param("ライセンス", "ライセンス", id="japanese"),
    ],
)
def test_text_to_yaml_1_2(tmp_path: Path, written: str, value: str) -> None:
    record = accept(tmp_path, NAME, DESCRIPTION, f"license: {written}")
    assert record.license == value


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        *(
            pytest.param(number, "a number", id=number)
            for number in (
                *("0", "123", "007", "-1", "+1", "0x1F", "0o7", "1.10", "1.", ".5", "-.5", "1e3"),
                *("1E-3", "+1.5e+3", ".inf", "-.inf", "+.INF", ".Inf", ".nan", ".NaN", ".NAN"),
            )
        ),
        *(
            pytest.param(word, "true or false", id=word)
            for word in ("true", "True", "TRUE", "false", "False", "FALSE")
        ),
        pytest.param("[MIT, ISC]", "a list", id="flow-list"),
        pytest.param("\n  - MIT\n  - ISC", "a list", id="block-list"),
        pytest.param("{spdx: MIT}", "a mapping", id="flow-mapping"),
        pytest.param("\n  spdx: MIT", "a mapping", id="block-mapping"),
    ],
)
def test_not_text_to_yaml_1_2(tmp_path: Path, written: str, kind: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, f"license: {written}")
    assert (found.rule, found.severity) == ("license-type", ERROR)
    assert found.message == f"license must be text, this is {kind}"
    assert underlined(found) == written.strip()


@pytest.mark.parametrize("written", ["", "~", "null", "Null", "NULL", "# a comment"])
@pytest.mark.parametrize("field", ["license", "compatibility", "metadata"])
def test_an_optional_field_that_is_null_is_absent(tmp_path: Path, field: str, written: str) -> None:
    record = accept(tmp_path, NAME, DESCRIPTION, f"{field}: {written}")
    assert getattr(record, field) is None


# --- name-* --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "directory"),
    [
        pytest.param("pdf", "pdf", id="letters"),
        pytest.param("a", "a", id="1-character"),
        pytest.param("a" * 64, "a" * 64, id="64-characters"),
        pytest.param("7zip", "7zip", id="digit-first"),
        pytest.param("step-2-of-3", "step-2-of-3", id="hyphens"),
        pytest.param("yes", "yes", id="yes"),
        pytest.param("no", "no", id="no"),
        pytest.param("on", "on", id="on"),
        pytest.param("none", "none", id="none"),
        pytest.param("2026-01-02", "2026-01-02", id="date"),
        pytest.param("0b1", "0b1", id="binary"),
        pytest.param('"123"', "123", id="quoted-number"),
        pytest.param("'1e3'", "1e3", id="quoted-float"),
        pytest.param('"true"', "true", id="quoted-true"),
        pytest.param("'null'", "null", id="quoted-null"),
        pytest.param('"\\x70df"', "pdf", id="escape"),
        pytest.param(">-\n  pdf", "pdf", id="folded-block"),
        pytest.param("|-\n  pdf", "pdf", id="literal-block"),
        pytest.param("\n  pdf", "pdf", id="on-the-next-line"),
        pytest.param("pdf # short", "pdf", id="comment"),
        pytest.param("pdf   ", "pdf", id="blanks-after"),
    ],
)
def test_name_accepted(tmp_path: Path, written: str, directory: str) -> None:
    record = accept(tmp_path, f"name: {written}", DESCRIPTION, directory=directory)
    assert record.slug == directory


@pytest.mark.parametrize(
    ("written", "directory", "rule", "says"),
    [
        pytest.param("123", "123", "name-type", "a number", id="number"),
        pytest.param("007", "007", "name-type", "a number", id="leading-zeros"),
        pytest.param("1e3", "1e3", "name-type", "a number", id="float"),
        pytest.param("0x1F", "0x1F", "name-type", "a number", id="hexadecimal"),
        pytest.param("0o7", "0o7", "name-type", "a number", id="octal"),
        pytest.param("-1", "-1", "name-type", "a number", id="minus"),
        pytest.param("+1", "+1", "name-type", "a number", id="plus"),
        pytest.param(".5", "pdf", "name-type", "a number", id="dot"),
        pytest.param(".inf", "pdf", "name-type", "a number", id="infinity"),
        pytest.param("true", "true", "name-type", "true or false", id="true"),
        pytest.param("[pdf]", "pdf", "name-type", "a list", id="list"),
        pytest.param("{pdf: pdf}", "pdf", "name-type", "a mapping", id="mapping"),
        pytest.param('""', "pdf", "name-empty", "empty", id="quoted-nothing"),
        pytest.param("a" * 65, "a" * 65, "name-too-long", "65 characters", id="65-characters"),
        pytest.param("PDF", "PDF", "name-charset", 'capital letter "P"', id="capitals"),
        pytest.param("p_d_f", "p_d_f", "name-charset", '"_"', id="underscore"),
        pytest.param("p.df", "p.df", "name-charset", '"."', id="dot-inside"),
        pytest.param("p/df", "pdf", "name-charset", '"/"', id="slash"),
        pytest.param("../pdf", "pdf", "name-charset", '"."', id="parent"),
        pytest.param("a:b", "a:b", "name-charset", '":"', id="colon"),
        pytest.param("p df", "p df", "name-charset", "a blank", id="blank"),
        pytest.param("' pdf'", " pdf", "name-charset", "a blank", id="blank-first"),
        pytest.param("'pdf '", "pdf ", "name-charset", "a blank", id="blank-last"),
        pytest.param("|\n  pdf", "pdf", "name-charset", "line break", id="literal-block"),
        pytest.param('"pdf\\n"', "pdf\n", "name-charset", "line break", id="line-break"),
        pytest.param('"p\\tdf"', "pdf", "name-charset", "U+0009", id="tab"),
        pytest.param("1_000", "1_000", "name-charset", '"_"', id="underscored-number"),
        pytest.param("café", "café", "name-charset", '"é"', id="accent"),
        pytest.param("手順", "手順", "name-charset", '"手"', id="japanese"),
        pytest.param("ｐｄｆ", "ｐｄｆ", "name-charset", '"ｐ"', id="full-width"),
        pytest.param("рdf", "рdf", "name-charset", '"р"', id="cyrillic-p"),
        pytest.param("pdf٣", "pdf٣", "name-charset", '"٣"', id="arabic-digit"),
        pytest.param("x²", "x²", "name-charset", '"²"', id="superscript"),
        pytest.param("p–df", "p–df", "name-charset", '"–"', id="en-dash"),
        pytest.param(ROCKET, ROCKET, "name-charset", ROCKET, id="emoji"),
        pytest.param("-pdf", "-pdf", "name-hyphens", "hyphen at an end", id="hyphen-first"),
        pytest.param("pdf-", "pdf-", "name-hyphens", "hyphen at an end", id="hyphen-last"),
        pytest.param("p--df", "p--df", "name-hyphens", "two hyphens", id="two-hyphens"),
        pytest.param("pdf", "docx", "name-mismatch", '"docx"', id="another"),
        pytest.param("pdf", "PDF", "name-mismatch", '"PDF"', id="directory-in-capitals"),
        pytest.param("pdf", "pdf ", "name-mismatch", '"pdf "', id="directory-with-blank"),
        pytest.param("'pdf'", "pdfs", "name-mismatch", '"pdfs"', id="quoted"),
    ],
)
def test_name_refused(tmp_path: Path, written: str, directory: str, rule: str, says: str) -> None:
    found = complain(tmp_path, f"name: {written}", DESCRIPTION, directory=directory)
    assert (found.rule, found.severity) == (rule, ERROR)
    assert says in found.message
    assert underlined(found) == written
    assert (found.line, found.column) == (2, 7)


@pytest.mark.parametrize(
    ("written", "directory", "help_"),
    [
        pytest.param("8080", "pdf", "write the directory's name, in", id="number"),
        pytest.param("Brand Guide", "brand-guide", "name: brand-guide", id="of-the-directory"),
        pytest.param("my_skill", "pdf", "write the directory's name: pdf", id="of-another"),
        pytest.param("my_skill", "my_skill", '"my-skill" would do, for the', id="underscore"),
        pytest.param("Café", "Café", '"cafe" would do', id="accent"),
        pytest.param("a--b", "a--b", '"a-b" would do', id="two-hyphens"),
        pytest.param("-a-", "-a-", '"a" would do', id="hyphens-at-the-ends"),
    ],
)
def test_help_on_a_name_says_what_to_write(
    tmp_path: Path, written: str, directory: str, help_: str
) -> None:
    found = complain(tmp_path, f"name: {written}", DESCRIPTION, directory=directory)
    assert help_ in (found.help or "")


@pytest.mark.parametrize(
    ("directory", "help_"),
    [
        pytest.param("pdfs", 'rename one of the two; "/pdfs" is what people', id="slug"),
        pytest.param("PDF", 'rename the directory to "pdf"; no skill may be', id="capitals"),
        pytest.param("My Skill", 'rename the directory to "pdf"; no skill', id="blank"),
    ],
)
def test_help_on_a_mismatch_says_which_to_rename(
    tmp_path: Path, directory: str, help_: str
) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, directory=directory)
    assert (found.help or "").startswith(help_)


@pytest.mark.parametrize(
    ("lines", "help_"),
    [
        pytest.param(("license: 2.0",), "put it in double quotes", id="number"),
        pytest.param(("license: [MIT, Apache-2.0]",), "write it as one text", id="list"),
        pytest.param(("license:", "  spdx: MIT"), "write it as one text", id="mapping"),
        pytest.param(("license: {{ l }}",), "fill it in, or put it in double", id="template"),
        pytest.param(("metadata:", "  a: 1.0"), "put it in double quotes", id="metadata-number"),
        pytest.param(("metadata:", "  a: ~"), "write a text, or take the key out", id="null"),
        pytest.param(("metadata:", "  a: [b]"), "write it as one text", id="metadata-list"),
    ],
)
def test_help_on_what_is_no_text(tmp_path: Path, lines: tuple[str, ...], help_: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, *lines)
    assert (found.help or "").startswith(help_)


@pytest.mark.parametrize("written", ["- a", "[a, b]"])
def test_help_on_a_description_that_is_a_list(tmp_path: Path, written: str) -> None:
    found = complain(tmp_path, NAME, f"description:\n  {written}")
    assert (found.help or "").startswith("write it as one text")


@pytest.mark.parametrize(
    ("lines", "marked"),
    [
        pytest.param(("metadata:", "  version: {{ v }}"), "{{ v }}", id="metadata-value"),
        pytest.param(("metadata:", "  version: {{v}}"), "{{v}}", id="without-blanks"),
        pytest.param(("metadata: {{ m }}",), "{{ m }}", id="metadata"),
        pytest.param(("version: {{ v }}",), "{{ v }}", id="other-key"),
    ],
)
def test_a_template_that_was_not_filled_in(
    tmp_path: Path, lines: tuple[str, ...], marked: str
) -> None:
    record, diagnostics = judge(tmp_path, NAME, DESCRIPTION, *lines)
    assert record is None
    (found,) = (one for one in diagnostics if one.severity is not INFO)
    assert (found.rule, found.severity) == ("yaml-key-type", ERROR)
    assert found.message == f'YAML reads "{marked}" as a key that is no text'
    assert found.help == "fill the template in, or put it in double quotes"
    assert underlined(found) == marked


def test_name_missing(tmp_path: Path) -> None:
    found = complain(tmp_path, DESCRIPTION)
    assert (found.rule, found.severity, found.message) == ("name-missing", ERROR, "name is missing")
    assert (found.line, found.column, underlined(found)) == (1, 1, "")


@pytest.mark.parametrize("field", ["name", "description"])
@pytest.mark.parametrize("written", ["", "~", "null", "# a comment"])
def test_a_required_field_that_is_null_is_missing_on_its_own_line(
    tmp_path: Path, field: str, written: str
) -> None:
    lines = {"name": NAME, "description": DESCRIPTION, field: f"{field}: {written}"}
    found = complain(tmp_path, "license: MIT", lines["name"], lines["description"])
    assert (found.rule, found.severity) == (f"{field}-missing", ERROR)
    assert found.line == {"name": 3, "description": 4}[field]


# --- description-* -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param("x", "x", id="1-character"),
        pytest.param("d" * 1024, "d" * 1024, id="1024-letters"),
        pytest.param(ROCKET * 1024, ROCKET * 1024, id="1024-astral-characters"),
        pytest.param("手" * 1024, "手" * 1024, id="1024-ideographs"),
        pytest.param(f'"{chr(92)}U0001F680{"d" * 1023}"', ROCKET + "d" * 1023, id="1024-escaped"),
        pytest.param(f"'{'d' * 1024}'", "d" * 1024, id="1024-quoted"),
        pytest.param(f'"{" " * 1023}d"', " " * 1023 + "d", id="1024-mostly-blanks"),
        pytest.param(f"|\n  {'d' * 1023}", "d" * 1023 + "\n", id="1024-literal-with-line-break"),
        pytest.param(f"|-\n  {'d' * 1024}", "d" * 1024, id="1024-literal-stripped"),
        pytest.param(f">-\n  {'d' * 512}\n  {'e' * 511}", f"{'d' * 512} {'e' * 511}", id="folded"),
        pytest.param("yes", "yes", id="yes"),
        pytest.param("2026-01-02", "2026-01-02", id="date"),
        pytest.param('"3.14"', "3.14", id="quoted-number"),
        pytest.param("Reads <b>PDF</b> & co.", "Reads <b>PDF</b> & co.", id="markup"),
        pytest.param("'Use when: asked'", "Use when: asked", id="quoted-colon"),
        pytest.param("Reads C# files", "Reads C# files", id="hash-after-letter"),
        pytest.param('"Reads # files"', "Reads # files", id="quoted-hash"),
        pytest.param("手順を読む。", "手順を読む。", id="japanese"),
        pytest.param('"a\\tb\\nc"', "a\tb\nc", id="tab-and-line-break"),
    ],
)
def test_description_accepted(tmp_path: Path, written: str, value: str) -> None:
    record = accept(tmp_path, NAME, f"description: {written}")
    assert record.description == value


@pytest.mark.parametrize(
    ("written", "rule", "says"),
    [
        pytest.param("3.14", "description-type", "a number", id="number"),
        pytest.param("true", "description-type", "true or false", id="true"),
        pytest.param("[what it does]", "description-type", "a list", id="placeholder"),
        pytest.param("{a: b}", "description-type", "a mapping", id="mapping"),
        pytest.param("''", "description-empty", "empty", id="quoted-nothing"),
        pytest.param("'   '", "description-empty", "empty", id="blanks"),
        pytest.param('"\\t\\n"', "description-empty", "empty", id="tab-and-line-break"),
        pytest.param('"\\u00a0\\u3000"', "description-empty", "empty", id="wide-blanks"),
        pytest.param("d" * 1025, "description-too-long", "1,025 characters", id="1025-letters"),
        pytest.param(ROCKET * 1025, "description-too-long", "1,025", id="1025-astral-characters"),
        pytest.param("e\u0301" * 513, "description-too-long", "1,026", id="combining-marks-count"),
        pytest.param(f'"{" " * 1024}d"', "description-too-long", "1,025", id="1025-mostly-blanks"),
        pytest.param(f"|\n  {'d' * 1024}", "description-too-long", "1,025", id="line-break-counts"),
        pytest.param(f"'{'d' * 5000}'", "description-too-long", "5,000", id="5000-letters"),
    ],
)
def test_description_refused(tmp_path: Path, written: str, rule: str, says: str) -> None:
    found = complain(tmp_path, NAME, f"description: {written}")
    assert (found.rule, found.severity) == (rule, ERROR)
    assert says in found.message
    assert underlined(found) == written
    assert (found.line, found.column) == (3, 14)


def test_description_missing(tmp_path: Path) -> None:
    found = complain(tmp_path, NAME)
    assert (found.rule, found.severity) == ("description-missing", ERROR)
    assert found.message == "description is missing"
    assert (found.line, found.column, underlined(found)) == (1, 1, "")


@pytest.mark.parametrize(
    ("written", "value", "cut"),
    [
        pytest.param("Answers issue #12.", "Answers issue", "#12.", id="issue"),
        pytest.param("Reads PDF # and more  ", "Reads PDF", "# and more  ", id="blanks-after"),
        pytest.param("a\n  b # c", "a b", "# c", id="on-the-second-line"),
        pytest.param("a\t# b", "a", "# b", id="tab-before"),
    ],
)
def test_description_cut_by_comment(tmp_path: Path, written: str, value: str, cut: str) -> None:
    record, diagnostics = judge(tmp_path, NAME, f"description: {written}")
    (found,) = diagnostics
    assert (found.rule, found.severity) == ("description-cut-by-comment", WARNING)
    assert underlined(found) == cut
    assert record is not None
    assert record.description == value


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("'Reads PDF.' # short", id="after-a-quoted-value"),
        pytest.param("> # folded\n  Reads PDF.", id="after-a-block-indicator"),
        pytest.param("Reads PDF.\n# next line", id="on-a-line-of-its-own"),
    ],
)
def test_a_comment_that_cuts_nothing(tmp_path: Path, written: str) -> None:
    accept(tmp_path, NAME, f"description: {written}")


# --- license, compatibility ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "length"),
    [
        pytest.param("x", 1, id="1-character"),
        pytest.param("c" * 500, 500, id="500-letters"),
        pytest.param(ROCKET * 500, 500, id="500-astral-characters"),
        pytest.param(f"|\n  {'c' * 499}", 500, id="500-with-line-break"),
        pytest.param("'3.11'", 4, id="quoted-number"),
        pytest.param("Needs Python 3.11, git", 22, id="sentence"),
        pytest.param("'   '", 3, id="blanks"),
    ],
)
def test_compatibility_accepted(tmp_path: Path, written: str, length: int) -> None:
    record = accept(tmp_path, NAME, DESCRIPTION, f"compatibility: {written}")
    assert record.compatibility is not None
    assert len(record.compatibility) == length


@pytest.mark.parametrize(
    ("written", "rule", "says"),
    [
        pytest.param("3.11", "compatibility-type", "a number", id="number"),
        pytest.param("false", "compatibility-type", "true or false", id="false"),
        pytest.param("[linux, macos]", "compatibility-type", "a list", id="list"),
        pytest.param("{python: '3.11'}", "compatibility-type", "a mapping", id="mapping"),
        pytest.param("''", "compatibility-length", "0 characters", id="quoted-nothing"),
        pytest.param("c" * 501, "compatibility-length", "501 characters", id="501-letters"),
        pytest.param(ROCKET * 501, "compatibility-length", "501", id="501-astral-characters"),
        pytest.param(f"|\n  {'c' * 500}", "compatibility-length", "501", id="line-break-counts"),
    ],
)
def test_compatibility_refused(tmp_path: Path, written: str, rule: str, says: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, f"compatibility: {written}")
    assert (found.rule, found.severity) == (rule, ERROR)
    assert says in found.message
    assert underlined(found) == written


# --- metadata-* ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        pytest.param("by me", "text", id="text"),
        pytest.param("''", "text", id="quoted-nothing"),
        pytest.param("1.0", "a number", id="number"),
        pytest.param("true", "true or false", id="true"),
        pytest.param("[author, me]", "a list", id="list"),
        pytest.param("\n  - author: me", "a list", id="list-of-mappings"),
    ],
)
def test_metadata_type(tmp_path: Path, written: str, kind: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, f"metadata: {written}")
    assert (found.rule, found.severity) == ("metadata-type", ERROR)
    assert kind in found.message
    assert underlined(found) == written.strip()


def test_metadata_of_texts(tmp_path: Path) -> None:
    record = accept(
        tmp_path,
        NAME,
        DESCRIPTION,
        "metadata:",
        "  version: '1.10'",
        "  date: 2026-01-02",
        "  public: yes",
        "  3: three",
        '  empty: ""',
        "  手順: あり",
    )
    assert record.metadata == {
        "version": "1.10",
        "date": "2026-01-02",
        "public": "yes",
        "3": "three",
        "empty": "",
        "手順": "あり",
    }


def test_metadata_without_entries(tmp_path: Path) -> None:
    assert accept(tmp_path, NAME, DESCRIPTION, "metadata: {}").metadata == {}


@pytest.mark.parametrize(
    ("written", "kept", "kind"),
    [
        pytest.param("1.10", "1.10", "a number", id="number"),
        pytest.param("0x1F", "0x1F", "a number", id="hexadecimal"),
        pytest.param("True", "True", "true or false", id="true"),
        pytest.param("~", None, "nothing", id="null"),
        pytest.param("[1.10, b]", ["1.10", "b"], "a list", id="list"),
        pytest.param("{b: {c: 1.10}}", {"b": {"c": "1.10"}}, "a mapping", id="mapping"),
        pytest.param("\n    - b", ["b"], "a list", id="block-list"),
    ],
)
def test_metadata_value_type(tmp_path: Path, written: str, kept: object, kind: str) -> None:
    record, diagnostics = judge(tmp_path, NAME, DESCRIPTION, "metadata:", f"  a: {written}")
    (found,) = diagnostics
    assert (found.rule, found.severity) == ("metadata-value-type", WARNING)
    assert '"a"' in found.message
    assert kind in found.message
    assert underlined(found) == written.strip()
    assert record is not None
    assert record.metadata == {"a": kept}


def test_each_metadata_value_is_spoken_of(tmp_path: Path) -> None:
    line = "metadata: {a: 1, b: text, c: [x], d: 2}"
    _, diagnostics = judge(tmp_path, NAME, DESCRIPTION, line)
    assert rules(diagnostics) == ["metadata-value-type"] * 3
    assert [underlined(found) for found in diagnostics] == ["1", "[x]", "2"]


# --- allowed-tools -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        pytest.param("Read Grep", "Read Grep", id="blanks"),
        pytest.param("Read, Grep", "Read, Grep", id="commas"),
        pytest.param("Bash(git add *) Read", "Bash(git add *) Read", id="parentheses"),
        pytest.param("[Read, Grep]", ["Read", "Grep"], id="flow-list"),
        pytest.param("\n  - Read\n  - Grep", ["Read", "Grep"], id="block-list"),
        pytest.param("3", "3", id="number"),
    ],
)
def test_allowed_tools_are_kept_and_ignored(tmp_path: Path, written: str, kept: object) -> None:
    record, diagnostics = judge(tmp_path, NAME, DESCRIPTION, f"allowed-tools: {written}")
    found, *as_list = diagnostics
    assert (found.rule, found.severity) == ("allowed-tools-ignored", WARNING)
    assert "does not enforce allowed-tools" in found.message
    lists = [("allowed-tools-list", INFO)] if isinstance(kept, list) else []
    assert [(d.rule, d.severity) for d in as_list] == lists
    assert underlined(found) == "allowed-tools"
    assert record is not None
    assert record.allowed_tools == kept


@pytest.mark.parametrize("written", ["", "~", "''", "# a comment", "[]"])
def test_allowed_tools_that_are_absent_are_no_warning(tmp_path: Path, written: str) -> None:
    record, diagnostics = judge(tmp_path, NAME, DESCRIPTION, f"allowed-tools: {written}")
    assert record is not None
    assert {found.severity for found in diagnostics} <= {INFO}


# --- unknown-field, misspelt-field, client-field-ignored -----------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        *("version", "author", "category", "slug", "tags", "source", "homepage", "framework"),
        *("tools", "summary", "displayName", "title", "id", "keywords", "url", "created"),
        *("argument-hint", "x-mine", "手順", "1", "permissions", "requirements", "lisence"),
    ],
)
def test_unknown_field(tmp_path: Path, key: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, f"{key}: anything")
    assert (found.rule, found.severity) == ("unknown-field", INFO)
    assert f'"{key}"' in found.message
    assert underlined(found) == key


@pytest.mark.parametrize("value", ["3", "[a, {b: c}]", "{a: [b]}", "", "'text'", "true"])
def test_the_value_of_an_unknown_field_does_not_matter(tmp_path: Path, value: str) -> None:
    assert complain(tmp_path, NAME, DESCRIPTION, f"extra: {value}").rule == "unknown-field"


@pytest.mark.parametrize(
    ("key", "field"),
    [
        pytest.param("licence", "license", id="british"),
        pytest.param("License", "license", id="capital"),
        pytest.param("licens", "license", id="letter-missing"),
        pytest.param("licennse", "license", id="letter-too-many"),
        pytest.param("compatability", "compatibility", id="wrong-letter"),
        pytest.param("compatibiltiy", "compatibility", id="letters-swapped"),
        pytest.param("meta-data", "metadata", id="hyphen"),
        pytest.param("metaData", "metadata", id="camel-case"),
        pytest.param("allowed_tools", "allowed-tools", id="underscore"),
        pytest.param("allowedTools", "allowed-tools", id="camel-case-tools"),
        pytest.param("allowed-tool", "allowed-tools", id="singular"),
        pytest.param("Name", "name", id="name-again"),
        pytest.param("descriptions", "description", id="description-again"),
    ],
)
def test_misspelt_field(tmp_path: Path, key: str, field: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, f"{key}: x")
    assert (found.rule, found.severity) == ("misspelt-field", WARNING)
    assert f'"{key}"' in found.message
    assert f"did you mean {field}?" in found.message
    assert underlined(found) == key


@pytest.mark.parametrize(
    ("lines", "rule", "key"),
    [
        pytest.param(("Name: pdf", DESCRIPTION), "name-missing", "Name", id="name"),
        pytest.param(("NAME: pdf", DESCRIPTION), "name-missing", "NAME", id="capitals"),
        pytest.param((NAME, "desciption: x"), "description-missing", "desciption", id="letter"),
        pytest.param((NAME, "Description: x"), "description-missing", "Description", id="case"),
    ],
)
def test_a_misspelt_required_field_is_one_fault(
    tmp_path: Path, lines: tuple[str, ...], rule: str, key: str
) -> None:
    found = complain(tmp_path, *lines)
    assert (found.rule, found.severity) == (rule, ERROR)
    assert f'"{key}"' in (found.help or "")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param("disable-model-invocation: true", "Claude Code", id="hidden-from-the-model"),
        pytest.param("user-invocable: false", "menu", id="hidden-from-the-user"),
        pytest.param("user-invokable: false", "menu", id="hidden-from-the-user-with-k"),
        pytest.param("model: opus", "model", id="model"),
        pytest.param("effort: high", "thinks", id="effort"),
        pytest.param("context: fork", "sub-agent", id="context"),
        pytest.param("agent: explore", "sub-agent", id="agent"),
        pytest.param("hooks: {Stop: []}", "commands", id="hooks"),
        pytest.param("when_to_use: Always.", "description", id="when-to-use"),
        pytest.param("paths: ['*.py']", "files", id="paths"),
        pytest.param("triggers: [pdf]", "OpenHands", id="triggers"),
        pytest.param("inputs: [{name: file}]", "OpenHands", id="inputs"),
        pytest.param("mcp_tools: {a: b}", "OpenHands", id="mcp-tools"),
        pytest.param("mode: code", "Roo Code", id="mode"),
        pytest.param("modeSlugs: [code]", "Roo Code", id="mode-slugs"),
        pytest.param("disabled: true", "Cline", id="disabled"),
        pytest.param("enabled: false", "Cline", id="enabled"),
        pytest.param("platforms: [linux]", "Hermes", id="platforms"),
        pytest.param("environments: [ci]", "Hermes", id="environments"),
        pytest.param("required_environment_variables: [K]", "Hermes", id="variables"),
        pytest.param("deps: [git]", "Hermes", id="dependencies"),
    ],
)
def test_client_field_ignored(tmp_path: Path, line: str, says: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, line)
    key = line.partition(":")[0]
    assert (found.rule, found.severity) == ("client-field-ignored", WARNING)
    assert key in found.message
    assert says in found.message
    assert underlined(found) == key


@pytest.mark.parametrize(
    "line",
    [
        *("disable-model-invocation: false", "user-invocable: true", "disabled: false"),
        *("enabled: true", "model: inherit", "context: inherit", "context: main"),
        *("hooks:", "hooks: {}", "disable-model-invocation:", "triggers: []", "paths: ''"),
        *("agent: ~", "model: # none"),
    ],
)
def test_a_client_field_that_changes_nothing_is_no_warning(tmp_path: Path, line: str) -> None:
    record, diagnostics = judge(tmp_path, NAME, DESCRIPTION, line)
    assert record is not None
    assert {found.severity for found in diagnostics} <= {INFO}


@pytest.mark.parametrize(
    ("line", "help_"),
    [
        pytest.param("when_to_use: Always.", "move it into description", id="when-to-use"),
        pytest.param("model: opus", "say in the body what is to happen here", id="others"),
    ],
)
def test_help_on_a_client_field(tmp_path: Path, line: str, help_: str) -> None:
    assert help_ in (complain(tmp_path, NAME, DESCRIPTION, line).help or "")


@pytest.mark.parametrize(
    ("line", "says", "help_"),
    [
        pytest.param("model_invokation: false", "the model may call", "in the body", id="model"),
        pytest.param("model_invocation: false", "the model may call", "model_invokation", id="c"),
        pytest.param("model_invokation: 3", "the model may call", "in the body", id="number"),
        pytest.param("user_invocable: false", "the user may call", "in the body", id="user"),
        pytest.param("user_invocable: [a]", "the user may call", "in the body", id="list"),
        pytest.param("requires: [style]", "no Knowledge", "native Workflow", id="requires"),
        pytest.param("requires: style", "no Knowledge", "native Workflow", id="requires-text"),
    ],
)
def test_workflow_field_in_skill(tmp_path: Path, line: str, says: str, help_: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, line)
    key = line.partition(":")[0]
    assert (found.rule, found.severity) == ("workflow-field-in-skill", WARNING)
    assert found.message.startswith(f'"{key}" is a field of native Workflows')
    assert says in found.message
    assert help_ in (found.help or "")
    assert underlined(found) == key


@pytest.mark.parametrize(
    "line",
    [
        *("model_invokation: true", "model_invocation: True", "user_invocable: true"),
        *("user_invocable: 'true'", "user_invocable:", "model_invokation: ~"),
        *("requires: []", "requires:", "requires: {}"),
    ],
)
def test_a_workflow_field_that_says_what_holds(tmp_path: Path, line: str) -> None:
    accept(tmp_path, NAME, DESCRIPTION, line)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        pytest.param("user-invocable: false", "client-field-ignored", id="hyphen"),
        pytest.param("user-invokable: false", "client-field-ignored", id="hyphen-and-k"),
        pytest.param("requires: {bins: [git]}", "unknown-field", id="requires-of-others"),
    ],
)
def test_keys_like_those_of_workflows_stay_the_other_clients(
    tmp_path: Path, line: str, rule: str
) -> None:
    assert complain(tmp_path, NAME, DESCRIPTION, line).rule == rule


# --- YAML that is more than plain data -----------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "rule", "marked"),
    [
        pytest.param("license: *mit", "yaml-alias", "*mit", id="alias"),
        pytest.param("license: &mit MIT", "yaml-alias", "&mit", id="anchor"),
        pytest.param("metadata: {a: *b}", "yaml-alias", "*b", id="alias-in-metadata"),
        pytest.param("metadata: &m {a: b}", "yaml-alias", "&m", id="anchor-on-mapping"),
        pytest.param("metadata: *m", "yaml-alias", "*m", id="alias-for-mapping"),
        pytest.param("license: !spdx MIT", "yaml-tag", "!spdx", id="tag"),
        pytest.param("license: !!str MIT", "yaml-tag", "!!str", id="standard-tag"),
        pytest.param("license: !<tag:x> MIT", "yaml-tag", "!<tag:x>", id="verbatim-tag"),
        pytest.param("license: ! MIT", "yaml-tag", "!", id="bare-tag"),
        pytest.param("metadata: !!map {a: b}", "yaml-tag", "!!map", id="tag-on-mapping"),
        pytest.param("license: MIT\nlicense: MIT", "yaml-duplicate-key", "license", id="twice"),
        pytest.param("'name': pdf", "yaml-duplicate-key", "'name'", id="twice-once-quoted"),
        pytest.param("metadata: {a: b, a: c}", "yaml-duplicate-key", "a", id="twice-in-metadata"),
    ],
)
def test_only_plain_data(tmp_path: Path, line: str, rule: str, marked: str) -> None:
    found = complain(tmp_path, NAME, DESCRIPTION, line)
    assert (found.rule, found.severity) == (rule, ERROR)
    assert underlined(found) == marked


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("name: *pdf", id="name-alias"),
        pytest.param("name: *Not_A_Name", id="name-alias-no-slug"),
        pytest.param("name: &a pdf", id="name-anchor"),
        pytest.param("name: &pdf", id="name-anchor-alone"),
        pytest.param("name: !pdf", id="name-tag-alone"),
        pytest.param("name: !a b", id="name-tag"),
        pytest.param("description: *bold", id="description-alias"),
        pytest.param("description: &bold", id="description-anchor-alone"),
        pytest.param("description: &bold text", id="description-anchor"),
        pytest.param("description: !important", id="description-tag-alone"),
        pytest.param("description: !important 3", id="description-tag"),
        pytest.param("license: !x 3", id="license-tag"),
        pytest.param("compatibility: &x 3", id="compatibility-anchor"),
        pytest.param("metadata: {a: !x 3}", id="metadata-tag"),
    ],
)
def test_a_sign_that_needs_quotes_is_the_one_fault_of_its_field(tmp_path: Path, field: str) -> None:
    key = field.partition(":")[0]
    lines = {"name": NAME, "description": DESCRIPTION} | {key: field}
    found = complain(tmp_path, *lines.values())
    assert found.rule in {"yaml-alias", "yaml-tag"}
    assert found.severity is ERROR
    assert "double quotes" in (found.help or "")


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("*bold* text", id="asterisk"),
        pytest.param("**bold**", id="asterisks"),
        pytest.param("*.py files", id="pattern"),
        pytest.param("&amp text", id="ampersand"),
        pytest.param("!important text", id="exclamation-mark"),
    ],
)
def test_a_value_that_begins_with_a_sign_needs_quotes(tmp_path: Path, written: str) -> None:
    found = complain(tmp_path, NAME, f"description: {written}")
    assert found.severity is ERROR
    assert found.rule.startswith("yaml-")
    assert (found.line, found.column) == (3, 14)
    accept(tmp_path, NAME, f'description: "{written}"')


@pytest.mark.parametrize(
    ("lines", "says", "place"),
    [
        pytest.param((NAME, DESCRIPTION, NAME), "line 2", (4, 1), id="name"),
        pytest.param((NAME, DESCRIPTION, "description: B"), "line 3", (4, 1), id="description"),
        pytest.param(
            (NAME, DESCRIPTION, "metadata:", "  a: b", "  a: c"), "line 5", (6, 3), id="nested"
        ),
    ],
)
def test_a_duplicate_key_tells_of_the_first(
    tmp_path: Path, lines: tuple[str, ...], says: str, place: tuple[int, int]
) -> None:
    found = complain(tmp_path, *lines)
    assert found.rule == "yaml-duplicate-key"
    assert says in found.message
    assert (found.line, found.column) == place


def test_the_same_key_in_two_mappings_is_no_duplicate(tmp_path: Path) -> None:
    accept(tmp_path, NAME, DESCRIPTION, "metadata:", "  name: a", "  description: b")


# --- control-character ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "says", "marked"),
    [
        pytest.param('description: "a\\x1b[31m"', "U+001B", '"a\\x1b[31m"', id="escape"),
        pytest.param('description: "a\\eb"', "U+001B", '"a\\eb"', id="escape-by-letter"),
        pytest.param('description: "a\\0b"', "U+0000", '"a\\0b"', id="null"),
        pytest.param('description: "a\\ab"', "U+0007", '"a\\ab"', id="bell"),
        pytest.param('description: "a\\u009bb"', "U+009B", '"a\\u009bb"', id="c1"),
        pytest.param('license: "\\x7f"', "U+007F", '"\\x7f"', id="license"),
        pytest.param('compatibility: "a\\bb"', "U+0008", '"a\\bb"', id="compatibility"),
        pytest.param('metadata: {a: "\\x07"}', "U+0007", '"\\x07"', id="metadata"),
    ],
)
def test_a_control_character_by_escape(tmp_path: Path, line: str, says: str, marked: str) -> None:
    lines = (line,) if line.startswith("description") else (DESCRIPTION, line)
    found = complain(tmp_path, NAME, *lines)
    assert (found.rule, found.severity) == ("control-character", WARNING)
    assert says in found.message
    assert underlined(found) == marked


def test_help_on_an_escape_does_not_say_to_write_an_escape(tmp_path: Path) -> None:
    found = complain(tmp_path, NAME, 'description: "a\\x1bb"')
    assert "as an escape" not in (found.help or "")


def test_a_hidden_character_hides_no_control_character(tmp_path: Path) -> None:
    _, diagnostics = judge(tmp_path, NAME, 'description: "a\\e]0;x\\a b \\u200b. Use when b."')
    assert rules(diagnostics) == ["invisible-character", "control-character"]


@pytest.mark.parametrize("line", ['"\\x1b[31m": a', 'metadata: {"\\x1b[31m": a}'])
def test_a_control_character_in_a_key(tmp_path: Path, line: str) -> None:
    _, diagnostics = judge(tmp_path, NAME, DESCRIPTION, line)
    assert "control-character" in rules(diagnostics)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("'a\\x1bb'", id="single-quotes-have-no-escapes"),
        pytest.param("a\\x1bb", id="nor-have-plain-values"),
        pytest.param('"a\\\\x1bb"', id="escaped-backslash"),
        pytest.param('"a\\tb\\r\\nc"', id="tab-and-line-ends"),
        pytest.param('"\\u00e9\\U0001F680"', id="printable"),
    ],
)
def test_no_control_character(tmp_path: Path, written: str) -> None:
    accept(tmp_path, NAME, f"description: {written}")


def test_a_raw_control_character_in_frontmatter_is_an_error(tmp_path: Path) -> None:
    found = complain(tmp_path, NAME, "description: a\x1b[31mb")
    assert (found.rule, found.severity) == ("control-character", ERROR)
    assert "U+001B" in found.message
    assert underlined(found) == "\x1b"


# --- one root cause a field, and every fault -----------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        pytest.param((f"name: {'A' * 65}", DESCRIPTION), "name-charset", id="long-and-capital"),
        pytest.param(("name: -PDF-", DESCRIPTION), "name-charset", id="hyphens-and-capital"),
        pytest.param((f"name: -{'a' * 64}", DESCRIPTION), "name-too-long", id="long-and-hyphen"),
        pytest.param(("name: -a--b-", DESCRIPTION), "name-hyphens", id="hyphens-everywhere"),
        pytest.param(('name: "pd\\x1bf"', DESCRIPTION), "name-charset", id="control-in-name"),
        pytest.param(('name: "pd\\u200bf"', DESCRIPTION), "name-charset", id="hidden-in-name"),
        pytest.param((NAME, f"description: '{' ' * 1025}'"), "description-empty", id="long-blank"),
        pytest.param((NAME, "description: {{what}}"), "description-type", id="template"),
        pytest.param((NAME, "description: ''", "tags: []"), "description-empty", id="and-info"),
    ],
)
def test_one_root_cause_a_field(tmp_path: Path, lines: tuple[str, ...], rule: str) -> None:
    record, diagnostics = judge(tmp_path, *lines)
    assert record is None
    assert [found.rule for found in diagnostics if found.severity is not INFO] == [rule]


def test_all_independent_faults_in_the_order_of_the_text(tmp_path: Path) -> None:
    record, diagnostics = judge(
        tmp_path,
        "metadata: [a]",
        "name: PDF",
        "licence: MIT",
        "license: [MIT]",
        "description: 3",
        "model: opus",
        f"compatibility: {'c' * 501}",
        "allowed-tools: Read",
        "version: 1",
        "version: 2",
    )
    assert record is None
    assert [(found.line, found.rule, found.severity) for found in diagnostics] == [
        (2, "metadata-type", ERROR),
        (3, "name-charset", ERROR),
        (4, "misspelt-field", WARNING),
        (5, "license-type", ERROR),
        (6, "description-type", ERROR),
        (7, "client-field-ignored", WARNING),
        (8, "compatibility-length", ERROR),
        (9, "allowed-tools-ignored", WARNING),
        (10, "unknown-field", INFO),
        (11, "yaml-duplicate-key", ERROR),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((), id="nothing"),
        pytest.param(("# name: pdf",), id="comment"),
        pytest.param(("{}",), id="braces"),
        pytest.param(("name:", "description:"), id="both-null"),
    ],
)
def test_both_required_fields_are_missing(tmp_path: Path, lines: tuple[str, ...]) -> None:
    record, diagnostics = judge(tmp_path, *lines)
    assert record is None
    assert sorted(rules(diagnostics)) == ["description-missing", "name-missing"]


def test_what_yaml_cannot_read_has_no_missing_fields(tmp_path: Path) -> None:
    assert complain(tmp_path, NAME, "description: Use when: asked").rule == "yaml-syntax"


# --- other ways to write the same ----------------------------------------------------------------


def test_windows_line_ends_change_no_value_and_no_place(tmp_path: Path) -> None:
    lines = (NAME, "description: |", "  a", "  b", "license: [MIT]", "metadata: {a: 1.10}")
    record, diagnostics = judge(tmp_path, *lines, newline="\r\n")
    assert record is None
    found = {d.rule: (d.line, d.column, d.severity) for d in diagnostics if d.severity is not INFO}
    assert found == {
        "license-type": (6, 10, ERROR),
        "metadata-value-type": (7, 15, WARNING),
    }
    record, _ = judge(tmp_path, *lines[:4], newline="\r\n")
    assert record is not None
    assert record.description == "a\nb\n"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("{name: pdf, description: Reads PDF files., license: MIT}",), id="flow"),
        pytest.param(("'name': pdf", '"description": Reads PDF files.', "license: MIT"), id="keys"),
        pytest.param(("license: MIT", DESCRIPTION, NAME), id="another-order"),
        pytest.param(("", "# c", NAME, "", DESCRIPTION, "license: MIT # c", ""), id="blank-lines"),
        pytest.param(("  name: pdf", f"  {DESCRIPTION}", "  license: MIT"), id="indented"),
    ],
)
def test_the_same_fields_written_otherwise(tmp_path: Path, lines: tuple[str, ...]) -> None:
    record = accept(tmp_path, *lines)
    assert (record.slug, record.description) == ("pdf", "Reads PDF files.")
    assert record.license == "MIT"
