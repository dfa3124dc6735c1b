"""One read rule, or one answer, a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from insomnia_skills.report.plain import record_line
from insomnia_skills.scope import PathCheck, ReadRule


def scope_records(rules: Iterable[ReadRule]) -> Iterator[str]:
    """permission, target with ``/**`` where it is recursive, slugs with blanks between them."""
    for rule in rules:
        yield record_line(rule.permission, _covered(rule), " ".join(rule.slugs))


def check_records(checks: Iterable[PathCheck]) -> Iterator[str]:
    """``readable`` or ``not-readable``, path, real place, slugs, reason, and where that lies.

    The reason is ``rule``, and then comes what the rule covers; or it is the word for what is in
    the way, and then comes the copy that the path belongs to.
    """
    for check in checks:
        real = check.place.real or ""
        if check.rule is not None:
            slugs = " ".join(check.rule.slugs)
            yield record_line("readable", check.path, real, slugs, "rule", _covered(check.rule))
        else:
            holder = check.holder
            slug, path = (holder.slug, holder.path) if holder else ("", "")
            reason = check.refused.value if check.refused else ""
            yield record_line("not-readable", check.path, real, slug, reason, path)


def _covered(rule: ReadRule) -> Path:
    return rule.target / "**" if rule.recursive else rule.target
