"""A change of manifests at a terminal: their diffs, then what they do."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from insomnia_skills.edit.manifest import ManifestEdit
from insomnia_skills.report.diff import STYLES
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.screen import line_breaks
from insomnia_skills.report.sources.words import sentences
from insomnia_skills.report.text import safe
from insomnia_skills.resolution.difference import Difference

_MOST = 12
_VERB_WIDTH = 11
_CONTEXT = 3


def change_table(
    edits: Sequence[ManifestEdit],
    difference: Difference,
    labels: Labels,
    console: Console,
    in_full: bool = False,
) -> None:
    """The lines of each manifest that change, with those around them; then a line for each effect.

    Long lists of slugs are cut, but never ``in_full`` or in what is piped.
    """
    for edit in edits:
        new = " (new)" if edit.before is None else ""
        console.print(Text(f"{labels.name(edit.path)}{new}", "bold"), soft_wrap=True)
        for line in _diff(edit):
            console.print(Text(safe(line), STYLES.get(line[:1], "")), soft_wrap=True)
    difference_lines(difference, labels, console, in_full)


def difference_lines(
    difference: Difference, labels: Labels, console: Console, in_full: bool = False
) -> None:
    """A line for each effect; long lists are cut as `change_table` does."""
    is_terminal = console.file.isatty()
    most = _MOST if is_terminal and not in_full else None
    for verb, rest in sentences(difference, labels, most):
        breaks = line_breaks(rest, console.width - _VERB_WIDTH) if is_terminal else ()
        lead = Text(verb.ljust(_VERB_WIDTH), "bold")
        for part in Text(rest).divide(breaks):
            part.rstrip()
            console.print(Text.assemble(lead, part), soft_wrap=True)
            lead = Text(" " * _VERB_WIDTH)


def _diff(edit: ManifestEdit) -> Iterator[str]:
    before, after = _lines(edit.before or b""), _lines(edit.after)
    lines = list(difflib.unified_diff(before, after, n=_CONTEXT, lineterm=""))[2:]
    for number, line in enumerate(lines):
        if not line.startswith("@@"):
            yield f"{line[0]} {line[1:]}".rstrip()
        elif number:
            yield "  …"


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8-sig").removesuffix("\n")
    return [line.removesuffix("\r") for line in text.split("\n")] if text else []
