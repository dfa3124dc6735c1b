"""The rule `yaml_syntax`: says in plain words why the YAML parser refused a frontmatter.

The parser knows where it stopped, seldom what was meant. So the text up to there is read again as
an outline, each key or list item with the reach of its value; then the recognisers ask in turn
whether the last entry of the outline explains the refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from insomnia_skills.clients.keys import CLIENT_KEY_TABLE
from insomnia_skills.diagnostic import Edit, Finding, Fix, Severity
from insomnia_skills.rule import rule
from insomnia_skills.yaml.outline import (
    COMMENT,
    DOCUMENT_MARKER,
    LINE,
    QUOTED,
    OutlineEntry,
    line_begin,
    outline,
    read_head,
    rest_of_line,
)
from insomnia_skills.yaml.quoting import looks_like_comment, quote, quoting

if TYPE_CHECKING:
    from collections.abc import Callable

SURROGATE_ESCAPE = "surrogate escape"
"""The problem of an escape such as ``\\ud83d``, which the parser accepts."""
SECOND_DOCUMENT = "second document"
"""The problem of ``...``, ``--- text`` or ``%YAML`` in a frontmatter, which the parser accepts."""

_LONGEST_PIECE = 40
_BLANKS = " \t"
"""What YAML takes for a blank; Python strips other characters too."""
_TEXT_FIELDS = ("name", "description", "license", "compatibility", "allowed-tools")
_BRACKETS_ITEM = re.compile(r"[^\s,\[\]{}]+(?: +[^\s,\[\]{}]+)*")
_CONFLICT_MARKER = re.compile(r"(?:<{7}|={7}|>{7})(?=\s|\Z)")
_LOOSE_KEY = re.compile(r"([A-Za-z][\w-]*)(?::(?!//)(?=\S)| *\uff1a| *=)")
_BLOCK_HEADER = re.compile(r"[|>](?:[+-]?([1-9])?|([1-9])[+-])")
_KEY_LINE = re.compile(r"[a-z][a-z0-9_-]*:(?=\s|\Z)")
_LIST_LINE = re.compile(r"(?:[-*+•]|\d+[.)])\s")
_LOWER_CASE_KEY = re.compile(r"[a-z][a-z0-9_-]*")
_KNOWN_KEY = re.compile(
    r"(?<![\w-])(name|description|license|compatibility|metadata|allowed-tools"
    rf"|{'|'.join(re.escape(client.key) for client in CLIENT_KEY_TABLE)}|version|author):(?=\s|\Z)"
)
_GLUED_KEY = re.compile(r"[.。!！?？)）]([a-z][a-z0-9_-]{0,40}):(?=\s|\Z)")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The parser's words and place, and `begin`, where the thing begins that it refused."""

    text: str
    at: int
    problem: str
    begin: int
    entries: list[OutlineEntry]

    @property
    def entry(self) -> OutlineEntry:
        return self.entries[-1] if self.entries else OutlineEntry()

    @property
    def character(self) -> str:
        return self.text[self.begin : self.begin + 1]

    @property
    def value_is_over(self) -> bool:
        """Whether the quotes or brackets of the value were closed before the refused thing."""
        return self.entry.closed and self.entry.end <= self.begin

    def says(self, *beginnings: str) -> bool:
        return self.problem.startswith(beginnings)

    def around(self, entry: OutlineEntry) -> list[OutlineEntry]:
        """The entry before another, then those that hold it, outwards."""
        found: list[OutlineEntry] = []
        for other in reversed(self.entries):
            if other.start < entry.start and (not found or other.indent < found[-1].indent):
                found.append(other)
        return found

    def name(self, entry: OutlineEntry) -> str:
        """The key of an entry; of a list item, the key that holds the list."""
        if entry.key or not entry.dash:
            return _piece(entry.key)
        return self.name_around(entry)

    def name_around(self, entry: OutlineEntry) -> str:
        """The key of what holds an entry; empty for one that nothing holds."""
        for outer in self.around(entry):
            if outer.key and outer.indent <= entry.indent - (outer.dash or not entry.dash):
                return _piece(outer.key)
        return ""

    def finding(
        self,
        message: str,
        help: str,
        start: int,
        end: int,
        name: str | None = None,
        fix: Fix[Edit] | None = None,
    ) -> Finding:
        """A finding about the last entry, or about what `name` says."""
        name = self.name(self.entry) if name is None else name
        end = min(max(end, start + 1), len(self.text))
        message = f"{name}: {message}" if name else message
        return Finding(message, min(start, end), end, help, fix=fix)

    def rest(self, start: int) -> tuple[int, int]:
        """The span of what a line holds from an offset on, without the blanks around it."""
        line = rest_of_line(self.text, start)
        return line.start("content"), line.start("content") + len(line["content"].rstrip())

    def quoting(self, start: int, end: int) -> str:
        """How to write a piece of the text so that YAML takes it as text."""
        entry, piece = self.entry, self.text[start:end]
        whole = start == entry.value
        if '"' not in piece and "\\" not in piece:
            mark, marks = '"', "double quotes"
        elif "'" not in piece:
            mark, marks = "'", "single quotes"
        else:
            return 'write ">-" here and the text on the next line, indented by two blanks'
        if len(piece) > _LONGEST_PIECE or not piece.isprintable() or " #" in piece:
            return f"put the whole {'value' if whole else 'item'} in {marks}"
        key = f"{_piece(entry.key)}: " if entry.key else "- " if entry.dash else ""
        return f"write {key if whole else ''}{mark}{piece}{mark}"

    def quoting_value(self) -> str:
        return self.quoting(self.entry.value, self.rest(self.entry.end)[1])

    def fix_by_quoting(self, safe: bool = True) -> Fix[Edit] | None:
        """The fix that puts the value in quotes, where it surely is one text."""
        text, entry = self.text, self.entry
        start = entry.value
        end = start + len(text[start : entry.end].rstrip(_BLANKS + "\r\n"))
        first, *more = (line.strip(_BLANKS) for line in re.split(r"\r\n|\r|\n", text[start:end]))
        if entry.key == "metadata" or entry.kind in ("quoted", "brackets"):
            return None
        if " " in entry.key or self.name_around(entry) in _TEXT_FIELDS:  # then the key is text too
            return None
        if _text_follows(text, end, entry.column):
            return None
        if any(line.startswith("#") or COMMENT.search(line) for line in more):
            return None
        if more and (COMMENT.search(first) or any(map(_KEY_LINE.match, more))):
            return None
        if any(map(_LIST_LINE.match, more)):  # it would all be on one line
            return None
        return quoting(text, start, end, safe=safe and not looks_like_comment(first))


def _text_follows(text: str, end: int, column: int) -> bool:
    """Whether a line below a value may belong to it too, though YAML does not see it so.

    That is a comment with the indentation of the value, or a line that is no entry.
    """
    for line in LINE.finditer(text, rest_of_line(text, end).end()):
        start, line_end = line.span("content")
        if not line["content"].strip(_BLANKS):
            continue
        if text[start] == "#":
            if start - line.start() > column:
                return True
            continue
        key, _, dashes_end = read_head(text, line.start(), line_end)
        marker = DOCUMENT_MARKER.match(text, line.start())
        return not key and dashes_end == start and not marker
    return False


def _piece(text: str) -> str:
    """A text on one line and short enough for a message."""
    words = " ".join(text[: 4 * _LONGEST_PIECE].split())
    return words if len(words) <= _LONGEST_PIECE else words[: _LONGEST_PIECE - 1] + "…"


def _impossible_escape(refusal: _Refusal) -> Finding | None:
    # An escape beyond Unicode ends the parser with an error of Python's, not of its own.
    if refusal.problem != SURROGATE_ESCAPE and not re.search(r"chr\(\)|C int", refusal.problem):
        return None
    for escape in _ESCAPE.finditer(refusal.text, refusal.at):
        code, (start, end) = int(escape[1] or escape[2] or "0", 16), escape.span()
        if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
            break
    else:
        return None
    what, help = "stands for no character", "write the character itself, or delete the escape"
    low = _ESCAPE.match(refusal.text, end)
    low_code = int(low[1] or "0", 16) if low else 0
    if low and code < 0xDC00 <= low_code <= 0xDFFF:
        end = low.end()
        character = chr(0x10000 + (code - 0xD800) * 0x400 + low_code - 0xDC00)
        what = "is how JSON writes a character; YAML does not"
        help = "write the character itself" + (f": {character}" if character.isprintable() else "")
    fix = _fix_surrogates(refusal)
    return refusal.finding(f'"{refusal.text[start:end]}" {what}', help, start, end, fix=fix)


def _fix_surrogates(refusal: _Refusal) -> Fix[Edit] | None:
    """The fix that writes all characters of a value that JSON's escapes in pairs stand for."""
    value = QUOTED['"'].match(refusal.text, refusal.at)
    if refusal.problem != SURROGATE_ESCAPE or not value:
        return None
    edits = []
    high, begin, behind = 0, 0, 0
    for escape in _ESCAPE.finditer(refusal.text, *value.span()):
        code = int(escape[1] or escape[2] or "0", 16)
        if high and (escape.start() != behind or not 0xDC00 <= code <= 0xDFFF):
            return None
        if high:
            character = chr(0x10000 + (high - 0xD800) * 0x400 + code - 0xDC00)
            edits.append(Edit(begin, escape.end(), character))
            high = 0
        elif 0xD800 <= code <= 0xDBFF:
            high, begin, behind = code, *escape.span()
        elif 0xDC00 <= code <= 0xDFFF:
            return None
    characters = "".join(edit.text for edit in edits)
    if high or not characters.isprintable():
        return None
    one = "character itself" if len(edits) == 1 else "characters themselves"
    return Fix(f"write the {one}: {characters[:_LONGEST_PIECE]}", tuple(edits))


def _second_document(refusal: _Refusal) -> Finding | None:
    text, in_quotes = refusal.text, "document separator" in refusal.problem
    marker = None
    if in_quotes or refusal.problem == SECOND_DOCUMENT:
        marker = DOCUMENT_MARKER.match(text, line_begin(text, refusal.at))
    for entry in refusal.entries:
        if not marker and entry.kind == "document marker":
            marker = DOCUMENT_MARKER.match(text, entry.start)
    if not marker:
        return None
    if in_quotes:
        what, help = "at the start of a line ends the YAML, even in quotes", "indent the line"
    elif marker[0].startswith("%"):
        what = "at the start of a line is an instruction to the YAML parser"
        help = "delete the line; if it is text, indent it"
    elif marker[0] == "...":
        what, help = "ends the YAML before the frontmatter ends", "delete the line"
    else:
        what = "begins a second YAML document"
        help = 'delete it; where the frontmatter ends, leave nothing but "---" on the line'
    return refusal.finding(f'"{_piece(marker[0])}" {what}', help, *marker.span(), name="")


def _tab(refusal: _Refusal) -> Finding | None:
    text, start = refusal.text, refusal.begin
    if refusal.character != "\t" or not refusal.says("found character"):
        return None
    rest = rest_of_line(text, start)["content"]
    end = start + len(rest) - len(rest.lstrip())
    before = text[line_begin(text, start) : start]
    if not rest.strip():
        what, help = "a tab can't end a line", "delete the tab"
    elif not before.strip():
        what, help = "a tab can't indent a line", "indent with blanks, two for each level"
    else:
        what, help = "a tab can't stand here", "use a blank instead"
    return refusal.finding(what, help, start, end, None if before.strip() else "")


def _bad_escape(refusal: _Refusal) -> Finding | None:
    text, entry = refusal.text, refusal.entry
    if not refusal.says("found unknown escape", "expected escape sequence"):
        return None
    start = max(0, text.rfind("\\", 0, refusal.at))
    escape, value = _piece(text[start : start + 2]), text[entry.value + 1 : entry.end - 1]
    what = f'"{escape}" has no meaning in double quotes'
    if digits := {"\\x": 2, "\\u": 4, "\\U": 8}.get(escape):
        what = f'"{escape}" must be followed by {digits} hexadecimal digits'
    help = f'write "\\{escape}" for a backslash, or put the value in single quotes'
    if escape == "\\'":
        help = "write ' without the backslash"
    elif "'" not in value and '\\"' not in value and len(value) <= _LONGEST_PIECE:
        help += f": '{_piece(value)}'"
    return refusal.finding(what, help, start, start + 2)


def _unclosed_quote(refusal: _Refusal) -> Finding | None:
    text, entry, start = refusal.text, refusal.entry, refusal.begin
    after_value = entry.kind == "marked" or (entry.kind != "plain" and refusal.value_is_over)
    if entry.kind == "quoted" and after_value and _swallows_a_key(text, entry):
        start = entry.value
    elif after_value or refusal.character not in QUOTED or "end of stream" not in refusal.problem:
        return None
    help = f"add the closing {text[start]} where the text ends"
    if text[start] == "'":
        help += "; if the ' belongs to the text, put the whole value in double quotes"
    return refusal.finding("the quote that opens here is not closed", help, start, start + 1)


def _swallows_a_key(text: str, entry: OutlineEntry) -> bool:
    for line in LINE.finditer(text, rest_of_line(text, entry.value).end(), entry.end):
        key, _, dashes_end = read_head(text, line.start(), line.end("content"))
        if _LOWER_CASE_KEY.fullmatch(key) and dashes_end - line.start() <= entry.column:
            return True
    return False


def _bracket_pair(refusal: _Refusal) -> Finding | None:
    begin, value, found = refusal.begin, refusal.entry.value, refusal.character
    if refusal.entry.kind != "brackets" or not refusal.says("expected ',' or", "expected the node"):
        return None
    if found in ("]", "}") and refusal.says("expected ',' or"):
        what = f'"{"[" if found == "}" else "{"}" can\'t be closed by "{found}"'
        return refusal.finding(what, "make the two a pair", begin, begin + 1)
    if refusal.entry.closed:
        return None
    opening = refusal.text[value]
    what = f'the "{opening}" that opens here is not closed'
    help = f'add the closing "{"]" if opening == "[" else "}"}"; if this is text, quote it all'
    return refusal.finding(what, help, value, value + 1)


def _inside_brackets(refusal: _Refusal) -> Finding | None:
    text, begin, found = refusal.text, refusal.begin, refusal.character
    if refusal.entry.kind != "brackets" or not refusal.says("expected ',' or", "expected the node"):
        return None
    start = max(text.rfind(mark, 0, begin) for mark in "[{,") + 1
    start += len(text[start:begin]) - len(text[start:begin].lstrip())
    if found in ("-", ","):
        what, help = f'an item is missing before the "{found}"', f'delete the "{found}"'
        return refusal.finding(what, help, begin, begin + 1)
    if text[start : start + 1] in ("*", "&", "!"):
        what = f'an item that begins with "{text[start]}" needs quotes'
        help, fix = refusal.quoting(*_item(text, start)), _fix_item(text, start)
        return refusal.finding(what, help, start, start + 1, fix=fix)
    if found == ":" and len(text[start:begin].splitlines()) == 1:
        what = 'an item can\'t contain another ": "'
        return refusal.finding(what, "put the item in double quotes", begin, begin + 2)
    what = "a comma is missing before this"
    help = "put a comma between the two, or quotes round them if they are one item"
    start = refusal.rest(line_begin(text, begin))[0] if found == ":" else begin
    return refusal.finding(what, help, *_item(text, start))


def _item(text: str, start: int) -> tuple[int, int]:
    """The span of the item of a list in brackets that begins at an offset."""
    item = _BRACKETS_ITEM.match(text, start)
    return (start, item.end() if item else start)


def _fix_item(text: str, start: int) -> Fix[Edit]:
    return quoting(text, *_item(text, start), "item", _is_no_name(text, start))


def _is_no_name(text: str, start: int) -> bool:
    """Whether a sign that may begin a name of YAML's begins none."""
    return text[start] not in "&!" or not re.match(r"[\w!<]", text[start + 1 : start + 2])


def _stray_line(refusal: _Refusal) -> Finding | None:
    entry, before = refusal.entry, refusal.entries[-2:-1]
    if before and (refusal.begin == entry.colon or refusal.says("expected '<document start>'")):
        entry, before = refusal.entries[0], []
    if not entry.stray:
        return None
    above = before[0] if before else OutlineEntry()
    name, (start, end) = refusal.name(above), refusal.rest(entry.start)
    line = refusal.text[start:end]
    if above.kind in ("quoted", "brackets") and entry.column > above.column:
        what, help = "the value was closed on the line above", "close it where the text ends"
        return refusal.finding(what, help, start, end, name)
    if _CONFLICT_MARKER.match(line):
        what, help = "a merge conflict was left here", "keep one side and delete the markers"
        return refusal.finding(what, help, start, end, name="")
    if loose := _LOOSE_KEY.match(line):
        key, mark = _piece(loose[1]), loose[0][-1]
        what = "a blank is missing after the colon" if mark == ":" else f'"{mark}" is no colon'
        help = f'write "{key}: {_piece(line[loose.end() :])}"'
        return refusal.finding(what, help, start + loose.end() - 1, start + loose.end(), key)
    what, help = f'this line has no key: "{_piece(line)}"', 'write it as "key: value", or delete it'
    if name:
        help = f'indent it if it belongs to "{name}", else write it as "key: value"'
    return refusal.finding(what, help, start, end, name="")


def _quote_in_quotes(refusal: _Refusal) -> Finding | None:
    entry, mark = refusal.entry, refusal.text[refusal.entry.end - 1 : refusal.entry.end]
    following = refusal.text[entry.end : entry.end + 1]
    if entry.kind != "quoted" or not refusal.value_is_over or following.strip() in ("", ":", ","):
        return None
    what = f"the {mark} inside the text ends it too early"
    help = "write '' for each ' inside the text, or use double quotes round it"
    if mark == '"':
        help = 'write \\" for each " inside the text, or use single quotes round it'
    return refusal.finding(what, help, entry.end - 1, entry.end)


def _text_after_closing(refusal: _Refusal) -> Finding | None:
    entry, mark = refusal.entry, refusal.text[refusal.entry.end - 1 : refusal.entry.end]
    if entry.kind not in ("quoted", "brackets") or not refusal.value_is_over:
        return None
    start, end = refusal.rest(entry.end)
    what = "text can't follow the closing " + ("quote" if mark in QUOTED else f'"{mark}"')
    if refusal.text.startswith("{{", entry.value):
        start, end = entry.value, entry.value + 2
        what = 'a value that begins with "{{" needs quotes'
    return refusal.finding(what, refusal.quoting_value(), start, end)


def _text_after_block_indicator(refusal: _Refusal) -> Finding | None:
    text, value = refusal.text, refusal.entry.value
    start, end = refusal.rest(refusal.at)
    header = text[value:start].rstrip()
    if refusal.entry.kind != "block" or refusal.begin != value or len(header.splitlines()) != 1:
        return None
    if text.startswith(">=", value):  # a version
        what = 'a value that begins with ">" needs quotes'
        fix = refusal.fix_by_quoting() if refusal.rest(refusal.entry.end)[1] == end else None
        return refusal.finding(what, refusal.quoting_value(), value, value + 1, fix=fix)
    what = f'the text after "{_piece(header)}" must start on the next line'
    help = f'break the line after "{_piece(header)}" and indent the text by two blanks'
    if not re.search(r": |:$| #|^[^\w(]", text[start:end]):
        help += f', or delete the "{_piece(header)}"'
    return refusal.finding(what, help, start, end, fix=_fix_block(refusal, header, start))


def _fix_block(refusal: _Refusal, header: str, start: int) -> Fix[Edit] | None:
    """The fix that breaks the line after a block indicator, where it surely is one."""
    text, entry = refusal.text, refusal.entry
    indicator, header_end = _BLOCK_HEADER.fullmatch(header), entry.value + len(header)
    if not indicator or header_end == start or text[start] in "\"'|>":
        return None
    if header.startswith(">") and not text[start].isalpha():  # "> 50 files"
        return None
    if _text_follows(text, entry.end, entry.column):
        return None
    line = rest_of_line(text, start)
    below = [
        more
        for more in LINE.finditer(text, line.end(), entry.end)
        if more["content"].strip() and more.end("content") > line.end()
    ]
    indent = min((len(more["blanks"]) for more in below), default=entry.column + 2)
    if number := indicator[1] or indicator[2]:
        indent = entry.column + int(number)
        if any(len(more["blanks"]) < indent for more in below):
            return None
    line_end = text[line.end("content") : line.end()] or "\n"
    return Fix(
        f'break the line after "{header}"',
        (Edit(header_end, start, line_end + " " * indent),),
        safe=not looks_like_comment(line["content"])
        and not any(_KEY_LINE.match(more["content"]) for more in below),
    )


def _less_indented_text(refusal: _Refusal) -> Finding | None:
    text, entry, (start, end) = refusal.text, refusal.entry, refusal.rest(refusal.begin)
    if entry.kind != "block" or start <= entry.value or not refusal.says("expected <"):
        return None
    what, help = "this line is indented less than the text above it", "indent it like that text"
    key = _LOWER_CASE_KEY.match(text, start)
    if key and text.startswith(":", key.end()):
        what = "its indentation fits neither the keys nor the text above it"
        help = f'indent it like "{refusal.name(entry)}"; if it is text, like the text above it'
        return refusal.finding(what, help, start, key.end(), _piece(key[0]))
    return refusal.finding(what, help, start, end)


def _comment_in_value(refusal: _Refusal) -> Finding | None:
    comment = COMMENT.search(refusal.text, refusal.entry.value, refusal.begin)
    if refusal.entry.kind != "plain" or not comment or not refusal.says("expected <"):
        return None
    what = 'a "#" after a blank starts a comment, so the value ends there'
    help = f"{refusal.quoting_value()}, or delete the comment"
    return refusal.finding(what, help, *comment.span(1))


def _reserved_character(refusal: _Refusal) -> Finding | None:
    entry, begin = refusal.entry, refusal.begin
    if entry.kind == "marked" and begin > entry.value:
        begin = entry.value
    found = refusal.text[begin : begin + 1]
    is_mark = found in ("*", "&", "!") and not (refusal.says("expected <") and begin == refusal.at)
    refused = refusal.says("found character", "mapping keys", "expected the node")
    if not found.strip() or not (is_mark or refused):
        return None
    if begin == entry.value:
        what, help = f'a value that begins with "{found}" needs quotes', refusal.quoting_value()
        fix = refusal.fix_by_quoting(_is_no_name(refusal.text, begin))
    else:
        what = f'text that begins with "{found}" needs quotes'
        help = refusal.quoting(*_item(refusal.text, begin))
        fix = _fix_item(refusal.text, begin) if entry.kind == "brackets" else None
    return refusal.finding(what, help, begin, begin + 1, fix=fix)


def _dash_on_key_line(refusal: _Refusal) -> Finding | None:
    begin = refusal.begin
    if not refusal.says("sequence entries") or begin != refusal.entry.value:
        return None
    what = "a list can't begin on the line of its key"
    help = "put each item on a line of its own below the key; if this is text, quote it"
    return refusal.finding(what, help, begin, begin + 1)


def _key_in_value(refusal: _Refusal) -> Finding | None:
    text, begin, entry = refusal.text, refusal.begin, refusal.entry
    start = refusal.rest(line_begin(text, begin))[0]
    wrapped = entry.value < rest_of_line(text, entry.start).end("content") < start
    if not refusal.says("mapping values") or entry.kind != "plain" or not wrapped:
        return None
    key = _LOWER_CASE_KEY.fullmatch(text, start, begin)
    item = not entry.key and re.compile(r"- +[a-z][a-z0-9_-]*").fullmatch(text, start, begin)
    if not item and not (entry.key and key):
        return None
    holder = "the item above" if item else f'"{_piece(entry.key)}"'
    what = f"its indentation makes it part of {holder}"
    help = f"indent it like {holder}; if it is text, put the whole value in quotes"
    return refusal.finding(what, help, start, begin, _piece(text[start:begin]).lstrip("- "))


def _colon_in_value(refusal: _Refusal) -> Finding | None:
    text, begin, entry = refusal.text, refusal.begin, refusal.entry
    if not refusal.says("mapping values") or entry.kind != "plain" or begin < entry.value:
        return None
    if begin == entry.value:
        return refusal.finding('there is a ":" too many', "delete it", begin, begin + 1)
    end = refusal.rest(begin)[1]
    what, help = 'a plain value can\'t contain ": "', refusal.quoting_value()
    if begin + 1 == end:
        what = 'a plain value can\'t end a line with ":"'
    fix = refusal.fix_by_quoting()
    if key := _key_inside(text, entry.value, refusal.rest(entry.end)[1], begin):
        at, name = key
        on_its_own = f'if "{name}" is a key, put it on its own line'
        # No name has a colon in it, so there is nothing to be put in quotes.
        help = on_its_own if entry.key == "name" else f"{help}; {on_its_own}"
        fix = (
            refusal.fix_by_quoting(safe=False)
            if at == entry.value
            else _breaking(text, entry, *key)
        )
    return refusal.finding(what, help, begin, min(begin + 2, end), fix=fix)


def _key_inside(text: str, start: int, end: int, colon: int) -> tuple[int, str] | None:
    """What may be a key that has lost its own line, in a value: where it stands, and its name."""
    if _LOWER_CASE_KEY.fullmatch(text, start, colon):
        return start, _piece(text[start:colon])
    inside = _KNOWN_KEY.search(text, start, end) or _GLUED_KEY.search(text, start, end)
    return (inside.start(1), inside[1]) if inside else None


def _breaking(text: str, entry: OutlineEntry, at: int, key: str) -> Fix[Edit] | None:
    """The fix that puts a key on its own line, and what stands before it in quotes if need be."""
    end = len(text[:at].rstrip(_BLANKS))
    several = re.search(r"[\r\n]", text[entry.value : entry.end].rstrip())
    if several or _text_follows(text, entry.end, entry.column):
        return None  # of a value on several lines nobody knows what belongs to what
    quotes = quote(text, entry.value, end) if re.search(r":\s|\s#", text[entry.value : end]) else ()
    line_end = "\r\n" if "\r\n" in text[: entry.end + 2] else "\n"
    indent = " " * entry.column
    edits = (*quotes, Edit(end, at, f"{line_end}{indent}"))
    return Fix(f'put "{key}" on its own line', edits, safe=False)


def _indentation(refusal: _Refusal) -> Finding | None:
    entry, around = refusal.entry, refusal.around(refusal.entry)
    if refusal.begin != entry.start or not around or not refusal.says("expected <", "expected '<"):
        return None
    holder = next((e for e in around if e.indent <= entry.indent), around[-1])
    if refusal.problem.endswith("'-'"):
        what = f"a list item can't follow {_described(holder)}"
        help = "give the list a key of its own; if it is text, indent it"
        return refusal.finding(what, help, entry.start, entry.start + 1, name="")
    if refusal.problem.endswith("'?'"):
        what, help = "a key can't follow list items", "give the list a key of its own"
        if list_key := refusal.name(around[0]):
            help = f'indent it like "{list_key}", or further to join the item above'
        return refusal.finding(what, help, entry.start, entry.colon, _piece(entry.key))
    first, *others = refusal.entries[:-1]
    if refusal.says("expected '<") and all(e.dash or e.indent > first.indent for e in others):
        # No other key stands in line with the first one, so that one is out of line.
        entry, around, holder = first, [], entry
    likes = [*[e for e in around if e.indent > entry.indent][-1:], holder]
    like = " or ".join(f"{_described(e)} ({_blanks(e.indent)})" for e in dict.fromkeys(likes))
    what = f"its indentation ({_blanks(entry.indent)}) fits no other line"
    end = entry.colon if entry.key else entry.start + 1
    name = _piece(entry.key) or "list item"
    return refusal.finding(what, f"indent it like {like}", entry.start, end, name)


def _described(entry: OutlineEntry) -> str:
    return 'the "-" above' if entry.dash else f'"{_piece(entry.key)}"'


def _blanks(count: int) -> str:
    return "1 blank" if count == 1 else f"{count or 'no'} blanks"


# The first that recognises the fault words it: those that need only the parser's words come first,
# then those about a value that began too early or ended too soon, which hide what follows.
_RECOGNISERS: tuple[Callable[[_Refusal], Finding | None], ...] = (
    _impossible_escape,
    _second_document,
    _tab,
    _bad_escape,
    _unclosed_quote,
    _bracket_pair,
    _inside_brackets,
    _stray_line,
    _quote_in_quotes,
    _text_after_closing,
    _text_after_block_indicator,
    _less_indented_text,
    _comment_in_value,
    _reserved_character,
    _dash_on_key_line,
    _key_in_value,
    _colon_in_value,
    _indentation,
)

_OTHER = {
    "could not find expected": 'this line can\'t be read as "key: value"',
    "values are not allowed": 'a ":" can\'t stand here',
    "entries are not allowed": 'a "-" can\'t stand here',
    "follow up line": "the empty lines above this text hold blanks, fewer than the text",
    "end of stream": "the frontmatter ends before this value does",
}
_JARGON = re.compile(r"[<>]|scalar|token|mapping|sequence|collection|node|stream|simple key|block")


def _other(refusal: _Refusal) -> Finding:
    known = (words for part, words in _OTHER.items() if part in refusal.problem)
    what = "the YAML parser can't make sense of this"
    if refusal.problem and not _JARGON.search(refusal.problem):
        what = f"the YAML parser stopped here: {_piece(refusal.problem)}"
    help = "if this is text, put the whole value in double quotes"
    return refusal.finding(next(known, what), help, *refusal.rest(refusal.begin))


@rule(Severity.ERROR, "YAML 1.2; decision: SKILL.md", fix="safe")
def yaml_syntax(text: str, at: int, problem: str, context_at: int | None = None) -> Finding:
    """The frontmatter is not valid YAML.

    Without it a skill has neither name nor description, so it is skipped. Clients that guess at
    broken frontmatter guess differently, and may drop a key that holds a skill back.

    Fails:
        -- plan-trip/SKILL.md --
        ---
        name: plan-trip
        description: Plan a trip in two parts: the route, then places to stay. Use for holidays.
        ---
        Ask for the dates first.

    Passes:
        -- plan-trip/SKILL.md --
        ---
        name: plan-trip
        description: "Plan a trip in two parts: the route, then places to stay. Use for holidays."
        ---
        Ask for the dates first.
    """
    at = max(0, min(at, len(text)))
    # Where a list or mapping ends too early, the parser's context is where that began.
    of_whole = problem.startswith(("expected <", "expected ','", "expected the node"))
    begin = at if context_at is None or of_whole else max(0, min(context_at, len(text)))
    refusal = _Refusal(text, at, problem, begin, outline(text, begin))
    found = (recognise(refusal) for recognise in _RECOGNISERS)
    return next(filter(None, found), None) or _other(refusal)
