"""``insomnia-skills show``: what a Pod would be given when ``/<slug>`` is called."""

from __future__ import annotations

from typing import Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    FormatOption,
    RecordFormat,
    Settings,
    fail,
    finish,
    is_terminal,
    say,
    tell,
    tell_all,
    with_settings,
    write,
    write_bytes,
    write_json,
)
from insomnia_skills.cli.slugs import SlugArgument, no_such_workflow, read_slug


@with_settings
def command(
    settings: Settings,
    slug: SlugArgument,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write the body alone, byte for byte.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Show a Workflow: its fields, its resources and its body."""
    from insomnia_skills.ladder import build_ladder
    from insomnia_skills.report.text import safe
    from insomnia_skills.resources import list_resources
    from insomnia_skills.workflow import FileChangedError, load_body, missing_knowledge

    slug = read_slug(slug)
    result = settings.ingest()
    tell(result, settings, errors_only=True)
    record = result.find(slug)
    if record is None:
        say(no_such_workflow(build_ladder(result, slug), result))
        raise typer.Exit(Exit.NO if result.manifest_readable else Exit.WRONG_QUESTION)
    try:
        body = load_body(record)
    except FileChangedError as error:
        fail(str(error))
    missing = missing_knowledge(record, result.workspace.knowledge)
    if raw:
        if is_terminal() and safe(body) != body.replace("\r\n", "\n"):
            fail(
                "the body has control characters that a terminal would act on",
                f"send it elsewhere: insomnia-skills show /{record.slug} --raw | less",
            )
        write_bytes(body.encode())
    else:
        resources = list_resources(record.directory) if record.directory else []
        if format is RecordFormat.JSON:
            from insomnia_skills.report.show.json import show_document

            write_json(show_document(record, body, resources, missing))
        else:
            from insomnia_skills.report.show.fields import show_fields

            shown = show_fields(record, resources, result)
            if format.is_table():
                from insomnia_skills.report.show.table import show_panel

                show_panel(record, shown, resources, body, settings.console())
            else:
                from insomnia_skills.report.show.plain import show_lines

                write(show_lines(record, shown, resources, body))
    tell_all(missing)
    finish(result)
    if missing:
        raise typer.Exit(Exit.NO)
