"""Kill the commands that write files, at any moment, and look at what they leave.

``python -m tests.kill --times 300`` kills each of them so often: half of that at any line of its
code, the rest as a program of its own at any moment. Whatever the signal, each file must be the old
or the new one, the next run must work, and only SIGKILL may leave a file under a temporary name.
The exit code is 1 where anything else was found. Linux and macOS only.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import insomnia_skills
from insomnia_skills import ingest
from insomnia_skills.cli import main
from insomnia_skills.reading import PAYS_OFF
from tests import cli
from tests.trees import Tree, write, write_skill

PACKAGE = os.path.dirname(insomnia_skills.__file__)
WRITING = ("edit/", "cache.py", "cli/output.py", "cli/fixing.py", "cli/sources/editing.py")
"""Where in the package the lines are at which a command is killed."""

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
TEMPORARY = ".insomnia-skills-"
WAIT_SECONDS = 60

State = dict[str, bytes | None]
"""What lies below a directory: the bytes of each file, None for a directory."""


class Case(NamedTuple):
    """A command that writes, and the tree that it is run in."""

    arguments: tuple[str, ...]
    lay_out: Callable[[Tree], object]
    keeps_cache: bool = False


def skills(tree: Tree) -> None:
    """Two skills with something to fix, one of them under a wrong name, and one without."""
    text = "---\nname: {0}\ndescription: Plans in parts: one, two. Use when asked.\n---\nDo it.\n"
    write(tree.workspace / "skills/one/SKILL.md", text.format("one"))
    write(tree.workspace / "skills/two/skill.md", text.format("two"))
    write_skill(tree.workspace / "skills", "pdf", "allowed-tools: Read", files={"x.py": "x"})


def many(tree: Tree) -> None:
    """So many that other processes read them."""
    for number in range(2 * PAYS_OFF):
        write_skill(tree.workspace / "skills", f"skill-{number}")


def named(tree: Tree) -> None:
    """Those skills, named in a manifest that has comments."""
    skills(tree)
    write_skill(tree.workspace / "other", "pdf")
    write(tree.manifest, '[skills] # mine\ndirectories = [\n  "skills", # first\n  "none",\n]\n')


def with_native(tree: Tree) -> None:
    named(tree)
    tree.write_workflow("pdf")


def with_files(tree: Tree) -> None:
    """Reports and a baseline of an earlier run are there."""
    skills(tree)
    write(tree.workspace / "known.json", '{"version": 1, "findings": []}\n')
    write(tree.workspace / "report.sarif", "{}\n")


CASES = {
    "fix": Case(("validate", "skills", "--fix"), skills),
    "add": Case(("sources", "add", "other"), named),
    "add the first": Case(("sources", "add", "skills"), skills),
    "remove": Case(("sources", "remove", "skills"), named),
    "move": Case(("sources", "move", "skills", "--last"), named),
    "new": Case(("new", "fresh", "--in", "mine/skills", "--with", "scripts,assets"), skills),
    "eject": Case(("eject", "/pdf"), named),
    "eject --force": Case(("eject", "/pdf", "--force"), with_native),
    "baseline": Case(
        ("validate", "skills", "--baseline", "known.json", "--write-baseline"), with_files
    ),
    "output": Case(
        ("validate", "skills", "--output", "report.sarif", "--output", "out/report.md"), with_files
    ),
    "cache": Case(("validate", "skills"), skills, keeps_cache=True),
    "jobs": Case(("validate", "skills", "--jobs", "3"), many),
}


class Ended(NamedTuple):
    """How one run ended. ``met`` says that it was killed before its end."""

    code: int
    said: str
    met: bool = True


class Ground:
    """A tree that is laid out again and again, and the command that runs in it."""

    def __init__(self, top: Path, case: Case) -> None:
        self.tree, self.case = Tree(top / "tree"), case
        self.cache = top / "cache"
        self.said = top / "said"
        cache = self.cache if case.keeps_cache else Path(os.devnull)
        self.environment = {
            **cli.environment(top, self.tree.config),
            "XDG_CACHE_HOME": str(cache),
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": os.path.dirname(PACKAGE),
        }
        self.old: State = {}
        self.new: State = {}
        self.codes: set[int] = set()
        self.seconds, self.lines = 0.0, 0

    def prepare(self) -> None:
        """Find out what the command makes of the tree when nobody disturbs it."""
        self.case.lay_out(self.tree)
        self.tree.config.mkdir(exist_ok=True)
        self.old = self.state()
        if self.case.keeps_cache:
            time.sleep(2.1)  # what has just changed is not kept
        started = time.monotonic()
        first = self.run_program()
        self.seconds = time.monotonic() - started
        self.new = self.state()
        self.codes = {first.code, self.run_program().code}  # a second time there may be less to do
        self.reset()
        self.lines = int(self.run_here().said.rpartition("\0")[2])

    def reset(self) -> None:
        """The tree as it was, and no cache."""
        now = self.state()
        for name in sorted(now.keys() - self.old.keys(), reverse=True):
            path = self.tree.top / name
            path.rmdir() if now[name] is None else path.unlink()
        for name, data in self.old.items():
            if data is None:
                (self.tree.top / name).mkdir(exist_ok=True)
            elif now.get(name) != data:
                write(self.tree.top / name, data)
        for file in self.cache.rglob("*.sqlite"):
            file.unlink()

    def state(self) -> State:
        top = self.tree.top
        return {
            path.relative_to(top).as_posix(): None if path.is_dir() else path.read_bytes()
            for path in top.rglob("*")
        }

    def run_program(self, number: int = 0, after: float | None = None) -> Ended:
        """The command as a program of its own, which gets a signal after so many seconds."""
        command = (sys.executable, "-m", "insomnia_skills", *self.case.arguments)
        with open(self.said, "wb") as said:
            process = subprocess.Popen(
                command,
                cwd=self.tree.workspace,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        met = False
        if after is not None:
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, number)
                met = True
        code = process.wait(WAIT_SECONDS)
        require_group_to_end(process.pid)
        return Ended(code, self.said.read_text(), met)

    def run_here(self, number: int = 0, line: int = 0) -> Ended:
        """The command in a fork of this process, which gets a signal at its n-th line."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            code = 99
            try:
                code = self._run_forked(number, line)
            finally:
                os._exit(code)
        deadline = time.monotonic() + WAIT_SECONDS
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                raise TimeoutError(f"{self.case.arguments} hangs after {number} at line {line}")
            time.sleep(0.001)
        said = self.said.read_text()
        return Ended(os.waitstatus_to_exitcode(ended[1]), said, met=f"\0{line}" in said)

    def _run_forked(self, number: int, at: int) -> int:
        out = os.open(self.said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(out, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(self.environment)
        os.chdir(self.tree.workspace)
        sys.argv = ["insomnia-skills", *self.case.arguments]
        count = 0

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal count
            if event == "call" and not is_writing(frame.f_code.co_filename):
                return None
            if event == "line":
                count += 1
                if count == at:
                    os.write(2, f"\0{at}".encode())
                    os.kill(os.getpid(), number)
            return trace

        sys.settrace(trace)
        try:
            main()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else end.code is not None
        except BaseException as error:
            print("Traceback", repr(error), file=sys.stderr)
            return 98
        finally:
            sys.settrace(None)
            sys.stderr.flush()
            os.write(2, b"" if at else f"\0{count}".encode())
        return 0


def is_writing(file: str) -> bool:
    """Whether a file of code has to do with writing."""
    inside = file.removeprefix(PACKAGE).lstrip(os.sep)
    return inside != file.lstrip(os.sep) and inside.startswith(WRITING)


def require_group_to_end(group: int) -> None:
    """Wait for all that a program began; they must end with it."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        except PermissionError:  # so macOS calls one that has ended
            return
        if time.monotonic() > deadline:
            os.killpg(group, signal.SIGKILL)
            raise TimeoutError("what it began outlived it")
        time.sleep(0.005)


def faults(ground: Ground, number: signal.Signals, ended: Ended, count: Counter[str]) -> list[str]:
    """What is wrong after a signal; ``count`` gets what is right."""
    left = ground.state()
    found = [*wrong_end(ground, number, ended, count), *wrong_files(ground, number, left)]
    temporary = any(TEMPORARY in name for name in left)
    state = "new" if left == ground.new else "old" if left == ground.old else "between"
    count["temporary" if temporary else state] += 1
    if left == ground.old and not ground.case.keeps_cache:
        return found
    again = ground.run_here()
    if again.code not in ground.codes:
        found.append(f"the next run ends with {again.code}: {again.said}")
    rest = {name: data for name, data in ground.state().items() if TEMPORARY not in name}
    if rest != ground.new:
        found.append("the next run does not do all of it")
    return found


def wrong_end(
    ground: Ground, number: signal.Signals, ended: Ended, count: Counter[str]
) -> Iterator[str]:
    """What is wrong with how a run ended."""
    if "KeyboardInterrupt" in ended.said and "insomnia_skills/cli/app.py" not in ended.said:
        count["outside"] += 1  # Python's own, before the program has begun or when it has ended
        return
    if ended.code not in {*ground.codes, -number, 128 + number}:
        yield f"exit code {ended.code}: {ended.said}"
    if any(word in ended.said for word in ("Traceback", "Exception ignored", "Aborted")):
        yield f"it said {ended.said!r}"


def wrong_files(ground: Ground, number: signal.Signals, left: State) -> Iterator[str]:
    """What is wrong with the files that a run left."""
    temporary = {name for name in left if TEMPORARY in name}
    if temporary and number != signal.SIGKILL:
        yield f"left {sorted(temporary)}"
    for name, data in left.items():
        known = [state[name] for state in (ground.old, ground.new) if name in state]
        if name not in temporary and data not in known:
            yield f"{name} is neither the old nor the new one: {data!r}"
    for name in ground.old.keys() & ground.new.keys() - left.keys():
        yield f"{name} is gone"
    if temporary:
        result = ingest(ground.tree.workspace, config_dir=ground.tree.config)
        paths = [*(w.path for w in result.workflows), *(d.path for d in result.diagnostics)]
        if any(TEMPORARY in str(path) for path in paths):
            yield "a temporary file is taken for a skill"


def attempts(
    ground: Ground, times: int, chance: random.Random
) -> Iterator[tuple[signal.Signals, Ended, str]]:
    """Kill the command so often."""
    for turn in range(times):
        number = SIGNALS[turn % len(SIGNALS)]
        ground.reset()
        if turn < times - times // 2:
            line = chance.randint(1, ground.lines)
            yield number, ground.run_here(number, line), f"line {line}"
        else:
            after = chance.uniform(0, ground.seconds * 1.1)
            yield number, ground.run_program(number, after), f"{after:.4f} s"


def kill(name: str, times: int, seed: int) -> list[str]:
    """Kill one command so often; prints what became of it, and gives what is wrong."""
    chance, count, found = random.Random(f"{seed} {name}"), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as top:
        ground = Ground(Path(os.path.realpath(top)), CASES[name])
        ground.prepare()
        for number, ended, moment in attempts(ground, times, chance):
            if not ended.met:
                count["too late"] += 1
                continue
            wrong = faults(ground, number, ended, count)
            found += (f"{name}: {number.name} at {moment}: {what}" for what in wrong)
    print(f"{name:14}", *(f"{what} {count[what]}" for what in sorted(count)), flush=True)
    return found


def run() -> int:
    """Kill all that were asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--times", type=int, default=300, help="how often each is killed")
    parser.add_argument("--seed", type=int, default=0, help="another one has other moments")
    given = parser.parse_args()
    for module in pkgutil.walk_packages(insomnia_skills.__path__, "insomnia_skills."):
        if not module.name.endswith("__main__"):
            import_module(module.name)  # once, and not in each of the forks
    found = [
        fault for name in given.names or CASES for fault in kill(name, given.times, given.seed)
    ]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(run())
