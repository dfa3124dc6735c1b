"""The pipeline on one screen: a workspace and its options become one `Ingest`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.manifest import Manifest, load_manifest
from insomnia_skills.registry import Candidate, Registry, Shadow, resolve
from insomnia_skills.sources import Source, SourceKind, rank_sources, read_roots
from insomnia_skills.workspace import (
    Workspace,
    absolute_path,
    find_config_dir,
    find_workspace,
)

if TYPE_CHECKING:
    from insomnia_skills.reading import Reader
    from insomnia_skills.workflow import WorkflowRecord


class SourceCounts(NamedTuple):
    """How many records of a source won, were shadowed, or have an error."""

    loaded: int
    shadowed: int
    skipped: int


class StandIn(NamedTuple):
    """A record, and the broken copy of highest rank that it stands in for."""

    record: WorkflowRecord
    broken: Candidate


@dataclass(frozen=True, slots=True)
class Ingest:
    """All that a workspace gives a Pod, and what was in the way.

    ``candidates`` holds everything that was read, in order of rank, each with its diagnostics.
    ``root_diagnostics`` are about skills roots: those that cannot be scanned, and what lies too
    deep in those that can. ``left_out`` is the config dir that ``user=False`` left out.
    ``thorough`` says that bodies, resources and required Knowledge were judged too,
    ``interrupted`` that not everything was read.
    """

    workspace: Workspace
    config_dir: Path | None
    manifests: tuple[Manifest, ...]
    sources: tuple[Source, ...]
    candidates: tuple[Candidate, ...]
    registry: Registry
    root_diagnostics: tuple[Diagnostic, ...]
    left_out: Path | None = None
    thorough: bool = False
    interrupted: bool = False

    @property
    def workflows(self) -> tuple[WorkflowRecord, ...]:
        """The records a Pod would register, in order of slug."""
        return self.registry.workflows

    @property
    def shadows(self) -> tuple[Shadow, ...]:
        return self.registry.shadows

    @property
    def skipped(self) -> tuple[Candidate, ...]:
        """Skills that have an error, in order of rank."""
        return tuple(c for c in self.candidates if c.record is None and not c.is_native)

    @property
    def stand_ins(self) -> tuple[StandIn, ...]:
        """Records that have their slug because a copy above them is broken, in order of slug."""
        broken = {c.slug: c for c in reversed(self.candidates) if c.record is None}
        return tuple(StandIn(r, broken[r.slug]) for r in self.workflows if r.stand_in)

    @property
    def broken(self) -> tuple[Candidate, ...]:
        """Native Workflows that have an error; one of them stops a Pod from starting."""
        return tuple(c for c in self.candidates if c.record is None and c.is_native)

    @property
    def source_diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is to be said about manifests and skills roots."""
        manifests = (d for manifest in self.manifests for d in manifest.diagnostics)
        return (*manifests, *self.root_diagnostics)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is to be said, but for the skipped skills, which have their own."""
        candidates = (d for c in self.candidates if c.record or c.is_native for d in c.diagnostics)
        return (*self.source_diagnostics, *candidates, *self.registry.diagnostics)

    @property
    def manifest_readable(self) -> bool:
        return all(manifest.readable for manifest in self.manifests)

    @property
    def has_errors(self) -> bool:
        """Whether anything but a skipped skill is wrong enough to be an error."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)

    def counts(self, source: Source) -> SourceCounts:
        return SourceCounts(
            loaded=sum(record.source == source for record in self.workflows),
            shadowed=sum(shadow.lost.source == source for shadow in self.shadows),
            skipped=sum(c.record is None and c.source == source for c in self.candidates),
        )

    def find(self, slug: str) -> WorkflowRecord | None:
        """The record that ``/slug`` calls; the slash may be there or not."""
        slug = slug.removeprefix("/")
        return next((record for record in self.workflows if record.slug == slug), None)


def ingest(
    workspace: str | os.PathLike[str] | None = None,
    *,
    user: bool = True,
    directories: Iterable[str | os.PathLike[str]] = (),
    config_dir: str | os.PathLike[str] | None = None,
    thorough: bool = False,
    drafts: Mapping[Path, bytes] = {},
    reader: Callable[[], Reader] | None = None,
) -> Ingest:
    """Read everything a workspace configures and resolve it. Never raises for bad input.

    ``workspace`` is its root, else it is found from the working directory. ``user=False`` leaves
    out the user's manifest and skills, ``directories`` are extra skills roots ranked before the
    manifest's, ``config_dir`` is insomnia's configuration directory where it is not the usual
    one. ``thorough`` judges bodies, resources and required Knowledge too, as `validate` does.
    ``drafts`` are manifests by their path as if they had been written. ``reader`` gives what
    skills are read with, once there is one. A `KeyboardInterrupt` that its tick raises ends the
    reading, and the answer is made of what was read until then.
    """
    place = find_workspace() if workspace is None else Workspace(absolute_path(workspace))
    config = _config_dir(config_dir) if user else None
    manifests = [_manifest(place.manifest, place.root, drafts)]
    if config is not None:
        manifests.append(_manifest(config / "manifest.toml", config, drafts))
    sources, root_diagnostics = rank_sources(
        place, manifests, [Path(directory) for directory in directories], config
    )
    roots = read_roots(sources)
    candidates: list[Candidate] = []
    said: list[Diagnostic] = []
    interrupted = False
    try:
        for source in sources:
            if not source.scanned:
                continue
            if source.kind is SourceKind.WORKSPACE_WORKFLOW:
                candidates += _native(source, place.knowledge if thorough else None)
            else:
                candidates.extend(_skills(source, roots, thorough, said, reader))
    except KeyboardInterrupt:
        if reader is None:
            raise
        interrupted = True
    return Ingest(
        workspace=place,
        config_dir=config,
        manifests=tuple(manifests),
        sources=sources,
        candidates=tuple(candidates),
        registry=resolve(candidates),
        root_diagnostics=(*root_diagnostics, *said),
        left_out=None if user else _config_dir(config_dir),
        thorough=thorough,
        interrupted=interrupted,
    )


def _config_dir(given: str | os.PathLike[str] | None) -> Path:
    return find_config_dir() if given is None else Path(os.path.abspath(given))


def _manifest(path: Path, base: Path, drafts: Mapping[Path, bytes]) -> Manifest:
    if path not in drafts:
        return load_manifest(path, base)
    from insomnia_skills.file import decode

    return load_manifest(path, base, decode(drafts[path]))


def _native(source: Source, knowledge: Path | None) -> Sequence[Candidate]:
    # Only a run that has something to read pays for what reads it.
    from insomnia_skills.native import read_workflow, scan_workflows

    return [
        Candidate(path.stem, source, path, *read_workflow(path, source, knowledge))
        for path in scan_workflows(source.path)
    ]


def _skills(
    source: Source,
    roots: Collection[str],
    thorough: bool,
    said: list[Diagnostic],
    reader: Callable[[], Reader] | None,
) -> Iterator[Candidate]:
    from insomnia_skills.reading import Kind, Reader
    from insomnia_skills.scan import skills_in
    from insomnia_skills.workflow import workflow_from_skill

    reads = reader() if reader else Reader()
    found = skills_in(source.path, roots, said, reads.tick)
    for skill, (record, diagnostics, ignores) in reads.read(found, Kind(thorough)):
        workflow = workflow_from_skill(record, source) if record else None
        yield Candidate(skill.name, source, skill.path, workflow, diagnostics, ignores)
