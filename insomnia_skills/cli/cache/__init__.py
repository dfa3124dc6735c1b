"""``insomnia-skills cache``: what earlier runs found out about files."""

from __future__ import annotations

import typer

from insomnia_skills.cli.cache import clean, info

group = typer.Typer(
    help="Show or remove what earlier runs found out about files.",
    no_args_is_help=True,
)
group.command("info")(info.command)
group.command("clean")(clean.command)
