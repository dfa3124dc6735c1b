"""``insomnia-skills show``: what a Pod would be given when ``/<slug>`` is called."""

from __future__ import annotations

from typing import Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    Settings,
    fail,
    finish,
    is_terminal,
    say,
    with_settings,
    write,
    write_bytes,
    write_json,
)
from insomnia_skills.cli.list import FormatOption, RecordFormat
from insomnia_skills.cli.slugs import complete_slug


@with_settings
def show(
    settings: Settings,
    slug: Annotated[
        str,
        typer.Argument(
            metavar="/SLUG",
            help="The Workflow to show; the slash may be left out.",
            autocompletion=complete_slug,
        ),
    ],
    raw: Annotated[
        bool, typer.Option("--raw", help="Write the body alone, byte for byte.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Show a Workflow: its fields, its resources and its body."""
    from insomnia_skills.diagnostic import Severity
    from insomnia_skills.ladder import build_ladder
    from insomnia_skills.report.text import PathNames, safe
    from insomnia_skills.resources import list_resources
    from insomnia_skills.workflow import FileChangedError, load_body, missing_knowledge

    result = settings.ingest()
    name = PathNames()
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    settings.tell(errors, name)
    record = result.find(slug)
    if record is None:
        ladder = build_ladder(result, slug)
        near = ", ".join(f"/{other}" for other in ladder.near)
        broken = any(rung.candidate for rung in ladder.rungs)
        say(
            f"No workflow is called /{ladder.slug}."
            + (f" Nearest: {near}" if near else "")
            + (f" A copy is broken: insomnia-skills resolve /{ladder.slug}" if broken else "")
        )
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
            from insomnia_skills.report.json import show_document

            write_json(show_document(record, body, resources, missing))
        else:
            from insomnia_skills.report.fields import show_fields

            shown = show_fields(record, resources, result, name)
            if format.is_table():
                from insomnia_skills.report.show import show_panel

                show_panel(record, shown, resources, body, settings.console())
            else:
                from insomnia_skills.report.plain import show_lines

                write(show_lines(record, shown, resources, body))
    settings.tell(missing, name)
    finish(result)
    if missing:
        raise typer.Exit(Exit.NO)
