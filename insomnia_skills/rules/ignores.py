"""``<!-- insomnia-skills: ignore rule -->``: what a file says is not to be reported of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from insomnia_skills.diagnostic import Excerpt, Finding, Lines, Severity, Span
from insomnia_skills.limits import MAX_IGNORE_CHARACTERS, MAX_IGNORES
from insomnia_skills.markup import Markup
from insomnia_skills.rule import rule

TOO_MANY = "too many"
TOO_LONG = "too long"
"""Stand for what is beyond a limit; no rule name has a blank."""

_MARK = "insomnia-skill"
_COMMENT = (
    rf"<!--\s*insomnia-skill(?:(?P<said>s?\b[^<>]{{0,{MAX_IGNORE_CHARACTERS}}}?)-->"
    # One that is too long is found without its end, to say so.
    rf"|s(?=:\s*+ignore\b)[^<>]{{{MAX_IGNORE_CHARACTERS + 1}}})"
)
_SAID = r"s:\s*ignore(?=[\s,]|$)"
# What looks like such a comment and is none: nobody would notice that it does nothing.
_ALMOST = r"s?[:\s]\s*(?:disable|ignore|allow|noqa|off)\b"
_YAML_COMMENT = r"#[ \t]*insomnia-skill(?P<said>s?\b[^\r\n]*)"
_NAME = r"[^\s,]+"
_LINE_END = r"\r\n|\r|\n"


class Ignore(NamedTuple):
    """One rule name in one comment, with its place.

    ``line`` is the only line that it speaks of; None means the whole file.
    """

    rule: str
    span: Span
    excerpt: Excerpt | None
    line: int | None = None


@rule(Severity.WARNING, "decision: choosing")
def ignore_unknown_rule(name: str, advice: str) -> Finding:
    """A comment silences a rule that does not exist, or is too long to be looked at.

    So the finding that was meant is reported all the same.

    Fails:
        -- release-notes/SKILL.md --
        ---
        name: release-notes
        description: Write the notes of a release. Use when a version is tagged.
        ---
        <!-- insomnia-skills: ignore body-to-long -->
        List what changed since the last tag.

    Passes:
        -- release-notes/SKILL.md --
        ---
        name: release-notes
        description: Write the notes of a release. Use when a version is tagged.
        ---
        List what changed since the last tag.
    """
    if not name:
        return Finding(
            "the comment is not understood, so nothing is ignored",
            help="write <!-- insomnia-skills: ignore RULE --> below the frontmatter",
        )
    if name == TOO_LONG:
        return Finding(
            f"the comment has more than {MAX_IGNORE_CHARACTERS:,} characters, it ignores nothing",
            help="write several comments",
        )
    if name == TOO_MANY:
        return Finding(
            f"comments have more than {MAX_IGNORES:,} rule names, from here on they ignore nothing",
            help="name each rule once, in a comment on a line of its own",
        )
    return Finding(f'no rule is called "{name}", so nothing is ignored', help=advice)


@rule(Severity.WARNING, "decision: choosing")
def ignore_unused(ignore: Ignore) -> Finding:
    """A comment silences a rule that finds nothing there.

    What it was written for is mended, or stands on another line; left in place, it would silence
    the next finding unseen.

    Fails:
        -- release-notes/SKILL.md --
        ---
        name: release-notes
        description: Write the notes of a release. Use when a version is tagged.
        ---
        <!-- insomnia-skills: ignore reference-missing -->
        List what changed since the last tag.

    Passes:
        -- release-notes/SKILL.md --
        ---
        name: release-notes
        description: Write the notes of a release. Use when a version is tagged.
        ---
        List what changed since the last tag.
    """
    where = "this file" if ignore.line is None else "this line"
    return Finding(f"{ignore.rule} finds nothing in {where}", help="remove it from the comment")


def find_ignores(text: str, body_start: int = 0) -> tuple[Ignore, ...]:
    """Every rule that comments in the body of a file ignore, in order.

    ``body_start`` is the character offset of the body in ``text``. A comment on a line of its own
    speaks of the whole file, one at the end of a line of that line. In code it is an example, and
    says nothing; a body that is too large to parse in a blink has no code. `TOO_MANY` and
    `TOO_LONG` stand for the first name beyond a limit.
    """
    if _MARK not in text:
        return ()
    found = list(islice(_ignores(text, body_start), MAX_IGNORES + 1))
    found[MAX_IGNORES:] = (ignore._replace(rule=TOO_MANY) for ignore in found[MAX_IGNORES:])
    return tuple(found)


def _ignores(text: str, body_start: int) -> Iterator[Ignore]:
    markup, lines = Markup(text, body_start), Lines(text)
    for comment in re.finditer(_YAML_COMMENT, text[:body_start]):
        if re.match(_ALMOST, comment["said"]):
            yield _misunderstood(lines, comment)
    comments = [
        comment
        for comment in re.compile(_COMMENT).finditer(text, body_start)
        if markup.place(comment.start()).kind not in ("code", "block")
    ]
    # Blank lines, were the comments not there; found once, since one line may hold thousands.
    bare = re.sub(_COMMENT, lambda comment: re.sub(r"[^\r\n]", "", comment[0]), text)
    blank = [not line.strip() for line in re.split(_LINE_END, bare)]
    for comment in comments:
        first, last = (lines.position(offset)[0] for offset in comment.span())
        line = None if blank[first - 1] and blank[last - 1] else first
        if comment["said"] is None:
            yield _misunderstood(lines, comment, TOO_LONG)
            continue
        said = re.match(_SAID, comment["said"])
        if said is None:
            if re.match(_ALMOST, comment["said"]):
                yield _misunderstood(lines, comment)
            continue
        begin = comment.start("said") + said.end()
        name = re.compile(_NAME)
        names = [match.span() for match in name.finditer(text, begin, comment.end("said"))]
        if not names:
            yield _misunderstood(lines, comment)
        for start, end in names:
            yield Ignore(text[start:end], lines.span(start, end), lines.excerpt(start), line)


def _misunderstood(lines: Lines, comment: re.Match[str], name: str = "") -> Ignore:
    start, end = comment.span()
    return Ignore(name, lines.span(start, end), lines.excerpt(start))
