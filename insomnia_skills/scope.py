"""Scope: the read rules that ingested skills add to a Pod's."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from insomnia_skills.workflow import WorkflowRecord


@dataclass(frozen=True, slots=True)
class ReadRule:
    """Permission to read a skill directory and all below it.

    ``target`` is absolute and free of symlinks, since a Pod compares paths after resolving them.
    """

    slug: str
    target: Path
    permission: str = "read"
    recursive: bool = True


def scope_rules(workflows: Iterable[WorkflowRecord]) -> tuple[ReadRule, ...]:
    """One rule for each ingested skill (ticket: scripts / references / assets).

    A native Workflow is one file that the Pod knows already; it adds no rule.
    """
    return tuple(
        ReadRule(record.slug, Path(os.path.realpath(record.directory)))
        for record in workflows
        if record.directory is not None
    )


def is_readable(path: str | os.PathLike[str], rules: Iterable[ReadRule]) -> ReadRule | None:
    """The first rule that lets a Pod read ``path``, after resolving its symlinks; or None."""
    real = Path(os.path.realpath(path))
    return next((rule for rule in rules if real.is_relative_to(rule.target)), None)
