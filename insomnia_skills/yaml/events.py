"""YAML events become nodes with places; what is more than plain data becomes findings.

The events are ruamel.yaml's. Its C parser answers where it says yes; where it says no, the pure
one decides and words the error, for it accepts a little more valid YAML 1.2 and never less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from insomnia_skills.diagnostic import Edit, Finding, Fix, Lines, Related, Severity
from insomnia_skills.limits import MAX_YAML_DEPTH
from insomnia_skills.rule import rule
from insomnia_skills.rules.characters import control_character
from insomnia_skills.yaml.node import Entry, Mapping, Node, Scalar, Sequence, describe
from insomnia_skills.yaml.quoting import quoting_line

try:
    from ruamel.yaml.cyaml import CParser
except ImportError:  # PyPy, or a platform without the C extension
    CParser = None

Parser: TypeAlias = Callable[[str], "Iterator[Any]"]

_SURROGATE = re.compile("[\ud800-\udfff]")
# NEL, LS and PS end a line in YAML 1.1, and to both parsers in places; a byte-order mark makes
# libyaml miscount. In YAML 1.2 they are text, so the parsers are given characters that nobody uses.
_NO_LINE_ENDS = "\x85\u2028\u2029\ufeff"
_ESCAPED_PRIVATE_USE = r"\\U(00(?:0[Ff]|10)[0-9A-Fa-f]{4})"
_PROPERTY = re.compile(r"(!<[^>\s]*>|[!&][^\s,\[\]{}]*)\s*")
_REFERENCE = r"\*([^\s,\[\]{}*]+)"
_COLON = re.compile(r"[ \t]*:")
_DIRECTIVE = r"(?<![^\r\n])%"
_TEMPLATE = re.compile(r"\{\{[^{}\r\n]{0,60}\}\}")
_BLOCK_STYLES = ("|", ">")


@rule(Severity.ERROR, "YAML 1.2, 3.2.1.3; decision: SKILL.md")
def yaml_duplicate_key(key: Scalar, first: Scalar, first_line: int) -> Finding:
    """A mapping has the same key twice.

    YAML forbids it, and readers that allow it disagree on which of the two values counts.

    Fails:
        -- tests/SKILL.md --
        ---
        name: tests
        description: Write unit tests. Use when a function has none.
        license: MIT
        description: Write unit tests with pytest. Use when a function has none.
        ---
        One behaviour, one test.

    Passes:
        -- tests/SKILL.md --
        ---
        name: tests
        description: Write unit tests with pytest. Use when a function has none.
        license: MIT
        ---
        One behaviour, one test.
    """
    return Finding(
        f'"{key.value}" is already set on line {first_line}',
        key.start,
        key.end,
        help="keep one of the two",
        related=(Related("the first one", first.start, first.end),),
    )


@rule(Severity.ERROR, "decision: SKILL.md", fix="safe")
def yaml_alias(mark: str, start: int, end: int, fix: Fix[Edit] | None = None) -> Finding:
    """A value begins with ``*`` or ``&``, which YAML reads as a reference.

    Frontmatter is plain data: nearly always the sign was meant as text.

    Fails:
        -- glossary/SKILL.md --
        ---
        name: glossary
        description: Keep to the glossary. Use when writing documentation.
        metadata:
          files: *.md
        ---
        Look each term up before you write it.

    Passes:
        -- glossary/SKILL.md --
        ---
        name: glossary
        description: Keep to the glossary. Use when writing documentation.
        metadata:
          files: "*.md"
        ---
        Look each term up before you write it.
    """
    what = "a reference to another value" if mark == "*" else "a name for a value"
    return Finding(
        f'YAML reads "{mark}" at the start of a value as {what}',
        start,
        end,
        help=f'if the "{mark}" is part of the text, put the value in double quotes',
        fix=fix,
    )


@rule(Severity.ERROR, "decision: SKILL.md", fix="unsafe")
def yaml_tag(start: int, end: int, fix: Fix[Edit] | None = None) -> Finding:
    """A value begins with ``!``, which YAML reads as the name of a type.

    Frontmatter is plain data: a type of one program means nothing, or worse, to another.

    Fails:
        -- deploy/SKILL.md --
        ---
        name: deploy
        description: !Careful Ship a release to production. Use when asked to deploy.
        ---
        Deploy to staging first.

    Passes:
        -- deploy/SKILL.md --
        ---
        name: deploy
        description: "!Careful Ship a release to production. Use when asked to deploy."
        ---
        Deploy to staging first.
    """
    return Finding(
        'YAML reads "!" at the start of a value as the name of a type',
        start,
        end,
        help='if the "!" is part of the text, put the value in double quotes; else remove it',
        fix=fix,
    )


@rule(Severity.ERROR, "decision: bounded input")
def yaml_too_deep(start: int) -> Finding:
    """Values are nested more deeply than any frontmatter needs.

    The limit keeps a hostile file from exhausting whoever reads the result.

    Fails:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        metadata:
          tags: {40 × [}text, forms{40 × ]}
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        metadata:
          tags: text, forms
        ---
        Run `pdftotext` on the file.
    """
    return Finding(f"nested more than {MAX_YAML_DEPTH} levels deep", start, start + 1)


@rule(Severity.ERROR, "decision: SKILL.md")
def yaml_key_type(key: Node, template: str = "", end: int = 0) -> Finding:
    """A key is a list or a mapping where plain text is meant.

    Usually a ``[placeholder]`` or a ``{{template}}`` was left where a key or a value belongs.

    Fails:
        -- report/SKILL.md --
        ---
        name: report
        description: Write the weekly report. Use on Fridays.
        metadata:
          version: {{ version }}
        ---
        Three lines for each project.

    Passes:
        -- report/SKILL.md --
        ---
        name: report
        description: Write the weekly report. Use on Fridays.
        metadata:
          version: "1.2"
        ---
        Three lines for each project.
    """
    if template:
        return Finding(
            f'YAML reads "{template}" as a key that is no text',
            key.start - 1,
            end,
            help="fill the template in, or put it in double quotes",
        )
    return Finding(
        f"a key must be text, this is {describe(key)}",
        key.start,
        key.end,
        help="put it in double quotes",
    )


def c_events(text: str) -> Iterator[Any]:
    """The events of libyaml, which is fast and words its errors poorly."""
    parser = CParser(text)
    while parser.check_event():
        yield parser.get_event()


def pure_events(text: str) -> Iterator[Any]:
    """The events of the parser in Python.

    Of 103,851 real frontmatters it accepts all that libyaml accepts, and 62 more.
    """
    from insomnia_skills.yaml.scanner import PureYaml

    events: Iterator[Any] = PureYaml().parse(text)
    return events


PURE: tuple[Parser, ...] = (pure_events,)
C_FIRST: tuple[Parser, ...] = (c_events, *PURE)
"""The parsers to ask, in order: the first that accepts decides, the pure one words the error."""


def compose(
    text: str, start: int, end: int, ask: tuple[Parser, ...] | None = None
) -> tuple[Node | None, list[Finding]]:
    """Read ``text[start:end]`` as one YAML document of plain data.

    Returns its node (None where it is empty or cannot be read) and what is wrong with it; all
    offsets count in the whole of ``text``. ``ask`` overrides which parsers decide.
    """
    written = text[start:end]
    stand_ins = {} if written.isascii() else _stand_ins(written)
    block = written.translate(stand_ins) if stand_ins else written
    restore = {ord(stand_in): chr(char) for char, stand_in in stand_ins.items()}
    error: Exception | None = None
    for events in ask or (PURE if CParser is None else C_FIRST):
        composer = _Composer(text, start, end, events(block), restore)
        try:
            return composer.document(), composer.findings
        except _FatalError as fatal:
            return None, [fatal.finding]
        except (YAMLError, ValueError, OverflowError, AssertionError) as raised:
            # All but the first are how the pure parser meets an escape beyond Unicode and a
            # directive for a version of YAML to come.
            error = raised
    assert error is not None
    return None, [_moved(_explain(written, error), start)]


def _stand_ins(written: str) -> dict[int, str]:
    """For each character that is text and would end a line, one that the text does not have."""
    needed = [char for char in _NO_LINE_ENDS if char in written]
    if not needed:
        return {}
    escaped = (int(digits, 16) for digits in re.findall(_ESCAPED_PRIVATE_USE, written))
    taken = {*map(ord, written), *escaped}
    free = (chr(code) for code in range(0x10FFFD, 0xEFFFF, -1) if code not in taken)
    return {ord(char): next(free) for char in needed}


def _explain(block: str, error: Exception) -> Finding:
    # Most texts have no fault, and it takes 5 ms to import what words one.
    from insomnia_skills.yaml.syntax import SECOND_DOCUMENT, yaml_syntax

    if isinstance(error, ReaderError) and error.position is not None:
        return control_character(block[error.position], 1, error.position, Severity.ERROR)
    if not isinstance(error, MarkedYAMLError):
        directive = re.search(_DIRECTIVE, block)
        if directive is not None:
            return yaml_syntax(block, directive.start(), SECOND_DOCUMENT)
        return yaml_syntax(block, 0, str(error))
    at = error.problem_mark.index if error.problem_mark else 0
    context_at = error.context_mark.index if error.context_mark else None
    problem = error.problem or error.context or ""
    return yaml_syntax(block, min(at, len(block)), problem, context_at)


def _moved(finding: Finding, by: int) -> Finding:
    fix = finding.fix
    if fix:
        edits = (Edit(start + by, end + by, text) for start, end, text in fix.edits)
        fix = fix._replace(edits=tuple(edits))
    return finding._replace(start=finding.start + by, end=finding.end + by, fix=fix)


class _FatalError(Exception):
    """The document can't be read further, and the finding says why."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding


class _Composer:
    """One pass over the events of one document, which stands at ``base`` in ``text``."""

    def __init__(
        self, text: str, base: int, end: int, events: Iterator[Any], restore: dict[int, str]
    ) -> None:
        self.findings: list[Finding] = []
        self._text = text
        self._base = base
        self._end = end
        self._events = events
        self._restore = restore
        self._anchors: set[str] = set()
        self._referred_to: set[str] | None = None
        self._lines: Lines | None = None
        self._previous_end = base

    def document(self) -> Node | None:
        node: Node | None = None
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1 or event.explicit:
                    raise _FatalError(self._second_document(event, documents == 1))
            elif isinstance(event, NodeEvent):
                node = self._node(event, 1)
        return node

    def _second_document(self, event: Any, is_first: bool) -> Finding:
        from insomnia_skills.yaml.syntax import SECOND_DOCUMENT, yaml_syntax

        block, at = self._text[self._base : self._end], event.start_mark.index
        directive = re.search(_DIRECTIVE, block) if is_first else None
        if directive is not None:  # where the document begins, the parsers disagree
            at = min(at, directive.start())
        return _moved(yaml_syntax(block, at, SECOND_DOCUMENT), self._base)

    def _surrogate_escape(self, event: Any) -> Finding:
        from insomnia_skills.yaml.syntax import SURROGATE_ESCAPE, yaml_syntax

        block = self._text[self._base : self._end]
        return _moved(yaml_syntax(block, event.start_mark.index, SURROGATE_ESCAPE), self._base)

    def _node(self, event: Any, depth: int) -> Node:
        start: int = event.start_mark.index + self._base
        if depth > MAX_YAML_DEPTH:
            raise _FatalError(yaml_too_deep(start))
        begin, self._previous_end = self._previous_end, event.end_mark.index + self._base
        if isinstance(event, AliasEvent):
            # An alias to an anchor already complained of is the same fault.
            if event.anchor not in self._anchors:
                is_key = _COLON.match(self._text, self._previous_end)
                fix = None if is_key else quoting_line(self._text, start, self._previous_end)
                self.findings.append(yaml_alias("*", start, self._previous_end, fix))
            return Scalar(event.anchor, "*", start, self._previous_end)
        if event.anchor is None and event.tag is None:
            return self._content(event, start, depth)
        # Where a value with a tag and an anchor begins, the parsers disagree.
        start = self._refuse_properties(event, begin, start)
        node = self._content(event, start, depth)
        return Scalar(node.value if isinstance(node, Scalar) else "", "*", start, node.end)

    def _content(self, event: Any, start: int, depth: int) -> Node:
        if isinstance(event, ScalarEvent):
            return self._scalar(event, start)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(start, depth)
        return self._mapping(start, depth)

    def _refuse_properties(self, event: Any, begin: int, start: int) -> int:
        """Complain of an anchor and a tag; where the first of them begins."""
        spans = []
        if event.anchor is not None:
            self._anchors.add(event.anchor)
            spans.append(self._property("&", begin, start))
            self.findings.append(yaml_alias("&", *spans[-1], self._quoting(event, spans[-1][0])))
        if event.tag is not None:
            spans.append(self._property("!", begin, start))
            self.findings.append(yaml_tag(*spans[-1], self._quoting(event, spans[-1][0])))
        return min(spans)[0]

    def _quoting(self, event: Any, start: int) -> Fix[Edit] | None:
        """The fix that makes a text of a plain value and the one sign before it.

        None where the sign surely is what YAML takes it for.
        """
        text, end = self._text, self._previous_end
        if not isinstance(event, ScalarEvent) or event.style or not event.value:
            return None
        if event.anchor is not None and event.tag is not None:
            return None
        if _COLON.match(text, end):  # a key would have another name, and a field would be gone
            return None
        if text.startswith(("!!", "!<"), start) or re.search(r"[\r\n]", text[start:end]):
            return None
        if event.anchor in self._referred:
            return None
        return quoting_line(text, start, end, safe=False)

    @property
    def _referred(self) -> set[str]:
        """What follows a ``*`` anywhere in the document."""
        if self._referred_to is None:
            names = re.compile(_REFERENCE).findall(self._text, self._base, self._end)
            self._referred_to = {name for found in names for name in (found, found.split(":")[0])}
        return self._referred_to

    def _property(self, sign: str, begin: int, start: int) -> tuple[int, int]:
        """The span of a tag or an anchor.

        A node begins at the first of the two, but to the pure parser at an anchor behind a tag.
        """
        first = _PROPERTY.match(self._text, start)
        second = _PROPERTY.match(self._text, first.end()) if first else None
        for found in (first, second):
            if found is not None and found[1][0] == sign:
                return found.span(1)
        at = self._text.rfind(sign, begin, start)
        found = _PROPERTY.match(self._text, at) if at >= 0 else None
        return found.span(1) if found is not None else (start, start + 1)

    def _scalar(self, event: Any, start: int) -> Scalar:
        value: str = event.value.translate(self._restore) if self._restore else event.value
        if event.style == '"' and _SURROGATE.search(value):
            raise _FatalError(self._surrogate_escape(event))
        end = event.end_mark.index + self._base if value or event.style else start
        if event.style in _BLOCK_STYLES:
            end = self._last_character(start, end)
        return Scalar(value, event.style or "", start, end)

    def _sequence(self, start: int, depth: int) -> Sequence:
        items = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Sequence(tuple(items), start, self._end_of(event, items))

    def _mapping(self, start: int, depth: int) -> Mapping:
        entries: dict[str, Entry] = {}
        value: Node | None = None
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            value = self._placed(value, key)
            if not isinstance(key, Scalar):
                template = self._template(start, key)
                self.findings.append(yaml_key_type(key, template, start + len(template)))
            elif key.value in entries:
                self._lines = self._lines or Lines(self._text)
                first = entries[key.value].key
                line, _ = self._lines.position(first.start)
                self.findings.append(yaml_duplicate_key(key, first, line))
            else:
                entries[key.value] = Entry(key, value)
        return Mapping(entries, start, self._end_of(event, [value] if value else []))

    def _template(self, start: int, key: Node) -> str:
        """The whole of ``{{ a template }}``, where the mapping at ``start`` is one; else empty."""
        found = _TEMPLATE.match(self._text, start, self._end)
        return found[0] if found and found.start() + 1 == key.start else ""

    def _placed(self, value: Node, key: Node) -> Node:
        """A value that is not there stands after its key's colon; the parsers disagree."""
        if not isinstance(value, Scalar) or value.value or value.style:
            return value
        colon = _COLON.match(self._text, key.end)
        at = colon.end() if colon else key.end
        return Scalar("", "", at, at)

    def _end_of(self, event: Any, parts: list[Node]) -> int:
        """A collection in brackets ends with its bracket, another with its last part.

        To the parsers a block reaches over blank lines and comments to whatever follows it.
        """
        end: int = event.end_mark.index + self._base
        self._previous_end = end
        in_brackets = event.end_mark.index > event.start_mark.index
        return end if in_brackets or not parts else parts[-1].end

    def _last_character(self, start: int, end: int) -> int:
        """The parsers count the blank lines after a block scalar into it; a reader does not."""
        return start + len(self._text[start:end].rstrip())
