"""The command: `python -m tests.fuzz`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.run import Plan, run, try_again
from tests.fuzz.targets import TARGETS

FINDINGS = Path(__file__).parents[2] / ".fuzz"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Try made-up files and trees on the package; exit 1 where something is wrong.",
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long; default: 60")
    parser.add_argument("--seed", help="of a run before, to have its inputs again")
    parser.add_argument("--target", action="append", choices=sorted(TARGETS), help="only this one")
    parser.add_argument("--jobs", type=int, default=1, help="so many processes; default: 1")
    parser.add_argument("--findings", type=Path, default=FINDINGS, help="where inputs are kept")
    parser.add_argument("--input", type=Path, help="with --target: try the input in a file")
    given = parser.parse_args(arguments)
    if given.input is not None:
        if not given.target or len(given.target) != 1:
            parser.error("--input needs one --target")
        return try_again(given.target[0], given.input.read_bytes())
    if given.jobs < 1:
        parser.error("--jobs is at least 1")
    targets = tuple(given.target or TARGETS)
    seed = given.seed if given.seed is not None else str(time.time_ns() % 1_000_000_000)
    print(f"seed {seed}, {given.seconds:g} s, {given.jobs} jobs: {', '.join(targets)}", flush=True)
    return 1 if run(Plan(targets, given.seconds, seed, given.jobs, given.findings)) else 0


if __name__ == "__main__":
    sys.exit(main())
