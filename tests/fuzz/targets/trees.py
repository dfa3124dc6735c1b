"""A tree as one text of bytes, so that it can be changed like any other input.

As in the examples of the rules, a line begins a file, and what follows up to the next such line is
its text:

    -- PATH --              a file
    -- PATH/ --             an empty directory
    -- PATH -> TARGET --    a symbolic link

Any bytes are a tree. Paths that lead out of it are left out, and so is what can't be made.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from insomnia_skills.rules.example import CONFIG_DIRECTORY, ExampleKind, parse_example

_HEADER = re.compile(rb"^-- (.+?) --\n", re.MULTILINE)
_MOST_FILES = 60


def unpack(data: bytes, top: Path) -> None:
    """Make the tree in a directory."""
    parts = _HEADER.split(data)[1 : 2 * _MOST_FILES + 1]
    root = os.fsencode(top)
    for header, text in zip(parts[::2], parts[1::2], strict=True):
        name, arrow, target = header.partition(b" -> ")
        if not _stays_inside(name):
            continue
        path = os.path.join(root, name)
        with suppress(OSError, ValueError, RecursionError):  # no such name, or too deep
            if not os.path.realpath(os.path.dirname(path)).startswith(root):
                continue
            os.makedirs(path if name.endswith(b"/") else os.path.dirname(path), exist_ok=True)
            if arrow:
                if _stays_inside(target) or target.startswith(b"../"):
                    os.symlink(target, path)
            elif not name.endswith(b"/") and not os.path.lexists(path):
                with open(path, "xb") as file:
                    file.write(text)


def _stays_inside(name: bytes) -> bool:
    return bool(name) and not name.startswith(b"/") and b".." not in name.split(b"/")


def packed(files: Iterator[tuple[str, bytes | None, str]]) -> bytes:
    """A tree of paths, each with its bytes, or with what a link leads to."""
    parts = []
    for path, data, target in files:
        name = os.fsencode(path)
        if data is None:
            parts.append(b"-- %b -> %b --\n" % (name, os.fsencode(target)))
        else:
            parts.append(b"-- %b --\n%b" % (name, data if data.endswith(b"\n") else data + b"\n"))
    return b"".join(parts)


def of_directory(directory: Path, prefix: str) -> Iterator[tuple[str, bytes | None, str]]:
    """The files and links of a directory."""
    for path in sorted(directory.rglob("*")):
        name = f"{prefix}/{path.relative_to(directory).as_posix()}"
        if path.is_symlink():
            yield name, None, os.readlink(path)
        elif path.is_file():
            yield name, path.read_bytes(), ""


def of_example(example: str) -> Iterator[tuple[str, bytes | None, str]]:
    """The files and links of a rule's example."""
    for file in parse_example(example):
        name = f"workspace/{file.path}"
        if file.path.startswith(CONFIG_DIRECTORY):
            name = f"config/{file.path.removeprefix(CONFIG_DIRECTORY)}"
        elif not file.path.startswith("."):
            name = f"workspace/skills/{file.path}"
        if file.kind is ExampleKind.LINK:
            yield name, None, file.target
        elif file.kind is ExampleKind.FILE:
            yield name, file.data, ""
