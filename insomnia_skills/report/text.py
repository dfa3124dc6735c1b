"""Words and paths for people. Text from a skill is made harmless here before it is shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

# Everything a terminal may act on or hide: C0, DEL, C1, bidirectional and zero-width controls,
# line and paragraph separators, tags and what else is never drawn, and halves of surrogate pairs.
# The joiner between two emoji stays (U+200D is only taken where no emoji stands before it), and one
# variation selector, but not a second one.
HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|(?<![\ufe0f\u2190-\u2bff\U0001f000-\U0001fbff])\u200d"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]"
)


_LOG_COMMAND = re.compile(r"##(?=\[|vso\[)")
_MARKDOWN = r"(?i)[&<>\\`*_\[\]#!|~$:^]|(?<=www)\."
_BREAK = re.compile(r"[\t\r\n]+")
_INERT_IN_QUOTES = re.compile(r"[\w @+=:,./\\()~{}-]*[\w @+=:,./()~{}-]")
_LEVELS_UP = 2


def safe(text: str) -> str:
    """The text with nothing in it that a terminal would act on or hide.

    Harmful characters are written out, as Python's escapes; line ends and tabs stay.
    """
    if text.isascii() and text.isprintable():  # as most are, and quickly told
        return text
    return HARMFUL.sub(lambda match: written_out(match[0]), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`safe` text on one line: line ends and tabs, with the blanks around them, become a blank."""
    if text.isprintable():  # as most are: there are no breaks in it
        return _inert(safe(text.strip(" ")))
    lines = (line.strip(" ") for line in _BREAK.split(text))
    return _inert(safe(" ".join(line for line in lines if line)))


def path_text(path: str | os.PathLike[str]) -> str:
    """A path on one line with every character of it; a line end is written out."""
    text = _inert(safe(os.fspath(path)).replace("\n", "\\n").replace("\t", "\\t"))
    return f"./{text}" if text.startswith("::") else text


def _inert(text: str) -> str:
    """The text with no command for a CI that reads its log for them, as ``##[error]``."""
    return _LOG_COMMAND.sub(r"\\x23#", text) if "##" in text else text


def written_out(character: str) -> str:
    """A character as Python's escape."""
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def markdown_text(text: str) -> str:
    """A line, made safe before, as a reader of Markdown is to see it: no markup, nobody is called.

    Markdown leaves character references alone. GitHub looks for @names only after that, but
    never in code.
    """
    text = re.sub(_MARKDOWN, lambda match: f"&#{ord(match[0])};", text)
    return text.replace("@", "<code>@</code>")


def markdown_row(cells: Iterable[str]) -> str:
    """One row of a Markdown table, with its line end."""
    return f"| {' | '.join(cells)} |\n"


def plural(count: int, word: str, words: str | None = None) -> str:
    """A number with its noun: 1 skill, 2 skills."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def size_label(size: int) -> str:
    """A size in decimal units: 512 B, 1.5 kB, 12 kB."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"


def shell_word(text: str) -> str:
    """A word of a command to paste; a ``~/`` that begins it keeps its meaning.

    On Windows it is put in double quotes, which all of its shells know. What one of them would
    expand there gets single ones, which cmd has not.
    """
    from shlex import quote

    home = "~/" if text.startswith("~/") else ""
    word = home + quote(text.removeprefix(home))
    if os.name == "nt" and word != text and _INERT_IN_QUOTES.fullmatch(text):
        return f'"{text}"'
    return word


def path_word(path: str) -> str:
    """A path in a command to paste; one that begins with a hyphen would be an option."""
    return shell_word(f"./{path}" if path.startswith("-") else path)


def working_directory() -> str:
    """Where the command runs; the root where that was deleted."""
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return os.sep


class PathNames:
    """Paths as people say them.

    Relative below the working directory and up to two levels above it, else with ``~/``.
    """

    def __init__(self, cwd: Path | None = None, home: Path | None = None) -> None:
        self._cwd = os.path.join(cwd or working_directory(), "")
        self._home = os.path.join(home or os.path.expanduser("~"), "")
        above = Path(self._cwd).parents[:_LEVELS_UP]
        # Not from the root or the home directory: "../../etc" is no shorter than "/etc".
        self._above = [
            (os.path.join(parent, ""), f"..{os.sep}" * level)
            for level, parent in enumerate(above, start=1)
            if len(parent.parts) > 2 and not self._home.startswith(os.path.join(parent, ""))
        ]

    def __call__(self, path: str | os.PathLike[str]) -> str:
        text = os.fspath(path)
        if os.path.join(text, "") == self._cwd:
            return "."
        if len(self._cwd) > 1 and text.startswith(self._cwd):
            below = text[len(self._cwd) :]
            return path_text("./" + below if below.startswith("~") else below)
        for parent, up in self._above:
            if text.startswith(parent):
                return path_text(up + text[len(parent) :])
        # On Windows not every shell knows what "~" means.
        if os.name != "nt" and len(self._home) > 1 and text.startswith(self._home):
            return path_text("~/" + text[len(self._home) :])
        return path_text(text)
