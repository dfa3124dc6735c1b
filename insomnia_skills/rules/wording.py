"""Rules on the words of a description: what a model needs in order to choose the skill."""

from __future__ import annotations

import re

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.rule import rule
from insomnia_skills.yaml.node import Scalar

# Words of English and of no other language in Latin letters, and those that others share.
_ENGLISH = r"(?i)\b(?:and|by|from|into|that|the|this|using|with|your)\b"
_SHARED = r"(?i)\b(?:a|an|as|for|in|is|of|on|or|to|via)\b"
_ACCENTED = ("\u00c0", "\u024f")
_OTHER_LETTERS = (
    *(("\u0250", "\u1dff"), ("\u2c00", "\ud7ff"), ("\uf900", "\ufdff")),
    *(("\ufe70", "\ufeff"), ("\uff66", "\uffdc")),
)
_WHEN = (
    r"(?i)\b(?:when|whenever|where|if|before|after|while|during|once|until|unless|upon|in case"
    r"|trigger|activat|invo[ck]|ask(?:s|ed|ing)?\b|wants?\b|need|mention|request|question"
    r"|appl(?:y|ies|icable)\b|scenarios?\b|situations?\b|use cases?\b|tasks?\b"
    r"|call(?:ed)? (?:this|for|by)\b|loads? (?:this|for)\b|loaded (?:for|by|from)\b"
    r"|run (?:this|it)\b"
    r"|used?\b (?:this|it|for|to|in|at|as|on|only|proactively|by|with|instead)\b|using this\b"
    r"|(?:best|good|great|helpful|ideal|intended|meant|perfect|required|suitable|useful)"
    r" (?:for|in|to)\b"
    r"|helps? (?:you|users?|with)\b|not for\b"
    r"|for (?:any|all|use|users?|people|teams?|developers|work|projects)\b)"
)
_TAG = r"</?[A-Za-z][\w:.-]{0,40}(?:\s[^<>]{0,200})?/?>"
# Glued to a word, these are a type and a comparison, not tags.
_TYPE = r"<(?!br\b)[A-Za-z][\w:.-]*>"
_COMPARISON = r"<[A-Za-z][\w:.-]*\s[^<>=/]*>"
_ELEMENT = (
    r"</|/>$|=|<(?:a|b|br|button|code|div|em|example|form|h[1-6]|hr|i|iframe|img|input|li|ol|p|pre"
    r"|script|section|select|span|strong|style|svg|table|tbody|td|textarea|th|thead|tr|ul|video)\b"
)


@rule(Severity.INFO, "specification: description field")
def description_without_when(description: Scalar) -> Finding | None:
    """The ``description`` says what the skill does, but not when to use it.

    The description is all that a model sees of a skill before it chooses one. The specification
    asks for both: what the skill does and when to use it. Only English is judged, by words such as
    "when", "if", "use this to" or "after".

    Fails:
        ---
        name: pdf
        description: Extracts the text and the tables of PDF files and merges them.
        ---
        Use pdftotext.

    Passes:
        ---
        name: pdf
        description: Extracts the text of PDF files. Use when the user asks about a PDF.
        ---
        Use pdftotext.
    """
    value = description.value
    if "when " in value or re.search(_WHEN, value) or not _is_english(value):
        return None
    return Finding(
        "description does not say when to use the skill",
        description.start,
        description.end,
        help='add a sentence like "Use when the user asks about …"',
    )


@rule(Severity.WARNING, "decision: prose rules")
def description_xml_tags(description: Scalar, text: str) -> Finding | None:
    """The ``description`` holds an XML or HTML tag.

    Clients put descriptions into a list that is itself written with such tags, so a tag can end or
    change the list; Claude's platform refuses a skill with one. What may be a placeholder
    (``<name>``) or a type (``List<int>``, ``Array<a>``) is only an info.

    Fails:
        ---
        name: pdf
        description: Reads PDF files. <example>Use when the user asks about a PDF.</example>
        ---
        Use pdftotext.

    Passes:
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        Use pdftotext.
    """
    if "<" not in description.value:
        return None
    tags = [tag for tag in re.finditer(_TAG, description.value) if not _is_glued(tag, _COMPARISON)]
    if not tags:
        return None
    elements = (tag for tag in tags if re.search(_ELEMENT, tag[0]) and not _is_glued(tag, _TYPE))
    element = next(elements, None)
    tag = (element or tags[0])[0]
    # The value may be folded or escaped, then the tag is not there literally.
    start = text.find(tag, description.start, description.end)
    found = start >= 0
    return Finding(
        f'description holds the tag "{tag if len(tag) <= 60 else tag[:59] + "…"}"',
        start if found else description.start,
        start + len(tag) if found else description.end,
        help="write it without < and >; Claude's platform refuses tags in a description",
        severity=None if element else Severity.INFO,
    )


def _is_glued(tag: re.Match[str], shape: str) -> bool:
    """Whether a tag has this shape and follows a word without a blank."""
    before = tag.string[tag.start() - 1 : tag.start()] if tag.start() else ""
    return before.isalnum() and re.fullmatch(shape, tag[0]) is not None


def _is_english(value: str) -> bool:
    """Whether a text is surely English, and long enough to say so."""
    if not value.isascii():
        accented = _count(value, _ACCENTED)
        if accented > 2 or any(_count(value, letters) for letters in _OTHER_LETTERS):
            return False
    own = len(re.findall(_ENGLISH, value))
    return own >= 1 and own + len(re.findall(_SHARED, value)) >= 2


def _count(value: str, characters: tuple[str, str]) -> int:
    first, last = characters
    return sum(first <= char <= last for char in value)
