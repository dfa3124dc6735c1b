"""``insomnia-skills sources move``: rank a skills root elsewhere in its manifest."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from insomnia_skills.cli.common import (
    FormatOption,
    RecordFormat,
    Settings,
    fail,
    say,
    with_settings,
)
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
    EntryArgument,
    find_entry,
    read_place,
)
from insomnia_skills.report.text import PathNames, path_text


@with_settings
def command(
    settings: Settings,
    root: EntryArgument,
    first: Annotated[bool, typer.Option("--first", help="Rank it before all others.")] = False,
    last: Annotated[bool, typer.Option("--last", help="Rank it behind all others.")] = False,
    before: BeforeOption = None,
    user: UserOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Rank a directory elsewhere among those of its manifest; an earlier one wins."""
    from insomnia_skills.edit.manifest import move_entry
    from insomnia_skills.report.commands import sources_command

    place = read_place(first, before, last)
    if not place:
        fail("it is not said where to", "give one of --first, --last and --before DIR")
    result = settings.ingest()
    manifest = open_manifest(result, user)
    there = sources_command("move", path_text(root), place, result, PathNames(), user=not user)
    index = find_entry(manifest, root, result, there)[0]
    entries = manifest.manifest.entries
    if before is not None:
        to = find_entry(manifest, before, result, there)[0]
        to -= index < to
    else:
        to = 0 if first else len(entries) - 1
    if to == index:
        say(f'"{entries[index].value}" is there already: nothing to change')
        carry_out(settings, result, (), format=format)
        return
    change = edit(manifest, partial(move_entry, index=index, to=to))
    carry_out(settings, result, [change], yes=yes, dry_run=dry_run, format=format)
