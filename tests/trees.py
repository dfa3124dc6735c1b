"""Small trees on disk: skills, native Workflows, manifests, a workspace and a config directory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills import Ingest, ingest
from insomnia_skills.diagnostic import Diagnostic

_LINE_END = re.compile(r"\r\n|\r|\n")


def write(path: Path, text: str | bytes) -> Path:
    """A file with exactly this text, and the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def link(path: Path, target: Path | str) -> Path:
    """A symbolic link at ``path`` that leads to ``target``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


@contextmanager
def denied(path: Path) -> Iterator[None]:
    """Take all permissions from a path for a while; skip the test where that stops nobody."""
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        if os.access(path, os.R_OK):
            pytest.skip("this user may read everything")
        yield
    finally:
        path.chmod(mode)


def write_skill(
    root: Path,
    name: str,
    *extra: str,
    description: str = "Does one thing. Use when it is wanted.",
    body: str = "Do it.\n",
    files: Mapping[str, str] | None = None,
) -> Path:
    """A valid skill in a skills root; ``extra`` are more lines of frontmatter. Its SKILL.md."""
    lines = ("---", f"name: {name}", f"description: {description}", *extra, "---", body)
    for path, text in (files or {}).items():
        write(root / name / path, text)
    return write(root / name / "SKILL.md", "\n".join(lines))


def break_skill(root: Path, name: str) -> Path:
    """A skill whose one fault is that its description is missing. Its SKILL.md."""
    return write(root / name / "SKILL.md", f"---\nname: {name}\n---\nDo it.\n")


def write_manifest(path: Path, *directories: str) -> Path:
    """A manifest that names skills roots, each on a line of its own, the first on line 3."""
    lines = "".join(f'  "{directory}",\n' for directory in directories)
    return write(path, f"[skills]\ndirectories = [\n{lines}]\n")


@dataclass(frozen=True)
class Tree:
    """A workspace and a config directory side by side in a temporary directory."""

    top: Path

    @property
    def workspace(self) -> Path:
        return self.top / "workspace"

    @property
    def config(self) -> Path:
        return self.top / "config"

    @property
    def user_skills(self) -> Path:
        return self.config / "skills"

    @property
    def manifest(self) -> Path:
        return self.workspace / ".insomnia" / "manifest.toml"

    @property
    def user_manifest(self) -> Path:
        return self.config / "manifest.toml"

    def name_roots(self, *directories: str) -> Path:
        """Name skills roots in the workspace's manifest."""
        return write_manifest(self.manifest, *directories)

    def write_workflow(
        self, slug: str, *extra: str, description: str = "Native.", body: str = "Do it.\n"
    ) -> Path:
        """A valid native Workflow; ``extra`` are more lines of frontmatter."""
        lines = ("---", f"description: {description}", *extra, "---", body)
        path = self.workspace / ".insomnia" / "memory" / "workflow" / f"{slug}.md"
        return write(path, "\n".join(lines))

    def write_knowledge(self, slug: str) -> Path:
        return write(self.workspace / ".insomnia" / "knowledge" / f"{slug}.md", "Known.\n")

    def ingest(self, **options: Any) -> Ingest:
        """Ingest the workspace with its config directory."""
        return ingest(self.workspace, **{"config_dir": self.config, **options})


def slugs(result: Ingest) -> list[str]:
    """The slugs that can be called, in the order the result gives them."""
    return [workflow.slug for workflow in result.workflows]


def underlined(diagnostic: Diagnostic) -> str:
    """The text of its file that a diagnostic points at."""
    text = diagnostic.path.read_bytes().decode("utf-8-sig")
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    start = starts[diagnostic.line - 1] + diagnostic.column - 1
    return text[start : starts[diagnostic.end_line - 1] + diagnostic.end_column - 1]
