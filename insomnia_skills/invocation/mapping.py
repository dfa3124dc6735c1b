"""The mapping field by field: what a Workflow keeps of its file, fixes, or drops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from insomnia_skills.clients.keys import (
    CLIENT_FILE_TABLE,
    METADATA_KEY_TABLE,
    ClientKey,
)
from insomnia_skills.diagnostic import Lines
from insomnia_skills.file import leads_out
from insomnia_skills.invocation.preview import Preview
from insomnia_skills.markup import Markup
from insomnia_skills.native import WORKFLOW_FIELDS
from insomnia_skills.rules.optional import (
    SKILL_FIELDS,
    find_client_key,
    likely_field,
    matters,
    without_effect,
)
from insomnia_skills.rules.placeholders import find_client_placeholders
from insomnia_skills.yaml.node import Entry, Plain, plain

_NO_KNOWLEDGE = "no Knowledge comes before the body"


class Fate(StrEnum):
    """What becomes of a field.

    ``kept``: the Workflow has it. ``fixed``: insomnia sets it, whatever the file says. ``dropped``:
    nothing in the Workflow is left of it. ``literal``: a text that other clients put something in
    place of stays as it is.
    """

    KEPT = "kept"
    FIXED = "fixed"
    DROPPED = "dropped"
    LITERAL = "literal"


@dataclass(frozen=True, slots=True)
class Mapped:
    """One field of the file, or one of the Workflow.

    ``value`` is the file's, as written; None where it has none. ``becomes`` is what the Workflow
    has for it, empty where that is nothing. ``consequence`` says what follows, for people.
    ``lines`` are the 1-based lines of the file where it stands.
    """

    field: str
    value: Plain
    becomes: str
    fate: Fate
    consequence: str
    lines: tuple[int, ...] = ()


def map_fields(preview: Preview) -> tuple[Mapped, ...]:
    """What becomes of everything in a Workflow's file, in the order of the mapping."""
    fields = preview.document.fields or {}
    native = preview.record.directory is None
    return (
        *(_native(preview, fields) if native else _skill(preview, fields)),
        *_others(preview, fields, WORKFLOW_FIELDS if native else SKILL_FIELDS),
        *_body(preview, fields),
    )


def _native(preview: Preview, fields: Mapping[str, Entry]) -> Iterator[Mapped]:
    record = preview.record
    slug = record.slug
    at = _Places(preview)
    by_model, by_user = record.model_invokation, record.user_invocable
    model = (
        "the model may call it" if by_model else "the model may not call it, nor is it told of it"
    )
    user = f"you may call it as /{slug}" if by_user else f"/{slug} is refused where you type it"
    yield Mapped("file name", record.path.name, f"slug: {slug}", Fate.KEPT, "the slug is its name")
    if "description" in fields:
        yield at("description", "description", Fate.KEPT, _told(preview))
    for field, value, consequence in (
        ("model_invokation", by_model, model),
        ("user_invocable", by_user, user),
    ):
        default = "" if field in fields else ", by default"
        yield at(field, str(value).lower(), Fate.KEPT, consequence + default)
    if record.requires:
        comes = "each comes before the body, as a message of its own"
        yield at("requires", ", ".join(record.requires), Fate.KEPT, comes)
    else:
        yield at("requires", "none", Fate.KEPT, _NO_KNOWLEDGE)
    for field in ("created_at", "updated_at"):
        if field in fields:
            yield at(field, "", Fate.DROPPED, "is for people, nothing depends on it")


def _skill(preview: Preview, fields: Mapping[str, Entry]) -> Iterator[Mapped]:
    slug = preview.record.slug
    at = _Places(preview)
    if "name" in fields:
        yield at("name", f"slug: {slug}", Fate.KEPT, "the slug is the directory's name")
    if "description" in fields:
        yield at("description", "description", Fate.KEPT, _told(preview))
    told = "the model may call it and is told of it, always"
    yield at("model_invokation", "true", Fate.FIXED, told)
    yield at("user_invocable", "true", Fate.FIXED, f"you may call it as /{slug}, always")
    yield at("requires", "none", Fate.FIXED, _NO_KNOWLEDGE)
    for field in ("license", "compatibility", "metadata"):
        if field in fields:
            yield at(field, field, Fate.KEPT, "is shown, and has no effect")
    metadata = preview.record.metadata or {}
    for client in METADATA_KEY_TABLE:
        if client.key in metadata:
            field = f"metadata.{client.key}"
            here = client.here or "here it has no effect"
            consequence = f"{_there(client)}; {here}"
            value = metadata[client.key]
            yield Mapped(field, value, field, Fate.KEPT, consequence, at.lines("metadata"))
    if "allowed-tools" in fields:
        yield at(
            "allowed-tools",
            "allowed-tools",
            Fate.KEPT,
            "is not enforced: the model may use every tool that its Pod has; "
            "in Claude Code it approves these beforehand, here it approves nothing",
        )


def _others(
    preview: Preview, fields: Mapping[str, Entry], known: tuple[str, ...]
) -> Iterator[Mapped]:
    """Keys that are no field of the file, in the order written."""
    at = _Places(preview)
    fixed = ("model_invokation", "user_invocable", "requires")
    for name, entry in fields.items():
        if name not in known and name not in fixed:
            yield at(name, "", Fate.DROPPED, _loss(name, entry, known))


def _loss(name: str, entry: Entry, known: tuple[str, ...]) -> str:
    in_skill = known == SKILL_FIELDS
    client = find_client_key(name) if in_skill else None
    if in_skill and (holds := without_effect(name)):
        return f"is a field of native Workflows; {holds}"
    if client is not None and not matters(entry.value, client):
        return f"{_there(client)}; the value asks for what insomnia does anyway"
    if client is not None:
        return f"{_there(client)}; {client.here or 'here it does nothing'}"
    if field := likely_field(name, known):
        return f"insomnia does not know it; {field} may be meant"
    return "insomnia does not know it"


def _there(client: ClientKey) -> str:
    """What a key does in the clients that know it."""
    *most, last = client.clients
    clients = f"{', '.join(most)} and {last}" if most else last
    return f"in {clients} it {client.effect}"


def _told(preview: Preview) -> str:
    count = _characters(preview.record.description)
    if preview.record.model_invokation:
        return f"the model is told it in every conversation, {count}"
    return f"people see it in lists, the model does not, {count}"


def _characters(text: str) -> str:
    return f"{len(text):,} character{'' if len(text) == 1 else 's'}"


def _body(preview: Preview, fields: Mapping[str, Entry]) -> Iterator[Mapped]:
    document = preview.document
    size = _characters(document.body)
    markup = Markup(document.text, document.body_start)
    skill = preview.record.directory is not None
    unclear = skill and markup.unclear
    more = "; it is too long or too muddled to look for other clients' placeholders in"
    placeholders = list(find_client_placeholders(markup, fields)) if skill else []
    if not unclear:
        most = "".join(f"{limit:,} {what}" for what, limit in markup.reached.items())
        more = f"; only the first {most} are looked at" if most else ""
    yield Mapped("body", None, "body", Fate.KEPT, f"unchanged, {size}{more}")
    if not skill:
        return
    lines = Lines(document.text)
    for client, spans in placeholders:
        start, end = spans[0]
        found = document.text[start:end]
        numbers = tuple(dict.fromkeys(lines.position(start)[0] for start, _ in spans))
        consequence = f"stays as it is; in {client.clients} it {client.effect}; {client.instead}"
        yield Mapped(client.text, found, found, Fate.LITERAL, consequence, numbers)
    yield from _files(preview)


def _files(preview: Preview) -> Iterator[Mapped]:
    paths = {reach.resource.path for reach in preview.resources}
    for client in CLIENT_FILE_TABLE:
        if client.key in paths:
            yield Mapped(client.key, None, "file", Fate.KEPT, f"{_there(client)}; {client.here}")
    if paths:
        consequence = "the Pod may read what lies in the skill directory; insomnia runs none of it"
        yield Mapped("files", None, "readable", Fate.KEPT, consequence)


class _Places:
    """Makes the row of a field of the frontmatter, with its value and its line.

    Of a file that lies elsewhere no value is given that the record does not have: what a link
    leads to may be somebody's secret.
    """

    def __init__(self, preview: Preview) -> None:
        self._fields = preview.document.fields or {}
        self._lines = Lines(preview.document.text)
        self._elsewhere = leads_out(preview.document.path)

    def __call__(self, field: str, becomes: str, fate: Fate, consequence: str) -> Mapped:
        entry = self._fields.get(field)
        withheld = entry is None or (self._elsewhere and fate is Fate.DROPPED)
        value = None if withheld or entry is None else plain(entry.value)
        return Mapped(field, value, becomes, fate, consequence, self.lines(field))

    def lines(self, field: str) -> tuple[int, ...]:
        """The line of a field's key, if it is there."""
        entry = self._fields.get(field)
        return (self._lines.position(entry.key.start)[0],) if entry else ()
