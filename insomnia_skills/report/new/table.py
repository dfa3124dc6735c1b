"""A new skill for a person: what was written, who has its slug, and what comes next."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from insomnia_skills.edit.new import Draft, Standing
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.commands import add_command, show_command
from insomnia_skills.report.draw import dim, next_steps, print_wrapped
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import path_word, safe
from insomnia_skills.sources import SKILL_FILE

_UNDESCRIBED = "its description first: until then it tells a model to leave it alone"


def new_tree(
    draft: Draft, standing: Standing, result: Ingest, console: Console, dry_run: bool
) -> None:
    """The files as a tree; with ``dry_run`` their texts too, else what comes next."""
    labels = Labels(result)
    directory = labels.name(draft.directory)
    say = "Would write" if dry_run else "Wrote"
    console.print(Text.assemble(f"{say} ", (f"{directory}/", "bold")), soft_wrap=True)
    for number, file in enumerate(draft.files, start=1):
        guide = "└ " if number == len(draft.files) else "├ "
        note = "  executable" if file.executable else ""
        console.print(Text.assemble((guide, "dim"), file.path, (note, "dim")), soft_wrap=True)
    console.print()
    print_wrapped(console, Text(_standing(draft, standing, labels)))
    if dry_run:
        for file in draft.files:
            console.print()
            console.print(dim(file.path), soft_wrap=True)
            console.print(Text(safe(file.data.decode()).rstrip("\n")), soft_wrap=True)
        return
    steps = [("edit", labels.name(draft.directory / SKILL_FILE))]
    if not draft.described:
        steps.append(("", _UNDESCRIBED))
    steps.append(("check", f"insomnia-skills validate {path_word(directory)}"))
    if not standing.is_named:
        steps.append(("name", add_command(draft.directory.parent, result, labels.name)))
    if standing.winner is None:
        steps.append(("preview", show_command(draft.slug, result, labels.name)))
    elif standing.source is not None:
        source = ("--source", standing.source.rank)
        steps.append(("preview", show_command(draft.slug, result, labels.name, *source)))
    next_steps(console, steps)


def _standing(draft: Draft, standing: Standing, labels: Labels) -> str:
    """Who has the slug, and who loses it."""
    slug = f"/{draft.slug}"
    parts = []
    if standing.winner is not None:
        parts.append(f"{slug} calls another copy: {labels.record(standing.winner)}.")
    elif standing.shadows:
        losers = ", ".join(map(labels.record, standing.shadows))
        parts.append(f"{slug} is this one from now on, and shadows {losers}.")
    elif standing.source is not None:
        parts.append(f"{slug} has no other copy.")
    if not standing.is_named:
        parts.append("No manifest names this directory, so no Pod reads what is in it.")
    return " ".join(parts)
