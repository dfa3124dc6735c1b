"""Where output goes: whether it is a terminal, how wide it is, and whether it has colour."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


_WORD = r"(\S+) *"


class Color(StrEnum):
    """What ``--color`` may be."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def wants_color(color: Color, stream: IO[str], environment: Mapping[str, str]) -> bool:
    """Whether to write colour to ``stream``.

    ``--color`` decides; left on ``auto``, NO_COLOR (no-color.org), then FORCE_COLOR, then whether
    the stream is a terminal that knows any.
    """
    if color is not Color.AUTO:
        return color is Color.ALWAYS
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def line_breaks(text: str, room: int) -> Iterator[int]:
    """Where the lines of a sentence begin anew, so that each takes at most ``room`` cells.

    Only between words: a path that is longer than a line stays in one piece, for copying.
    """
    from rich.cells import cell_len

    used = 0
    for word in re.finditer(_WORD, text):
        if used and used + cell_len(word[1]) > room:
            yield word.start()
            used = 0
        used += cell_len(word[0])


def longest_word(text: str) -> int:
    """The cells that the longest word takes."""
    from rich.cells import cell_len

    return max((cell_len(word[1]) for word in re.finditer(_WORD, text)), default=0)


def make_console(color: Color, stream: IO[str] | None = None) -> Console:
    """A rich console that interprets nothing: no markup, no emoji codes, no links.

    Without colour it writes no escape sequence at all.
    """
    from rich.console import Console

    class StrictConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the command to end; rich would end with 1, which means no here."""
            raise BrokenPipeError

    stream = sys.stdout if stream is None else stream
    colored = wants_color(color, stream, os.environ)
    # A width of 0, which some systems say, would leave no room for a letter.
    environment = {k: v for k, v in os.environ.items() if k != "COLUMNS" or v.strip("0")}
    unable = os.environ.get("TERM", "dumb") in ("dumb", "unknown")
    return StrictConsole(
        file=stream,
        force_terminal=colored,
        color_system=("standard" if unable else "auto") if colored else None,
        no_color=not colored,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
        _environ=environment,
    )
