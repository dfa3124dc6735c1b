"""Rules on a skill's Markdown body: its size, the files it links to, characters nobody sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from posixpath import normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from insomnia_skills.diagnostic import Finding, Lines, Severity
from insomnia_skills.rule import rule

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_LINES = 500
MAX_TOKENS = 5000
CHARACTERS_PER_TOKEN = 4

# Beyond these a body is generated or hostile, and its links are not worth seconds of parsing.
MAX_PARSED = 64 * 1024
MAX_TARGETS = 1000

Exists = Callable[[str], bool]

_TARGET = re.compile(
    r"\](?:\(|:)\s*+(?!https?:|#)"
    r"(?:<([^<>\s]{1,400})>|((?:[^\s()<>]|\([^\s()<>]{0,99}+\)){1,400}+))"
)
_PLACEHOLDER = re.compile(
    r"""[\\:{}<>\[\]$*|"'`&^\u2026\x00-\x1f\x7f]|\.\.\.|path/to/"""
    r"|(?:^|/)your[._/-]|(?:^|[/_-])(?:xxx+|nnn+|yyyy)[._/-]"
    r"|^(?:path|file|file[_-]?name|link|url|target|example|foo|bar|image)\.\w+$",
    re.IGNORECASE,
)
# Outside the directories of the specification, a file has a suffix, and not one of a web address.
_FILE = re.compile(
    r"(?:assets|references|scripts)/."
    r"|.*[^/]\.(?!(?:html?|php|aspx?|com|org|net|io|dev|\d+)$)[A-Za-z0-9]+$"
)
# Usual in the projects that skills work on, so a link there may mean the project's own.
_PROJECT = re.compile(
    r"(?:apps?|config|docs|lib|packages|plugins|public|skills|specs?|src|tests?)/"
    r"|(?:agents|claude|gemini|readme|changelog|contributing|security|license)\.(?:md|txt)$"
    r"|(?:package|tsconfig)\.json$|(?:pyproject|cargo)\.toml$|go\.mod$",
    re.IGNORECASE,
)
_OPENING_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*[^\s`~]", re.MULTILINE)

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


@rule(Severity.INFO, "specification: body content")
def body_empty(text: str, body_start: int) -> Finding | None:
    """Nothing but blanks follows the frontmatter.

    The body is what a Pod is told to do when the workflow is called, so this one does nothing.
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


@rule(Severity.WARNING, "specification: file references")
def reference_missing(path: str, start: int, end: int) -> Finding:
    """A Markdown link or image names a file of the skill that does not exist.

    Whoever follows the link finds nothing, and a model may make up what it did not find. Code,
    comments, web addresses, placeholders and files outside the skill directory are not judged.
    """
    advice = "add the file or correct the link; targets are relative to the skill directory"
    return Finding(f'the linked file "{path}" is not in the skill', start, end, help=advice)


@rule(Severity.WARNING, "design: diagnostics")
def invisible_character(occurrences: str, start: int) -> Finding:
    """A zero-width, bidirectional or other hidden character stands in the text.

    People do not see it, but the model reads it: it can hide instructions or make a text look
    different from what it says. Emoji, and scripts that need such characters, are not reported.
    """
    import unicodedata  # 1 MB that a clean file never needs

    char, count = occurrences[0], len(occurrences)
    name, advice = unicodedata.name(char, "(not assigned)"), _DELETE
    if _is_tag(char):
        spelt = "".join(filter(str.isprintable, (chr(ord(tag) & 0x7F) for tag in occurrences)))
        name, advice = f"{name} and its like", f'delete them; as letters they read "{spelt[:60]}"'
    return Finding(_message("hidden", char, name, count), start, start + 1, help=advice)


@rule(Severity.WARNING, "YAML 1.2, 5.1; design: diagnostics")
def control_character(char: str, count: int, at: int, severity: Severity | None = None) -> Finding:
    """A control character stands raw in the text.

    Terminals obey it, editors hide it, and YAML forbids it in frontmatter (an error there).
    """
    kind = "C0 control" if char < " " else "C1 control" if char < "\xa0" else "noncharacter"
    message = _message("control", char, f"({_CONTROL_NAMES.get(char, kind)})", count)
    return Finding(message, at, at + 1, help=_DELETE, severity=severity)


def body_findings(text: str, body_start: int, exists: Exists) -> Iterator[Finding]:
    """All that the rules of this module say about a file, hidden characters also in frontmatter.

    ``text`` is the whole file, ``body_start`` the character offset of its body. ``exists`` tells
    whether a path in the skill directory exists; the path is relative, POSIX, normal, and never
    begins with a dot.
    """
    yield from filter(None, (body_empty(text, body_start), body_long(text, body_start)))
    yield from missing_references(text, body_start, exists)
    if _UNSEEN.search(text):
        yield from invisible_characters(text)
        yield from control_characters(text, body_start, len(text))


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


def missing_references(text: str, body_start: int, exists: Exists) -> Iterator[Finding]:
    """One finding for each distinct missing file, at the first link to it.

    Silent about a body that is too large to parse in a blink, or whose code fences are so muddled
    that nobody can tell code from prose.
    """
    body = text[body_start:]
    if len(body) > MAX_PARSED:
        return
    missing = list(_missing_targets(text, body_start, exists))
    if not missing:
        return
    lines, linked, reported = Lines(body), _linked_paths(body), set()
    for path, start, end in missing:
        line = lines.position(start - body_start)[0] - 1
        in_example = text.rfind("<example", 0, start) > text.rfind("</example", 0, start)
        if path in linked.get(line, ()) and path not in reported and not in_example:
            reported.add(path)
            yield reference_missing(path, start, end)


def _missing_targets(text: str, body_start: int, exists: Exists) -> Iterator[tuple[str, int, int]]:
    """Path, start and end of what looks like a link to a missing file; it may yet be code."""

    @cache
    def is_missing(path: str) -> bool:
        in_project = _PROJECT.match(path) and not exists(path.partition("/")[0])
        return not in_project and not exists(path)

    for match in islice(_TARGET.finditer(text, body_start), MAX_TARGETS):
        group = match.lastindex or 0
        path = _path_in_skill(match[group])
        if path and is_missing(path):
            yield path, *match.span(group)


def _path_in_skill(target: str) -> str | None:
    """The path of a link target in the skill directory; None if it does not surely name a file."""
    path = normpath(unquote(re.split(r"[#?]", target, maxsplit=1)[0]))
    # A leading dot is above the skill, or in a hidden directory, which is some other tool's.
    if path[0] in "./~@" or not _FILE.match(path) or _PLACEHOLDER.search(path):
        return None
    return path


def _linked_paths(body: str) -> dict[int, set[str]]:
    """The paths that real Markdown links name, by 0-based line of the block they stand in."""
    from markdown_it import MarkdownIt  # 30 ms that only a file with a missing target pays

    markdown = MarkdownIt("commonmark").disable("inline")
    environment: dict[str, Any] = {}
    linked: dict[int, set[str]] = {}
    # The line end makes an unclosed fence one line shorter than a closed one, always.
    for block in markdown.parse(body + "\n", environment):
        if block.type == "fence" and _is_muddled(block):
            return {}
        if block.type == "inline" and block.map and "[" in block.content:
            inline: list[Token] = []
            markdown.inline.parse(block.content, markdown, environment, inline)
            targets = (str(t.attrs.get("href") or t.attrs.get("src") or "") for t in inline)
            paths = set(filter(None, map(_path_in_skill, targets)))
            linked.update(dict.fromkeys(range(*block.map), paths))
    used = set().union(*linked.values())
    for definition in environment.get("references", {}).values():
        paths = used.intersection([_path_in_skill(definition["href"])])
        linked.update(dict.fromkeys(range(*definition["map"]), paths))
    return linked


def _is_muddled(fence: Token) -> bool:
    """Whether the code block is unclosed, or another opens in it: then its author meant another."""
    first, end = fence.map or (0, 0)
    if end - first != fence.content.count("\n") + 2:
        return True
    inner = (match[1] for match in _OPENING_FENCE.finditer(fence.content))
    return any(marker.startswith(fence.markup) for marker in inner)


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
