"""The JSON document of `rules` and `explain`; ``schemas/rules.schema.json`` describes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insomnia_skills.report.objects import VERSION
from insomnia_skills.report.rules.text import prose
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import theme_of


def rules_document(rules: Iterable[Rule[..., Any]]) -> dict[str, Any]:
    """The document of `rules` and `explain`."""
    return {
        "version": VERSION,
        "rules": [
            {
                "name": rule.name,
                "severity": rule.severity.value,
                "theme": theme_of(rule),
                "summary": prose(rule.summary),
                "why": prose(rule.why),
                "source": rule.source,
                "fix": rule.fix,
                "fails": rule.fails,
                "passes": rule.passes,
            }
            for rule in rules
        ],
    }
