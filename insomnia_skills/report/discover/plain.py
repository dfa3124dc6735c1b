"""One skills directory of other clients a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from insomnia_skills.clients.discover import ClientRoot
from insomnia_skills.report.plain import record_line


def discover_records(roots: Iterable[ClientRoot]) -> Iterator[str]:
    """where, path, valid, broken, rank or "no", origin, checked clients, unchecked ones, state."""
    for root in roots:
        source = root.source
        yield record_line(
            root.where.value,
            root.path,
            root.valid,
            root.broken,
            source.rank if source else "no",
            source.origin if source else "",
            " ".join(client.id for client, checked in root.clients if checked),
            " ".join(client.id for client, checked in root.clients if not checked),
            root.absent,
        )
