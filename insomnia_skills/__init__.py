"""Ingest Agent Skills (``SKILL.md``) as insomnia Workflows.

`ingest` reads everything a workspace configures; `check_paths` judges files on their own. Both
return immutable records and never print, exit or raise for bad input.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from insomnia_skills.check import (
        Check,
        CheckedFile,
        NotCheckableError,
        check_paths,
        check_workspace,
    )
    from insomnia_skills.diagnostic import Diagnostic, Severity
    from insomnia_skills.ladder import Ladder, build_ladder
    from insomnia_skills.pipeline import Ingest, ingest
    from insomnia_skills.registry import Candidate, Relation, Shadow
    from insomnia_skills.resources import Resource, list_resources
    from insomnia_skills.scope import ReadRule, is_readable, scope_rules
    from insomnia_skills.skill import SkillRecord, read_skill
    from insomnia_skills.sources import Source, SourceKind
    from insomnia_skills.workflow import WorkflowRecord, load_body, workflow_from_skill

__version__ = "0.1.0"

_EXPORTS = {
    "check": ("Check", "CheckedFile", "NotCheckableError", "check_paths", "check_workspace"),
    "diagnostic": ("Diagnostic", "Severity"),
    "ladder": ("Ladder", "build_ladder"),
    "pipeline": ("Ingest", "ingest"),
    "registry": ("Candidate", "Relation", "Shadow"),
    "resources": ("Resource", "list_resources"),
    "scope": ("ReadRule", "is_readable", "scope_rules"),
    "skill": ("SkillRecord", "read_skill"),
    "sources": ("Source", "SourceKind"),
    "workflow": ("WorkflowRecord", "load_body", "workflow_from_skill"),
}
_HOME = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = [
    "Candidate",
    "Check",
    "CheckedFile",
    "Diagnostic",
    "Ingest",
    "Ladder",
    "NotCheckableError",
    "ReadRule",
    "Relation",
    "Resource",
    "Severity",
    "Shadow",
    "SkillRecord",
    "Source",
    "SourceKind",
    "WorkflowRecord",
    "build_ladder",
    "check_paths",
    "check_workspace",
    "ingest",
    "is_readable",
    "list_resources",
    "load_body",
    "read_skill",
    "scope_rules",
    "workflow_from_skill",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that a start pays only for its own."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
