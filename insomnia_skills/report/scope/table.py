"""The read rules as a table."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from insomnia_skills.report.draw import draw, slug_text
from insomnia_skills.report.text import PathNames
from insomnia_skills.scope import ReadRule


def scope_table(rules: Iterable[ReadRule], name: PathNames, console: Console) -> None:
    """The read rules: what may be read, on whose behalf."""
    rows = [
        (
            slug_text(rule.slug),
            Text(rule.permission),
            Text(name(rule.target) + ("/**" if rule.recursive else "")),
        )
        for rule in rules
    ]
    draw(console, ("workflow", "permission", "target"), rows, flexible=2, fold=True)
