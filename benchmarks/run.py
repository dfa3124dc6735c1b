"""Measure insomnia-skills beside its peers, whole processes on the same made skills, in turns.

    python3 -m benchmarks.run           print the figures
    python3 -m benchmarks.run --quick   the small sizes only, for a minute's look
    python3 -m benchmarks.run --write   write them into docs/performance.md too

Needs the standard library, and a registry the first time. What is installed and made is kept in
``benchmarks/.work``. docs/performance.md says what is measured and how.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.contenders import AGNIX, CONTENDERS, OWN, ROOT, Contender, Installed, Shell, install
from benchmarks.corpus import corpus
from benchmarks.figures import Figures, markdown
from benchmarks.process import Process, UnusableError, measure

WORK = Path(__file__).with_name(".work")
PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"

# How often each is timed, by number of skills.
ROUNDS = {1: 10, 100: 5, 1_000: 5, 10_000: 3, 100_000: 1}
QUICK_ROUNDS = {1: 5, 100: 5, 1_000: 3}
START_ROUNDS = 20
PEER_SECONDS = 20


def measure_start(shell: Shell) -> list[Process]:
    """What a start costs, and how much of it is Python's and typer's."""
    starts = [
        shell.command("`python -c pass`", OWN, "python", "-c", "pass"),
        shell.command('`python -c "import typer"`', OWN, "python", "-c", "import typer"),
        shell.command(f"`{OWN} list`, empty workspace", OWN, OWN, "list"),
    ]
    for start in starts:
        start.watch()
    measure(starts, START_ROUNDS)
    return starts


def measure_skills(shell: Shell, rounds: Mapping[int, int]) -> Figures:
    """Time all contenders on each size, except peers that would take too long there."""
    commit = describe()  # what was installed just now
    sizes: dict[int, dict[str, Process]] = {}
    notes = [f"{tool} is left out: {why}." for tool, why in shell.installed.missing.items()]
    contenders = [one for one in CONTENDERS if one.tool in shell.installed.programs]
    for count, number in rounds.items():
        skills = corpus(WORK / "corpora", count)
        processes: dict[str, Process] = {}
        for contender in list(contenders):
            process = shell.process(contender, skills)
            progress(f"{count:,} skills: {process.name}")
            try:
                process.watch()
            except UnusableError as reason:
                if contender.tool in (OWN, AGNIX):
                    raise
                notes.append(f"{contender.name} is left out from {count:,} skills on: {reason}.")
                contenders.remove(contender)
            else:
                processes[process.name] = process
        progress(f"{count:,} skills: {number} times, in turns")
        measure(list(processes.values()), number)
        sizes[count] = processes
        contenders = [one for one in contenders if goes_on(one, processes[one.name], count)]
    return Figures(sizes, measure_start(shell), notes, commit)


def describe() -> str:
    """The commit of the working tree, and whether that differs from it."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "no commit"


def goes_on(contender: Contender, process: Process, count: int) -> bool:
    """Whether a contender is measured on the next size, of ten times as many skills."""
    if contender.most is not None and count >= contender.most:
        return False
    return count == 1 or contender.tool in (OWN, AGNIX) or process.least * 10 < PEER_SECONDS


def write(figures: str) -> None:
    """Put the figures into their place in the page."""
    page = PAGE.read_text(encoding="utf-8")
    place = re.compile(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", re.DOTALL)
    PAGE.write_text(place.sub(lambda _: f"\n{figures}\n", page), encoding="utf-8")


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only up to 1,000 skills")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md too")
    given = parser.parse_args()
    try:
        progress("installing")
        installed: Installed = install(WORK)
        with tempfile.TemporaryDirectory() as scratch:
            shell = Shell(installed, Path(scratch).resolve())
            figures = markdown(measure_skills(shell, QUICK_ROUNDS if given.quick else ROUNDS))
    except UnusableError as reason:
        sys.exit(f"{Path(__file__).name}: {reason}")
    print(figures, end="")
    if given.write:
        write(figures)


if __name__ == "__main__":
    main()
