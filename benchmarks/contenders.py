"""What is measured: this tool and its peers, each installed alone, and how each is called."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpus import Corpus
from benchmarks.process import Process, UnusableError

ROOT = Path(__file__).resolve().parent.parent
INSTALL_SECONDS = 600

OWN, AGNIX, SKILLS_REF, SKILLS_REF_RS = "insomnia-skills", "agnix", "skills-ref", "skills-ref-rs"
SKILLCHECK, DRSKILL, SKILL_CHECK, SKILLS = "skillcheck", "drskill", "skill-check", "skills"

# What the registries call them; the one tool without a version is this checkout.
PYTHON_PACKAGES = {
    OWN: str(ROOT),
    AGNIX: "agnix==0.59.3",
    SKILLS_REF: "skills-ref==0.1.1",
    SKILLS_REF_RS: "skills-ref-rs==0.3.3",
    SKILLCHECK: "skillcheck==1.5.0",
    DRSKILL: "drskill==0.8.2",
}
NODE_PACKAGES = {SKILL_CHECK: "skill-check@1.2.0", SKILLS: "skills@1.5.18"}
PACKAGES = {**PYTHON_PACKAGES, **NODE_PACKAGES}

# The library of a validator that only knows single skills, on all of them.
EACH = """
import sys
from pathlib import Path
from {module} import validate
sys.exit(any([validate({argument}) for directory in sorted(Path(sys.argv[1]).iterdir())]))
"""


class Contender(NamedTuple):
    """A command as it is called on a corpus: {top}, {skills} and {skill} are directories of it.

    It is measured on ``most`` skills and fewer.
    """

    name: str
    tool: str
    program: str
    arguments: tuple[str, ...]
    does: str = ""
    empties_cache: bool = False
    most: int | None = None


def _own(
    command: str, target: tuple[str, ...], does: str, most: int | None = None
) -> Iterator[Contender]:
    """A command of this tool without its cache, with an empty one, and with the one it filled."""
    name, arguments = f"{OWN} {command}", (command, *target)
    cold = Contender(f"{name}, cold", OWN, OWN, (*arguments, "--no-cache"), does, most=most)
    yield cold
    yield cold._replace(name=f"{name}, first", arguments=arguments, does="", empties_cache=True)
    yield cold._replace(name=f"{name}, warm", arguments=arguments, does="")


CONTENDERS = (
    Contender(
        AGNIX,
        AGNIX,
        "agnix",
        ("--max-files", "0", "{top}"),
        "its rules for skills and for the Markdown files beside them; in Rust, on all cores",
    ),
    *_own("validate", ("{top}",), "every rule for skills, on frontmatter, body and links"),
    *_own(
        "list",
        ("--directory", "{skills}"),
        "what is ingested and what is skipped, from frontmatter",
        most=10_000,
    ),
    *_own(
        "resolve",
        ("--directory", "{skills}"),
        "the same, and why each copy of a slug won or lost",
        most=10_000,
    ),
    Contender(
        SKILLS_REF_RS,
        SKILLS_REF_RS,
        "python",
        ("-c", EACH.format(module="skills_ref_rs", argument="str(directory)"), "{skills}"),
        "`validate` of its Python library on each skill: frontmatter only; in Rust",
    ),
    Contender(
        SKILLS_REF,
        SKILLS_REF,
        "python",
        ("-c", EACH.format(module="skills_ref", argument="directory"), "{skills}"),
        "`validate` of its Python library on each skill: frontmatter only",
    ),
    Contender(
        SKILLCHECK,
        SKILLCHECK,
        "skillcheck",
        ("{top}",),
        "the specification, sizes in tokens, how good a description is",
    ),
    Contender(
        DRSKILL,
        DRSKILL,
        "drskill",
        ("lint", "{top}"),
        "the specification, and overlaps between each two skills",
        most=100,  # for 1,000 it takes minutes
    ),
    Contender(
        SKILL_CHECK,
        SKILL_CHECK,
        "skill-check",
        ("check", "{top}", "--no-security-scan"),
        "the specification, links, a score; on Node.js",
    ),
    Contender(
        SKILLS,
        SKILLS,
        "skills",
        ("add", "{skills}", "--list"),
        "lists what could be installed from there; on Node.js",
    ),
    Contender(
        "agentskills validate",
        SKILLS_REF,
        "agentskills",
        ("validate", "{skill}"),
        "the command line of skills-ref",
        most=1,
    ),
    Contender(
        "skills-ref validate",
        SKILLS_REF_RS,
        "skills-ref",
        ("validate", "{skill}"),
        "the command line of skills-ref-rs",
        most=1,
    ),
)


class Installed(NamedTuple):
    """Programs by tool, and why some are not there."""

    programs: Mapping[str, Path]
    missing: Mapping[str, str]

    def program(self, tool: str, name: str) -> str:
        return str(self.programs[tool] / name)


def install(work: Path) -> Installed:
    """Put every tool into an environment of its own below ``work``, from its registry.

    Raises:
        UnusableError: this tool or the one that all are compared to can't be installed.
    """
    programs: dict[str, Path] = {}
    missing: dict[str, str] = {}
    for tool, package in PACKAGES.items():
        home = work / "tools" / tool
        try:
            if tool in NODE_PACKAGES:
                programs[tool] = _install_node(home, package)
            else:
                programs[tool] = _install_python(home, package)
        except (OSError, subprocess.SubprocessError, UnusableError) as error:
            if tool in (OWN, AGNIX):
                raise UnusableError(f"{tool} can't be installed: {error}") from None
            missing[tool] = str(error)
    return Installed(programs, missing)


def _install_python(home: Path, package: str) -> Path:
    programs = home / "bin"
    if not (programs / "python").exists():
        _run(sys.executable, "-m", "venv", str(home))
    pip = "-m pip install -qq --disable-pip-version-check"
    _run(str(programs / "python"), *pip.split(), package)
    return programs


def _install_node(home: Path, package: str) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise UnusableError("there is no npm")
    home.mkdir(parents=True, exist_ok=True)
    _run(npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(home), package)
    return home / "node_modules" / ".bin"


def _run(*command: str) -> None:
    subprocess.run(command, check=True, timeout=INSTALL_SECONDS)


class Shell(NamedTuple):
    """Runs commands in an empty workspace, as the shell of somebody without settings would."""

    installed: Installed
    scratch: Path

    def process(self, contender: Contender, corpus: Corpus) -> Process:
        """The process of a contender on a corpus."""
        places = {"{top}": corpus.top, "{skills}": corpus.skills, "{skill}": corpus.skill}
        arguments = [str(places.get(part, part)) for part in contender.arguments]
        process = self.command(contender.name, contender.tool, contender.program, *arguments)
        if contender.empties_cache:
            home = Path(process.environment["HOME"])
            process.before = lambda: shutil.rmtree(home / ".cache", ignore_errors=True)
        return process

    def command(self, name: str, tool: str, program: str, *arguments: str) -> Process:
        """A process of a program that was installed with a tool."""
        home = self.scratch / "home" / tool
        workspace = self.scratch / "workspace"
        for directory in (home, workspace):
            directory.mkdir(parents=True, exist_ok=True)
        # PYTHONDONTWRITEBYTECODE alone would make every start of some installations compile.
        kept = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("PYTHON", "XDG_", "INSOMNIA_"))
        }
        environment = {**kept, "HOME": str(home), "NO_COLOR": "1", "DO_NOT_TRACK": "1"}
        command = [self.installed.program(tool, program), *arguments]
        return Process(name, command, workspace, environment)
