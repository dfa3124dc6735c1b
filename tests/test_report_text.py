"""The text format: blocks of lines, the source line with its place underlined, the summary."""

from __future__ import annotations

import io
import re
import unicodedata
from pathlib import Path

import pytest
from rich.console import Console

from insomnia_skills.checking.check import Check, CheckedFile, FileKind
from insomnia_skills.diagnostic import (
    Diagnostic,
    Excerpt,
    Finding,
    Fix,
    RelatedPlace,
    Severity,
    Span,
    diagnose,
)
from insomnia_skills.report.check import Results
from insomnia_skills.report.check.text import block, print_lines, render, summary
from insomnia_skills.report.text import PathNames, safe

ROOT = Path("/skills")
PATH = ROOT / "pdf/SKILL.md"


def results_of(*diagnostics: Diagnostic, valid: bool = True, **more: object) -> Results:
    file = CheckedFile(str(PATH), FileKind.SKILL, "pdf", valid, diagnostics)
    check = Check(None, (file,))._replace(**more)  # type: ignore[arg-type]
    return Results(check, diagnostics, ROOT, 0.04)


def printed(results: Results, width: int | None = None) -> str:
    out = io.StringIO()
    console = Console(file=out, color_system=None, width=width or 80)
    for diagnostic in results.shown:
        print_lines(block(diagnostic, PathNames(), width), console)
    print_lines(summary(results, width), console)
    return out.getvalue()


def source_lines(text: str, start: int, end: int, width: int | None = None) -> list[str]:
    """The two lines that show a place of a text."""
    diagnostics = diagnose(PATH, text, [Finding("wrong", start, end, rule="name-type")])
    return printed(results_of(*diagnostics), width).splitlines()[2:4]


def test_a_block_says_what_where_and_what_to_do() -> None:
    diagnostic = Diagnostic(
        "yaml-duplicate-key",
        Severity.ERROR,
        '"name" is there twice',
        PATH,
        *(3, 1, 3, 5),
        help="remove one of the two",
        fix=Fix("remove the second"),
        related=(RelatedPlace("the first", PATH, Span(2, 1, 2, 5)),),
        excerpt=Excerpt("name: b"),
    )
    assert render(results_of(diagnostic, valid=False)) == (
        'error[yaml-duplicate-key]: "name" is there twice\n'
        "  /skills/pdf/SKILL.md:3:1\n"
        "  3 │ name: b\n"
        "    │ ^^^^\n"
        "  see:  /skills/pdf/SKILL.md:2:1: the first\n"
        "  help: remove one of the two\n"
        "  fix:  remove the second (--fix)\n"
        "\n"
        "Checked 1 skill: 1 error in 0.04 s\n"
        "1 skill would be skipped.\n"
        "1 can be fixed with --fix. insomnia-skills explain RULE tells more.\n"
    )


def test_a_finding_about_a_whole_file_has_no_source_line() -> None:
    diagnostics = diagnose(PATH, "", [Finding("this is a directory", rule="not-a-file")])
    assert render(results_of(*diagnostics)).splitlines()[:3] == [
        "error[not-a-file]: this is a directory",
        "  /skills/pdf/SKILL.md:1:1",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        pytest.param("a: bcd", 3, 6, ["  1 │ a: bcd", "    │    ^^^"], id="ascii"),
        pytest.param("a: bcd", 3, 3, ["  1 │ a: bcd", "    │    ^"], id="an-empty-place"),
        pytest.param("a: b", 4, 4, ["  1 │ a: b", "    │     ^"], id="behind-the-line"),
        pytest.param(
            "a: b\r\nc: d\r\n", 6, 7, ["  2 │ c: d", "    │ ^"], id="the-line-end-is-not-shown"
        ),
        pytest.param(
            "k: [a,\n  b]", 3, 11, ["  1 │ k: [a,", "    │    ^^^"], id="to-the-end-of-the-line"
        ),
        pytest.param(
            "名前: 値段", 4, 6, ["  1 │ 名前: 値段", "    │       ^^^^"], id="wide-characters"
        ),
        pytest.param(
            "e\u0301: x", 4, 5, ["  1 │ e\u0301: x", "    │    ^"], id="combining-characters"
        ),
        pytest.param(
            "\ta\tb", 3, 4, ["  1 │     a    b", "    │          ^"], id="tabs-become-blanks"
        ),
        pytest.param(
            "a\u200bb\x1b[31mc",
            2,
            3,
            ["  1 │ a\\u200bb\\x1b[31mc", "    │        ^"],
            id="what-a-terminal-would-hide-or-obey",
        ),
        pytest.param(
            "a\u200bb", 1, 2, ["  1 │ a\\u200bb", "    │  ^^^^^^"], id="a-hidden-character-itself"
        ),
        pytest.param("---  ", 3, 5, ["  1 │ ---", "    │    ^^"], id="trailing-blanks"),
        pytest.param(
            "[b]y[/b] :smile:", 0, 3, ["  1 │ [b]y[/b] :smile:", "    │ ^^^"], id="markup-is-text"
        ),
        pytest.param("\n" * 99 + "a: b", 102, 103, ["  100 │ a: b", "      │    ^"], id="line-100"),
    ],
)
def test_the_place_is_underlined(text: str, start: int, end: int, expected: list[str]) -> None:
    shown = source_lines(text, start, end)
    assert [line.rstrip() for line in shown] == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        pytest.param(
            *(0, 2),
            ["  1 │ aabbccddeeffgghhiijjkkllm…", "    │ ^^"],
            id="at-the-start",
        ),
        pytest.param(
            *(26, 28),
            ["  1 │ …jjkkllmmnnooppqqrrssttuuv…", "    │          ^^"],
            id="in-the-middle",
        ),
        pytest.param(
            *(50, 52),
            ["  1 │ …vvwwxxyyzz", "    │          ^^"],
            id="at-the-end",
        ),
        pytest.param(
            *(4, 52),
            ["  1 │ aabbccddeeffgghhiijjkkllm…", "    │     ^^^^^^^^^^^^^^^^^^^^^"],
            id="longer-than-the-room",
        ),
    ],
)
def test_a_long_line_is_cut_around_its_place(start: int, end: int, expected: list[str]) -> None:
    line = "".join(letter * 2 for letter in "abcdefghijklmnopqrstuvwxyz")
    shown = source_lines(line, start, end, width=33)
    assert shown == expected
    assert max(map(len, shown)) <= 33


def test_a_line_of_wide_characters_is_cut_by_cells() -> None:
    shown = source_lines("値" * 60, 30, 31, width=40)
    assert shown == ["  1 │ …値値値値値値値値値値値値値値値値…", "    │ " + " " * 11 + "^^"]


def test_without_a_width_nothing_is_cut_or_wrapped() -> None:
    line = "x" * 1400
    assert source_lines(line, 0, 3)[0] == f"  1 │ {line}"
    long = Diagnostic("name-type", Severity.ERROR, "word " * 60 + "end", PATH, help="word " * 60)
    assert len(render(results_of(long)).splitlines()[0]) > 300


def test_a_long_word_is_not_broken() -> None:
    path = "/" + "d" * 50
    long = Diagnostic("root-missing", Severity.ERROR, f'"{path}" is not there', PATH)
    assert printed(results_of(long), width=40).splitlines()[:3] == [
        "error[root-missing]:",
        f'  "{path}"',
        "  is not there",
    ]


def test_sentences_are_wrapped_between_words_and_places_never() -> None:
    path = PATH.parent / ("d" * 60) / "SKILL.md"
    long = Diagnostic("name-type", Severity.ERROR, "word " * 8 + "end", path, help="some " * 8)
    lines = printed(results_of(long), width=40).splitlines()
    assert lines[:6] == [
        "error[name-type]: word word word word",
        "  word word word word end",
        f"  {path}:1:1",
        "  help: some some some some some some",
        "        some some",
        "",
    ]


@pytest.mark.parametrize(
    ("severities", "shown", "expected"),
    [
        pytest.param("", "", "all good", id="nothing"),
        pytest.param("e", "e", "1 error", id="an-error"),
        pytest.param("wwe", "wwe", "1 error, 2 warnings", id="errors-first"),
        pytest.param("i", "", "all good, 1 info (-v)", id="infos-that-are-not-shown"),
        pytest.param("iiw", "iiw", "1 warning, 2 infos", id="infos-that-are"),
    ],
)
def test_the_summary_counts(severities: str, shown: str, expected: str) -> None:
    weights = {"e": Severity.ERROR, "w": Severity.WARNING, "i": Severity.INFO}
    found = [Diagnostic("name-type", weights[letter], "wrong", PATH) for letter in severities]
    results = Results(results_of(*found).check, tuple(found[: len(shown)]), ROOT, 0.04)
    summary = next(line for line in render(results).splitlines() if line.startswith("Checked"))
    assert summary == f"Checked 1 skill: {expected} in 0.04 s"


def test_the_summary_says_what_is_known_and_what_was_fixed() -> None:
    known = (Diagnostic("name-type", Severity.ERROR, "wrong", PATH),)
    other = PATH.parent.parent / "review/SKILL.md"
    fixed = (
        Diagnostic("byte-order-mark", Severity.WARNING, "wrong", PATH),
        Diagnostic("name-type", Severity.ERROR, "wrong", PATH),
        Diagnostic("yaml-syntax", Severity.ERROR, "wrong", other),
    )
    assert render(results_of(known=known, fixed=fixed)) == (
        "Fixed 3 findings in 2 files:\n"
        "  /skills/pdf/SKILL.md: byte-order-mark, name-type\n"
        "  /skills/review/SKILL.md: yaml-syntax\n"
        "\n"
        "Checked 1 skill: nothing new, 1 known from the baseline in 0.04 s\n"
    )


def test_quiet_is_without_a_summary() -> None:
    assert render(Results(results_of().check, (), ROOT, 0.04, quiet=True)) == ""


SEEN = "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f]"
"""What Unicode takes for formatting, though a reader sees something of it: signs round numbers."""


def test_every_character_that_nobody_sees_is_written_out() -> None:
    unseen = ("Cc", "Cf", "Cs", "Zl", "Zp")
    shown = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) in unseen]
    left = "".join(c for c in shown if safe(c) == c)
    assert re.sub(SEEN, "", left) == "\t\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\u2764\ufe0f", "a\u2764\ufe0f", id="one-selector"),
        pytest.param("a\ufe00\ufe01\ufe02", "a\ufe00\\ufe01\\ufe02", id="selectors-that-spell"),
        pytest.param("a\U000e0080b\U000e01f0", "a\\U000e0080b\\U000e01f0", id="never-assigned"),
        pytest.param("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680", id="joined-emoji"),
    ],
)
def test_what_hides_a_text_is_written_out(text: str, shown: str) -> None:
    assert safe(text) == shown
