"""Markdown as `show` draws it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from insomnia_skills.limits import MAX_PARSED_CHARACTERS
from insomnia_skills.report.markdown import OpenMarkdown
from tests.fuzz.engine import Target, require
from tests.fuzz.targets.holds import ACTED_ON
from tests.fuzz.targets.seeds import skill_files
from tests.fuzz.targets.skills import BODY

_WIDE = 4000
_LONGEST_WIDE = 16 * 1024
"""A long text on wide lines takes seconds to draw."""

_WORD = re.compile(r"[A-Za-z]{4,}")
_ENTITY = re.compile(r"&#?\w+;?")
_LANGUAGE = re.compile(r"(?:```+|~~~+)[ \t]*[\w+#.-]{1,20}[ \t]*$", re.MULTILINE)
"""A word behind a fence names the language, and is not drawn."""


def check_markdown(data: bytes, place: Path) -> Iterator[str]:
    """A body: drawn at any width, with every word of it."""
    body = data.decode("utf-8", "replace")[:MAX_PARSED_CHARACTERS]
    markdown = OpenMarkdown(body)
    yield from {token.type for token in markdown.parsed}
    for width in (20, 80, _WIDE) if len(body) <= _LONGEST_WIDE else (20, 80):
        shown = _drawn(markdown, width)
        found = ACTED_ON.search(shown)
        require(not found, "a control character is drawn", repr(found))
        if width == _WIDE:
            written = _LANGUAGE.sub(" ", _ENTITY.sub(" ", body))
            hidden = set(_WORD.findall(written)) - set(_WORD.findall(shown))
            joined = "".join(shown.split())
            hidden = {word for word in hidden if word not in joined}
            require(not hidden, "words are hidden", sorted(hidden))


def _drawn(markdown: OpenMarkdown, width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False, emoji=False)
    console.print(markdown)
    return out.getvalue()


def _bodies() -> list[bytes]:
    found = (
        re.split(rb"^---[ \t]*\r?$", data, maxsplit=2, flags=re.MULTILINE) for data in skill_files()
    )
    bodies = {parts[2] for parts in found if len(parts) == 3 and len(parts[2]) > 40}
    return sorted({*bodies, *(b"\n".join(BODY),)})


TARGETS = (Target("markdown", _bodies, BODY, check_markdown),)
