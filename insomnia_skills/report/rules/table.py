"""The rules as a table."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from insomnia_skills.report.diagnostics import STYLES
from insomnia_skills.report.draw import Row, draw
from insomnia_skills.report.rules.text import prose
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import theme_of


def rules_table(rules: Iterable[Rule[..., Any]], console: Console) -> None:
    """The rules by theme: name, severity, what kind of fix there is, and what each finds."""
    rows: list[Row] = []
    stacks: list[Row] = []
    for theme, of_theme in groupby(rules, theme_of):
        title = Text(f"\n{theme}", "bold")
        rows.append((title, Text(), Text(), Text()))
        stacks.append((title,))
        for rule in of_theme:
            severity = Text(rule.severity.value, STYLES[rule.severity])
            fix, summary = Text(rule.fix or ""), Text(prose(rule.summary))
            rows.append((Text(rule.name), severity, fix, summary))
            kind = Text.assemble(severity, f", {fix.plain} fix" if rule.fix else "")
            stacks.append((Text(rule.name), kind, summary))
    draw(console, ("rule", "severity", "fix", "finds"), rows, flexible=3, fold=True, stacks=stacks)
