"""One rule a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from insomnia_skills.report.plain import record_line
from insomnia_skills.report.rules.text import prose
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import theme_of


def rules_records(rules: Iterable[Rule[..., Any]]) -> Iterator[str]:
    """name, severity, kind of fix or nothing, theme, summary."""
    for rule in rules:
        fields = (rule.name, rule.severity.value, rule.fix or "", theme_of(rule))
        yield record_line(*fields, prose(rule.summary))
