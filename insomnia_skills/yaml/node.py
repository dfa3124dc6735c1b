"""The plain data of a YAML document, each piece with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingType
from typing import NamedTuple, TypeAlias

Plain: TypeAlias = "str | list[Plain] | dict[str, Plain] | None"
"""A value without its places. Scalars are text as written: ``1.10`` stays ``"1.10"``."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEAN = {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_NUMBER = (
    r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


class Scalar(NamedTuple):
    """A single value. ``style`` is ``""`` (plain), ``'``, ``"``, ``|`` or ``>``.

    ``start`` and ``end`` are character offsets in the text, quotes included. The style ``*`` stands
    for a value that a sign makes more than plain data (an alias, a tag, an anchor): it has been
    complained of, so nothing else is to be said of it.
    """

    value: str
    style: str
    start: int
    end: int

    @property
    def is_refused(self) -> bool:
        return self.style == "*"

    @property
    def is_null(self) -> bool:
        return not self.style and self.value in _NULL

    @property
    def boolean(self) -> bool | None:
        """True or false where YAML 1.2's core schema reads a boolean (10.3.2), else None."""
        return None if self.style else _BOOLEAN.get(self.value)

    @property
    def is_number(self) -> bool:
        if self.style or self.value[:1] not in "+-.0123456789":
            return False
        return re.fullmatch(_NUMBER, self.value) is not None

    @property
    def is_text(self) -> bool:
        """Whether YAML 1.2's core schema reads a string (10.3.2); a date is one."""
        return bool(self.style) or not (
            self.value in _NULL or self.value in _BOOLEAN or self.is_number
        )


class Sequence(NamedTuple):
    """A list."""

    items: tuple[Node, ...]
    start: int
    end: int


class Entry(NamedTuple):
    """One key of a mapping with its value."""

    key: Scalar
    value: Node


class Mapping(NamedTuple):
    """A set of keys with a value each, in the order written."""

    entries: MappingType[str, Entry]
    start: int
    end: int


Node: TypeAlias = Scalar | Sequence | Mapping


def plain(node: Node) -> Plain:
    """The value without its places, as JSON and records keep it."""
    if isinstance(node, Scalar):
        return None if node.is_null else node.value
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key: plain(entry.value) for key, entry in node.entries.items()}


def scalars(node: Node) -> Iterator[Scalar]:
    """All keys and single values of a node, in order."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalars(item)
    else:
        yield from scalars_of(node.entries.values())


def scalars_of(entries: Iterable[Entry]) -> Iterator[Scalar]:
    """All keys and single values of entries, in order."""
    for entry in entries:
        yield entry.key
        yield from scalars(entry.value)


def describe(node: Node) -> str:
    """What kind of value this is, in a reader's words: "a list", "a number"."""
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    if node.is_null:
        return "nothing"
    if node.boolean is not None:
        return "true or false"
    return "a number" if node.is_number else "text"
