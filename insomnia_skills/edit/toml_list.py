"""A list in a TOML text, as it is written: items come, go and move, all else stays as it was.

Between two items stand blanks, line ends, comments and a comma, in any order that TOML allows. What
stands behind an item on its line belongs to it, and so do the comments right above it. All the rest
belongs to the place in the list: whichever item is there is laid out with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from insomnia_skills.toml_spans import read_toml

_AFTER = re.compile(r"(?:[ \t]*,)?(?:[ \t]*#[^\r\n]*)?")
_LINES = re.compile(r"\r?\n[^\r\n]*")
_COMMA = re.compile(r"(#[^\n]*)|,[ \t]*")


class _Item(NamedTuple):
    """An item as it is written.

    ``after`` is the comma and the comment behind it on its line, ``before`` all that stands
    between that of the item before and this one.
    """

    before: str
    literal: str
    after: str


class _Lead(NamedTuple):
    """What stands before an item: other lines, the comments about it, its own line's blanks."""

    above: str
    about: str
    own: str


@dataclass(frozen=True, slots=True)
class TomlList:
    """A list as it is written, between the two halves of its text.

    ``tail`` is what stands between the last item and the closing bracket, ``line_end`` the end of
    a line with the indent of the one that the list begins on.
    """

    head: str
    items: tuple[_Item, ...]
    tail: str
    rest: str
    has_last_comma: bool
    line_end: str

    def insert(self, index: int, literal: str) -> TomlList:
        """The list with an item before that of the index, or as the last one."""
        if not self.items:
            return self._with_first(literal)
        items = list(self.items)
        if index == len(items):
            items.append(_Item(self._gap(index), literal, ""))
        else:
            above, about, own = self._lead(index)
            before = about + self._below(about, self._gap(index))
            items[index] = items[index]._replace(before=before)
            items.insert(index, _Item(above + own, literal, ""))
        return replace(self, items=tuple(items))

    def remove(self, index: int) -> TomlList:
        """The list without an item; a comment behind it gets a line of its own."""
        above, about, own = self._lead(index)
        items = list(self.items)
        gone = items.pop(index)
        comments = _without_comma(above + about) if "#" in above + about else ""
        if "#" in gone.after:
            line = _without_comma(own) if "\n" in own else f"{self.line_end}  "
            comments += line + gone.after[gone.after.index("#") :]
        if index == len(items):
            tail = comments + self._below(comments, self.tail, indent="")
            return replace(self, items=tuple(items), tail=tail)
        before = items[index].before
        if index == 0 and "\n" not in gone.before and "#" not in comments + before:
            before = gone.before
        elif "#" not in before:
            # Of two items on lines of their own the next one keeps its line, and a blank one above.
            before = max(own if comments else gone.before, before, key=lambda gap: gap.count("\n"))
        items[index] = items[index]._replace(before=comments + self._below(comments, before))
        return replace(self, items=tuple(items))

    def move(self, index: int, to: int) -> TomlList:
        """The list with an item at another index, counted without it; its comments go with it."""
        order = [at for at in range(len(self.items)) if at != index]
        order.insert(to, index)
        places = [self._lead(at) for at in range(len(self.items))]
        items = []
        for place, at in zip(places, order, strict=True):
            about = places[at].about
            before = place.above + about + self._below(about, place.own)
            items.append(self.items[at]._replace(before=before))
        return replace(self, items=tuple(items))

    def text(self) -> str:
        """The whole text, with the commas and line ends of the list put right."""
        if not self.items:
            inside = _without_comma(self.tail)
            return self.head + (inside if "#" in inside else "") + self.rest
        parts = [self.head]
        after = ""
        last = len(self.items) - 1
        for index, item in enumerate(self.items):
            before = item.before if index else _without_comma(item.before)
            parts += self._below(after, before), item.literal
            following = self.tail if index == last else self.items[index + 1].before
            is_comma_due = not _has_comma(following) and (index < last or self.has_last_comma)
            after = item.after
            if _has_comma(after) != is_comma_due:
                after = f",{after}" if is_comma_due else after.replace(",", "", 1)
            parts.append(after)
        return "".join((*parts, self._below(after, self.tail, indent=""), self.rest))

    def _with_first(self, literal: str) -> TomlList:
        if "\n" not in self.tail:
            return replace(self, items=(_Item("", literal, ""),), tail="")
        lines, closing = _split_last_line(self.tail)
        comment = re.search(r"\n([ \t]*)#", lines)
        own = closing[: closing.index("\n") + 1] + comment[1] if comment else f"{closing}  "
        item = _Item(lines + own, literal, "")
        return replace(self, items=(item,), tail=closing, has_last_comma=True)

    def _lead(self, index: int) -> _Lead:
        """What stands before an item.

        The comments about it are those right above it. Above the first one they are about the
        list, unless another item has some too.
        """
        lines, own = _split_last_line(self.items[index].before)
        if index == 0 and not any(self._lead(at).about for at in range(1, len(self.items))):
            return _Lead(lines, "", own)
        about = ""
        for line in reversed(_LINES.findall(lines)):
            if not line.strip().startswith("#"):
                break
            about = line + about
        return _Lead(lines[: len(lines) - len(about)], about, own)

    def _gap(self, index: int) -> str:
        """The blanks before an item of this index that has another one before it."""
        if len(self.items) > 1:
            return self._lead(min(max(index, 1), len(self.items) - 1)).own
        own = self._lead(0).own
        return own if "\n" in own else " "

    def _below(self, comments: str, space: str, indent: str = "  ") -> str:
        """What is to stand behind comments, on a line of its own; else it may be anywhere."""
        if "#" not in comments:
            return space
        space = space.lstrip(" \t")
        return space if space.startswith(("\n", "\r\n")) else f"{self.line_end}{indent}{space}"


def read_list(text: str, *path: str) -> TomlList:
    """The list of strings that has this path of keys in a valid text."""
    _, spans = read_toml(text)
    start, end = spans.value(*path)
    items: list[_Item] = []
    at = start + 1
    while (place := spans.values.get((*path, len(items)))) is not None:
        after = _AFTER.match(text, place[1], end - 1)[0]  # type: ignore[index]
        items.append(_Item(text[at : place[0]], text[slice(*place)], after))
        at = place[1] + len(after)
    tail = text[at : end - 1]
    return TomlList(
        head=text[: start + 1],
        items=tuple(items),
        tail=tail,
        rest=text[end - 1 :],
        has_last_comma=bool(items) and _has_comma(items[-1].after + tail),
        line_end=line_end_of(text) + _indent(text[:start]),
    )


def quoted(value: str, others: Sequence[_Item] = ()) -> str:
    """A text in quotes, in those of the other items if it can be."""
    import tomlkit

    is_raw = bool(others) and all(item.literal.startswith("'") for item in others)
    return tomlkit.string(
        value, literal=is_raw and value.isprintable() and "'" not in value
    ).as_string()


def line_end_of(text: str) -> str:
    """The line ends of a text: CRLF only where all are."""
    return "\r\n" if "\r\n" in text and not re.search(r"(?<!\r)\n", text) else "\n"


def _has_comma(space: str) -> bool:
    return any(match[1] is None for match in _COMMA.finditer(space))


def _without_comma(space: str) -> str:
    return _COMMA.sub(lambda match: match[1] or "", space)


def _split_last_line(space: str) -> tuple[str, str]:
    """Text up to its last line, and that line with the line end before it."""
    at = max(space.rfind("\n"), 0)
    at -= space[:at].endswith("\r")
    return space[:at], space[at:]


def _indent(head: str) -> str:
    """The blanks that a text's last line begins with."""
    line = head[head.rfind("\n") + 1 :]
    return line[: len(line) - len(line.lstrip())]
