"""Rules on texts that were meant to be replaced: by the author, or by another client."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from insomnia_skills.clients.keys import CLIENT_PLACEHOLDER_TABLE, ClientPlaceholder
from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.limits import MAX_CANDIDATES
from insomnia_skills.markup import Markup, hints
from insomnia_skills.rule import rule
from insomnia_skills.yaml.node import Entry, Scalar

UNDESCRIBED = "Not described yet: say here what it does and when to use it."
"""How the description of a new skill begins: no fault, but told as long as it is there."""

_TODO = r"\[(?:TODO|待办)\s?[:：]\s?(?=\S)[^\[\]]{1,200}+\]?+"
# Whole sentences of the templates that people begin with.
_TEMPLATE = "|".join(
    re.escape(sentence)
    for sentence in (
        "Any unneeded directories can be deleted.",
        'Delete this entire "Structuring This Skill" section when done',
        "Replace with description of the skill and when Claude should use it",
        "This skill includes example resource directories that demonstrate how to organize",
        "# Insert instructions below",
        "# Your Skill Name",
        "[Add your instructions here that Claude will follow when this skill is active]",
        "[Clear, step-by-step guidance for Claude to follow]",
        "[Concrete examples of using this Skill]",
        "[Concrete examples of using this skill]",
    )
)
_LEFT = (
    rf"(?m)(?<![\"'“‘«「`\\])(?P<todo>{_TODO})(?![\(\[])"
    r"|^[ \t]{0,8}(?:(?:[-*+>]|\d{1,3}\.|\#{1,6})[ \t]{1,4})?"
    r"(?P<line>\*{0,2}TODO\*{0,2}[ \t]?[:：]\*{0,2}[ \t]?"
    r"(?i:add|complete|concrete|describe|document|explain|fill|hard|insert|one sentence|provide"
    r"|replace|step|update|what|write|1-2)\b[^\r\n]{0,200})"
    rf"|(?P<template>{_TEMPLATE}|(?i:lorem ipsum dolor))"
    r"|(?P<fill>\[(?i:insert|your|add|describe|enter|fill in|put)\b[^\[\]\r\n]{0,80}(?i:\bhere)\]"
    r"|\[(?i:insert)\s[^\[\]\r\n]{1,80}\]"
    r"|<(?i:insert|your|add|describe|enter|fill in|put)\b[^<>\r\n]{0,80}(?i:\bhere)>"
    r"|(?i:\breplace this (?:text|description|placeholder)\b))(?![\(\[])"
)
_HINTS = hints(
    *("TODO", "待办", " here>", "# Insert instructions below", "# Your Skill Name"),
    'entire "Structuring This Skill" section',
    "Any unneeded directories can be deleted.",
    "Replace with description of the skill and when Claude should use it",
)
# The hints of the others. An expression that begins with one sure character is quick.
_BRACKETED = r"\[(?:[Ii]nsert |Add your |Clear, step|Concrete ex|[^\[\]\r\n]{0,99}+(?<= here)\])"
_IN_SMALL = r"p(?:sum (?i:dolor)|lace this (?i:text|description|placeholder)|le resource dir)"
_AND_WHEN = r"(?:,? and when (?:to use it|(?:claude|the model|an agent) should use it))?"
_WHOLE_DESCRIPTION = (
    r"(?is)\[?(?:TODO|待办)\s?[:：].*|\[?(?:TODO|TBD|FIXME|待办)[\].…!]*"
    # Whatever stands there: {{ description }}, ${description}
    r"|(?:\{\{|\$\{)[^{}]{1,100}\}\}?"
    r"|[\[<{]?(?:"
    r"(?:an? )?(?:(?:brief|short|clear|concise|one-line) )?description of (?:what )?"
    rf"(?:this|the|your) skill(?: does)?{_AND_WHEN}"
    rf"|what (?:this|the|your) skill does{_AND_WHEN}"
    r"|(?:(?:insert|add|enter|put|write) )?(?:(?:a|the|your) )?(?:skill )?description"
    r"(?: (?:goes )?here)?"
    r")\.?[\]>}]?"
)
# In small letters: one of these is in whatever the two match in a description.
_IN_DESCRIPTION = (
    *("todo", "tbd", "fixme", "待办", "[", "<", "{", "description", "skill does"),
    *("lorem ipsum", "replace this", "unneeded dir", "structuring", "example resource dir"),
    *("insert instr", "your skill name"),
)
_NAMES = ("your-skill-name", "skill-name")
_ABOUT_TODOS = r"(?i)\bto-?dos?\b|\bfixme\b"


@rule(Severity.WARNING, "decision: prose rules")
def placeholder_left(found: str, count: int, start: int, end: int, unsure: bool = False) -> Finding:
    """A text of a template was left in the name, the description or the body.

    A model takes it for an instruction, or for what the skill does. Code is not judged. What may
    be a form for the model to fill in, ``[Insert …]`` in a body, is only an info, and so is the
    description that `new` writes.

    Fails:
        ---
        name: pdf
        description: "[TODO: what the skill does and when to use it]"
        ---
        ## Overview

        [TODO: 1-2 sentences on what this skill enables]

    Passes:
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        ## Overview

        Extracts the text and the tables of PDF files.
    """
    times = f", and {count - 1:,} more" if count > 1 else ""
    return Finding(
        f'{"perhaps " if unsure else ""}left-over text: "{_cut(found)}"{times}',
        start,
        end,
        help="write what belongs there, or delete it",
        severity=Severity.INFO if unsure else None,
    )


@rule(Severity.WARNING, "decision: prose rules")
def client_placeholder_literal(
    found: str, count: int, client: ClientPlaceholder, start: int, shown: bool = False
) -> Finding:
    """The body has a placeholder that another client fills in, and insomnia does not.

    A Pod is given the body as it is, so the model reads the placeholder itself. Where code shows
    another file's text (Markdown, YAML, JSON) it is left alone, and so is ``$1`` in code blocks,
    where it is the shell's. It is only an info in a skill about skills, which may speak of it.

    Fails:
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        Read the file $ARGUMENTS.

    Passes:
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        Read the file that the user names.
    """
    times = f" ({count:,} times)" if count > 1 else ""
    return Finding(
        f'insomnia leaves "{_cut(found)}" as it is{times}, which in {client.clients} '
        f"{client.effect}",
        start,
        start + len(found),
        help=client.instead,
        severity=Severity.INFO if shown else None,
    )


def left_in_name(name: Scalar, exists: Callable[[str], bool]) -> Iterator[Finding]:
    """What a template left in a name, where the directory has it too: else that is told."""
    if name.value in _NAMES and exists(f"../{name.value}/SKILL.md"):
        yield placeholder_left(name.value, 1, name.start, name.end)


def left_in_description(description: Scalar, text: str) -> Iterator[Finding]:
    """What a template left in a description."""
    value = description.value.strip()
    if value.startswith(UNDESCRIBED):
        finding = placeholder_left(UNDESCRIBED, 1, description.start, description.end)
        yield finding._replace(severity=Severity.INFO)
        return
    small = value.lower()
    for hint in _IN_DESCRIPTION:  # several times as fast as any()
        if hint in small:
            break
    else:
        return
    whole = re.fullmatch(_WHOLE_DESCRIPTION, value)
    match = None if whole else re.search(_LEFT, value)
    found = value if whole else match and match[0].strip()
    if not found:
        return
    start = text.find(found, description.start, description.end)
    span = (start, start + len(found)) if start >= 0 else (description.start, description.end)
    yield placeholder_left(found, 1, *span)


def left_in_body(markup: Markup, description: str) -> Iterator[Finding]:
    """What a template surely left in a body, and what it may have; the first place of each."""
    text = markup.visible
    if not (
        markup.has_any(_HINTS)
        or (b"[" in markup.signs and re.search(_BRACKETED, text))
        or re.search(_IN_SMALL, text)
    ):
        return
    is_left = description.lstrip("[ ").startswith("TODO")
    about_todos = not is_left and re.search(_ABOUT_TODOS, description)
    places: dict[bool, list[tuple[int, int]]] = {}
    candidates = re.compile(_LEFT).finditer(text, markup.start)
    for match in markup.first(MAX_CANDIDATES, candidates, "places that look like placeholders"):
        group = match.lastgroup or ""
        if (about_todos and group in ("todo", "line")) or markup.unclear:
            continue
        start, end = match.span(group)
        if markup.place(start).kind == "prose" and not markup.in_example(start):
            places.setdefault(group == "fill", []).append((start, end))
    for unsure, spans in places.items():
        start, end = spans[0]
        yield placeholder_left(text[start:end], len(spans), start, end, unsure)


_BY_TEXT = {client.text: client for client in CLIENT_PLACEHOLDER_TABLE}
_WORDS = tuple(text for text in _BY_TEXT if text not in ("$1", "!`command`"))
_DOLLARS = hints("$1", *(word for word in _WORDS if word.startswith("$")))
_OTHERS = hints("!`", *(word for word in _WORDS if not word.startswith("$")))
_CLIENT = (
    "(?P<word>" + "|".join(map(re.escape, _WORDS)) + r")(?![A-Za-z0-9_])"
    r"|(?<![\w$\\.,])(?P<position>\$[1-9])(?![\w%]|[.,]\d)"
    r"|(?<!\S)(?P<command>!`[^`\r\n]{1,300}`)"
)
_TEXTS = ("md", "markdown", "mdx", "yaml", "yml", "json", "jsonc", "toml")
_FRONTMATTER = r"(?m)^(?:---|name:|description:)"
_ABOUT_SKILLS = r"(?i)\b(?:skills?|slash[ -]commands?|plugins?|hooks?)\b"


def client_placeholders(
    markup: Markup, fields: Mapping[str, Entry], description: str
) -> Iterator[Finding]:
    """One finding for each distinct placeholder of other clients, at its first place."""
    for client, spans in find_client_placeholders(markup, fields):
        start, end = spans[0]
        found = markup.text[start:end]
        about_skills = bool(re.search(_ABOUT_SKILLS, description))
        yield client_placeholder_literal(found, len(spans), client, start, about_skills)


def find_client_placeholders(
    markup: Markup, fields: Mapping[str, Entry]
) -> Iterator[tuple[ClientPlaceholder, list[tuple[int, int]]]]:
    """Each distinct placeholder of other clients in a body, with the places where it is meant."""
    if not ((b"$" in markup.signs and markup.has_any(_DOLLARS)) or markup.has_any(_OTHERS)):
        return
    text = markup.visible
    takes_arguments = "argument-hint" in fields or text.find("$ARGUMENTS", markup.start) >= 0
    places: dict[str, list[tuple[int, int]]] = {}
    candidates = re.compile(_CLIENT).finditer(text, markup.start)
    for match in markup.first(MAX_CANDIDATES, candidates, "placeholders of other clients"):
        kind = match.lastgroup or ""
        if kind == "position" and not takes_arguments:
            continue
        if not markup.unclear and _is_meant(markup, match.start(), kind):
            key = {"position": "$1", "command": "!`command`"}.get(kind, match[0])
            places.setdefault(key, []).append(match.span())
    for key, spans in places.items():
        yield _BY_TEXT[key], spans


def _is_meant(markup: Markup, offset: int, kind: str) -> bool:
    """Whether another client's placeholder is used there, and not shown or the shell's."""
    place = markup.place(offset)
    code = markup.text[place.start : place.end] if place.kind in ("code", "block") else ""
    if kind == "command":
        return place.kind == "prose"
    if kind == "position":
        return place.kind == "prose" or (place.kind == "code" and not re.search(r"[{(]", code))
    if place.kind == "block":
        return place.info.partition(" ")[0] not in _TEXTS and not re.search(_FRONTMATTER, code)
    # A name alone between backticks is spoken of; of the arguments, people speak so to use them.
    return code == "$ARGUMENTS" or code not in _BY_TEXT


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"
