"""What there is to say about one Workflow, as fields with a value each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from insomnia_skills.node import Plain
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import PathNames, one_line, plural
from insomnia_skills.resources import Resource
from insomnia_skills.workflow import WorkflowRecord


def show_fields(
    record: WorkflowRecord, resources: Sequence[Resource], result: Ingest
) -> list[tuple[str, str]]:
    """What there is to say about a Workflow, as (field, value); only what it has."""
    labels = Labels(result)
    name = labels.name
    source = record.source
    fields = [
        ("from", f"{name(record.path)} ({source.kind.label}, rank {source.rank})"),
        ("called by", _callers(record)),
        ("requires", ", ".join(record.requires)),
    ]
    if record.stand_in:
        fields.append(("stands in", "a copy of higher rank is broken"))
    fields += (
        ("shadows", f"{labels.record(shadow.lost)} ({shadow.relation.value})")
        for shadow in result.shadows
        if shadow.slug == record.slug
    )
    fields += [
        ("license", record.license or ""),
        ("compatibility", record.compatibility or ""),
        ("metadata", _plain(record.metadata)),
        ("allowed-tools", _plain(record.allowed_tools)),
    ]
    if record.directory is not None:
        fields.append(("readable", _readable(record, resources, name)))
    return [(field, one_line(value)) for field, value in fields if value]


def size_label(size: int) -> str:
    """A size in decimal units: 512 B, 1.5 kB, 12 kB."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"


def _callers(record: WorkflowRecord) -> str:
    callers = []
    if record.user_invocable:
        callers.append(f"you (/{record.slug})")
    if record.model_invokation:
        callers.append("the model")
    return " and ".join(callers) or "nobody: model_invokation and user_invocable are false"


def _plain(value: Plain | Mapping[str, Plain]) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return ", ".join(f"{key}: {_plain(item)}" for key, item in value.items())


def _readable(record: WorkflowRecord, resources: Sequence[Resource], name: PathNames) -> str:
    assert record.directory is not None
    readable = [resource for resource in resources if resource.readable]
    size = sum(resource.size for resource in readable) + record.path.stat().st_size
    what = f"{name(record.directory)}/**: {plural(len(readable) + 1, 'file')}, {size_label(size)}"
    unreadable = len(resources) - len(readable)
    return what + (f"; {unreadable} not readable" if unreadable else "")
