"""Rules on paths in a body that lead nowhere on another machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.markup import Markup
from insomnia_skills.rule import rule
from insomnia_skills.rules.references import MAX_TARGETS, Exists

# More homes than this are a list of some kind, not slips.
MAX_HOMES = 10

_REST = r"[^\s\"'`<>(){}\[\]|;,*?\x00-\x1f]{0,300}+"
_HOME = re.compile(
    r"(?<![\w.$}~%/\\-])(?:file://)?(?:/mnt/[a-z])?"
    rf"(?:/Users/(?P<mac>[A-Za-z0-9][\w.-]{{0,63}})/{_REST}"
    # Web pages have addresses like /home/profile/, so here the rest must look like files.
    r"|/home/(?P<linux>[A-Za-z0-9][\w.-]{0,63})/"
    rf"(?=(?:\.\w|bin/|code/|dev/|git/|go/|projects?/|repos?/|src/|work(?:space)?/|[^\s\"'`]{{1,200}}"
    rf"\.[A-Za-z][A-Za-z0-9]{{0,7}}\b)|(?:Desktop|Documents|Downloads|anaconda3|miniconda3)\b){_REST}"
    rf"|[A-Z]:(?:\\\\?|/)Users(?:\\\\?|/)(?P<windows>[A-Za-z0-9][\w.-]{{0,63}})[\\/]{_REST})"
)
_NOBODY = re.compile(
    r"(?:admin|administrator|agent|alice|app|bob|build|builder|carol|circleci|claude|codespace|coder"
    r"|default|deploy|dev|developer|docker|ec2-user|git|gitpod|guest|jane|jane\.?doe|jdoe|jenkins"
    r"|john|john\.?doe|jovyan|linuxbrew|me|node|nobody|oai|pi|postgres|public|root|runner|sandbox"
    r"|shared|someone|travis|ubuntu|u|vagrant|vscode|web|www|x|you)"
    r"|.*(?:your|user|name|example|sample|test|demo|someone|person|foo|bar|xxx|\.\.).*",
    re.IGNORECASE,
)
_BACKSLASHES = re.compile(
    r"(?<![\w\\/.$%}>*:-])(?:\.\\)?(?P<path>(?:assets|references|scripts)"
    r"(?:\\[\w-][\w.-]{0,99}){0,5}\\[\w-][\w.-]{0,99}?\.(?P<suffix>[A-Za-z][A-Za-z0-9]{0,9}))"
    r"(?![\w/\\*{}<>…$(\[-]|\.\w)"
)
_WINDOWS = ("bat", "cmd", "exe", "ps1", "psd1", "psm1", "vbs")
_NOT_WINDOWS = ("", "bash", "console", "sh", "shell", "zsh", "python", "py", "text", "txt")


@rule(Severity.WARNING, "decision: prose rules")
def absolute_path(path: str, others: int, start: int, end: int) -> Finding:
    """A path leads into somebody's home directory.

    It exists on one machine only, mostly the author's, and tells their name. Names that are
    nobody's (``/home/user``, ``/Users/you``, ``/home/runner``) are left alone.

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
    return Finding(
        f'"{shown}" is in the home directory of one machine{more}',
        start,
        end,
        help="put the file into the skill and write its path relative to the skill directory",
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


def check_paths(markup: Markup, exists: Exists) -> Iterator[Finding]:
    """Paths that only exist on one machine or under one system, each once."""
    text = markup.visible
    if "/Users/" in text or "/home/" in text or ":\\" in text:
        yield from _homes(markup)
    if any(directory in text for directory in ("assets\\", "references\\", "scripts\\")):
        yield from _backslashes(markup, exists)


def _homes(markup: Markup) -> Iterator[Finding]:
    """One finding for each distinct home directory."""
    homes: dict[str, list[re.Match[str]]] = {}
    for match in _HOME.finditer(markup.visible, markup.start):
        name = match["mac"] or match["linux"] or match["windows"]
        if not _NOBODY.fullmatch(name) and re.search("[A-Za-z]", name):
            homes.setdefault(name, []).append(match)
    for matches in islice(homes.values(), MAX_HOMES):
        first = matches[0]
        path = first[0].rstrip(".:")
        yield absolute_path(path, len(matches) - 1, first.start(), first.start() + len(path))


def _backslashes(markup: Markup, exists: Exists) -> Iterator[Finding]:
    """One finding for each distinct path with backslashes."""
    reported = set()
    for match in islice(_BACKSLASHES.finditer(markup.visible, markup.start), MAX_TARGETS):
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
