"""One record a line, tab-separated, nothing cut, for pipes. Paths are absolute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Relation
from insomnia_skills.report.text import one_line, path_text, safe

if TYPE_CHECKING:
    from insomnia_skills.ladder import Ladder
    from insomnia_skills.resources import Resource
    from insomnia_skills.rule import Rule
    from insomnia_skills.scope import ReadRule
    from insomnia_skills.workflow import WorkflowRecord


def _record(*fields: str | int | Path) -> str:
    return "\t".join(
        path_text(field) if isinstance(field, Path) else one_line(str(field)) for field in fields
    )


def list_records(result: Ingest, everything: bool) -> Iterator[str]:
    """slug, source kind, path, description; with ``everything`` also status and reason."""
    for record in result.workflows:
        fields = (record.slug, record.source.kind.value, record.path, record.description)
        status = ("stand-in" if record.stand_in else "loaded", "") if everything else ()
        yield _record(*fields, *status)
    if not everything:
        return
    for shadow in result.shadows:
        lost = shadow.lost
        fields = (lost.slug, lost.source.kind.value, lost.path, lost.description)
        yield _record(*fields, "shadowed", f"by {path_text(shadow.kept.path)}")
    for candidate in (*result.skipped, *result.broken):
        fields = (candidate.slug, candidate.source.kind.value, candidate.path, "")
        yield _record(*fields, "broken" if candidate.is_native else "skipped", candidate.reason)


def resolve_records(result: Ingest) -> Iterator[str]:
    """The kind of line first: source, conflict, stand-in, skipped, notification."""
    for source in result.sources:
        state = "" if source.scanned else source.absent
        numbers = result.counts(source)
        yield _record(
            "source", source.rank, source.kind.value, source.path, source.origin, *numbers, state
        )
    for shadow in result.shadows:
        differs = ", ".join(shadow.differs)
        yield _record(
            "conflict",
            shadow.slug,
            shadow.kept.path,
            shadow.lost.path,
            shadow.relation.value,
            differs if shadow.relation is Relation.DIFFERENT else "",
        )
    for record in result.workflows:
        if record.stand_in:
            yield _record("stand-in", record.slug, record.path)
    for candidate in (*result.skipped, *result.broken):
        status = "broken" if candidate.is_native else "skipped"
        yield _record(status, candidate.slug, candidate.path, candidate.reason)
    for shadow in result.shadows:
        yield _record("notification", shadow.slug, shadow.message)


def ladder_records(ladder: Ladder) -> Iterator[str]:
    """rank, source kind, outcome, path, reason."""
    for rung in ladder.rungs:
        path = rung.candidate.path if rung.candidate else rung.source.path
        yield _record(
            rung.source.rank, rung.source.kind.value, rung.outcome.value, path, rung.reason
        )


def rules_records(rules: Iterable[Rule[..., Any]]) -> Iterator[str]:
    """name, severity, kind of fix or nothing, theme, summary."""
    from insomnia_skills.catalogue import theme_of
    from insomnia_skills.report.rules import prose

    for rule in rules:
        fields = (rule.name, rule.severity.value, rule.fix or "", theme_of(rule))
        yield _record(*fields, prose(rule.summary))


def scope_records(rules: Iterable[ReadRule]) -> Iterator[str]:
    """permission, target with ``/**`` where it is recursive, slug."""
    for rule in rules:
        yield _record(
            rule.permission, rule.target / "**" if rule.recursive else rule.target, rule.slug
        )


def show_lines(
    record: WorkflowRecord,
    fields: Iterable[tuple[str, str]],
    resources: Iterable[Resource],
    body: str,
) -> Iterator[str]:
    """``field<TAB>value`` lines, ``resource<TAB>path<TAB>size`` lines, an empty line, the body."""
    yield _record("slug", record.slug)
    yield _record("description", record.description)
    for field, value in fields:
        yield _record(field, value)
    for resource in resources:
        yield _record("resource", resource.path, resource.size)
    yield ""
    yield safe(body).removesuffix("\n")
