"""Streams that are gone, disks that are full, places that are odd, signals at the worst moment."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills.edit import manifest as edit_manifest
from insomnia_skills.edit.write import NewFile, create_file, rename_file, replace_file, write_tree
from tests import cli
from tests.trees import Tree, break_skill, link, write, write_skill

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has nothing of this kind")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    write_skill(tree.workspace / "skills", "good", "allowed-tools: Read", body="# Tïtle ☃\n")
    break_skill(tree.workspace / "skills", "bad")
    write(
        tree.workspace / "skills/odd/SKILL.md",
        "---\nname: odd\ndescription: Plans in parts: one. Use when asked.\n---\nDo it.\n",
    )
    write_skill(tree.user_skills, "good", description="Another one, für dich. Use it.")
    write_skill(tree.workspace / "öther", "more")
    tree.name_roots("skills")
    tree.write_workflow("native")
    return tree


READING = {
    "list": 0,
    "list --format table": 0,
    "list --format json": 0,
    "validate": 1,
    "validate --format text": 1,
    "validate --format json": 1,
    "validate --format sarif": 1,
    "validate skills --format jsonl": 1,
    "validate --fix --diff": 1,
    "resolve": 0,
    "resolve /good --format table": 0,
    "resolve /none": 1,
    "show /good": 0,
    "show /good --raw": 0,
    "show /none": 1,
    "catalog": 0,
    "catalog --format xml": 0,
    "scope": 0,
    "scope --format toml": 0,
    "sources list": 0,
    "sources discover --format table": 0,
    "sources add öther --dry-run": 0,
    "new fresh --in skills --dry-run": 0,
    "eject /good --dry-run": 0,
    "cache info": 0,
    "rules": 0,
    "explain name-missing": 0,
    "report merge none.json": 2,
    "list --nonsense": 2,
    "nonsense": 2,
    "list --help": 0,
    "--version": 0,
}
"""Commands that write no file of the user, with their exit codes."""

WRITING = {
    "validate --fix": (1, 1),
    "validate --output report.sarif --output new/er/report.json": (1, 74),
    "validate --baseline known.json --write-baseline": (0, 74),
    "sources add öther": (0, 74),
    "sources remove skills": (0, 74),
    "new fresh --in mine/skills --with scripts": (0, 74),
    "eject /good": (0, 74),
    "eject /good --force": (0, 74),
}
"""Commands that write one, with their exit codes where they can and where they can't."""


def program(
    tree: Tree, command: str, shell: str = "", env: dict[str, str] | None = None, **streams: Any
) -> subprocess.CompletedProcess[bytes]:
    """The command as a program of its own; ``shell`` are redirections."""
    variables = {
        **cli.environment(tree.top, tree.config),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        **(env or {}),
    }
    words = ("sh", "-c", f'exec "$0" -m insomnia_skills {command} {shell}', sys.executable)
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(
        words, cwd=tree.workspace, env=variables, check=False, timeout=120, **{**given, **streams}
    )


def files_below(directory: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(directory).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in directory.rglob("*")
    }


# Streams that take nothing.


def gone() -> io.TextIOWrapper:
    """A stream that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    return io.TextIOWrapper(os.fdopen(writer, "wb"), encoding="utf-8", line_buffering=True)


def full() -> io.TextIOWrapper:
    return open("/dev/full", "w", encoding="utf-8", buffering=1)


@posix
@pytest.mark.parametrize("stream", [pytest.param(full, marks=needs_full), gone])
def test_that_nobody_takes_what_is_said_changes_no_answer(
    stream: Callable[[], io.TextIOWrapper], tree: Tree
) -> None:
    env = cli.environment(tree.top, tree.config)
    codes = {}
    for command in READING:
        out, err = cli.Stream(), stream()
        codes[command] = cli.call_on(out, err, *command.split(), cwd=tree.workspace, env=env)
        with contextlib.suppress(OSError):
            err.close()
    assert codes == READING


@posix
@pytest.mark.parametrize(
    ("stream", "code"), [pytest.param(full, 74, marks=needs_full), pytest.param(gone, 141)]
)
def test_where_nobody_takes_the_answer_it_was_none(
    stream: Callable[[], io.TextIOWrapper], code: int, tree: Tree
) -> None:
    env = cli.environment(tree.top, tree.config)
    codes = {}
    silent = ("list --nonsense", "nonsense", "report merge none.json", "resolve /none")
    commands = [command for command in READING if command not in (*silent, "show /none")]
    for command in commands:
        out, err = stream(), cli.Stream()
        codes[command] = cli.call_on(out, err, *command.split(), cwd=tree.workspace, env=env)
        assert "Traceback" not in err.value().decode()
        with contextlib.suppress(OSError):
            out.close()
    assert codes == dict.fromkeys(commands, code)


@needs_full
def test_python_itself_ends_well_where_nothing_can_be_said(tree: Tree) -> None:
    """Python ends with 120 for what it could not write to stderr."""
    assert program(tree, "list --nonsense", "2>/dev/full").returncode == 2


@posix
@pytest.mark.parametrize(
    ("command", "code"),
    [("validate --output report.sarif", 1), ("validate -", 2)],
)
def test_streams_that_were_closed_before_it_began(command: str, code: int, tree: Tree) -> None:
    """What is written then must not land in the next file that is opened."""
    done = program(tree, command, ">&- 2>&- <&-")
    assert done.returncode == code
    if "--output" in command:
        assert json.loads((tree.workspace / "report.sarif").read_bytes())["version"] == "2.1.0"
    assert b"Traceback" not in b"".join(filter(None, files_below(tree.workspace).values()))


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a pipe can be set on Linux only")
def test_a_stream_that_does_not_wait_gets_all_of_it(tree: Tree) -> None:
    """As programs leave them that share a pipe with this one."""
    import fcntl

    reader, writer = os.pipe()
    fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
    os.set_blocking(writer, False)
    read = bytearray()

    def take() -> None:
        while data := os.read(reader, 65536):
            read.extend(data)

    thread = threading.Thread(target=take)
    command = "explain 'name-*' 'yaml-*' --format json"
    # It is read from when the program has ended, or waits.
    timer = threading.Timer(0.5, thread.start)
    timer.start()
    done = program(tree, command, stdout=writer)
    os.close(writer)
    timer.join()
    thread.join()
    os.close(reader)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(read)["rules"]) > 10


# Terminals.


@pytest.mark.parametrize("size", ["0", "-1", "x", "²", "1000000000", "9" * 30])
def test_a_size_of_the_screen_that_is_none(size: str, tree: Tree) -> None:
    for command in ("list --help", "show /good"):
        env = {"COLUMNS": size, "LINES": size}
        done = cli.call_in(tree, *command.split(), terminal=True, env=env)
        assert done.code == 0
        assert max(map(len, done.lines)) < 10_000


@posix
def test_a_narrow_terminal_without_a_keyboard(tree: Tree) -> None:
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 1, 0, 0))
    read = bytearray()

    def take() -> None:
        with contextlib.suppress(OSError):  # so Linux tells the end
            while data := os.read(ours, 65536):
                read.extend(data)

    thread = threading.Thread(target=take)
    thread.start()
    env = {"TERM": "xterm-256color", "COLUMNS": ""}
    done = program(tree, "sources add öther", "<&-", env, stdout=theirs, stderr=theirs)
    os.close(theirs)
    thread.join()
    os.close(ours)
    assert done.returncode == 0, read
    assert b"Traceback" not in read
    assert "öther" in tree.manifest.read_text()


# Encodings.

DOCUMENTS = [
    "list --format json",
    "resolve --format json",
    "show /good --format json",
    "scope --format json",
    "catalog --format json",
    "sources list --format json",
    "sources add öther --dry-run --format json",
    "validate --format sarif",
    "show /good --raw",
]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_documents_are_the_same_in_every_encoding(encoding: str, tree: Tree) -> None:
    for command in DOCUMENTS:
        usual = cli.call_in(tree, *command.split())
        other = cli.call_in(tree, *command.split(), encoding=encoding)
        assert (other.code, other.stdout) == (usual.code, usual.stdout)
    text = cli.call_in(tree, "sources", "add", "öther", "--dry-run", encoding="ascii")
    assert text.code == 0
    assert text.stdout.isascii()


@posix
def test_the_c_locale_is_as_good_as_utf8(tree: Tree) -> None:
    tree.name_roots("skills", "öther")
    usual = cli.call_in(tree, "list", "--format", "json")
    assert program(tree, "list --format json", env={"LC_ALL": "C"}).stdout == usual.stdout
    assert "öther" in usual.text


@posix
def test_a_locale_in_which_a_name_can_not_be_written_is_no_answer(tree: Tree) -> None:
    """What it can't look for might be there, so that it is not there is no finding."""
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    tree.name_roots("skills", "öther")
    done = program(tree, "validate", env=env)
    assert (done.returncode, done.stdout) == (2, b"")
    note, error, help_ = done.stderr.decode().splitlines()
    assert note.startswith("note: names of files are ")
    assert error == (rf'error: no file can be called "{tree.workspace}/\xf6ther" in this locale')
    assert help_ == "  help: PYTHONUTF8=1 in the environment makes names UTF-8"


# Places for the cache, and no home.


def a_file(place: Path) -> None:
    write(place, "x")


def a_link_to_nothing(place: Path) -> None:
    link(place, "/nonexistent/place")


def a_circle(place: Path) -> None:
    link(place, place.name)


def a_pipe(place: Path) -> None:
    (place / "insomnia-skills").mkdir(parents=True)
    os.mkfifo(place / "insomnia-skills/results.sqlite")


def a_directory(place: Path) -> None:
    (place / "insomnia-skills/results.sqlite").mkdir(parents=True)


def another_file(place: Path) -> None:
    write(place / "insomnia-skills/results.sqlite", "no cache")


@posix
@pytest.mark.parametrize(
    "make", [a_file, a_link_to_nothing, a_circle, a_pipe, a_directory, another_file]
)
def test_a_cache_that_can_not_be_changes_no_answer(
    make: Callable[[Path], None], tree: Tree
) -> None:
    place = tree.top / "cache"
    make(place)
    env = {"XDG_CACHE_HOME": str(place)}
    assert cli.call_in(tree, "cache", "info", env=env).code == 0
    usual = cli.call_in(tree, "list", "--format", "json")
    for _ in range(2):
        done = cli.call_in(tree, "list", "--format", "json", env=env)
        assert (done.code, done.stdout, done.stderr) == (0, usual.stdout, usual.stderr)


@pytest.mark.parametrize("place", ["rel/cache", "/dev/null", "/proc/self", "/" + "x" * 300, ""])
def test_a_name_that_is_no_place_for_a_cache(place: str, tree: Tree) -> None:
    env = {"XDG_CACHE_HOME": place}
    before = files_below(tree.workspace)
    assert cli.call_in(tree, "list", env=env).code == 0
    assert cli.call_in(tree, "cache", "info", env=env).code == 0
    assert files_below(tree.workspace) == before


@posix
@pytest.mark.parametrize("command", READING)
def test_where_nobody_knows_the_home(
    command: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container, for a user that has a number and nothing else."""

    def unknown(number: int) -> None:
        raise KeyError(number)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    env = cli.environment(tree.top, tree.config)
    del env["HOME"], env["XDG_CACHE_HOME"]
    before = files_below(tree.workspace)
    done = cli.call(*command.split(), cwd=tree.workspace, env=env)
    assert done.code == READING[command], done.stderr
    assert files_below(tree.workspace) == before
    if command == "cache info":
        assert "nobody knows (set HOME)" in done.text


# Full disks.


@contextlib.contextmanager
def no_room() -> Iterator[None]:
    """No file may have a byte, as on a full disk. Python does not end for the signal."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def lay_out_files(tree: Tree, command: str) -> None:
    """What the commands that write find there already."""
    write(tree.workspace / "report.sarif", "{}")
    write(tree.workspace / "known.json", '{"version": 1, "findings": []}')
    if "--force" in command:
        tree.write_workflow("good")


@posix
@pytest.mark.parametrize("command", WRITING)
def test_on_a_full_disk_all_stays_as_it_was(command: str, tree: Tree) -> None:
    lay_out_files(tree, command)
    before = files_below(tree.top)
    with no_room():
        done = cli.call_in(tree, *command.split())
    assert done.code == WRITING[command][1]
    assert os.strerror(errno.EFBIG) in done.stderr
    assert files_below(tree.top) == before
    assert cli.call_in(tree, *command.split()).code == WRITING[command][0]


@posix
def test_a_first_manifest_that_can_not_be_written_makes_no_workspace(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.workspace / "skills", "pdf")
    with no_room():
        done = cli.call_in(tree, "sources", "add", "skills")
    assert done.code == 74
    assert "error: can't write .insomnia/manifest.toml: " in done.stderr
    assert os.listdir(tree.workspace) == ["skills"]


@posix
def test_a_cache_on_a_full_disk_is_done_without(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insomnia_skills.cache.SETTLED_NS", -(10**18))
    env = {"XDG_CACHE_HOME": str(tree.top / "cache")}
    usual = cli.call_in(tree, "list")
    with no_room():
        done = cli.call_in(tree, "list", env=env)
    assert (done.code, done.both) == (0, usual.both)
    assert cli.call_in(tree, "list", env=env).code == 0
    assert (tree.top / "cache/insomnia-skills/results.sqlite").stat().st_size > 0


@needs_full
def test_a_report_into_a_full_device(tree: Tree) -> None:
    done = cli.call_in(tree, "validate", "--output", "sarif=/dev/full")
    assert done.code == 74
    assert "/dev/full" in done.stderr
    assert os.strerror(errno.ENOSPC) in done.stderr


# Signals.

FUNCTIONS: dict[str, tuple[Callable[[Path], object], dict[str, bytes], dict[str, bytes]]] = {
    "replace": (
        lambda top: replace_file(top / "a", b"new", b"old"),
        {"a": b"old"},
        {"a": b"new"},
    ),
    "replace a link": (
        lambda top: replace_file(top / "link", b"new"),
        {"a": b"old", "link": b"old"},
        {"a": b"new", "link": b"new"},
    ),
    "rename": (lambda top: rename_file(top / "a", "A"), {"a": b"old"}, {"A": b"old"}),
    "create": (lambda top: create_file(top / "a", b"new"), {}, {"a": b"new"}),
    "create deep": (lambda top: create_file(top / "b/c/a", b"new"), {}, {"b/c/a": b"new"}),
    "tree": (
        lambda top: write_tree(top / "b", [NewFile("x", b"1"), NewFile("y/z", b"2", True)]),
        {},
        {"b/x": b"1", "b/y/z": b"2"},
    ),
    "manifest": (
        lambda top: edit_manifest.write_edit(
            edit_manifest.ManifestEdit(top / ".insomnia/manifest.toml", None, b"new")
        ),
        {},
        {".insomnia/manifest.toml": b"new"},
    ),
}


@posix
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_interruption_at_any_line_leaves_the_old_or_the_new(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # the disk of the tests may be slow
    call, old, new = FUNCTIONS[name]
    seen = []
    for line in range(1, 1000):
        top = tmp_path / str(line)
        top.mkdir()
        for path, data in old.items():
            if path == "link":
                link(top / path, "a")
            else:
                write(top / path, data)
        done = interrupted_at(line, lambda top=top: call(top))  # type: ignore[misc]
        left = {path: data for path, data in files_below(top).items() if data is not None}
        assert left in (old, new), f"line {line}"
        assert {path.parent for path in top.rglob("*")} <= {top, *(top / p for p in parents(new))}
        seen.append(left == new)
        if done:
            break
    assert seen[0] is False
    assert seen[-1] is True
    assert len(seen) > 10


def parents(files: dict[str, bytes]) -> set[str]:
    return {str(above) for path in files for above in Path(path).parents}


def interrupted_at(number: int, call: Callable[[], object]) -> bool:
    """Interrupt a call at its n-th line in the package; whether it ended before that."""
    ended = []
    # In a thread, whose state goes with it: Python may forget that an exception was handled where
    # a function that traces raises one in a `with`.
    thread = threading.Thread(target=lambda: ended.append(_interrupted_at(number, call)))
    thread.start()
    thread.join()
    return ended[0]


def _interrupted_at(number: int, call: Callable[[], object]) -> bool:
    count = 0

    def trace(frame: Any, event: str, argument: object) -> Any:
        nonlocal count
        if "insomnia_skills" not in frame.f_code.co_filename:
            return None
        if event == "line":
            count += 1
            if count == number:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return False
    finally:
        sys.settrace(before)
    return True


@posix
@pytest.mark.parametrize("command", [c for c in WRITING if "--fix" not in c])
def test_signals_to_end_leave_all_as_it_was(
    command: str, tree: Tree, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Also where one more comes while it clears away."""
    lay_out_files(tree, command)
    found = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    request.addfinalizer(lambda: signal.signal(signal.SIGTERM, found))
    unlink, sent = os.unlink, []

    def end(*given: object) -> None:
        sent.append(given)
        signal.raise_signal(signal.SIGTERM)

    def end_and_unlink(*given: Any, **options: Any) -> None:
        end()
        unlink(*given, **options)

    before = files_below(tree.top)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", end)
        patch.setattr(os, "unlink", end_and_unlink)
        done = cli.call_in(tree, *command.split())
    assert done.code == 143
    assert sent
    assert files_below(tree.top) == before
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@posix
@pytest.mark.skipif("KILL_TIMES" not in os.environ, reason="KILL_TIMES=300 kills so often")
def test_killed_commands_leave_the_old_or_the_new() -> None:
    words = (sys.executable, "-m", "tests.kill", "--times", os.environ["KILL_TIMES"])
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


# Two at once.


@posix
def test_programs_that_add_at_once_lose_nothing(tree: Tree) -> None:
    names = [f"root-{number}" for number in range(2)]
    for name in names:
        write_skill(tree.workspace / name, name)
    done: dict[str, list[int]] = {name: [] for name in names}

    def add(name: str) -> None:
        while not done[name] or done[name][-1] == 1:  # another one was quicker
            done[name].append(program(tree, f"sources add {name}").returncode)

    threads = [threading.Thread(target=add, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(codes[-1] == 0 for codes in done.values()), done
    written = cli.call_in(tree, "sources", "list", "--format", "json").document["manifests"][0]
    assert sorted(written["directories"]) == [*names, "skills"]
    assert sorted(os.listdir(tree.manifest.parent)) == ["manifest.toml", "memory"]


@posix
def test_a_lock_of_another_program_is_waited_for_and_not_for_ever(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(edit_manifest, "LOCKED_SECONDS", 0.05)
    before = tree.manifest.read_bytes()
    other = os.open(tree.manifest.parent, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    try:
        done = cli.call_in(tree, "sources", "add", "öther")
    finally:
        os.close(other)
    assert done.code == 74
    assert done.stderr.endswith(
        "error: can't write .insomnia/manifest.toml: another program has it locked\n"
    )
    assert tree.manifest.read_bytes() == before
    assert cli.call_in(tree, "sources", "add", "öther").code == 0


@posix
def test_two_that_fix_at_once(tree: Tree) -> None:
    text = "---\nname: {0}\ndescription: Plans in parts: one. Use when asked.\n---\nDo it.\n"
    for number in range(12):
        name = f"skill-{number}"
        file = "skill.md" if number % 3 == 0 else "SKILL.md"
        write(tree.workspace / f"fix/{name}/{file}", text.format(name))
    codes: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: codes.append(program(tree, "validate fix --fix -q").returncode)
        )
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(codes) <= {0, 1}, codes
    again = cli.call_in(tree, "validate", "fix", "--fix")
    assert again.code == 0, again.both
    found = files_below(tree.workspace / "fix")
    assert {Path(path).name for path, data in found.items() if data is not None} == {"SKILL.md"}
    assert len(found) == 24


@posix
def test_what_comes_up_in_the_place_of_a_new_tree_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def late(old: Path, new: Path) -> None:
        write(new / "file", "mine")
        rename(old, new)

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(FileExistsError):
        write_tree(tmp_path / "b", [NewFile("x", b"1")])
    assert files_below(tmp_path) == {"b": None, "b/file": b"mine"}


# No network, nothing run, nothing written but what is asked for.


def test_nothing_is_run_sent_or_written_but_what_is_asked_for(tree: Tree) -> None:
    """A hook for audits can't be taken off, so it is put into a process of its own."""
    asked = {
        **{command: [] for command in READING},
        "validate --jobs 2 --output report.sarif": ["report.sarif", ".insomnia-skills-"],
        "validate --fix": ["skills/odd"],
        "sources add öther": [".insomnia"],
        "sources move skills --last": [".insomnia"],
        "sources remove öther": [".insomnia"],
        "new fresh --in skills": ["skills"],
        "eject /good": [".insomnia/memory/workflow"],
    }
    words = (sys.executable, "-B", "-m", "tests.audit", str(tree.top), json.dumps(asked))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert told["met"] > len(asked)
    assert told["found"] == {}
    assert told["codes"] == {
        command: READING.get(command, told["codes"][command]) for command in asked
    }
