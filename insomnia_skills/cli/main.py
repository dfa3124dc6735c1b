"""The Typer application, and the one place where its errors end."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from insomnia_skills import __version__
from insomnia_skills.cli.common import say
from insomnia_skills.cli.list import list_workflows
from insomnia_skills.cli.resolve import resolve
from insomnia_skills.cli.scope import scope
from insomnia_skills.cli.show import show
from insomnia_skills.cli.validate import validate

app = typer.Typer(
    name="insomnia-skills",
    help="Ingest Agent Skills (SKILL.md) as insomnia Workflows.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, command in (
    ("list", list_workflows),
    ("validate", validate),
    ("resolve", resolve),
    ("show", show),
    ("scope", scope),
):
    app.command(name)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"insomnia-skills {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line. Exit codes are the design's; an unforeseen fault is 70."""
    for stream in (sys.stdout, sys.stderr):
        # A file name or a letter that the terminal's encoding lacks is written out instead.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
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
