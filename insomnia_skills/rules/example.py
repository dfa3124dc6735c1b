"""The examples of a rule's documentation: a few files written as one text.

A line in the style of txtar begins a file, and what follows up to the next such line is its text:

    -- PATH --                    a file
    -- PATH (not readable) --     a file without the permission to read it
    -- PATH (named pipe) --       a named pipe
    -- PATH/ --                   an empty directory; ``(not readable)`` may follow here too
    -- PATH/ (N files) --         a directory with N empty files
    -- PATH -> TARGET --          a symbolic link

A path is relative to the workspace root, or begins with ``~/.config/insomnia/``, the user's
configuration directory. What stands before the first such line is the file ``pdf/SKILL.md``.

In a file's text ``{1025 × x}`` stands for 1025 times ``x``, and ``{0xFC}`` for that byte where it
makes the file something else than UTF-8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

DEFAULT_PATH = "pdf/SKILL.md"
CONFIG_DIRECTORY = "~/.config/insomnia/"
NOT_READABLE = " (not readable)"
NAMED_PIPE = " (named pipe)"

_FILES = re.compile(r"/ \((\d+) files\)$")
_HEADER = re.compile(r"^-- (.+) --\n", re.MULTILINE)
_REPEATED = re.compile(r"\{(\d+) × ([^{}]*)\}")
_BYTE = re.compile(r"\{0x([89A-F][0-9A-F])\}")


class ExampleKind(StrEnum):
    """What stands at a path of an example."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    PIPE = "pipe"


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """One thing of an example.

    ``text`` is a file's, with repetitions written out; a lone surrogate in it stands for a byte, as
    in ``surrogateescape``. ``target`` is where a link leads, as written. ``files`` is how many a
    directory has.
    """

    path: str
    kind: ExampleKind = ExampleKind.FILE
    text: str = ""
    target: str = ""
    readable: bool = True
    files: int = 0

    @property
    def data(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")


def parse_example(text: str) -> tuple[ExampleFile, ...]:
    """The files of an example in the order written."""
    return tuple(_file(header, _expand(body)) for header, body in split_example(text))


def split_example(text: str) -> list[tuple[str, str]]:
    """The files as they are written: what stands between the dashes, and the text below it."""
    before, *parts = _HEADER.split(text)
    first = [(DEFAULT_PATH, before)] if before else []
    return [*first, *zip(parts[::2], parts[1::2], strict=True)]


def _file(header: str, text: str) -> ExampleFile:
    path, arrow, target = header.partition(" -> ")
    if arrow:
        return ExampleFile(path, ExampleKind.LINK, target=target)
    if path.endswith(NAMED_PIPE):
        return ExampleFile(path.removesuffix(NAMED_PIPE), ExampleKind.PIPE)
    if many := _FILES.search(path):
        return ExampleFile(path[: many.start()], ExampleKind.DIRECTORY, files=int(many[1]))
    readable = not path.endswith(NOT_READABLE)
    path = path.removesuffix(NOT_READABLE)
    if path.endswith("/"):
        return ExampleFile(path.removesuffix("/"), ExampleKind.DIRECTORY, readable=readable)
    return ExampleFile(path, text=text, readable=readable)


def _expand(text: str) -> str:
    text = _REPEATED.sub(lambda match: match[2] * int(match[1]), text)
    return _BYTE.sub(
        lambda match: bytes([int(match[1], 16)]).decode("utf-8", "surrogateescape"), text
    )
