"""What was measured, as Markdown: the targets, a table for each size, one for the start."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchmarks.contenders import AGNIX, CONTENDERS, OWN, PACKAGES, SKILLS_REF_RS, Contender
from benchmarks.process import Process

MIB = 1024 * 1024

# The greatest ratios to agnix that are aimed at, by number of skills.
RATIOS = {
    (1_000, "cold"): 0.40,
    (1_000, "warm"): 0.25,
    (10_000, "cold"): 0.20,
    (10_000, "warm"): 0.08,
    (100_000, "cold"): 0.20,
    (100_000, "warm"): 0.06,
}
MEMORY_MIB = 150
START_RATIO = 1.3
GROWTH = 1.2
LARGE = 1_000

VALIDATE = f"{OWN} validate"


class Figures(NamedTuple):
    """The processes of one run, by name: those on skills by their number, and the starts.

    ``commit`` is what was measured.
    """

    sizes: Mapping[int, Mapping[str, Process]]
    starts: Sequence[Process]
    notes: Sequence[str]
    commit: str

    def least(self, count: int, name: str) -> float:
        return self.sizes[count][name].least


class Target(NamedTuple):
    """What is aimed at: a figure that is to be at most ``limit``."""

    what: str
    limit: float
    reached: float

    def row(self) -> tuple[str, ...]:
        met = "yes" if self.reached <= self.limit else "**no**"
        return self.what, f"{self.limit:,.2f}", f"{self.reached:,.2f}", met


def targets(figures: Figures) -> Iterator[Target]:
    """The targets that the sizes of this run say something about."""
    sizes = figures.sizes
    for (count, state), limit in RATIOS.items():
        if count in sizes:
            ratio = figures.least(count, f"{VALIDATE}, {state}") / figures.least(count, AGNIX)
            yield Target(f"{count:,} skills, `validate` {state}: time, agnix = 1", limit, ratio)
    large = [count for count in sizes if count >= LARGE]
    memory = sizes[large[-1]][f"{VALIDATE}, cold"].memory if large else None
    if memory is not None:
        what = f"{large[-1]:,} skills, `validate` cold: peak memory, MiB"
        yield Target(what, MEMORY_MIB, memory / MIB)
    if LARGE in sizes and SKILLS_REF_RS in sizes[LARGE]:
        ratio = figures.least(LARGE, f"{VALIDATE}, warm") / figures.least(LARGE, SKILLS_REF_RS)
        yield Target(f"{LARGE:,} skills, `validate` warm: time, {SKILLS_REF_RS} = 1", 1, ratio)
    for command in ("list", "resolve"):
        for state in ("cold", "warm"):
            for count in (count for count in large if f"{OWN} {command}, {state}" in sizes[count]):
                ratio = figures.least(count, f"{OWN} {command}, {state}")
                ratio /= figures.least(count, f"{VALIDATE}, {state}")
                what = f"{count:,} skills, `{command}` {state}: time, `validate` {state} = 1"
                yield Target(what, 1, ratio)
    if len(large) > 1:
        each = [marginal(figures, count) for count in large]
        what = f"{large[0]:,} to {large[-1]:,} skills, cold: time for one more, greatest to least"
        yield Target(what, GROWTH, max(each) / min(each))
    _, typer, own = figures.starts
    yield Target("start: time, `import typer` = 1", START_RATIO, own.least / typer.least)


def marginal(figures: Figures, count: int) -> float:
    """Seconds that ``validate`` takes for a skill, without those it takes to start."""
    name = f"{VALIDATE}, cold"
    return (figures.least(count, name) - figures.least(1, name)) / (count - 1)


def markdown(figures: Figures) -> str:
    """Everything, for the page and the terminal."""
    blocks = [
        *_circumstances(_measured(figures), figures.commit),
        "### Targets",
        _table(
            ("what", "at most", "measured", "met"),
            (target.row() for target in targets(figures)),
        ),
    ]
    for count, processes in figures.sizes.items():
        blocks += [f"### {count:,} skill{'s' * (count != 1)}", _size_table(count, processes)]
    blocks += ["### Start", _start_table(figures.starts)]
    blocks += ["### What each does", _contenders_table(_measured(figures))]
    if figures.notes:
        blocks.append("\n".join(f"- {note}" for note in figures.notes))
    return "\n\n".join(blocks) + "\n"


def _measured(figures: Figures) -> list[Contender]:
    names = {name for processes in figures.sizes.values() for name in processes}
    return [one for one in CONTENDERS if one.name in names]


def _circumstances(contenders: Iterable[Contender], commit: str) -> Iterator[str]:
    yield f"{date.today().isoformat()}, {_machine()}; Python {platform.python_version()}."
    peers = dict.fromkeys(PACKAGES[one.tool] for one in contenders if one.tool != OWN)
    versions = re.sub("==|@", " ", ", ".join(peers))
    yield f"{OWN} at {commit}; {versions}."


def _machine() -> str:
    """Processor, cores and system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        [model, *_] = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    except (OSError, ValueError):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def _size_table(count: int, processes: Mapping[str, Process]) -> str:
    agnix = processes[AGNIX].least
    head = ("", "least", "median", "agnix = 1", "a skill", "processor, a skill", "peak memory")
    rows = (
        (
            one.name,
            _time(one.least),
            _time(one.median),
            f"{one.least / agnix:.2f}",
            _time(one.least / count),
            _time(min(one.cpu) / count),
            "" if one.memory is None else f"{one.memory / MIB:,.0f} MiB",
        )
        for one in processes.values()
    )
    return _table(head, rows)


def _start_table(starts: Sequence[Process]) -> str:
    _, typer, _ = starts
    rows = (
        (one.name, _time(one.least), _time(one.median), f"{one.least / typer.least:.2f}")
        for one in starts
    )
    return _table(("", "least", "median", "`import typer` = 1"), rows)


def _contenders_table(contenders: Iterable[Contender]) -> str:
    rows = ((one.name, one.does) for one in contenders if one.does)
    return _table(("", "what it does with the skills"), rows, figures=False)


def _time(seconds: float) -> str:
    """A time with three digits that count."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:#,.3g} {unit}".replace(". ", " ")
    return f"{seconds * 1e6:,.0f} µs"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], figures: bool = True) -> str:
    """A Markdown table; after the first column stand figures, or text."""
    lines = [head, ["---"] + ["---:" if figures else "---"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
