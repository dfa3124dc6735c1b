"""The edits of fixes that write YAML: quotes round a value, another value in the place of one."""

from __future__ import annotations

import re

from insomnia_skills.diagnostic import Edit, Fix
from insomnia_skills.yaml.node import Node, Scalar

_SURELY_PLAIN = r"(?a)[A-Za-z](?:[\w\-/.*()+=~$^]|[ :](?=[^\s#]))*"
_NO_TEXT_IN_YAML_1_1 = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
_COMMENT = r"[ \t]+(#[^\r\n]*)"
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LIKE_COMMENT = r"(?:^|\s)#+(?:\s|$)"


def quote(text: str, start: int, end: int) -> tuple[Edit, ...]:
    """Put quotes round ``text[start:end]``, a value without quotes, so that it stays the same text.

    Double quotes; single ones where those would need a backslash and these need nothing doubled.
    Line breaks are folded in quotes as they are without.
    """
    mark = _mark(text[start:end])
    escaped = re.compile(r'["\\]').finditer(text, start, end) if mark == '"' else ()
    escapes = (Edit(found.start(), found.start(), "\\") for found in escaped)
    return (Edit(start, start, mark), *escapes, Edit(end, end, mark))


def quoting(text: str, start: int, end: int, what: str = "value", safe: bool = True) -> Fix[Edit]:
    """The fix that puts ``text[start:end]`` in quotes; ``what`` says what stands there."""
    kind = "double" if _mark(text[start:end]) == '"' else "single"
    return Fix(f"put the {what} in {kind} quotes", quote(text, start, end), safe)


def quoting_line(text: str, start: int, end: int, safe: bool = True) -> Fix[Edit]:
    """As `quoting`, with all that YAML takes for a comment behind the value on its line.

    That is safe only where nobody could have meant a comment.
    """
    if comment := re.compile(_COMMENT).match(text, end):
        end = comment.start(1) + len(comment[1].rstrip(" \t"))
        safe = safe and not looks_like_comment(text[comment.start(1) : end])
    return quoting(text, start, end, safe=safe)


def looks_like_comment(piece: str) -> bool:
    """Whether a ``#`` stands in it as in comments, with a blank behind it; ``#123`` does not."""
    return re.search(_LIKE_COMMENT, piece) is not None


def quoting_bare(value: Node, text: str = "") -> Fix[Edit] | None:
    """The fix that makes a text of a number, of true or of false; None for any other value.

    With ``text``, which it stands in, what follows as a comment belongs to it: see `quoting_line`.
    """
    if not isinstance(value, Scalar) or not (value.is_number or value.boolean is not None):
        return None
    if re.compile(_COMMENT).match(text, value.end):
        return quoting_line(text, value.start, value.end)
    edits = (Edit(value.start, value.start, '"'), Edit(value.end, value.end, '"'))
    return Fix("put it in double quotes", edits)


def replacing(scalar: Scalar, value: str) -> Edit:
    """Write another value in the place of a scalar, in the quotes that it has.

    ``value`` is a slug or the name of a field.
    """
    if scalar.style in ("'", '"'):
        return Edit(scalar.start + 1, scalar.end - 1, value)
    return Edit(scalar.start, scalar.end, written(value))


def written(value: str) -> str:
    """A text as YAML has it on one line: without quotes only where it surely needs none.

    That is, in brackets neither, and to no reader that keeps to YAML 1.1. Line ends and what nobody
    would see become escapes.
    """
    if re.fullmatch(_SURELY_PLAIN, value) and value.lower() not in _NO_TEXT_IN_YAML_1_1:
        return value
    if not value.isprintable():
        return '"' + re.sub(r'["\\]|[^ -~]', lambda found: _escape(found[0]), value) + '"'
    mark = _mark(value)
    return mark + (re.sub(r'(["\\])', r"\\\1", value) if mark == '"' else value) + mark


def _escape(character: str) -> str:
    """A character of a text in double quotes."""
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _mark(piece: str) -> str:
    return "'" if re.search(r'["\\]', piece) and "'" not in piece else '"'
