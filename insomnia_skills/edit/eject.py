"""A skill as a native Workflow, so that it can be edited in the workspace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from insomnia_skills.diagnostic import Lines
from insomnia_skills.edit.write import create_file, replace_file
from insomnia_skills.file import decode, read_bytes
from insomnia_skills.markup import Markup
from insomnia_skills.native import read_workflow
from insomnia_skills.pipeline import Ingest
from insomnia_skills.resources import Resource, list_resources
from insomnia_skills.rules.references import missing_references
from insomnia_skills.scan import names_in
from insomnia_skills.sources import Source, SourceKind
from insomnia_skills.workflow import WORKFLOW_SUFFIX, WorkflowRecord, load_document
from insomnia_skills.workspace import real_path
from insomnia_skills.yaml.node import Plain, plain
from insomnia_skills.yaml.quoting import written

_KEPT = ("name", "description")


class EjectError(Exception):
    """A skill can't become a native Workflow; ``help`` says what would do, or is empty."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True, slots=True)
class Link:
    """A relative path that a body names, and its 1-based place in the native Workflow."""

    path: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Ejection:
    """A native Workflow to be made of a skill.

    ``path`` is its file and ``before`` what that has now, None where it is not there. ``shadows``
    are all valid copies of the slug, in order of rank. ``dropped`` are the fields of the skill that
    a native Workflow does not keep. ``resources`` are the files of the skill that can be read now
    and can't then, and ``links`` are the places in the body that lead to files of the skill.
    """

    skill: WorkflowRecord
    path: Path
    text: str
    before: bytes | None
    shadows: tuple[WorkflowRecord, ...]
    dropped: Mapping[str, Plain]
    resources: tuple[Resource, ...]
    links: tuple[Link, ...]


def plan_eject(
    result: Ingest,
    slug: str,
    force: bool = False,
    *,
    skill: WorkflowRecord | None = None,
    name: Callable[[Path], str] = str,
) -> Ejection | None:
    """What is to be written for the skill that ``/slug`` calls; None where there is no valid copy.

    It is made of ``skill`` instead where that copy of the slug is given. With ``force`` a native
    Workflow of that slug is replaced by the skill. Raises `EjectError` where there is one and no
    ``force``, where it could not be read back as the same, or where its place lies outside of the
    workspace; `FileChangedError` where the skill is no longer what it was. ``name`` says how paths
    are written in the message of an error.
    """
    candidates = [candidate for candidate in result.candidates if candidate.slug == slug]
    copies = [c.record for c in candidates if c.record and not c.is_native]
    path = result.workspace.workflows / f"{slug}{WORKFLOW_SUFFIX}"
    is_there = os.path.lexists(path)
    if not copies:
        if any(candidate.is_native for candidate in candidates):
            raise EjectError(f"/{slug} is a native Workflow already, and no skill has that name")
        return None
    skill = skill or copies[0]
    if is_there and path.name not in names_in(path.parent):
        raise EjectError(
            f"{name(path)} is there in another case, which this disk ignores",
            "give that file another name first",
        )
    if is_there and not force:
        raise EjectError(
            f"/{slug} is a native Workflow already",
            f"--force replaces it with the skill {name(skill.path)}",
        )
    _require_inside(path, result.workspace.root, name)
    document = load_document(skill)
    head = (
        "---\n"
        f"description: {written(skill.description)}\n"
        f"model_invokation: {str(skill.model_invokation).lower()}\n"
        f"user_invocable: {str(skill.user_invocable).lower()}\n"
        "---\n"
    )
    text = head + document.body
    _require_equal(text, path, skill, name)
    fields = document.fields or {}
    directory = skill.path.parent
    resources = list_resources(directory)
    return Ejection(
        skill=skill,
        path=path,
        text=text,
        before=_read(path, name) if is_there else None,
        shadows=tuple(copies),
        dropped={key: plain(entry.value) for key, entry in fields.items() if key not in _KEPT},
        resources=tuple(resource for resource in resources if resource.readable),
        links=tuple(sorted(_links(text, len(head), directory), key=attrgetter("line", "column"))),
    )


def write_ejection(ejection: Ejection) -> None:
    """Write the native Workflow as a whole, and the directories above it if need be.

    Raises `FileExistsError` where one came up meanwhile, `ChangedError` where the one to be
    replaced has changed, and `OSError` where the system refuses. Then nothing has changed.
    """
    path, data = ejection.path, ejection.text.encode()
    if ejection.before is None:
        create_file(path, data)
    else:
        replace_file(path, data, ejection.before)


def _read(path: Path, name: Callable[[Path], str]) -> bytes:
    data = read_bytes(path)
    if not isinstance(data, bytes):
        raise EjectError(f"{name(path)} can't be replaced: {data.message}")
    return data


def _require_inside(path: Path, root: Path, name: Callable[[Path], str]) -> None:
    """That no link leads from the workspace to where the file really would be written."""
    real = Path(real_path(path))
    if not real.is_relative_to(real_path(root)):
        raise EjectError(
            f"{name(path)} really is {name(real)}, outside of the workspace",
            "nothing is written through a link",
        )


def _require_equal(
    text: str, path: Path, skill: WorkflowRecord, name: Callable[[Path], str]
) -> None:
    """That the Workflow is read as what the skill is."""
    source = Source("1", SourceKind.WORKSPACE_WORKFLOW, path.parent, "default")
    record, diagnostics, _ = read_workflow(path, source, file=decode(text.encode()))
    kept = ("slug", "description", "model_invokation", "user_invocable", "requires", "body_digest")
    if record is None or any(getattr(record, key) != getattr(skill, key) for key in kept):
        why = next((f": {d.message}" for d in diagnostics), "")
        raise EjectError(f"{name(skill.path)} can't be written as a native Workflow{why}")


def _links(text: str, body_start: int, directory: Path) -> Iterator[Link]:
    """Where the body leads to files of the skill, each of them once.

    To the rules on links they are then missing.
    """
    lines = Lines(text)

    def exists(path: str) -> bool:
        return not os.path.isfile(os.path.join(directory, path))

    for finding in missing_references(Markup(text, body_start), exists):
        line, column = lines.position(finding.start)
        yield Link(text[finding.start : finding.end], line, column)
