"""Rules on the optional fields of a skill, and on keys that are none of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from insomnia_skills.clients.keys import (
    CLIENT_KEY_TABLE,
    QUIET_KEY_TABLE,
    QUIET_KEYS,
    ClientKey,
    some,
)
from insomnia_skills.diagnostic import Edit, Finding, Fix, Severity
from insomnia_skills.rule import rule
from insomnia_skills.rules.name import renaming_key
from insomnia_skills.yaml.node import Entry, Node, Scalar, Sequence, describe
from insomnia_skills.yaml.node import Mapping as MappingNode
from insomnia_skills.yaml.quoting import quoting_bare, written

MAX_COMPATIBILITY_LENGTH = 500

_TOOL = r"(?:[^\s()]|\([^()\r\n]*\))+"
_COLON_AND_BREAK = r"[ \t]*:[ \t]*(?:\r\n|\r|\n)\s*"

_HAS_NO_EFFECT = {
    "model_invokation": "the model may call every skill",
    "model_invocation": "the model may call every skill",
    "user_invocable": "the user may call every skill",
    "requires": "a skill requires no Knowledge",
}
"""Fields of native Workflows, one also as it is mostly misspelt, and what holds for a skill."""

_KEEP = "keep it for those clients, and say in the body what is to happen here"

SKILL_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")


def _bare(key: str) -> str:
    """A key without what people vary: case, hyphens, underscores, blanks."""
    return "".join(key.replace("-", "").replace("_", "").split()).lower()


_CLIENT_KEYS = {_bare(client.key): client for client in CLIENT_KEY_TABLE}
_QUIET_KEYS = {_bare(client.key): client for client in QUIET_KEY_TABLE}


@rule(Severity.ERROR, "specification: license field", fix="safe")
def license_type(value: Node) -> Finding | None:
    """The ``license`` is not text.

    A license is a name or the name of a file, and clients show it as they find it.

    Fails:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        license: 2.0
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        license: Apache-2.0
        ---
        Run `pdftotext` on the file.
    """
    return _not_text("license", value, _as_text(value))


@rule(Severity.ERROR, "specification: compatibility field", fix="safe")
def compatibility_type(value: Node) -> Finding | None:
    """The ``compatibility`` is not text.

    It is a sentence for people and models on what the skill needs; a lone number says too little.

    Fails:
        -- notebook/SKILL.md --
        ---
        name: notebook
        description: Tidy a Jupyter notebook. Use before one is committed.
        compatibility: 3.12
        ---
        Clear the outputs.

    Passes:
        -- notebook/SKILL.md --
        ---
        name: notebook
        description: Tidy a Jupyter notebook. Use before one is committed.
        compatibility: Needs Python 3.12.
        ---
        Clear the outputs.
    """
    return _not_text("compatibility", value, "write one sentence on what the skill needs")


@rule(Severity.ERROR, "specification: compatibility field")
def compatibility_length(value: Node) -> Finding | None:
    """The ``compatibility`` is empty or has more than 500 characters.

    The specification sets the limits. What needs more words belongs in the body.

    Fails:
        -- issues/SKILL.md --
        ---
        name: issues
        description: List the open issues. Use when asked what is left to do.
        compatibility: {20 × Needs git and network access. }
        ---
        Sort them by age.

    Passes:
        -- issues/SKILL.md --
        ---
        name: issues
        description: List the open issues. Use when asked what is left to do.
        compatibility: Needs git and network access.
        ---
        Sort them by age.
    """
    if not isinstance(value, Scalar) or value.is_null or value.is_refused:
        return None
    length = len(value.value)
    if 1 <= length <= MAX_COMPATIBILITY_LENGTH:
        return None
    return Finding(
        f"compatibility has {length:,} characters, it must have 1 to {MAX_COMPATIBILITY_LENGTH}",
        value.start,
        value.end,
        help="shorten it" if length else "remove the key, or say what the skill needs",
    )


@rule(Severity.ERROR, "specification: metadata field")
def metadata_type(value: Node) -> Finding | None:
    """The ``metadata`` is not a set of ``key: value`` lines.

    Clients look for keys in it, and find none in a number, a text or a list.

    Fails:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        metadata: version 2
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        metadata:
          version: "2"
        ---
        Run `pdftotext` on the file.
    """
    if isinstance(value, MappingNode) or (isinstance(value, Scalar) and value.is_null):
        return None
    return Finding(
        f"metadata must be key: value lines, this is {describe(value)}",
        value.start,
        value.end,
        help="indent key: value lines below metadata:",
    )


@rule(Severity.WARNING, "specification: metadata field", fix="safe")
def metadata_value_type(entry: Entry) -> Finding | None:
    """A value in ``metadata`` is not text.

    The specification maps strings to strings. insomnia keeps the value as written; a client that
    keeps to the letter drops it, or turns ``1.10`` into ``1.1``.

    Fails:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        metadata:
          version: 1.10
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        metadata:
          version: "1.10"
        ---
        Run `pdftotext` on the file.
    """
    value = entry.value
    if isinstance(value, Scalar) and (value.is_text or value.is_refused):
        return None
    if isinstance(value, Scalar) and value.is_null:
        advice = "write a text, or take the key out"
    else:
        advice = _as_text(value)
    return Finding(
        f"metadata {_quoted(entry.key.value)} should be text, this is {describe(value)}",
        value.start,
        value.end,
        help=advice,
        fix=quoting_bare(value),
    )


@rule(Severity.WARNING, "ticket: mapping")
def allowed_tools_ignored(entry: Entry) -> Finding:
    """``allowed-tools`` has no effect until insomnia has a permission layer.

    It is kept and shown, but a skill that was written to be read-only is not held to that.

    Fails:
        -- audit/SKILL.md --
        ---
        name: audit
        description: Look for secrets in the repository. Use before it is published.
        allowed-tools: Read Grep
        ---
        Report each place with its line.

    Passes:
        -- audit/SKILL.md --
        ---
        name: audit
        description: Look for secrets in the repository. Use before it is published.
        ---
        Report each place with its line. Change no file.
    """
    return Finding(
        "insomnia does not enforce allowed-tools yet",
        entry.key.start,
        entry.key.end,
        help="don't rely on it to keep the skill from using a tool",
    )


@rule(Severity.INFO, "specification: allowed-tools field", fix="safe")
def allowed_tools_list(entry: Entry, text: str) -> Finding | None:
    """``allowed-tools`` is a list.

    The specification has one text with blanks between the tools. insomnia and most clients take a
    list as well; a client that keeps to the letter may refuse the skill. This is about how the
    field is written; that it has no effect here is said by ``allowed-tools-ignored``.

    Fails:
        -- audit/SKILL.md --
        ---
        name: audit
        description: Look for secrets in the repository. Use before it is published.
        allowed-tools: [Read, Grep]
        ---
        Report each place with its line. Change no file.

    Passes:
        -- audit/SKILL.md --
        ---
        name: audit
        description: Look for secrets in the repository. Use before it is published.
        allowed-tools: Read Grep
        ---
        Report each place with its line. Change no file.
    """
    tools = entry.value
    if not isinstance(tools, Sequence):
        return None
    return Finding(
        "allowed-tools is a list, the specification has a text with blanks between the tools",
        tools.start,
        tools.end,
        help="write the tools on the line of the key, with blanks between them",
        fix=_joining_tools(entry.key, tools, text),
    )


def _joining_tools(key: Scalar, tools: Sequence, text: str) -> Fix[Edit] | None:
    """The fix that makes one text of a list of tools; None where something would be lost."""
    names = []
    begin = key.end
    for item in tools.items:
        if not isinstance(item, Scalar) or not item.is_text or not re.fullmatch(_TOOL, item.value):
            return None
        if "#" in text[begin : item.start]:
            return None
        names.append(item.value)
        begin = item.end
    if not names:
        return None
    in_brackets = text.startswith("[", tools.start)
    # A comment behind the bracket stays where it is; behind the last item it speaks of the item.
    behind = "" if in_brackets else re.split(r"[\r\n]", text[tools.end :], maxsplit=1)[0]
    if "#" in text[begin : tools.end] + behind:
        return None
    value = written(" ".join(names))
    edit = Edit(tools.start, tools.end, value)
    if not in_brackets:
        if not re.fullmatch(_COLON_AND_BREAK, text[key.end : tools.start]):
            return None
        colon = text.index(":", key.end) + 1
        edit = Edit(colon, tools.end, f" {value}")
    return Fix("write the tools as one text", (edit,))


@rule(Severity.INFO, "ticket: verification")
def unknown_field(key: Scalar, known: tuple[str, ...]) -> Finding:
    """A key is none of the fields of a skill or a native Workflow; insomnia ignores it.

    Clients ignore what they don't know, some refuse it. Keys of your own have a place:
    ``metadata``.

    Fails:
        -- invoice/SKILL.md --
        ---
        name: invoice
        description: Fill in an invoice. Use when the user asks for one.
        department: accounting
        ---
        Number it after the last one in the ledger.

    Passes:
        -- invoice/SKILL.md --
        ---
        name: invoice
        description: Fill in an invoice. Use when the user asks for one.
        metadata:
          department: accounting
        ---
        Number it after the last one in the ledger.
    """
    return Finding(
        f"{_quoted(key.value)} is none of the fields, insomnia ignores it",
        key.start,
        key.end,
        help="keys of your own belong under metadata:" if "metadata" in known else None,
    )


@rule(Severity.WARNING, "decision: SKILL.md", fix="unsafe")
def misspelt_field(key: Scalar, field: str, is_there: bool) -> Finding:
    """A key looks like a known field with a slip in it, so it is ignored.

    Fails:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        licence: MIT
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        license: MIT
        ---
        Run `pdftotext` on the file.
    """
    return Finding(
        f"{_quoted(key.value)} is ignored, did you mean {field}?",
        key.start,
        key.end,
        help=f"write {field}:",
        fix=None if is_there else renaming_key(key, field),
    )


@rule(Severity.WARNING, "ticket: mapping")
def workflow_field_in_skill(key: Scalar) -> Finding:
    """A skill has a field of native Workflows, where it has no effect.

    Whatever a skill says, the model and the user may call it, and it requires no Knowledge. A
    value that says just that (``user_invocable: true``) is left alone. ``user-invocable`` with a
    hyphen, and ``requires`` with keys below it, are other clients' keys.

    Fails:
        -- deploy/SKILL.md --
        ---
        name: deploy
        description: Ship a release to production. Use when asked to deploy.
        model_invokation: false
        ---
        Deploy to staging first.

    Passes:
        -- deploy/SKILL.md --
        ---
        name: deploy
        description: Ship a release to production. Use only when the user asks to deploy.
        ---
        Unless the user asked for it, stop here. Deploy to staging first.
    """
    return Finding(
        f'"{key.value}" is a field of native Workflows and has no effect here: '
        f"{_HAS_NO_EFFECT[key.value]}",
        key.start,
        key.end,
        help="say in the body what is to happen, or make it a native Workflow"
        + ("; there it is spelt model_invokation" if key.value == "model_invocation" else ""),
    )


@rule(Severity.WARNING, "decision: SKILL.md")
def client_field_ignored(key: Scalar, client: ClientKey) -> Finding:
    """A key changes what other clients do, and has no effect in insomnia.

    Who wrote it relies on something that does not happen here: a skill that was to be hidden from
    the model, say, is offered to it. A key without a value, or with one that asks for what happens
    anyway, is left alone.

    Fails:
        -- deploy/SKILL.md --
        ---
        name: deploy
        description: Ship a release to production. Use when asked to deploy.
        disable-model-invocation: true
        ---
        Deploy to staging first.

    Passes:
        -- deploy/SKILL.md --
        ---
        name: deploy
        description: Ship a release to production. Use only when the user asks to deploy.
        ---
        Unless the user asked for it, stop here. Deploy to staging first.
    """
    here = f"; {client.here}" if client.here else ""
    return Finding(
        f"insomnia ignores {_quoted(key.value)}, which in {some(client.clients)} "
        f"{client.effect}{here}",
        key.start,
        key.end,
        help=client.instead or _KEEP,
    )


def _as_text(value: Node) -> str:
    """What to do about a value that is no text."""
    if isinstance(value, Scalar):
        return "put it in double quotes"
    has_key = isinstance(value, Sequence) or value.entries or value.end - value.start <= len("{ }")
    # The key of {{ a template }} is no text, so it does not count.
    return "write it as one text" if has_key else "fill it in, or put it in double quotes"


def _is_empty(value: Node) -> bool:
    """Whether a key counts as absent: nothing follows it, or only empty quotes or brackets."""
    if isinstance(value, Scalar):
        return value.is_null or not value.value.strip()
    return not (value.items if isinstance(value, Sequence) else value.entries)


def _not_text(field: str, value: Node, help: str) -> Finding | None:
    if isinstance(value, Scalar) and (value.is_text or value.is_null):
        return None
    message = f"{field} must be text, this is {describe(value)}"
    return Finding(message, value.start, value.end, help, fix=quoting_bare(value))


def check_optional(fields: Mapping[str, Entry], text: str) -> Iterator[Finding]:
    """What is wrong with the optional fields that are there."""
    for name, checks in _CHECKS:
        entry = fields.get(name)
        if entry is None or (isinstance(entry.value, Scalar) and entry.value.is_refused):
            continue
        found = next(filter(None, (check(entry.value) for check in checks)), None)
        if found is not None:
            yield found
    metadata = fields.get("metadata")
    if metadata and isinstance(metadata.value, MappingNode):
        # Of {{ a template }} the reader of YAML has said what is wrong.
        entries = metadata.value.entries.values()
        judged = (entry for entry in entries if not text.startswith("{{", entry.value.start))
        yield from filter(None, map(metadata_value_type, judged))
    if tools := fields.get("allowed-tools"):
        if not _is_empty(tools.value):
            yield allowed_tools_ignored(tools)
        if as_list := allowed_tools_list(tools, text):
            yield as_list


_CHECKS = (
    ("license", (license_type,)),
    ("compatibility", (compatibility_type, compatibility_length)),
    ("metadata", (metadata_type,)),
)


def check_keys(
    fields: Mapping[str, Entry], known: tuple[str, ...], blamed: set[str]
) -> Iterator[Finding]:
    """What is to say about keys that are none of ``known``; ``blamed`` are spoken of already."""
    for name, entry in fields.items():
        if name in known or name in blamed:
            continue
        in_skill = known == SKILL_FIELDS
        client = _CLIENT_KEYS.get(_bare(name)) if in_skill else None
        if in_skill and name in _HAS_NO_EFFECT and not _is_of_others(name, entry.value):
            if not _says_what_holds(name, entry.value):
                yield workflow_field_in_skill(entry.key)
        elif client is not None:
            if matters(entry.value, client):
                yield client_field_ignored(entry.key, client)
        elif field := likely_field(name, known):
            yield misspelt_field(entry.key, field, field in fields)
        else:
            yield unknown_field(entry.key, known)


def find_client_key(name: str) -> ClientKey | None:
    """The key of other clients that a key is, but for case and separators."""
    return _CLIENT_KEYS.get(_bare(name)) or _QUIET_KEYS.get(_bare(name))


def without_effect(name: str) -> str:
    """What holds for every skill, if this is a native Workflow's field; else nothing."""
    return _HAS_NO_EFFECT.get(name, "")


def matters(value: Node, client: ClientKey) -> bool:
    """Whether a key of other clients asks for what insomnia does not do anyway."""
    if _is_empty(value):
        return False
    word = value.value if isinstance(value, Scalar) else ""
    return word in client.harmful if client.harmful else word not in client.harmless


def _says_what_holds(name: str, value: Node) -> bool:
    """Whether a native Workflow's field says of a skill what holds for every skill."""
    if name == "requires" or _is_empty(value):
        return _is_empty(value)
    return isinstance(value, Scalar) and value.value.lower() == "true"


def _is_of_others(name: str, value: Node) -> bool:
    """Whether it only has the name of a native Workflow's field: Knowledge is a list of names."""
    return name == "requires" and isinstance(value, MappingNode) and not _is_empty(value)


def find_misspelt(fields: Mapping[str, Entry], field: str, known: tuple[str, ...]) -> Scalar | None:
    """The key that was probably meant to be ``field``; None where ``field`` itself is there."""
    if field in fields:
        return None
    for name, entry in fields.items():
        if name not in known and likely_field(name, known) == field:
            return entry.key
    return next((fields[name].key for name in _MEANT.get(field, ()) if name in fields), None)


_MEANT = {"description": ("desc", "Desc", "descr", "summary", "about")}
"""Keys that are no slip of the finger, but all that there is in the place of a field."""


def likely_field(key: str, known: tuple[str, ...]) -> str | None:
    """The known field that ``key`` is, but for case, separators or one slip of the finger."""
    bare = _bare(key)
    fields = _by_bare(known)
    same = fields.get(bare)
    if same or key in QUIET_KEYS:
        return same
    for name, field in fields.items():
        if len(field) > 4 and _one_slip(bare, name):
            return field
    return None


@cache
def _by_bare(known: tuple[str, ...]) -> dict[str, str]:
    """Fields by what is left of them when nothing that people vary counts."""
    return {_bare(field): field for field in known}


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter is wrong, missing, too many, or two neighbours are swapped."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    return (
        rest_a[1:] == rest_b[1:]
        or rest_a[1:] == rest_b
        or rest_a == rest_b[1:]
        or (rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:])
    )


def _quoted(key: str) -> str:
    return f'"{key if len(key) <= 40 else key[:39] + "…"}"'
