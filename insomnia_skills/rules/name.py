"""Rules on a slug: a skill's ``name`` and directory, the stem of a native Workflow's file.

Specification, `name` field: 1-64 characters of a-z, 0-9 and the hyphen, no hyphen at either end,
no two in a row, the same as the directory. Letters are ASCII: the prose of the specification says
a-z, and a slug is typed after a slash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from insomnia_skills.diagnostic import Edit, Finding, Fix, Severity
from insomnia_skills.rule import rule
from insomnia_skills.yaml.node import Entry, Scalar, describe
from insomnia_skills.yaml.quoting import quoting_bare, replacing, written

MAX_NAME_LENGTH = 64

_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_OPENING_FENCE = r"---[ \t]*(\r\n|\r|\n)"
_SPECIFICATION = "specification: name field"


@rule(Severity.ERROR, _SPECIFICATION, fix="unsafe")
def name_missing(misspelt: Scalar | None, at: int, fix: Fix[Edit] | None = None) -> Finding:
    """A skill has no ``name``, or the key with nothing after it.

    insomnia calls a skill by its directory, but the specification requires the name, and other
    clients call the skill by it.

    Fails:
        ---
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
        "name is missing",
        misspelt.start if misspelt else at,
        misspelt.end if misspelt else at,
        help=f'is "{misspelt.value}" meant to be name?'
        if misspelt
        else "add name: with the directory's",
        fix=renaming_key(misspelt, "name") if misspelt else fix,
    )


@rule(Severity.ERROR, _SPECIFICATION, fix="safe")
def name_type(name: Entry) -> Finding | None:
    """The ``name`` is not text.

    YAML reads an unquoted ``123``, ``1e3`` or ``true`` as a number or a truth value.

    Fails:
        -- 2048/SKILL.md --
        ---
        name: 2048
        description: Play the sliding game 2048. Use when the user wants a break.
        ---
        Keep the largest tile in a corner.

    Passes:
        -- 2048/SKILL.md --
        ---
        name: "2048"
        description: Play the sliding game 2048. Use when the user wants a break.
        ---
        Keep the largest tile in a corner.
    """
    value = name.value
    if isinstance(value, Scalar) and value.is_text:
        return None
    return Finding(
        f"name must be text, this is {describe(value)}",
        value.start,
        value.end,
        help="write the directory's name, in double quotes if that is a number too",
        fix=quoting_bare(value),
    )


@rule(Severity.ERROR, _SPECIFICATION, fix="unsafe")
def name_empty(name: Scalar) -> Finding | None:
    """The ``name`` is empty.

    The specification requires at least one character, and it must be the directory's name.

    Fails:
        ---
        name: ""
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
    if name.value:
        return None
    return Finding("name is empty", name.start, name.end, help="write the directory's name")


@rule(Severity.ERROR, _SPECIFICATION, fix="unsafe")
def name_charset(value: str, start: int, end: int) -> Finding | None:
    """A name has a character other than a-z, 0-9 and the hyphen.

    The name is what people type after the slash, and it must be the same on every disk.

    Fails:
        -- Bug_Report/SKILL.md --
        ---
        name: Bug_Report
        description: Turn an observation into an issue. Use when the user found a bug.
        ---
        Begin with the steps that show it.

    Passes:
        -- bug-report/SKILL.md --
        ---
        name: bug-report
        description: Turn an observation into an issue. Use when the user found a bug.
        ---
        Begin with the steps that show it.
    """
    if _ALLOWED.issuperset(value):
        return None
    bad = next(character for character in value if character not in _ALLOWED)
    suggestion = slugify(value)
    return Finding(
        f"name has {_character(bad)}, only a-z, 0-9 and the hyphen may be in it",
        start,
        end,
        help=f'"{suggestion}" would do, for the directory too' if suggestion else None,
    )


@rule(Severity.ERROR, _SPECIFICATION, fix="unsafe")
def name_too_long(value: str, start: int, end: int) -> Finding | None:
    """A name has more than 64 characters.

    People type the name after a slash, and the specification sets the limit for all clients.

    Fails:
        -- extract-tables-and-figures-from-scanned-annual-reports-of-companies/SKILL.md --
        ---
        name: extract-tables-and-figures-from-scanned-annual-reports-of-companies
        description: Extract tables from annual reports. Use when figures are asked for.
        ---
        Check each sum.

    Passes:
        -- annual-report-tables/SKILL.md --
        ---
        name: annual-report-tables
        description: Extract tables from annual reports. Use when figures are asked for.
        ---
        Check each sum.
    """
    if len(value) <= MAX_NAME_LENGTH:
        return None
    return Finding(
        f"name has {len(value)} characters, the limit is {MAX_NAME_LENGTH}",
        start,
        end,
        help="shorten it, and the directory's name with it",
    )


@rule(Severity.ERROR, _SPECIFICATION, fix="unsafe")
def name_hyphens(value: str, start: int, end: int) -> Finding | None:
    """A name begins or ends with a hyphen, or has two in a row.

    Such a name is easily mistyped, and one that begins with a hyphen reads as an option. The
    specification forbids both.

    Fails:
        -- sql--review/SKILL.md --
        ---
        name: sql--review
        description: Review SQL for slow queries. Use when a query is changed.
        ---
        Look at the plan before the text.

    Passes:
        -- sql-review/SKILL.md --
        ---
        name: sql-review
        description: Review SQL for slow queries. Use when a query is changed.
        ---
        Look at the plan before the text.
    """
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


@rule(Severity.ERROR, _SPECIFICATION, fix="unsafe")
def name_mismatch(name: Scalar, directory: str) -> Finding | None:
    """The ``name`` is not the name of the directory.

    insomnia calls a skill by its directory; other clients call it by its name. Where the two
    differ, the same skill has two names.

    Fails:
        -- pdf-processing/SKILL.md --
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        -- pdf-processing/SKILL.md --
        ---
        name: pdf-processing
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    if name.value == directory:
        return None
    return Finding(
        f'the name is "{name.value}", its directory is "{directory}"',
        name.start,
        name.end,
        help=f'rename one of the two; "/{directory}" is what people would type'
        if is_slug(directory)
        else f'rename the directory to "{name.value}"; no skill may be named "{directory}"',
    )


def check_name(
    name: Entry | None,
    directory: str,
    misspelt: Scalar | None = None,
    adding: Fix[Edit] | None = None,
) -> Finding | None:
    """The first thing that is wrong with a skill's name: what follows from it is not reported.

    ``adding`` is the fix for a name that is not there, which `adding_name` gives.
    """
    if name is None:
        return name_missing(misspelt, 0, adding)
    value = name.value
    if isinstance(value, Scalar):
        if value.value == directory and value.is_text and is_slug(directory):
            return None
        if value.is_null:
            return name_missing(None, value.start, _naming(value, directory))
        if value.is_refused:
            return None
    wrong_type = name_type(name)
    if wrong_type is not None:
        # Quotes keep what the author meant only where that is the directory's name.
        if isinstance(value, Scalar) and value.value != directory and is_slug(directory):
            return wrong_type._replace(fix=_naming(value, directory))
        return wrong_type
    return _check_text(value, directory) if isinstance(value, Scalar) else None


def _check_text(value: Scalar, directory: str) -> Finding | None:
    """The first thing that is wrong with a name that is text."""
    found = (
        name_empty(value)
        or check_slug(value.value, value.start, value.end)
        or name_mismatch(value, directory)
    )
    if found is None:
        return None
    if found.help and found.rule != "name-mismatch" and is_slug(directory):
        found = found._replace(help=f"write the directory's name: {directory}")
    return found._replace(fix=_naming(value, directory))


def check_slug(value: str, start: int, end: int) -> Finding | None:
    """The first thing that is wrong with the characters of a slug."""
    return (
        name_charset(value, start, end)
        or name_too_long(value, start, end)
        or name_hyphens(value, start, end)
    )


def is_slug(value: str) -> bool:
    """Whether a skill may have this name; `check_slug` tells why not."""
    return (
        0 < len(value) <= MAX_NAME_LENGTH
        and _ALLOWED.issuperset(value)
        and value.strip("-") == value
        and "--" not in value
    )


def adding_name(fields: Mapping[str, Entry], text: str, directory: str) -> Fix[Edit] | None:
    """The fix that writes a ``name`` above all fields, where the directory's name is one."""
    fence = re.match(_OPENING_FENCE, text)
    if fence is None or not is_slug(directory):
        return None
    indent = ""
    if fields:
        first = next(iter(fields.values())).key.start
        indent = text[max(text.rfind("\n", 0, first), text.rfind("\r", 0, first)) + 1 : first]
    if indent.strip(" "):  # the fields stand in braces, say
        return None
    line = f"{indent}name: {written(directory)}{fence[1]}"
    return Fix(f'add "name: {directory}"', (Edit(fence.end(), fence.end(), line),), safe=False)


def renaming_key(key: Scalar, field: str) -> Fix[Edit]:
    """The fix that makes a misspelt key the field that was probably meant."""
    return Fix(f'rename "{key.value}" to {field}', (replacing(key, field),), safe=False)


def _naming(name: Scalar, directory: str) -> Fix[Edit] | None:
    """The fix that gives a skill the name of its directory, or the nearest one that is allowed."""
    slug = directory if is_slug(directory) else slugify(name.value)
    if not slug or slug == name.value:
        return None
    edit = replacing(name, slug)
    if name.start == name.end:  # nothing stands there, not even a blank after the colon
        edit = edit._replace(text=f" {edit.text}")
    return Fix(f'set the name to "{slug}"', (edit,), safe=False)


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
