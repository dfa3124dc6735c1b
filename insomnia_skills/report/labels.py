"""What sources and records are called in tables."""

from __future__ import annotations

from insomnia_skills.report.text import PathNames
from insomnia_skills.sources import Source, SourceKind
from insomnia_skills.workflow import WorkflowRecord


def source_label(source: Source, name: PathNames) -> str:
    """"native workflows", "user skills", or a skills root's short path."""
    if source.kind is SourceKind.WORKSPACE_WORKFLOW:
        return "native workflows"
    if source.kind is SourceKind.USER_SKILL:
        return "user skills"
    return name(source.path)


def record_label(record: WorkflowRecord, name: PathNames) -> str:
    """A record as one of its source's: "native workflow", ".cursor/skills/review"."""
    if record.source.kind is SourceKind.WORKSPACE_WORKFLOW:
        return "native workflow"
    return f"{source_label(record.source, name)}/{record.slug}"


def origin_label(source: Source, name: PathNames) -> str:
    """Who named a source: "default", "--directory", "manifest.toml:3" with its short path."""
    path, colon, line = source.origin.rpartition(":")
    return f"{name(path)}:{line}" if colon else source.origin
