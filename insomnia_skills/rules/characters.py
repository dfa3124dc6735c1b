"""Rules on characters that nobody sees: controls, zero-width and bidirectional marks, tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.markup import Markup
from insomnia_skills.rule import rule
from insomnia_skills.yaml.node import Entry, scalars_of

# Not the form feed, a page break of old: nobody is misled by it. Nor NEL, which YAML allows.
_CONTROL = r"\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
# At a carriage return that ends no line a terminal writes over what it has written.
_BODY_CONTROL = rf"[{_CONTROL}\x85]|\r(?!\n)"
_CONTROL_NAMES = {
    "\0": "null",
    "\a": "bell",
    "\b": "backspace",
    "\v": "vertical tab",
    "\f": "form feed",
    "\r": "carriage return",
    "\x85": "next line",
    "\x1b": "escape",
    "\x7f": "delete",
}
_HIDDEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSEEN = f"[{_CONTROL}{_HIDDEN}]"
_SEEN = bytes((*b"\t\n\f\r", *range(0x20, 0x7F)))  # what of ASCII is no control character
# One of the sixteen says how the character before it looks; a second one after it says nothing.
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_SELECTORS = f"{_SELECTOR}{{2,}}"
_TWO_SELECTORS = "[\ufe00-\ufe0f]{2}"
_EMOJI = r"[\u20e3\u2190-\u2bff\ufe0f\U0001f000-\U0001fbff]"
# The flags of England, Scotland and their like: a black flag and its region in tags.
_FLAG = r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_IDEOGRAPH = r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_RIGHT_TO_LEFT = r"[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]"
# Scripts that shape or break words with a zero-width joiner, non-joiner or space.
_JOINING = (
    r"[\u0590-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufefc"
    r"\U00010800-\U00011fff\U0001e900-\U0001e95f]"
)
_HANGUL = (
    r"[\u1100-\u115e\u1161-\u11ff\u3131-\u3163\u3165-\u318e\ua960-\ua97f\uac00-\ud7ff"
    r"\uffa1-\uffdc]"
)
_MONGOLIAN = r"[\u1800-\u180a\u1810-\u18af]"
_MUSIC = r"[\U0001d100-\U0001d172\U0001d17b-\U0001d1ff]"
_BRAILLE = r"[\u2801-\u28ff]"
_LETTERS = r"[^\W\d_]{2}"
_DELETE = "delete it, or write it as an escape where the text is about the character"


@rule(Severity.WARNING, "decision: diagnostics")
def invisible_character(occurrences: str, start: int) -> Finding:
    """A zero-width, bidirectional or other hidden character stands in the text.

    People do not see it, but the model reads it: it can hide instructions or make a text look
    different from what it says. Emoji, scripts that need such characters, and soft hyphens within
    words are not reported. What tags and variation selectors spell is told.

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
    if char in "\u2028\u2029":
        advice = "write a line break in its place"
    elif kind := _kind(char):
        spelt = "".join(filter(str.isprintable, kind(occurrences)))
        name += " and its like" if len(set(occurrences)) > 1 else ""
        advice = f'delete them; as letters they read "{spelt[:60]}"' if spelt else _DELETE
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


def unseen_characters(markup: Markup) -> Iterator[Finding]:
    """Hidden characters anywhere in a file's text, and control characters in its body.

    Raw control characters in the frontmatter are the YAML reader's to refuse.
    """
    rest = markup.signs.translate(None, _SEEN).decode("utf-8", "surrogatepass")
    hidden = rest and (re.search(_UNSEEN, rest) or re.search(_TWO_SELECTORS, rest))
    if hidden:
        yield from invisible_characters(markup.text)
    if hidden or "\x85" in rest or b"\r" in markup.signs:
        yield from control_characters(markup.text, markup.start, len(markup.text), _BODY_CONTROL)


def escaped_characters(fields: Mapping[str, Entry], text: str) -> Iterator[Finding]:
    """Control and hidden characters that keys and values get from the escapes of YAML."""
    if "\\" not in text:
        return
    for scalar in scalars_of(fields.values()):
        if scalar.style != '"' or "\\" not in text[scalar.start : scalar.end]:
            continue
        value = scalar.value
        advice = "delete the escape that stands for it"
        for found in (invisible_characters(value), control_characters(value, 0, len(value))):
            if first := next(found, None):
                yield first._replace(start=scalar.start, end=scalar.end, help=advice)


def invisible_characters(text: str) -> Iterator[Finding]:
    """One finding for each distinct hidden character, one for all that spell a text together."""
    places: dict[str | Spelt, list[int]] = {}
    text = re.sub(_FLAG, lambda flag: flag[0][0] * len(flag[0]), text)
    for run in re.finditer(_SELECTORS, text):
        places.setdefault(_as_bytes, []).extend(range(*run.span()))
    in_runs = set(places.get(_as_bytes, ()))
    for match in re.finditer(f"[{_HIDDEN}]", text):
        if match.start() not in in_runs and not _is_legitimate(text, match.start()):
            places.setdefault(_kind(match[0]) or match[0], []).append(match.start())
    for starts in places.values():
        starts.sort()
        yield invisible_character("".join(text[start] for start in starts), starts[0])


def control_characters(
    text: str,
    start: int,
    end: int,
    pattern: str = f"[{_CONTROL}]",
    severity: Severity | None = None,
) -> Iterator[Finding]:
    """One finding for each distinct control character in ``text[start:end]``, in order."""
    found = [(match.start(), match[0]) for match in re.compile(pattern).finditer(text, start, end)]
    counts = Counter(char for _, char in found)
    for at, char in found:
        if count := counts.pop(char, 0):
            yield control_character(char, count, at, severity)


def _is_legitimate(text: str, at: int) -> bool:
    """Whether the hidden character at ``at`` does there what it was made for."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char == "\ufeff":
        return at == 0
    if char == "\u00ad":  # where a word may be broken, which leaves no letter alone
        sides = text[max(0, at - 2) : at], text[at + 1 : at + 3]
        return all(re.match(_LETTERS, side) for side in sides)
    if char == "\u034f":
        import unicodedata

        return after != "" and unicodedata.combining(after) != 0
    for characters, script, reach in _ONLY_BESIDE:
        if char in characters:
            return bool(re.search(script, text[max(0, at - reach) : at + reach + 1]))
    if char == "\u200d" and re.match(_EMOJI, before) and re.match(_EMOJI, after):
        return True
    if char in "\u180e\u200b\u200c\u200d":
        return bool(re.match(_JOINING, before) or re.match(_JOINING, after))
    if char in "\u061c\u200e\u200f":
        return bool(re.search(_RIGHT_TO_LEFT, text[max(0, at - 40) : at + 40]))
    return "\U000e0100" <= char <= "\U000e01ef" and bool(re.match(_IDEOGRAPH, before))


_ONLY_BESIDE = (
    ("\u115f\u1160\u3164\uffa0", _HANGUL, 1),
    ("\u180b\u180c\u180d\u180f", _MONGOLIAN, 1),
    ("\u2800", _BRAILLE, 100),
    ("".join(map(chr, range(0x1D173, 0x1D17B))), _MUSIC, 40),
)
"""Characters that belong to one script, what can be seen of it, and how far off that may stand:
pictures in Braille have long runs of blanks."""

Spelt = Callable[[str], str]


def _kind(char: str) -> Spelt | None:
    """What reads the text that characters like this one are known to hide."""
    if "\U000e0000" <= char <= "\U000e007f":
        return _as_ascii
    return _as_bytes if re.match(_SELECTOR, char) else None


def _as_ascii(tags: str) -> str:
    return "".join(chr(ord(tag) & 0x7F) for tag in tags)


def _as_bytes(selectors: str) -> str:
    """Of the 256 selectors the first 16 stand for the bytes 0 to 15, the others for the rest."""
    codes = (ord(one) - (0xFE00 if one < "\U000e0100" else 0xE0100 - 16) for one in selectors)
    return bytes(codes).decode("utf-8", "ignore")


def _message(kind: str, char: str, name: str, count: int) -> str:
    times = f", {count:,} times" if count > 1 else ""
    return f"{kind} character U+{ord(char):04X} {name}{times}"
