"""``<!-- insomnia-skills: ignore rule -->``: what a file says is not to be reported of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from insomnia_skills.diagnostic import Lines, Span

_MARK = "insomnia-skills:"
_COMMENT = re.compile(r"<!--[ \t]*insomnia-skills:[ \t]*ignore\b([^<>]{0,1000}?)-->")
_NAME = re.compile(r"[^\s,]+")


class Ignore(NamedTuple):
    """One rule name in one comment, with its place.

    ``line`` is the only line that it speaks of; None means the whole file.
    """

    rule: str
    span: Span
    line: int | None = None

    def covers(self, rule: str, line: int) -> bool:
        return rule == self.rule and self.line in (None, line)


def find_ignores(text: str) -> tuple[Ignore, ...]:
    """Every rule that comments in the text of a file ignore, in order.

    A comment on a line of its own speaks of the whole file, one at the end of a line of that line.
    In code it is an example, and says nothing.
    """
    if _MARK not in text:
        return ()
    return tuple(_ignores(text))


def _ignores(text: str) -> Iterator[Ignore]:
    code, lines = _code_lines(text), Lines(text)
    for comment in _COMMENT.finditer(text):
        line, column = lines.position(comment.start())
        before = text[comment.start() - column + 1 : comment.start()]
        after = re.split(r"[\r\n]", text[comment.end() :], maxsplit=1)[0]
        if line in code or before.endswith("`"):
            continue
        alone = not _COMMENT.sub("", before + after).strip()
        for name in _NAME.finditer(comment[1]):
            start = comment.start(1) + name.start()
            span = lines.span(start, start + len(name[0]))
            yield Ignore(name[0], span, None if alone else line)


def _code_lines(text: str) -> set[int]:
    from markdown_it import MarkdownIt  # only a file with such a comment pays for it

    code: set[int] = set()
    for token in MarkdownIt("commonmark").disable("inline").parse(text):
        if token.type in ("fence", "code_block") and token.map:
            code.update(range(token.map[0] + 1, token.map[1] + 1))
    return code
