"""``insomnia-skills show``: what a Pod would be given when ``/<slug>`` is called."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    Settings,
    fail,
    finish,
    is_terminal,
    refuse_to_steer,
    say,
    tell,
    tell_all,
    with_settings,
    write,
    write_bytes,
    write_json,
)
from insomnia_skills.cli.copies import SourceOption, find_copy
from insomnia_skills.cli.paging import NoPagerOption, paged
from insomnia_skills.cli.slugs import SlugArgument, read_slug, say_absent

if TYPE_CHECKING:
    from insomnia_skills.invocation.preview import Preview
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.registry import Candidate


class ShowFormat(StrEnum):
    """How a Workflow is written; ``auto`` is a table on a terminal, else plain."""

    AUTO = "auto"
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    MARKDOWN = "markdown"

    def resolved(self) -> ShowFormat:
        """The format to write."""
        if self is not ShowFormat.AUTO:
            return self
        return ShowFormat.TABLE if is_terminal() else ShowFormat.PLAIN


@with_settings
def command(
    settings: Settings,
    slug: SlugArgument,
    as_invoked: Annotated[
        bool,
        typer.Option("--as-invoked", help="Write the messages that a Pod is given, and no more."),
    ] = False,
    mapping: Annotated[
        bool,
        typer.Option("--mapping", help="Show what the Workflow keeps, fixes or drops, and why."),
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write the body alone, byte for byte.")
    ] = False,
    source: SourceOption = None,
    no_pager: NoPagerOption = False,
    format: Annotated[
        ShowFormat,
        typer.Option(
            "--format", help="auto: a table on a terminal, plain when piped. markdown: to paste."
        ),
    ] = ShowFormat.AUTO,
) -> None:
    """Show a Workflow: its fields, its resources and its body."""
    from insomnia_skills.invocation.preview import load_preview
    from insomnia_skills.resolution.ladder import Outcome
    from insomnia_skills.workflow import FileChangedError

    _refuse_mixed(as_invoked, mapping, raw, format)
    slug = read_slug(slug)
    result = settings.ingest()
    tell(result, settings, errors_only=True)
    candidate = _find(result, slug) if source is None else find_copy(result, slug, source)
    try:
        shown = load_preview(result, candidate)
        if as_invoked:
            _write_messages(shown, result, no_pager, format)
        elif raw:
            refuse_to_steer(shown.body, "--raw")
            write_bytes(shown.body.encode())
        elif mapping:
            _write_mapping(shown, settings, no_pager, format)
        else:
            _write_all(shown, result, settings, no_pager, format)
    except FileChangedError as error:
        fail(str(error))
    if (as_invoked or mapping or raw) and not settings.quiet:
        from insomnia_skills.report.show.fields import notes

        for note in notes(shown, result):
            say(note)
    if shown.has_more and not settings.quiet:
        from insomnia_skills.limits import MAX_SKILL_FILES

        say(f"note: it has more than {MAX_SKILL_FILES:,} files and directories, not all are shown")
    if not (candidate.is_native and shown.outcome is Outcome.SKIPPED):  # those are told already
        tell_all(shown.diagnostics)
    finish(result)
    if shown.diagnostics:
        raise typer.Exit(Exit.NO)


def _refuse_mixed(as_invoked: bool, mapping: bool, raw: bool, format: ShowFormat) -> None:
    views = {"--as-invoked": as_invoked, "--mapping": mapping, "--raw": raw}
    asked = [view for view, given in views.items() if given]
    if len(asked) > 1:
        fail(f"{' and '.join(asked)} are different answers", "ask for one of them")
    possible = {"--as-invoked": ("auto", "plain", "json"), "--raw": ("auto",)}.get(
        "".join(asked), tuple(ShowFormat)
    )
    if format not in possible:
        others = ", ".join(possible[1:])
        fail(
            f"{asked[0]} has no format {format.value}",
            f"it has {others}" if others else "leave --format out: it is the file's own text",
        )


def _find(result: Ingest, slug: str) -> Candidate:
    """The copy that wins; ends with 1 where none does."""
    from insomnia_skills.resolution.ladder import build_ladder

    ladder = build_ladder(result, slug)
    if ladder.winner is None or ladder.winner.candidate is None:
        say_absent(ladder, result)
        raise typer.Exit(Exit.NO if result.manifest_readable else Exit.WRONG_QUESTION)
    return ladder.winner.candidate


def _write_all(
    shown: Preview, result: Ingest, settings: Settings, no_pager: bool, format: ShowFormat
) -> None:
    if format is ShowFormat.JSON:
        from insomnia_skills.report.show.json import show_document

        write_json(show_document(shown))
        return
    from insomnia_skills.report.show.fields import show_fields

    fields = show_fields(shown, result)
    with paged(no_pager):
        match format.resolved():
            case ShowFormat.TABLE:
                from insomnia_skills.report.show.table import show_panel

                show_panel(shown, fields, settings.console())
            case ShowFormat.MARKDOWN:
                from insomnia_skills.report.show.markdown import show_markdown

                write_bytes(show_markdown(shown, fields).encode("utf-8", "backslashreplace"))
            case _:
                from insomnia_skills.report.show.plain import show_lines

                write(show_lines(shown, fields))


def _write_mapping(shown: Preview, settings: Settings, no_pager: bool, format: ShowFormat) -> None:
    from insomnia_skills.invocation.mapping import map_fields

    mapped = map_fields(shown)
    if format is ShowFormat.JSON:
        from insomnia_skills.report.show.json import mapping_document

        write_json(mapping_document(shown, mapped))
        return
    with paged(no_pager):
        match format.resolved():
            case ShowFormat.TABLE:
                from insomnia_skills.report.show.table import mapping_table

                mapping_table(shown, mapped, settings.console())
            case ShowFormat.MARKDOWN:
                from insomnia_skills.report.show.markdown import mapping_markdown

                write_bytes(mapping_markdown(shown, mapped).encode("utf-8", "backslashreplace"))
            case _:
                from insomnia_skills.report.show.plain import mapping_lines

                write(mapping_lines(mapped))


def _write_messages(shown: Preview, result: Ingest, no_pager: bool, format: ShowFormat) -> None:
    """The messages; nothing where a Pod would not be given them all."""
    from insomnia_skills.invocation.messages import KnowledgeError, messages
    from insomnia_skills.resolution.ladder import Outcome

    if shown.outcome is Outcome.SKIPPED:
        return
    try:
        given = messages(shown.record, result.workspace.knowledge)
    except KnowledgeError as error:
        tell_all(error.diagnostics)
        say("Nothing is written: a part of the messages would be no preview of them.")
        raise typer.Exit(Exit.NO if result.manifest_readable else Exit.WRONG_QUESTION) from None
    if format is ShowFormat.JSON:
        from insomnia_skills.report.show.json import messages_document

        write_json(messages_document(shown, given))
        return
    text = "".join(f"{message.content}\n" for message in given)
    refuse_to_steer(text, "--as-invoked")
    with paged(no_pager):
        write_bytes(text.encode())
