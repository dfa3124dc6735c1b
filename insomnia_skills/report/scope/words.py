"""What rules and answers are called."""

from __future__ import annotations

from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import PathNames, one_line
from insomnia_skills.scope import Escape, PathCheck, ReadRule, Refused


def slugs_text(rule: ReadRule) -> str:
    """The slugs that a rule serves, as they are called."""
    return " ".join(f"/{one_line(slug)}" for slug in rule.slugs)


def target_text(rule: ReadRule, name: PathNames) -> str:
    """What a rule covers, as a pattern."""
    target = name(rule.target)
    return target.rstrip("/") + "/**" if rule.recursive else target


def escape_text(escape: Escape, name: PathNames) -> str:
    """That a file of a skill can't be read, in one line."""
    return f"not readable: {name(escape.path)} leads to {name(escape.target)}, which no rule covers"


def reason_text(check: PathCheck, result: Ingest, labels: Labels) -> str:
    """Why a path is readable or not, in one line."""
    parts = [_decisive(check, result, labels)]
    if check.led_elsewhere:
        parts.insert(0, f"leads to {labels.name(check.place.real or '')}")
    if not check.place.exists and check.refused is not Refused.NOWHERE:
        parts.append("nothing is there")
    return "; ".join(parts)


def _decisive(check: PathCheck, result: Ingest, labels: Labels) -> str:
    if check.rule is not None:
        rule = check.rule
        return f"by {slugs_text(rule)}: {rule.permission} {target_text(rule, labels.name)}"
    if check.refused is Refused.NOWHERE:
        return "no path has a NUL in it" if "\0" in str(check.path) else "its links go in a circle"
    holder = check.holder
    if holder is None:
        return "no rule covers it"
    copy = f"{labels.source(holder.source)}/{one_line(holder.slug)}"
    if check.refused is Refused.SKIPPED:
        return f"{copy} is skipped: {one_line(holder.fault)}"
    winner = result.find(holder.slug)
    if check.refused is Refused.SHADOWED and winner is not None:
        by = "the native workflow" if winner.directory is None else labels.record(winner)
        return f"{copy} is shadowed by {by}"
    return "a native workflow adds no rule"
