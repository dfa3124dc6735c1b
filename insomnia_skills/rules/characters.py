"""Rules on characters that nobody sees: controls, zero-width and bidirectional marks, tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.node import Entry, scalars_of
from insomnia_skills.rule import rule

# Not the form feed, a page break of old: odd, but nobody is misled by it.
_CONTROL = r"\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
_CONTROL_NAMES = {
    "\0": "null",
    "\a": "bell",
    "\b": "backspace",
    "\v": "vertical tab",
    "\f": "form feed",
    "\x1b": "escape",
    "\x7f": "delete",
}
_HIDDEN = (
    r"\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_UNSEEN = re.compile(f"[{_CONTROL}{_HIDDEN}]")
_EMOJI = re.compile(r"[\u20e3\u2190-\u2bff\ufe0f\U0001f000-\U0001fbff]")
# The flags of England, Scotland and their like: a black flag and its region in tags.
_FLAG = re.compile(r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")
# Scripts that shape or break words with a zero-width joiner, non-joiner or space.
_JOINING = re.compile(
    r"[\u0590-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufefc"
    r"\U00010800-\U00011fff\U0001e900-\U0001e95f]"
)
_DELETE = "delete it, or write it as an escape where the text is about the character"


@rule(Severity.WARNING, "decision: diagnostics")
def invisible_character(occurrences: str, start: int) -> Finding:
    """A zero-width, bidirectional or other hidden character stands in the text.

    People do not see it, but the model reads it: it can hide instructions or make a text look
    different from what it says. Emoji, and scripts that need such characters, are not reported.

    Fails:
        -- summary/SKILL.md --
        ---
        name: summary
        description: Summarise a long text. Use when the user asks for the gist.
        ---
        Summarise the text in\u200b three sentences.

    Passes:
        -- summary/SKILL.md --
        ---
        name: summary
        description: Summarise a long text. Use when the user asks for the gist.
        ---
        Summarise the text in three sentences.
    """
    import unicodedata  # 1 MB that a clean file never needs

    char, count = occurrences[0], len(occurrences)
    name, advice = unicodedata.name(char, "(not assigned)"), _DELETE
    if _is_tag(char):
        spelt = "".join(filter(str.isprintable, (chr(ord(tag) & 0x7F) for tag in occurrences)))
        name, advice = f"{name} and its like", f'delete them; as letters they read "{spelt[:60]}"'
    return Finding(_message("hidden", char, name, count), start, start + 1, help=advice)


@rule(Severity.WARNING, "YAML 1.2, 5.1; decision: diagnostics")
def control_character(char: str, count: int, at: int, severity: Severity | None = None) -> Finding:
    """A control character stands raw in the text.

    Terminals obey it, editors hide it, and YAML forbids it in frontmatter (an error there).

    Fails:
        -- logs/SKILL.md --
        ---
        name: logs
        description: Read log files. Use when a service has failed.
        ---
        Lines that begin with \u001b[31mERROR\u001b[0m come first.

    Passes:
        -- logs/SKILL.md --
        ---
        name: logs
        description: Read log files. Use when a service has failed.
        ---
        Lines that begin with ERROR come first.
    """
    kind = "C0 control" if char < " " else "C1 control" if char < "\xa0" else "noncharacter"
    message = _message("control", char, f"({_CONTROL_NAMES.get(char, kind)})", count)
    return Finding(message, at, at + 1, help=_DELETE, severity=severity)


def unseen_characters(text: str, body_start: int) -> Iterator[Finding]:
    """Hidden characters anywhere in a file's text, and control characters in its body.

    Raw control characters in the frontmatter are the YAML reader's to refuse.
    """
    if _UNSEEN.search(text):
        yield from invisible_characters(text)
        yield from control_characters(text, body_start, len(text))


def escaped_characters(fields: Mapping[str, Entry], text: str) -> Iterator[Finding]:
    """Control and hidden characters that keys and values get from the escapes of YAML."""
    for scalar in scalars_of(fields.values()):
        if scalar.style != '"' or "\\" not in text[scalar.start : scalar.end]:
            continue
        value = scalar.value
        found = [*invisible_characters(value), *control_characters(value, 0, len(value))]
        if found:
            advice = "delete the escape that stands for it"
            yield replace(found[0], start=scalar.start, end=scalar.end, help=advice)


def invisible_characters(text: str) -> Iterator[Finding]:
    """One finding for each distinct hidden character, and one for all tag characters together."""
    places: dict[str, list[int]] = {}
    text = _FLAG.sub(lambda flag: flag[0][0] * len(flag[0]), text)
    for match in re.finditer(f"[{_HIDDEN}]", text):
        if not _is_legitimate(text, match.start()):
            kind = "tags" if _is_tag(match[0]) else match[0]
            places.setdefault(kind, []).append(match.start())
    for starts in places.values():
        yield invisible_character("".join(text[start] for start in starts), starts[0])


def control_characters(
    text: str, start: int, end: int, severity: Severity | None = None
) -> Iterator[Finding]:
    """One finding for each distinct control character in ``text[start:end]``."""
    present = set(re.findall(f"[{_CONTROL}]", text[start:end]))
    for at, char in sorted((text.index(char, start), char) for char in present):
        yield control_character(char, text.count(char, start, end), at, severity)


def _is_legitimate(text: str, at: int) -> bool:
    """Whether the hidden character at ``at`` does there what it was made for."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char == "\ufeff":
        return at == 0
    if char == "\u200d" and _EMOJI.match(before) and _EMOJI.match(after):
        return True
    if char in "\u180e\u200b\u200c\u200d":
        return bool(_JOINING.match(before) or _JOINING.match(after))
    if char in "\u061c\u200e\u200f":
        return bool(_RIGHT_TO_LEFT.search(text, max(0, at - 40), at + 40))
    return "\U000e0100" <= char <= "\U000e01ef" and bool(_IDEOGRAPH.match(before))


def _is_tag(char: str) -> bool:
    return "\U000e0000" <= char <= "\U000e007f"


def _message(kind: str, char: str, name: str, count: int) -> str:
    times = f", {count:,} times" if count > 1 else ""
    return f"{kind} character U+{ord(char):04X} {name}{times}"
