"""What `validate` runs: files judged thoroughly, from a whole workspace or from given paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.file import link_target
from insomnia_skills.reading import Kind, Reader
from insomnia_skills.scan import (
    Found,
    Tick,
    TooManyDirectoriesError,
    look_at,
    scan_tree,
    wrong_case_filename,
)
from insomnia_skills.sources import SKILL_FILE, Source, SourceKind
from insomnia_skills.workflow import WORKFLOW_SUFFIX
from insomnia_skills.workspace import MARKER, PlaceKey, Workspace, absolute_path, place_key

if TYPE_CHECKING:
    from insomnia_skills.checking.shard import Shard
    from insomnia_skills.file import FileText
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.rules.ignores import Ignore


class FileKind(StrEnum):
    """What a checked file is."""

    SKILL = "skill"
    WORKFLOW = "workflow"
    MANIFEST = "manifest"


class CheckedFile(NamedTuple):
    """One file that was judged: ``file`` is its path as text. ``slug`` is None for a manifest.

    ``valid`` says that insomnia takes the file, whatever of its diagnostics is left out or weighed
    otherwise later. ``ignores`` are the comments in it that silence rules.
    """

    file: str
    kind: FileKind
    slug: str | None
    valid: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    ignores: tuple[Ignore, ...] = ()

    @property
    def path(self) -> Path:
        return Path(self.file)


class Check(NamedTuple):
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


Wanted = Callable[[FileKind, str], bool]
"""Whether a file, given by its path, is to be judged."""


class _Target(NamedTuple):
    """Something to judge, found below ``top``. ``found`` is there for skills."""

    kind: FileKind
    file: str
    top: str
    found: Found | None = None

    @property
    def name(self) -> str:
        """The path of a skill's directory, or else of the file, from the top; its last name there.

        It has ``/`` between its parts on every system.
        """
        place = os.path.dirname(self.file) if self.found else self.file
        if place == self.top:
            return os.path.basename(place)
        return place[len(self.top) :].strip(os.sep).replace(os.sep, "/")


def check_workspace(ingest: Ingest, wanted: Wanted | None = None) -> Check:
    """Judge everything a workspace configures.

    With ``wanted`` the check has only those files and what is to be said about them. Raises
    `ValueError` for an ingest that is not a thorough one, since that has judged only a part.
    """
    if not ingest.thorough:
        raise ValueError("a check needs all that there is to say: ingest(..., thorough=True)")
    files = [
        _checked(str(manifest.path), FileKind.MANIFEST, None, manifest.diagnostics)
        for manifest in ingest.manifests
        if manifest.exists
    ]
    files += (
        _checked(
            str(candidate.path),
            FileKind.WORKFLOW if candidate.is_native else FileKind.SKILL,
            candidate.slug,
            candidate.diagnostics,
            candidate.ignores,
        )
        for candidate in ingest.candidates
    )
    others = (*ingest.root_diagnostics, *ingest.registry.diagnostics)
    if wanted is not None:
        files = [file for file in files if wanted(file.kind, file.file)]
        kept = {file.file for file in files}
        others = tuple(diagnostic for diagnostic in others if str(diagnostic.path) in kept)
    return Check(ingest.workspace.root, tuple(files), others)


def check_paths(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    wanted: Wanted | None = None,
    reader: Reader | None = None,
    shard: Shard | None = None,
) -> Check:
    """Judge exactly what one path or several lead to, each real directory once.

    With ``wanted`` only what it wants of that, with ``shard`` only what is in it. A path is a skill
    directory, a SKILL.md, a native Workflow, a ``.insomnia/manifest.toml``, or any other directory,
    which is searched downward for skills and native Workflows. ``reader`` has the means to be
    quick, such as a cache. Raises
    `NotCheckableError` for a path that is none of these, before anything is read, and for one with
    more directories below it than are searched.
    """
    return Check(None, tuple(judge_paths(paths, wanted, reader, shard)))


def judge_paths(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    wanted: Wanted | None = None,
    reader: Reader | None = None,
    shard: Shard | None = None,
) -> Iterator[CheckedFile]:
    """`check_paths`, one file after the other.

    For what is no path to check it raises when it is called.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    given = [absolute_path(path) for path in paths]
    for path in given:
        _require_checkable(path)
    reader = reader or Reader()
    found = (target for path in given for target in _targets(path, reader.tick))
    targets: Iterator[_Target] = _each_once(found, several=len(given) > 1)
    if shard is not None:
        targets = (target for target in targets if shard.has(target.name))
    if wanted is not None:
        targets = (target for target in targets if wanted(target.kind, target.file))
    return _judge_all(targets, reader)


def _each_once(targets: Iterable[_Target], several: bool) -> Iterator[_Target]:
    """Each real file once. A single search finds each skill once anyway."""
    seen: set[tuple[PlaceKey, str]] = set()
    for target in targets:
        if several or target.kind is not FileKind.SKILL:
            directory, name = os.path.split(target.file)
            place = (place_key(directory), name)
            if place in seen:
                continue
            seen.add(place)
        yield target


def _judge_all(targets: Iterable[_Target], reader: Reader) -> Iterator[CheckedFile]:
    for is_skill, group in groupby(targets, lambda target: target.found is not None):
        if not is_skill:
            yield from map(_judge, group)
            continue
        skills = (target.found for target in group if target.found is not None)
        for found, reading in reader.read(skills, Kind(thorough=True, record=False)):
            yield _checked(
                found.file, FileKind.SKILL, found.name, reading.diagnostics, reading.ignores
            )


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
        return _judge(_Target(kind, str(path), str(path)), file)
    found = look_at(path.parent) if os.path.isdir(path.parent) else None
    if not found or (file and found.finding and path.name == SKILL_FILE):
        misnamed = path.name != SKILL_FILE
        wrong = wrong_case_filename(path.name, beside=False) if misnamed else None
        found = Found(path.parent.name, str(path), wrong)
    from insomnia_skills.skill import read_skill

    skill = read_skill(found, thorough=True, file=file, body=body)
    return _checked(found.file, kind, found.name, skill.diagnostics, skill.ignores)


def _require_checkable(path: Path) -> None:
    if not os.path.lexists(path):
        raise NotCheckableError(path, "does not exist", _instead_of(path))
    if os.path.islink(path) and not os.path.exists(path) and not _is_skill_file(path):
        raise NotCheckableError(
            path,
            f'is a link to "{link_target(path)}", which leads nowhere',
            "point the link at what was meant, or remove it",
        )
    if not (os.path.isdir(path) or kind_of(path)):
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


def _targets(path: Path, tick: Tick) -> Iterator[_Target]:
    kind = kind_of(path)
    if kind in (FileKind.MANIFEST, FileKind.WORKFLOW):
        yield _Target(kind, str(path), str(path))
        return
    directory = path.parent if kind is FileKind.SKILL else path
    top, found = str(directory), look_at(directory)
    if kind is FileKind.SKILL and not found:
        found = Found(path.parent.name, str(path))
    for place in (found,) if found else _searched(path, tick):
        if isinstance(place, Found):
            yield _Target(FileKind.SKILL, place.file, top, place)
            if found and kind is not FileKind.SKILL:  # a repository that is itself a skill
                workflows = _workflows(Workspace(directory))
                yield from (_Target(FileKind.WORKFLOW, str(w), top) for w in workflows)
        else:
            yield from (_Target(FileKind.WORKFLOW, str(w), top) for w in _workflows(place))


def _searched(path: Path, tick: Tick) -> Iterator[Found | Workspace]:
    try:
        yield from scan_tree(path, tick)
    except TooManyDirectoriesError as error:
        what = f"has {error.strerror}, links that lead elsewhere followed"
        help = "name the directories in it that have the skills"
        raise NotCheckableError(path, what, help) from None


def _workflows(workspace: Workspace) -> list[Path]:
    if not os.path.isdir(workspace.workflows):
        return []
    from insomnia_skills.native import scan_workflows

    return scan_workflows(workspace.workflows)


def _judge(target: _Target, file: FileText | None = None) -> CheckedFile:
    kind, place = target.kind, target.file
    path = Path(place)
    if kind is FileKind.MANIFEST:
        from insomnia_skills.manifest import load_manifest

        manifest = load_manifest(path, base=path.parent.parent, file=file)
        return _checked(place, kind, None, manifest.diagnostics)
    from insomnia_skills.native import read_workflow

    workspace = Workspace(path.parents[3])
    source = Source("1", SourceKind.WORKSPACE_WORKFLOW, path.parent, "argument")
    workflow = read_workflow(path, source, workspace.knowledge, file)
    return _checked(place, kind, path.stem, workflow.diagnostics, workflow.ignores)


def _checked(
    file: str,
    kind: FileKind,
    slug: str | None,
    diagnostics: tuple[Diagnostic, ...],
    ignores: tuple[Ignore, ...] = (),
) -> CheckedFile:
    valid = all(d.severity is not Severity.ERROR for d in diagnostics)
    return CheckedFile(file, kind, slug, valid, diagnostics, ignores)


def _is_skill_file(path: Path) -> bool:
    return path.name == SKILL_FILE or (path.name.lower() == "skill.md" and not os.path.isdir(path))


def _is_workflow(path: Path) -> bool:
    parts = path.parent.parts[-3:]
    return parts == (MARKER, "memory", "workflow") and path.suffix == WORKFLOW_SUFFIX


def _is_manifest(path: Path) -> bool:
    return path.name == "manifest.toml" and path.parent.name == MARKER
