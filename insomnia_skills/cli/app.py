"""The Typer application."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from insomnia_skills import __version__
from insomnia_skills.cli.common import Exit, give_up_stdout, say
from insomnia_skills.cli.completing import answer, offer_scripts, read_line, read_script
from insomnia_skills.report.screen import Color, wants_color

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

COMMANDS = (
    "list",
    "validate",
    "report",
    "resolve",
    "show",
    "catalog",
    "scope",
    "sources",
    "new",
    "eject",
    "cache",
    "rules",
    "explain",
)
"""Each is the function ``command`` of the module of its name; ``Command``, if there, its class.

A module with a ``group`` instead holds commands of its own.
"""

_MOST_DIGITS = 4
"""No screen has 10,000 columns or lines."""


class InOrder(TyperGroup):
    """Names the commands in their order; Typer has groups behind all others."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in COMMANDS if name in self.commands]


def make_app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with these commands."""
    app = typer.Typer(
        name="insomnia-skills",
        cls=InOrder,
        help="Ingest Agent Skills (SKILL.md) as insomnia Workflows.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    offer_scripts()
    for name in commands:
        module = import_module(f"insomnia_skills.cli.{name}")
        if hasattr(module, "group"):
            app.add_typer(module.group, name=name)
        else:
            app.command(name, cls=getattr(module, "Command", None))(module.command)
    return app


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit.",
            callback=lambda wanted: _print_version() if wanted else None,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


def _print_version() -> None:
    print(f"insomnia-skills {__version__}")
    raise typer.Exit


class _Forgiving(io.FileIO):
    """A descriptor for what is no result: that nobody takes it, or a full disk, is no fault.

    Python would end with 120 for what it could not write there.
    """

    def write(self, data: Buffer) -> int:
        with suppress(OSError):
            if written := super().write(data):
                return written
        return memoryview(data).nbytes


def _settle_streams() -> None:
    """Give all that is written a stream that takes it."""
    for descriptor in range(3):
        # What was closed would be the number of the next file that is opened.
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        # What somebody left so that it does not wait would take what fits, and no more.
        with suppress(OSError, AttributeError):
            os.set_blocking(descriptor, True)
    if sys.stdout is None or sys.stderr is None:
        # Python has no stream for a descriptor that was closed.
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    if isinstance(sys.stdout.buffer, io.RawIOBase):
        # With PYTHONUNBUFFERED Python writes what fits, and forgets the rest.
        raw, encoding = sys.stdout.buffer, sys.stdout.encoding
        sys.stdout.detach()
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), encoding, line_buffering=True)
    # A console of Windows is no `FileIO`.
    if isinstance(getattr(sys.stderr.buffer, "raw", sys.stderr.buffer), io.FileIO):
        forgiving = io.BufferedWriter(_Forgiving(sys.stderr.fileno(), "w", closefd=False))
        sys.stderr = io.TextIOWrapper(forgiving, sys.stderr.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        # A file name or a letter that the terminal's encoding lacks is written out instead.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _settle_size() -> None:
    """Forget a size of the screen that is none; rich would take it, and make lines as long."""
    for name in ("COLUMNS", "LINES"):
        size = os.environ.get(name, "1")
        if not (size.isdecimal() and len(size) <= _MOST_DIGITS and int(size)):
            del os.environ[name]


def run() -> None:
    """Run the command that was asked for."""
    _settle_streams()
    _settle_size()
    if not wants_color(Color.AUTO, sys.stdout, os.environ):
        # Typer's own help and errors would still be bold, and coloured in some CI.
        os.environ.setdefault("_TYPER_FORCE_DISABLE_TERMINAL", "1")
    line = read_line(os.environ)
    # Building one command instead of all of them saves a quarter of the time to start.
    asked = line.words[:1] if line else sys.argv[1:2]
    known = set(asked) & {"--version", *COMMANDS}
    try:
        try:
            app = make_app([name for name in COMMANDS if name in known or not known])
            if script := read_script(os.environ):
                sys.stdout.write(script)
            elif line:
                sys.stdout.buffer.write(answer(line, app))
            else:
                app()
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        # rich, which writes --help, and Typer end with 1 where nobody reads any more.
        if isinstance(end.__context__, BrokenPipeError):
            give_up_stdout()
            sys.exit(Exit.BROKEN_PIPE)
        raise
    except OSError as error:  # --help into a full disk
        give_up_stdout()
        if isinstance(error, BrokenPipeError):
            sys.exit(Exit.BROKEN_PIPE)
        say(f"error: can't go on: {error.strerror or error}")
        sys.exit(Exit.NO_OUTPUT)
