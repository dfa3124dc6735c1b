"""Invocation: the messages that a Pod is given when a Workflow is called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from insomnia_skills.diagnostic import Diagnostic, Finding, diagnose
from insomnia_skills.frontmatter import parse
from insomnia_skills.native import read_knowledge, required_knowledge, requires_missing
from insomnia_skills.workflow import WorkflowRecord, load_document

_BLANKS = " \t\r\n"
_LINE_END = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its first line, and the text below it without trailing blank lines.

    ``path`` is the file that the text is from, ``knowledge`` the slug of a required Knowledge,
    None for the Workflow itself.
    """

    header: str
    text: str
    path: Path
    knowledge: str | None = None

    @property
    def content(self) -> str:
        """The whole message, without a line end at its end."""
        return f"{self.header}\n{self.text}" if self.text else self.header


class KnowledgeError(Exception):
    """What a Workflow requires can't be given; ``diagnostics`` say which Knowledge and why."""

    def __init__(self, slug: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(f"what /{slug} requires can't be given")
        self.diagnostics = diagnostics


def messages(record: WorkflowRecord, knowledge: Path) -> tuple[Message, ...]:
    """The messages in order: one for each required Knowledge, then the Workflow's own.

    ``knowledge`` is the directory of Knowledge files, ``Workspace.knowledge``. Raises
    `KnowledgeError` where any of them can't be read, and `FileChangedError` where the record's
    file has changed since it was read.
    """
    document = load_document(record)
    given: list[Message] = []
    wrong: list[Finding] = []
    for item in required_knowledge(document.fields or {}) if record.requires else ():
        path = knowledge / f"{item.value}.md"
        file = read_knowledge(path, knowledge)
        if isinstance(file, str):
            wrong.append(requires_missing(item.value, path, item, file))
            continue
        header = f"[Workflow /{record.slug} requires Knowledge #{item.value}]"
        given.append(Message(header, trimmed(parse(path, file.text).body), path, item.value))
    if wrong:
        raise KnowledgeError(record.slug, diagnose(record.path, document.text, wrong))
    own = Message(f"[Workflow /{record.slug}]", trimmed(document.body), record.path)
    return (*given, own)


def trimmed(body: str) -> str:
    """A body without the blank lines at its end, nor a line end; all else as it is."""
    end = len(body.rstrip(_BLANKS))
    line_end = _LINE_END.search(body, end)
    return body[: line_end.start() if line_end else None] if end else ""
