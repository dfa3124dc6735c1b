"""``insomnia-skills sources remove``: take a skills root out of a manifest."""

from __future__ import annotations

from functools import partial

from insomnia_skills.cli.common import FormatOption, RecordFormat, Settings, with_settings
from insomnia_skills.cli.sources.editing import (
    DryRunOption,
    UserOption,
    YesOption,
    carry_out,
    edit,
    open_manifest,
)
from insomnia_skills.cli.sources.naming import EntryArgument, find_entry
from insomnia_skills.report.text import PathNames, path_text


@with_settings
def command(
    settings: Settings,
    root: EntryArgument,
    user: UserOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Take a directory out of the manifest; the directory itself stays as it is."""
    from insomnia_skills.edit.manifest import remove_entries
    from insomnia_skills.report.commands import sources_command

    result = settings.ingest()
    manifest = open_manifest(result, user)
    there = sources_command("remove", path_text(root), (), result, PathNames(), user=not user)
    found = find_entry(manifest, root, result, there)
    change = edit(manifest, partial(remove_entries, indexes=found))
    carry_out(settings, result, [change], yes=yes, dry_run=dry_run, format=format)
