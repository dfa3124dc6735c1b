"""From a character offset to the line and column an editor shows, and the order of findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills.diagnostic import (
    Diagnostic,
    Edit,
    Excerpt,
    Finding,
    Fix,
    Lines,
    Related,
    RelatedPlace,
    Replacement,
    Severity,
    Span,
    diagnose,
    without_echoes,
)
from insomnia_skills.limits import MAX_ALIKE

PATH = Path("/skills/pdf/SKILL.md")


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        pytest.param("", 0, 1, 1, id="empty-text"),
        pytest.param("abc", 0, 1, 1, id="first-character"),
        pytest.param("abc", 2, 1, 3, id="last-character"),
        pytest.param("abc", 3, 1, 4, id="end-of-text-without-line-end"),
        pytest.param("a\nb", 1, 1, 2, id="lf-belongs-to-its-line"),
        pytest.param("a\nb", 2, 2, 1, id="after-lf"),
        pytest.param("a\n", 2, 2, 1, id="end-of-text-after-lf"),
        pytest.param("a\r\nb", 1, 1, 2, id="crlf-cr"),
        pytest.param("a\r\nb", 2, 1, 3, id="crlf-lf"),
        pytest.param("a\r\nb", 3, 2, 1, id="after-crlf"),
        pytest.param("a\r\n", 3, 2, 1, id="end-of-text-after-crlf"),
        pytest.param("a\rb", 2, 2, 1, id="after-lone-cr"),
        pytest.param("a\r", 2, 2, 1, id="end-of-text-after-cr"),
        pytest.param("\r\r\nx", 3, 3, 1, id="cr-then-crlf-are-two-ends"),
        pytest.param("\n\rx", 2, 3, 1, id="lf-then-cr-are-two-ends"),
        pytest.param("a\nb\r\nc\rd", 7, 4, 1, id="mixed"),
        pytest.param("\n\n\n", 1, 2, 1, id="empty-lines"),
        pytest.param("é😀x\ny", 2, 1, 3, id="columns-count-characters-not-bytes"),
        pytest.param("a\tb", 2, 1, 3, id="a-tab-is-one-column"),
        pytest.param("a\x85b", 2, 1, 3, id="nel-ends-no-line"),
        pytest.param("a\u2028b\u2029c", 4, 1, 5, id="ls-and-ps-end-no-line"),
        pytest.param("a\x0bb\x0cc", 4, 1, 5, id="vt-and-ff-end-no-line"),
    ],
)
def test_position(text: str, offset: int, line: int, column: int) -> None:
    assert Lines(text).position(offset) == (line, column)


def test_every_offset_of_a_mixed_text() -> None:
    text = "ab\nc\r\n\rde"
    assert [Lines(text).position(offset) for offset in range(len(text) + 1)] == [
        *((1, 1), (1, 2), (1, 3)),
        *((2, 1), (2, 2), (2, 3)),
        (3, 1),
        *((4, 1), (4, 2), (4, 3)),
    ]


def test_diagnose_places_a_finding_and_its_end() -> None:
    text = "---\r\nname: pdf\r\nlicense: [\r\n  MIT ]\r\n"
    start, end = text.index("["), text.index("]") + 1
    finding = Finding("must be text", start, end, "quote it", Severity.ERROR, "license-type")
    assert diagnose(PATH, text, [finding]) == (
        Diagnostic(
            rule="license-type",
            severity=Severity.ERROR,
            message="must be text",
            path=PATH,
            line=3,
            column=10,
            end_line=4,
            end_column=8,
            help="quote it",
            excerpt=Excerpt("license: ["),
        ),
    )


def test_diagnose_places_what_belongs_to_a_finding() -> None:
    text = "---\nname: a\nname: b\n"
    edits = (Edit(-1, 0, ""), Edit(12, 20, ""))
    others = (Related("first here", 4, 8), Related("wins", path=Path("/other")))
    finding = Finding("twice", 12, 16, fix=Fix("drop it", edits, safe=False), related=others)
    (diagnostic,) = diagnose(PATH, text, [finding])
    assert diagnostic.fix == Fix(
        "drop it",
        (Replacement(Span(1, 0, 1, 1), ""), Replacement(Span(3, 1, 4, 1), "")),
        safe=False,
    )
    assert diagnostic.related == (
        RelatedPlace("first here", PATH, Span(2, 1, 2, 5)),
        RelatedPlace("wins", Path("/other"), Span(1, 1, 1, 1)),
    )
    assert diagnostic.span == Span(3, 1, 3, 5)


@pytest.mark.parametrize("text", ["", "a", "ab\ncd\r\n\re", "\n\n", "\U0001f600x\r"])
def test_an_offset_is_where_its_position_is(text: str) -> None:
    lines = Lines(text)
    for offset in range(-1, len(text) + 1):
        assert lines.offset(*lines.position(offset)) == offset


@pytest.mark.parametrize(
    ("text", "offset", "excerpt"),
    [
        pytest.param("", 0, None, id="empty-file"),
        pytest.param("a\n \t\nb", 3, None, id="blank-line"),
        pytest.param("one\r\ntwo\r\n", 6, Excerpt("two"), id="line-without-its-end"),
        pytest.param("one", 3, Excerpt("one"), id="end-of-file"),
        pytest.param("\ta\tb", 3, Excerpt("\ta\tb"), id="tabs-stay"),
        pytest.param("x\n" + "a" * 9000, 2, Excerpt("a" * 1501), id="long-line-begins"),
        pytest.param(
            "x\n" + "a" * 5000 + "b" + "c" * 5000,
            5002,
            Excerpt("a" * 500 + "b" + "c" * 1500, 4501),
            id="long-line-around-the-place",
        ),
    ],
)
def test_an_excerpt_is_the_line_of_the_place(
    text: str, offset: int, excerpt: Excerpt | None
) -> None:
    assert Lines(text).excerpt(offset) == excerpt


def test_a_text_that_may_not_be_quoted_leaves_no_excerpt() -> None:
    (diagnostic,) = diagnose(PATH, "secret", [Finding("wrong", 0, 3)], quote=False)
    assert diagnostic.excerpt is None


def test_diagnose_without_findings() -> None:
    assert diagnose(PATH, "text", []) == ()


def test_a_finding_about_a_whole_file_stands_at_1_1() -> None:
    (diagnostic,) = diagnose(PATH, "", [Finding("can't be read", severity=Severity.ERROR)])
    assert (diagnostic.line, diagnostic.column) == (1, 1)
    assert (diagnostic.end_line, diagnostic.end_column) == (1, 1)


def test_diagnose_gives_the_order_of_the_text() -> None:
    text = "a\nb\nc\n"
    findings = (Finding(message, start) for message, start in [("c", 4), ("a", 0), ("b", 2)])
    assert [(d.message, d.line) for d in diagnose(PATH, text, findings)] == [
        ("a", 1),
        ("b", 2),
        ("c", 3),
    ]


def test_diagnose_keeps_the_order_of_findings_at_one_place() -> None:
    findings = [Finding("second", 3), Finding("z", 0, 9), Finding("a", 0, 1), Finding("m", 0, 5)]
    assert [d.message for d in diagnose(PATH, "0123456789", findings)] == ["z", "a", "m", "second"]


def test_of_one_rule_so_many_findings_are_told() -> None:
    def found(rule: str, severity: Severity, count: int) -> list[Finding]:
        return [Finding("x", at, at, severity=severity, rule=rule) for at in range(count)]

    many = found("many", Severity.WARNING, MAX_ALIKE + 1234)
    all_told = found("all-told", Severity.WARNING, MAX_ALIKE)
    last = Finding("y", 5000, 5000, severity=Severity.ERROR, rule="many")
    told = diagnose(PATH, "a" * 6000, [*many, *all_told, last])
    messages = [diagnostic.message for diagnostic in told if diagnostic.rule == "many"]
    assert messages == [
        *["x"] * (MAX_ALIKE - 1),
        "x; 1,234 more like this are not listed",
        "y",  # an error is not lost among warnings
    ]
    assert [d.message for d in told if d.rule == "all-told"] == ["x"] * MAX_ALIKE


def test_a_hidden_character_is_no_fault_of_its_own_within_an_error() -> None:
    def echo(start: int) -> Finding:
        return Finding("hidden", start, start + 1, None, Severity.WARNING, "invisible-character")

    errors = [
        Finding("", 10, 20, None, Severity.ERROR, "name-charset"),
        Finding("", 2, 15, None, Severity.ERROR, "name-type"),
        Finding("", 30, 30, None, Severity.ERROR, "name-empty"),
        Finding("", 40, 50, None, Severity.WARNING, "name-mismatch"),
    ]
    echoes = [echo(start) for start in (0, 2, 14, 16, 19, 20, 30, 45)]
    kept = without_echoes([*echoes, *errors])
    assert [f.start for f in kept if f.rule == "invisible-character"] == [0, 20, 30, 45]
    assert kept[-4:] == errors


@pytest.mark.parametrize("severity", list(Severity))
def test_diagnose_keeps_the_severity(severity: Severity) -> None:
    (diagnostic,) = diagnose(PATH, "", [Finding("x", severity=severity)])
    assert diagnostic.severity is severity


def test_a_finding_of_no_severity_is_an_error() -> None:
    (diagnostic,) = diagnose(PATH, "", [Finding("x")])
    assert diagnostic.severity is Severity.ERROR


def test_severities_are_the_words_of_the_machine_formats() -> None:
    assert [f"{severity}" for severity in Severity] == ["error", "warning", "info"]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(Finding("x"), id="finding"),
        pytest.param(Diagnostic("rule", Severity.ERROR, "x", PATH), id="diagnostic"),
    ],
)
def test_records_are_immutable(record: Finding | Diagnostic) -> None:
    with pytest.raises(AttributeError):
        record.message = "y"  # type: ignore[misc]
