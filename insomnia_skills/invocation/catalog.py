"""The catalog: what every conversation carries, the descriptions of what the model may call.

Its size matters more than that of any body, because it is paid for in every conversation.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from insomnia_skills.invocation.tokens import estimate_tokens
from insomnia_skills.workflow import WorkflowRecord


class Size(NamedTuple):
    """Characters (Unicode code points) and estimated tokens of a text."""

    characters: int
    tokens: int


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One Workflow in the catalog. ``size`` is that of its line in the list, line end included."""

    record: WorkflowRecord
    line: str
    size: Size

    @property
    def xml(self) -> str:
        """Its ``<skill>`` in `catalog_xml`, line end included."""
        name, description, location = map(
            _escape, (self.record.slug, self.record.description.strip(), str(self.record.path))
        )
        return (
            f"<skill>\n<name>\n{name}\n</name>\n<description>\n{description}\n</description>\n"
            f"<location>\n{location}\n</location>\n</skill>\n"
        )

    @property
    def xml_size(self) -> Size:
        return measure(self.xml)


@dataclass(frozen=True, slots=True)
class Catalog:
    """``entries`` are in order of slug; ``hidden`` are the records without ``model_invokation``."""

    entries: tuple[CatalogEntry, ...]
    hidden: tuple[WorkflowRecord, ...]

    @property
    def text(self) -> str:
        """insomnia's list, as a Pod would be given it: a line for each entry."""
        return "".join(f"{entry.line}\n" for entry in self.entries)

    @property
    def size(self) -> Size:
        """The size of the list: that of its entries together."""
        return _total(entry.size for entry in self.entries)

    @property
    def xml_size(self) -> Size:
        """The size of `catalog_xml`: that of its entries and of the tag around them."""
        return _total((measure(_XML_START + _XML_END), *(entry.xml_size for entry in self.entries)))

    @property
    def largest_first(self) -> list[CatalogEntry]:
        return sorted(self.entries, key=lambda entry: (-entry.size.tokens, -entry.size.characters))


def _total(sizes: Iterable[Size]) -> Size:
    characters = tokens = 0
    for size in sizes:
        characters += size.characters
        tokens += size.tokens
    return Size(characters, tokens)


def build_catalog(workflows: Iterable[WorkflowRecord]) -> Catalog:
    """The catalog of these records: those that the model may call (decision: catalog)."""
    entries, hidden = [], []
    for record in workflows:
        if record.model_invokation:
            line = f"- /{record.slug}: {_on_one_line(record.description)}"
            entries.append(CatalogEntry(record, line, measure(f"{line}\n")))
        else:
            hidden.append(record)
    return Catalog(tuple(entries), tuple(hidden))


def _on_one_line(text: str) -> str:
    """The text with its line ends, and the blanks around them, made one blank each."""
    return " ".join(part for line in text.splitlines() if (part := line.strip()))


_XML_START = "<available_skills>\n"
_XML_END = "</available_skills>"
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def catalog_xml(catalog: Catalog) -> str:
    """The catalog as ``<available_skills>``, as `skills-ref to-prompt` writes it, in order of slug.

    Names, descriptions and locations are escaped. A character that XML 1.0 (2.2) forbids gives way
    to U+FFFD, so that it can be seen that there was one.
    """
    return "".join((_XML_START, *(entry.xml for entry in catalog.entries), _XML_END))


def _escape(text: str) -> str:
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))


def measure(text: str) -> Size:
    """The size of a text."""
    return Size(len(text), estimate_tokens(text))
