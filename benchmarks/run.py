"""Measure insomnia-skills side by side with what it is compared to; print Markdown tables.

Everything is measured in one run, in turns, so that a busy machine slows all sides alike. Ratios
are of the least times, which other work on the machine disturbs least. See
``benchmarks/README.md``.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from unittest.mock import patch

SKILL_FILE = "SKILL.md"
SEED = 20261130
TOOL = "insomnia-skills"
WHOLE_TREE = "all in one run"
ONE_BY_ONE = "one a run"

WORDS = """
agent api build cache check client code command commit config data database deploy detail diagram
document error example file format function guide handler index input issue layout library limit
list log message migration model module name option output package page path pattern pipeline plan
policy process prompt query queue record release report request result review role rule schema
script secret section server service session setting stage state step style table task template
test text token tool trace type update user value version view
"""
NOUNS = tuple(WORDS.split())
VERBS = ("Reviews", "Writes", "Builds", "Deploys", "Explains", "Migrates", "Tests", "Formats")


@dataclass
class Contender:
    """Something that is timed: one call of ``run`` is one measurement."""

    name: str
    run: Callable[[], object]
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def least(self) -> float:
        return min(self.seconds)


@dataclass(frozen=True)
class Validator:
    """A validator on the skills: one run that sees all of them, or a run for each of a few."""

    name: str
    way: str
    runs: Sequence[Contender]
    skills: int

    @property
    def median(self) -> float:
        """Seconds a skill."""
        return sum(run.median for run in self.runs) / self.skills

    @property
    def least(self) -> float:
        """Seconds a skill."""
        return sum(run.least for run in self.runs) / self.skills


class UnusableError(Exception):
    """A command is not there, or did not do the work; the message says which."""


def measure(contenders: Sequence[Contender], rounds: int) -> None:
    """Time each contender once a round, in turns; the first turn is thrown away."""
    for number in range(rounds + 1):
        for contender in contenders:
            started = time.perf_counter()
            contender.run()
            if number:
                contender.seconds.append(time.perf_counter() - started)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are figures."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def times(value: float, base: float) -> str:
    return f"{value / base:.2f}" if value < 10 * base else f"{value / base:,.0f}"


# Processes


@dataclass(frozen=True)
class Shell:
    """Runs commands in an empty workspace, as the shell of somebody without settings would."""

    workspace: Path
    config: Path
    skills: Path

    def environment(self) -> dict[str, str]:
        # PYTHONDONTWRITEBYTECODE alone would make every start of some installations compile.
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        return {**kept, "INSOMNIA_CONFIG_DIR": str(self.config), "NO_COLOR": "1"}

    def run(self, command: Sequence[str]) -> None:
        """Run a command that answers with 0 (fine) or 1 (found something)."""
        try:
            done = subprocess.run(
                command,
                check=False,
                cwd=self.workspace,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
        except FileNotFoundError:
            raise UnusableError(f"there is no command {command[0]}") from None
        if done.returncode not in (0, 1) or _CRASH in done.stderr:
            last = done.stderr.strip().splitlines()[-1:]
            raise UnusableError(": ".join([f"{command[0]} exited {done.returncode}", *last]))


_CRASH = "Traceback (most recent call last)"


def find_program(name: str) -> str:
    """Where a program is, as a path that holds in every directory; ``name`` if it is nowhere."""
    found = shutil.which(name)
    return os.path.abspath(found) if found else name


def python_of(command: str) -> str:
    """The Python of the environment that a command is installed in, else the one running this."""
    beside = Path(command).resolve().with_name("python")
    return str(beside) if beside.exists() else sys.executable


# Skills


def make_skills(top: Path, count: int) -> None:
    """Write ``count`` valid skills the size of real ones, the same in every run.

    They lie in ``skills/`` of a plugin, for validators that want one.
    """
    dice = random.Random(SEED)
    plugin = top / ".claude-plugin" / "plugin.json"
    plugin.parent.mkdir(parents=True)
    plugin.write_text('{"name": "made", "version": "1.0.0", "description": "Made skills"}\n')
    for number in range(count):
        name = f"{dice.choice(NOUNS)}-{dice.choice(NOUNS)}-{number}"
        directory = top / "skills" / name
        directory.mkdir(parents=True)
        references = dice.sample(NOUNS, dice.choice((0, 0, 2)))
        for reference in references:
            path = directory / "references" / f"{reference}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# {reference.title()}\n\n{_text(dice, 800)}\n")
        text = f"---\n{_frontmatter(dice, name)}\n---\n\n{_body(dice, name, references)}\n"
        (directory / SKILL_FILE).write_text(text)


def _frontmatter(dice: random.Random, name: str) -> str:
    what = f"{dice.choice(VERBS)} {_words(dice, 12)}."
    when = f"Use when the user asks about the {_words(dice, 14)}."
    description = dice.choice(
        (f"{what} {when}", f"{what} {when}", f'"{what} Note: {when}"', f">-\n  {what}\n  {when}")
    )
    lines = [f"name: {name}", f"description: {description}"]
    if dice.random() < 0.3:
        lines.append("license: Apache-2.0")
    if dice.random() < 0.2:
        lines += ["metadata:", f"  author: {dice.choice(NOUNS)}", '  version: "1.10"']
    if dice.random() < 0.05:
        lines.append("allowed-tools: Read Grep")
    return "\n".join(lines)


def _body(dice: random.Random, name: str, references: Sequence[str]) -> str:
    parts = [f"# {name}"]
    parts += [f"See [the {word}](references/{word}.md) for more." for word in references]
    # Half of 356 real bodies have fewer than 5,600 characters, a tenth more than 12,900.
    size = min(dice.lognormvariate(8.6, 0.7), 60_000)
    while sum(map(len, parts)) < size:
        parts += [f"## The {_words(dice, 3)}", _text(dice, 300)]
        parts.append("\n".join(f"- **{_words(dice, 2)}**: {_words(dice, 9)}." for _ in range(4)))
        if dice.random() < 0.4:
            parts.append(f'```python\nresult = {dice.choice(NOUNS)}("{_words(dice, 6)}")\n```')
    return "\n\n".join(parts)


def _words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(NOUNS, k=count))


def _text(dice: random.Random, size: int) -> str:
    sentences: list[str] = []
    while sum(map(len, sentences)) < size:
        sentences.append(f"{dice.choice(VERBS)} {_words(dice, dice.randint(5, 15))}.")
    return " ".join(sentences)


def copy_skills(source: Path, top: Path) -> None:
    """Copy the skills below ``source`` side by side, so that every validator sees the same ones.

    A skill that lies below another skill is left out: some validators look there, some do not.
    """

    def nested(directory: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(directory, name, SKILL_FILE).exists()]

    number = 0
    for directory, children, files in os.walk(source):
        children.sort()
        if SKILL_FILE in files:
            children.clear()
            number += 1
            copy = top / f"{number:05}" / Path(directory).resolve().name
            shutil.copytree(directory, copy, ignore=nested, ignore_dangling_symlinks=True)


# The three measurements


def measure_start(shell: Shell, command: str, rounds: int) -> str:
    """What a start costs, and how much of it is Python's and typer's."""
    python = python_of(command)
    commands = {
        "`python -c pass`": [python, "-c", "pass"],
        '`python -c "import typer"`': [python, "-c", "import typer"],
        f"`{TOOL} list`, empty workspace": [command, "list"],
    }
    contenders = [Contender(name, partial(shell.run, parts)) for name, parts in commands.items()]
    measure(contenders, rounds)
    bare, typer = contenders[0], contenders[1]
    return table(
        ("start", "median", "least", "× `pass`", "× `import typer`"),
        (
            (
                one.name,
                f"{one.median * 1e3:.1f} ms",
                f"{one.least * 1e3:.1f} ms",
                times(one.least, bare.least),
                times(one.least, typer.least),
            )
            for one in contenders
        ),
    )


def measure_validators(
    shell: Shell, templates: Sequence[tuple[str, str]], skills: Sequence[Path], options: Options
) -> str:
    """How long each validator takes for a skill; says so where one could not be measured."""
    validators: list[Validator] = []
    notes = []
    for name, template in templates:
        validator = make_validator(shell, name, template, skills, options.sample)
        try:
            validator.runs[0].run()
        except UnusableError as reason:
            if name == TOOL:
                raise
            notes.append(f"- {name}: skipped, {reason}")
        else:
            validators.append(validator)
    measure([run for validator in validators for run in validator.runs], options.rounds)
    own = {one.way: one.least for one in validators if one.name == TOOL}
    rows = [
        (
            one.name,
            one.way,
            f"{one.median * 1e3:,.2f} ms",
            f"{one.least * 1e3:,.2f} ms",
            times(one.least, own[one.way]),
            times(one.least, own[WHOLE_TREE]),
        )
        for one in validators
    ]
    head = (
        "validator",
        "skills",
        "median a skill",
        "least a skill",
        f"× {TOOL}, same way",
        f"× {TOOL}, {WHOLE_TREE}",
    )
    return "\n".join([table(head, rows), *([""] if notes else []), *notes])


def make_validator(
    shell: Shell, name: str, template: str, skills: Sequence[Path], sample: int
) -> Validator:
    """A command template with ``{dir}`` sees all skills, one with ``{skill}`` a sample of them."""
    program, *arguments = shlex.split(template)
    parts = [find_program(program), *arguments]
    if "{skill}" not in template:
        command = [part.replace("{dir}", str(shell.skills)) for part in parts]
        runs = [Contender(name, partial(shell.run, command))]
        return Validator(name, WHOLE_TREE, runs, len(skills))
    chosen = random.Random(SEED).sample(skills, min(sample, len(skills)))
    commands = [[part.replace("{skill}", str(skill)) for part in parts] for skill in chosen]
    runs = [Contender(name, partial(shell.run, command)) for command in commands]
    return Validator(name, ONE_BY_ONE, runs, len(chosen))


def measure_library(top: Path, rounds: int) -> str:
    """Microseconds a skill in this process, with libyaml's parser and with the one in Python."""
    from insomnia_skills.scan import Found, scan_tree
    from insomnia_skills.skill import read_skill
    from insomnia_skills.yaml import events as yaml_events

    found = [place for place in scan_tree(top) if isinstance(place, Found)]
    kinds = {"C parser": vars(yaml_events)["CParser"], "pure parser": None}
    if kinds["C parser"] is None:
        del kinds["C parser"]

    def read(thorough: bool, parser: object) -> None:
        # Without a C parser the reader asks the one in Python.
        with patch.object(yaml_events, "CParser", parser):
            for skill in found:
                read_skill(skill, thorough)

    contenders = [Contender("`scan_tree`", lambda: list(scan_tree(top)))]
    contenders += [
        Contender(f"`read_skill`{', thorough' * thorough}, {kind}", partial(read, thorough, parser))
        for thorough in (False, True)
        for kind, parser in kinds.items()
    ]
    measure(contenders, rounds)
    base = contenders[1]
    return table(
        ("in process", "median", "least", f"× {base.name}"),
        (
            (
                one.name,
                f"{one.median / len(found) * 1e6:,.0f} µs",
                f"{one.least / len(found) * 1e6:,.0f} µs",
                times(one.least, base.least),
            )
            for one in contenders
        ),
    )


# The command line


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    command: str
    skills: Path | None
    count: int
    against: list[tuple[str, str]]
    starts: int
    rounds: int
    sample: int


def _named_template(text: str) -> tuple[str, str]:
    name, equals, template = text.partition("=")
    if not (name and equals and re.search(r"\{(dir|skill)\}", template)):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=COMMAND with {{dir}} or {{skill}}")
    return name, template


def parse_arguments() -> Options:
    beside = Path(sys.executable).with_name(TOOL)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--command", default=str(beside), help=f"the {TOOL} to measure; default: this Python's")
    add("--skills", type=Path, metavar="DIR", help="measure on copies of the skills found here")
    add("--count", type=int, default=1000, help="without --skills: make this many (1000)")
    add(
        "--against",
        type=_named_template,
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="another validator; {dir} stands for all skills, {skill} for the directory of one",
    )
    add("--starts", type=int, default=40, help="rounds of the start (40)")
    add("--rounds", type=int, default=5, help="rounds of the validators and the library (5)")
    add("--sample", type=int, default=20, help="skills a round for a {skill} command (20)")
    given = vars(parser.parse_args())
    if given["skills"] is not None and not given["skills"].is_dir():
        parser.error(f"--skills: {given['skills']} is not a directory")
    given["command"] = find_program(given["command"])
    return Options(**given)


def run(options: Options, scratch: Path) -> None:
    """Do all three measurements in ``scratch`` and print their tables."""
    shell = Shell(scratch / "workspace", scratch / "config", top := scratch / "skills")
    shell.workspace.mkdir()
    top.mkdir()
    shell.run([options.command, "--version"])
    if options.skills is None:
        make_skills(top, options.count)
    else:
        copy_skills(options.skills, top)
    skills = sorted(path.parent for path in top.rglob(SKILL_FILE))
    if not skills:
        raise UnusableError(f"there is no {SKILL_FILE} below {options.skills}")
    size = sum(path.joinpath(SKILL_FILE).stat().st_size for path in skills)
    print(
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores; {len(skills):,} {'given' if options.skills else 'made'} skills, "
        f"{size / len(skills):,.0f} bytes each on average\n"
    )
    print(measure_start(shell, options.command, options.starts), end="\n\n", flush=True)
    validate = f"{shlex.quote(options.command)} validate"
    own = [(TOOL, f"{validate} {{dir}}"), (TOOL, f"{validate} {{skill}}")]
    print(measure_validators(shell, own + options.against, skills, options), end="\n\n", flush=True)
    try:
        print(measure_library(top, options.rounds))
    except ModuleNotFoundError as error:
        print(f"- In process: skipped, this Python has no {error.name}.")


def main() -> None:
    options = parse_arguments()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            run(options, Path(scratch).resolve())
    except UnusableError as reason:
        sys.exit(f"{Path(__file__).name}: {reason}")


if __name__ == "__main__":
    main()
