"""A SKILL.md becomes a SkillRecord, or the diagnostics that say why it does not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Finding, Severity, diagnose, without_echoes
from insomnia_skills.file import FileText, leads_out
from insomnia_skills.frontmatter import Document, read_document
from insomnia_skills.resources import check_resources, list_resources
from insomnia_skills.rules.body import check_size
from insomnia_skills.rules.characters import escaped_characters, unseen_characters
from insomnia_skills.rules.description import check_description, description_cut_by_comment
from insomnia_skills.rules.ignores import Ignore, find_ignores
from insomnia_skills.rules.name import adding_name, check_name
from insomnia_skills.rules.optional import (
    SKILL_FIELDS,
    check_keys,
    check_optional,
    find_misspelt,
)
from insomnia_skills.rules.prose import check_prose
from insomnia_skills.scan import Found, wrong_case_filename
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.yaml.node import Entry, Plain, Scalar, plain

# A skills root may be any directory, and each entry costs a look.
MAX_SIBLINGS = 200


@dataclass(frozen=True, slots=True)
class SkillRecord:
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
    """What came of reading a skill. Without an error there is a record.

    ``ignores`` are the comments of the file that silence rules, where it was read thoroughly.
    """

    record: SkillRecord | None
    diagnostics: tuple[Diagnostic, ...]
    ignores: tuple[Ignore, ...] = ()


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
    document = read_document(found.path, file)
    findings = list(document.findings)
    if document.fields is not None:
        findings += check_fields(document.fields, document.text, found.name)
    broken = any(finding.severity is Severity.ERROR for finding in findings)
    diagnostics = [
        diagnostic
        for path in found.beside
        for diagnostic in diagnose(path, "", (wrong_case_filename(path.name, beside=True),))
    ]
    if thorough and body and document.fields is not None:
        resources = list_resources(found.directory)
        alone = all(resource.path.endswith(SKILL_FILE) for resource in resources)
        alone = alone and not _ships_files(str(found.directory.parent))
        findings += _check_body(document, found.directory, alone)
        diagnostics += check_resources(found.directory, resources)
    # What a link out of the skill leads to may be somebody's secret.
    quote = file is not None or not document.text or not leads_out(found.path)
    own = diagnose(found.path, document.text, without_echoes(findings), quote)
    record = None if broken else _record(found, document)
    ignores = find_ignores(document.text, document.body_start) if thorough and quote else ()
    return SkillReading(record, (*own, *diagnostics), ignores)


@lru_cache(maxsize=1024)
def _ships_files(root: str) -> bool:
    """Whether a skill that lies directly in ``root`` has a file beside its SKILL.md.

    Of a large root the first skills in order of name are looked at, and no more than that. It is
    told once for each root, even if files come or go while the program runs.
    """
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return False
    skills = (os.path.join(root, name) for name in names[:MAX_SIBLINGS])
    return any(
        name != SKILL_FILE and not name.startswith(".")
        for skill in skills
        if os.path.isfile(os.path.join(skill, SKILL_FILE))
        for _, _, files in islice(os.walk(skill), MAX_SIBLINGS)
        for name in files
    )


def _finder(directory: Path) -> Callable[[str], bool]:
    """What tells whether a path relative to a skill directory exists.

    Outside the skill that is asked only within its repository, or where there is none, within the
    parent of its skills root; and anywhere for a SKILL.md. What lies elsewhere counts as existing.
    """
    real = cache(lambda: os.path.realpath(directory))
    tree = cache(lambda: _tree(Path(real())))

    def exists(path: str) -> bool:
        if not path.startswith("../"):
            return os.path.exists(os.path.join(directory, path))
        place = os.path.normpath(os.path.join(real(), path))
        if os.path.basename(place) != SKILL_FILE and not Path(place).is_relative_to(tree()):
            return True
        return os.path.exists(place)

    return exists


def _tree(directory: Path) -> Path:
    """The directory around a skill that is sure to belong to it; never the whole file system."""
    above = [parent for parent in directory.parents if parent != parent.parent]
    repositories = (parent for parent in (directory, *above) if os.path.exists(parent / ".git"))
    return next(repositories, (directory, *above)[:3][-1])


def _check_body(document: Document, directory: Path, alone: bool) -> Iterator[Finding]:
    exists = _finder(directory)
    text, start = document.text, document.body_start
    yield from check_size(text, start)
    yield from check_prose(document.fields or {}, text, start, exists, alone)
    yield from unseen_characters(text, start)


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


def _record(found: Found, document: Document) -> SkillRecord:
    values = {name: plain(entry.value) for name, entry in (document.fields or {}).items()}
    metadata = values.get("metadata")
    return SkillRecord(
        slug=found.name,
        description=str(values["description"]),
        path=found.path,
        license=_text(values.get("license")),
        compatibility=_text(values.get("compatibility")),
        metadata=metadata if isinstance(metadata, dict) else None,
        allowed_tools=values.get("allowed-tools"),
        body_digest=document.body_digest(),
    )


def _text(value: Plain) -> str | None:
    return value if isinstance(value, str) else None
