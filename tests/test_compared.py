"""`docs/compared.md` is what its verdicts and reasons give, and insomnia-skills still answers so.

The other validators are not run: `python benchmarks/compare.py` does that.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import compare
from benchmarks.compare import ACCEPTED, ACCEPTS, OPEN, REFUSED, REFUSES, Difference, Done, Verdict
from tests import cli

RUN = compare.load()
CASES = compare.load_cases()
DIFFERENCES = compare.load_differences()
DIFFERING = [key for one in DIFFERENCES for key in one.skills]


def reasons(*differences: Difference) -> list[str]:
    return compare.misfits(RUN.rows, CASES, differences)


def test_every_difference_has_a_reason_and_every_reason_a_difference() -> None:
    assert reasons(*DIFFERENCES) == []


def test_the_page_is_current() -> None:
    written = compare.PAGE.read_text(encoding="utf-8")
    made = compare.page(RUN, CASES, DIFFERENCES)
    assert written == made, "run: python benchmarks/compare.py --write"


def test_the_page_is_about_the_versions_that_the_script_installs() -> None:
    assert {f"{name}=={version}" for name, version in RUN.versions.items()} > {*compare.OTHERS}


@pytest.mark.parametrize("case", {row.case: row for row in RUN.rows})
def test_insomnia_skills_judges_as_the_page_says(case: str, tmp_path: Path) -> None:
    compare.lay_out(next(one for one in CASES if one["id"] == case), tmp_path / "case")
    (empty := tmp_path / "empty").mkdir()
    for row in RUN.rows:
        if row.case != case:
            continue
        directory = compare.skill_directory(tmp_path / "case" / row.path)
        run = cli.call(
            *compare.VALIDATORS[compare.OWN].arguments,
            directory,
            cwd=empty,
            env=cli.environment(empty),
        )
        now, then = (
            compare.read_own(Done(run.code, run.text, run.stderr)),
            row.verdicts[compare.OWN],
        )
        # A rule that was added since is no other verdict.
        assert (now.outcome, {*now.by} >= {*then.by}) == (then.outcome, True), (
            f"{row.key}: {now.cell}; run: python benchmarks/compare.py"
        )


def test_a_reason_that_is_missing_is_noticed() -> None:
    first, *others = DIFFERENCES
    assert [problem.split()[0] for problem in reasons(*others)] == list(first.skills)
    assert "has no reason" in reasons(*others)[0]


@pytest.mark.parametrize(
    ("key", "specification", "problem"),
    [
        ("crlf-rejected/win-made", ACCEPTS, "has a reason, but all agree"),
        ("crlf-rejected/win-made", OPEN, "has a reason, but all agree"),
        (DIFFERING[0], OPEN, "has two reasons"),
        ("crlf-rejected/none", REFUSES, "there is no such skill"),
    ],
)
def test_a_reason_too_many_is_noticed(key: str, specification: str, problem: str) -> None:
    extra = Difference("Extra", specification, "Because.", {key: "a file"}, timing=False)
    (found,) = reasons(*DIFFERENCES, extra)
    assert key in found
    assert problem in found


def test_a_difference_of_time_may_be_gone() -> None:
    extra = Difference("Slow", ACCEPTS, "It is.", {"crlf-rejected/win-made": "a file"}, timing=True)
    assert reasons(*DIFFERENCES, extra) == []


def test_a_specification_that_says_otherwise_than_all_is_a_difference() -> None:
    extra = Difference("Odd", REFUSES, "It is.", {"crlf-rejected/win-made": "x"}, timing=False)
    assert reasons(*DIFFERENCES, extra) == []


@pytest.mark.parametrize(
    ("done", "verdict"),
    [
        (Done(0, "Valid skill: x", ""), Verdict(ACCEPTED, 0)),
        (
            Done(1, "", "Validation failed for x:\n  - Too long\n  - Too odd"),
            Verdict(REFUSED, 1, (), "Too long"),
        ),
        (
            Done(1, "", "Traceback (most recent call last)\n  …\nKeyError: 'x'"),
            Verdict("traceback", 1, ("KeyError",)),
        ),
        (Done(-11, "", ""), Verdict("crash", -11)),
        (Done(None, "", ""), Verdict("late", None)),
    ],
)
def test_verdict_of_a_run(done: Done, verdict: Verdict) -> None:
    assert compare.read_plain(done) == verdict
