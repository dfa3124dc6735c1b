"""How a command that edits manifests reads them, tells the change, asks, and writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from insomnia_skills.cli.common import (
    Exit,
    RecordFormat,
    Settings,
    ending_in_order,
    fail,
    is_terminal,
    say,
    tell_all,
    tell_of_new_workspace,
    write,
    write_json,
)
from insomnia_skills.diagnostic import Severity
from insomnia_skills.edit.manifest import (
    ManifestEdit,
    ManifestEditError,
    ManifestText,
    read_manifest,
    write_edit,
)
from insomnia_skills.edit.write import ChangedError
from insomnia_skills.report.text import PathNames
from insomnia_skills.workspace import real_path

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.resolution.difference import Difference

UserOption = Annotated[
    bool, typer.Option("--user", help="Edit the user's manifest, not the workspace's.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Tell what would change, and write nothing.")
]


def open_manifest(result: Ingest, user: bool) -> ManifestText:
    """The workspace's manifest, or the user's, to be edited.

    Ends with exit code 2 where that can't be, and with ``--user`` beside ``--no-user``.
    """
    place = result.workspace
    if not user:
        path, base = place.manifest, place.root
    elif result.config_dir is None:
        fail("--user and --no-user contradict each other", "leave out one of them")
    else:
        path, base = result.config_dir / "manifest.toml", result.config_dir
    try:
        return read_manifest(path, base)
    except ManifestEditError as error:
        _refuse(path, error)


def edit(manifest: ManifestText, change: Callable[[ManifestText], ManifestEdit]) -> ManifestEdit:
    """The edit that a function of `edit.manifest` makes; ends with exit code 2 where it can't."""
    try:
        return change(manifest)
    except ManifestEditError as error:
        _refuse(manifest.manifest.path, error)


def carry_out(
    settings: Settings,
    before: Ingest,
    edits: Sequence[ManifestEdit],
    *,
    yes: bool = False,
    dry_run: bool = False,
    format: RecordFormat = RecordFormat.AUTO,
) -> None:
    """Tell what edits do to manifests and to the resolution, ask at a terminal, and write them.

    ``before`` is the resolution without them. Ends with exit code 1 where the answer is no, or a
    manifest has changed meanwhile, and with 74 where one can't be written.
    """
    from insomnia_skills.resolution.difference import find_difference

    is_json = format is RecordFormat.JSON
    if not edits and not is_json:
        return
    if not dry_run:
        _require_writable(edits)
    after = settings.ingest(drafts={each.path: each.after for each in edits}) if edits else before
    change = find_difference(before, after)
    if not is_json:
        _show(edits, change, after, settings, format)
    tell_all(d for d in after.diagnostics if d.severity is Severity.ERROR)
    if not is_json:
        _tell_of_new_roots(before, after, settings)
    if not settings.quiet and any(each.path == before.workspace.manifest for each in edits):
        tell_of_new_workspace(before.workspace, settings)
    if not (dry_run or yes or is_json) and is_terminal() and sys.stdin and sys.stdin.isatty():
        _ask()
    written = bool(edits) and not dry_run
    if written:
        _write(edits, quiet=is_json or settings.quiet)
    if is_json:
        from insomnia_skills.report.sources.json import change_document

        write_json(change_document(edits, change, before, after, written))
    elif dry_run and not settings.quiet:
        say("Nothing was written (--dry-run).")


def _show(
    edits: Sequence[ManifestEdit],
    change: Difference,
    after: Ingest,
    settings: Settings,
    format: RecordFormat,
) -> None:
    if format.is_table():
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.sources.table import change_table

        change_table(edits, change, Labels(after), settings.console(), settings.verbose)
    else:
        from insomnia_skills.report.sources.plain import change_records

        write(change_records(change))


def _refuse(path: Path, error: ManifestEditError) -> NoReturn:
    place = f":{error.place}" if error.place else ""
    fail(f"{PathNames()(path)}{place}: {error}", error.help)


def _require_writable(edits: Sequence[ManifestEdit]) -> None:
    """End with exit code 74 where one can't be written, before there is a question."""
    name = PathNames()
    for path in (edit.path for edit in edits):
        real = Path(real_path(path))
        above = next(place for place in real.parents if os.path.lexists(place))
        if _is_on_read_only_disk(above):
            help_ = "mount it for writing, or name the directory for one run: --directory DIR"
            fail(f"can't write {name(path)}: its disk is read-only", help_, Exit.NO_OUTPUT)
        if os.path.exists(real) and not os.access(real, os.W_OK):
            fail(f"{name(path)} is read-only", "change its permissions", Exit.NO_OUTPUT)
        problem = f"can't write {name(path)}: {name(above)} is"
        if not os.path.isdir(above):
            fail(f"{problem} not a directory", "give that another name")
        if not os.access(above, os.W_OK | os.X_OK):
            help_ = "change the permissions of that directory"
            fail(f"{problem} read-only", help_, Exit.NO_OUTPUT)


def _is_on_read_only_disk(path: Path) -> bool:
    """Whether it is the file system, not a permission, that keeps all from writing."""
    try:
        return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _tell_of_new_roots(before: Ingest, after: Ingest, settings: Settings) -> None:
    """Say what is to be said of skills roots only after the edits."""
    known = {(d.rule, d.path, d.message) for d in before.root_diagnostics}
    tell_all(
        d
        for d in after.root_diagnostics
        if (d.rule, d.path, d.message) not in known and settings.shows(d.severity)
    )


def _ask() -> None:
    while True:
        try:
            answer = input("Write it? [Y/n] ").strip().lower()
        except EOFError:
            write([""])
            answer = "n"
        except KeyboardInterrupt:
            write([""])
            raise
        if answer in ("", "y", "yes"):
            return
        if answer in ("n", "no"):
            say("Nothing was written.")
            raise typer.Exit(Exit.NO)


def _write(edits: Sequence[ManifestEdit], quiet: bool) -> None:
    name = PathNames()
    with ending_in_order():
        for each in edits:
            try:
                write_edit(each)
            except ChangedError:
                say(f"error: {name(each.path)} has changed meanwhile, so it was left as it is")
                say("  help: run the command again")
                raise typer.Exit(Exit.NO) from None
            except OSError as error:
                fail(
                    f"can't write {name(each.path)}: {error.strerror or error}",
                    code=Exit.NO_OUTPUT,
                )
            if not quiet:
                say(f"Wrote {name(each.path)}")
