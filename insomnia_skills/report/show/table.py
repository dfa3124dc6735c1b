"""One Workflow for a person: its fields, its resources, its body."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from insomnia_skills.report.markdown import OpenMarkdown
from insomnia_skills.report.show.fields import size_label
from insomnia_skills.report.text import one_line, safe
from insomnia_skills.resources import Resource
from insomnia_skills.workflow import WorkflowRecord

_MOST_RESOURCES = 20
_MOST_RENDERED = 64 * 1024
"""Beyond these characters a body is shown as it is: rendering a hostile one takes many seconds."""


def show_panel(
    record: WorkflowRecord,
    fields: Sequence[tuple[str, str]],
    resources: Sequence[Resource],
    body: str,
    console: Console,
) -> None:
    """The fields in a panel, the resources with their sizes, then the body as Markdown."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for field, value in fields:
        note = " (not enforced)" if field == "allowed-tools" else ""
        grid.add_row(field, Text(value + note))
    description = Text(safe(record.description.strip()), overflow="fold")
    slug = Text(f"/{record.slug}", "bold")
    fits = slug.cell_len + 6 <= console.width
    if not fits:
        console.print(slug, soft_wrap=True)
    content = Group(description, Text(), grid)
    title = slug if fits else None
    console.print(Panel(content, title=title, title_align="left", padding=(0, 1)))
    if resources:
        _print_resources(resources, console)
    if len(body) > _MOST_RENDERED:
        console.print(Text(f"The body has {len(body):,} characters, so it is not rendered.", "dim"))
        console.print(Text(safe(body)))
    else:
        console.print(OpenMarkdown(safe(body)))


def _print_resources(resources: Sequence[Resource], console: Console) -> None:
    table = Table(box=None, header_style="dim", padding=(0, 1))
    table.add_column("resource", overflow="fold")
    table.add_column("kind")
    table.add_column("size", justify="right", no_wrap=True)
    for resource in resources[:_MOST_RESOURCES]:
        note = "" if resource.readable else " (not readable: leads out of the skill)"
        size = size_label(resource.size)
        table.add_row(Text(one_line(resource.path) + note), resource.kind, size)
    more = len(resources) - _MOST_RESOURCES
    if more > 0:
        table.add_row(Text(f"and {more:,} more (--format json lists all)", "dim"), "", "")
    console.print(table)
    console.print()
