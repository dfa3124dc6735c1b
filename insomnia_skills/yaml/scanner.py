"""ruamel.yaml's scanner, taught what it refuses though YAML 1.2 has it and libyaml reads it.

That is a tab between words, a first blank line in a block text with fewer blanks than the text, and
more than one ``...`` at the end.
"""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scanner import Scanner

_HEADER = r"[+-][1-9]?|[1-9][+-]?|"
"""What may stand behind the ``|`` or ``>`` of a block text."""


class _Scanner(Scanner):
    """Each method stands in for one of the same name, which it calls where no tab is about."""

    _behind_end = -1
    """How many tokens there were behind the last ``...``."""

    def fetch_document_end(self) -> None:
        if self.tokens_taken + len(self.tokens) == self._behind_end:
            self.reader.forward(len("..."))  # nothing but blank lines and comments between the two
            return
        super().fetch_document_end()
        self._behind_end = self.tokens_taken + len(self.tokens)

    def scan_to_next_token(self) -> None:
        super().scan_to_next_token()
        while self.reader.peek() == "\t" and not self._begins_line():
            self._take_blanks()
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[str] | None:
        """The blanks and line ends in a plain value, as they count; None before a marker."""
        reader = self.reader
        blanks = self._take_blanks()
        if reader.peek() not in "\r\n":
            return [blanks] if blanks else []
        self.scan_line_break()
        self.allow_simple_key = True
        empty_lines: list[str] = []
        while True:
            if self.check_document_start() or self.check_document_end():
                return None
            while reader.peek() == " " or (reader.peek() == "\t" and reader.column >= indent):
                reader.forward()
            if reader.peek() not in "\r\n":
                return empty_lines or [" "]
            empty_lines.append(self.scan_line_break())

    def scan_block_scalar_indicators(self, start_mark: Any) -> tuple[bool | None, int | None]:
        """Whether all line ends are kept, or none, and the indent that is told."""
        found = re.match(_HEADER, self.reader.prefix(2))
        header = found[0] if found else ""
        if self.reader.peek(len(header)) not in "\t#":
            indicators: tuple[bool | None, int | None]
            indicators = super().scan_block_scalar_indicators(start_mark)
            return indicators
        self.reader.forward(len(header))
        self._take_blanks()
        digit = header.strip("+-")
        keeps = "+" in header if header != digit else None
        return keeps, int(digit) if digit else None

    def scan_block_scalar_ignored_line(self, start_mark: Any) -> Any:
        self._take_blanks()
        return super().scan_block_scalar_ignored_line(start_mark)

    def scan_block_scalar_indentation(self) -> tuple[list[str], int, Any]:
        """The blank lines above a block text, its indent, and where they end."""
        reader = self.reader
        line_ends: list[str] = []
        indent, end = 0, reader.get_mark()
        while True:
            while reader.peek() == " ":
                reader.forward()
            indent = max(indent, reader.column)
            if reader.peek() not in "\r\n":
                return line_ends, indent, end
            line_ends.append(self.scan_line_break())
            end = reader.get_mark()

    def _begins_line(self) -> bool:
        """Whether nothing stands before the next character on its line: then a tab is an indent."""
        reader = self.reader
        return not reader.buffer[reader.pointer - reader.column : reader.pointer].strip(" \t")

    def _take_blanks(self) -> str:
        length = 0
        while self.reader.peek(length) in " \t":
            length += 1
        blanks: str = self.reader.prefix(length)
        self.reader.forward(length)
        return blanks


class PureYaml(YAML):
    """YAML 1.2 as plain data, read by Python alone."""

    def __init__(self) -> None:
        super().__init__(typ="safe", pure=True)
        self.Scanner = _Scanner

    def official_plug_ins(self) -> list[Any]:
        """None: it would look for them on the disk each time."""
        return []
