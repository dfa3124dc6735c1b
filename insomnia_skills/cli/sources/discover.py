"""``insomnia-skills sources discover``: skills directories of other clients."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    FormatOption,
    RecordFormat,
    Settings,
    fail,
    finish,
    say,
    tell,
    tell_all,
    with_settings,
    write,
    write_json,
)
from insomnia_skills.cli.sources.editing import (
    DryRunOption,
    YesOption,
    carry_out,
    edit,
    open_manifest,
)
from insomnia_skills.report.text import PathNames

if TYPE_CHECKING:
    from insomnia_skills.clients.discover import Discovery
    from insomnia_skills.edit.manifest import ManifestEdit
    from insomnia_skills.pipeline import Ingest


def complete_client(incomplete: str) -> Iterator[str]:
    """The ids of clients that begin so."""
    from insomnia_skills.clients.data import CLIENTS

    return (client.id for client in CLIENTS if client.id.startswith(incomplete))


@with_settings
def command(
    settings: Settings,
    clients: Annotated[
        list[str] | None,
        typer.Option(
            "--client",
            metavar="ID",
            help="Only directories that this client reads. May be repeated.",
            autocompletion=complete_client,
        ),
    ] = None,
    add: Annotated[
        bool,
        typer.Option(
            "--add",
            help="Add those with a valid skill that are not configured: what lies in the home "
            "directory to the user's manifest, all else to the workspace's.",
        ),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also the places where nothing is.")
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Find skills directories of other clients: here, above, and in the home directory."""
    from insomnia_skills.clients.discover import discover_roots

    ids = _read_clients(clients or ())
    if not add and (yes or dry_run):
        option = "--yes" if yes else "--dry-run"
        fail(f"{option} is for --add", f"insomnia-skills sources discover --add {option}")
    if add and everything:
        fail("--all only shows; --add is for what has a valid skill", "take one of the two")
    result = settings.ingest()
    discovery = discover_roots(result, ids)
    if add:
        edits = _edits(result, discovery)
        if not (edits or settings.quiet):
            from insomnia_skills.report.discover.summary import nothing_to_add

            say(nothing_to_add(discovery))
        carry_out(settings, result, edits, yes=yes, dry_run=dry_run, format=format)
        return
    roots = discovery.roots if everything else discovery.found
    if format is RecordFormat.JSON:
        from insomnia_skills.report.discover.json import discover_document

        write_json(discover_document(discovery, roots, result))
    elif format.is_table():
        from insomnia_skills.report.discover.summary import discover_summary
        from insomnia_skills.report.discover.table import discover_table

        if roots:
            discover_table(roots, PathNames(), settings.console(), settings.verbose)
        if not settings.quiet:
            below = discover_summary(discovery, result, PathNames(), ids)
            write(["", *below] if roots else below)
    else:
        from insomnia_skills.report.discover.plain import discover_records

        write(discover_records(roots))
    # -v is for the clients here; the notes on all skills would bury them.
    tell(result, replace(settings, verbose=False), errors_only=format is RecordFormat.JSON)
    if format is not RecordFormat.JSON:
        tell_all(d for d in discovery.diagnostics if settings.shows(d.severity))
    finish(result)


def _read_clients(ids: Iterable[str]) -> list[str]:
    """The ids; ends with exit code 2 for one that no client has."""
    from insomnia_skills.clients.data import CLIENTS

    known = [client.id for client in CLIENTS]
    for id in ids:
        if id not in known:
            near = _near_ids(id)
            help = (
                f"did you mean {' or '.join(near)}?" if near else f"the ids are {', '.join(known)}"
            )
            fail(f'--client: no client is called "{id}"', help)
    return list(ids)


def _near_ids(given: str) -> list[str]:
    """The id of the client with this name, else ids that hold what was given, or are like it."""
    from difflib import get_close_matches

    from insomnia_skills.clients.data import CLIENTS

    asked = given.lower().replace(" ", "-").replace("_", "-")
    known = [client.id for client in CLIENTS]
    named = [c.id for c in CLIENTS if given.lower() == c.name.lower() or asked == c.id]
    within = [id for id in known if len(asked) > 1 and asked in id]
    return named or within or get_close_matches(asked, known, cutoff=0.6)


def _edits(result: Ingest, discovery: Discovery) -> list[ManifestEdit]:
    """What adds every directory that is worth it to its manifest."""
    from insomnia_skills.clients.discover import Where
    from insomnia_skills.edit.entries import entry_for
    from insomnia_skills.edit.manifest import add_entries

    edits = []
    for user in (False, True):
        paths = [root.path for root in discovery.addable if (root.where is Where.USER) is user]
        if paths:
            manifest = open_manifest(result, user)
            base = manifest.manifest.base
            # Given as relative ones, those above the workspace are written so that the manifest
            # holds in every checkout.
            entries = [entry_for(os.path.relpath(path), base, outward=not user) for path in paths]
            edits.append(edit(manifest, partial(add_entries, entries=entries)))
    return edits
