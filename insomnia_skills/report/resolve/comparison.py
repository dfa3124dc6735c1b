"""A shadow and its winner side by side: fields, files, then the bodies as a unified diff."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from insomnia_skills.copies import FileChange
from insomnia_skills.limits import MAX_COMPARED_BYTES, MAX_SKILL_FILES
from insomnia_skills.registry import Candidate, Relation
from insomnia_skills.report.text import PathNames, one_line, path_text, plural
from insomnia_skills.resolution.comparison import BodyDifference, Comparison

if TYPE_CHECKING:
    from rich.console import Console

_CHANGES = {
    FileChange.ONLY_KEPT: "only the winner has it",
    FileChange.ONLY_LOST: "the winner does not have it",
    FileChange.CONTENT: "has other content",
    FileChange.LINK: "is another link",
    FileChange.UNREADABLE: "can't be read in both, so it is not compared",
    FileChange.TOO_MUCH: f"is too much to compare: more than {MAX_SKILL_FILES:,} files in "
    f"a skill, or {MAX_COMPARED_BYTES >> 20} MiB of them",
}
_MARKS = {FileChange.ONLY_KEPT: "-", FileChange.ONLY_LOST: "+"}
_NOT_SET = "(not set)"


def print_comparison(comparison: Comparison, name: PathNames, console: Console) -> None:
    """The winner's side has ``-``, the loser's ``+``."""
    from rich.text import Text

    from insomnia_skills.report.diff import Words, mark_line, print_diff
    from insomnia_skills.report.draw import heading, print_wrapped

    shadow = comparison.shadow
    console.print(Text(f"--- {name(shadow.kept.path)}  wins", "bold"), soft_wrap=True)
    console.print(Text(f"+++ {name(shadow.lost.path)}  loses", "bold"), soft_wrap=True)
    if shadow.relation is not Relation.DIFFERENT:
        console.print()
        print_wrapped(console, Text(_SAME[shadow.relation]))
    words = Words()
    if comparison.fields:
        heading(console, plural(len(comparison.fields), "field differs", "fields differ"))
    for field in comparison.fields:
        console.print(Text(f"  {field.name}"))
        kept, lost = value_text(field.kept), value_text(field.lost)
        ours, theirs = words.compare(kept, lost)
        print_wrapped(console, mark_line("- ", kept, ours), indent=4, hang=2)
        print_wrapped(console, mark_line("+ ", lost, theirs), indent=4, hang=2)
    if comparison.files:
        heading(console, plural(len(comparison.files), "file differs", "files differ"))
    for file in comparison.files:
        line = f"{_MARKS.get(file.change, '~')} {path_text(file.path)}  {_CHANGES[file.change]}"
        print_wrapped(console, Text(line), indent=2, hang=2)
    if comparison.body:
        heading(console, "The body differs")
        for note in body_notes(comparison.body, comparison, name):
            print_wrapped(console, Text(note), indent=2)
        if comparison.body.diff:
            print_diff(comparison.body.diff, console)


_SAME = {
    Relation.SAME_FILE: "They are one file, reached by two paths.",
    Relation.IDENTICAL: "They are identical: fields, body and files are the same.",
}


def body_notes(body: BodyDifference, comparison: Comparison, name: PathNames) -> Iterator[str]:
    """What a diff of two bodies does not show."""
    shadow = comparison.shadow
    if body.line_ends:
        kept, lost = body.line_ends
        only = "" if body.diff or body.omitted else "only "
        yield f"{only}in its line ends: {kept} in the winner, {lost} in the loser"
    if body.omitted:
        from insomnia_skills.report.text import path_word

        paths = (path_word(name(record.path)) for record in (shadow.kept, shadow.lost))
        yield f"not shown: {body.omitted}. To see all: diff {' '.join(paths)}"


def incomparable_text(broken: Candidate, name: PathNames) -> str:
    """That a broken copy has nothing to compare, and why."""
    return f"{name(broken.path)} can't be compared: it is no record, {one_line(broken.reason)}"


def value_text(value: Any) -> str:
    """A field's value on one line."""
    if value is None:
        return _NOT_SET
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(one_line, value)) or "(none)"
    return one_line(json.dumps(value, ensure_ascii=False))
