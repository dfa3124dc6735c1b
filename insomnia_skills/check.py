"""What `validate` runs: files judged thoroughly, from a whole workspace or from given paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.file import FileText
from insomnia_skills.ignores import Ignore
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
    """One file that was judged. ``slug`` is None for a manifest.

    ``valid`` says that insomnia takes the file, whatever of its diagnostics is left out or weighed
    otherwise later. ``ignores`` are the comments in it that silence rules.
    """

    path: Path
    kind: FileKind
    slug: str | None
    valid: bool
    diagnostics: tuple[Diagnostic, ...]
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """The answer of `validate`.

    ``workspace`` is None where paths were given. ``diagnostics`` are those of the files in their
    order, then ``others``: those about roots and conflicts, which belong to no single file.
    ``known`` are those that a baseline silences, ``fixed`` those that a fix has taken away.
    """

    workspace: Path | None
    files: tuple[CheckedFile, ...]
    others: tuple[Diagnostic, ...] = ()
    known: tuple[Diagnostic, ...] = ()
    fixed: tuple[Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return (*(d for file in self.files for d in file.diagnostics), *self.others)

    def total(self, severity: Severity) -> int:
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)


class NotCheckableError(ValueError):
    """A path that was given leads to nothing that can be checked; the message says why."""


def check_workspace(ingest: Ingest) -> Check:
    """Judge everything a workspace configures; ``ingest`` must be a thorough one."""
    files = [
        _checked(manifest.path, FileKind.MANIFEST, None, manifest.diagnostics)
        for manifest in ingest.manifests
        if manifest.exists
    ]
    files += (
        _checked(
            candidate.path,
            FileKind.WORKFLOW if candidate.is_native else FileKind.SKILL,
            candidate.slug,
            candidate.diagnostics,
            candidate.ignores,
        )
        for candidate in ingest.candidates
    )
    others = (*ingest.root_diagnostics, *ingest.registry.diagnostics)
    return Check(ingest.workspace.root, tuple(files), others)


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
    return Check(None, tuple(files.values()))


def kind_of(path: Path) -> FileKind | None:
    """What a file of this name at this place is; None where it is nothing that is checked."""
    if _is_skill_file(path):
        return FileKind.SKILL
    if _is_manifest(path):
        return FileKind.MANIFEST
    return FileKind.WORKFLOW if _is_workflow(path) else None


def check_file(path: Path, kind: FileKind, file: FileText | None = None) -> CheckedFile:
    """Judge one file; ``file`` is its text where that is not, or not yet, what lies at the path."""
    if kind is FileKind.SKILL:
        found = (look_at(path.parent) if path.parent.is_dir() else None) or Found(
            path.parent.name, path
        )
        return _check_skill(found, file)
    if kind is FileKind.MANIFEST:
        manifest = load_manifest(path, base=path.parent.parent, file=file)
        return _checked(path, kind, None, manifest.diagnostics)
    place = Workspace(path.parents[3])
    source = Source("1", SourceKind.WORKSPACE_WORKFLOW, path.parent, "argument")
    reading = read_workflow(path, source, place.knowledge, file)
    return _checked(path, kind, path.stem, reading.diagnostics, reading.ignores)


def _require_checkable(path: Path) -> None:
    if not os.path.lexists(path):
        raise NotCheckableError(f"{path} does not exist")
    if os.path.islink(path) and not os.path.exists(path) and not _is_skill_file(path):
        raise NotCheckableError(f"{path} is a link that leads nowhere")
    if not (path.is_dir() or kind_of(path)):
        raise NotCheckableError(
            f"{path} is neither a SKILL.md nor a native Workflow"
            f" ({MARKER}/memory/workflow/*{WORKFLOW_SUFFIX}) nor a directory"
        )


def _check_path(path: Path) -> Iterator[CheckedFile]:
    if kind := kind_of(path):
        yield check_file(path, kind)
    else:
        found = look_at(path)
        for skill in [found] if found else scan_tree(path):
            yield _check_skill(skill)


def _check_skill(found: Found, file: FileText | None = None) -> CheckedFile:
    reading = read_skill(found, thorough=True, file=file)
    return _checked(found.path, FileKind.SKILL, found.name, reading.diagnostics, reading.ignores)


def _checked(
    path: Path,
    kind: FileKind,
    slug: str | None,
    diagnostics: tuple[Diagnostic, ...],
    ignores: tuple[Ignore, ...] = (),
) -> CheckedFile:
    valid = all(d.severity is not Severity.ERROR for d in diagnostics)
    return CheckedFile(path, kind, slug, valid, diagnostics, ignores)


def _is_skill_file(path: Path) -> bool:
    return path.name == SKILL_FILE or (path.name.lower() == "skill.md" and not path.is_dir())


def _is_workflow(path: Path) -> bool:
    parts = path.parent.parts[-3:]
    return parts == (MARKER, "memory", "workflow") and path.suffix == WORKFLOW_SUFFIX


def _is_manifest(path: Path) -> bool:
    return path.name == "manifest.toml" and path.parent.name == MARKER
