"""Judge the recorded cases with three validators and write ``docs/compared.md``.

    python benchmarks/compare.py           install the validators, run them, write the page
    python benchmarks/compare.py --write   write the page anew from the verdicts of the last run

Every SKILL.md that a case of ``tests/cases`` says something about is given alone to skills-ref,
agnix and insomnia-skills. Their verdicts go into ``compared.json``, beside this file; why they
differ is written by hand in ``reasons.toml``. Where there is a difference without a reason, or a
reason without a difference, no page is written. Without ``--write`` this installs packages.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import runpy
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests/cases"
PAGE = ROOT / "docs/compared.md"
REASONS = Path(__file__).with_name("reasons.toml")
RECORDED = Path(__file__).with_name("compared.json")
ENVIRONMENT = ROOT / ".bench"
PROGRAMS = ENVIRONMENT / "bin"

# The reasons were checked on these versions; so must be those for others.
OTHERS = ("skills-ref==0.1.1", "agnix==0.59.3")
SECONDS = 10
INSTALL_SECONDS = 600

ACCEPTED, REFUSED, TRACEBACK, CRASH, LATE = "accepted", "refused", "traceback", "crash", "late"
ACCEPTS, REFUSES, OPEN = "accepts", "refuses", "open"

# A valid skill that lies in most cases, for others to do no harm to.
NEIGHBOUR = "tidy-notes"


class ComparisonError(Exception):
    """The comparison can't be made, or its reasons do not fit; the message says why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one validator said of one skill.

    ``by`` names the rules behind it: of errors where it was refused, of warnings where it was
    accepted, and the exception where it ended in a traceback. ``says`` is the first message.
    """

    outcome: str
    exit: int | None
    by: tuple[str, ...] = ()
    says: str = ""

    @property
    def cell(self) -> str:
        """The verdict in a table."""
        by = ", ".join(f"`{name}`" for name in self.by)
        if self.outcome == LATE:
            return f"**no answer in {SECONDS} s**"
        if self.outcome in (TRACEBACK, CRASH):
            return f"**{self.outcome}**, exit {self.exit}" + (f": {by}" if by else "")
        if self.outcome == ACCEPTED:
            return ACCEPTED + (f", warns: {by}" if by else "")
        return REFUSED + (f": {by}" if by else "")


@dataclass(frozen=True, slots=True)
class Row:
    """A skill of a case, and what every validator said of it."""

    case: str
    path: str
    verdicts: Mapping[str, Verdict]

    @property
    def key(self) -> str:
        """Case and directory: what ``reasons.toml`` calls it by."""
        return f"{self.case}/{skill_directory(Path(self.path)).name}"

    @property
    def outcomes(self) -> set[str]:
        return {verdict.outcome for verdict in self.verdicts.values()}


class Difference(NamedTuple):
    """A table of ``reasons.toml``: skills on which the validators differ, and why."""

    title: str
    specification: str
    reason: str
    skills: Mapping[str, str]
    timing: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One run of all validators."""

    date: str
    system: str
    versions: Mapping[str, str]
    rows: Sequence[Row]


# The skills


def load_cases() -> list[dict[str, Any]]:
    lines = (CASES / "cases.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def lay_out(case: Mapping[str, Any], base: Path) -> None:
    """Write the files of a case, without those that its script would make besides."""
    runpy.run_path(str(CASES / "run.py"))["lay_out"]({**case, "setup": None}, base)


def skill_directory(path: Path) -> Path:
    return path.parent if path.name.lower() == "skill.md" else path


def judged(case: Mapping[str, Any]) -> Iterator[str]:
    """The paths of the skills that a case says something about.

    Shadowed ones are left out: they are copies, valid like those that shadow them.
    """
    expect = case["expect"]
    for path in (*expect["loaded"], *expect["skipped"], *expect["either"]):
        if Path(path).name.lower() == "skill.md" and Path(path).parent.name != NEIGHBOUR:
            yield path


def expected(case: Mapping[str, Any], path: str) -> str:
    """What a case says of a skill, which is what the specification says unless reasons differ."""
    if path in case["expect"]["loaded"]:
        return ACCEPTS
    return REFUSES if path in case["expect"]["skipped"] else OPEN


# The validators


class Done(NamedTuple):
    """What a command left behind; ``code`` is None where it took too long."""

    code: int | None
    stdout: str
    stderr: str


def execute(command: Sequence[str], cwd: Path) -> Done:
    """Run a command in an empty directory, as somebody without settings of their own would."""
    environment = {
        "HOME": str(cwd),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": os.defpath,
    }
    try:
        done = subprocess.run(
            command,
            check=False,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return Done(None, "", "")
    except FileNotFoundError:
        raise ComparisonError(f"there is no command {command[0]}") from None
    return Done(done.returncode, done.stdout, done.stderr)


def read_plain(done: Done) -> Verdict:
    """A verdict from the exit code alone, with the first of the errors that skills-ref lists."""
    if done.code is None:
        return Verdict(LATE, None)
    if "Traceback (most recent call last)" in done.stderr:
        last = done.stderr.strip().splitlines()[-1]
        return Verdict(TRACEBACK, done.code, (last.partition(":")[0],))
    if done.code not in (0, 1):
        return Verdict(CRASH, done.code)
    says = re.search(r"^ +- (.+)", done.stderr, re.MULTILINE)
    return Verdict((ACCEPTED, REFUSED)[done.code], done.code, (), says[1] if says else "")


def read_json(severity: str, done: Done) -> Verdict:
    """A verdict from the exit code, with the rules of a JSON document."""
    plain = read_plain(done)
    if plain.outcome not in (ACCEPTED, REFUSED):
        return plain
    wanted = "error" if plain.outcome == REFUSED else "warning"
    try:
        diagnostics = json.loads(done.stdout)["diagnostics"]
    except ValueError:
        raise ComparisonError(f"this is no JSON document: {done.stdout[:300]!r}") from None
    found = [one for one in diagnostics if one[severity] == wanted]
    rules = tuple(dict.fromkeys(one["rule"] for one in found))
    return Verdict(plain.outcome, plain.exit, rules, found[0]["message"] if found else "")


def read_own(done: Done) -> Verdict:
    """A verdict of insomnia-skills."""
    return read_json("severity", done)


class Validator(NamedTuple):
    """How a validator is called on the directory of one skill, and its answer read."""

    program: str
    arguments: tuple[str, ...]
    read: Callable[[Done], Verdict]

    def judge(self, directory: Path, cwd: Path) -> Verdict:
        verdict = self.read(execute([*self.command(*self.arguments), str(directory)], cwd))
        return replace(verdict, says=verdict.says.replace(f"{directory}{os.sep}", ""))

    def version(self, cwd: Path) -> str:
        done = execute(self.command("--version"), cwd)
        if done.code != 0:
            raise ComparisonError(f"{self.program} does not run: {done.stderr.strip()[-300:]}")
        return done.stdout.split()[-1]

    def command(self, *arguments: str) -> list[str]:
        return [str(PROGRAMS / self.program), *arguments]


OWN = "insomnia-skills"
VALIDATORS: Mapping[str, Validator] = {
    "skills-ref": Validator("agentskills", ("validate",), read_plain),
    "agnix": Validator("agnix", ("--format", "json"), lambda done: read_json("level", done)),
    OWN: Validator(OWN, ("validate", "--format", "json"), read_own),
}


def install() -> None:
    """Put the validators into an environment of the checkout, this one as its users have it."""
    python = PROGRAMS / "python"
    pip = "-m pip install --quiet --disable-pip-version-check"
    commands = [[str(python), *pip.split(), *OTHERS, "."]]
    if not python.exists():
        commands.insert(0, [sys.executable, "-m", "venv", str(ENVIRONMENT)])
    for command in commands:
        try:
            subprocess.run(command, check=True, cwd=ROOT, timeout=INSTALL_SECONDS)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            raise ComparisonError(f"the validators can't be installed: {error}") from None


def run_all(cases: Iterable[Mapping[str, Any]]) -> Run:
    """Judge every skill of the cases with every validator."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        empty = Path(scratch).resolve() / "empty"
        empty.mkdir()
        versions = {name: one.version(empty) for name, one in VALIDATORS.items()}
        for case in cases:
            base = empty.with_name(case["id"])
            lay_out(case, base)
            for path in judged(case):
                directory = skill_directory(base / path)
                verdicts = {name: one.judge(directory, empty) for name, one in VALIDATORS.items()}
                rows.append(Row(case["id"], path, verdicts))
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return Run(date.today().isoformat(), system, versions, rows)


def save(run: Run) -> None:
    def said(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return {name: value for name, value in items if value not in ((), "")}

    text = json.dumps(asdict(run, dict_factory=said), ensure_ascii=False, indent=1)
    RECORDED.write_text(text + "\n", encoding="utf-8")


def load() -> Run:
    """The last run."""
    recorded = json.loads(RECORDED.read_bytes())
    rows = []
    for row in recorded.pop("rows"):
        verdicts = {
            name: Verdict(**{**verdict, "by": tuple(verdict.get("by", ()))})
            for name, verdict in row["verdicts"].items()
        }
        rows.append(Row(row["case"], row["path"], verdicts))
    return Run(**recorded, rows=rows)


# The reasons


def load_differences() -> list[Difference]:
    tables = tomllib.loads(REASONS.read_text(encoding="utf-8"))["difference"]
    return [Difference(**{"timing": False, **table}) for table in tables]


def specification(
    rows: Iterable[Row], cases: Iterable[Mapping[str, Any]], differences: Iterable[Difference]
) -> dict[str, str]:
    """What the specification says of each skill: as in the reasons, else as the case has it."""
    by_id = {case["id"]: case for case in cases}
    says = {key: one.specification for one in differences for key in one.skills}
    return {row.key: says.get(row.key) or expected(by_id[row.case], row.path) for row in rows}


def agree(row: Row, says: str) -> bool:
    """Whether all validators give one answer, and the one of the specification if it has one."""
    allowed = {ACCEPTS: [{ACCEPTED}], REFUSES: [{REFUSED}], OPEN: [{ACCEPTED}, {REFUSED}]}
    return row.outcomes in allowed[says]


def misfits(
    rows: Sequence[Row], cases: Sequence[Mapping[str, Any]], differences: Sequence[Difference]
) -> list[str]:
    """What is wrong with the reasons: one missing, superfluous, twice there, of nothing."""
    problems = []
    if unknown := {row.case for row in rows} - {case["id"] for case in cases}:
        return [f"there is no case {name}" for name in sorted(unknown)]
    if twice := [key for key, count in Counter(row.key for row in rows).items() if count > 1]:
        problems += [f"{key} is the key of two skills" for key in twice]
    explained = Counter(key for one in differences for key in one.skills)
    problems += [f"{key} has two reasons" for key, count in explained.items() if count > 1]
    problems += [
        f"{key}: there is no such skill" for key in explained.keys() - {r.key for r in rows}
    ]
    timed = {key for one in differences if one.timing for key in one.skills}
    says = specification(rows, cases, differences)
    for row in rows:
        if agree(row, says[row.key]):
            if row.key in explained and row.key not in timed:
                problems.append(f"{row.key} has a reason, but all agree: {sorted(row.outcomes)}")
        elif row.key not in explained:
            answers = ", ".join(f"{name} {one.cell}" for name, one in row.verdicts.items())
            problems.append(f"{row.key} has no reason: specification {says[row.key]}, {answers}")
    return problems


# The page


def page(run: Run, cases: Sequence[Mapping[str, Any]], differences: Sequence[Difference]) -> str:
    """``docs/compared.md``."""
    says = specification(run.rows, cases, differences)
    differing = [row for row in run.rows if not agree(row, says[row.key])]
    agreeing = [row for row in run.rows if agree(row, says[row.key])]
    tools = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    summary = (
        f"Of {len(run.rows)} skills, all three validators agree with the specification on "
        f"{len(agreeing)}; on {len(differing)} something differs."
    )
    blocks = [
        "# Beside other validators, skill by skill",
        "Made by `python benchmarks/compare.py`; edit `benchmarks/reasons.toml` instead.",
        f"{tools}; {run.date}, {run.system}.",
        f"**{summary}**",
        *INTRODUCTION.strip().split("\n\n"),
        "## Where they differ",
        _differing_table(differing, differences, says),
        "## Why",
        *_reasons(differing, differences),
        "## Where insomnia-skills stands alone",
        *_own_departures(differing, differences, says),
        "## Totals",
        TOTALS_NOTE,
        _totals_table(run.rows, says),
        "## Where all agree",
        f"The {len(agreeing)} others, by the kind of trouble that they were recorded for.",
        _agreeing_table(agreeing, run.rows, cases),
    ]
    return "\n\n".join(_wrapped(block) for block in blocks) + "\n"


INTRODUCTION = """
How it was made: the cases of [tests/cases](../tests/cases/README.md) are small trees after public
reports of skills that went wrong in some tool. Each is laid out in a temporary directory, and the
directory of each skill in it is given alone to `agentskills validate` (skills-ref), `agnix` and
`insomnia-skills validate`, with no settings. A validator *accepts* a skill if it exits 0 and
*refuses* it if it exits 1. The names after a verdict are the rules that agnix and insomnia-skills
give for it; skills-ref has none. Infos are not shown.

How to read it: where the verdicts differ, what the specification says is taken from the text of
agentskills.io/specification as of 2026-08, not from any of the three; where they agree, it is what
was recorded with the case. *Open* means that the text decides neither way, so that no answer is
wrong there.

What it does not say: the cases were chosen because they are troublesome, so nothing follows for how
often such skills occur. insomnia-skills is tested against these very cases; that it does well on
them is no surprise. agnix judges many kinds of files besides skills and finds much that is no error
here; skills-ref is the format's own reference library. For speed and features, see the
[README](../README.md) and the [benchmarks](../benchmarks/README.md).
"""

TOTALS_NOTE = f"""\
A verdict counts in one row. Where the specification is open, both answers are counted apart. A
traceback is counted as such whatever the exit code. *No answer* is none within {SECONDS} s."""


def _wrapped(block: str) -> str:
    if block.startswith(("|", "#", "-")):
        return block
    return textwrap.fill(block, 100, break_long_words=False, break_on_hyphens=False)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], figures: bool = False) -> str:
    lines = [head, ["---"] + ["---:" if figures else "---"] * (len(head) - 1), *rows]
    escaped = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def _shown(text: str) -> str:
    """Text with the characters that nobody sees written out."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _case(key: str) -> str:
    case, _, skill = key.partition("/")
    return f"{case} · {_shown(skill)}"


def _differing_table(
    differing: Iterable[Row], differences: Iterable[Difference], says: Mapping[str, str]
) -> str:
    rows = {row.key: row for row in differing}
    lines = [
        [_case(key), holds, says[key], *(one.cell for one in rows[key].verdicts.values())]
        for difference in differences
        for key, holds in difference.skills.items()
        if key in rows
    ]
    return _table(("case · skill", "in the file", "specification", *VALIDATORS), lines)


def _reasons(differing: Iterable[Row], differences: Iterable[Difference]) -> Iterator[str]:
    rows = {row.key: row for row in differing}
    for difference in differences:
        keys = [key for key in difference.skills if key in rows]
        if not keys:
            continue
        yield f"### {difference.title}"
        yield " ".join(difference.reason.split())
        yield f"*Cases: {'; '.join(map(_case, keys))}.*"
        quoted = dict.fromkeys(
            f"- agnix, `{verdict.by[0]}`: {verdict.says}"
            for key in keys
            if (verdict := rows[key].verdicts["agnix"]).by
        )
        if quoted:
            yield "\n".join(quoted)


def _own_departures(
    differing: Iterable[Row], differences: Iterable[Difference], says: Mapping[str, str]
) -> Iterator[str]:
    """Where insomnia-skills departs from the text, or is alone where the text is open."""
    holds = {key: text for one in differences for key, text in one.skills.items()}
    lists: dict[str, list[str]] = {
        "The specification refuses it, insomnia-skills does not:": [],
        "The specification accepts it, insomnia-skills does not:": [],
        "The specification leaves it open, and both others give the other answer:": [],
    }
    lenient, strict, alone = lists.values()
    for row in differing:
        own = row.verdicts[OWN].outcome
        line = f"- {holds[row.key]}: {row.verdicts[OWN].cell} ({_case(row.key)})"
        others = [one.outcome for name, one in row.verdicts.items() if name != OWN]
        if says[row.key] == OPEN:
            if others == [{ACCEPTED: REFUSED, REFUSED: ACCEPTED}.get(own)] * len(others):
                alone.append(line)
        elif (own, says[row.key]) == (ACCEPTED, REFUSES):
            lenient.append(line)
        elif own != ACCEPTED and says[row.key] == ACCEPTS:
            strict.append(line)
    for title, lines in lists.items():
        if lines:
            yield title
            yield "\n".join(lines)


def _totals_table(rows: Sequence[Row], says: Mapping[str, str]) -> str:
    kinds: Mapping[str, Callable[[str, str], bool]] = {
        "as the specification says": lambda o, s: (
            (o, s) in ((ACCEPTED, ACCEPTS), (REFUSED, REFUSES))
        ),
        "accepted, which it refuses": lambda o, s: (o, s) == (ACCEPTED, REFUSES),
        "refused, which it accepts": lambda o, s: (o, s) == (REFUSED, ACCEPTS),
        "it is open: accepted": lambda o, s: (o, s) == (ACCEPTED, OPEN),
        "it is open: refused": lambda o, s: (o, s) == (REFUSED, OPEN),
        "traceback or crash": lambda o, _: o in (TRACEBACK, CRASH),
        "no answer": lambda o, _: o == LATE,
    }
    lines = [
        [
            kind,
            *(
                str(sum(fits(r.verdicts[name].outcome, says[r.key]) for r in rows))
                for name in VALIDATORS
            ),
        ]
        for kind, fits in kinds.items()
    ]
    lines.append(["all", *(str(len(rows)) for _ in VALIDATORS)])
    return _table(("", *VALIDATORS), lines, figures=True)


def _agreeing_table(
    agreeing: Iterable[Row], rows: Iterable[Row], cases: Iterable[Mapping[str, Any]]
) -> str:
    kinds = {case["id"]: case["category"] for case in cases}
    several = {case for case, count in Counter(row.case for row in rows).items() if count > 1}
    lists: dict[str, tuple[list[str], list[str]]] = {}
    for row in agreeing:
        accepted, refused = lists.setdefault(kinds[row.case], ([], []))
        name = _case(row.key) if row.case in several else row.case
        (accepted if row.outcomes == {ACCEPTED} else refused).append(name)
    lines = [[kind, ", ".join(lists[kind][0]), ", ".join(lists[kind][1])] for kind in sorted(lists)]
    return _table(("kind", "accepted by all", "refused by all"), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--write", action="store_true", help="only write the page, from the last run's verdicts"
    )
    write_only = parser.parse_args().write
    cases, differences = load_cases(), load_differences()
    try:
        if write_only:
            run = load()
        else:
            install()
            save(run := run_all(cases))
        if problems := misfits(run.rows, cases, differences):
            raise ComparisonError("reasons.toml does not fit\n  " + "\n  ".join(problems))
    except ComparisonError as reason:
        sys.exit(f"{Path(__file__).name}: {reason}")
    PAGE.write_text(page(run, cases, differences), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(run.rows)} skills")


if __name__ == "__main__":
    main()
