"""Rules on the files that a skill's body links to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from insomnia_skills.clients import CLIENT_PLACEHOLDER_TABLE
from insomnia_skills.diagnostic import Finding, Lines, Severity
from insomnia_skills.markup import MAX_PARSED, Markup, Place, commonmark
from insomnia_skills.rule import rule

if TYPE_CHECKING:
    from markdown_it.token import Token

# Beyond this a body is generated or hostile, and its links are not worth seconds of parsing.
MAX_TARGETS = 1000
MAX_PARENTS = 8

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
# Begins where the three directories of the specification end, which is quick to find.
_MENTION = re.compile(
    r"s/(?:[\w-][\w.-]{0,99}/){0,5}[\w-][\w.-]{0,99}?"
    r"\.[A-Za-z][A-Za-z0-9]{0,9}(?![A-Za-z0-9_/*{}<>…$(\[-]|\.\w)"
)
_DIRECTORIES = ("assets/", "references/", "scripts/")
# Before a mention, these make it a part of another path; what other clients put the skill directory
# in place of makes it certain.
_LONGER = re.compile(r"[A-Za-z0-9_./\\~$%@}>*:-]")
_OWN_DIRECTORIES = (
    "{baseDir}/",
    *(f"{row.text}/" for row in CLIENT_PLACEHOLDER_TABLE if row.directory),
)
_COMMAND = re.compile(
    r"""\s*(?:[$>]\s+)?(?:[A-Za-z_]\w{0,60}=\S{0,99}\s+){0,5}
    (?:(?:uv\ run|(?:ba|z)?sh|bun|cat|chmod\ \S{1,9}|deno\ run|node|npx\ tsx|php|perl|pwsh|
    python3?|Rscript|ruby|source|\.)(?:\s+-[\w-]{1,30}){0,5}\s+)?["']?""",
    re.VERBOSE,
)
_SHELLS = ("", "bash", "console", "sh", "shell", "shell-session", "shellscript", "zsh")
# Beside these, the file may be one that is yet to be made, or an example.
_SUPPOSED = re.compile(
    r"\be\.g\b|\b(?:add|could|creat|exampl|exist|future|generat|hypothe|if |imagine|for instance|"
    r"initiali[sz]|may\b|might|missing|new\b|optional|output|produc|project|repo|save|scaffold|"
    r"such as|would|writ|your\b)|例如|比如|作成|生成|创建",
    re.IGNORECASE,
)


@rule(Severity.WARNING, "specification: file references")
def reference_missing(
    path: str, start: int, end: int, unsure: bool = False, linked: bool = True
) -> Finding:
    """The body links to, or speaks of, a file of the skill that does not exist.

    Whoever follows it finds nothing, and a model may make up what it did not find. Links and
    images are judged, and files in ``scripts/``, ``references/`` and ``assets/`` that the text or a
    command names. Other code, comments, web addresses, placeholders and files outside the skill
    directory are not. It is only an info where nothing at all lies beside the SKILL.md (such a
    file was mostly taken out of its skill, and its author would not know what is meant), where the
    skill has no such directory, and where the text may speak of an example or of a file that is yet
    to be made.

    Fails:
        -- forms/SKILL.md --
        ---
        name: forms
        description: Fill in PDF forms. Use when a form is to be filled in.
        ---
        What each field means: [the fields](references/fields.md).
        -- forms/references/field-names.md --
        iban: the account to pay from

    Passes:
        -- forms/SKILL.md --
        ---
        name: forms
        description: Fill in PDF forms. Use when a form is to be filled in.
        ---
        What each field means: [the fields](references/field-names.md).
        -- forms/references/field-names.md --
        iban: the account to pay from
    """
    return Finding(
        f'the {"linked " if linked else ""}file "{path}" is not in the skill',
        start,
        end,
        help="add the file or correct the link; targets are relative to the skill directory"
        if linked
        else "add the file or correct its path, which is relative to the skill directory",
        severity=Severity.INFO if unsure else None,
    )


@rule(Severity.WARNING, "decision: scope")
def reference_escapes_skill(path: str, start: int, end: int, in_skill: bool = False) -> Finding:
    """A Markdown link leads to a file outside the skill directory.

    A Pod may read the skill directory and nothing else on the skill's behalf, and whoever installs
    the skill elsewhere does not have the file. It is only an info where the file is part of another
    skill, which a Pod may read if that skill is ingested as well.

    Fails:
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        See [the rules of the house](../../RULES.md).

    Passes:
        -- pdf/SKILL.md --
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        See [the rules of the house](references/RULES.md).
        -- pdf/references/RULES.md --
        Be brief.
    """
    if in_skill:
        return Finding(
            f'the link "{path}" leads into another skill',
            start,
            end,
            help="name that skill in the text: its files can be read only if it is ingested too",
            severity=Severity.INFO,
        )
    return Finding(
        f'the link "{path}" leads out of the skill, where its read rule does not reach',
        start,
        end,
        help="put a copy of the file into the skill and link to that",
    )


class _Named(NamedTuple):
    """A path that the body names, relative to the skill directory, and where."""

    path: str
    start: int
    end: int
    linked: bool = True
    own: bool = False


def missing_references(
    text: str, body_start: int, exists: Exists, alone: bool = False, markup: Markup | None = None
) -> Iterator[Finding]:
    """One finding for each distinct file that is missing or outside, at the first place.

    ``text`` is the whole file, ``body_start`` the character offset of its body. ``exists`` tells
    whether a path relative to the skill directory exists; the path is POSIX and normal. One that
    leads out of the skill is only ever asked for a ``SKILL.md``. ``alone`` says that nothing lies
    beside the SKILL.md.

    Silent about a body that is too large to parse in a blink, or whose code fences are so muddled
    that nobody can tell code from prose.
    """
    if len(text) - body_start > MAX_PARSED:
        return
    markup = markup or Markup(text, body_start)
    exists = cache(exists)
    named = [*_suspect_links(markup, exists), *_missing_mentions(markup, exists)]
    if not named or markup.unclear:
        return
    lines, linked, reported = Lines(text[body_start:]), _linked_paths(markup), set()
    for name in named:
        if name.path in reported or markup.in_example(name.start):
            continue
        span = name.start, name.end
        line = lines.position(name.start - body_start)[0] - 1
        if not name.linked:
            unsure = _certainty(markup, name, exists)
            if unsure is None:
                continue
            finding = reference_missing(name.path, *span, unsure or alone, linked=False)
        elif name.path not in linked.get(line, ()):
            continue
        elif name.path.startswith("../"):
            finding = reference_escapes_skill(name.path, *span, _in_other_skill(name.path, exists))
        else:
            finding = reference_missing(name.path, *span, alone)
        reported.add(name.path)
        yield finding


def _suspect_links(markup: Markup, exists: Exists) -> Iterator[_Named]:
    """What looks like a link to a file that is missing or outside; it may yet be code."""

    def is_missing(path: str) -> bool:
        in_project = _PROJECT.match(path) and not exists(path.partition("/")[0])
        return not in_project and not exists(path)

    for match in islice(_TARGET.finditer(markup.text, markup.start), MAX_TARGETS):
        group = match.lastindex or 0
        path = _path(match[group])
        if path and (path.startswith("../") or is_missing(path)):
            yield _Named(path, *match.span(group))


def _missing_mentions(markup: Markup, exists: Exists) -> Iterator[_Named]:
    """What looks like the name of a missing file of the skill; it may yet mean another file."""
    text = markup.text
    for start, end in islice(_mentions(markup), MAX_TARGETS):
        path = normpath(text[start:end])
        own = text.endswith(_OWN_DIRECTORIES, markup.start, start)
        before = start - 2 if text.endswith("./", markup.start, start) else start
        if not own and _LONGER.match(text, before - 1, before):
            continue
        if text.endswith(("](", "]: "), 0, before) or _PLACEHOLDER.search(path):
            continue
        if not exists(path):
            yield _Named(path, start, end, linked=False, own=own)


def _mentions(markup: Markup) -> Iterator[tuple[int, int]]:
    """Where paths in the directories of the specification start and end."""
    text = markup.visible
    for match in _MENTION.finditer(text, markup.start):
        for directory in _DIRECTORIES:
            if text.endswith(directory, markup.start, match.start() + 2):
                yield match.start() + 2 - len(directory), match.end()


def _certainty(markup: Markup, name: _Named, exists: Exists) -> bool | None:
    """Whether it is unsure that a file of the skill is meant; None if it is not even likely."""
    text, place = markup.text, markup.place(name.start)
    if name.own:
        return False
    has_directory = exists(name.path.partition("/")[0])
    if place.kind not in ("prose", "code", "block") or not (has_directory or place.kind == "code"):
        return None
    if place.kind != "prose" and not _is_named(text, place, name):
        return None
    line = max(text.rfind("\n", 0, name.start) + 1, name.start - 60)
    around = text[line : name.start] + text[name.end : name.end + 30].partition("\n")[0]
    return not has_directory or bool(_SUPPOSED.search(around))


def _is_named(text: str, place: Place, name: _Named) -> bool:
    """Whether code is the path alone, or a command that runs or shows the file."""
    if place.kind == "block" and place.info not in _SHELLS:
        return False
    start = max(place.start, text.rfind("\n", 0, name.start) + 1)
    before = text[start : name.start].removesuffix("./")
    return len(before) < 400 and _COMMAND.fullmatch(before) is not None


def _in_other_skill(path: str, exists: Exists) -> bool:
    """Whether a path that leads out of the skill leads into another one."""
    for _ in range(MAX_PARENTS):
        if exists(f"{path}/SKILL.md"):
            return True
        if path.endswith(".."):
            return False
        path = dirname(path)
    return False


def _path(target: str) -> str | None:
    """A link's target as a normal path; None if it does not surely name a file or is hidden."""
    bare = unquote(re.split(r"[#?]", target, maxsplit=1)[0])
    path = normpath(bare)
    if path.startswith("../"):
        names_file = bare.endswith("/") or bool(_FILE.match(path))
    else:
        # A leading dot is a hidden directory, which is some other tool's.
        names_file = path[0] not in "./~@" and bool(_FILE.match(path))
    return path if names_file and not _PLACEHOLDER.search(path) else None


def _linked_paths(markup: Markup) -> dict[int, set[str]]:
    """The paths that real Markdown links name, by 0-based line of the block they stand in."""
    markdown, environment = commonmark(), markup.environment
    linked: dict[int, set[str]] = {}
    for block in markup.tokens:
        if block.type == "inline" and block.map and "[" in block.content:
            inline: list[Token] = []
            markdown.inline.parse(block.content, markdown, environment, inline)
            targets = (str(t.attrs.get("href") or t.attrs.get("src") or "") for t in inline)
            paths = set(filter(None, map(_path, targets)))
            linked.update(dict.fromkeys(range(*block.map), paths))
    used = set().union(*linked.values())
    for definition in environment.get("references", {}).values():
        paths = used.intersection([_path(definition["href"])])
        linked.update(dict.fromkeys(range(*definition["map"]), paths))
    return linked
