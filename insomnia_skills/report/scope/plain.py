"""One read rule a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from insomnia_skills.report.plain import record_line
from insomnia_skills.scope import ReadRule


def scope_records(rules: Iterable[ReadRule]) -> Iterator[str]:
    """permission, target with ``/**`` where it is recursive, slug."""
    for rule in rules:
        yield record_line(
            rule.permission, rule.target / "**" if rule.recursive else rule.target, rule.slug
        )
