"""The text of a SKILL.md or a native Workflow, split into fields with places and a body."""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingType
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Edit, Finding, Fix, Severity
from insomnia_skills.file import FileText, read_skill_text, read_text
from insomnia_skills.limits import MAX_FRONTMATTER_CHARACTERS
from insomnia_skills.rule import rule
from insomnia_skills.yaml.node import Entry, Mapping, Node, Scalar, describe
from insomnia_skills.yaml.usual import read_usual

_OPENING = re.compile(r"---([ \t]*)(?:\r\n|\r|\n|\Z)")
# The hyphens come first, so that the search is for a fixed text.
_CLOSING = re.compile(r"---(?<![^\r\n]---)([ \t]*)(?:\r\n|\r|\n|\Z)")
_LIKE_FENCE = r"(?<![^\r\n])[ \t]*(?:---[^\r\n]*|[-\u2013\u2014]{1,4}[ \t]*(?=[\r\n]|\Z))"
_FIELD = r"(?<![^\r\n])(?:name|description)[ \t]*:"
_FIELD_LINES = r"(?:(?:[A-Za-z][\w-]*+[ \t]*+:|[ \t]+\S|#)[^\n]*+\n)*+"
_FIRST_FIELD = r"[ \t]*(?:name|description)[ \t]*:"
_LOOK_AHEAD = 4096
"""How far below the first line a misplaced frontmatter is looked for, in characters."""


class Document(NamedTuple):
    """A file's frontmatter as fields with places, and where its body begins.

    ``fields`` is None where the frontmatter could not be read; then ``findings`` has the one
    error that says why. Offsets count characters of ``text``, which has no byte-order mark.
    ``data`` are the bytes of the text, where they are known.
    """

    path: Path
    text: str
    fields: MappingType[str, Entry] | None
    findings: tuple[Finding, ...]
    body_start: int = 0
    data: bytes | None = None

    @property
    def body(self) -> str:
        """Everything after the line of the closing fence, unchanged."""
        return self.text[self.body_start :]

    def body_digest(self) -> bytes:
        """16 bytes that are equal where two bodies are."""
        from hashlib import blake2b  # it loads OpenSSL

        return blake2b(self.body.encode(), digest_size=16).digest()


@rule(Severity.ERROR, "specification: SKILL.md format")
def frontmatter_missing(text: str) -> Finding:
    """The file does not begin with frontmatter.

    A skill without frontmatter has neither name nor description, so no client can offer it.

    Fails:
        # PDF

        Extract the text of PDF files with `pdftotext`.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        # PDF

        Extract the text of PDF files with `pdftotext`.
    """
    first = re.split(r"[\r\n]", text[:200], maxsplit=1)[0]
    end = len(first)
    if not text.strip():
        return Finding("the file is empty", help=_WRITE_FRONTMATTER)
    if "\0" in text[:_LOOK_AHEAD]:
        return Finding("the file is binary or UTF-16, not UTF-8 text", help="save it as UTF-8 text")
    if first.startswith("+++"):
        return Finding(
            "this is TOML frontmatter, skills have YAML between two lines of ---", 0, end
        )
    if first.startswith("\ufeff"):
        return Finding("a second byte-order mark stands before the ---", 0, 1, help="delete it")
    if re.match(_LIKE_FENCE, first):
        return Finding(
            "the first line must be exactly ---",
            0,
            end,
            help="write three hyphens there and nothing else",
        )
    advice = _WRITE_FRONTMATTER
    if re.match(_FIRST_FIELD, first) and _CLOSING.search(text, end, _LOOK_AHEAD):
        advice = "write a line --- above line 1"
    return Finding("the file does not begin with frontmatter", 0, end, help=advice)


_WRITE_FRONTMATTER = "begin it with a line ---, then key: value lines (description: …), then ---"


@rule(Severity.ERROR, "specification: SKILL.md format")
def content_before_frontmatter(text: str, fence: int) -> Finding:
    """Something stands above the frontmatter: a blank line, a comment, a code fence.

    The first line of the file must be ``---``. Most clients see no frontmatter otherwise.

    Fails:
        <!-- Copyright 2026 Lantern Authors -->
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        <!-- Copyright 2026 Lantern Authors -->
        Run `pdftotext` on the file.
    """
    above = text[:fence].strip()
    if above.startswith(("```", "~~~")):
        start = len(text[:fence]) - len(text[:fence].lstrip())
        return Finding(
            "the whole file is wrapped in a code fence",
            start,
            start + 3,
            help="remove the fence and what stands above it",
        )
    what = "a comment" if above.startswith("<!--") else "text" if above else "a blank line"
    end = len(text[:fence].rstrip()) if above else 0
    return Finding(
        f"{what} stands above the frontmatter",
        0,
        end,
        help="the first line of the file must be ---; move this below the frontmatter"
        if above
        else "the first line of the file must be ---",
    )


@rule(Severity.ERROR, "specification: SKILL.md format")
def frontmatter_unclosed(text: str, opening_end: int) -> Finding:
    """The frontmatter has no closing line.

    It ends at the next line that is exactly ``---``; without one, the whole file is frontmatter.

    Fails:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.

        # Extract the text

        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        # Extract the text

        Run `pdftotext` on the file.
    """
    alike = re.compile(_LIKE_FENCE).search(text, opening_end)
    if alike is None:
        last = re.compile(_FIELD_LINES).match(text, opening_end)
        where = f"line {text.count(chr(10), 0, last.end())}" if last and last[0] else "the fields"
        return Finding(
            "the frontmatter is never closed", 0, 3, help=f"put a line --- below {where}"
        )
    start = alike.start() + len(alike[0]) - len(alike[0].lstrip())
    glued = alike[0].strip().removeprefix("---")
    if glued.startswith("#") or glued.strip("-\u2014\u2013 \t"):
        return Finding(
            "the frontmatter is never closed: text follows the --- on this line",
            start,
            alike.end(),
            help="put a line break after the ---",
        )
    return Finding(
        "the frontmatter is never closed: this line is not exactly ---",
        start,
        alike.end(),
        help="write three hyphens at the start of the line and nothing else",
    )


@rule(Severity.ERROR, "specification: SKILL.md format")
def frontmatter_not_mapping(node: Node) -> Finding:
    """The frontmatter is YAML, but not a set of ``key: value`` lines.

    A list, or a line of prose, has no ``name`` and no ``description`` that a client could find.

    Fails:
        ---
        - name: pdf
        - description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    return Finding(
        f"the frontmatter must be key: value lines, this is {describe(node)}",
        node.start,
        node.end,
        help="write each field as key: value, on a line of its own",
    )


@rule(Severity.ERROR, "decision: bounded input")
def frontmatter_too_large(size: int, start: int) -> Finding:
    """The frontmatter is larger than any list of fields can be.

    Every client reads it at start-up; the limit is 64 Ki characters.

    Fails:
        -- migrate/SKILL.md --
        ---
        name: migrate
        description: Write a database migration. Use when a table changes.
        metadata:
          history: "{3000 × 1.0.1: corrected a word; }1.0: first version"
        ---
        Make each migration reversible.

    Passes:
        -- migrate/SKILL.md --
        ---
        name: migrate
        description: Write a database migration. Use when a table changes.
        ---
        Make each migration reversible.
        -- migrate/CHANGELOG.md --
        1.0.1: corrected a word
    """
    return Finding(
        f"the frontmatter has {size:,} characters, the limit is {MAX_FRONTMATTER_CHARACTERS:,}",
        start,
        start,
        help="move text to the body, below the closing ---",
    )


@rule(Severity.WARNING, "decision: SKILL.md", fix="safe")
def fence_trailing_blanks(start: int, end: int) -> Finding:
    """Blanks follow the ``---`` of a fence.

    insomnia does not mind; stricter clients do not see the frontmatter.

    Fails:
        ---\u0020\u0020
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    return Finding(
        "blanks follow the ---, where other clients may see no frontmatter",
        start,
        end,
        help="remove the blanks at the end of the line",
        fix=Fix("remove the blanks after the ---", (Edit(start, end, ""),)),
    )


@rule(Severity.INFO, "decision: SKILL.md")
def crlf_line_endings(start: int) -> Finding:
    """The fences end in CRLF, as files written on Windows do.

    insomnia does not mind; a client that only knows LF does not see the frontmatter.

    Fails:
        ---\u000d
        name: pdf\u000d
        description: Extract text from PDF files. Use when the user names a PDF.\u000d
        ---\u000d
        Run `pdftotext` on the file.\u000d

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    return Finding("the file has Windows line endings (CRLF)", start, start)


def read_document(path: Path, file: FileText | None = None, skill: bool = False) -> Document:
    """Read a file and its frontmatter. Never raises for what lies at the path.

    ``file`` is its text where that is not, or not yet, what lies at the path. With ``skill`` it
    is read as `read_skill_text` does.
    """
    if file is None:
        file = read_skill_text(path) if skill else read_text(path)
    if not file.readable:
        return Document(path, file.text, None, file.findings)
    document = parse(path, file.text, file.data)
    if file.findings:
        return document._replace(findings=(*file.findings, *document.findings))
    return document


def parse(path: Path, text: str, data: bytes | None = None) -> Document:
    """Split a file's text (without its byte-order mark) into fields and body.

    ``data`` are the bytes of the text, where they are known.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return Document(path, text, None, (_no_opening(text),))
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return Document(path, text, None, (frontmatter_unclosed(text, opening.end()),))
    start, end = opening.end(), closing.start()
    if end - start > MAX_FRONTMATTER_CHARACTERS:
        return Document(path, text, None, (frontmatter_too_large(end - start, start),))
    findings = [fence_trailing_blanks(*fence.span(1)) for fence in (opening, closing) if fence[1]]
    if opening[0].endswith("\r\n"):
        findings.append(crlf_line_endings(0))
    fields, problems = _fields(text, start, end)
    return Document(path, text, fields, (*findings, *problems), closing.end(), data)


def _no_opening(text: str) -> Finding:
    """No fence on the first line: is the frontmatter further down, or not there at all?"""
    fence = _CLOSING.search(text, 0, _LOOK_AHEAD)
    if fence is not None:
        closing = _CLOSING.search(text, fence.end())
        if closing and re.search(_FIELD, text[fence.end() : closing.start()]):
            return content_before_frontmatter(text, fence.start())
    return frontmatter_missing(text)


def _fields(
    text: str, start: int, end: int
) -> tuple[MappingType[str, Entry] | None, list[Finding]]:
    if usual := read_usual(text, start, end):
        return usual, []
    # ruamel.yaml takes 20 ms to import, which most runs need not pay.
    from insomnia_skills.yaml.events import compose

    node, findings = compose(text, start, end)
    if node is None:
        return (None if findings else {}), findings
    if isinstance(node, Mapping):
        return node.entries, findings
    if isinstance(node, Scalar) and node.is_null:
        return {}, findings
    return None, findings or [frontmatter_not_mapping(node)]
