"""A SKILL.md becomes a SkillRecord, or the diagnostics that say why it does not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from insomnia_skills.diagnostic import Finding, Severity, diagnose, without_echoes
from insomnia_skills.file import FileText, read_skill_text
from insomnia_skills.frontmatter import Document, read_document
from insomnia_skills.judged import Judged, SkillReading, SkillRecord
from insomnia_skills.markup import Markup
from insomnia_skills.resources import Answers, look_beside
from insomnia_skills.rules.body import check_size
from insomnia_skills.rules.characters import escaped_characters, unseen_characters
from insomnia_skills.rules.description import check_description, description_cut_by_comment
from insomnia_skills.rules.ignores import find_ignores
from insomnia_skills.rules.name import adding_name, check_name
from insomnia_skills.rules.optional import (
    SKILL_FIELDS,
    check_keys,
    check_optional,
    find_misspelt,
)
from insomnia_skills.rules.prose import check_prose
from insomnia_skills.scan import Found
from insomnia_skills.yaml.node import Entry, Plain, Scalar, plain


def read_skill(
    found: Found, thorough: bool = False, file: FileText | None = None, body: bool = True
) -> SkillReading:
    """Read and judge one skill.

    With ``thorough`` its body and the files beside it are judged too, which never adds an error.
    ``file`` is the text to judge where that is not what lies at the path. Without ``body`` a
    thorough reading leaves these rules out, but has the ``ignores``.
    """
    if found.finding is not None:
        return SkillReading(None, diagnose(found.path, "", (found.finding,)))
    judged = judge_file(found.file, found.name, thorough, file=file, body=body)
    return look_beside(found, judged, thorough and body)


def judge_file(
    place: str,
    name: str,
    thorough: bool = False,
    record: bool = True,
    file: FileText | None = None,
    body: bool = True,
) -> Judged:
    """Read and judge the SKILL.md at ``place``, in a directory that is found as ``name``.

    ``record`` says whether one is wanted; the other arguments are as `read_skill` takes them.
    """
    path = Path(place)
    if file is None:
        file = read_skill_text(place)
    document = read_document(path, file)
    findings = list(document.findings)
    answers = Answers(os.path.dirname(place))
    if document.fields is not None:
        findings += check_fields(document.fields, document.text, name)
    broken = any(finding.severity is Severity.ERROR for finding in findings)
    if thorough and body and document.fields is not None:
        findings += _check_body(document, answers)
    quote = not file.is_outside
    diagnostics = diagnose(path, document.text, without_echoes(findings), quote)
    made = _record(name, document) if record and not broken else None
    ignores = find_ignores(document.text, document.body_start) if thorough and quote else ()
    return Judged(made, diagnostics, ignores, answers.given, answers.alone)


def _check_body(document: Document, answers: Answers) -> Iterator[Finding]:
    markup = Markup(document.text, document.body_start, document.data)
    yield from check_size(markup)
    yield from check_prose(document.fields or {}, markup, answers, answers.is_alone)
    yield from unseen_characters(markup)


def check_fields(fields: Mapping[str, Entry], text: str, directory: str) -> Iterator[Finding]:
    """What is wrong with a skill's fields; one root cause a field."""
    blamed = {
        field: misspelt
        for field in ("name", "description")
        if (misspelt := find_misspelt(fields, field, SKILL_FIELDS))
    }
    adding = None if "name" in fields else adding_name(fields, text, directory)
    name = check_name(fields.get("name"), directory, blamed.get("name"), adding)
    description = check_description(fields.get("description"), text, blamed.get("description"))
    yield from filter(None, (name, description))
    if description is None:
        value = fields["description"].value
        if isinstance(value, Scalar) and (cut := description_cut_by_comment(value, text)):
            yield cut
    yield from check_optional(fields, text)
    yield from check_keys(fields, SKILL_FIELDS, {key.value for key in blamed.values()})
    yield from escaped_characters(fields, text)


def _record(name: str, document: Document) -> SkillRecord:
    values = {name: plain(entry.value) for name, entry in (document.fields or {}).items()}
    metadata = values.get("metadata")
    return SkillRecord(
        slug=name,
        description=str(values["description"]),
        path=document.path,
        license=_text(values.get("license")),
        compatibility=_text(values.get("compatibility")),
        metadata=metadata if isinstance(metadata, dict) else None,
        allowed_tools=values.get("allowed-tools"),
        body_digest=document.body_digest(),
    )


def _text(value: Plain) -> str | None:
    return value if isinstance(value, str) else None
