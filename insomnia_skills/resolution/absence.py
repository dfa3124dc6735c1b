"""Why nothing is called by a slug: what was likely meant, the best guess first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, first_error
from insomnia_skills.manifest import Manifest, ManifestEntry
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate
from insomnia_skills.resolution.ladder import Ladder, RungRule, left_out_sources
from insomnia_skills.sources import IS_SKILL, SKILL_FILE, Source, SourceKind, expand
from insomnia_skills.workspace import absolute_path, real_path
from insomnia_skills.yaml.node import Scalar


class AbsenceKind(StrEnum):
    """The reasons why a slug is not there, the likeliest first."""

    SKIPPED = "skipped"
    LEFT_OUT = "left-out"
    UNEXPANDED_ROOT = "unexpanded-root"
    UNNAMED_ROOT = "unnamed-root"
    NESTED = "nested"
    NO_SKILL_FILE = "no-skill-file"
    OTHER_DIRECTORY = "other-directory"
    WRONG_CASE = "wrong-case"
    NEAR = "near"


class NamedRoot(NamedTuple):
    """An entry of a manifest, as written there."""

    manifest: Path
    entry: ManifestEntry


@dataclass(frozen=True, slots=True)
class Absence:
    """One reason why nothing is called by a slug.

    ``slug`` is the one that was found instead; it is the one asked for unless ``kind`` is
    ``other-directory`` (there the name of the directory), ``wrong-case`` or ``near``. ``path`` is
    the SKILL.md, whether it is there or not, or the native Workflow's file. ``root`` is the skills
    root to name in a manifest so that it is read, with ``user`` in the user's; ``named`` is the
    entry that was to name it. ``error`` is what is wrong with the copy itself.
    """

    kind: AbsenceKind
    slug: str
    path: Path
    root: Path | None = None
    error: Diagnostic | None = None
    user: bool = False
    named: NamedRoot | None = None


def explain_absence(result: Ingest, ladder: Ladder) -> tuple[Absence, ...]:
    """Why nothing is called by the ladder's slug; nothing where something is."""
    if ladder.winner is not None:
        return ()
    slug = ladder.slug
    found = [
        *(Absence(AbsenceKind.SKIPPED, slug, c.path, error=c.error) for c in ladder.skipped),
        *_left_out(result, slug),
        *_in_unexpanded_roots(result, slug),
        *unnamed_copies(result, slug),
        *_nested(result, slug),
        *(
            Absence(AbsenceKind.NO_SKILL_FILE, slug, rung.source.path / slug / SKILL_FILE)
            for rung in ladder.rungs
            if rung.rule is RungRule.NO_SKILL_FILE
        ),
        *_in_other_directories(result, slug),
        *_in_other_case(result, slug),
    ]
    in_other_case = {absence.slug for absence in found if absence.kind is AbsenceKind.WRONG_CASE}
    broken = {absence.slug for absence in found} - {record.slug for record in result.workflows}
    near = (other for other in ladder.near if other not in in_other_case | broken)
    return (*found, *(_instead(AbsenceKind.NEAR, _copies(result, other)[0]) for other in near))


def _copies(result: Ingest, slug: str) -> list[Candidate]:
    """The candidates for a slug, valid ones first."""
    copies = (candidate for candidate in result.candidates if candidate.slug == slug)
    return sorted(copies, key=lambda candidate: candidate.record is None)


def _instead(kind: AbsenceKind, candidate: Candidate) -> Absence:
    return Absence(kind, candidate.slug, candidate.path, error=candidate.error)


def _left_out(result: Ingest, slug: str) -> Iterator[Absence]:
    for source in left_out_sources(result):
        if source.scanned:
            for path, error in _direct_child(source.path, slug):
                yield Absence(AbsenceKind.LEFT_OUT, slug, path, error=error)


def _unexpanded_roots(result: Ingest) -> Iterator[tuple[Path, Manifest, ManifestEntry]]:
    """What a shell makes of the entries with ``~`` or ``$NAME`` that lead nowhere."""
    missing = {source.path for source in result.sources if not source.exists}
    for manifest in result.manifests:
        for entry in manifest.entries:
            expanded = expand(entry.value)
            if expanded and absolute_path(entry.value, manifest.base) in missing:
                yield absolute_path(expanded, manifest.base), manifest, entry


def _in_unexpanded_roots(result: Ingest, slug: str) -> Iterator[Absence]:
    for root, manifest, entry in _unexpanded_roots(result):
        named = NamedRoot(manifest.path, entry)
        for path, error in _direct_child(root, slug):
            yield Absence(AbsenceKind.UNEXPANDED_ROOT, slug, path, root, error, named=named)


def unnamed_copies(result: Ingest, slug: str) -> tuple[Absence, ...]:
    """Copies that no manifest leads to, valid ones first.

    They lie where other clients keep skills, or beside a root that is itself a skill.
    """
    from insomnia_skills.clients.discover import Where, unnamed_directories

    roots = [
        (source.path.parent, _is_users(source, result))
        for source in result.sources
        if source.absent == IS_SKILL
    ]
    roots += ((root, where is Where.USER) for where, root in unnamed_directories(result))
    seen = {real_path(root) for root, *_ in _unexpanded_roots(result)}
    found = []
    for root, user in roots:
        real = real_path(root)
        if real not in seen:
            seen.add(real)
            for path, error in _direct_child(root, slug):
                found.append(Absence(AbsenceKind.UNNAMED_ROOT, slug, path, root, error, user))
    return tuple(sorted(found, key=lambda absence: absence.error is not None))


def _direct_child(root: Path, slug: str) -> Iterator[tuple[Path, Diagnostic | None]]:
    """The file of the skill that a root has for a slug, if any, and what is wrong with it."""
    from insomnia_skills.scan import look_at, names_in

    is_there = slug in names_in(root) and os.path.isdir(root / slug) and not slug.startswith(".")
    found = look_at(root / slug) if is_there else None
    if found is not None:
        from insomnia_skills.skill import read_skill

        yield found.path, first_error(read_skill(found).diagnostics)


def _nested(result: Ingest, slug: str) -> Iterator[Absence]:
    from insomnia_skills.scan import nested_skills
    from insomnia_skills.sources import read_roots

    roots = read_roots(result.sources)
    too_deep = {d.path for d in result.root_diagnostics if d.rule == "nested-skill"}
    for source in result.sources:
        if source.scanned and source.path in too_deep:
            for directory in nested_skills(source.path, roots):
                if directory.name == slug:
                    path, user = directory / SKILL_FILE, _is_users(source, result)
                    yield Absence(AbsenceKind.NESTED, slug, path, directory.parent, user=user)


def _is_users(source: Source, result: Ingest) -> bool:
    if source.kind is SourceKind.USER_SKILL:
        return True
    config = result.config_dir
    return config is not None and source.origin.startswith(f"{config / 'manifest.toml'}:")


def _in_other_directories(result: Ingest, slug: str) -> Iterator[Absence]:
    """Skills with this name in a directory of another; that is why they are skipped."""
    from insomnia_skills.frontmatter import read_document

    for candidate in result.skipped:
        if any(d.rule == "name-mismatch" for d in candidate.diagnostics):
            entry = (read_document(candidate.path, skill=True).fields or {}).get("name")
            if entry and isinstance(entry.value, Scalar) and entry.value.value == slug:
                yield _instead(AbsenceKind.OTHER_DIRECTORY, candidate)


def _in_other_case(result: Ingest, slug: str) -> Iterator[Absence]:
    others = {c.slug for c in result.candidates if c.slug.lower() == slug.lower()}
    for other in sorted(others - {slug}):
        yield _instead(AbsenceKind.WRONG_CASE, _copies(result, other)[0])
