"""Rules for a reader: what each finds, why it matters, and its examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.diagnostics import STYLES
from insomnia_skills.report.screen import line_breaks
from insomnia_skills.report.text import safe
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import theme_of
from insomnia_skills.rules.example import split_example

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100
"""Longer lines of prose are hard to read, however wide the terminal is."""
_COMMENTED = ("Frontmatter", "Fields", "Body and resources", "Native Workflows")
"""The themes of rules on a text that can hold a comment."""
_BLANKS_AT_END = re.compile(r" +(?=\r?$)", re.MULTILINE)


def explain(rule: Rule[..., Any], console: Console) -> None:
    """All that is known of a rule; prose is wrapped where it goes to a terminal."""
    from rich.text import Text

    width = min(console.width, _WIDEST) if console.file.isatty() else None
    head = f"{rule.severity.value}[{rule.name}]"
    first, *rest = _wrapped(f"{head}: {prose(rule.summary)}", width)
    title = Text(first, "bold")
    title.stylize(STYLES[rule.severity], 0, len(head))
    lines = [title, *(Text(line, "bold") for line in rest)]
    for paragraph in filter(None, prose(rule.why).split("\n\n")):
        lines += [Text(), *map(Text, _wrapped(paragraph, width))]
    for heading, style, example in (("Fails", "red", rule.fails), ("Passes", "green", rule.passes)):
        if example:
            lines += [Text(), Text(heading, style)]
            for path, content in split_example(example):
                lines.append(Text(f"  {safe(path)}", "blue"))
                lines += (
                    Text(f"    {line}".rstrip()) for line in example_text(content).splitlines()
                )
    lines.append(Text())
    for label, value in _fields(rule):
        lines += _field(label, value, width)
    for line in lines:
        console.print(line, soft_wrap=True)


def prose(text: str) -> str:
    """A docstring's text as Markdown."""
    return text.replace("``", "`")


def example_text(example: str) -> str:
    """An example, or a part of it, with all that would not be seen written out."""
    text = _BLANKS_AT_END.sub(lambda blanks: "\\x20" * len(blanks[0]), example.rstrip("\n"))
    return safe(text.replace("\r", "\\r"))


def fenced(text: str) -> str:
    """A text as a Markdown code block, whose fence is longer than any in the text."""
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+", text)), 0)
    return f"{fence}text\n{text}\n{fence}"


def fix_label(rule: Rule[..., Any]) -> str:
    """Whether a rule's findings can be fixed, and who should look at it."""
    if rule.fix is None:
        return "by hand"
    if rule.fix == "safe":
        return "safe (validate --fix)"
    return "unsafe, it chooses for you (validate --unsafe-fixes)"


def _fields(rule: Rule[..., Any]) -> Iterator[tuple[str, str]]:
    yield "fix", fix_label(rule)
    yield "source", rule.source
    yield "to silence", f"insomnia-skills validate --ignore {rule.name}"
    if theme_of(rule) in _COMMENTED:
        yield "in a file", f"<!-- insomnia-skills: ignore {rule.name} -->"
    if rule.severity is Severity.ERROR:
        yield "", "only the report changes: insomnia refuses it all the same"


def _field(label: str, value: str, width: int | None) -> Iterator[Any]:
    from rich.text import Text

    indent = " " * 12
    # What is to be copied stays on one line.
    lines = [indent + value] if "insomnia-skills" in value else _wrapped(value, width, indent)
    yield Text.assemble((f"{label:<12}", "dim"), lines[0].removeprefix(indent))
    yield from map(Text, lines[1:])


def _wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """Lines of at most ``width`` cells, broken between words; one line without a width."""
    if width is None:
        return [indent + text]
    breaks = line_breaks(text, max(width - len(indent), 20))
    return [indent + text[start:end].rstrip() for start, end in pairwise([0, *breaks, len(text)])]
