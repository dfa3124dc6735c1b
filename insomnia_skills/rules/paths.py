"""Rules on paths in a body that lead nowhere on another machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.limits import MAX_HOMES, MAX_LEVELS, MAX_TARGETS
from insomnia_skills.markup import Markup, hints
from insomnia_skills.rule import rule
from insomnia_skills.rules.references import Exists
from insomnia_skills.sources import SKILL_FILE

_REST = r"[^\s\"'`<>(){}\[\]|;,*?\x00-\x1f]{0,300}+"
_HOME = (
    r"(?<![\w.$}~%/\\-])(?:file://)?(?:/mnt/[a-z])?"
    rf"(?:/Users/(?P<mac>[A-Za-z0-9][\w.-]{{0,63}})/{_REST}"
    # Web pages have addresses like /home/profile/, so here the rest must look like files.
    r"|/home/(?P<linux>[A-Za-z0-9][\w.-]{0,63})/"
    rf"(?=(?:\.\w|bin/|code/|dev/|git/|go/|projects?/|repos?/|src/|work(?:space)?/|[^\s\"'`]{{1,200}}"
    # The sources of web pages lie at such addresses too.
    rf"\.(?!(?:[jt]sx|vue|svelte|astro|html?|php|aspx?|css|scss)\b)[A-Za-z][A-Za-z0-9]{{0,7}}\b)|(?:Desktop|Documents|Downloads|anaconda3|miniconda3)\b){_REST}"
    rf"|[A-Z]:(?:\\\\?|/)Users(?:\\\\?|/)(?P<windows>[A-Za-z0-9][\w.-]{{0,63}})[\\/]{_REST})"
)
_NOBODY = (
    r"(?i)(?:admin|administrator|agent|airflow|alice|app|bitnami|bob|build|builder|carol|centos"
    r"|circleci|claude|codespace|coder|core|debian|default|deploy|dev|developer|docker|fedora|frappe|git"
    r"|gitpod|gradle|guest|hadoop|hass|homeassistant|jane|jane\.?doe|jdoe|jenkins|john|john\.?doe"
    r"|jovyan|linuxbrew|me|mysql|nginx|node|nobody|nonroot|oai|odoo|opc|oracle|pi|postgres|public"
    r"|rocky|root|runner|sandbox|shared|site|someone|spark|steam|travis|ubuntu|u|vagrant|vscode|web"
    r"|webdriver|www|x|you"
    # Parts of web pages and of web services.
    r"|all|components|dashboard|features|layout|list|me|pages?|profile|screens|search|self|settings"
    r"|views|widgets)"
    r"|.*(?:your|user|name|example|sample|test|demo|someone|person|foo|bar|xxx|\.\.).*"
)
_REQUEST = r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ `*|\"']{1,5}"
_DRIVE = (
    r"(?:(?<![\w.$}~%/\\-])|(?<=\bfile:///))(?P<top>[A-Za-z]:(?:\\\\?|/)(?!Users[\\/])[\w.-]{1,64})[\\/]"
    rf"{_REST}"
)
_DRIVE_COLON = r":[\\/](?!/)"
_WORKING_PLACE = (
    r"(?i)(?:code|dev|develop|development|git|github|projects?|repos?|skills?|sources?|src|te?mp"
    r"|work|workspaces?)"
)
_ANY = r"[\\/](?:path[\\/]+to|my[\w.-]*|.*(?:your|user|example|sample)[\w.-]*)[\\/]"
_BACKSLASHES = (
    r"(?<![\w\\/.$%}>*:-])(?:\.\\)?(?P<path>(?:assets|references|scripts)"
    r"(?:\\[\w-][\w.-]{0,99}){0,5}\\[\w-][\w.-]{0,99}?\.(?P<suffix>[A-Za-z][A-Za-z0-9]{0,9}))"
    r"(?![\w/\\*{}<>…$(\[-]|\.\w)"
)
_DIRECTORIES = ("assets", "references", "scripts")
_HOMES = hints("/Users/", "/home/")
_BACKSLASHED = hints("assets\\", "references\\", "scripts\\")
_TALK = (("prose", ""), ("code", ""), *(("block", info) for info in ("", "bash", "sh", "shell")))
_WINDOWS = ("bat", "cmd", "exe", "ps1", "psd1", "psm1", "vbs")
_NOT_WINDOWS = ("", "bash", "console", "sh", "shell", "zsh", "python", "py", "text", "txt")


@rule(Severity.WARNING, "decision: prose rules")
def absolute_path(
    path: str, others: int, start: int, end: int, own: str = "", unsure: bool | None = None
) -> Finding:
    """A path leads into somebody's home directory, or to a skill on their disk.

    It exists on one machine only, mostly the author's, and may tell their name. Names that are
    nobody's (``/home/user``, ``/Users/you``, ``/home/runner``) are left alone. Any other path with
    a drive (``D:/projects/pdf/read.py``) is only an info: it may be an example.

    Fails:
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        Run `python /Users/mkowalski/skills/pdf/read.py`.

    Passes:
        -- pdf/SKILL.md --
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        Run `python scripts/read.py`.
        -- pdf/scripts/read.py --
        print("read")
    """
    shown = path if len(path) <= 60 else path[:59] + "…"
    more = f", like {others:,} more there" if others else ""
    place = "in the home directory" if unsure is None else "on the disk"
    return Finding(
        f'"{shown}" is {"perhaps " if unsure else ""}{place} of one machine{more}',
        start,
        end,
        help=f"write {own}"
        if own
        else "put the file into the skill and write its path relative to the skill directory",
        severity=Severity.INFO if unsure else None,
    )


@rule(Severity.WARNING, "specification: file references")
def backslash_path(path: str, start: int, end: int, unsure: bool = False) -> Finding:
    r"""A path of the skill is written with backslashes.

    Only Windows reads ``scripts\read.py`` as a path, elsewhere the backslash is part of a name.
    Commands for Windows are left alone. It is only an info where the skill has no such file.

    Fails:
        -- pdf/SKILL.md --
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        Run `python scripts\read.py`.
        -- pdf/scripts/read.py --
        print("read")

    Passes:
        -- pdf/SKILL.md --
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        Run `python scripts/read.py`.
        -- pdf/scripts/read.py --
        print("read")
    """
    return Finding(
        f'"{path}" is a path on Windows only',
        start,
        end,
        help=f"write {path.replace(chr(92), '/')}",
        severity=Severity.INFO if unsure else None,
    )


def check_paths(markup: Markup, exists: Exists, name: str = "") -> Iterator[Finding]:
    """Paths that only exist on one machine or under one system, each once.

    ``name`` is the skill's, which its directory has on other machines too.
    """
    signs = markup.signs
    has_backslash = b"\\" in signs
    has_drive = has_backslash and b":\\" in signs
    if has_drive or markup.has_any(_HOMES):
        yield from _homes(markup, exists, name)
    if has_drive or b":/" in signs:
        yield from _drives(markup, exists, name)
    if has_backslash and markup.has_any(_BACKSLASHED):
        yield from _backslashes(markup, exists)


def _homes(markup: Markup, exists: Exists, name: str) -> Iterator[Finding]:
    """One finding for each distinct home directory."""
    homes: dict[str, list[re.Match[str]]] = {}
    for match in re.compile(_HOME).finditer(markup.visible, markup.start):
        owner = match["mac"] or match["linux"] or match["windows"]
        if re.fullmatch(_NOBODY, owner) or not re.search("[A-Za-z]", owner):
            continue
        before = markup.visible[max(markup.start, match.start() - 12) : match.start()]
        requests = list(re.finditer(_REQUEST, before))
        if not requests or requests[-1].end() < len(before):
            homes.setdefault(owner, []).append(match)
    for matches in markup.first(MAX_HOMES, homes.values(), "home directories"):
        first = matches[0]
        path = first[0].rstrip(".:")
        own = _own_path(path, exists, name)
        yield absolute_path(path, len(matches) - 1, first.start(), first.start() + len(path), own)


def _drives(markup: Markup, exists: Exists, name: str) -> Iterator[Finding]:
    """One finding for each distinct directory at the top of a drive."""
    places: dict[str, list[re.Match[str]]] = {}
    drive = re.compile(_DRIVE)
    colons = re.compile(_DRIVE_COLON).finditer(markup.visible, markup.start + 1)
    for colon in markup.first(MAX_TARGETS, colons, "paths with a drive"):
        match = drive.match(markup.visible, colon.start() - 1)
        if match and not re.search(_ANY, match[0]):
            places.setdefault(match["top"].lower(), []).append(match)
    for matches in markup.first(MAX_HOMES, places.values(), "directories of a drive"):
        first = matches[0]
        path = first[0].rstrip(".:")
        own = _own_path(path, exists, name)
        parts = re.split(r"[\\/]+", path)
        of_skill = "skills" in parts and (parts[-1] == SKILL_FILE or name in parts)
        sure = own != "" or of_skill
        if not sure and not re.fullmatch(_WORKING_PLACE, parts[1]):
            continue
        place = markup.place(first.start())
        if not sure and (markup.unclear or (place.kind, place.info) not in _TALK):
            continue
        span = first.start(), first.start() + len(path)
        yield absolute_path(path, len(matches) - 1, *span, own, not sure)


def _own_path(path: str, exists: Exists, name: str) -> str:
    """The end of a path that is the skill's own file, relative to it; empty if there is none."""
    parts = re.split(r"[\\/]+", path)
    if ".." in parts:
        return ""
    for at in range(max(1, len(parts) - MAX_LEVELS), len(parts)):
        end = "/".join(parts[at:])
        begins = parts[at] in _DIRECTORIES or parts[at - 1] == name
        if begins and end not in ("", SKILL_FILE) and exists(end):
            return end
    return ""


def _backslashes(markup: Markup, exists: Exists) -> Iterator[Finding]:
    """One finding for each distinct path with backslashes."""
    reported = set()
    backslashes = re.compile(_BACKSLASHES).finditer(markup.visible, markup.start)
    for match in markup.first(MAX_TARGETS, backslashes, "paths with backslashes"):
        path = match["path"]
        if path in reported or match["suffix"].lower() in _WINDOWS or markup.unclear:
            continue
        place = markup.place(match.start())
        if place.kind == "block" and place.info not in _NOT_WINDOWS:
            continue
        missing = not exists(path.replace("\\", "/"))
        # What may be an escape (a line end, a tab) is a path only if there is such a file.
        if missing and re.search(r"\\[nrt0]", path):
            continue
        reported.add(path)
        yield backslash_path(path, *match.span("path"), missing)
