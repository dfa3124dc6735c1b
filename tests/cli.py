"""Run the command as a user does, but in this process: the real ``main`` with everything around it.

Arguments, working directory, environment and streams are replaced for one call, so nothing of the
machine or of the user who runs the tests gets in.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import typer
import typer.main

from insomnia_skills.cli import app, main
from insomnia_skills.cli.app import make_app
from tests.trees import Tree

PROGRAM = "insomnia-skills"
NO_COLOR = {"NO_COLOR": "1"}

_DETECTION = "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"
"""The one variable of the environment that Typer reads when it builds an application."""


@functools.cache
def _made(commands: tuple[str, ...], detection: str | None) -> typer.Typer:
    return make_app(commands)


def _make_app(commands: Iterable[str]) -> typer.Typer:
    return _made(tuple(commands), os.environ.get(_DETECTION))


# Building the application is half of what most commands take; it is the same each time.
_get_command = functools.cache(typer.main.get_command)


@dataclass(frozen=True)
class Run:
    """What one call wrote, and its exit code."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        """stdout as UTF-8; it fails where stdout is something else."""
        return self.stdout.decode()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def both(self) -> str:
        """All that a person at a terminal sees."""
        return self.text + self.stderr

    @property
    def document(self) -> Any:
        """stdout as JSON; it fails where stdout is not exactly one JSON document."""
        return json.loads(self.stdout)


class Stream(io.TextIOWrapper):
    """A standard stream that remembers what was written, and says whether it is a terminal."""

    def __init__(self, terminal: bool = False, encoding: str = "utf-8") -> None:
        self.written = io.BytesIO()
        self._terminal = terminal
        super().__init__(self.written, encoding=encoding)

    def isatty(self) -> bool:
        return self._terminal

    def value(self) -> bytes:
        self.flush()
        return self.written.getvalue()


def environment(
    home: Path,
    config: Path | None = None,
    columns: int = 80,
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """All the environment that the command gets: a home, maybe a config directory, a width."""
    variables = {
        "COLUMNS": str(columns),
        "HOME": str(home),
        "XDG_CACHE_HOME": os.devnull,
        "PATH": os.defpath,
        "TERM": "xterm-256color",
        **(more or {}),
    }
    if config is not None:
        variables["INSOMNIA_CONFIG_DIR"] = str(config)
    return variables


def call(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str],
    terminal: bool = False,
    encoding: str = "utf-8",
) -> Run:
    """Call the command. ``terminal``: whether both its streams are one, in place of pipes."""
    out, err = Stream(terminal, encoding), Stream(terminal, encoding)
    code = call_on(out, err, *arguments, cwd=cwd, env=env)
    return Run(code, out.value(), err.value().decode(encoding))


def call_in(
    tree: Tree,
    *arguments: str | Path,
    cwd: Path | None = None,
    columns: int = 80,
    terminal: bool = False,
    encoding: str = "utf-8",
    env: Mapping[str, str] | None = None,
) -> Run:
    """Call the command in a tree's workspace, with its config directory; ``env`` adds variables."""
    tree.workspace.mkdir(parents=True, exist_ok=True)
    variables = environment(tree.top, tree.config, columns, env)
    place = cwd or tree.workspace
    return call(*arguments, cwd=place, env=variables, terminal=terminal, encoding=encoding)


def call_on(
    out: io.TextIOWrapper,
    err: io.TextIOWrapper,
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str],
) -> int:
    """Call the command on these streams; its exit code."""
    # Typer reads some of the environment only once, when this part of it is imported.
    sys.modules.pop("typer.rich_utils", None)
    vars(typer).pop("rich_utils", None)
    with (
        contextlib.chdir(cwd),
        patch.dict(os.environ, env, clear=True),
        patch.object(app, "make_app", _make_app),
        patch.object(typer.main, "get_command", _get_command),
        patch.object(sys, "argv", [PROGRAM, *map(str, arguments)]),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        # Else the program's name in its usage is that of pytest.
        patch.object(sys.modules["__main__"], "__package__", None),
    ):
        try:
            main()
        except SystemExit as end:
            if isinstance(end.code, int):
                return int(end.code)
            return 0 if end.code is None else 1
    return 0
