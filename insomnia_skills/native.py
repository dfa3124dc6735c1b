"""Native Workflows: files of insomnia's own, read strictly, and the rules on them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Finding, Severity, diagnose, without_echoes
from insomnia_skills.file import FileText, is_inside, leads_out, read_text
from insomnia_skills.frontmatter import Document, read_document
from insomnia_skills.limits import MAX_REQUIRED
from insomnia_skills.rule import rule
from insomnia_skills.rules.characters import escaped_characters
from insomnia_skills.rules.description import check_description, description_cut_by_comment
from insomnia_skills.rules.ignores import Ignore, find_ignores
from insomnia_skills.rules.name import check_slug
from insomnia_skills.rules.optional import check_keys, find_misspelt
from insomnia_skills.sources import Source
from insomnia_skills.workflow import WORKFLOW_SUFFIX, WorkflowRecord
from insomnia_skills.workspace import real_path
from insomnia_skills.yaml.node import Entry, Scalar, Sequence, describe, plain

WORKFLOW_FIELDS = (
    "description",
    "model_invokation",
    "user_invocable",
    "requires",
    "created_at",
    "updated_at",
)


@rule(Severity.ERROR, "decision: native Workflows")
def workflow_slug(stem: str, reason: Finding) -> Finding:
    """The name of a native Workflow's file cannot be typed as ``/<slug>``.

    The file's name without ``.md`` is the slug, under the same rules as a skill's ``name``.

    Fails:
        -- .insomnia/memory/workflow/Ship it.md --
        ---
        description: Ship a release to staging, then production.
        ---
        Run the smoke tests between the two.

    Passes:
        -- .insomnia/memory/workflow/ship-it.md --
        ---
        description: Ship a release to staging, then production.
        ---
        Run the smoke tests between the two.
    """
    return Finding(
        f'"{stem}" can\'t be a slug: {reason.message.removeprefix("name ")}',
        help="rename the file" + (f"; {reason.help.split(',')[0]}" if reason.help else ""),
    )


@rule(Severity.ERROR, "decision: native Workflows")
def workflow_name_key(name: Scalar) -> Finding:
    """A native Workflow has a ``name``; its name is that of its file.

    Its slug is the file's name already, and a second name could only differ from it.

    Fails:
        -- .insomnia/memory/workflow/ship-it.md --
        ---
        name: ship-it
        description: Ship a release to staging, then production.
        ---
        Run the smoke tests between the two.

    Passes:
        -- .insomnia/memory/workflow/ship-it.md --
        ---
        description: Ship a release to staging, then production.
        ---
        Run the smoke tests between the two.
    """
    return Finding(
        "a native Workflow has no name key, its file's name is its slug",
        name.start,
        name.end,
        help="remove the line",
    )


@rule(Severity.ERROR, "decision: native Workflows")
def model_invokation_type(entry: Entry) -> Finding | None:
    """``model_invokation`` is neither true nor false.

    YAML 1.2 knows ``true`` and ``false``; ``yes``, and anything in quotes, is text.

    Fails:
        -- .insomnia/memory/workflow/triage.md --
        ---
        description: Sort new issues. Use when new ones came in.
        model_invokation: yes
        ---
        Sort them by area, then by urgency.

    Passes:
        -- .insomnia/memory/workflow/triage.md --
        ---
        description: Sort new issues. Use when new ones came in.
        model_invokation: true
        ---
        Sort them by area, then by urgency.
    """
    return _boolean(entry)


@rule(Severity.ERROR, "decision: native Workflows")
def user_invocable_type(entry: Entry) -> Finding | None:
    """``user_invocable`` is neither true nor false.

    YAML 1.2 knows ``true`` and ``false``; ``no``, and anything in quotes, is text.

    Fails:
        -- .insomnia/memory/workflow/on-failure.md --
        ---
        description: Look into a failed build. Use when a build fails.
        model_invokation: true
        user_invocable: "false"
        ---
        Begin with the first error of the log.

    Passes:
        -- .insomnia/memory/workflow/on-failure.md --
        ---
        description: Look into a failed build. Use when a build fails.
        model_invokation: true
        user_invocable: false
        ---
        Begin with the first error of the log.
    """
    return _boolean(entry)


@rule(Severity.ERROR, "decision: native Workflows")
def requires_type(entry: Entry) -> Finding | None:
    """``requires`` is not a list of Knowledge slugs.

    Fails:
        -- .insomnia/memory/workflow/deploy.md --
        ---
        description: Ship a release to staging, then production.
        requires: release-checklist
        ---
        Go through the checklist.
        -- .insomnia/knowledge/release-checklist.md --
        The database is backed up.

    Passes:
        -- .insomnia/memory/workflow/deploy.md --
        ---
        description: Ship a release to staging, then production.
        requires: [release-checklist]
        ---
        Go through the checklist.
        -- .insomnia/knowledge/release-checklist.md --
        The database is backed up.
    """
    value = entry.value
    if isinstance(value, Scalar) and value.is_null:
        return None
    if not isinstance(value, Sequence):
        return Finding(
            f"requires must be a list of Knowledge slugs, this is {describe(value)}",
            value.start,
            value.end,
            help="write requires: [some-knowledge]",
        )
    if len(value.items) > MAX_REQUIRED:
        return Finding(
            f"requires has {len(value.items):,} items, the limit is {MAX_REQUIRED:,}",
            value.start,
            value.end,
            help="put what belongs together into one Knowledge",
        )
    for item in value.items:
        if isinstance(item, Scalar) and item.is_refused:
            continue
        if not isinstance(item, Scalar) or not item.is_text:
            what = f"this is {describe(item)}"
        elif wrong := check_slug(item.value, item.start, item.end):
            what = wrong.message.removeprefix("name ")
        elif not item.value:
            what = "this is empty"
        else:
            continue
        return Finding(
            f"each item of requires must be a Knowledge slug: {what}", item.start, item.end
        )
    return None


@rule(Severity.ERROR, "decision: native Workflows")
def requires_missing(slug: str, path: Path, item: Scalar, reason: str) -> Finding:
    """A native Workflow requires Knowledge that is not there.

    A Workflow that is called without what it requires does its work without knowing what it should.
    Knowledge is ``.insomnia/knowledge/<slug>.md``, a file that can be read, as UTF-8.

    Fails:
        -- .insomnia/memory/workflow/deploy.md --
        ---
        description: Ship a release to staging, then production.
        requires: [checklist]
        ---
        Go through the checklist.
        -- .insomnia/knowledge/release-checklist.md --
        The database is backed up.

    Passes:
        -- .insomnia/memory/workflow/deploy.md --
        ---
        description: Ship a release to staging, then production.
        requires: [release-checklist]
        ---
        Go through the checklist.
        -- .insomnia/knowledge/release-checklist.md --
        The database is backed up.
    """
    return Finding(
        f'the required Knowledge "{slug}" {reason}',
        item.start,
        item.end,
        help=f'write it as "{path}", or take it out of requires',
    )


def scan_workflows(directory: Path) -> list[Path]:
    """The files of a directory that are native Workflows, in order of name."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    return [
        directory / name
        for name in names
        if name.endswith(WORKFLOW_SUFFIX) and not name.startswith(".")
    ]


class WorkflowReading(NamedTuple):
    """What came of reading a native Workflow. Without an error there is a record.

    ``ignores`` are the comments of the file that silence rules, where it was read thoroughly.
    """

    record: WorkflowRecord | None
    diagnostics: tuple[Diagnostic, ...]
    ignores: tuple[Ignore, ...] = ()


def read_workflow(
    path: Path, source: Source, knowledge: Path | None = None, file: FileText | None = None
) -> WorkflowReading:
    """Read and judge one native Workflow.

    With ``knowledge``, the directory of Knowledge files, it is read thoroughly and missing ones
    are found too; they are errors, but the record is there all the same. ``file`` is the text to
    judge where that is not what lies at the path.
    """
    document = read_document(path, file)
    findings = list(document.findings)
    stem = path.name.removesuffix(WORKFLOW_SUFFIX)
    if bad_slug := check_slug(stem, 0, 0):
        findings.append(workflow_slug(stem, bad_slug))
    if document.fields is not None:
        findings += check_fields(document.fields, document.text)
    broken = any(finding.severity is Severity.ERROR for finding in findings)
    record = None if broken else _record(stem, document, source)
    if record is not None and knowledge is not None:
        findings += _missing_knowledge(document, knowledge)
    quote = file is not None or not document.text or not leads_out(path)
    diagnostics = diagnose(path, document.text, without_echoes(findings), quote)
    ignores = find_ignores(document.text, document.body_start) if knowledge else ()
    return WorkflowReading(record, diagnostics, ignores)


def missing_knowledge(record: WorkflowRecord, knowledge: Path) -> tuple[Diagnostic, ...]:
    """What a record requires that is not in ``knowledge``, the directory of Knowledge files."""
    if not record.requires:
        return ()
    document = read_document(record.path)
    return diagnose(record.path, document.text, _missing_knowledge(document, knowledge))


def _missing_knowledge(document: Document, knowledge: Path) -> Iterator[Finding]:
    for item in required_knowledge(document.fields or {}):
        path = knowledge / f"{item.value}.md"
        if reason := why_missing(path, knowledge):
            yield requires_missing(item.value, path, item, reason)


def why_missing(path: Path, knowledge: Path) -> str:
    """Why there is no Knowledge at a path, in a few words; empty where there is.

    ``knowledge`` is the directory in which the path lies.
    """
    read = read_knowledge(path, knowledge)
    return read if isinstance(read, str) else ""


def read_knowledge(path: Path, knowledge: Path) -> FileText | str:
    """The text of the Knowledge at a path, or why there is none, in a few words."""
    real = real_path(path)  # once: a link may lead elsewhere by the next look
    try:
        if not stat.S_ISREG(os.stat(real).st_mode):
            return "is not a file"
    except PermissionError:
        return "can't be read"
    except OSError:
        return "is not there"
    around = (knowledge, knowledge.parent.parent)
    if not any(is_inside(real, place) for place in around):
        # It may be somebody's secret, and unlike a Workflow it needs nothing to pass for Knowledge.
        return "leads out of the workspace"
    file = read_text(real, follow=False)
    error = next((f for f in file.findings if f.severity is Severity.ERROR), None)
    if error is None:
        return file
    # What a link leads to may be no Knowledge, and the words would tell a byte of it.
    return "can't be used" if os.path.islink(path) else f"can't be used: {error.message}"


def check_fields(fields: Mapping[str, Entry], text: str) -> Iterator[Finding]:
    """What is wrong with a native Workflow's fields; one root cause a field."""
    misspelt = find_misspelt(fields, "description", WORKFLOW_FIELDS)
    by_model = fields.get("model_invokation")
    wrong = check_description(
        fields.get("description"),
        text,
        misspelt,
        limit_length=by_model is not None and _is_true(by_model),
    )
    if wrong is not None:
        yield wrong
    else:
        value = fields["description"].value
        if isinstance(value, Scalar) and (cut := description_cut_by_comment(value, text)):
            yield cut
    if "name" in fields:
        yield workflow_name_key(fields["name"].key)
    for field, check in _TYPES:
        entry = fields.get(field)
        if entry and not (isinstance(entry.value, Scalar) and entry.value.is_refused):
            found = check(entry)
            if found is not None:
                yield found
    blamed = {"name"} | ({misspelt.value} if misspelt else set())
    yield from check_keys(fields, WORKFLOW_FIELDS, blamed)
    yield from escaped_characters(fields, text)


_TYPES = (
    ("model_invokation", model_invokation_type),
    ("user_invocable", user_invocable_type),
    ("requires", requires_type),
)


def _boolean(entry: Entry) -> Finding | None:
    value = entry.value
    if isinstance(value, Scalar) and (value.boolean is not None or value.is_null):
        return None
    return Finding(
        f"{entry.key.value} must be true or false, this is {describe(value)}",
        value.start,
        value.end,
        help="write true or false, without quotes",
    )


def _is_true(entry: Entry | None, default: bool = False) -> bool:
    if entry is None or not isinstance(entry.value, Scalar) or entry.value.is_null:
        return default
    return entry.value.boolean is True


def _record(stem: str, document: Document, source: Source) -> WorkflowRecord:
    fields = document.fields or {}
    return WorkflowRecord(
        slug=stem,
        description=str(plain(fields["description"].value)),
        model_invokation=_is_true(fields.get("model_invokation"), default=False),
        user_invocable=_is_true(fields.get("user_invocable"), default=True),
        requires=tuple(item.value for item in required_knowledge(fields)),
        path=document.path,
        directory=None,
        source=source,
        body_digest=document.body_digest(),
    )


def required_knowledge(fields: Mapping[str, Entry]) -> list[Scalar]:
    """The Knowledge slugs in a native Workflow's ``requires``, with their places."""
    entry = fields.get("requires")
    if entry is None or not isinstance(entry.value, Sequence):
        return []
    return [item for item in entry.value.items if isinstance(item, Scalar)]
