"""Skills directories of other clients as a table."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from insomnia_skills.clients.discover import ClientRoot
from insomnia_skills.report.draw import dim, draw
from insomnia_skills.report.text import PathNames

UNCHECKED = "?"
"""Stands behind a client of which the directory is no checked fact."""

_MOST = 5
_FIRST = 3


def discover_table(
    roots: Iterable[ClientRoot], name: PathNames, console: Console, all_clients: bool
) -> None:
    """Each directory with its clients, how many skills it has, and as which rank it is a source.

    Where many clients read one, ``all_clients`` names every one of them.
    """
    rows, stacks = [], []
    for root in roots:
        place = Text(name(root.path))
        also = [dim(f"also {name(other)}") for other in root.also]
        clients = client_names(root, all_clients)
        rank = (
            Text(root.source.rank) if root.source else Text("no", "yellow" if root.valid else "dim")
        )
        if root.absent:
            counts = [dim("-"), dim("-")]
            last = Text.assemble(root.absent, (f" · {clients}", "dim"))
            words = root.absent
        else:
            counts = [Text(str(n), "" if n else "dim") for n in (root.valid, root.broken)]
            last = dim(clients)
            words = f"{root.valid} valid, {root.broken} broken"
        rows.append((place, *counts, rank, last))
        rows += ((Text("  ").append_text(other), *4 * (Text(),)) for other in also)
        configured = f"rank {root.source.rank}" if root.source else "not configured"
        stacks.append((place, *also, Text(f"{words}, {configured}"), dim(clients)))
    headings = ("directory", "valid", "broken", "configured", "clients")
    draw(console, headings, rows, flexible=4, fold=True, stacks=stacks, numbers=(1, 2))


def client_names(root: ClientRoot, everyone: bool) -> str:
    """The ids of the clients that read a directory, the unchecked ones marked."""
    ids = [client.id + ("" if checked else UNCHECKED) for client, checked in root.clients]
    if everyone or len(ids) <= _MOST:
        return ", ".join(ids)
    return f"{', '.join(ids[:_FIRST])} and {len(ids) - _FIRST} more"
