"""The Typer application, and the one place where its errors end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

from insomnia_skills import __version__
from insomnia_skills.cli.common import say

COMMANDS = ("list", "validate", "resolve", "show", "scope")
"""Each is the function ``command`` of the module of its name."""


def make_app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with these commands."""
    app = typer.Typer(
        name="insomnia-skills",
        help="Ingest Agent Skills (SKILL.md) as insomnia Workflows.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in commands:
        app.command(name)(import_module(f"insomnia_skills.cli.{name}").command)
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


def main() -> None:
    """Run the command line. Exit codes are the design's; an unforeseen fault is 70."""
    for stream in (sys.stdout, sys.stderr):
        # A file name or a letter that the terminal's encoding lacks is written out instead.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    # Building one command instead of all of them saves a quarter of the time to start.
    asked = sys.argv[1:2]
    app = make_app(asked if set(asked) & set(COMMANDS) else COMMANDS)
    try:
        app()
    except BrokenPipeError:
        # Who read our output has had enough. Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        say(f"internal error: {type(error).__name__}: {error}")
        say("  help: this is a fault of insomnia-skills, please report it with what you ran")
        sys.exit(70)
