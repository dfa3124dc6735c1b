"""``insomnia-skills report``: what was checked elsewhere, written anew."""

from __future__ import annotations

import typer

from insomnia_skills.cli.report import merge

group = typer.Typer(
    help="Join the results of several runs of validate.",
    no_args_is_help=True,
)
group.command("merge")(merge.command)
