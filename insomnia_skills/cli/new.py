"""``insomnia-skills new``: write a skill to begin with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    FormatOption,
    RecordFormat,
    Settings,
    ending_in_order,
    fail,
    say,
    tell_all,
    with_settings,
    write,
    write_json,
)
from insomnia_skills.cli.completing import complete_directory
from insomnia_skills.cli.slugs import refuse_made_path
from insomnia_skills.report.text import PathNames, path_text, path_word
from insomnia_skills.workspace import real_path

if TYPE_CHECKING:
    from insomnia_skills.edit.new import Draft
    from insomnia_skills.pipeline import Ingest


def complete_part(incomplete: str) -> Iterator[str]:
    """The directories of a skill, those that are not named yet before the last comma."""
    from insomnia_skills.edit.new import PARTS

    before = incomplete[: incomplete.rfind(",") + 1]
    return (before + part for part in PARTS if part not in before.split(","))


@with_settings
def command(
    settings: Settings,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The skill's name and directory, with or without a slash before."
        ),
    ],
    root: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="DIR",
            help="The directory of skills to write it into. Default: the first one that the "
            "workspace's manifest names.",
            autocompletion=complete_directory,
        ),
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="PART,...",
            help="Begin these directories too: scripts, references, assets.",
            autocompletion=complete_part,
        ),
    ] = None,
    description: Annotated[
        str | None,
        typer.Option(
            "--description",
            metavar="TEXT",
            help="What it does and when to use it. Default: a text that asks its author for that.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")
    ] = False,
    format: FormatOption = RecordFormat.AUTO,
) -> None:
    """Write a skill to begin with, valid as it is."""
    from insomnia_skills.edit.new import DraftError, draft_skill, write_skill

    chosen = _read_parts(parts or ())
    _require_name(name, root)
    result = settings.ingest()
    place = _named_root(result) if root is None else _given_root(root)
    try:
        draft = draft_skill(place, name.lstrip("/"), chosen, description)
    except DraftError as error:
        fail(str(error), error.help)
    if os.path.lexists(draft.directory):
        _refuse(draft)
    if not dry_run:
        try:
            with ending_in_order():
                write_skill(draft)
        except FileExistsError:
            _refuse(draft)
        except OSError as error:
            say(
                f"error: {PathNames()(draft.directory)} can't be written: {error.strerror or error}"
            )
            raise typer.Exit(Exit.NO_OUTPUT) from None
    _report(draft, result, settings, format, dry_run)


def _read_parts(given: list[str] | tuple[()]) -> list[str]:
    from insomnia_skills.edit.new import PARTS

    parts = [part.strip().rstrip("/") for item in given for part in item.split(",")]
    for part in parts:
        if part not in PARTS:
            what = f'a skill has no "{part}"' if part else "a name is empty"
            fail(f"--with: {what}", f"it may have {', '.join(PARTS)}")
    return parts


def _require_name(name: str, root: str | None) -> None:
    """End with exit code 2 where the name is the path of the directory that is meant."""
    from insomnia_skills.rules.name import is_slug

    refuse_made_path(name)
    parts = name.replace(os.sep, "/")
    place, _, last = parts.rstrip("/").rpartition("/")
    if "/" in parts.lstrip("/") and is_slug(last):
        place = os.path.join(root or "", place)
        words = ("insomnia-skills new", last, *(("--in", path_word(place)) if place else ()))
        fail(f'"{path_text(name)}" is a path, and a name has no slash in it', " ".join(words))


def _named_root(result: Ingest) -> Path:
    """The first skills root of the workspace's manifest that is there or can be made; or ends."""
    from insomnia_skills.edit.new import first_root

    manifest = result.manifests[0]
    if not manifest.readable:
        tell_all(manifest.diagnostics)
        fail("where to write it is not known: the manifest can't be read", "say it: --in DIR")
    root = first_root(result)
    if root is None:
        user = ""
        if result.config_dir is not None:
            place = path_word(PathNames()(result.config_dir / "skills"))
            user = f", or --in {place} for all your workspaces"
        why = (
            "names no directory of skills that is there"
            if manifest.entries
            else "names no directory of skills"
        )
        fail(
            f"where to write it is not known: {PathNames()(manifest.path)} {why}",
            f"say it: --in .claude/skills{user}",
        )
    top, real = result.workspace.root, Path(real_path(root))
    if root.is_relative_to(top) and not real.is_relative_to(real_path(top)):
        name = PathNames()
        fail(
            f"{name(root)} leads out of the workspace, to {name(real)}",
            f"if that is meant, name it: --in {path_word(name(real))}",
        )
    return root


def _given_root(given: str) -> Path:
    """The directory of ``--in``, which need not be there; ends with 2 where it can't be one."""
    from insomnia_skills.sources import NOT_THERE, check_root, expand
    from insomnia_skills.workspace import absolute_path

    if not given:
        fail("--in names no directory")
    root = absolute_path(given)
    finding, absent = check_root(root)
    if finding is not None:
        fail(f"--in: {finding.message}", finding.help)
    if absent == NOT_THERE and given.startswith("~") and (meant := expand(given)):
        fail(f'--in: no directory is called "{given}"', f'write it out: "{meant}"')
    return root


def _refuse(draft: Draft) -> None:
    say(f"{PathNames()(draft.directory)} is there already, and stays as it is")
    say("  help: take another name, or another directory with --in DIR")
    raise typer.Exit(Exit.NO)


def _report(
    draft: Draft, result: Ingest, settings: Settings, format: RecordFormat, dry_run: bool
) -> None:
    from insomnia_skills.edit.new import judge_draft, standing

    diagnostics = judge_draft(draft)
    place = standing(draft, result)
    if format is RecordFormat.JSON:
        from insomnia_skills.report.new.json import new_document

        write_json(new_document(draft, place, diagnostics, written=not dry_run))
        return
    if format.is_table():
        from insomnia_skills.report.new.table import new_tree

        new_tree(draft, place, result, settings.console(), dry_run)
    else:
        write(path_text(draft.directory / file.path) for file in draft.files)
        if not place.is_named and not settings.quiet:
            from insomnia_skills.report.commands import add_command

            advice = add_command(draft.directory.parent, result, PathNames())
            say(f"No manifest names this directory: {advice}")
    tell_all(d for d in diagnostics if settings.shows(d.severity))
