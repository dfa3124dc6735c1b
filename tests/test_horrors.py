"""Nothing breaks the command: every one of them meets the tree of horrors, and answers.

Within limits on memory and time, with an exit code that is documented, without a traceback and
without a character that a terminal would act on.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from insomnia_skills.checking.check import check_paths
from tests.cli import Run as Call
from tests.cli import call_in
from tests.horrors import (
    BODIES,
    FRONTMATTERS,
    HEAD,
    KINDS,
    MIB,
    Horrors,
    Run,
    build,
    fill,
    lowered,
    make,
    nest,
    remove,
    run,
    sparse,
)
from tests.trees import Tree, link, slugs, write, write_skill

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="its limits and its devices are those of Linux"
    ),
]

HARMFUL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

ANSWERS = {0, 1, 2}


def require_sober(done: Run | Call, *, least: int = 0) -> None:
    """That a run ended with an answer, and wrote nothing that it should not."""
    output = done.stdout + (done.stderr if isinstance(done.stderr, bytes) else b"")
    text = output.decode()
    if isinstance(done.stderr, str):
        text += done.stderr
    said = text[-2000:]
    assert least <= done.code <= 2, (done.code, said)
    assert "Traceback" not in text, said
    assert "internal error" not in text, said
    harmful = HARMFUL.search(text)
    assert harmful is None, text[max(0, harmful.start() - 100) : harmful.end() + 100]


class TooLongError(BaseException):
    """Something takes far too long; nothing catches this by accident."""


@contextmanager
def within(seconds: int = 60) -> Iterator[None]:
    """End what does not end by itself, such as the opening of a pipe."""

    def end(number: int, frame: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.workspace.mkdir()
    return tree


@pytest.fixture(scope="module")
def horrors() -> Iterator[Horrors]:
    """The tree where every user can reach it, which pytest's own directories are not."""
    top = Path(tempfile.mkdtemp(prefix="horrors-"))
    top.chmod(0o755)
    try:
        yield build(top)
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", str(top)], check=False)
        remove(top)


# Every command.

COMMANDS = [
    "list --all",
    "list --all --format table",
    "resolve --format json",
    "resolve /is-fifo --format table",
    "show /resources",
    "show /resources --format table",
    "show /backticks --format table",
    "catalog --format xml",
    "scope --check skills/resources/assets/fifo skills/resources/up skills/closed/inside",
    "sources list --format json",
    "sources discover --format json",
    "sources add links --dry-run",
    "sources remove circle --dry-run",
    "sources move named --first --dry-run",
    "validate --format sarif",
    "validate --unsafe-fixes --diff",
    "validate . links --format concise",
    "validate /proc/self /proc/self/fd skills",
    "validate /dev/zero",
    "validate closed",
    "validate closed/inside nested",
    "new thing --in a-pipe",
    "eject /resources --dry-run",
    "cache info",
    "report merge a-pipe",
    "rules",
    "explain not-a-file",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_answers(line: str, horrors: Horrors) -> None:
    done = run(horrors.tree, *line.split())
    require_sober(done)
    assert done.peak < 160 * MIB
    if line.endswith(("json", "sarif")):
        json.loads(done.stdout)


@pytest.mark.parametrize("superuser", [False, True], ids=["user", "superuser"])
def test_every_horror_is_told_by_a_rule_with_its_path(horrors: Horrors, superuser: bool) -> None:
    if superuser and not lowered():
        pytest.skip("this user is none")
    done = run(horrors.tree, "validate", "--format", "json", superuser=superuser)
    require_sober(done, least=1)
    document = json.loads(done.stdout)
    found: dict[Path, set[str]] = {}
    for diagnostic in document["diagnostics"]:
        found.setdefault(Path(diagnostic["path"]), set()).add(diagnostic["rule"])
    closed = {path for path in horrors.rules | horrors.warned if "closed" in str(path)}
    for path, rule in (horrors.rules | horrors.warned).items():
        if not (superuser and path in closed):
            assert rule in found.get(path, ()), path
    valid = {file["path"] for file in document["files"] if file["valid"]}
    assert {str(horrors.skills / name / "SKILL.md") for name in ("aaa", "zzz")} <= valid
    assert valid.isdisjoint(map(str, horrors.rules.keys() - closed))
    assert done.peak < 160 * MIB


@pytest.mark.parametrize("superuser", [False, True], ids=["user", "superuser"])
def test_valid_neighbours_are_listed(horrors: Horrors, superuser: bool) -> None:
    if superuser and not lowered():
        pytest.skip("this user is none")
    done = run(horrors.tree, "list", "--format", "json", superuser=superuser)
    listed = {workflow["slug"] for workflow in json.loads(done.stdout)["workflows"]}
    reachable = {"closed-file", "inside"} if superuser else set()
    assert listed - reachable == set(horrors.valid)


def test_a_skill_that_twenty_links_lead_to_is_told_once_by_its_own_name(horrors: Horrors) -> None:
    (horrors.skills / "aaa" / "once.md").symlink_to("gone")
    try:
        done = run(horrors.tree, "validate", ".", "--format", "json")
    finally:
        (horrors.skills / "aaa" / "once.md").unlink()
    document = json.loads(done.stdout)
    told = [d["path"] for d in document["diagnostics"] if d["path"].endswith("/once.md")]
    assert told == [str(horrors.skills / "aaa" / "once.md")]
    assert not [file for file in document["files"] if "/workspace/links/" in file["path"]]


def test_a_workspace_that_is_closed_below_is_told(horrors: Horrors) -> None:
    done = run(horrors.tree, "validate", "nested", "skills/aaa", "--format", "json")
    require_sober(done)
    closed = str(horrors.tree.workspace / "nested/.insomnia/memory")
    told = [(d["rule"], d["path"]) for d in json.loads(done.stdout)["diagnostics"]]
    assert told == [("unreadable", closed)]


def test_no_link_is_followed_to_where_the_system_shows_its_processes(tree: Tree) -> None:
    """From there links lead to every directory that a process has open, this one too."""
    write_skill(tree.workspace / "skills", "a")
    here = os.open(tree.workspace, os.O_RDONLY)
    try:
        for number, place in enumerate(
            ("/proc", f"/proc/self/fd/{here}/skills", "/dev/fd", "/sys")
        ):
            link(tree.top / f"links/{number}", place)
        with within():
            files = check_paths(tree.top / "links").files
    finally:
        os.close(here)
    assert [file.slug for file in files] == ["a"]  # by the one that leads on from there


# Things where files should be, at every place where one is read or written.

PLACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "manifest": (
        "workspace/.insomnia/manifest.toml",
        ("list", "validate", "sources add skills", "sources remove skills"),
    ),
    "user manifest": ("config/manifest.toml", ("list", "sources add skills --user")),
    "configuration": ("workspace/insomnia-skills.toml", ("validate",)),
    "pyproject": ("workspace/pyproject.toml", ("validate",)),
    "baseline": (
        "workspace/base.json",
        ("validate --baseline base.json", "validate --baseline base.json --write-baseline"),
    ),
    "result": ("workspace/result.json", ("report merge result.json",)),
    "Knowledge": (
        "workspace/.insomnia/knowledge/known.md",
        ("validate", "show /needs", "show /needs --as-invoked"),
    ),
    "Workflow": (
        "workspace/.insomnia/memory/workflow/a.md",
        ("list", "validate", "show /a", "eject /a --force"),
    ),
    "Workflows": ("workspace/.insomnia/memory/workflow", ("list", "validate", "eject /a")),
    "marker": ("workspace/.insomnia", ("list", "sources add skills", "eject /a")),
    "resource": ("workspace/skills/a/x", ("validate", "show /a", "scope", "resolve /a --diff")),
    "root": ("workspace/more", ("list", "validate more", "new b --in more", "sources add more")),
    "user skills": ("config/skills", ("list", "sources discover")),
    "unnamed root": ("workspace/.claude/skills", ("list", "sources discover --add --yes")),
    "skill": (
        "workspace/skills/a/SKILL.md",
        ("list", "validate --unsafe-fixes", "validate skills/a/SKILL.md", "new a --in skills"),
    ),
    "misnamed skill": (
        "workspace/skills/b/skill.md",
        ("validate skills --fix", "resolve /b"),
    ),
    "cache": ("cache/insomnia-skills", ("list", "cache info", "cache clean")),
}
"""A place where something stands that should not, and what is run there."""

NOT_WRITTEN = 74


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"tty", "empty", "huge"}))
def test_anything_may_stand_anywhere(kind: str, tmp_path: Path) -> None:
    for number, (place, lines) in enumerate(PLACES.values()):
        tree = Tree(tmp_path / str(number))
        tree.name_roots("skills", "other", "more")
        for root in ("skills", "other"):
            write_skill(tree.workspace / root, "a", files={"x": "y"})
        write_skill(tree.user_skills, "c")
        tree.write_workflow("needs", "requires: [known]")
        tree.write_knowledge("known")
        (tree.workspace / "more").mkdir()
        path = tree.top / place
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        if not make(kind, path):
            pytest.skip("only the superuser can make one")
        for line in lines:
            with within():
                done = call_in(tree, *line.split(), env={"XDG_CACHE_HOME": str(tree.top / "cache")})
            if done.code == NOT_WRITTEN:
                assert "can't" in done.stderr
                assert not line.startswith(("list", "show", "scope", "resolve")), line
            else:
                require_sober(done)
        assert not list(tree.top.glob("**/.insomnia-skills-*")), (place, kind)


NOT_COMPARED = {
    "fifo": "unreadable",
    "socket": "unreadable",
    "dangling": "unreadable",
    "vast": "too-much",
}


@pytest.mark.parametrize("kind", [*NOT_COMPARED, "directory"])
def test_what_two_copies_have_of_a_kind_is_compared_in_no_time(kind: str, tree: Tree) -> None:
    tree.name_roots("one", "two")
    for root in ("one", "two"):
        write_skill(tree.workspace / root, "a")
        make(kind, tree.workspace / root / "a/x")
    with within(20):
        done = call_in(tree, "resolve", "/a", "--diff")
    require_sober(done)
    said = NOT_COMPARED.get(kind)
    assert [line.split("\t")[3] for line in done.lines if line.startswith("file")] == (
        [said] if said else []
    )
    is_same = "different" if said else "identical"
    assert (
        call_in(tree, "resolve", "--format", "json").document["shadows"][0]["relation"] == is_same
    )


# Texts that are bad for whoever reads them.


LARGE = 65_000
"""Nearly as many characters as a body may have that is parsed as Markdown."""

_FULL = ("line", "line-ends", "backticks", "brackets", "angles", "links", "ignores", "unseen")
"""These are judged at nearly the size that a file may have, too."""


@pytest.mark.parametrize(
    ("name", "size"), [*((name, LARGE) for name in BODIES), *((name, MIB) for name in _FULL)]
)
def test_a_body_of_one_kind_is_judged_in_time(name: str, size: int, tmp_path: Path) -> None:
    path = write(tmp_path / name / "SKILL.md", fill(BODIES[name], name, size))
    assert size - 100 < path.stat().st_size <= size
    with within(30):
        (judged,) = check_paths(path).files
    assert judged.valid
    assert len(judged.diagnostics) < 250


@pytest.mark.parametrize("name", ["nested-brackets", "fences", "table"])
def test_a_body_of_one_kind_is_shown_in_time(name: str, tree: Tree) -> None:
    tree.name_roots("skills")
    write(tree.workspace / "skills" / name / "SKILL.md", fill(BODIES[name], name, 16_000))
    with within(30):
        require_sober(call_in(tree, "show", f"/{name}", "--format", "table"))


HARMLESS = {
    *("keys", "escapes", "comment", "folded", "indented", "number", "hexadecimal"),
    *("float", "dates", "merge", "strings", "metadata", "tools", "documents"),
}


@pytest.mark.parametrize("name", FRONTMATTERS)
def test_a_frontmatter_of_one_kind_is_judged_in_time(name: str, tmp_path: Path) -> None:
    head = f"---\nname: {name}\ndescription: Does one thing. Use when it is wanted.\n"
    path = write(tmp_path / name / "SKILL.md", f"{head}{FRONTMATTERS[name]}\n---\nDo it.\n")
    with within(30):
        (judged,) = check_paths(path).files
    assert judged.valid is (name in HARMLESS)
    assert all(1 <= d.line <= d.end_line for d in judged.diagnostics)


# What is nested too deep.

TOML = {
    "lists": "[skills]\ndirectories = " + "[" * 50_000,
    "closed lists": "[skills]\ndirectories = " + "[" * 50_000 + "]" * 50_000,
    "tables": "a = " + "{a = " * 20_000,
    "keys": "a." * 50_000 + "a = 1",
    "sections": "[" + "a." * 50_000 + "a]",
    "arrays": "[[a]]\n" * 5_000,
}
JSON = {
    "lists": "[" * 1_000_000,
    "closed lists": "[" * 1_000_000 + "]" * 1_000_000,
    "objects": '{"a":' * 500_000,
    "findings": '{"version": 1, "findings": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "number": "9" * 1_000_000,
    "exponent": '{"version": 1e999999, "findings": []}',
}


@pytest.mark.parametrize("text", TOML.values(), ids=list(TOML))
def test_toml_may_be_nested_however_deep(text: str, tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "a")
    for path in (tree.manifest, tree.workspace / "insomnia-skills.toml"):
        write(path, text)
        with within():
            for line in ("list", "validate", "sources add skills"):
                require_sober(call_in(tree, *line.split()))
        path.unlink()


@pytest.mark.parametrize("text", JSON.values(), ids=list(JSON))
def test_json_may_be_nested_however_deep(text: str, tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "a")
    write(tree.workspace / "odd.json", text)
    with within():
        merged = call_in(tree, "report", "merge", "odd.json")
        known = call_in(tree, "validate", "skills", "--baseline", "odd.json")
    for done in (merged, known):
        require_sober(done, least=2)
        assert "odd.json" in done.stderr


def test_directories_may_be_nested_deeper_than_any_path(tree: Tree) -> None:
    tree.name_roots("skills")
    write_skill(tree.workspace / "skills", "a")
    write_skill(tree.workspace / "skills", "b")
    places = [tree.workspace / "skills/a/deep", tree.workspace / "skills/deep"]
    try:
        nest(places[0], "n" * 255, 20)
        nest(places[0] / "flat", "d", 1100)  # more than Python lets a function call itself
        nest(places[1], "n" * 255, 20)
        for line in ("list", "show /a", "scope"):
            require_sober(run(tree, *line.split()))
        found = json.loads(run(tree, "validate", ".", "--format", "json").stdout)["diagnostics"]
    finally:
        for place in places:
            remove(place)
    told = {(d["rule"], d["severity"]): d for d in found if "/deep/" in d["path"]}
    assert set(told) == {("unreadable", "warning"), ("unreadable", "error")}
    for diagnostic in told.values():
        assert "File name too long" in diagnostic["message"]
        assert diagnostic["help"] == "give it, or a directory above it, a shorter name"


# Very many things.


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Tree]:
    """A tree in memory where the system has a place for that: many files take long on a disk."""
    memory = "/dev/shm"
    top = Path(tempfile.mkdtemp(dir=memory)) if os.access(memory, os.W_OK) else tmp_path
    yield Tree(top)
    remove(top)


def test_a_hundred_thousand_entries(quick: Tree) -> None:
    """Half files and half empty directories: in a root, in a skill, and in a tree."""
    tree = quick
    many = tree.workspace / "skills/big/many"
    write_skill(tree.workspace / "skills", "big")
    write_skill(many, "zz")
    tree.name_roots("skills", "skills/big/many")
    here = os.open(many, os.O_RDONLY)
    for number in range(50_000):
        os.close(os.open(f"f{number}.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        os.mkdir(f"d{number}", dir_fd=here)
    os.close(here)

    def answer(line: str) -> Run:
        done = run(tree, *line.split())
        require_sober(done)
        assert done.code == 0
        assert done.peak < 250 * MIB
        return done

    listed = json.loads(answer("list --format json").stdout)
    assert [workflow["slug"] for workflow in listed["workflows"]] == ["big", "zz"]
    shown = answer("show /big --format json")
    assert 0 < len(json.loads(shown.stdout)["resources"]) <= 10_000
    assert b"note: it has more than 10,000 files and directories" in shown.stderr
    checked = answer("validate skills").text
    assert "big/SKILL.md:1:1: warning[too-many-files] the skill has more than 10,000" in checked
    assert b"Checked 1 skill" in answer("validate skills/big/many").stderr
    assert answer("scope").text.count("\n") == 1


def test_a_thousand_skills_that_lead_to_each_other(quick: Tree) -> None:
    tree = quick
    tree.name_roots("skills")
    for number in range(1000):
        path = write_skill(tree.workspace / "skills", f"s{number}").parent
        link(path / "next", f"../s{(number + 1) % 1000}")
        link(path / "file.md", f"../s{(number + 7) % 1000}/SKILL.md")
        link(tree.workspace / f"groups/g{number % 10}/l{number}", path)
        link(tree.workspace / f"groups/g{number % 10}/to-{number}", f"../g{(number + 1) % 10}")
    for line, found, lines in (("validate .", 2000, 2000), ("scope", 0, 1000), ("list", 0, 1000)):
        done = run(tree, *line.split())
        require_sober(done)
        assert done.text.count("warning[link-escapes-skill]") == found
        assert done.text.count("\n") == lines
        assert done.peak < 160 * MIB


def test_a_tree_with_too_many_directories_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    write_skill(tree.workspace / "skills", "a")
    elsewhere = tree.top / "elsewhere"
    for number in range(20):
        (elsewhere / str(number)).mkdir(parents=True)
    link(tree.workspace / "skills/z", elsewhere)
    monkeypatch.setattr("insomnia_skills.scan.MAX_SEARCHED_DIRECTORIES", 10)
    done = call_in(tree, "validate", "skills", "--format", "json")
    assert (done.code, done.stdout) == (2, b"")
    assert "skills has more than 10 directories to search" in done.stderr
    assert "help: name the directories in it that have the skills" in done.stderr
    monkeypatch.setattr("insomnia_skills.scan.MAX_SEARCHED_DIRECTORIES", 23)
    assert call_in(tree, "validate", "skills").code == 0


# What changes between two looks.

SECRET = "abracadabra"


def _vanish(path: Path) -> None:
    path.unlink()


def _become(kind: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        assert make(kind, path)

    return change


def _become_secret(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parents[2] / "secret.txt")


def _lose_directory(path: Path) -> None:
    path.parent.rename(path.parents[3] / "moved")


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "vanishes": (_vanish, "unreadable"),
    "becomes a pipe": (_become("fifo"), "not-a-file"),
    "becomes a directory": (_become("directory"), "not-a-file"),
    "becomes a socket": (_become("socket"), "not-a-file"),
    "becomes a link to a device": (_become("zero"), "link-escapes-skill"),
    "becomes a link to nowhere": (_become("dangling"), "broken-symlink"),
    "becomes a link to itself": (_become("looping"), "broken-symlink"),
    "becomes a link to a secret": (_become_secret, "link-escapes-skill"),
    "becomes vast": (lambda path: os.truncate(path, 10 * 1024 * MIB), "file-too-large"),
    "becomes empty": (lambda path: os.truncate(path, 0), "frontmatter-missing"),
    "loses its directory": (_lose_directory, "unreadable"),
}


@pytest.mark.parametrize(("change", "rule"), CHANGES.values(), ids=list(CHANGES))
def test_a_file_changes_after_it_was_found(
    change: Callable[[Path], None], rule: str, monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    tree.name_roots("skills")
    for name in ("a", "m", "z"):
        path = write_skill(tree.workspace / "skills", name)
    path = tree.workspace / "skills/m/SKILL.md"
    write(tree.workspace / "secret.txt", HEAD.format("m") + SECRET)
    open_ = os.open
    changed: list[Path] = []

    def slow(place: str | os.PathLike[str], *rest: int, **more: int) -> int:
        if os.fspath(place) == os.fspath(path) and not changed:
            changed.append(path)
            change(path)
        return open_(place, *rest, **more)

    monkeypatch.setattr("insomnia_skills.file.os.open", slow)
    with within():
        result = tree.ingest()
    assert changed
    assert slugs(result) == ["a", "z"]
    (skipped,) = result.skipped
    assert rule in {diagnostic.rule for diagnostic in skipped.diagnostics}
    assert SECRET not in repr(result)


@pytest.mark.parametrize(
    ("size", "is_valid"),
    [(0, False), (20, False), (100_000, True), (MIB + 1, False), (10 * 1024 * MIB, False)],
    ids=["to nothing", "shorter", "longer", "too long", "vast"],
)
def test_a_file_changes_while_it_is_read(
    size: int, is_valid: bool, monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    tree.name_roots("skills")
    path = write_skill(tree.workspace / "skills", "m", body="x" * 500)
    real = os.fstat
    changed: list[int] = []

    def late(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        if not changed and os.path.samestat(status, path.stat()):
            changed.append(descriptor)
            os.truncate(path, size)
        return status

    monkeypatch.setattr("insomnia_skills.file.os.fstat", late)
    with within():
        result = tree.ingest()
    assert changed
    assert slugs(result) == (["m"] if is_valid else [])


# A disk that can't be written.

_READ_ONLY = """
import json, subprocess, sys
top, lines = sys.argv[1], json.loads(sys.argv[2])
for mount in (["--bind", top, top], ["-o", "remount,bind,ro", top]):
    subprocess.run(["mount", *mount], check=True)
runs = []
for line in lines:
    command = [sys.executable, "-m", "insomnia_skills", *line.split()]
    done = subprocess.run(command, cwd=f"{top}/workspace", capture_output=True, text=True)
    runs.append([done.returncode, done.stdout, done.stderr])
print(json.dumps(runs))
"""


def test_a_disk_that_is_read_only(tree: Tree) -> None:
    tree.name_roots("skills")
    write(tree.workspace / "skills/a/SKILL.md", "\ufeff" + HEAD.format("a") + "Do it.\n")
    (tree.workspace / "more").mkdir()
    lines = {
        "validate": 0,
        "validate --fix": 1,
        "validate --output out.json": 74,
        "validate --baseline base.json --write-baseline": 74,
        "new b --in more": 74,
        "eject /a": 74,
        "sources add more": 74,
        "list": 0,
    }
    before = {path: path.read_bytes() for path in tree.top.rglob("*") if path.is_file()}
    command = [sys.executable, "-c", _READ_ONLY, str(tree.top), json.dumps(list(lines))]
    env = {
        **os.environ,
        "INSOMNIA_CONFIG_DIR": str(tree.config),
        "XDG_CACHE_HOME": str(tree.top / "cache"),
        "PYTHONPATH": str(Path(__file__).parent.parent),
    }
    try:
        done = subprocess.run(
            ["unshare", "--mount", *command], env=env, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if done.returncode:
        pytest.skip("this user may not mount")
    for (line, code), (found, stdout, stderr) in zip(
        lines.items(), json.loads(done.stdout), strict=True
    ):
        assert found == code, (line, stdout, stderr)
        assert "Traceback" not in stderr, line
        if code:
            assert "read-only" in stderr.lower(), line
    assert before == {path: path.read_bytes() for path in tree.top.rglob("*") if path.is_file()}


def test_too_little_memory_is_told(tree: Tree) -> None:
    sparse(300 * MIB)(tree.workspace / "result.json")
    done = run(tree, "report", "merge", "result.json", memory=256 * MIB)
    assert done.code == NOT_WRITTEN
    assert done.stderr == b"error: can't go on: there is not enough memory\n"
