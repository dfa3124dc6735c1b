"""Rules on ``description``, which a model reads to decide whether a skill is the one it needs.

Specification, `description` field: 1-1024 characters, not empty. Characters are Unicode code
points of the value as YAML gives it.
"""

from __future__ import annotations

import re

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.rule import rule
from insomnia_skills.rules.name import renaming_key
from insomnia_skills.yaml.node import Entry, Scalar, describe
from insomnia_skills.yaml.quoting import quoting_bare, quoting_line

MAX_DESCRIPTION_LENGTH = 1024

_COMMENT = r"[ \t]+#[^\r\n]*"
_SPECIFICATION = "specification: description field"


@rule(Severity.ERROR, _SPECIFICATION, fix="unsafe")
def description_missing(misspelt: Scalar | None, at: int) -> Finding:
    """There is no ``description``, or a key with nothing after it.

    The description is all that a model sees of a skill before it decides to use it.

    Fails:
        -- standup/SKILL.md --
        ---
        name: standup
        Description: Prepare the daily standup. Use in the morning, or when asked what was done.
        ---
        Summarise yesterday's commits in three lines.

    Passes:
        -- standup/SKILL.md --
        ---
        name: standup
        description: Prepare the daily standup. Use in the morning, or when asked what was done.
        ---
        Summarise yesterday's commits in three lines.
    """
    return Finding(
        "description is missing",
        misspelt.start if misspelt else at,
        misspelt.end if misspelt else at,
        help=f'is "{misspelt.value}" meant to be description?'
        if misspelt
        else "say what it does and when to use it",
        fix=renaming_key(misspelt, "description") if misspelt else None,
    )


@rule(Severity.ERROR, _SPECIFICATION, fix="safe")
def description_type(description: Entry, text: str = "") -> Finding | None:
    """The ``description`` is not text.

    A text in brackets is a list to YAML, and an unquoted number is a number.

    Fails:
        -- game-2048/SKILL.md --
        ---
        name: game-2048
        description: 2048
        ---
        Keep the largest tile in a corner.

    Passes:
        -- game-2048/SKILL.md --
        ---
        name: game-2048
        description: Play the sliding game 2048. Use when the user wants a break.
        ---
        Keep the largest tile in a corner.
    """
    value = description.value
    if isinstance(value, Scalar) and value.is_text:
        return None
    return Finding(
        f"description must be text, this is {describe(value)}",
        value.start,
        value.end,
        help="put the text in double quotes"
        if isinstance(value, Scalar)
        else "write it as one text, in double quotes where it has brackets",
        fix=quoting_bare(value, text),
    )


@rule(Severity.ERROR, _SPECIFICATION)
def description_empty(description: Scalar) -> Finding | None:
    """The ``description`` has nothing but blanks.

    The description is all that a model sees of a skill before it decides to use it.

    Fails:
        -- standup/SKILL.md --
        ---
        name: standup
        description: ""
        ---
        Summarise yesterday's commits in three lines.

    Passes:
        -- standup/SKILL.md --
        ---
        name: standup
        description: Prepare the daily standup. Use in the morning, or when asked what was done.
        ---
        Summarise yesterday's commits in three lines.
    """
    if description.value.strip():
        return None
    return Finding(
        "description is empty",
        description.start,
        description.end,
        help="say what it does and when to use it",
    )


@rule(Severity.ERROR, _SPECIFICATION)
def description_too_long(description: Scalar) -> Finding | None:
    """The ``description`` has more than 1024 characters.

    Every description is in the model's context all the time; the detail belongs in the body.

    Fails:
        -- charts/SKILL.md --
        ---
        name: charts
        description: Draw charts. {30 × Knows bars, lines, areas, pies and maps. }Use for figures.
        ---
        Label both axes.

    Passes:
        -- charts/SKILL.md --
        ---
        name: charts
        description: Draw bars, lines, areas, pies and maps. Use when figures are to be shown.
        ---
        Label both axes.
    """
    length = len(description.value)
    if length <= MAX_DESCRIPTION_LENGTH:
        return None
    return Finding(
        f"description has {length:,} characters, the limit is {MAX_DESCRIPTION_LENGTH:,}",
        description.start,
        description.end,
        help=f"take out {length - MAX_DESCRIPTION_LENGTH:,}, or move detail to the body",
    )


@rule(Severity.WARNING, "YAML 1.2, 6.6; decision: SKILL.md", fix="safe")
def description_cut_by_comment(description: Scalar, text: str) -> Finding | None:
    """A ``#`` after a blank cuts the ``description`` short.

    In an unquoted value YAML takes the rest of the line for a comment, so the model never sees it.

    Fails:
        -- triage/SKILL.md --
        ---
        name: triage
        description: Sort the issues in the channel #support. Use when new ones came in.
        ---
        Ask for what is missing.

    Passes:
        -- triage/SKILL.md --
        ---
        name: triage
        description: "Sort the issues in the channel #support. Use when new ones came in."
        ---
        Ask for what is missing.
    """
    if description.style or text[description.end : description.end + 1] not in (" ", "\t"):
        return None
    comment = re.compile(_COMMENT).match(text, description.end)
    if comment is None:
        return None
    start = comment.end() - len(comment[0].lstrip())
    return Finding(
        "YAML reads this as a comment, so the description ends before it",
        start,
        comment.end(),
        help="if it is part of the text, put the whole value in double quotes",
        fix=quoting_line(text, description.start, description.end),
    )


def check_description(
    description: Entry | None,
    text: str,
    misspelt: Scalar | None = None,
    limit_length: bool = True,
) -> Finding | None:
    """The first thing that is wrong with a description; ``text`` is what it stands in."""
    if description is None:
        return description_missing(misspelt, 0)
    value = description.value
    if isinstance(value, Scalar):
        if value.is_text and len(value.value) <= MAX_DESCRIPTION_LENGTH and value.value.strip():
            return None
        if value.is_null:
            return description_missing(None, value.start)
        if value.is_refused:
            return None
    wrong_type = description_type(description, text)
    if wrong_type is not None or not isinstance(value, Scalar):
        return wrong_type
    empty = description_empty(value)
    return empty or (description_too_long(value) if limit_length else None)
