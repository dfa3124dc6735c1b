"""What `validate` runs: files judged thoroughly, from a whole workspace or from given paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.manifest import load_manifest
from insomnia_skills.pipeline import Ingest
from insomnia_skills.scan import Found, look_at, scan_tree
from insomnia_skills.skill import read_skill
from insomnia_skills.sources import SKILL_FILE, Source, SourceKind
from insomnia_skills.workflow import WORKFLOW_SUFFIX, read_workflow
from insomnia_skills.workspace import MARKER, Workspace, absolute_path


class FileKind(StrEnum):
    """What a checked file is."""

    SKILL = "skill"
    WORKFLOW = "workflow"
    MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One file that was judged. ``slug`` is None for a manifest."""

    path: Path
    kind: FileKind
    slug: str | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def valid(self) -> bool:
        return all(d.severity is not Severity.ERROR for d in self.diagnostics)


@dataclass(frozen=True, slots=True)
class Check:
    """The answer of `validate`.

    ``workspace`` is None where paths were given. ``diagnostics`` are those of the files in their
    order, then those about roots and conflicts, which belong to no single file.
    """

    workspace: Path | None
    files: tuple[CheckedFile, ...]
    diagnostics: tuple[Diagnostic, ...]

    def total(self, severity: Severity) -> int:
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)


class NotCheckableError(ValueError):
    """A path that was given leads to nothing that can be checked; the message says why."""


def check_workspace(ingest: Ingest) -> Check:
    """Judge everything a workspace configures; ``ingest`` must be a thorough one."""
    files = [
        CheckedFile(manifest.path, FileKind.MANIFEST, None, manifest.diagnostics)
        for manifest in ingest.manifests
        if manifest.exists
    ]
    files += (
        CheckedFile(
            candidate.path,
            FileKind.WORKFLOW if candidate.is_native else FileKind.SKILL,
            candidate.slug,
            candidate.diagnostics,
        )
        for candidate in ingest.candidates
    )
    diagnostics = [diagnostic for file in files for diagnostic in file.diagnostics]
    diagnostics += (*ingest.root_diagnostics, *ingest.registry.diagnostics)
    return Check(ingest.workspace.root, tuple(files), tuple(diagnostics))


def check_paths(paths: Iterable[str | os.PathLike[str]]) -> Check:
    """Judge exactly what the paths lead to, each real directory once.

    A path is a skill directory, a SKILL.md, a native Workflow, a ``.insomnia/manifest.toml``, or
    any other directory, which is searched downward for skills. Raises `NotCheckableError` for a
    path that is none of these, before anything is read.
    """
    given = [absolute_path(path) for path in paths]
    for path in given:
        _require_checkable(path)
    files: dict[str, CheckedFile] = {}
    for path in given:
        for file in _check_path(path):
            place = os.path.join(os.path.realpath(file.path.parent), file.path.name)
            files.setdefault(place, file)
    diagnostics = tuple(d for file in files.values() for d in file.diagnostics)
    return Check(None, tuple(files.values()), diagnostics)


def _require_checkable(path: Path) -> None:
    if not os.path.lexists(path):
        raise NotCheckableError(f"{path} does not exist")
    if os.path.islink(path) and not os.path.exists(path) and not _is_skill_file(path):
        raise NotCheckableError(f"{path} is a link that leads nowhere")
    if not (path.is_dir() or _is_skill_file(path) or _is_workflow(path) or _is_manifest(path)):
        raise NotCheckableError(
            f"{path} is neither a SKILL.md nor a native Workflow"
            f" ({MARKER}/memory/workflow/*{WORKFLOW_SUFFIX}) nor a directory"
        )


def _check_path(path: Path) -> Iterator[CheckedFile]:
    if _is_skill_file(path):
        yield _check_skill(look_at(path.parent) or Found(path.parent.name, path))
    elif path.is_dir():
        found = look_at(path)
        for skill in [found] if found else scan_tree(path):
            yield _check_skill(skill)
    elif _is_manifest(path):
        manifest = load_manifest(path, base=path.parent.parent)
        yield CheckedFile(path, FileKind.MANIFEST, None, manifest.diagnostics)
    else:
        place = Workspace(path.parents[3])
        source = Source("1", SourceKind.WORKSPACE_WORKFLOW, path.parent, "argument")
        _, diagnostics = read_workflow(path, source, place.knowledge)
        yield CheckedFile(path, FileKind.WORKFLOW, path.stem, diagnostics)


def _check_skill(found: Found) -> CheckedFile:
    _, diagnostics = read_skill(found, thorough=True)
    return CheckedFile(found.path, FileKind.SKILL, found.name, diagnostics)


def _is_skill_file(path: Path) -> bool:
    return path.name == SKILL_FILE or (path.name.lower() == "skill.md" and not path.is_dir())


def _is_workflow(path: Path) -> bool:
    parts = path.parent.parts[-3:]
    return parts == (MARKER, "memory", "workflow") and path.suffix == WORKFLOW_SUFFIX


def _is_manifest(path: Path) -> bool:
    return path.name == "manifest.toml" and path.parent.name == MARKER
