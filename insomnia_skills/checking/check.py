"""What `validate` runs: files judged thoroughly, from a whole workspace or from given paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.file import FileText, link_target
from insomnia_skills.manifest import load_manifest
from insomnia_skills.pipeline import Ingest
from insomnia_skills.rules.ignores import Ignore
from insomnia_skills.scan import Found, look_at, scan_tree, wrong_case_filename
from insomnia_skills.skill import read_skill
from insomnia_skills.sources import SKILL_FILE, Source, SourceKind
from insomnia_skills.workflow import WORKFLOW_SUFFIX, read_workflow, scan_workflows
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
    """A path that was given leads to nothing that can be checked; the message says why.

    ``help`` says what to do about it, ``path`` is the absolute path.
    """

    def __init__(self, path: Path, what: str, help: str) -> None:
        super().__init__(f"{path} {what}")
        self.path = path
        self.help = help


Wanted = Callable[[FileKind, Path], bool]
"""Whether a file is to be judged."""


class _Target(NamedTuple):
    """Something to judge. ``found`` is there for skills."""

    kind: FileKind
    path: Path
    found: Found | None = None


def check_workspace(ingest: Ingest, wanted: Wanted | None = None) -> Check:
    """Judge everything a workspace configures.

    With ``wanted`` the check has only those files and what is to be said about them. Raises
    `ValueError` for an ingest that is not a thorough one, since that has judged only a part.
    """
    if not ingest.thorough:
        raise ValueError("a check needs all that there is to say: ingest(..., thorough=True)")
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
    if wanted is not None:
        files = [file for file in files if wanted(file.kind, file.path)]
        kept = {file.path for file in files}
        others = tuple(diagnostic for diagnostic in others if diagnostic.path in kept)
    return Check(ingest.workspace.root, tuple(files), others)


def check_paths(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    wanted: Wanted | None = None,
) -> Check:
    """Judge exactly what one path or several lead to, each real directory once.

    With ``wanted``, only what it wants of that. A path is a skill directory, a SKILL.md, a native
    Workflow, a ``.insomnia/manifest.toml``, or any other directory, which is searched downward for
    skills and native Workflows. Raises `NotCheckableError` for a path that is none of these,
    before anything is read.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    given = [absolute_path(path) for path in paths]
    for path in given:
        _require_checkable(path)
    targets: dict[str, _Target] = {}
    for path in given:
        for target in _targets(path):
            place = os.path.join(os.path.realpath(target.path.parent), target.path.name)
            targets.setdefault(place, target)
    judged = (t for t in targets.values() if wanted is None or wanted(t.kind, t.path))
    return Check(None, tuple(map(_judge, judged)))


def kind_of(path: Path) -> FileKind | None:
    """What a file of this name at this place is; None where it is nothing that is checked."""
    if _is_skill_file(path):
        return FileKind.SKILL
    if _is_manifest(path):
        return FileKind.MANIFEST
    return FileKind.WORKFLOW if _is_workflow(path) else None


def check_file(
    path: Path, kind: FileKind, file: FileText | None = None, body: bool = True
) -> CheckedFile:
    """Judge one file; ``file`` is its text where that is not, or not yet, what lies at the path.

    With a text, the path of a skill may be a SKILL.md that is not there yet. Without ``body``, what
    a skill has besides its frontmatter is left out, which is much quicker.
    """
    if kind is not FileKind.SKILL:
        return _judge(_Target(kind, path), file)
    found = look_at(path.parent) if path.parent.is_dir() else None
    if not found or (file and found.finding and path.name == SKILL_FILE):
        misnamed = path.name != SKILL_FILE
        wrong = wrong_case_filename(path.name, beside=False) if misnamed else None
        found = Found(path.parent.name, path, wrong)
    return _judge(_Target(kind, found.path, found), file, body)


def _require_checkable(path: Path) -> None:
    if not os.path.lexists(path):
        raise NotCheckableError(path, "does not exist", _instead_of(path))
    if os.path.islink(path) and not os.path.exists(path) and not _is_skill_file(path):
        raise NotCheckableError(
            path,
            f'is a link to "{link_target(path)}", which leads nowhere',
            "point the link at what was meant, or remove it",
        )
    if not (path.is_dir() or kind_of(path)):
        raise NotCheckableError(
            path,
            "is neither a SKILL.md nor a native Workflow nor a manifest nor a directory",
            f"native Workflows are {MARKER}/memory/workflow/*{WORKFLOW_SUFFIX},"
            f" manifests {MARKER}/manifest.toml",
        )


def _instead_of(path: Path) -> str:
    """What may have been meant by a path that is not there: a slug, or a name with a slip."""
    if path.parent == Path(path.anchor):
        return f"this takes paths; for a slug: insomnia-skills resolve {path}"
    from difflib import get_close_matches

    try:
        near = get_close_matches(path.name, os.listdir(path.parent), n=1, cutoff=0.7)
    except OSError:
        near = []
    if near:
        return f"did you mean {path.parent / near[0]}?"
    return "name a directory with skills, or a SKILL.md"


def _targets(path: Path) -> Iterator[_Target]:
    kind = kind_of(path)
    if kind in (FileKind.MANIFEST, FileKind.WORKFLOW):
        yield _Target(kind, path)
        return
    found = look_at(path.parent if kind is FileKind.SKILL else path)
    if kind is FileKind.SKILL and not found:
        found = Found(path.parent.name, path)
    for place in (found,) if found else scan_tree(path):
        if isinstance(place, Found):
            yield _Target(FileKind.SKILL, place.path, place)
        else:
            for workflow in scan_workflows(place.workflows):
                yield _Target(FileKind.WORKFLOW, workflow)


def _judge(target: _Target, file: FileText | None = None, body: bool = True) -> CheckedFile:
    kind, path, found = target
    if found is not None:
        skill = read_skill(found, thorough=True, file=file, body=body)
        return _checked(path, kind, found.name, skill.diagnostics, skill.ignores)
    if kind is FileKind.MANIFEST:
        manifest = load_manifest(path, base=path.parent.parent, file=file)
        return _checked(path, kind, None, manifest.diagnostics)
    place = Workspace(path.parents[3])
    source = Source("1", SourceKind.WORKSPACE_WORKFLOW, path.parent, "argument")
    workflow = read_workflow(path, source, place.knowledge, file)
    return _checked(path, kind, path.stem, workflow.diagnostics, workflow.ignores)


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
