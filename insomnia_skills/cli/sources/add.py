"""``insomnia-skills sources add``: name a skills root in a manifest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    FormatOption,
    RecordFormat,
    Settings,
    say,
    with_settings,
)
from insomnia_skills.cli.completing import complete_directory
from insomnia_skills.cli.sources.editing import (
    DryRunOption,
    UserOption,
    YesOption,
    carry_out,
    edit,
    open_manifest,
)
from insomnia_skills.cli.sources.naming import (
    BeforeOption,
    find_entry,
    read_place,
    require_root,
)
from insomnia_skills.report.text import PathNames, path_text
from insomnia_skills.workspace import place_key

if TYPE_CHECKING:
    from insomnia_skills.edit.manifest import ManifestText
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.sources import Source


@with_settings
def command(
    settings: Settings,
    root: Annotated[
        str,
        typer.Argument(
            metavar="DIR",
            help="A directory whose children are skills; it counts from the working directory.",
            autocompletion=complete_directory,
        ),
    ],
    first: Annotated[bool, typer.Option("--first", help="Rank it before all others.")] = False,
    before: BeforeOption = None,
    user: UserOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Name a directory of skills in the manifest, as the last one if not told otherwise."""
    from insomnia_skills.edit.entries import entry_for
    from insomnia_skills.edit.manifest import add_entries
    from insomnia_skills.report.commands import sources_command

    place = read_place(first, before)
    result = settings.ingest()
    has_skills = require_root(root, place, result, user)
    manifest = open_manifest(result, user)
    if (source := _find_source(result, root)) is not None:
        _say_there(source, result, manifest, root, place, user)
        carry_out(settings, result, (), format=format)
        return
    at = 0 if first else None
    if before is not None:
        there = sources_command("add", path_text(root), place, result, PathNames(), user=not user)
        at = find_entry(manifest, before, result, there)[0]
    entry = entry_for(root, manifest.manifest.base, outward=not user)
    change = edit(manifest, partial(add_entries, entries=[entry], before=at))
    if not settings.quiet:
        if not has_skills:
            say(f"note: {path_text(root)} has no skill yet")
        if os.path.isabs(entry) and not user:
            say("note: this path is one of this machine; --user names it in your own manifest")
    carry_out(settings, result, [change], yes=yes, dry_run=dry_run, format=format)


def _find_source(result: Ingest, directory: str) -> Source | None:
    """The skills root that a directory is already, but for one of this command line."""
    from insomnia_skills.sources import SourceKind

    place = place_key(directory)
    return next(
        (
            source
            for source in result.sources
            if source.kind is not SourceKind.WORKSPACE_WORKFLOW
            and source.origin != "--directory"
            and place_key(source.path) == place
        ),
        None,
    )


def _say_there(
    source: Source,
    result: Ingest,
    manifest: ManifestText,
    directory: str,
    place: Sequence[str],
    user: bool,
) -> None:
    """Say which source it is; ends with exit code 1 where it was to be ranked elsewhere."""
    from insomnia_skills.report.commands import sources_command
    from insomnia_skills.report.labels import Labels
    from insomnia_skills.sources import SourceKind

    origin = Labels(result).origin(source)
    say(f'"{path_text(directory)}" is a source already: rank {source.rank}, {origin}')
    is_own = source.origin.startswith(f"{manifest.manifest.path}:")
    if is_own and place:
        move = sources_command("move", path_text(directory), place, result, PathNames(), user)
        say(f"  help: to rank it elsewhere: {move}")
    elif source.kind is SourceKind.USER_SKILL:
        say("  help: the user's skills need no naming and rank last")
    elif manifest.manifest.path == result.workspace.manifest and not is_own:
        say("  help: to name it for everybody in the workspace's manifest too, add --no-user")
    if place:
        raise typer.Exit(Exit.NO)
