"""A pager for what is longer than the screen."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Annotated

import typer

NoPagerOption = Annotated[
    bool,
    typer.Option("--no-pager", help="Write to the terminal, however long it is."),
]

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class _Kept(io.TextIOWrapper):
    """What would have gone to a terminal, kept until it is known how long it is."""

    def __init__(self, encoding: str) -> None:
        self.bytes = io.BytesIO()
        super().__init__(self.bytes, encoding, "backslashreplace", newline="\n")

    def isatty(self) -> bool:
        return True


@contextmanager
def paged(no_pager: bool = False) -> Iterator[None]:
    """Send what is written to stdout through a pager, if a person reads it and it is too long.

    The pager is ``PAGER``, else ``less``; where there is none, or it can't be started, the output
    goes straight to the terminal. Who leaves it early has seen enough: that is no error.
    """
    terminal_kind = os.environ.get("TERM") or ("dumb" if os.name == "posix" else "")
    size = None if no_pager or terminal_kind == "dumb" else _screen()
    command = find_pager(os.environ) if size else []
    if size is None or not command:
        yield
        return
    terminal = sys.stdout
    kept = _Kept(terminal.encoding)
    sys.stdout = kept
    try:
        yield
    finally:
        sys.stdout = terminal
    terminal.flush()
    kept.flush()
    data = kept.bytes.getvalue()
    if not (_is_longer(data.decode(kept.encoding, "replace"), size) and _show(data, command)):
        terminal.buffer.write(data)
        terminal.buffer.flush()


def find_pager(environment: Mapping[str, str]) -> list[str]:
    """The command of the pager; empty where there is none, or ``PAGER`` asks for none."""
    import shlex
    import shutil

    given = environment.get("PAGER")
    if given is None:
        return ["less", "-R"] if shutil.which("less") else []
    if os.name == "nt":  # there a backslash stands between directories
        given = given.replace("\\", "\\\\")
    try:
        command = shlex.split(given)
    except ValueError:  # quotes that nobody closes
        return []
    if not command or command == ["cat"]:
        return []
    # Colours are escape sequences, and less shows those as text unless it is told.
    name = os.path.basename(command[0]).removesuffix(".exe")
    return [*command, "-R"] if name == "less" else command


def _screen() -> os.terminal_size | None:
    """The size of the screen, if keyboard and screen are a person's."""
    try:
        if os.isatty(sys.stdin.fileno()) and os.isatty(sys.stdout.fileno()):
            return os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # streams that are none, or closed
        pass
    return None


def _is_longer(text: str, size: os.terminal_size) -> bool:
    """Whether a text, and the prompt below it, take more lines than the screen has."""
    from rich.cells import cell_len

    room = size.lines - 1
    lines = text.splitlines()
    width = max(size.columns, 1)
    used = (max(1, -(-cell_len(_STYLE.sub("", line)) // width)) for line in lines[: room + 1])
    return len(lines) > room or sum(used) > room


def _show(data: bytes, command: list[str]) -> bool:
    """Show it with the pager; false where that can't be started."""
    import subprocess

    # As git has it: leave at once what fits, and let the text stand on the screen afterwards.
    environment = {"LESS": "FRX", **os.environ}
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    # Interrupting is the pager's business as long as it runs.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError):
            pager.communicate(data)
    finally:
        pager.wait()
        signal.signal(signal.SIGINT, before)
    return True
