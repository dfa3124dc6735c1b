"""A new skill: valid as it is, with the parts that a good one has for its author to fill in."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Finding, Severity
from insomnia_skills.edit.write import NewFile, write_tree
from insomnia_skills.file import FileText
from insomnia_skills.frontmatter import parse
from insomnia_skills.pipeline import Ingest
from insomnia_skills.rules.name import check_slug
from insomnia_skills.rules.placeholders import UNDESCRIBED
from insomnia_skills.scan import Found
from insomnia_skills.skill import check_fields, read_skill
from insomnia_skills.sources import NOT_THERE, SKILL_FILE, Source, SourceKind, looks_expandable
from insomnia_skills.workflow import WorkflowRecord
from insomnia_skills.workspace import real_path
from insomnia_skills.yaml.quoting import written

PARTS = ("scripts", "references", "assets")
"""The directories that the specification has for the files of a skill."""

_FIELD_LINES = 4
_SCRIPT = "scripts/run.sh"
_REFERENCE = "references/details.md"
_ASSET = "assets/template.md"


@dataclass(frozen=True, slots=True)
class Draft:
    """A skill that is not written yet: its directory, and the files in it, its SKILL.md first.

    ``described`` is whether its author has said what it does.
    """

    slug: str
    described: bool
    directory: Path
    files: tuple[NewFile, ...]


class DraftError(ValueError):
    """A skill can't be like this; ``help`` says what would do, or is empty."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help or ""


def draft_skill(
    root: Path, name: str, parts: Collection[str] = (), description: str | None = None
) -> Draft:
    """A new skill for a directory of skills, not written yet.

    ``parts`` are those of `PARTS` that it gets a file in. Without a ``description`` it has one that
    says what belongs there, and lets no model choose the skill meanwhile. Raises `DraftError` where
    a rule has an error for the name or the description.
    """
    if not name:
        raise DraftError("the name is empty", "a name has a-z, 0-9 and hyphens")
    if found := check_slug(name, 0, 0):
        raise _refused(found)
    described = description is not None
    if description is None:
        description = f"{UNDESCRIBED} Until then, use it only when the user asks for /{name}."
    head = f"---\nname: {written(name)}\ndescription: {written(description)}\n---\n"
    document = parse(Path(name, SKILL_FILE), head)
    findings = (*document.findings, *check_fields(document.fields or {}, head, name))
    for finding in findings:
        if finding.severity is Severity.ERROR:
            raise _refused(finding)
    files = {
        "scripts": NewFile(_SCRIPT, _script(name).encode(), executable=True),
        "references": NewFile(_REFERENCE, _reference(name).encode()),
        "assets": NewFile(_ASSET, _asset(name).encode()),
    }
    body = _body(name, parts)
    own = NewFile(SKILL_FILE, (head + body).encode())
    chosen = (files[part] for part in PARTS if part in parts)
    return Draft(name, described, root / name, (own, *chosen))


def write_skill(draft: Draft) -> None:
    """Write a draft: all of it, or nothing. Raises as `write_tree` does."""
    write_tree(draft.directory, draft.files)


def judge_draft(draft: Draft) -> tuple[Diagnostic, ...]:
    """What the rules have to say of a draft's fields, written or not."""
    found = Found(draft.slug, str(draft.directory / SKILL_FILE))
    text = draft.files[0].data.decode()
    _, diagnostics, _ = read_skill(found, thorough=True, file=FileText(text))
    return tuple(d for d in diagnostics if d.line <= _FIELD_LINES)


def first_root(result: Ingest) -> Path | None:
    """The first skills root of the workspace's manifest that a skill can be written into.

    It need not be there yet, but then has to be what its author meant: no ``~`` and no ``$NAME``.
    """
    manifest = result.manifests[0]
    lines = {f"{manifest.path}:{entry.line}": entry.value for entry in manifest.entries}
    for source in result.sources:
        entry = lines.get(source.origin)
        missing = source.absent == NOT_THERE
        if entry and (
            source.scanned or (missing and not looks_expandable(entry) and "\0" not in entry)
        ):
            return source.path
    return None


class Standing(NamedTuple):
    """What becomes of a new skill.

    ``source`` is the source that has it, None where none has. ``winner`` is what ``/slug`` calls
    where that is another copy, ``shadows`` are the copies that the new skill wins over.
    """

    source: Source | None
    winner: WorkflowRecord | None
    shadows: tuple[WorkflowRecord, ...]

    @property
    def is_named(self) -> bool:
        """Whether the skill is read without an option that names its directory."""
        return self.source is not None and self.source.origin != "--directory"


def standing(draft: Draft, result: Ingest) -> Standing:
    """What becomes of a draft; ``result`` is the workspace without it."""
    real = real_path(draft.directory.parent)
    ranked = [s for s in result.sources if s.kind is not SourceKind.WORKSPACE_WORKFLOW]
    source = next((s for s in ranked if real_path(s.path) == real), None)
    if source is None:
        return Standing(None, result.find(draft.slug), ())
    copies = [c.record for c in result.candidates if c.slug == draft.slug and c.record]
    ranks = [source.rank for source in result.sources]
    if copies and ranks.index(copies[0].source.rank) < ranks.index(source.rank):
        return Standing(source, copies[0], ())
    return Standing(source, None, tuple(copies))


def _refused(finding: Finding) -> DraftError:
    return DraftError(finding.message, finding.help)


def _body(name: str, parts: Collection[str]) -> str:
    """Each line says what is to stand in its place."""
    before = ["Say what it needs: files, access, answers. Ask for what is missing, do not guess."]
    if "references" in parts:
        before.append(f"Read [{_REFERENCE}]({_REFERENCE}) where these steps are not enough.")
    steps = ["Write each step as an order, with the command or the file that it needs."]
    if "scripts" in parts:
        steps.append(f"Run `{_SCRIPT}`, and go on only if it succeeds.")
    if "assets" in parts:
        steps.append(f"Begin the result with a copy of [{_ASSET}]({_ASSET}).")
    steps.append("Say how the result is checked, and what to do where it is wrong.")
    lines = [
        "",
        f"# {_title(name)}",
        "",
        "Say in a sentence or two what comes out of this, and for whom.",
        "",
        "## Before you begin",
        "",
        *(f"- {line}" for line in before),
        "",
        "## Steps",
        "",
        *(f"{number}. {line}" for number, line in enumerate(steps, start=1)),
        "",
        "## Example",
        "",
        "Show one request, and the answer that you would be glad to get.",
        "",
        "## Limits",
        "",
        "Say what is not done here, and what does it instead.",
    ]
    return "".join(f"{line}\n" for line in lines)


def _script(name: str) -> str:
    return (
        "#!/bin/sh\n"
        "# Say here what this does, what it is given and what it prints.\n"
        "set -eu\n"
        "\n"
        f'echo "{_SCRIPT} of {name} does nothing yet" >&2\n'
        "exit 1\n"
    )


def _reference(name: str) -> str:
    return (
        f"# {_title(name)}: details\n"
        "\n"
        "What is needed only now and then: tables, formats, rare cases.\n"
    )


def _asset(name: str) -> str:
    return f"# {_title(name)}\n\nWhat every result begins with.\n"


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()
