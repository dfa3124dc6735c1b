"""Frontmatter as nearly every skill has it, read line by line: that takes no parser.

What is read here means the same to both parsers. Everything else, and every fault, is theirs.
"""

from __future__ import annotations

import re

from insomnia_skills.yaml.node import Entry, Mapping, Node, Scalar, Sequence

_ENTRY = re.compile(r"( *)([A-Za-z][A-Za-z0-9_-]{0,63}):( *)(.*)\n")
_EVEN_LINES = re.compile(r"( +)[^ \r\n].*\n(?:(?:\r?\n)*\1[^ \r\n].*\n)*")
_QUOTED = re.compile(r"""'[^']*'|"[^"\\]*(\\["\\][^"\\]*)*\"""")
_ITEM = r"""[^\W_](?:[\w ./+-]*[\w./+-])?|'[^'\\]*'|"[^"\\]*\""""
_LIST = rf"\[ *(?:(?:{_ITEM})(?: *, *(?:{_ITEM}))*)? *\]"
_SIGNS = frozenset("-?:,[]{}#&*!|>'\"%@`")
"""None of them begins a plain value here; in YAML some may, which depends on what follows."""


def read_usual(text: str, start: int, end: int) -> dict[str, Entry] | None:
    """The fields of ``text[start:end]``; None where it takes a parser to tell them.

    What is read has one ``key: value`` a line, and may have more of them below a key. A value is
    plain, in quotes or a list of such on one line, or a block of evenly indented lines.
    """
    fields, at = _entries(text, start, end, "")
    return fields if fields and at == end else None


def _entries(text: str, at: int, end: int, indent: str) -> tuple[dict[str, Entry], int]:
    """The entries with an indent, and where something else follows."""
    entries: dict[str, Entry] = {}
    while line := _ENTRY.match(text, at, end):
        key = line[2]
        if line[1] != indent or key in entries:
            break
        value, behind = _value(line)
        if value is None:
            break
        start = at + len(indent)
        entries[key] = Entry(Scalar(key, "", start, start + len(key)), value)
        at = behind
    return entries, at


def _value(line: re.Match[str]) -> tuple[Node | None, int]:
    """The value of an entry, None where it is no usual one, and where its last line ends."""
    written = line[4].removesuffix("\r").rstrip(" ")
    if not written:
        return _below(line)
    if not line[3]:
        return None, 0
    if written in ("|", "|-", ">", ">-"):
        return _block(line, written)
    return _on_line(written, line.start(4)), line.end()


def _on_line(written: str, start: int) -> Scalar | Sequence | None:
    """A plain value, one in quotes, or a list of words."""
    if not written.isprintable():
        return None
    sign, end = written[0], start + len(written)
    if sign not in _SIGNS:
        ends_early = ": " in written or " #" in written or written[-1] == ":"
        return None if ends_early else Scalar(written, "", start, end)
    if sign == "[":
        return _list(written, start)
    if not (quoted := _QUOTED.fullmatch(written)):
        return None
    value = written[1:-1]
    if quoted[1]:
        value = re.sub(r"\\(.)", r"\1", value)
    return Scalar(value, sign, start, end)


def _list(written: str, start: int) -> Sequence | None:
    if written[-1] != "]" or not re.fullmatch(_LIST, written):
        return None
    items = []
    for item in re.finditer(_ITEM, written):
        value, style = item[0], ""
        if value[0] in "'\"":
            value, style = value[1:-1], value[0]
        items.append(Scalar(value, style, start + item.start(), start + item.end()))
    return Sequence(tuple(items), start, start + len(written))


def _block(line: re.Match[str], header: str) -> tuple[Scalar | None, int]:
    found = _EVEN_LINES.match(line.string, line.end(), line.endpos)
    if not found or len(found[1]) <= len(line[1]):
        return None, 0
    indent = len(found[1])
    lines = [each[indent:].removesuffix("\r") for each in found[0].split("\n")[:-1]]
    if not all(each.isprintable() and not each.endswith(" ") for each in lines):
        return None, 0
    value = "\n".join(lines)
    if header[0] == ">":
        value = re.sub(r"\n(\n*)", lambda ends: ends[1] or " ", value)
    end = found.start() + len(found[0].rstrip())
    return Scalar(value if header[1:] else value + "\n", header[0], line.start(4), end), found.end()


def _below(line: re.Match[str]) -> tuple[Node | None, int]:
    """The mapping below a key, or nothing, which stands behind the colon."""
    text, colon, at = line.string, line.start(3), line.end()
    following = _ENTRY.match(text, at, line.endpos)
    if line[1] or not following or not following[1]:
        return Scalar("", "", colon, colon), at
    entries, at = _entries(text, at, line.endpos, following[1])
    if not entries:
        return None, at
    first, last = next(iter(entries.values())), next(reversed(entries.values()))
    return Mapping(entries, first.key.start, last.value.end), at
