"""Rules on the size of a skill's Markdown body."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.rule import rule

MAX_LINES = 500
MAX_TOKENS = 5000
CHARACTERS_PER_TOKEN = 4


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
    if text[body_start:].strip():
        return None
    message = "the skill has no instructions after its frontmatter"
    return Finding(message, body_start, body_start, help="write what to do, as Markdown")


@rule(Severity.INFO, "specification: progressive disclosure")
def body_long(text: str, body_start: int) -> Finding | None:
    """The body has more than 500 lines, or more than about 5000 tokens.

    The whole body is loaded each time the skill is used, so the specification keeps it under 500
    lines and 5000 tokens. Tokens are estimated as characters / 4, which is near for English.

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
    tokens = -(-(len(text) - body_start) // CHARACTERS_PER_TOKEN)
    if lines > MAX_LINES:
        size = f"{lines:,} lines, more than {MAX_LINES}"
    elif tokens > MAX_TOKENS:
        size = f"about {tokens:,} tokens (characters / 4), more than {MAX_TOKENS:,}"
    else:
        return None
    advice = "move detail to files in references/ and link to them: they are read only when needed"
    return Finding(f"the body has {size}", body_start, body_start, help=advice)


def check_size(text: str, body_start: int) -> Iterator[Finding]:
    """Whether the body, which begins at ``body_start`` in ``text``, is empty or very long."""
    yield from filter(None, (body_empty(text, body_start), body_long(text, body_start)))
