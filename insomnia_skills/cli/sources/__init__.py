"""``insomnia-skills sources``: the places that records come from, and the manifests naming them."""

from __future__ import annotations

from importlib import import_module

import typer

COMMANDS = ("list", "add", "remove", "move", "discover")
"""Each is the function ``command`` of the module of its name."""

group = typer.Typer(
    help="List, add, remove and order the sources of skills, or find more.",
    no_args_is_help=True,
)
for _name in COMMANDS:
    group.command(_name)(import_module(f"{__name__}.{_name}").command)
