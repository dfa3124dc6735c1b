"""Ingest Agent Skills (``SKILL.md``) as insomnia Workflows.

`ingest` reads everything a workspace configures; `check_paths` judges files on their own. Both
return immutable records and never print, exit or raise for bad input.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from insomnia_skills.cache import Cache
    from insomnia_skills.checking.baseline import Baseline, BaselineError, load_baseline
    from insomnia_skills.checking.check import (
        Check,
        CheckedFile,
        FileKind,
        NotCheckableError,
        check_file,
        check_paths,
        check_workspace,
        judge_paths,
    )
    from insomnia_skills.checking.choice import Choice, choose
    from insomnia_skills.checking.config import Config, ConfigError, find_config
    from insomnia_skills.checking.fingerprint import fingerprints
    from insomnia_skills.checking.merge import MergeError, load_result, merge
    from insomnia_skills.checking.shard import Shard, read_shard
    from insomnia_skills.clients.data import CLIENTS, Client
    from insomnia_skills.clients.discover import ClientRoot, Discovery, discover_roots
    from insomnia_skills.diagnostic import Diagnostic, Fix, Severity
    from insomnia_skills.edit.eject import EjectError, Ejection, plan_eject, write_ejection
    from insomnia_skills.edit.entries import entry_for, find_entries
    from insomnia_skills.edit.fixes import Change, Refusal, apply_change, plan_fixes
    from insomnia_skills.edit.manifest import (
        ManifestEdit,
        ManifestEditError,
        ManifestText,
        add_entries,
        move_entry,
        read_manifest,
        remove_entries,
        write_edit,
    )
    from insomnia_skills.edit.new import Draft, DraftError, draft_skill, write_skill
    from insomnia_skills.invocation.catalog import Catalog, CatalogEntry, build_catalog, catalog_xml
    from insomnia_skills.invocation.mapping import Fate, Mapped, map_fields
    from insomnia_skills.invocation.messages import KnowledgeError, Message, messages
    from insomnia_skills.invocation.preview import Preview, load_preview
    from insomnia_skills.invocation.tokens import estimate_tokens
    from insomnia_skills.judged import SkillRecord
    from insomnia_skills.pipeline import Ingest, ingest
    from insomnia_skills.reading import Reader
    from insomnia_skills.registry import Candidate, Relation, Shadow
    from insomnia_skills.resolution.absence import Absence, explain_absence
    from insomnia_skills.resolution.comparison import Comparison, compare
    from insomnia_skills.resolution.difference import Difference, find_difference
    from insomnia_skills.resolution.ladder import Ladder, build_ladder
    from insomnia_skills.resources import Resource, list_resources
    from insomnia_skills.rule import Rule
    from insomnia_skills.rules.catalogue import CATALOGUE
    from insomnia_skills.scope import (
        Escape,
        PathCheck,
        ReadRule,
        check_readable,
        find_escapes,
        is_readable,
        scope_rules,
    )
    from insomnia_skills.skill import read_skill
    from insomnia_skills.sources import Source, SourceKind
    from insomnia_skills.workflow import WorkflowRecord, load_body, workflow_from_skill

__version__ = "0.1.0"

_EXPORTS = {
    "resolution.absence": ("Absence", "explain_absence"),
    "cache": ("Cache",),
    "checking.baseline": ("Baseline", "BaselineError", "load_baseline"),
    "invocation.catalog": ("Catalog", "CatalogEntry", "build_catalog", "catalog_xml"),
    "checking.check": (
        "Check",
        "CheckedFile",
        "FileKind",
        "NotCheckableError",
        "check_file",
        "check_paths",
        "check_workspace",
        "judge_paths",
    ),
    "checking.choice": ("Choice", "choose"),
    "clients.data": ("CLIENTS", "Client"),
    "resolution.comparison": ("Comparison", "compare"),
    "checking.config": ("Config", "ConfigError", "find_config"),
    "diagnostic": ("Diagnostic", "Fix", "Severity"),
    "resolution.difference": ("Difference", "find_difference"),
    "clients.discover": ("ClientRoot", "Discovery", "discover_roots"),
    "edit.eject": ("EjectError", "Ejection", "plan_eject", "write_ejection"),
    "edit.entries": ("entry_for", "find_entries"),
    "edit.fixes": ("Change", "Refusal", "apply_change", "plan_fixes"),
    "edit.manifest": (
        "ManifestEdit",
        "ManifestEditError",
        "ManifestText",
        "add_entries",
        "move_entry",
        "read_manifest",
        "remove_entries",
        "write_edit",
    ),
    "edit.new": ("Draft", "DraftError", "draft_skill", "write_skill"),
    "checking.fingerprint": ("fingerprints",),
    "invocation.messages": ("KnowledgeError", "Message", "messages"),
    "resolution.ladder": ("Ladder", "build_ladder"),
    "checking.merge": ("MergeError", "load_result", "merge"),
    "invocation.mapping": ("Fate", "Mapped", "map_fields"),
    "judged": ("SkillRecord",),
    "pipeline": ("Ingest", "ingest"),
    "invocation.preview": ("Preview", "load_preview"),
    "reading": ("Reader",),
    "registry": ("Candidate", "Relation", "Shadow"),
    "resources": ("Resource", "list_resources"),
    "rule": ("Rule",),
    "rules.catalogue": ("CATALOGUE",),
    "scope": (
        "Escape",
        "PathCheck",
        "ReadRule",
        "check_readable",
        "find_escapes",
        "is_readable",
        "scope_rules",
    ),
    "checking.shard": ("Shard", "read_shard"),
    "skill": ("read_skill",),
    "sources": ("Source", "SourceKind"),
    "invocation.tokens": ("estimate_tokens",),
    "workflow": ("WorkflowRecord", "load_body", "workflow_from_skill"),
}
_HOME = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = [
    "CATALOGUE",
    "CLIENTS",
    "Absence",
    "Baseline",
    "BaselineError",
    "Cache",
    "Candidate",
    "Catalog",
    "CatalogEntry",
    "Change",
    "Check",
    "CheckedFile",
    "Choice",
    "Client",
    "ClientRoot",
    "Comparison",
    "Config",
    "ConfigError",
    "Diagnostic",
    "Difference",
    "Discovery",
    "Draft",
    "DraftError",
    "EjectError",
    "Ejection",
    "Escape",
    "Fate",
    "FileKind",
    "Fix",
    "Ingest",
    "KnowledgeError",
    "Ladder",
    "ManifestEdit",
    "ManifestEditError",
    "ManifestText",
    "Mapped",
    "MergeError",
    "Message",
    "NotCheckableError",
    "PathCheck",
    "Preview",
    "ReadRule",
    "Reader",
    "Refusal",
    "Relation",
    "Resource",
    "Rule",
    "Severity",
    "Shadow",
    "Shard",
    "SkillRecord",
    "Source",
    "SourceKind",
    "WorkflowRecord",
    "add_entries",
    "apply_change",
    "build_catalog",
    "build_ladder",
    "catalog_xml",
    "check_file",
    "check_paths",
    "check_readable",
    "check_workspace",
    "choose",
    "compare",
    "discover_roots",
    "draft_skill",
    "entry_for",
    "estimate_tokens",
    "explain_absence",
    "find_config",
    "find_difference",
    "find_entries",
    "find_escapes",
    "fingerprints",
    "ingest",
    "is_readable",
    "judge_paths",
    "list_resources",
    "load_baseline",
    "load_body",
    "load_preview",
    "load_result",
    "map_fields",
    "merge",
    "messages",
    "move_entry",
    "plan_eject",
    "plan_fixes",
    "read_manifest",
    "read_shard",
    "read_skill",
    "remove_entries",
    "scope_rules",
    "workflow_from_skill",
    "write_edit",
    "write_ejection",
    "write_skill",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that a start pays only for its own."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """The public names, imported or not, for whoever looks around."""
    return sorted({*globals(), *__all__})
