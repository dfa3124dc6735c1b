"""Rules on the files that a skill's body links to."""

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


@rule(Severity.WARNING, "specification: file references")
def reference_missing(path: str, start: int, end: int, alone: bool = False) -> Finding:
    """A Markdown link or image names a file of the skill that does not exist.

    Whoever follows the link finds nothing, and a model may make up what it did not find. Code,
    comments, web addresses, placeholders and files outside the skill directory are not judged.
    Where nothing at all lies beside the SKILL.md it is only an info: such a file was mostly taken
    out of its skill, and its author would not know what is meant.
    """
    return Finding(
        f'the linked file "{path}" is not in the skill',
        start,
        end,
        help="add the file or correct the link; targets are relative to the skill directory",
        severity=Severity.INFO if alone else None,
    )


def missing_references(
    text: str, body_start: int, exists: Exists, alone: bool = False
) -> Iterator[Finding]:
    """One finding for each distinct missing file, at the first link to it.

    ``text`` is the whole file, ``body_start`` the character offset of its body. ``exists`` tells
    whether a path in the skill directory exists; the path is relative, POSIX, normal, and never
    begins with a dot. ``alone`` says that nothing lies beside the SKILL.md.

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
            yield reference_missing(path, start, end, alone)


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
