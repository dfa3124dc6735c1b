"""What there is to say about one copy of a Workflow, as fields with a value each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from insomnia_skills.invocation.preview import Preview, Reach
from insomnia_skills.native import why_missing
from insomnia_skills.pipeline import Ingest
from insomnia_skills.registry import Shadow
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.text import one_line, plural, size_label
from insomnia_skills.resolution.ladder import Outcome
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workflow import WorkflowRecord
from insomnia_skills.yaml.node import Plain

MARKS = {Outcome.WINS: "", Outcome.SHADOWED: " (shadowed)", Outcome.SKIPPED: " (broken)"}
"""What stands behind the slug of a copy."""

_MOST_DIRECTORIES = 4


def show_fields(preview: Preview, result: Ingest) -> list[tuple[str, str]]:
    """What there is to say about a copy, as (field, value); only what it has."""
    return [(field, one_line(value)) for field, value in _fields(preview, result) if value]


def notes(preview: Preview, result: Ingest) -> Iterator[str]:
    """What is to be known before a copy is taken for what a Pod is given, in sentences."""
    slug = preview.record.slug
    if preview.shadow is not None:
        yield f"This copy of /{slug} is shadowed {_shadowed_by(preview.shadow, Labels(result))}."
    if preview.outcome is Outcome.SKIPPED:
        yield f"This copy of /{slug} is broken: {_NEVER_GIVEN}."
    if not preview.record.user_invocable:
        by_model = preview.record.model_invokation
        who = "only the model calls it" if by_model else "nobody may call it"
        yield f"/{slug} would be refused: user_invocable is false, {who}."


_NEVER_GIVEN = "a Pod is never given it"


def _fields(preview: Preview, result: Ingest) -> Iterator[tuple[str, str]]:
    record = preview.record
    labels = Labels(result)
    source = record.source
    yield "from", f"{labels.name(record.path)} ({source.kind.label}, rank {source.rank})"
    if preview.shadow is not None:
        yield "shadowed", _shadowed_by(preview.shadow, labels)
    if preview.outcome is Outcome.SKIPPED:
        reasons = (f"{d.rule} at {d.line}:{d.column}: {d.message}" for d in preview.diagnostics)
        yield "broken", f"{'; '.join(reasons)}; {_NEVER_GIVEN}"
    else:
        if_won = "" if preview.shadow is None else "if it won: "
        yield "called by", if_won + _callers(record)
    yield "requires", ", ".join(_required(record, result))
    for standing, broken in result.stand_ins:
        if record.stand_in and standing.slug == record.slug:
            yield "stands in", f"for {labels.name(broken.path)}, broken: {broken.reason}"
    if preview.outcome is Outcome.WINS:
        for shadow in result.shadows:
            if shadow.slug == record.slug:
                yield "shadows", f"{labels.record(shadow.lost)} ({_relation(shadow)})"
    yield "license", record.license or ""
    yield "compatibility", record.compatibility or ""
    yield "metadata", plain_text(record.metadata)
    yield "allowed-tools", plain_text(record.allowed_tools)
    if record.directory is not None:
        if_won = "" if preview.outcome is Outcome.WINS else "if it won: "
        yield "readable", if_won + _readable(preview)


def reach_label(reach: Reach) -> str:
    """What is to be known of a resource besides its size and kind; nothing of most."""
    resource, rule = reach
    words = ["executable"] if resource.executable else []
    if resource.link is not None:
        words.append(f"link to {one_line(resource.link)}")
    if rule is None:
        words.append("not readable" + ("" if resource.link else ": the system refuses it"))
    elif not resource.readable:
        slugs = " and ".join(f"/{slug}" for slug in rule.slugs)
        words.append(f"readable by the rule of {slugs}")
    return ", ".join(words)


def plain_text(value: Plain | Mapping[str, Plain]) -> str:
    """A YAML value in one line, nearly as it was written."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(plain_text, value))
    return ", ".join(f"{key}: {plain_text(item)}" for key, item in value.items())


def _shadowed_by(shadow: Shadow, labels: Labels) -> str:
    kept = shadow.kept
    return (
        f"by {labels.record(kept)} (rank {kept.source.rank}, {_relation(shadow)}): {_NEVER_GIVEN}"
    )


def _relation(shadow: Shadow) -> str:
    differs = ", ".join(shadow.differs)
    return f"differs in {differs}" if differs else shadow.relation.value


def _callers(record: WorkflowRecord) -> str:
    if record.user_invocable:
        return f"you (/{record.slug})" + (" and the model" if record.model_invokation else "")
    who = "the model alone" if record.model_invokation else "nobody: model_invokation is false"
    return f"{who}; /{record.slug} would be refused, user_invocable is false"


def _required(record: WorkflowRecord, result: Ingest) -> Iterator[str]:
    for slug in record.requires:
        knowledge = result.workspace.knowledge
        reason = why_missing(knowledge / f"{slug}.md", knowledge)
        yield f"{slug} ({reason})" if reason else slug


def _readable(preview: Preview) -> str:
    readable = [reach.resource for reach in preview.resources if reach.rule]
    count, size = len(readable), sum(resource.size for resource in readable)
    # A SKILL.md that is a link is one of the resources.
    if not any(reach.resource.path == SKILL_FILE for reach in preview.resources):
        count, size = count + 1, size + len(preview.document.text.encode())
    what = f"{plural(count, 'file')}, {size_label(size)}"
    parts = (resource.path.partition("/") for resource in readable)
    counts = Counter(f"{directory}/" for directory, slash, _ in parts if slash)
    most = [f"{name} {count:,}" for name, count in counts.most_common(_MOST_DIRECTORIES)]
    if most:
        what += f": {', '.join(most)}" + (", …" if len(counts) > len(most) else "")
    unreadable = len(preview.resources) - len(readable)
    return what + (f"; {unreadable:,} not readable" if unreadable else "")
