"""Rules on a slug: a skill's ``name`` and directory, the stem of a native Workflow's file.

Specification, `name` field: 1-64 characters of a-z, 0-9 and the hyphen, no hyphen at either end,
no two in a row, the same as the directory. Letters are ASCII: the prose of the specification says
a-z, and a slug is typed after a slash.
"""

from __future__ import annotations

import re
import unicodedata

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.node import Entry, Scalar, describe
from insomnia_skills.rule import rule

MAX_NAME_LENGTH = 64

_FORBIDDEN = re.compile(r"[^a-z0-9-]")
_SPECIFICATION = "specification: name field"


@rule(Severity.ERROR, _SPECIFICATION)
def name_missing(misspelt: Scalar | None, at: int) -> Finding:
    """A skill has no ``name``, or the key with nothing after it."""
    return Finding(
        "name is missing",
        misspelt.start if misspelt else at,
        misspelt.end if misspelt else at,
        help=f'is "{misspelt.value}" meant to be name?'
        if misspelt
        else "add name: with the directory's",
    )


@rule(Severity.ERROR, _SPECIFICATION)
def name_type(name: Entry) -> Finding | None:
    """The ``name`` is not text.

    YAML reads an unquoted ``123``, ``1e3`` or ``true`` as a number or a truth value.
    """
    value = name.value
    if isinstance(value, Scalar) and value.is_text:
        return None
    help_ = f'write name: "{value.value}"' if isinstance(value, Scalar) else "write one word"
    return Finding(f"name must be text, this is {describe(value)}", value.start, value.end, help_)


@rule(Severity.ERROR, _SPECIFICATION)
def name_empty(name: Scalar) -> Finding | None:
    """The ``name`` is empty."""
    if name.value:
        return None
    return Finding("name is empty", name.start, name.end, help="write the directory's name")


@rule(Severity.ERROR, _SPECIFICATION)
def name_charset(value: str, start: int, end: int) -> Finding | None:
    """A name has a character other than a-z, 0-9 and the hyphen.

    The name is what people type after the slash, and it must be the same on every disk.
    """
    bad = _FORBIDDEN.search(value)
    if bad is None:
        return None
    suggestion = slugify(value)
    return Finding(
        f"name has {_character(bad[0])}, only a-z, 0-9 and the hyphen may be in it",
        start,
        end,
        help=f'"{suggestion}" would do, for the directory too' if suggestion else None,
    )


@rule(Severity.ERROR, _SPECIFICATION)
def name_too_long(value: str, start: int, end: int) -> Finding | None:
    """A name has more than 64 characters."""
    if len(value) <= MAX_NAME_LENGTH:
        return None
    return Finding(
        f"name has {len(value)} characters, the limit is {MAX_NAME_LENGTH}",
        start,
        end,
        help="shorten it, and the directory's name with it",
    )


@rule(Severity.ERROR, _SPECIFICATION)
def name_hyphens(value: str, start: int, end: int) -> Finding | None:
    """A name begins or ends with a hyphen, or has two in a row."""
    if value.strip("-") == value and "--" not in value:
        return None
    where = "two hyphens in a row" if "--" in value.strip("-") else "a hyphen at an end"
    suggestion = slugify(value)
    return Finding(
        f"name has {where}",
        start,
        end,
        help=f'"{suggestion}" would do, for the directory too' if suggestion else None,
    )


@rule(Severity.ERROR, _SPECIFICATION)
def name_mismatch(name: Scalar, directory: str) -> Finding | None:
    """The ``name`` is not the name of the directory.

    insomnia calls a skill by its directory; other clients call it by its name. Where the two
    differ, the same skill has two names.
    """
    if name.value == directory:
        return None
    return Finding(
        f'the name is "{name.value}", its directory is "{directory}"',
        name.start,
        name.end,
        help=f'rename one of the two; "/{directory}" is what people would type',
    )


def check_name(
    name: Entry | None, directory: str, misspelt: Scalar | None = None
) -> Finding | None:
    """The first thing that is wrong with a skill's name: what follows from it is not reported."""
    if name is None:
        return name_missing(misspelt, 0)
    value = name.value
    if isinstance(value, Scalar):
        if value.is_null:
            return name_missing(None, value.start)
        if value.is_refused:
            return None
    wrong_type = name_type(name)
    if wrong_type is not None or not isinstance(value, Scalar):
        return wrong_type
    return (
        name_empty(value)
        or check_slug(value.value, value.start, value.end)
        or name_mismatch(value, directory)
    )


def check_slug(value: str, start: int, end: int) -> Finding | None:
    """The first thing that is wrong with the characters of a slug."""
    return (
        name_charset(value, start, end)
        or name_too_long(value, start, end)
        or name_hyphens(value, start, end)
    )


def slugify(value: str) -> str:
    """The nearest name that the specification allows; empty where no character remains."""
    decomposed = unicodedata.normalize("NFKD", value.casefold())
    words = re.sub(r"[^a-z0-9]+", "-", decomposed.encode("ascii", "ignore").decode())
    return words[:MAX_NAME_LENGTH].strip("-")


def _character(character: str) -> str:
    if character == " ":
        return "a blank"
    if character in "\r\n":
        return "a line break"
    if character.isascii() and character.isupper():
        return f'the capital letter "{character}"'
    if character.isprintable():
        return f'"{character}"'
    return f"the invisible character U+{ord(character):04X}"
