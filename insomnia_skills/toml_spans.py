"""A TOML text with the places of its keys and values.

`tomllib` gives values without places. `Spans` reads the same text once more for the places only,
so it may trust that the text is valid.
"""

from __future__ import annotations

import re
import sys
import tomllib
from typing import Any, TypeAlias

from insomnia_skills.limits import MAX_KEY_PARTS

KeyPath: TypeAlias = "tuple[str | int, ...]"
"""``("skills", "directories", 0)``: keys from the top, indexes in arrays."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_OTHER_VALUE = re.compile(r"[^\s,\]}#]+(?: [0-9][^\s,\]}#]*)?")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
# tomllib takes time and memory in the square of a dotted key's parts.
_DEEP_KEY = re.compile(
    r"""(?<![\w."'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)"""
    rf"{{{MAX_KEY_PARTS}}}"
)
_LONG_NUMBER = re.compile(r"[0-9][0-9_]{639}")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class TomlError(ValueError):
    """A text that is not TOML, or more than can be read; ``at`` is the place, an offset."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.at = at


def read_toml(text: str) -> tuple[dict[str, Any], Spans]:
    """What a text says, and where. Raises `TomlError`."""
    if deep := _DEEP_KEY.search(text):
        raise TomlError(f"a key has more than {MAX_KEY_PARTS} parts", deep.start())
    try:
        return tomllib.loads(text), Spans(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlError(*_reason(str(error), text)) from None
    except RecursionError:
        raise TomlError("nested too deeply") from None
    except ValueError:  # Python reads no number of so many digits, since that takes too long
        number = _LONG_NUMBER.search(text)
        reason = f"a number has more than {sys.get_int_max_str_digits():,} digits"
        raise TomlError(reason, number.start() if number else 0) from None


def _reason(message: str, text: str) -> tuple[str, int]:
    """tomllib's words without their place, and the place as an offset."""
    place = _PLACE.search(message)
    if place is None:
        return message, 0
    reason = message[: place.start()]
    if place[1] is None:
        return f"{reason} (the file ends too early)", len(text)
    # tomllib counts lines by LF after turning CRLF into LF.
    line_start = 0
    for _ in range(int(place[1]) - 1):
        line_start = text.find("\n", line_start) + 1
    return reason, min(line_start + int(place[2]) - 1, len(text))


class Spans:
    """Where the keys and values of a text stand, in character offsets, by their path.

    Raises RecursionError for arrays and tables that are nested too deeply.
    """

    def __init__(self, text: str) -> None:
        locator = _Locator(text)
        locator.document()
        self.keys = locator.keys
        self.values = locator.values

    def key(self, *path: str | int) -> tuple[int, int]:
        """The span of the first mention of a key, or of the nearest key above it."""
        while path not in self.keys and len(path) > 1:
            path = path[:-1]
        return self.keys.get(path, (0, 0))

    def value(self, *path: str | int) -> tuple[int, int]:
        """The span of a value; of one that has no place of its own, such as a table, its key's."""
        return self.values.get(path) or self.key(*path)


class _Locator:
    def __init__(self, text: str) -> None:
        self.keys: dict[KeyPath, tuple[int, int]] = {}
        self.values: dict[KeyPath, tuple[int, int]] = {}
        self._last_items: dict[KeyPath, KeyPath] = {}
        self._text = text
        self._at = 0

    def document(self) -> None:
        table: KeyPath = ()
        while self._skip_blank():
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> KeyPath:
        """The path of the table that a line in brackets opens."""
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        self._at += brackets
        path, span = self._key(())
        self._skip_blank()
        self._at += brackets
        if brackets == 1:
            return path
        *_, last = self._last_items.get(path, (-1,))
        item = self._last_items[path] = (*path, int(last) + 1)
        self.keys[item] = span
        return item

    def _skip_blank(self) -> bool:
        """Move to the next token; whether there is one."""
        self._at = self._after(_BLANK)
        return self._at < len(self._text)

    def _after(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        return match.end() if match else self._at

    def _pair(self, table: KeyPath) -> None:
        path, _ = self._key(table)
        self._at = self._text.index("=", self._at) + 1
        self._value(path)

    def _key(self, table: KeyPath) -> tuple[KeyPath, tuple[int, int]]:
        """The path of a key, and the span of its last part."""
        path = table
        while True:
            self._skip_blank()
            start = self._at
            self._at = max(self._after(STRING), self._after(_BARE))
            path = (*path, _decoded(self._text[start : self._at]))
            span = (start, self._at)
            self.keys.setdefault(path, span)
            after_dot = self._after(_DOT)
            if after_dot == self._at:
                return path, span
            self._at = after_dot
            # A header below [[tables]] speaks of the last of them.
            path = self._last_items.get(path, path)

    def _value(self, path: KeyPath) -> None:
        self._skip_blank()
        start = self._at
        opening = self._text[start]
        if opening == "[":
            self._items(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            self._at = self._after(STRING if opening in "\"'" else _OTHER_VALUE)
        self.values[path] = (start, self._at)

    def _items(self, path: KeyPath) -> None:
        index = 0
        self._at += 1
        while self._skip_blank() and self._text[self._at] != "]":
            if self._text[self._at] == ",":
                self._at += 1
                continue
            self._value((*path, index))
            index += 1
        self._at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._at += 1
        while self._skip_blank() and self._text[self._at] != "}":
            if self._text[self._at] == ",":
                self._at += 1
                continue
            self._pair(path)
        self._at += 1


def _decoded(key: str) -> str:
    if "\\" in key:
        return next(iter(tomllib.loads(f"{key} = 0")))
    return key[1:-1] if key[:1] in ("'", '"') else key
