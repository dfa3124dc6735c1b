"""Ingest Agent Skills (``SKILL.md``) as insomnia Workflows.

`ingest` reads everything a workspace configures; `check_paths` judges files on their own. Both
return immutable records and never print, exit or raise for bad input.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from insomnia_skills.baseline import Baseline, BaselineError, load_baseline
    from insomnia_skills.catalogue import CATALOGUE
    from insomnia_skills.check import (
        Check,
        CheckedFile,
        FileKind,
        NotCheckableError,
        check_file,
        check_paths,
        check_workspace,
    )
    from insomnia_skills.choice import Choice, choose
    from insomnia_skills.config import Config, ConfigError, find_config
    from insomnia_skills.diagnostic import Diagnostic, Fix, Severity
    from insomnia_skills.edit.fixes import Change, Refusal, apply_change, plan_fixes
    from insomnia_skills.fingerprint import fingerprints
    from insomnia_skills.ladder import Ladder, build_ladder
    from insomnia_skills.pipeline import Ingest, ingest
    from insomnia_skills.registry import Candidate, Relation, Shadow
    from insomnia_skills.resources import Resource, list_resources
    from insomnia_skills.rule import Rule
    from insomnia_skills.scope import ReadRule, is_readable, scope_rules
    from insomnia_skills.skill import SkillRecord, read_skill
    from insomnia_skills.sources import Source, SourceKind
    from insomnia_skills.workflow import WorkflowRecord, load_body, workflow_from_skill

__version__ = "0.1.0"

_EXPORTS = {
    "baseline": ("Baseline", "BaselineError", "load_baseline"),
    "catalogue": ("CATALOGUE",),
    "check": (
        "Check",
        "CheckedFile",
        "FileKind",
        "NotCheckableError",
        "check_file",
        "check_paths",
        "check_workspace",
    ),
    "choice": ("Choice", "choose"),
    "config": ("Config", "ConfigError", "find_config"),
    "diagnostic": ("Diagnostic", "Fix", "Severity"),
    "edit.fixes": ("Change", "Refusal", "apply_change", "plan_fixes"),
    "fingerprint": ("fingerprints",),
    "ladder": ("Ladder", "build_ladder"),
    "pipeline": ("Ingest", "ingest"),
    "registry": ("Candidate", "Relation", "Shadow"),
    "resources": ("Resource", "list_resources"),
    "rule": ("Rule",),
    "scope": ("ReadRule", "is_readable", "scope_rules"),
    "skill": ("SkillRecord", "read_skill"),
    "sources": ("Source", "SourceKind"),
    "workflow": ("WorkflowRecord", "load_body", "workflow_from_skill"),
}
_HOME = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = [
    "CATALOGUE",
    "Baseline",
    "BaselineError",
    "Candidate",
    "Change",
    "Check",
    "CheckedFile",
    "Choice",
    "Config",
    "ConfigError",
    "Diagnostic",
    "FileKind",
    "Fix",
    "Ingest",
    "Ladder",
    "NotCheckableError",
    "ReadRule",
    "Refusal",
    "Relation",
    "Resource",
    "Rule",
    "Severity",
    "Shadow",
    "SkillRecord",
    "Source",
    "SourceKind",
    "WorkflowRecord",
    "apply_change",
    "build_ladder",
    "check_file",
    "check_paths",
    "check_workspace",
    "choose",
    "find_config",
    "fingerprints",
    "ingest",
    "is_readable",
    "list_resources",
    "load_baseline",
    "load_body",
    "plan_fixes",
    "read_skill",
    "scope_rules",
    "workflow_from_skill",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that a start pays only for its own."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
