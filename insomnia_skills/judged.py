"""What came of judging a SKILL.md, as records and as the bytes that a cache keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.scanner import make_scanner
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from insomnia_skills.diagnostic import (
    Diagnostic,
    Excerpt,
    Fix,
    RelatedPlace,
    Replacement,
    Severity,
    Span,
)

if TYPE_CHECKING:
    from insomnia_skills.rules.ignores import Ignore
    from insomnia_skills.yaml.node import Plain


class SkillRecord(NamedTuple):
    """A valid skill, as the specification's fields have it.

    ``slug`` is the name of the directory, which a valid skill's ``name`` equals. ``metadata`` and
    ``allowed_tools`` are plain data as written, so ``1.10`` stays ``"1.10"``. ``body_digest`` is
    equal where two bodies are.
    """

    slug: str
    description: str
    path: Path
    license: str | None
    compatibility: str | None
    metadata: Mapping[str, Plain] | None
    allowed_tools: Plain
    body_digest: bytes

    @property
    def directory(self) -> Path:
        return self.path.parent


class SkillReading(NamedTuple):
    """What came of reading a skill. Without an error there is a record, if one was wanted.

    ``ignores`` are the comments of the file that silence rules, where it was read thoroughly.
    """

    record: SkillRecord | None
    diagnostics: tuple[Diagnostic, ...]
    ignores: tuple[Ignore, ...] = ()


class Judged(NamedTuple):
    """What is to be said of a SKILL.md without looking at the other files of its directory.

    That depends on nothing but its text, the name of its directory, and what was ``asked``: whether
    paths, relative to the directory, exist, each with the answer; and whether the skill is
    ``alone`` (see `resources.Answers`), None where nobody asked.
    """

    record: SkillRecord | None
    diagnostics: tuple[Diagnostic, ...]
    ignores: tuple[Ignore, ...] = ()
    asked: Mapping[str, bool] = {}
    alone: bool | None = None


def encode(judged: Judged) -> bytes:
    """What a cache keeps; nothing for a skill of which nothing is to be said and no record."""
    if judged == _NOTHING:
        return b""
    record, diagnostics, ignores, asked, alone = judged
    said = [_encode_diagnostic(diagnostic) for diagnostic in diagnostics]
    kept = (
        [
            record.description,
            record.license,
            record.compatibility,
            record.metadata,
            record.allowed_tools,
            record.body_digest.hex(),
        ]
        if record
        else None
    )
    return json.dumps([kept, said, ignores, dict(asked), alone], separators=(",", ":")).encode()


def decode(data: bytes, place: str, name: str) -> Judged:
    """What `encode` was given for the SKILL.md at ``place``, in a directory found as ``name``."""
    if not data:
        return _NOTHING
    kept, said, ignored, asked, alone = _scan(data.decode(), 0)[0]
    diagnostics = tuple(_decode_diagnostic(Path(place), item) for item in said) if said else ()
    ignores = tuple(map(_decode_ignore, ignored)) if ignored else ()
    record = None
    if kept:
        *texts, metadata, allowed_tools, digest = kept
        description, license, compatibility = texts
        record = SkillRecord(
            name,
            description,
            Path(place),
            license,
            compatibility,
            metadata,
            allowed_tools,
            bytes.fromhex(digest),
        )
    return Judged(record, diagnostics, ignores, asked, alone)


_NOTHING = Judged(None, ())
_scan = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]
"""What `json.loads` comes to, without its preparations."""


def _encode_diagnostic(diagnostic: Diagnostic) -> list[Any]:
    own = diagnostic.path
    return [
        diagnostic.rule,
        diagnostic.severity.value,
        diagnostic.message,
        *diagnostic.span,
        diagnostic.help,
        diagnostic.fix,
        [
            (what, str(path) if path != own else None, span)
            for what, path, span in diagnostic.related
        ],
        diagnostic.excerpt,
    ]


def _decode_diagnostic(own: Path, item: list[Any]) -> Diagnostic:
    rule, severity, message, line, column, end_line, end_column, help, fix, related, excerpt = item
    return Diagnostic(
        rule,
        Severity(severity),
        message,
        own,
        line,
        column,
        end_line,
        end_column,
        help,
        _decode_fix(*fix) if fix else None,
        tuple(
            RelatedPlace(what, own if path is None else Path(path), Span(*span))
            for what, path, span in related
        ),
        Excerpt(*excerpt) if excerpt else None,
    )


def _decode_fix(title: str, edits: list[Any], safe: bool, rename: str | None) -> Fix[Replacement]:
    replacements = (Replacement(Span(*span), text) for span, text in edits)
    return Fix(title, tuple(replacements), safe, rename)


def _decode_ignore(item: list[Any]) -> Ignore:
    from insomnia_skills.rules.ignores import Ignore

    rule, span, excerpt, line = item
    return Ignore(rule, Span(*span), Excerpt(*excerpt) if excerpt else None, line)
