"""Workflows: the record a Pod registers, and the mapping of a skill to one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.judged import SkillRecord
from insomnia_skills.sources import Source

if TYPE_CHECKING:
    from insomnia_skills.frontmatter import Document
    from insomnia_skills.yaml.node import Plain

WORKFLOW_SUFFIX = ".md"


class WorkflowRecord(NamedTuple):
    """What a Pod would register under ``/<slug>``.

    ``directory`` is the skill's directory, None for a native Workflow. ``stand_in`` is true where
    it has its slug only because a higher-ranked copy was skipped. The fields after it are kept
    from the skill for display; they have no effect.
    """

    slug: str
    description: str
    model_invokation: bool
    user_invocable: bool
    requires: tuple[str, ...]
    path: Path
    directory: Path | None
    source: Source
    body_digest: bytes
    stand_in: bool = False
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, Plain] | None = None
    allowed_tools: Plain = None


def workflow_from_skill(skill: SkillRecord, source: Source) -> WorkflowRecord:
    """Map a skill to a Workflow (ticket: SKILL → Workflow mapping).

    The model and the user may always call it and it requires no Knowledge: a skill cannot say
    otherwise in a way that insomnia reads.
    """
    return WorkflowRecord(
        slug=skill.slug,
        description=skill.description,
        model_invokation=True,
        user_invocable=True,
        requires=(),
        path=skill.path,
        directory=skill.directory,
        source=source,
        body_digest=skill.body_digest,
        license=skill.license,
        compatibility=skill.compatibility,
        metadata=skill.metadata,
        allowed_tools=skill.allowed_tools,
    )


class FileChangedError(Exception):
    """A file is no longer what it was when its record was made."""


def load_body(record: WorkflowRecord) -> str:
    """The record's body: everything after the line of the closing fence, unchanged.

    Records do not keep it, so the file is read again. Raises `FileChangedError` where its body is
    another one by now.
    """
    return load_document(record).body


def load_document(record: WorkflowRecord) -> Document:
    """The record's file with the places of everything in it; raises as `load_body` does."""
    from insomnia_skills.frontmatter import read_document

    document = read_document(record.path, skill=record.directory is not None)
    if document.fields is None or document.body_digest() != record.body_digest:
        raise FileChangedError(f"{record.path} has changed since it was read; run it again")
    return document
