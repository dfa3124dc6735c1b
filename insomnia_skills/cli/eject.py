"""``insomnia-skills eject``: make a skill a native Workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    FormatOption,
    RecordFormat,
    Settings,
    ending_in_order,
    fail,
    refuse_to_steer,
    say,
    tell,
    tell_all,
    tell_of_new_workspace,
    with_settings,
    write,
    write_bytes,
    write_json,
)
from insomnia_skills.cli.copies import SourceOption, find_copy
from insomnia_skills.cli.slugs import SlugArgument, read_slug, say_absent
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.text import PathNames

if TYPE_CHECKING:
    from insomnia_skills.edit.eject import Ejection
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.workflow import WorkflowRecord


@with_settings
def command(
    settings: Settings,
    slug: SlugArgument,
    source: SourceOption = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the native Workflow of that slug, if there is one."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Write a skill as a native Workflow, to be edited in the workspace."""
    from insomnia_skills.edit.eject import EjectError, plan_eject
    from insomnia_skills.resolution.ladder import build_ladder
    from insomnia_skills.workflow import FileChangedError

    slug = read_slug(slug)
    result = settings.ingest()
    tell(result, settings, errors_only=True)
    if any(d.severity is Severity.ERROR for m in result.manifests for d in m.diagnostics):
        fail(f"which copies of /{slug} there are is not known", "mend the manifest first")
    skill = None if source is None else _find_skill(result, slug, source)
    try:
        ejection = plan_eject(result, slug, force, skill=skill, name=PathNames())
    except EjectError as error:
        say(f"error: {error}")
        if error.help:
            say(f"  help: {error.help}")
        raise typer.Exit(Exit.NO) from None
    except FileChangedError as error:
        fail(str(error))
    if ejection is None:
        say_absent(build_ladder(result, slug), result)
        raise typer.Exit(Exit.NO)
    if not settings.quiet:
        tell_of_new_workspace(result.workspace, settings)
    if not dry_run:
        _write(ejection)
    _report(ejection, result, settings, format, dry_run)


def _find_skill(result: Ingest, slug: str, source: str) -> WorkflowRecord:
    """The copy that a source has; ends with 1 where that is broken, or native already."""
    copy = find_copy(result, slug, source)
    if copy.is_native:
        say(
            f"error: the copy of this source is a native Workflow already: {PathNames()(copy.path)}"
        )
        raise typer.Exit(Exit.NO)
    if copy.record is None:
        tell_all(d for d in copy.diagnostics if d.severity is Severity.ERROR)
        raise typer.Exit(Exit.NO)
    return copy.record


def _write(ejection: Ejection) -> None:
    from insomnia_skills.edit.eject import write_ejection
    from insomnia_skills.edit.write import ChangedError

    name = PathNames()(ejection.path)
    try:
        with ending_in_order():
            write_ejection(ejection)
    except (ChangedError, FileExistsError):
        say(f"error: {name} has just been changed by something else; run it again")
        raise typer.Exit(Exit.NO) from None
    except OSError as error:
        say(f"error: {name} can't be written: {error.strerror or error}")
        raise typer.Exit(Exit.NO_OUTPUT) from None


def _report(
    ejection: Ejection, result: Ingest, settings: Settings, format: RecordFormat, dry_run: bool
) -> None:
    if format is RecordFormat.JSON:
        from insomnia_skills.report.eject.json import eject_document

        write_json(eject_document(ejection, written=not dry_run))
    elif format.is_table():
        from insomnia_skills.report.eject.table import eject_table

        eject_table(ejection, result, settings.console(), dry_run)
    elif dry_run:
        refuse_to_steer(ejection.text, "--format plain")
        write_bytes(ejection.text.encode())
    else:
        from insomnia_skills.report.eject.plain import eject_records

        write(eject_records(ejection))
