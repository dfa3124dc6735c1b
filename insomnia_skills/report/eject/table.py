"""What became of a skill, for a person: the file, what it shadows and loses, what comes next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.text import Text

from insomnia_skills.edit.eject import Ejection
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.commands import show_command
from insomnia_skills.report.draw import heading, next_steps, print_wrapped
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.objects import encode
from insomnia_skills.report.text import one_line, path_text, path_word, plural, safe
from insomnia_skills.yaml.node import Plain

_MOST = 20
_LONGEST_VALUE = 60
_WIDEST = 24


def eject_table(ejection: Ejection, result: Ingest, console: Console, dry_run: bool) -> None:
    """What was written, or with ``dry_run`` the text that would be; then what follows from it."""
    labels = Labels(result)
    name, skill = labels.name, ejection.skill
    verb = "Replaced" if ejection.before is not None else "Wrote"
    if dry_run:
        verb = "Would replace" if ejection.before is not None else "Would write"
    line = Text.assemble(f"{verb} ", (name(ejection.path), "bold"))
    console.print(line.append(f", from {name(skill.path)}"), soft_wrap=True)
    if dry_run:
        console.print()
        console.print(Text(safe(ejection.text).removesuffix("\n")), soft_wrap=True)
    heading(console, f"/{skill.slug} shadows from now on")
    _list(console, _aligned((c.source.kind.label, name(c.path)) for c in ejection.shadows))
    if ejection.dropped:
        heading(console, "A native Workflow does not keep")
        fields = ejection.dropped.items()
        _list(console, _aligned((one_line(field), _value(value)) for field, value in fields))
    if ejection.resources:
        count = plural(len(ejection.resources), "file")
        heading(console, f"No longer in the Scope: {count} in {name(skill.path.parent)}")
        _list(console, [path_text(file.path) for file in ejection.resources])
    if ejection.links:
        heading(console, "Leads nowhere from there")
        _list(console, [f"line {link.line}: {one_line(link.path)}" for link in ejection.links])
    if not dry_run:
        console.print()
        next_steps(console, _steps(ejection, result, labels.name))


def _steps(
    ejection: Ejection, result: Ingest, name: Callable[[Path], str]
) -> Iterator[tuple[str, str]]:
    yield "edit", name(ejection.path)
    yield "preview", show_command(ejection.skill.slug, result, name)
    if ejection.before is None:  # else removing it would not bring back what was there
        yield "undo", f"rm {path_word(name(ejection.path))}"


def _value(value: Plain) -> str:
    text = one_line(value if isinstance(value, str) else encode(value, indent=None))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _aligned(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """What is said of each of several things, in a column of its own."""
    pairs = list(pairs)
    width = min(max(len(first) for first, _ in pairs), _WIDEST)
    return [f"{first:<{width}}  {second}" for first, second in pairs]


def _list(console: Console, lines: Iterable[str]) -> None:
    """Lines with an indent; of very many the first ones."""
    lines = list(lines)
    for line in islice(lines, _MOST):
        print_wrapped(console, Text(line), indent=2)
    if len(lines) > _MOST:
        print_wrapped(console, Text(f"and {len(lines) - _MOST:,} more (--format json has all)"), 2)
