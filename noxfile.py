"""Everything that must hold before a change lands: `nox` runs all, `nox -s NAME` one of it.

Environments are kept. `nox -R` also leaves what is installed in them as it is: the quickest way to
run one session again.
"""

from __future__ import annotations

import email
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import nox
from packaging.requirements import Requirement

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
    """Build the sdist and the wheel; check what is in them, and that another build is the same."""
    session.install(*group("build"), *PROJECT["build-system"]["requires"])
    shutil.rmtree(DIST, ignore_errors=True)
    first = build_in(session, ROOT, DIST)
    check_wheel(session, next(DIST.glob("*.whl")))

    # Other places, times and permissions; then also the time that a distributor may want.
    top = Path(session.create_tmp()) / "again"
    shutil.rmtree(top, ignore_errors=True)
    with tarfile.open(next(DIST.glob("*.tar.gz"))) as sdist:
        sdist.extractall(top, filter="data")
    (tree,) = top.iterdir()
    (tree / "PKG-INFO").unlink()  # the one file that is made
    other = shutil.copytree(tree, top / "other", copy_function=shutil.copyfile, symlinks=True)
    expect_same(session, first, build_in(session, tree, top / "dist"))
    for path in other.rglob("*"):
        if not path.is_symlink():
            may_run = stat.S_IXUSR & (tree / path.relative_to(other)).stat().st_mode
            path.chmod(0o600 | may_run)
    epoch = {"SOURCE_DATE_EPOCH": "1700000000"}
    expect_same(
        session,
        build_in(session, tree, top / "dated", env=epoch),
        build_in(session, other, top / "other-dated", 0o077, epoch),
    )


def build_in(
    session: nox.Session,
    tree: Path,
    out: Path,
    umask: int = 0o022,
    env: Mapping[str, str] | None = None,
) -> dict[str, bytes]:
    """Build the sdist of a tree and the wheel of that; both by name."""
    code = f"import os, runpy; os.umask({umask}); runpy.run_module('build', run_name='__main__')"
    arguments = ("--no-isolation", "--outdir", str(out), str(tree))
    session.run("python", "-c", code, *arguments, env={"SOURCE_DATE_EPOCH": None, **(env or {})})
    return {path.name: path.read_bytes() for path in out.iterdir()}


def expect_same(session: nox.Session, ours: dict[str, bytes], theirs: dict[str, bytes]) -> None:
    """Fail where two builds are not the same to a byte."""
    if unlike := sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)):
        session.error(f"built again, these are not the same: {', '.join(unlike)}")


def check_wheel(session: nox.Session, wheel: Path) -> None:
    """Fail where a wheel holds more or less than the package, or says something else of itself."""
    with zipfile.ZipFile(wheel) as archive:
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
        about = "-".join(wheel.name.split("-")[:2]) + ".dist-info/"
        metadata = email.message_from_bytes(archive.read(f"{about}METADATA"))
    parts = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    expected = {f"{about}{part}" for part in parts} | {"insomnia_skills/py.typed"}
    expected |= {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    if modes.keys() != expected:
        session.error(f"the wheel and the package differ: {sorted(modes.keys() ^ expected)}")
    if set(modes.values()) != {0o644}:
        session.error(f"a file of the wheel has other permissions than 644: {modes}")
    said = {Requirement(line) for line in metadata.get_all("Requires-Dist", [])}
    extra = {
        f"{one}; extra == 'watch'" for one in PROJECT["project"]["optional-dependencies"]["watch"]
    }
    meant = set(map(Requirement, {*PROJECT["project"]["dependencies"], *extra}))
    if said != meant:
        session.error(f"the wheel requires {sorted(map(str, said))}")


@nox.session(requires=["build"], reuse_venv=False)
def package(session: nox.Session) -> None:
    """Use the wheel as its users will: alone in a fresh environment, away from the repository."""
    (wheel,) = DIST.glob("*.whl")
    session.install(str(wheel))
    session.run("python", "-m", "pip", "check")
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

    The slow ones, and what all of them cover, are once enough: that is on the Python that runs nox.
    """
    session.install("-e", ".", *group("test"))
    measure = ["--cov", "-m", ""] if session.python == RUNNING else []
    coverage = {"COVERAGE_FILE": str(ROOT / f".coverage.{session.python}")}
    session.run("pytest", *(session.posargs or measure), env=coverage)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Try made-up files and trees for a short while, always from the same seed."""
    session.install("-e", ".", *group("test"))
    arguments = session.posargs or ("--seconds", "25", "--seed", "1")
    session.run("python", "-m", "tests.fuzz", *arguments)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """Run the tests with the oldest dependencies that the package allows, on the oldest Python."""
    bounds = dict(lowest_versions())
    # Not in `create_tmp`, where the tests would lie too, and so in this repository.
    constraints = Path(session.virtualenv.location) / "lowest.txt"
    lines = (f"{name}=={version}\n" for name, version in bounds.items())
    constraints.write_text("".join(lines), encoding="utf-8")
    session.install("-c", str(constraints), "-e", ".[watch]", *group("test"))
    code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    has = str(session.run("python", "-c", code, *bounds, silent=True)).split()
    session.log("oldest: %s", ", ".join(map(" ".join, zip(bounds, has, strict=True))))
    # The pages show tables as the newest rich lays them out, a blank wider here and there.
    pages = "tests/test_docs.py::test_pages_show_real_runs"
    session.run("pytest", "--deselect", pages, *session.posargs)


def lowest_versions() -> Iterator[tuple[str, str]]:
    """Each dependency of the package with the oldest version that it allows."""
    project = PROJECT["project"]
    for line in (*project["dependencies"], *project["optional-dependencies"]["watch"]):
        requirement = Requirement(line)
        (version,) = (one.version for one in requirement.specifier if one.operator == ">=")
        yield requirement.name, version


@nox.session(requires=["build"], default=False)
def audit(session: nox.Session) -> None:
    """Ask PyPI for known vulnerabilities of all that the wheel brings; it needs the network.

    It fails where one is known, and where one of them could not be asked about.
    """
    session.install("pip-audit>=2.9")
    (wheel,) = DIST.glob("*.whl")
    found = Path(session.create_tmp()) / "report.json"
    options = ("--dry-run", "--ignore-installed", "--quiet", "--report", str(found))
    session.run("python", "-m", "pip", "install", *options, f"{wheel}[watch]")
    report = json.loads(found.read_text(encoding="utf-8"))
    pins = [
        f"{item['metadata']['name']}=={item['metadata']['version']}\n"
        for item in report["install"]
        if not item["requested"]
    ]
    if not pins:
        session.error("the wheel brings nothing, so nothing was asked")
    requirements = found.with_name("audit.txt")
    requirements.write_text("".join(pins), encoding="utf-8")
    session.run("pip-audit", "--strict", "--no-deps", "--disable-pip", "-r", str(requirements))
