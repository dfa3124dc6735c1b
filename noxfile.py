"""Everything that must hold before a change lands: `nox` runs all, `nox -s NAME` one of it.

Environments are kept. `nox -R` also leaves what is installed in them as it is: the quickest way to
run one session again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nox

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
PACKAGE = ROOT / "insomnia_skills"
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")

# The interpreter that runs nox is always there, so the tests always run on at least one.
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHONS = sorted(
    {*nox.project.python_versions(PROJECT), RUNNING},
    key=lambda version: int(version.partition(".")[2]),
)

nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.allow_parallel = True
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False


def activate_pyenv() -> None:
    """Let nox find every interpreter that pyenv holds, not only the active one."""
    if pyenv := shutil.which("pyenv"):
        done = subprocess.run(
            [pyenv, "versions", "--bare"], stdout=subprocess.PIPE, text=True, check=False
        )
        held = [v for v in done.stdout.split() if v.rpartition(".")[0] in PYTHONS]
        if held:
            os.environ["PYENV_VERSION"] = ":".join(held)


activate_pyenv()


def group(name: str) -> tuple[str, ...]:
    """The requirements of one dependency group of pyproject.toml."""
    return nox.project.dependency_groups(PROJECT, name)


@nox.session
def lint(session: nox.Session) -> None:
    """Check the format and the style of the code."""
    session.install(*group("lint"))
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")


@nox.session
def build(session: nox.Session) -> None:
    """Build the sdist and, from it, the wheel; check that the wheel holds the package alone."""
    session.install(*group("build"))
    shutil.rmtree(DIST, ignore_errors=True)
    session.run("python", "-m", "build")
    (wheel,) = DIST.glob("*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    if shipped != expected:
        session.error(f"the wheel and the package differ: {sorted(shipped ^ expected)}")


@nox.session(requires=["build"], reuse_venv=False)
def package(session: nox.Session) -> None:
    """Use the wheel as its users will: alone in a fresh environment, away from the repository."""
    (wheel,) = DIST.glob("*.whl")
    session.install(str(wheel))
    session.chdir(session.create_tmp())
    session.env["PYTHONPATH"] = None
    session.env["INSOMNIA_CONFIG_DIR"] = str(ROOT / "examples/config")

    version = session.run("insomnia-skills", "--version", silent=True)
    if wheel.name.split("-")[1] not in str(version).split():
        session.error(f"--version of {wheel.name} says {version!r}")
    session.run("insomnia-skills", "--help")
    session.run("insomnia-skills", "list", "--workspace", str(ROOT / "examples/workspace"))
    for shell in ("bash", "zsh", "fish"):
        asked = {"_INSOMNIA_SKILLS_COMPLETE": f"source_{shell}"}
        script = session.run("insomnia-skills", env=asked, silent=True)
        if f"=complete_{shell}" not in str(script):
            session.error(f"no completion script for {shell}: {script!r}")
    # The whole path, for run.py gives each command a working directory of its own.
    tool = shutil.which("insomnia-skills", path=session.bin)
    session.run("python", str(ROOT / "tests/cases/run.py"), "--command", str(tool))


@nox.session
def types(session: nox.Session) -> None:
    """Check the types."""
    session.install("-e", ".", *group("types"), *group("test"), *group("nox"))
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests; with arguments for pytest, only these.

    What they cover is measured once, on the Python that runs nox: that makes them half as fast.
    """
    session.install("-e", ".", *group("test"))
    measure = ["--cov"] if session.python == RUNNING else []
    coverage = {"COVERAGE_FILE": str(ROOT / f".coverage.{session.python}")}
    session.run("pytest", *(session.posargs or measure), env=coverage)
