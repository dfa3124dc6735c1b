"""Rules on a skill's Markdown body as a whole: its size, and frontmatter that got into it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.invocation.tokens import estimate_tokens, has_at_most
from insomnia_skills.limits import MAX_PARSED_CHARACTERS
from insomnia_skills.markup import Markup
from insomnia_skills.rule import rule

MAX_LINES = 500
MAX_TOKENS = 5000
_A_FEW = 100
"""So many characters tell of nearly every body whether it is empty, or how it begins."""

# Lines that YAML takes for fields, and none that is prose, between two fences.
_BLANK_LINES = r"(?:[ \t]*(?:\r\n|\r|\n))*+"
_FIELDS = (
    r"(?=[A-Za-z])(?:(?:[A-Za-z][\w-]*+[ \t]*+:(?:[ \t][^\r\n]*+)?|(?:[ \t]|-[ \t]|#)[^\r\n]*+|)"
    r"(?:\r\n|\r|\n)){1,200}+"
)
_SECOND = rf"{_BLANK_LINES}(---[ \t]*(?:\r\n|\r|\n)({_FIELDS})---)[ \t]*(?![^\r\n])"
_OWN_FIELD = r"(?<![^\r\n])(?:name|description)[ \t]*:"


@rule(Severity.INFO, "specification: body content")
def body_empty(text: str, body_start: int) -> Finding | None:
    """Nothing but blanks follows the frontmatter.

    The body is what a Pod is told to do when the workflow is called, so this one does nothing.

    Fails:
        -- haiku/SKILL.md --
        ---
        name: haiku
        description: Write a haiku. Use when the user asks for a short poem.
        ---

    Passes:
        -- haiku/SKILL.md --
        ---
        name: haiku
        description: Write a haiku. Use when the user asks for a short poem.
        ---
        Three lines of five, seven and five syllables; name a season.
    """
    if text[body_start : body_start + _A_FEW].strip() or text[body_start:].strip():
        return None
    message = "the skill has no instructions after its frontmatter"
    return Finding(message, body_start, body_start, help="write what to do, as Markdown")


@rule(Severity.INFO, "specification: progressive disclosure")
def body_long(text: str, body_start: int) -> Finding | None:
    """The body has more than 500 lines, or more than about 5000 tokens.

    The whole body is loaded each time the skill is used, so the specification keeps it under 500
    lines and 5000 tokens. Tokens are estimated as in `catalog`.

    Fails:
        -- style/SKILL.md --
        ---
        name: style
        description: Edit a text by our style guide. Use when a text is to be published.
        ---
        {1000 × Say it with fewer words. }

    Passes:
        -- style/SKILL.md --
        ---
        name: style
        description: Edit a text by our style guide. Use when a text is to be published.
        ---
        Say it with fewer words; [the guide](references/guide.md) has examples.
        -- style/references/guide.md --
        Not "in the event that" but "if".
    """
    lines = max(text.count("\n", body_start), text.count("\r", body_start))
    lines += not text.endswith(("\n", "\r"))
    if lines > MAX_LINES:
        size = f"{lines:,} lines, more than {MAX_LINES}"
    elif (tokens := estimate_tokens(text[body_start:])) > MAX_TOKENS:
        size = f"about {tokens:,} tokens, more than {MAX_TOKENS:,}"
    else:
        return None
    advice = "move detail to files in references/ and link to them: they are read only when needed"
    return Finding(f"the body has {size}", body_start, body_start, help=advice)


@rule(Severity.INFO, "decision: bounded input")
def body_unchecked(markup: Markup, what: str = "") -> Finding:
    """The body is too long, or has too much of one kind, to be checked to its end.

    Its links, paths and placeholders are looked at as far as a text goes that somebody wrote for a
    model; beyond it the time for one file could become that of a whole run. What was not looked at
    may be wrong, and nothing says so.

    Fails:
        -- codes/SKILL.md --
        ---
        name: codes
        description: Find the code of a product. Use when filling in a customs form.
        ---
        {1001 × [A product](references/codes.md) and }no other.
        -- codes/references/codes.md --
        8471.30: portable computers of at most 10 kg

    Passes:
        -- codes/SKILL.md --
        ---
        name: codes
        description: Find the code of a product. Use when filling in a customs form.
        ---
        Look the product up in [the list of codes](references/codes.md).
        -- codes/references/codes.md --
        8471.30: portable computers of at most 10 kg
    """
    if what:
        found = f"more than {markup.reached[what]:,} {what}; those after that are not checked"
    else:
        size = len(markup.text) - markup.start
        found = (
            f"{size:,} characters; in one of more than {MAX_PARSED_CHARACTERS:,} links, paths and "
            "placeholders are not checked"
        )
    return Finding(
        f"the body has {found}",
        markup.start,
        markup.start,
        help="move detail to files in references/",
    )


@rule(Severity.WARNING, "decision: prose rules")
def frontmatter_twice(text: str, body_start: int) -> Finding | None:
    """The body begins with a second frontmatter.

    Only the first one is read. The model is given the other as a part of its instructions, and
    what it says, mostly the real description, is lost. Tools that put a frontmatter of their own
    above the one that is there make such files.

    Fails:
        ---
        name: pdf
        description: The skill pdf.
        ---

        ---
        description: Extract text from PDF files. Use when the user names a PDF.
        license: MIT
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        license: MIT
        ---
        Run `pdftotext` on the file.
    """
    begins = text[body_start : body_start + _A_FEW].lstrip()
    if not (begins or text[body_start:].lstrip()).startswith("---"):
        return None
    second = re.compile(_SECOND).match(text, body_start)
    if second is None or not re.search(_OWN_FIELD, second[2]):
        return None
    return Finding(
        "the body begins with a second frontmatter, which is not read as one",
        *second.span(1),
        help="keep one of the two, with all that both say",
    )


def check_size(markup: Markup) -> Iterator[Finding]:
    """Whether the body is empty or very long."""
    text, start = markup.text, markup.start
    found = body_empty(text, start)
    if not found and _may_be_long(markup):
        found = body_long(text, start)
    if found:
        yield found


def _may_be_long(markup: Markup) -> bool:
    """Whether the body may have too many lines or tokens; quickly told of nearly all bodies."""
    signs = markup.signs
    if signs.count(b"\n") >= MAX_LINES or signs.count(b"\r") >= MAX_LINES:
        return True
    return not has_at_most(MAX_TOKENS, markup.data, signs)
