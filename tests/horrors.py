"""A tree of horrors: what a stranger's archive, a broken disk or a bad day may leave behind.

The command is run on it in a process of its own, with limits on memory, processor and time, and
with no more rights than any user has.
"""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.cli import environment
from tests.trees import Tree, link, write, write_skill

MIB = 1024 * 1024

MEMORY = 1024 * MIB
"""What a run may have in all, in bytes; the libraries of Python alone map some 100 MiB."""

SECONDS = 120
"""What a run may take, of the clock and of the processor: a hang ends, a slow machine may be."""

HEAD = "---\nname: {}\ndescription: Does one thing. Use when it is wanted.\n---\n"

# It runs the command as `python -m insomnia_skills` does, with limits, and says what memory it had.
_RUN = """
import os, resource, runpy, sys
memory, seconds, peak, lowered = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
if lowered == "user":
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
elif lowered == "powerless":
    # All that makes the superuser more than other users; files of mode 0 are closed to it too.
    import ctypes
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, nothing):
        sys.exit(f"capset: {os.strerror(ctypes.get_errno())}")
sys.argv[:5] = ["insomnia-skills"]
try:
    runpy.run_module("insomnia_skills", run_name="__main__", alter_sys=True)
finally:
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    os.write(int(peak), line.split()[1].encode())
"""


class Run(NamedTuple):
    """What a run wrote, its exit code, and the most memory it had, in bytes."""

    arguments: tuple[str, ...]
    code: int
    stdout: bytes
    stderr: bytes
    peak: int

    @property
    def text(self) -> str:
        return self.stdout.decode()

    @property
    def both(self) -> bytes:
        return self.stdout + self.stderr


def lowered() -> str:
    """How the superuser becomes no more than a user; empty for who is none.

    Another user's id, where the interpreter lies where others may read it.
    """
    if os.geteuid() != 0:
        return ""
    places = [Path(sys.executable), Path(sys.base_prefix), *map(Path, sys.path[1:])]
    above = {parent for place in places for parent in (place.resolve(), *place.resolve().parents)}
    reachable = all(place.stat().st_mode & 0o001 for place in above if place.is_dir())
    return "user" if reachable else "powerless"


def run(
    tree: Tree,
    *arguments: str | Path,
    cwd: Path | None = None,
    superuser: bool = False,
    memory: int = MEMORY,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Run:
    """Run the command in a tree's workspace, within limits, as a user or as the superuser."""
    words = tuple(map(str, arguments))
    read, written = os.pipe()
    try:
        how = "" if superuser else lowered()
        command = [sys.executable, "-c", _RUN, str(memory), str(SECONDS), str(written), how, *words]
        variables = environment(tree.top, tree.config, more={"PYTHONPATH": _PACKAGE, **(env or {})})
        done = subprocess.run(
            command,
            cwd=cwd or tree.workspace,
            env=variables,
            input=stdin,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            pass_fds=[written],
        )
        os.close(written)
        peak = int(os.read(read, 64) or 0) * 1024
    finally:
        os.close(read)
        with suppress(OSError):
            os.close(written)
    return Run(words, done.returncode, done.stdout, done.stderr, peak)


_PACKAGE = str(Path(__file__).parent.parent)


# What may stand where a file should be.


def fifo(path: Path) -> None:
    os.mkfifo(path)


def bound_socket(path: Path) -> None:
    """A socket that a program listened to."""
    here = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{here}/{path.name}")  # a whole path may be too long
    finally:
        os.close(here)


def device(path: Path) -> None:
    """A device without an end; only the superuser can make one."""
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))


def linked(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def looping(path: Path) -> None:
    path.symlink_to(path.name)


def sparse(size: int, head: bytes = b"") -> Callable[[Path], None]:
    """A file of many bytes that takes no room on the disk."""

    def make(path: Path) -> None:
        path.write_bytes(head)
        os.truncate(path, size)

    return make


KINDS: dict[str, Callable[[Path], None]] = {
    "fifo": fifo,
    "socket": bound_socket,
    "device": device,
    "zero": linked("/dev/zero"),
    "tty": linked("/dev/tty"),
    "directory": Path.mkdir,
    "dangling": linked("nowhere"),
    "looping": looping,
    "empty": Path.touch,
    "huge": sparse(300 * MIB),
    "vast": sparse(10 * 1024 * MIB),
}
"""By name, what makes one kind of thing at a path where nothing is."""


def make(kind: str, path: Path) -> bool:
    """Put a thing at a path; whether this system lets us."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        KINDS[kind](path)
    except PermissionError:
        return False
    return True


NAMES = {
    "newline": b"one\ntwo",
    "return": b"one\rtwo",
    "escape": b"\x1b[31mred\x1b[0m",
    "title": b"\x1b]0;title\x07",
    "c1": "one\x9b31mtwo".encode(),
    "not-utf8": b"caf\xe9-\xff\xfe",
    "long": b"n" * 255,
    "right-to-left": "one\u202etxt.\u2066dm".encode(),
    "separator": "one\u2028two\u2029three\u0085four".encode(),
    "option": b"-rf",
    "long-option": b"--help",
    "command": b"$(touch pwned)`touch pwned`",
    "format": b"%n%s{0}%(name)s",
    "markup": b"[red]bold[link=file:x]x[@click=x]",
    "quotes": b"a'b\"c\\d",
    "blanks": b" one  two ",
    "workflow-command": b"::error::x%0A::warning::y",
    "wide": "\U0001f600é\u0301中".encode(),
}
"""Names of directories that are no slugs, and that may do something to who prints them."""


def fill(unit: str, name: str, size: int = MIB) -> str:
    """A valid SKILL.md of nearly ``size`` bytes that has nothing but ``unit`` in its body."""
    head = HEAD.format(name)
    return head + unit * ((size - len(head.encode())) // len(unit.encode()))


BODIES = {
    "line": "x",
    "blanks": " ",
    "line-ends": "\n",
    "returns": "\r",
    "backticks": "`",
    "odd-backticks": "`` ` ",
    "brackets": "[",
    "closing": "]",
    "nested-brackets": "![[](",
    "angles": "<",
    "tags": "<a b='c'>",
    "comments": "<!--",
    "links": "[a](b.md) ",
    "missing-links": "[a](references/{}.md)\n",
    "definitions": "[a]: b\n",
    "stars": "*a **a ",
    "underscores": "_",
    "quotes": "> ",
    "quoted-lines": "> > > a\n",
    "items": "- ",
    "nested-items": "  - a\n",
    "numbers": "1) ",
    "table": "| a | b |\n|---|---|\n",
    "fences": "```\n~~~\n",
    "entities": "&amp;&#0;&",
    "backslashes": "\\",
    "homes": "/home/somebody/x ",
    "drives": "C:\\Users\\somebody\\x ",
    "arguments": "$ARGUMENTS ",
    "positions": "$1 `$2` ",
    "unseen": "\u200b\u202e\U000e0041",
    "selectors": "a\ufe00\ufe01",
    "controls": "\x1b\x9b",
    "todos": "[TODO]\n",
    "ignores": "<!-- insomnia-skills: ignore name-type -->\n",
    "mentions": "`scripts/run.py` ",
    "dots": "../",
    "colons": "a: b\n",
}
"""By name, what makes a body of 1 MiB that is bad for some reader of Markdown or of prose."""


FRONTMATTERS = {
    "nested-lists": "[" * 20_000,
    "nested-maps": "{a: " * 10_000,
    "nested-lines": "".join(f"{' ' * n}a{n}:\n" for n in range(350)),
    "nested-dashes": "- " * 20_000,
    "aliases": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12)
    ),
    "one-alias": "a: &a [*a]\n",
    "keys": "".join(f"k{n}:\n" for n in range(9_000)),
    "equal-keys": "k: v\n" * 12_000,
    "long-key": "k" * 60_000 + ": v\n",
    "quotes": '"' * 60_000,
    "escapes": 'k: "' + r"\n" * 30_000 + '"\n',
    "bangs": "k: " + "!" * 60_000,
    "comment": "#" * 60_000 + "\n",
    "folded": "k: >\n" + "  a\n" * 15_000,
    "indented": "k:\n" + "    a\n" * 10_000,
    "number": "k: " + "9" * 60_000 + "\n",
    "hexadecimal": "k: 0x" + "F" * 60_000 + "\n",
    "float": "k: 1e" + "9" * 60_000 + "\n",
    "dates": "k: 2026-02-30T25:61:61Z\n",
    "merge": "<<: {a: b}\n",
    "tags": "k: !!python/object/apply:os.system [true]\n",
    "colons": ": " * 30_000,
    "tabs": "\t" * 60_000,
    "brackets": "k: " + "[{" * 20_000,
    "strings": "k: [" + "'', " * 15_000 + "]\n",
    "metadata": "metadata:\n" + "".join(f"  k{n}: v\n" for n in range(6_000)),
    "tools": "allowed-tools: " + "Bash(x) " * 7_000 + "\n",
    "directives": "%YAML 9.9\n" * 5_000,
    "documents": "...\n" * 15_000,
}
"""By name, lines of a frontmatter that are bad for some reader of YAML."""


def nest(top: Path, name: str, depth: int, last: Callable[[int], None] | None = None) -> None:
    """Directories in one another, deeper than any path can say."""
    top.mkdir(parents=True)
    here = os.open(top, os.O_RDONLY)
    try:
        for _ in range(depth):
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        if last is not None:
            last(here)
    finally:
        os.close(here)


def remove(top: Path) -> None:
    """Remove a tree however deep it is; Python's own way ends at a thousand levels."""
    subprocess.run(["rm", "-rf", str(top)], check=True)


@dataclass
class Horrors:
    """The tree, and what is to be found in it.

    ``rules`` has for each broken SKILL.md the rule that must be told of it; ``valid`` are the
    slugs that can be called for all that. ``warned`` has rules for files beside a SKILL.md.
    """

    tree: Tree
    rules: dict[Path, str] = field(default_factory=dict)
    valid: list[str] = field(default_factory=list)
    warned: dict[Path, str] = field(default_factory=dict)

    @property
    def skills(self) -> Path:
        return self.tree.workspace / "skills"

    def add(self, name: str, rule: str, text: bytes = b"") -> Path:
        """The place for a broken SKILL.md, or one with this text."""
        path = self.skills / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        if text:
            path.write_bytes(text)
        self.rules[path] = rule
        return path

    def add_valid(self, name: str, text: str = "") -> Path:
        """A skill that a Pod can call, with this text or an ordinary one."""
        path = self.skills / name / "SKILL.md"
        self.valid.append(name)
        return write(path, text) if text else write_skill(self.skills, name)


_OF_KINDS = {
    "fifo": "not-a-file",
    "socket": "not-a-file",
    "device": "not-a-file",
    "zero": "link-escapes-skill",
    "tty": "link-escapes-skill",
    "directory": "not-a-file",
    "dangling": "broken-symlink",
    "looping": "broken-symlink",
    "empty": "frontmatter-missing",
    "huge": "file-too-large",
    "vast": "file-too-large",
}


def build(top: Path) -> Horrors:
    """The tree of horrors in an empty directory that every user can reach."""
    horrors = Horrors(Tree(top))
    tree, skills = horrors.tree, horrors.skills
    roots = ["skills", "named", "missing", "a-file", "a-pipe", "circle", "closed", "/proc/self"]
    tree.name_roots(*roots, "/proc/self/fd", "/dev", "/dev/null")
    write_skill(tree.user_skills, "of-the-user")
    tree.write_workflow("native")
    horrors.valid += ["native", "of-the-user"]
    for name in ("aaa", "zzz"):
        horrors.add_valid(name)
    for kind, rule in _OF_KINDS.items():
        path = horrors.add(f"is-{kind}", rule)
        if not make(kind, path):
            path.parent.rmdir()
            del horrors.rules[path]
    _add_texts(horrors)
    _add_resources(horrors)
    for number, odd in enumerate(NAMES.values()):
        path = tree.workspace / "named" / os.fsdecode(odd) / "SKILL.md"
        write(path, HEAD.format(f"n{number}") + "Do it.\n")
        horrors.rules[path] = "name-mismatch"
    (tree.workspace / "a-file").touch()
    fifo(tree.workspace / "a-pipe")
    looping(tree.workspace / "circle")
    for place in (tree.workspace / "closed", skills / "closed"):
        write_skill(place, "inside")
        place.chmod(0)
    horrors.rules[skills / "closed"] = "unreadable"
    path = horrors.add("closed-file", "unreadable", HEAD.format("closed-file").encode())
    path.chmod(0)
    closed = write(tree.workspace / "nested/.insomnia/memory/workflow/a.md", "").parents[1]
    closed.chmod(0)
    link(tree.workspace / "links/processes", "/proc")
    for number in range(20):
        link(tree.workspace / "links" / f"link-{number:02}", skills / "aaa")
    return horrors


def _add_texts(horrors: Horrors) -> None:
    horrors.add(
        "long-frontmatter", "frontmatter-too-large", b"---\n" + b"a: b\n" * 200_000 + b"---\n"
    )
    written = HEAD.format("written").encode() + b"x" * (3 * MIB)
    horrors.add("written", "file-too-large", written)
    sparse(100 * MIB, HEAD.format("sparse-body").encode())(
        horrors.add("sparse-body", "file-too-large")
    )
    horrors.add("nul", "frontmatter-missing", b"\0" * 1000)
    horrors.add("utf-16", "not-utf8", HEAD.format("utf-16").encode("utf-16"))
    for name in ("backticks", "links"):
        horrors.add_valid(name, fill(BODIES[name], name))
    for name, rule in (("nested-lists", "yaml-too-deep"), ("aliases", "yaml-alias")):
        text = f"---\nname: {name}\ndescription: d\nk: "
        text = text if name == "nested-lists" else text.removesuffix("k: ")
        horrors.add(name, rule, (text + FRONTMATTERS[name] + "\n---\n").encode())


def _add_resources(horrors: Horrors) -> None:
    skill = horrors.add_valid("resources").parent
    write(skill / "scripts/run.py", "print()\n")
    for kind in KINDS:
        make(kind, skill / "assets" / kind)
    for kind in ("zero", "tty"):
        horrors.warned[skill / "assets" / kind] = "link-escapes-skill"
    for kind in ("dangling", "looping"):
        horrors.warned[skill / "assets" / kind] = "broken-symlink"
    for number, name in enumerate(NAMES.values()):
        place = os.fsencode(skill) + b"/named-%d" % number
        os.mkdir(place)
        Path(os.fsdecode(place + b"/" + name)).symlink_to(os.fsdecode(name) + "-gone")
    write(skill / "closed/inside", "x").parent.chmod(0)
    write(skill / "closed-file", "x").chmod(0)
    horrors.warned[skill / "closed"] = horrors.warned[skill / "closed-file"] = "unreadable"
    nest(skill / "deep", "d" * 250, 20)
    link(skill / "up", "..")
    link(skill / "self", ".")
