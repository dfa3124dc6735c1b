"""One copy of a Workflow as `show` previews it: what it holds, and whether a Pod is given it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.file import leads_out
from insomnia_skills.frontmatter import Document, read_document
from insomnia_skills.native import missing_knowledge, required_knowledge
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Candidate, Shadow
from insomnia_skills.resolution.ladder import Outcome
from insomnia_skills.resources import Resource, all_resources
from insomnia_skills.scope import ReadRule, Scope, find_place, scope_rules
from insomnia_skills.sources import Source, SourceKind
from insomnia_skills.workflow import WorkflowRecord, load_document
from insomnia_skills.workspace import absolute_path, is_explicit, place_key
from insomnia_skills.yaml.node import Plain, Scalar, plain


class Reach(NamedTuple):
    """A resource, and the rule by which a Pod may read it; None where it may not."""

    resource: Resource
    rule: ReadRule | None


@dataclass(frozen=True, slots=True)
class Preview:
    """One copy of a slug.

    ``outcome`` tells whether a Pod is given it. Of a copy that is ``skipped`` the ``record`` and
    the ``document`` have what could be read, and ``diagnostics`` the errors; of any other,
    ``diagnostics`` are about required Knowledge that is not there. A copy that is ``shadowed`` has
    the ``shadow``. The rules of ``resources`` are those that hold where this copy is ingested;
    ``has_more`` says that these are not all.
    """

    record: WorkflowRecord
    document: Document
    outcome: Outcome
    shadow: Shadow | None
    diagnostics: tuple[Diagnostic, ...]
    resources: tuple[Reach, ...]
    has_more: bool = False

    @property
    def body(self) -> str:
        return self.document.body


def sources_named(result: Ingest, given: str) -> list[Source]:
    """The sources that are meant by a kind, a rank or a skills root's directory.

    A directory counts from the working directory; where no source is there, and it does not say
    itself where it counts from, it is one as a manifest has it.
    """
    if given in set(SourceKind):
        return [source for source in result.sources if source.kind == given]
    if by_rank := [source for source in result.sources if source.rank == given]:
        return by_rank
    bases = () if is_explicit(given) else (manifest.base for manifest in result.manifests)
    for base in (None, *bases):
        place = place_key(absolute_path(given, base))
        if here := [s for s in result.sources if place_key(s.path) == place]:
            return here
    return []


def copies(result: Ingest, slug: str) -> list[Candidate]:
    """Every copy of a slug in order of rank, the broken ones too."""
    return [candidate for candidate in result.candidates if candidate.slug == slug]


def load_preview(result: Ingest, candidate: Candidate) -> Preview:
    """Read one copy again. Raises `FileChangedError` where it is no longer what it was."""
    record = candidate.record
    shadow = None
    if record is None:
        document = _could_read(candidate.path)
        record = _as_far_as_read(candidate, document)
        outcome = Outcome.SKIPPED
        diagnostics = tuple(d for d in candidate.diagnostics if d.severity is Severity.ERROR)
    else:
        document = load_document(record)
        diagnostics = missing_knowledge(record, result.workspace.knowledge)
        shadow = next((s for s in result.shadows if _is_same(s.lost, record)), None)
        outcome = Outcome.SHADOWED if shadow else Outcome.WINS
        if shadow is None:  # the registry knows whether it stands in
            record = result.find(record.slug) or record
    others = [other for other in result.workflows if other.slug != record.slug]
    resources, has_more = _reaches(record.directory, Scope(scope_rules([*others, record])))
    return Preview(record, document, outcome, shadow, diagnostics, resources, has_more)


def _is_same(one: WorkflowRecord, other: WorkflowRecord) -> bool:
    return one.source == other.source and one.path == other.path


def _reaches(directory: Path | None, scope: Scope) -> tuple[tuple[Reach, ...], bool]:
    """The resources that are looked at, and whether there are more."""
    if directory is None:
        return (), False
    own = scope.rule_for(directory)
    resources, is_whole = all_resources(directory)
    reaches = (
        Reach(resource, own if resource.readable else _elsewhere(directory, resource, scope))
        for resource in resources
    )
    return tuple(reaches), not is_whole


def _elsewhere(directory: Path, resource: Resource, scope: Scope) -> ReadRule | None:
    """The rule of another skill that covers what a link leads to."""
    if resource.link is None:
        return None
    place = find_place(directory / resource.path)
    return scope.covering(place.real) if place.exists and place.real else None


def _could_read(path: Path) -> Document:
    """A broken copy's file, but nothing of a file elsewhere: that may be somebody's secret."""
    return Document(path, "", None, ()) if leads_out(path) else read_document(path)


def _as_far_as_read(candidate: Candidate, document: Document) -> WorkflowRecord:
    fields = document.fields or {}
    values: dict[str, Plain] = {name: plain(entry.value) for name, entry in fields.items()}
    metadata = values.get("metadata")
    native = candidate.is_native

    def text(field: str) -> str | None:
        value = values.get(field)
        return value if isinstance(value, str) else None

    def flag(field: str, default: bool) -> bool:
        value = fields[field].value if field in fields and native else None
        found = value.boolean if isinstance(value, Scalar) else None
        return default if found is None else found

    return WorkflowRecord(
        slug=candidate.slug,
        description=text("description") or "",
        model_invokation=flag("model_invokation", default=not native),
        user_invocable=flag("user_invocable", default=True),
        requires=tuple(item.value for item in required_knowledge(fields)) if native else (),
        path=candidate.path,
        directory=candidate.directory,
        source=candidate.source,
        body_digest=document.body_digest(),
        license=None if native else text("license"),
        compatibility=None if native else text("compatibility"),
        metadata=metadata if isinstance(metadata, dict) and not native else None,
        allowed_tools=None if native else values.get("allowed-tools"),
    )
