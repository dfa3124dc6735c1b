"""What sources and records are called in tables."""

from __future__ import annotations

from pathlib import Path

from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.text import PathNames, working_directory
from insomnia_skills.sources import Source, SourceKind
from insomnia_skills.workflow import WorkflowRecord


class Labels:
    """Short names for one run.

    ``name`` shortens paths as seen from the working directory. Sources are called as the manifest
    calls them, by their paths from the workspace root; but not below that root, where such a path
    would be another one.
    """

    def __init__(self, result: Ingest) -> None:
        self.name = PathNames()
        here, root = Path(working_directory()), result.workspace.root
        is_below = here != root and here.is_relative_to(root)
        self._source = self.name if is_below else PathNames(cwd=root)
        self._manifest = result.workspace.manifest

    def source(self, source: Source) -> str:
        """Native workflows, user skills, or a skills root's path."""
        if source.kind is SourceKind.WORKSPACE_WORKFLOW:
            return "native workflows"
        if source.kind is SourceKind.USER_SKILL:
            return "user skills"
        return self._source(source.path)

    def record(self, record: WorkflowRecord) -> str:
        """A record as one of its source's: native workflow, .cursor/skills/review."""
        if record.source.kind is SourceKind.WORKSPACE_WORKFLOW:
            return "native workflow"
        return f"{self.source(record.source)}/{record.slug}"

    def origin(self, source: Source) -> str:
        """Who named a source: default, --directory, or which manifest at which line."""
        path, colon, line = source.origin.rpartition(":")
        if not colon:
            return source.origin
        if path == str(self._manifest):
            return f"{self._manifest.name}:{line}"
        return f"user {self._manifest.name}:{line}"
